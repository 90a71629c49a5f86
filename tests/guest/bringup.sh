#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The bundled guest under vpup: every VP comes online, in every mode, and tells the truth about it.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

why=$(no_kvm)
[ -z "$why" ] || skip_all "$why"

# online N NODES ARGS...: a run that ends well and whose console says that N VPs on NODES are there.
online() {
    local n=$1 nodes=$2 want
    shift 2
    want="smp: Brought up $nodes node$([ "$nodes" = 1 ] || echo s), $n CPU$([ "$n" = 1 ] || echo s)"
    "$VPUP" run -c "$n" --timeout 60 "$@" >"$tap_work/console" 2>&1 || return 1
    grep -q "$want\$" <(tr -d '\r' <"$tap_work/console") || { cat "$tap_work/console"; return 1; }
}

# value FILE EXPRESSION: looks a number up in a result file.
value() { python3 -c 'import json,sys; r=json.load(open(sys.argv[1]))["runs"][0]; print(eval(sys.argv[2]))' "$@"; }

times() { local n=$1; shift; for _ in $(seq "$n"); do "$@" || return 1; done; }

limit=$("$VPUP" doctor | awk '/ VPs / { print $5 }')
for n in 1 2 16 64; do
    check "$n VPs come online, 3 times in a row" times 3 online "$n" 1
done
for n in 255 256 512 1024; do
    if [ "$n" -le "$limit" ]; then
        check "$n VPs come online" online "$n" 1
    else
        skip "$n VPs come online" "this host's KVM takes at most $limit"
    fi
done
for smp in serial kick init full hvcall; do
    check "smp=$smp" online 8 1 -a "smp=$smp"
done
refused_by_guest() { "$VPUP" run -c 2 "${@:2}" >"$tap_work/console" 2>&1; [ $? = 1 ] && grep -q "failed: $1" "$tap_work/console"; }
check "smp=hvcall without Hyper-V" refused_by_guest "smp=hvcall: the hypervisor is not Hyper-V" --hyperv off -a smp=hvcall
check "synic without Hyper-V" refused_by_guest "synic: the hypervisor has none" --hyperv off -a synic=serial
check "an lpj that is neither word nor number" refused_by_guest \
    "lpj=12x: it must be one of calibrate fine known preset, or a number from 1 to 4294967295" -a lpj=12x
check "an lpj of 0" refused_by_guest "lpj=0: it must be" -a lpj=0
check "a stand-in cost that is too large" refused_by_guest "ucode_us=10000001: it must be a number from 0 to 10000000" \
    -a ucode_us=10000001
check "quiet" online 4 1 -a "quiet"
check "2 sockets, 2 cores, 2 threads, 2 nodes" online 8 2 -c 8,sockets=2,cores=2,threads=2 --numa 2
check "sparse APIC IDs" online 9 1 -c 9,sockets=3,cores=3
check "without Hyper-V" online 4 1 --hyperv off
if "$VPUP" doctor | grep -q "^ok    Hyper-V .*--hyperv kernel"; then
    check "with KVM's own Hyper-V" online 4 1 --hyperv kernel
else
    skip "with KVM's own Hyper-V" "this host's KVM has none"
fi
check "without an invariant TSC" online 4 1 --invtsc off
for hz in 100 250 300 1000; do
    check "hz=$hz" online 2 1 -a "hz=$hz"
done

"$VPUP" run -c 12,sockets=3,cores=2,threads=2 --numa 3 --json "$tap_work/acpi.json" --console none
"$VPUP" run -c 12,sockets=3,cores=2,threads=2 --numa 3 --json "$tap_work/fdt.json" --console none -a tables=fdt
places='[(v["vp"], v["apic_id"], v["node"]) for v in r["vps"]]'
places() { python3 -c "import json,sys; r=json.load(open(sys.argv[1]))['runs'][0]; print($places)" "$1"; }
check "ACPI and device tree show the same VPs and nodes" \
    test "$(places "$tap_work/acpi.json")" = "$(places "$tap_work/fdt.json")"
check "nodes are 0, 1, 2 with 4 VPs each" \
    test "$(value "$tap_work/fdt.json" '[v["node"] for v in r["vps"]]')" = "[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]"

"$VPUP" run -c 16 -a "lpj=preset" --json "$tap_work/preset.json" --console none
check "preset lpj is exact" test "$(value "$tap_work/preset.json" 'r["metrics"]["lpj_error_ppm"]')" = 0
check "RSS without guest RAM is at most 6 MiB at 1 VP" bash -c '
    "$VPUP" run --json "$1" --console none &&
    kib=$(python3 -c "import json,sys; print(json.load(open(sys.argv[1]))[\"runs\"][0][\"metrics\"][\"rss_kib\"])" "$1") &&
    echo "$kib KiB" && [ "${kib%.*}" -le 6144 ]' - "$tap_work/rss.json"
# A busy host spoils a calibration, which is what the bundled guest is there to show; so one good run
# in five is enough to tell that it measures the right thing.
calibrates() {
    for _ in 1 2 3 4 5; do
        "$VPUP" run -c 4 -a "smp=serial lpj=calibrate" --json "$tap_work/cal.json" --console none
        python3 -c 'import json,sys; r=json.load(open(sys.argv[1])); v=r["runs"][0]["vps"]
ref=r["host"]["tsc_khz"]*1000//250; good=[x for x in v if abs(x["lpj"]-ref)<ref*0.05]; print(v, ref); sys.exit(len(good)<3)' "$tap_work/cal.json" && return 0
    done
    return 1
}
check "calibration on the tick is within 5 % on most VPs" calibrates
check "calibration takes at least 5 x 3 ticks a VP" \
    python3 -c 'import json,sys; r=json.load(open(sys.argv[1]))["runs"][0]; sys.exit(r["metrics"]["smp_bringup_ms"] < 3*5*3*4)' "$tap_work/cal.json"

"$VPUP" run -c 4 --timeline "$tap_work/t.json" --console none
check "timeline has a track per VP" \
    python3 -c 'import json,sys; t=json.load(open(sys.argv[1]))["traceEvents"]; n=[e["args"]["name"] for e in t if e["ph"]=="M" and e["name"]=="thread_name"]; print(n); sys.exit(sum("VP" in x for x in n) < 4)' "$tap_work/t.json"
run "$VPUP" run -c 2 --counters
check "counters name what was used" grep -q "^port  exit port  *0  *1$" "$tap_work/out"
check "counters name the Hyper-V MSRs" grep -q "^hv .*VP_INDEX" "$tap_work/out"
tap_done
