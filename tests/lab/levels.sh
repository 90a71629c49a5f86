#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What takes the lab longer: a Linux as L2, KVM's own Hyper-V, and the bundled guest as L3.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/lib.sh"

cd "$tap_work" || exit
# told NAME WANTED-STATUS: passes if $rc is that; what was said is shown otherwise.
told() {
    check "$1" test "$rc" = "$2"
    [ "$rc" = "$2" ] || tail -n 15 "$tap_work/err" | sed 's/^/# /'
}

run "$VPUP" lab --timeout 240 -- run -c 2 -m 512M -k lab:6.1 --exec true
told "Linux 6.1 as L2 runs true" 0

run "$VPUP" lab --timeout 240 -- conformance --hyperv kernel
told "conformance of KVM's own Hyper-V: it ends by itself" "$((rc == 1))"
check "conformance: a plan, and as many tests" test "$(grep -cE '^(not )?ok ' "$tap_work/out")" = \
    "$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$tap_work/out")"

run "$VPUP" lab --timeout 240 --depth 2 -- run -c 2 --json l3.json
told "the bundled guest as L3" 0
check "L3: all VPs are online" grep -q "Brought up 1 node, 2 CPUs" "$tap_work/out"
check "L3: its result came through two levels" in_json l3.json \
    "d['runs'][0]['params']['cpus'] == 2 and d['host']['hypervisor'] == 'Microsoft Hv'"
tap_done
