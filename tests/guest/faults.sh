#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Faults on purpose: the guest notices what went wrong, and every run ends with a verdict.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

why=$(no_kvm)
[ -z "$why" ] || skip_all "$why"

# faulty STATUS VERDICT EXPRESSION ARGS...: a run with this exit status and verdict, whose findings (by
# name: a list of VPs) and values (by name: that of the last) fulfil a Python expression.
faulty() {
    local status=$1 verdict=$2 want=$3
    shift 3
    rm -f "$tap_work/r.json"
    run "$VPUP" run -c 4 --json "$tap_work/r.json" "$@"
    printf 'exit status %s, wanted %s\n%s\n%s\n' "$rc" "$status" "$out" "$err"
    [ "$rc" = "$status" ] || return 1
    grep -qE "^verdict: ($verdict)" <<<"$out" || return 1
    python3 -c 'import json,sys; r=json.load(open(sys.argv[1]))["runs"][0]; vps={}; value={}
for f in r["findings"]: vps.setdefault(f["what"], []).append(f["vp"]); value[f["what"]] = f.get("value")
print(r["verdict"], r["findings"]); sys.exit(not (r["verdict"] in sys.argv[2].split("|") and eval(sys.argv[3])))' \
        "$tap_work/r.json" "${verdict%%:*}" "$want"
}

check "a SIPI that comes late is noticed" faulty 0 "noticed: .*vp-late VP 3" '3 in vps["vp-late"] and value["vp-late"] >= 300000' \
    --fault sipi-delay=300ms,vp=3 -a smp=serial
check "likewise for all, kicked at once" faulty 0 "ok|noticed" 'r["metrics"]["smp_bringup_ms"] >= 300' --fault sipi-delay=300ms
check "a VP whose SIPI is lost is missing" faulty 1 failed 'vps["vp-missing"] == [2]' --fault sipi-drop,vp=2 -a wait_ms=400
check "likewise one by one: what comes after is missing too" faulty 1 failed 'vps["vp-missing"] == [2, 3]' \
    --fault sipi-drop,vp=2 -a "smp=serial wait_ms=400"
check "no SIPI at all" faulty 1 failed 'vps["vp-missing"] == [1, 2, 3]' --fault sipi-drop -a wait_ms=400
check "a second SIPI makes up for a lost one" faulty 0 noticed 'vps["vp-late"] == [1] and value["vp-late"] >= 200000' \
    --fault sipi-drop,for=100ms,vp=1 -a smp=serial
check "an APIC ID twice in the tables and in CPUID" faulty 1 failed 'vps["apic-id-twice"] == [0] and vps["vp-unknown"] == [0]' \
    --fault same-apicid,vp=2
check "likewise in a device tree" faulty 1 failed 'vps["apic-id-twice"] == [1]' --fault same-apicid,vp=2,as=1,in=tables -a tables=fdt
check "an APIC ID twice in CPUID alone" faulty 1 failed 'vps["apic-id-differs"] == [2] and "apic-id-twice" not in vps' \
    --fault same-apicid,vp=2,as=1,in=cpuid
check "a guest that knows its clock needs no PIT" faulty 0 "ok|noticed" '"tsc-rate" not in vps and "tick-dead" not in vps' --fault no-pit
run "$VPUP" run --hv -frequencies --fault no-pit
check "one that knows no clock fails without a PIT, and says so" \
    bash -c '[ "$0" = 1 ] && grep -q "^verdict: failed" "$1" && grep -q "failed: no TSC frequency" "$1"' "$rc" "$tap_work/out"
check "a wrong TSC frequency" faulty 1 failed '8000 < value["tsc-rate"] < 12000' --fault tsc-freq-lie=1%
check "a wrong APIC timer frequency" faulty 1 failed '240000 < value["apic-timer-rate"] < 260000' --fault apic-timer-lie=25%
check "a timer before its message page: the message waits" faulty 0 noticed \
    'value["timer-message-late"] > 0 and "timer-message-lost" not in vps and "timer-dead" not in vps' --fault stimer-before-simp
check "two faults at once" faulty 1 failed '"vp-missing" in vps and "tsc-rate" in vps' --fault sipi-drop,vp=3 --fault tsc-freq-lie=-2% -a wait_ms=400
check "a guest that waits for ever is ended with a verdict" faulty 4 timeout 'True' --fault sipi-drop -a wait_ms=60000 --timeout 1
check "checks without a fault find none" faulty 0 "ok|noticed" 'not [f for f in r["findings"] if f["fatal"]]' --fault no-pit -c 16 -a synic=parallel
run "$VPUP" run -c 4 -a "smp=full checks=all" --noise steal:vps=0,duty=50%,period=1ms
check "VP_RUNTIME shows what was stolen" grep -q 'check: time-stolen, VP 0: [3-9][0-9]\{5\} ppm' "$tap_work/out"
run "$VPUP" run -c 4 --fault tsc-skew=100us,vp=2 --console none
if [ "$rc" = 3 ]; then
    check "a KVM that can't skew a TSC is named" grep -q "takes a TSC offset and ignores it" "$tap_work/err"
    skip "a TSC that is ahead" "this host's KVM runs all VPs on the host's TSC"
else
    check "a TSC that is ahead" faulty 1 failed 'vps["tsc-warp"] == [2] and 80000 < value["tsc-warp"] < 120000' --fault tsc-skew=100us,vp=2
    # Where the host's own TSC is unstable, KVM has a VP that is behind catch up.
    if grep -qw tsc /sys/devices/system/clocksource/clocksource0/available_clocksource; then
        check "a TSC that is behind" faulty 1 failed 'vps["tsc-warp"] == [1] and -1100000 < value["tsc-warp"] < -900000' \
            --fault tsc-skew=-1ms,vp=1
    else
        skip "a TSC that is behind" "this host's own TSC is unstable, so that KVM has VPs catch up"
    fi
fi
tap_done
