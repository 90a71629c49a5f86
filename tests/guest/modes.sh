#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The bundled guest's modes: what each way of bringing VPs up does, who measures lpj, SynICs,
# stand-in costs, and what is said of VPs that do not come.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

why=$(no_kvm)
[ -z "$why" ] || skip_all "$why"

# guest NAME CPUS APPEND ARGS...: a run whose result is NAME.
guest() {
    local name=$1 cpus=$2 append=$3
    shift 3
    "$VPUP" run -c "$cpus" -a "quiet $append" --console none --timeout 60 --json "$tap_work/$name" "$@" >/dev/null
}

# is NAME EXPRESSION: of the result's run r, its metrics m, params p and VPs v.
is() {
    python3 - "$tap_work/$1" "$2" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))["runs"][0]
m, p, v = r["metrics"], r["params"], r["vps"]
g = [x["guest_ms"] for x in v]
def went(mark): return sum(mark in x for x in g)
def told(*names): return {n: m.get(n) for n in names}
ok = eval(f"({sys.argv[2]})")
if not ok: print(sys.argv[2], json.dumps(m, indent=1), g)
sys.exit(not ok)
PY
}

for n in 1 2 16; do
    for synic in serial parallel; do
        guest s "$n" "synic=$synic"
        check "$n VPs, synic=$synic: each VP sets up its own" is s \
            "p['synic'] == '$synic' and went('synic_end') == $n and 0 < m['synic_vp_us'] / 1000 < m['synic_init_ms']"
    done
done
guest s 16 "synic=serial"
check "synic=serial: one VP at a time" is s "all(a['synic_end'] <= b['synic'] for a, b in zip(g, g[1:]))"
"$VPUP" run -c 3 -a "synic=parallel quiet" --console none --counters >"$tap_work/counters" 2>&1
check "SynIC and timer are what is set up" bash -c '
    grep -qE "^hv +SIMP +3 +3$" "$1" && grep -qE "^hv +SINT0-15 +3 +3$" "$1" && grep -qE "^hv +STIMER0-3_COUNT +0 +6$" "$1" ||
        { cat "$1"; exit 1; }' - "$tap_work/counters"
check "1024 open files are enough for every VP's timer" bash -c '
    ulimit -Sn 1024; n=$("$VPUP" doctor | awk "/ VPs / { print \$5 }"); [ "$n" -le 1024 ] || n=1024
    "$VPUP" run -c "$n" -a "synic=parallel quiet" --console none --timeout 60'

# Stages, in the order in which each mode lets a VP pass them.
guest m 6 "smp=serial"
check "smp=serial: a VP is kicked when the one before is online" is m \
    "all(a['online'] <= b['kick'] for a, b in zip(g[1:], g[2:])) and not went('wait')"
guest m 6 "smp=kick"
check "smp=kick: all are kicked first, and wait at their entry" is m \
    "max(x['kick'] for x in g[1:]) <= min(x['released'] for x in g[1:]) and
     all(x['start'] <= x['wait'] <= x['released'] <= x['init'] for x in g[1:]) and went('wait') == 5"
check "smp=kick: the rest is serial" is m "all(a['online'] <= b['released'] for a, b in zip(g[1:], g[2:]))"
guest m 6 "smp=init"
check "smp=init: all are kicked first, and wait once initialised" is m \
    "max(x['kick'] for x in g[1:]) <= min(x['released'] for x in g[1:]) and
     all(x['init'] <= x['wait'] <= x['released'] <= x['calibrate'] for x in g[1:]) and went('wait') == 5"
check "smp=init: the rest is serial" is m "all(a['online'] <= b['released'] for a, b in zip(g[1:], g[2:]))"
guest m 6 "smp=full"
check "smp=full: one kick for all" is m "len({x['kick'] for x in g[1:]}) == 1 and not went('wait')"
guest m 6 "smp=hvcall"
check "smp=hvcall: VPs start without INIT and SIPI" is m \
    "p['smp'] == 'hvcall' and went('online') == 6 and all(a['kick'] < b['kick'] for a, b in zip(g[1:], g[2:]))"
"$VPUP" run -c 6 -a "smp=hvcall quiet" --console none --counters >"$tap_work/counters" 2>&1
check "smp=hvcall: one hypercall a VP, and one for all indices" bash -c '
    grep -qE "^call +StartVirtualProcessor +5 +0 failed" "$1" && grep -qE "^call +GetVpIndexFromApicId +1 +0 failed" "$1" ||
        { cat "$1"; exit 1; }' - "$tap_work/counters"

# lpj, with short ticks.
guest l 8 "lpj=known hz=1000 smp=serial" --numa 4
check "lpj=known: one calibration for each further package" is l \
    "p['lpj'] == 'known' and m['calibrations'] == 3 and
     all(x['package'] == x['vp'] // 2 * 2 and x['lpj'] == v[x['package']]['lpj'] for x in v)"
guest l 8 "lpj=known hz=1000 smp=full" --numa 4
check "lpj=known smp=full: likewise" is l \
    "m['calibrations'] == 3 and all(x['lpj'] == v[x['package']]['lpj'] for x in v)"
guest l 3 "lpj=known hz=1000 smp=full" --invtsc off
check "lpj=known without an invariant TSC: all but the boot VP measure" is l "m['calibrations'] == 2"
guest l 8 "lpj=known smp=serial"
check "lpj=known in one package: nobody measures" is l "m['calibrations'] == 0 and m['lpj_error_ppm'] == 0"
guest l 3 "lpj=12345"
check "lpj=N: all VPs have it, and the error says how wrong it is" is l \
    "p['lpj'] == '12345' and m['lpj_min'] == m['lpj_max'] == 12345 and m['lpj_error_ppm'] > 990000"

# Stand-in costs on 2 sockets of 2 cores of 2 threads: the boot VP's core is done, 3 cores pay.
costs="ucode_us=20000 identify_us=2000 tscsync_us=30000 online_us=3000"
for smp in serial kick init full hvcall; do
    guest "c.$smp" 8,sockets=2,cores=2,threads=2 "smp=$smp $costs"
    check "smp=$smp: who pays for what" is "c.$smp" \
        "r['modelled'] and p['ucode_us'] == 20000 and
         [x['vp'] for x in v if 'ucode' in x['guest_ms']] == [2, 4, 6] and
         [x['vp'] for x in v if 'tscsync' in x['guest_ms']] == [4] and
         went('identify_end') == went('online_work_end') == 7 and
         m['stage.ucode_sum_ms'] >= 60 and m['stage.tscsync_sum_ms'] >= 30 and
         m['stage.identify_sum_ms'] >= 14 and m['stage.online_work_sum_ms'] >= 21"
done
for smp in serial kick; do
    check "smp=$smp: nobody waits for a sibling" is "c.$smp" "not went('sibling') and m['smp_bringup_ms'] >= 125"
done
for smp in init full hvcall; do
    check "smp=$smp: siblings wait while microcode is loaded on all cores at once" is "c.$smp" \
        "[x['vp'] for x in v if 'sibling_end' in x['guest_ms']] == [3, 5, 7] and
         all(x['guest_ms']['sibling_end'] >= v[x['core']]['guest_ms']['ucode_end'] for x in v if x['vp'] in (3, 5, 7)) and
         m['stage.ucode_ms'] < m['stage.ucode_sum_ms'] * 0.8"
done
check "smp=init is faster than serial, and full than init" \
    python3 -c 'import json, sys; t = [json.load(open(f))["runs"][0]["metrics"]["smp_bringup_ms"] for f in sys.argv[1:]]; print(t); sys.exit(not t[0] > t[1] > t[2])' \
    "$tap_work/c.serial" "$tap_work/c.init" "$tap_work/c.full"
"$VPUP" run -c 2 -a "online_us=1" >"$tap_work/console" 2>&1
check "modelled costs are said to be modelled" test "$(grep -c "modelled costs" "$tap_work/console")" = 2

# A device tree that names a VP which is not there: said, whatever the mode, and no hang.
missing() {
    "$VPUP" run -c 3 -i "$tap_work/dtb" -a "tables=fdt wait_ms=300 $1" --timeout 20 >"$tap_work/console" 2>&1
    [ $? = 1 ] && grep -qF "$2" "$tap_work/console" || { cat "$tap_work/console"; return 1; }
}
"$VPUP" run -c 4 --dump-only --dump-dtb "$tap_work/dtb"
for smp in serial kick init full; do
    check "smp=$smp: a VP that does not come" missing "smp=$smp" \
        "smp: 1 of 4 CPUs did not come online, APIC ID 3 (no sign)"
done
# VP 2 is the first thread of its core, and the first VP of its package.
lost() {
    "$VPUP" run -c "4,$1" --fault sipi-drop,vp=2 -a "wait_ms=300 $2" --timeout 20 >"$tap_work/console" 2>&1
    [ $? = 1 ] && grep -qF "smp: 2 of 4 CPUs did not come online, APIC ID 2 (no sign) $3" "$tap_work/console" ||
        { cat "$tap_work/console"; return 1; }
}
check "a VP waits in vain for its sibling's microcode" lost sockets=1,cores=2,threads=2 "ucode_us=1000" \
    "3 (waits for its sibling)"
check "a VP waits in vain for its package's lpj" lost sockets=2,cores=2 "lpj=known hz=1000" "3 (calibrating)"

# Nodes from a tree, cores and packages from CPUID: they agree, or somebody is wrong.
topology() {
    "$VPUP" run -c "4,$1" -i "$tap_work/dtb" -a "tables=fdt lpj=known" >"$tap_work/console" 2>&1 || return 1
    [ "$(grep -c "topology: CPUID's packages contradict the nodes of the tables" "$tap_work/console")" = "$2" ] ||
        { cat "$tap_work/console"; return 1; }
}
"$VPUP" run -c 4 --numa 2 --dump-only --dump-dtb "$tap_work/dtb"
check "two nodes, a package each" topology sockets=2,cores=2 0
check "two nodes in one package" topology sockets=1,cores=4 0
check "two packages in each node" topology sockets=4,cores=1 0
"$VPUP" run -c 4 --numa 4 --dump-only --dump-dtb "$tap_work/dtb"
check "a core's threads in two nodes are a contradiction" topology sockets=2,cores=1,threads=2 1
"$VPUP" run -c 4 --dump-only --dump-dtb "$tap_work/dtb"
check "smp=hvcall: a VP that does not exist" missing "smp=hvcall" "failed: smp=hvcall: VP indices of APIC IDs:"
tap_done
