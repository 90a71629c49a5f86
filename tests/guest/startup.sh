#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The start-up's split: its steps add up, and the bare VM beside it brings all VPs up.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

why=$(no_kvm)
[ -z "$why" ] || skip_all "$why"

json=$tap_work/startup.json
# metric EXPRESSION: true of the metrics m of the only run.
metric() { python3 -c 'import json,sys; m=json.load(open(sys.argv[1]))["runs"][0]["metrics"]; sys.exit(not eval(sys.argv[2]))' "$json" "$1"; }

steps="'open','vm','memory','irqchip','devices','load','vps','thread','entry','guest','bringup'"
for cpus in 1 2 64 300; do
    check "$cpus VPs with a floor" "$VPUP" run -c $cpus -q --floor on --timeout 60 -a quiet --json "$json"
    check "$cpus VPs: the steps add up" \
        metric "abs(sum(m['startup.'+s+'_ms'] for s in [$steps]) - m['startup_ms']) < 1e-6"
    check "$cpus VPs: the host's part is within" metric "0 < m['startup.host_ms'] < m['startup_ms']"
    check "$cpus VPs: the floor has its host's part too" \
        metric "0 < m['startup.floor_host_ms'] < m['startup.floor_ms']"
done
# A neighbour may disturb one of the two; twice as fast as the floor would be a mistake.
check "a start-up is not below its floor" metric "m['startup_over_floor'] > 0.5"

check "a run without a floor" "$VPUP" run -c 1 -q --timeout 60 -a quiet --json "$json"
check "it has none" metric "not any('floor' in k for k in m)"
check "it has steps" metric "m['startup.load_ms'] > 0"
check "the scenario" "$VPUP" bench startup -c 1,2 --repeat 1 --json "$json"
check "it has both cells" test "$(grep -c '"startup.floor_ms":' "$json")" = 2
# The run's own VPs have room, as many again have not.
refused "a floor that fails" 3 "[0-9]+ open files are needed, 200 are allowed" \
    bash -c 'ulimit -n 200 && exec "$@"' - \
    "$VPUP" run -c 100 -q --console none --floor on --timeout 60 -a quiet --json "$json"

tap_done
