#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Guests that take the lab longer: a stock Linux as L2, and the bundled guest as L3.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/lib.sh"

# timeline_of PROCESS...: all.json is on one clock, has these, and each begins within the one around it.
timeline_of() {
    python3 - "$@" <<'E2'
import json, sys
d = json.load(open("all.json"))
pid = {e["args"]["name"]: e["pid"] for e in d["traceEvents"] if e["name"] == "process_name"}
first = [min(e["ts"] for e in d["traceEvents"] if e["pid"] == pid[p] and "ts" in e) for p in sys.argv[1:]]
print(d["otherData"], first)
sys.exit(not (d["otherData"]["one_clock"] and d["otherData"]["L1"]["one_clock"] and first == sorted(first)))
E2
}

cd "$tap_work" || exit
lab --timeout 120 -- run -c 2 -m 512M -k lab:6.1 --exec true
told "Linux 6.1 as L2 runs true" 0

lab --timeout 140 --depth 2 --timeline all.json -- run -c 2 --json l3.json
told "the bundled guest as L3" 0
check "L3: all VPs are online" grep -q "Brought up 1 node, 2 CPUs" out
check "L3: its result came through two levels" in_json l3.json \
    "d['runs'][0]['params']['cpus'] == 2 and d['host']['hypervisor'] == 'Microsoft Hv'"
check "L3: one timeline of three levels" timeline_of "lab" "L1 lab" "L2 vpup" "L2 VPs"
tap_done
