#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `vpup bench` and `vpup decode`: bad input, then whole measurements, their files and early ends.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

widest() { awk '{ if (length > m) m = length } END { print m + 0 }' "$1"; }

run "$VPUP" bench --help
check "bench --help exits 0 and lists the scenarios" grep -q '^  lpj ' "$tap_work/out"
check "... the exits scenario too" grep -q '^  exits ' "$tap_work/out"
check "bench --help fits 100 columns" test "$(widest "$tap_work/out")" -le 100
run "$VPUP" decode --help
check "decode --help exits 0" test "$rc" = 0 -a -n "$out"

run "$VPUP" bench --list
check "bench --list names the scenarios" grep -q '^  lpj  *bring-up time' "$tap_work/out"
check "... and exits 0" test "$rc" = 0 -a -z "$err"
run "$VPUP" bench --show lpj
cp "$tap_work/out" "$tap_work/mine.scenario"
check "bench --show prints a scenario's file" cmp "$tap_work/out" "$(dirname "$0")/../../bench/scenarios/lpj.scenario"
refused "bench --show of nothing known" 2 "no scenario 'ljp'; did you mean 'lpj'" "$VPUP" bench --show ljp
refused "bench --show of a file" 2 "mine.scenario' is not one of vpup's own scenarios" \
    "$VPUP" bench --show "$tap_work/mine.scenario"

refused "bench without a scenario" 2 "^vpup bench: no scenario given; possible are: lpj, numa-lpj" "$VPUP" bench
refused "unknown scenario" 2 "no scenario 'frobnicate'; possible are: lpj, numa-lpj" "$VPUP" bench frobnicate
refused "unknown scenario with a suggestion" 2 "no scenario 'ljp'; did you mean 'lpj'" "$VPUP" bench ljp
refused "two scenarios" 2 "unexpected argument 'numa'" "$VPUP" bench lpj numa
refused "unknown option with a suggestion" 2 "did you mean '--repeat'" "$VPUP" bench lpj --repaet 3
refused "option without its argument" 2 "'--repeat' needs an argument" "$VPUP" bench lpj --repeat

for list in 0 "" "," "1," ,1 1,,2 4-2 1- -3 1-2-3 x 1.5 "1 2" 65536 1-65536 99999999999999999999; do
    refused "-c '$list'" 2 "^vpup bench: cpus: '.*' is no number or range from 1 to 65535" \
        "$VPUP" bench lpj "--cpus=$list"
done
refused "-c with a value twice" 2 "cpus: '2' is given twice" "$VPUP" bench lpj -c 2,1-3
refused "-c and --set cpus" 2 "'cpus' is set twice" "$VPUP" bench lpj -c 2 --set cpus=4
for n in 0 -1 x "" 1.5 1001; do
    refused "--repeat '$n'" 2 "--repeat: '$n' is not a whole number from 1 to 1000" \
        "$VPUP" bench lpj --repeat "$n"
done
for sec in 0 -1 x "" inf; do
    refused "--timeout '$sec'" 2 "--timeout: '$sec' is not a number" "$VPUP" bench lpj --timeout "$sec"
done
refused "--set without a value" 2 "--set: 'lpj' is not KEY=VALUE" "$VPUP" bench lpj --set lpj
refused "--set without a key" 2 "is not KEY=VALUE" "$VPUP" bench lpj --set =fine
refused "unknown dimension" 2 "can't vary 'weather'; possible are cpus, sockets, cores" \
    "$VPUP" bench lpj --set weather=red
refused "unknown dimension with a suggestion" 2 "did you mean 'smp'" "$VPUP" bench lpj --set snp=full
refused "unknown value" 2 "lpj: 'presets' is not one of calibrate, fine, known, preset" \
    "$VPUP" bench lpj --set lpj=fine,presets
refused "unknown number" 2 "hz: '42' is not one of 100, 250, 300, 1000" "$VPUP" bench lpj --set hz=42
refused "matrix too large" 2 "3000 cells, 5 times each, are more than 10000 runs" \
    "$VPUP" bench lpj -c 1-1000

# --- scenario files -------------------------------------------------------------------------------

refused "a scenario file that is not there" 2 "can't read '/nonexistent.scenario': No such file" \
    "$VPUP" bench /nonexistent.scenario
refused "a scenario file that is a directory" 2 "'/tmp/' is a directory" "$VPUP" bench /tmp/
refused "a scenario file that is something else" 2 "has [0-9]* bytes; at most 65536 fit" "$VPUP" bench "$VPUP"
sed 's/^summary/sumary/' "$tap_work/mine.scenario" >"$tap_work/bad.scenario"
refused "an unknown key, with its place" 2 "bad.scenario:2: unknown key 'sumary'; did you mean 'summary'" \
    "$VPUP" bench "$tap_work/bad.scenario"
sed 's/^cpus .*/cpus = 4-2/' "$tap_work/mine.scenario" >"$tap_work/bad.scenario"
refused "an empty range" 2 "bad.scenario:9: cpus: '4-2' is no number or range" "$VPUP" bench "$tap_work/bad.scenario"
sed 's/^cpus .*/cpus = 1-1000/; s/^hz .*/nodes = 1-1000/' "$tap_work/mine.scenario" >"$tap_work/bad.scenario"
refused "a matrix of 3 million cells" 2 "^vpup bench: 3000000 cells, 5 times each, are more than 10000 runs" \
    "$VPUP" bench "$tap_work/bad.scenario"
sed 's/^skip .*/skip = cpus > 1/' "$tap_work/mine.scenario" >"$tap_work/bad.scenario"
refused "nothing but skipped cells" 3 "nothing to run: of 12 cells 12 are skipped, as cpus > 1" \
    "$VPUP" bench "$tap_work/bad.scenario"

refused "unwritable result" 2 "can't write /nonexistent/x: No such file" \
    "$VPUP" bench lpj --json /nonexistent/x
refused "result is a directory" 2 "can't write /tmp: Is a directory" "$VPUP" bench lpj --json /tmp

# --- decode: captures made by hand ----------------------------------------------------------------

# le BYTES VALUE: little-endian.
le() {
    local i
    for ((i = 0; i < $1; i++)); do
        printf '%b' "$(printf '\\x%02x' $((($2 >> (8 * i)) & 255)))"
    done
}

# frame TYPE SIZE COUNT SEQ: a header; the payload follows.
frame() {
    local magic=0x52545056 check
    check=$((~(magic ^ (1 | $1 << 16) ^ $2 ^ $3 << 1 ^ $4 << 2)))
    le 4 $magic && le 2 1 && le 2 "$1" && le 4 "$2" && le 4 "$3" && le 4 "$4" && le 4 $check
}

# info ONLINE: 2 VPs, 1 node, 250 Hz, serial, preset, ACPI, Hyper-V, its TSC, x2APIC, 1 MHz; 7 ms.
info() {
    local word
    frame 1 88 1 0
    for word in 2 "$1" 1 250 1 3 1 1 1 2; do le 4 "$word"; done
    for word in 1000 1000000 1000 5000 12000 4000; do le 8 "$word"; done
}

# vps LPJ: VP 1 has this one.
vps() {
    frame 2 64 2 1
    le 4 0 && le 4 0 && le 4 0 && le 4 1 && le 4 0 && le 4 0 && le 8 4000
    le 4 1 && le 4 1 && le 4 0 && le 4 1 && le 4 1 && le 4 0 && le 8 "$1"
}

{ printf 'some text\n'; info 2; vps 4004; frame 4 0 0 2; } >"$tap_work/good"
{ info 2; vps 4004; } >"$tap_work/endless"
{ info 2; frame 4 0 0 2; } >"$tap_work/gap"
{ info 1; vps 4000; frame 4 0 0 2; } >"$tap_work/missing"
: >"$tap_work/empty"

refused "decode without a file" 2 "^vpup decode: no FILE given" "$VPUP" decode
refused "decode of two files" 2 "unexpected argument" "$VPUP" decode a b
refused "decode of a missing file" 2 "can't read /nonexistent: No such file" "$VPUP" decode /nonexistent
refused "decode of a directory" 2 "can't read /tmp: Is a directory" "$VPUP" decode /tmp
refused "decode of an empty file" 2 "no trace of the bundled guest" "$VPUP" decode "$tap_work/empty"
refused "decode of something else" 2 "no trace of the bundled guest" "$VPUP" decode "$0"
refused "unknown option of decode" 2 "unknown option '--jsom'; did you mean '--json'" \
    "$VPUP" decode --jsom x "$tap_work/good"
refused "decode to an unwritable result" 2 "can't write /nonexistent/x" \
    "$VPUP" decode --json /nonexistent/x "$tap_work/good"

refused "decode of two things to stdout" 2 "--tap and --json can't both go to stdout" \
    "$VPUP" decode --tap --json - "$tap_work/good"
run "$VPUP" decode --tap "$tap_work/good"
check "decode --tap of a trace without tests" grep -qx "1..0 # SKIP no tests" "$tap_work/out"

run "$VPUP" decode "$tap_work/good"
check "decode of a whole trace exits 0" test "$rc" = 0 -a -z "$err"
check "decode shows the bring-up" grep -qE '^bring-up +7\.00 ms$' "$tap_work/out"
check "decode shows the worst lpj" grep -qE '^lpj error +1000 ppm$' "$tap_work/out"
check "decode shows the mode" grep -q 'smp=serial lpj=preset hz=250' "$tap_work/out"
run "$VPUP" decode "$tap_work/endless"
check "decode of a trace without its end exits 1" test "$rc" = 1
check "... with one line" grep -q 'the trace is not whole' "$tap_work/err"
run "$VPUP" decode "$tap_work/gap"
check "decode of a trace with a gap exits 1" test "$rc" = 1
run "$VPUP" decode "$tap_work/missing"
check "decode of a trace with a missing VP exits 1" test "$rc" = 1
check "... and says how many" grep -q 'only 1 of 2 VPs' "$tap_work/err"
run "$VPUP" decode --impl qemu --json - "$tap_work/good"
check "decode --json - is JSON and nothing else" grep -q '^ "schema": "vpup.result/1"' "$tap_work/out"
check "... with the name that was given" grep -q '"impl": "qemu"' "$tap_work/out"
check "... and no metric that was not measured" bash -c "! grep -q startup_ms '$tap_work/out'"

# --- whole measurements ---------------------------------------------------------------------------

why=$(no_kvm)
if [ -n "$why" ]; then
    skip "measurements" "$why"
    tap_done
    exit 0
fi

json="$tap_work/result.json"
run "$VPUP" bench lpj -c 1,2 --repeat 2 --json "$json"
check "a measurement exits 0, silent on stderr" test "$rc" = 0 -a -z "$err"
check "its table has a row for each cell" test "$(grep -cE '^ +[12]  (calibrate|fine|preset) +2 ' "$tap_work/out")" = 6
check "it fits 100 columns" test "$(widest "$tap_work/out")" -le 100
check "it says the outcome" grep -qE '^2 VPs: a preset lpj makes bring-up .* times faster' "$tap_work/out"
check "it names the host" grep -q '^Host: .*Linux' "$tap_work/out"
check "the file has all runs" test "$(grep -c '"lpj_error_ppm":' "$json")" = 12
check "the file has a summary" grep -q '"ci95"' "$json"
check "the file is not marked incomplete" bash -c "! grep -q incomplete '$json'"

run "$VPUP" bench lpj -c 2 --repeat 1 --set lpj=preset --set smp=full --json -
check "--json -: stdout starts with the document" test "$(head -c 1 "$tap_work/out")" = "{"
check "--json -: and has no table" bash -c "! grep -q bring-up '$tap_work/out'"
check "preset is exact" grep -qE '"lpj_error_ppm": 0,?$' "$tap_work/out"

# A user's own: a topology that goes together, a claim that can't hold, cells that are skipped.
cat >"$tap_work/own.scenario" <<'END'
summary = my own
show    = sockets threads
zip     = cpus sockets threads
skip    = cpus > host.max_vps
[matrix]
cpus    = 2, 4, 65535
sockets = 1, 2, 1
threads = 2, 1, 1
hv      = default, "-reset,-crash"
[table]
bring-up = median smp_bringup_ms
per VP   = per smp_bringup_ms cpus
[claim fast]
text  = bring-up takes
value = max smp_bringup_ms
max   = 0.000001
END
run "$VPUP" bench "$tap_work/own.scenario" --repeat 1 --json "$json"
check "a scenario file is measured" test "$rc" = 0 -a -z "$err"
check "... with dimensions that go together" grep -qE '^ +4 +2 +1  -reset,-crash ' "$tap_work/out"
check "... with their values in the result" grep -qzE '"cpus": 4,[^}]*"sockets": 2' "$json"
check "... says what was skipped" grep -q '^Skipped: 2 cells, as cpus > host.max_vps (here [0-9]*)' "$tap_work/out"
check "... and what became of the claim" grep -q '^[24] VPs.*: bring-up takes .* ms \[<= 0.000: NO\]' "$tap_work/out"
check "... which the result holds too" grep -qzE '"claims": \[[^]]*"holds": false' "$json"
check "... and is named after its file" grep -q '"scenario": "own"' "$json"
run "$VPUP" bench "$tap_work/own.scenario" --repeat 1 --check
check "--check: a claim that is not kept gives 1" test "$rc" = 1 -a -n "$out"
check "... and its name" test "$err" = "vpup bench: claims that do not hold: fast"
run "$VPUP" bench lpj -c 2 --repeat 1 --set lpj=preset --check
check "--check: a claim that was not measured is not kept" test "$rc" = 1
check "... and says so" grep -q 'do not hold: preset (not measured)' "$tap_work/err"

run "$VPUP" bench lpj -c 2 --repeat 1 --set lpj=preset --set "impl=vpup,$VPUP" --json "$json"
check "impl: another vpup in the same run" grep -q "\"impl\": \"$VPUP\"" "$json"
check "... beside this one" grep -q '"impl": "vpup"' "$json"

# A terminal gets plots, colours and progress; what is none, or dumb, does not.
plots() { # ENVIRONMENT...
    script -qec "env $* $VPUP bench lpj -c 2,4 --repeat 1 --set lpj=preset --set smp=full" /dev/null </dev/null >"$tap_work/tty" 2>&1
}
if command -v script >/dev/null; then
    plots TERM=xterm LC_ALL=C.UTF-8
    check "a terminal gets bars" grep -q '█' "$tap_work/tty"
    check "... and progress" grep -q '\[1/2\] cpus=2' "$tap_work/tty"
    plots TERM=xterm LC_ALL=C
    check "... in ASCII where the locale is not UTF-8" bash -c "grep -q '##' '$tap_work/tty' && ! grep -q '█' '$tap_work/tty'"
    plots TERM=xterm LC_ALL=C NO_COLOR=1
    check "... without colours where NO_COLOR says so" bash -c "! grep -q \$'\033\\[[0-9;]*m' '$tap_work/tty'"
    plots TERM=dumb LC_ALL=C.UTF-8
    check "... nothing of these where it is dumb" bash -c "! grep -q -e '█' -e \$'\033' -e '\[1/2\]' '$tap_work/tty'"
else
    skip "plots on a terminal" "no script(1)"
fi
run "$VPUP" bench lpj -c 2,4 --repeat 1 --set lpj=preset --set smp=full
check "a pipe gets no plots" bash -c "! grep -q -e plot -e '█' '$tap_work/out'"

# A full disk: one line, the old file stays, no other one is left.
echo old >"$json"
small_disk() { (ulimit -f 1 && "$@"); } # 512 or 1024 bytes a file
run small_disk "$VPUP" bench lpj -c 32 --repeat 1 --set lpj=preset --set smp=full --json "$json"
check "a result that does not fit gives 3" test "$rc" = 3 -a "$err" = "vpup bench: can't write $json: File too large"
check "... leaves the old file" test "$(cat "$json")" = old
check "... and no other" bash -c "! ls -A '$tap_work' | grep '\.vpup-'"
run "$VPUP" bench lpj -c 2 --repeat 1 --set lpj=preset --json /dev/full
check "a full disk gives 3, and a line that says so" test "$rc" = 3 -a "$err" = "vpup bench: can't write /dev/full: No space left on device"
check "... behind the table" grep -q 'bring-up' "$tap_work/out"

echo old >"$json"
refused "a run that takes too long" 4 "^vpup bench: cpus=2 .*: the guest did not end within 0.001 s" \
    "$VPUP" bench lpj -c 2 --timeout 0.001 --json "$json"
check "... leaves the old file as it was" test "$(cat "$json")" = old
refused "more VPs than the host can" 3 "nothing to run: .* skipped, as cpus > host.max_vps .here [0-9]*.$" \
    "$VPUP" bench lpj -c 65535
grep -v '^skip' "$tap_work/mine.scenario" >"$tap_work/noskip.scenario"
refused "... in a scenario that does not skip them" 2 "^vpup bench: cpus=65535 .*: .*65535" \
    "$VPUP" bench "$tap_work/noskip.scenario" -c 65535
VPUP_FAULT=KVM_CREATE_VM refused "a host that can't" 3 "^vpup bench: cpus=1 .*: .*KVM_CREATE_VM" \
    "$VPUP" bench lpj -c 1

# interrupted SIGNAL: in the middle of many short runs.
interrupted() {
    local pid rc=0 start
    "$VPUP" bench lpj -c 2 --set lpj=calibrate --repeat 1000 --timeout "4711.$$" --json "$json" \
        >"$tap_work/out" 2>"$tap_work/err" &
    pid=$!
    sleep 3
    start=$(date +%s%N)
    kill -"$1" $pid
    wait $pid 2>/dev/null || rc=$?
    check "$1 ends a measurement in under a second" test $((($(date +%s%N) - start) / 1000000)) -lt 1000
    check "$1: dies by that signal" test $rc = $((128 + $(kill -l "$1")))
    check "$1: what was finished is kept" test "$(grep -c '"lpj_error_ppm":' "$json")" -ge 1
    check "$1: the file is marked incomplete" grep -q '"incomplete": true' "$json"
    check "$1: no child is left" bash -c "! pgrep -f -- '[-]-timeout 4711.$$'"
    check "$1: no other file is left" bash -c "! ls -A '$tap_work' | grep '\.vpup-'"
}
interrupted INT
interrupted TERM
interrupted HUP
tap_done
