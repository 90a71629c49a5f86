#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Guests that take the lab longer: a stock Linux as L2, and the bundled guest as L3.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/lib.sh"

cd "$tap_work" || exit
lab --timeout 120 -- run -c 2 -m 512M -k lab:6.1 --exec true
told "Linux 6.1 as L2 runs true" 0

lab --timeout 140 --depth 2 -- run -c 2 --json l3.json
told "the bundled guest as L3" 0
check "L3: all VPs are online" grep -q "Brought up 1 node, 2 CPUs" out
check "L3: its result came through two levels" in_json l3.json \
    "d['runs'][0]['params']['cpus'] == 2 and d['host']['hypervisor'] == 'Microsoft Hv'"
tap_done
