#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Noise on purpose: what is stolen follows the schedule, is told, and spoils a calibration but no preset.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

why=$(no_kvm)
[ -z "$why" ] || skip_all "$why"

# is FILE EXPRESSION: a Python expression over a result's run r that must be true.
is() {
    python3 -c 'import json,sys; r=json.load(open(sys.argv[1]))["runs"][0]; m=r["metrics"]; v=r["vps"]
print(r["params"], m, v); sys.exit(not eval(sys.argv[2]))' "$@"
}

# guest RESULT ARGS...: a quiet run with a result.
guest() { "$VPUP" run --console none --timeout 60 -q --json "$tap_work/$1" "${@:2}"; }

check "calibrating VPs run under steal" guest steal.json -c 16 -a "smp=serial lpj=calibrate" \
    --noise steal:vps=1-15,duty=30%,period=10ms,seed=7 --timeline "$tap_work/steal.trace"
check "noise is among the params" is "$tap_work/steal.json" \
    'r["params"]["noise"] == "steal:vps=1-15,duty=30%,period=10ms,seed=7"'
check "every VP that was up long enough lost time, the boot VP none" is "$tap_work/steal.json" \
    'v[0]["steals"] == 0 and v[0]["stolen_ms"] == 0 and all(x["stolen_ms"] > 0 for x in v[1:12])'
check "more was up longer: planned time falls from VP 1 to VP 15" is "$tap_work/steal.json" \
    'v[1]["stolen_planned_ms"] > v[8]["stolen_planned_ms"] > v[15]["stolen_planned_ms"]'
check "the metric is the sum over the VPs" is "$tap_work/steal.json" \
    'abs(m["stolen_ms"] - sum(x["stolen_ms"] for x in v)) < 1e-6 * m["stolen_ms"]'
# A busy host may delay a VP's thread until its interval is over; it can't begin one early.
cat >"$tap_work/schedule.py" <<'PY'
import json, sys
trace = json.load(open(sys.argv[1]))
start = trace["otherData"]["steal_start_us"]
plan = {}
for line in open(sys.argv[2]).read().splitlines()[1:]:
    vp, _, begin, length = map(int, line.split())
    plan.setdefault(vp, []).append((begin / 1000, (begin + length) / 1000))
spans = [e for e in trace["traceEvents"] if e["ph"] == "X" and e["name"] == "stolen"]
in_plan = early = late = 0
for e in spans:
    begin = e["ts"] - start
    if begin > 990000:
        continue
    mine = plan[e["tid"] - 1]
    hit = [p for p in mine if p[0] - 30 <= begin <= p[1]]
    in_plan += bool(hit)
    late += not hit
print(len(spans), "spans:", in_plan, "in the plan,", late, "not")
sys.exit(not (in_plan > 100 and in_plan > 2 * late)) # by chance it would be 3 in 10
PY
"$VPUP" run -c 16 --noise steal:vps=1-15,duty=30%,period=10ms,seed=7,list >"$tap_work/plan"
check "what was stolen is what the schedule says" python3 "$tap_work/schedule.py" "$tap_work/steal.trace" "$tap_work/plan"
worst() {
    for _ in 1 2 3; do
        guest worst.json -c 16 -a "smp=serial lpj=calibrate" --noise steal || return 1
        is "$tap_work/worst.json" 'm["lpj_error_ppm"] >= 10000' && return
    done
    return 1
}
check "steal spoils a calibration by 10000 ppm or more" worst
check "a preset run under the same noise" guest preset.json -c 16 -a "smp=serial lpj=preset" --noise steal
check "steal leaves a preset as it is" is "$tap_work/preset.json" 'm["lpj_error_ppm"] == 0'

check "steal without Hyper-V" guest off.json -c 2 -a "smp=serial lpj=calibrate" --hyperv off --noise steal:period=1ms
check "it steals" is "$tap_work/off.json" 'v[0]["stolen_ms"] > 0 and v[1]["stolen_ms"] > 0'

check "burners" guest burn.json -c 4 -a "smp=serial lpj=calibrate" --noise burn:threads=2
check "burners burn" is "$tap_work/burn.json" 'm["neighbour_cpu_ms"] > 50 and "stolen_ms" not in m'
check "neighbour VMs" guest vm.json -c 4 -a "smp=serial lpj=calibrate" --noise vm:count=2,cpus=2
check "neighbour VMs run" is "$tap_work/vm.json" 'm["neighbour_cpu_ms"] > 50'
check "all kinds at once, two schedules" guest all.json -c 4 -a "lpj=calibrate" --noise steal:vps=0,period=1ms \
    --noise steal:duty=10%,seed=2 --noise burn --noise vm
check "both were at work" is "$tap_work/all.json" 'v[0]["steals"] > v[1]["steals"] > 0 and m["neighbour_cpu_ms"] > 0'
check "noise none is no noise" guest none.json --noise none
check "without noise nothing is told of it" is "$tap_work/none.json" \
    'r["params"]["noise"] == "none" and "stolen_ms" not in m and "stolen_ms" not in v[0] and "neighbour_cpu_ms" not in m'

# A guest that waits for a VP that never comes: long enough to look at the threads.
cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
allowed() { cat /proc/"$1"/task/*/status 2>/dev/null | awk -v c="$cpu" '$1 == "Cpus_allowed_list:" && $2 == c { n++ } END { print n + 0 }'; }
"$VPUP" run -c 16 --console none -q -a "smp=serial lpj=calibrate hz=100" --pin "$cpu" --noise vm:count=1,cpus=2 &
pid=$!
for _ in $(seq 50); do
    n=$(allowed $pid)
    [ "$n" -ge 18 ] && break
    sleep 0.02
done
# KVM may add a thread of its own to a VM, which runs where the VP does that was first.
check "16 VPs and 2 of a neighbour run on the CPU that is given" test "$n" -ge 18
check "neighbours are no processes of their own" test -z "$(cat /proc/$pid/task/*/children)"
kill -9 $pid
wait $pid 2>/dev/null
tap_done
