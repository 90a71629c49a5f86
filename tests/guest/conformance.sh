#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Hyper-V conformance: all that is offered works, all that is not is refused, and failure shows.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

why=$(no_kvm)
[ -z "$why" ] || skip_all "$why"

# conforms MIN ARGS...: exit status 0, at least MIN tests passed, none failed, and a plan that fits.
conforms() {
    local min=$1 n
    shift
    run "$VPUP" conformance "$@"
    grep -E "^not ok|^Bail|^# .*(got|wanted)" "$tap_work/out"
    cat "$tap_work/err"
    n=$(grep -cE "^ok .* - " "$tap_work/out")
    [ "$rc" = 0 ] || { echo "exit status $rc"; return 1; }
    [ "$n" -ge "$min" ] || { echo "only $n tests"; return 1; }
    [ "$(tail -n 1 "$tap_work/out")" = "1..$n" ] || { echo "wrong plan for $n tests"; return 1; }
    [ "$(head -n 1 "$tap_work/out")" = "TAP version 13" ]
}

check "what user mode offers" conforms 600
check "no name comes twice" test -z "$(grep '^ok' "$tap_work/out" | sed 's/^ok [0-9]* - //' | sort | uniq -d)"
check "lateness of timers is told" grep -qE "^# lateness: direct: median [0-9.]+ us late, p99" "$tap_work/out"
check "everything that user mode has" conforms 700 \
    --hv +ipi,+partition-id,+tsc-invariant,spinlocks=4096
check "nothing of it was skipped but TLB flush" \
    test "$(grep -v '^ok .* - flush: ' "$tap_work/out" | grep -c 'SKIP not offered')" = 0
check "one VP" conforms 300 -c 1
check "nine VPs" conforms 10 -c 9 start-vp cpuid

# Each feature off: what belongs to it must be gone, and the rest must not mind.
check "without SynIC and timers" conforms 200 --hv -synic,-stimer,-stimer-direct,-sint-polling
check "without timers" conforms 200 --hv -stimer,-stimer-direct
check "without direct timers and XMM input" conforms 300 --hv -stimer-direct,-xmm-input,+ipi
check "without reference time" conforms 200 --hv -time,-stimer,-stimer-direct
check "without calls of its own" conforms 300 --hv -start-vp,-vp-registers,-ext-calls
check "without small things" conforms 300 \
    --hv -crash,-reset,-frequencies,-runtime,-reenlightenment,-relaxed,-sint-polling

# Failure: seen, told, and in the exit status.
run "$VPUP" conformance --hv none
check "no VP index, so no Hyper-V: exit status 1" test "$rc" = 1
check "that is a test that failed" grep -q "^not ok 1 - interface: " "$tap_work/out"
check "and the plan ends there" grep -qx "1..1" "$tap_work/out"
run "$VPUP" run --hyperv off -a "test=all quiet"
check "no Hyper-V at all: the guest reports failure" test "$rc" = 1
check "and says on its console what failed" grep -q "not ok 1 - interface: " "$tap_work/out"
run "$VPUP" run -a "test=frob quiet"
check "a test that does not exist: the guest refuses it" \
    grep -q "failed: test=frob: it must be all, or a list of start-vp cpuid" "$tap_work/out"
run "$VPUP" conformance --timeout 0.8 cpuid time
check "timeout: exit status 4" test "$rc" = 4
check "timeout: what was found is kept" grep -q "^ok 1 - interface: " "$tap_work/out"
check "timeout: the end is told" grep -q "^Bail out! the guest did not end within 0.8 s" "$tap_work/out"

run "$VPUP" conformance --json "$tap_work/r.json" cpuid small-calls
check "JSON beside TAP" test "$rc" = 0 -a -n "$out"
check "JSON holds what TAP says" python3 - "$tap_work/r.json" "$tap_work/out" <<'PY'
import json, re, sys
r = json.load(open(sys.argv[1]))
lines = [l for l in open(sys.argv[2]) if re.match(r"(not )?ok ", l)]
assert r["schema"] == "vpup.conformance/1" and r["hyperv"] == "user" and r["complete"] is True
assert r["tool"]["name"] == "vpup" and r["host"]["kernel"]
assert len(r["tests"]) == len(lines) == r["passed"] + r["failed"] + r["skipped"]
assert r["failed"] == 0 and r["skipped"] == sum("skipped" in t for t in r["tests"]) > 0
for t, l in zip(r["tests"], lines):
    assert " - " + t["name"] in l and t["ok"], l
PY
run "$VPUP" conformance --json - cpuid
check "JSON on stdout is all there is" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$tap_work/out"
run "$VPUP" conformance --json "$tap_work/f.json" --hv none
check "JSON of a failed run" grep -q '"failed": 1' "$tap_work/f.json"

# KVM's own Hyper-V, on hosts that have it: what differs is known, and docs/hyperv.md says why.
run "$VPUP" conformance --diff --json "$tap_work/d.json"
if [ "$rc" = 3 ]; then
    check "--diff without KVM's Hyper-V: one line says so, and no result is left" \
        test "$(wc -l <"$tap_work/err")" = 1 -a -z "$out" -a ! -e "$tap_work/d.json"
    refused "--hyperv kernel without KVM's Hyper-V" 3 "this host's KVM lacks KVM_CAP_HYPERV" \
        "$VPUP" conformance --hyperv kernel
    skip "--diff: only known differences" "this KVM has no Hyper-V"
else
    check "--diff: the run ends" test "$rc" = 1
    grep '^not ok' "$tap_work/out" | sed 's/^not ok [0-9]* - //' |
        grep -vE "^cpuid: leaf [6-9a]|^(msr: VP_ASSIST|assist: )|^overlay: (SIMP|SIEFP): a page beyond" |
        grep -vE "^overlay: (REFERENCE_TSC|HYPERCALL): (moved away|disabled), RAM is back" |
        grep -vE "^message: (SCONTROL off: no interrupt|SIMP on again)" >"$tap_work/new"
    check "--diff: only known differences" diff /dev/null "$tap_work/new"
    check "--diff: JSON counts the same" grep -q '"differ": '"$(grep -c '^not ok' "$tap_work/out")" "$tap_work/d.json"
fi

"$VPUP" conformance >"$tap_work/out" & pid=$!
sleep 0.3
kill -TERM $pid
rc=0; wait $pid || rc=$?
check "SIGTERM ends it" test "$rc" = 143
check "and leaves no guest running" bash -c '! pgrep -P '"$pid"
tap_done
