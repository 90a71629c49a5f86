#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# measure=exits: every kind of exit is timed, and the MSR path is not far from a bare KVM_RUN loop.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

why=$(no_kvm)
[ -z "$why" ] || skip_all "$why"

json=$tap_work/exits.json
# metric EXPRESSION: true of the metrics m of the only run.
metric() { python3 -c 'import json,sys; m=json.load(open(sys.argv[1]))["runs"][0]["metrics"]; sys.exit(not eval(sys.argv[2]))' "$json" "$1"; }

check "a run with measure=exits" "$VPUP" run -c 2 -q --timeout 60 -a "quiet measure=exits" --json "$json"
for kind in bare_msr msr_read msr_write port_out debugcon_out hypercall hypercall_unknown; do
    check "it has cost.${kind}_us" metric "m['cost.${kind}_us'] > 0"
done
# 6 kinds, 32 batches of 64 operations.
check "as many exits as operations" metric "m['exits'] >= 6 * 32 * 64"
# The target is 1.1; a neighbour may disturb one of the two loops.
check "an MSR exit is not far from a bare one" metric "0.5 < m['cost.msr_over_bare'] < 2"

check "a run without Hyper-V" "$VPUP" run -c 1 -q --hyperv off --timeout 60 -a "quiet measure=exits" --json "$json"
check "it times ports only" metric "'cost.port_out_us' in m and 'cost.msr_read_us' not in m"
check "a run without measure=" "$VPUP" run -c 1 -q --timeout 60 -a quiet --json "$json"
check "it has no costs" metric "not any(k.startswith('cost.') for k in m)"

tap_done
