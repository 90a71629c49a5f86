#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `vpup compare`: verdicts and exit statuses on made-up results, and bad input.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

widest() { awk '{ if (length > m) m = length } END { print m + 0 }' "$1"; }

# result FILE N FROM [HOST]: N runs of 2 VPs with smp_bringup_ms FROM, FROM + 0.01, ...
result() {
    local i separator=''
    {
        printf '{"schema":"vpup.result/1","tool":{},"host":{%s},"scenario":"lpj","summary":[],"runs":[' "${4:-}"
        for ((i = 0; i < $2; i++)); do
            printf '%s{"params":{"cpus":2},"metrics":{"smp_bringup_ms":%s,"exits":300},"vps":[]}' \
                "$separator" "$3.0$((i % 10))"
            separator=,
        done
        echo ']}'
    } >"$tap_work/$1"
}
cd "$tap_work" || exit
result base 10 100
result same 10 100
result slow 10 110
result fast 10 90
result few 3 200
result few2 3 100
result elsewhere 10 100 '"kernel":"6.12","kvm_module":"kvm_amd"'
result here 10 100 '"kernel":"6.1","kvm_module":"kvm_intel"'

run "$VPUP" compare --help
check "compare --help exits 0" test "$rc" = 0 -a -n "$out"
check "compare --help fits 100 columns" test "$(widest out)" -le 100

run "$VPUP" compare base same
check "equal results: exit 0" test "$rc" = 0
check "... and both metrics are the same" grep -q '^0 worse, 0 better, 2 same, 0 unclear' out
check "... nothing on stderr" test -z "$err"
check "... fits 100 columns" test "$(widest out)" -le 100
run "$VPUP" compare base slow
check "10 % slower: exit 1" test "$rc" = 1
check "... the metric, the shift, its interval, the verdict" \
    grep -qE 'smp_bringup_ms .* \+10\.0% +\+10\.0%\.\.\+10\.0% .* worse$' out
run "$VPUP" compare base fast
check "10 % faster: exit 0" test "$rc" = 0
check "... is better" grep -qE 'smp_bringup_ms .* better$' out
run "$VPUP" compare --min-effect 20% base slow
check "--min-effect: what matters is up to the user" test "$rc" = 0
run "$VPUP" compare --alpha 0.000001 base slow
check "--alpha: so are false alarms" test "$rc" = 0
run "$VPUP" compare -q base slow
check "-q: only changes" bash -c '! grep -q exits out && grep -q smp_bringup out'
run "$VPUP" compare few2 few
check "too few runs: exit 0" test "$rc" = 0
check "... inconclusive, not the same" grep -q 'unclear, >=6$' out
check "... and says how many it takes" grep -q '^inconclusive: .* takes at least 6' out
run "$VPUP" compare here elsewhere
check "other hosts: compared with warnings" test "$rc" = 0 -a "$(grep -c '^vpup compare: warning: different' err)" = 2

run "$VPUP" compare --json - base slow
check "--json -: exit status as ever" test "$rc" = 1
check "--json -: only JSON" python3 -c '
import json
d = json.load(open("out"))
assert d["schema"] == "vpup.compare/1" and d["verdicts"]["worse"] == 1, d
row = d["rows"][0]
assert row["verdict"] == "worse" and row["n"] == [10, 10], row
assert abs(row["shift"] - 10) < 1e-9 and row["interval95"][0] <= row["shift"], row
assert d["rows"][1]["exact"] and d["rows"][1]["p"] is None, d'
run "$VPUP" compare --json c.json few2 few
check "--json FILE: no interval is null" python3 -c '
import json
assert json.load(open("c.json"))["rows"][0]["interval95"] == [None, None]'

# --- bad input -------------------------------------------------------------------------------------

refused "no files" 2 "two result files are needed" "$VPUP" compare
refused "one file" 2 "two result files are needed" "$VPUP" compare base
refused "three files" 2 "unexpected argument 'fast'" "$VPUP" compare base slow fast
ln -s base link
refused "the same file twice" 2 "'link' is BASE and NEW at once" "$VPUP" compare base link
refused "no such file" 2 "can't read 'nowhere': No such file" "$VPUP" compare base nowhere
refused "a directory" 2 "'/' is a directory" "$VPUP" compare / base
refused "unknown option" 2 "did you mean '--min-effect'" "$VPUP" compare --min-efect 3 base slow
for value in 0 1 5 -1 100% x "" nan; do
    refused "--min-effect '$value'" 2 "--min-effect: '$value' is not between" \
        "$VPUP" compare --min-effect "$value" base slow
    refused "--alpha '$value'" 2 "--alpha: '$value' is not between" "$VPUP" compare --alpha "$value" base slow
done
head -c 500 base >truncated
refused "a truncated file" 2 "'truncated': not a result file: line 1" "$VPUP" compare base truncated
: >empty
refused "an empty file" 2 "'empty': not a result file: it is empty" "$VPUP" compare empty base
sed 's,result/1,result/9,' base >later
refused "another schema" 2 "'later': result file of schema 'vpup.result/9'; this vpup reads 'vpup.result/1'" \
    "$VPUP" compare base later
sed 's,100.00,NaN,' base >nan
refused "NaN" 2 "'nan': not a result file: line 1" "$VPUP" compare nan base
sed 's,100.00,"fast",' base >text
refused "a metric that is no number" 2 "runs\[0\].metrics.smp_bringup_ms is not a number" "$VPUP" compare base text
sed 's,"metrics":{[^}]*},"metrics":{},g' base >none
refused "no metrics" 2 "nothing to compare: no metric is in both" "$VPUP" compare base none
sed 's,"cpus":2,"cpus":4,g' base >four
refused "no equal parameters" 2 "cpus is 2 in BASE and 4 in NEW; --ignore cpus" "$VPUP" compare base four
run "$VPUP" compare --ignore cpus base four
check "--ignore compares all the same" test "$rc" = 0
sed 's,"runs":.*,"runs":[]},' base >norun
refused "no runs" 2 "'norun' has no runs" "$VPUP" compare base norun
truncate -s 100M huge
refused "100 MB" 2 "'huge' has 104857600 bytes; at most 67108864 fit" "$VPUP" compare base huge
{
    head -c 90 base
    yes '{"params":{},"metrics":{},"vps":[]},' | head -n 900000
} >dense
refused "a file that would fill the memory" 2 "'dense': it would take more than 1024 MiB of memory" \
    "$VPUP" compare base dense
{
    sed 's/\]}$/,/' base
    yes '{"params":{},"metrics":{},"vps":[]},' | head -n 20000
    echo '{"params":{},"metrics":{},"vps":[]}]}'
} >many
refused "too many runs" 2 "'many' has 20011 runs; at most 20000 fit" "$VPUP" compare base many
refused "a device" 2 "'/dev/zero' is not a regular file" "$VPUP" compare base /dev/zero
refused "unwritable JSON" 2 "can't write /nonexistent/x" "$VPUP" compare --json /nonexistent/x base slow
refused "a full disk" 3 "can't write /dev/full: No space left" bash -c '"$VPUP" compare --json /dev/full base slow >/dev/null'

# --- with a measurement ---------------------------------------------------------------------------

refused "--baseline that is no result" 2 "'truncated': not a result file" "$VPUP" bench lpj --baseline truncated
refused "--baseline without a cell of the measurement" 2 "'base' has none of the cells" \
    "$VPUP" bench lpj -c 4 --baseline base
refused "--against what is not there" 2 "--against: can't run './old': No such file" \
    "$VPUP" bench lpj --against ./old
refused "--against what can't be run" 2 "--against: can't run 'base': Permission denied" \
    "$VPUP" bench lpj --against base
refused "--against a directory" 2 "--against: '/' is not a program" "$VPUP" bench lpj --against /
refused "--against and --baseline" 2 "give one of them" "$VPUP" bench lpj --against "$VPUP" --baseline base
refused "--against and --set impl" 2 "'impl' is set twice" "$VPUP" bench lpj --against "$VPUP" --set impl=x

why=$(no_kvm)
if [ -z "$why" ]; then
    cp "$VPUP" "$GUEST" .
    run "$VPUP" bench lpj -c 2 --set lpj=preset --repeat 6 --against ./vpup --json both.json
    check "--against: compared with a saved binary" \
        bash -c "grep -q '^./vpup (base), and this measurement (new):' out && grep -q '^smp_bringup_ms  *6 ' out"
    check "... in turns, and the result has both" python3 -c '
import json
runs = json.load(open("both.json"))["runs"]
assert [r["params"]["impl"] for r in runs] == ["./vpup", "vpup"] * 6'
    run "$VPUP" bench lpj -c 2 --set lpj=preset --repeat 3 --json -
    cp out earlier.json
    run "$VPUP" bench lpj -c 2 --set lpj=preset --repeat 3 --baseline earlier.json
    check "--baseline: compared with an earlier result" grep -q '^smp_bringup_ms  *3 ' out
    sed -E 's/("startup_ms": )[0-9.]+/\10.001/' both.json >fast.json # no machine is as fast
    run "$VPUP" bench lpj -c 2 --set lpj=preset --repeat 20 --baseline fast.json --json -
    check "--baseline: a regression is exit status 1" test "$rc" = 1
    check "... with --json - the table goes to stderr" \
        bash -c "grep -q '^startup_ms .* worse' err && python3 -m json.tool out >/dev/null"
else
    skip "--against and --baseline" "$why"
fi
cd / || exit
tap_done
