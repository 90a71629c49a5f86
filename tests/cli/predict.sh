#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `vpup predict`: bad input, costs that are given, claims, and a result made by hand.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

widest() { awk '{ if (length > m) m = length } END { print m + 0 }' "$1"; }

run "$VPUP" predict --help
check "predict --help exits 0" test "$rc" = 0 -a -n "$out"
check "predict --help fits 100 columns" test "$(widest "$tap_work/out")" -le 100

refused "nothing to predict from" 2 "^vpup predict: no RESULT given, and neither --cost nor --claims" \
    "$VPUP" predict --cpus 4
refused "a result that does not exist" 2 "^vpup predict: .*/nonexistent.*No such file" \
    "$VPUP" predict /nonexistent
refused "a directory" 2 "/tmp" "$VPUP" predict /tmp
refused "something else" 2 "^vpup predict: " "$VPUP" predict "$0"
refused "two results" 2 "unexpected argument 'b'" "$VPUP" predict a b
refused "a result and costs" 2 "costs come from a result or from --cost, not both" \
    "$VPUP" predict --cost kick=1 --cpus 2 a
refused "claims of a result" 2 "--claims takes neither" "$VPUP" predict --claims a
refused "unknown option" 2 "did you mean '--cores'" "$VPUP" predict --croes 2
refused "costs without VPs" 2 "--cost needs --cpus" "$VPUP" predict --cost kick=1
for list in "" 0 1, ,1 1,,2 -1 x 1.5 "1 2" 65536 99999999999999999999 1-4; do
    refused "--cpus '$list'" 2 "--cpus: '.*' is not a list of numbers from 1 to 65535" \
        "$VPUP" predict --claims "--cpus=$list"
    refused "--cores '$list'" 2 "--cores: '.*' is not a list" "$VPUP" predict --claims "--cores=$list"
done
refused "--cpus: 65 numbers" 2 "more than 64 numbers" \
    "$VPUP" predict --claims --cpus "$(seq -s, 65)"
for cost in kick kick= kick=x kick=-1 kick=1m kick=1e99 kick=nan kick=inf "kick= 1"; do
    refused "--cost '$cost'" 2 "--cost: 'kick.*' is not kick=TIME" "$VPUP" predict --cpus 2 --cost "$cost"
done
refused "--cost: unknown" 2 "no cost 'knick'; did you mean 'kick'" "$VPUP" predict --cpus 2 --cost knick=1
refused "--cost: nothing" 2 "no cost ''" "$VPUP" predict --cpus 2 --cost ""
refused "--cost: too long" 2 "is not a list of NAME=TIME" "$VPUP" predict --cpus 2 --cost "$(printf '%0100d' 0)"
refused "--smp x" 2 "--smp: 'x' is not a list of serial, kick" "$VPUP" predict --cpus 2 --cost kick=1 --smp x
refused "--sockets 0" 2 "--sockets: '0'" "$VPUP" predict --claims --sockets 0
refused "--threads x" 2 "--threads: 'x'" "$VPUP" predict --claims --threads x

# result METRICS: one run of 4 VPs.
result() {
    printf '{"schema":"vpup.result/1","tool":{},"host":{"cpus_online":2},"scenario":"x","summary":[],"runs":['
    printf '{"params":{"cpus":%s,"smp":"serial"},"metrics":{%s},"vps":[]}' 4 "$1"
    [ -z "${2:-}" ] || printf ',{"params":{"cpus":%s,"smp":"serial"},"metrics":{%s},"vps":[]}' 8 "$2"
    printf ']}\n'
}
stages() { printf '"stage.kick_sum_ms":%s,"stage.init_sum_ms":%s,"stage.calibrate_sum_ms":0,"stage.online_sum_ms":0' "$1" "$2"; }

result '"exits":3' >"$tap_work/poor"
refused "missing metrics" 2 "poor': no run of 2 or more VPs has smp_bringup_ms and stage.kick_sum_ms" \
    "$VPUP" predict "$tap_work/poor"
result '"smp_bringup_ms":null' >"$tap_work/null"
refused "a metric that is no number" 2 "null" "$VPUP" predict "$tap_work/null"
head -c 60 "$tap_work/poor" >"$tap_work/cut"
refused "a truncated result" 2 "cut" "$VPUP" predict "$tap_work/cut"
sed 's,result/1,result/2,' "$tap_work/poor" >"$tap_work/newer"
refused "another schema" 2 "vpup.result/1" "$VPUP" predict "$tap_work/newer"

# 3 and 7 secondary VPs of 2 ms each: a millisecond to start, one to initialise.
result "\"smp_bringup_ms\":6,$(stages 3 3)" "\"smp_bringup_ms\":14,$(stages 7 7)" >"$tap_work/good"
run "$VPUP" predict "$tap_work/good" --cpus 101 --cores 4
check "a prediction" test "$rc" = 0 -a -z "$err"
check "it is 100 times 2 ms, and labelled" \
    grep -qE '^  bring-up +101 +4 +- +200 +- +modelled, 12.6 times as many VPs$' "$tap_work/out"
check "what was measured is held out" \
    grep -qE '^  bring-up +8 +2 +14 +14 +[+]0.0 %  held out$' "$tap_work/out"
check "it fits 100 columns" test "$(widest "$tap_work/out")" -le 100
result "\"smp_bringup_ms\":6,$(stages 3 3)" >"$tap_work/one"
run "$VPUP" predict "$tap_work/one"
check "one VP count: it says that nothing checks it" grep -q "nothing checks that" "$tap_work/out"

run "$VPUP" predict --cost start=2ms,release=500 --cpus 5,9 --cores 1,8 --smp serial,full
check "costs that are given" grep -qE '^serial +9 +1 +20$' "$tap_work/out"
check "one core" grep -qE '^full +5 +1 +8.5$' "$tap_work/out"
check "enough cores" grep -qE '^full +9 +8 +2.5$' "$tap_work/out"
check "it is labelled" grep -q '^Modelled, not measured' "$tap_work/out"
run "$VPUP" predict --claims
check "claims" test "$rc" = 0 -a "$(grep -c ' CPUs, ' "$tap_work/out")" = 6
check "claims fit 100 columns" test "$(widest "$tap_work/out")" -le 100

# json CODE: is the document on stdout, and nothing else is; and is CODE true of it?
json() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(d); sys.exit(not eval(sys.argv[2]))' "$tap_work/out" "$1"; }
run "$VPUP" predict "$tap_work/good" --cpus 4,101 --cores 4 --json -
check "--json -: a document" test "$rc" = 0 -a -z "$err"
check "its schema" json 'd["schema"] == "vpup.predict/1" and d["fitted"]["result"].endswith("/good")'
check "a set, with what its runs have in common" json \
    'len(d["fitted"]["sets"]) == 1 and d["fitted"]["sets"][0]["params"]["smp"] == "serial"'
check "costs of both counts" json \
    '[(f["cpus"], round(f["cost_us"]["start"], 6), round(f["cost_us"]["init"], 6)) for f in d["fitted"]["sets"][0]["fitted"]] == [(4, 1000, 1000), (8, 1000, 1000)]'
check "the held-out rows, and what was asked for" json \
    '[(r["cpus"], r["cores"], r["held_out"]) for r in d["fitted"]["sets"][0]["rows"]] == [(4, 2, True), (8, 2, True), (4, 4, False), (101, 4, False)]'
check "a held-out row has its error" json \
    '[(r["measured"], round(r["modelled"], 6), abs(r["error_percent"]) < 1e-6) for r in d["fitted"]["sets"][0]["rows"][:2]] == [(6, 6, True), (14, 14, True)]'
check "a predicted one has none, and how far it is" json \
    '[(r["metric"], r["measured"], r["error_percent"], round(r["modelled"], 6), r["times_measured_cpus"]) for r in d["fitted"]["sets"][0]["rows"][2:]] == [("smp_bringup_ms", None, None, 6, None), ("smp_bringup_ms", None, None, 200, 12.625)]'
run "$VPUP" predict --cost start=2ms,release=500 --cpus 5,9 --smp serial --json -
check "--json of costs that are given" json \
    'd["given"]["cost_us"]["start"] == 2000 and [(r["smp"], r["cpus"], r["modelled"]) for r in d["given"]["rows"]] == [("serial", 5, 10), ("serial", 9, 20)]'
run "$VPUP" predict --claims --json -
check "--json of claims" json 'sum(" CPUs, " in c["name"] for c in d["claims"]) == 6 and any(c["fitted"] for c in d["claims"])'
run "$VPUP" predict "$tap_work/good" --json "$tap_work/written"
check "--json FILE beside the text" test "$rc" = 0 -a -s "$tap_work/written" -a -n "$out"
refused "--json: a file that can't be written" 2 "/nonexistent/x" "$VPUP" predict --claims --json /nonexistent/x
echo old >"$tap_work/kept"
refused "a bad result leaves --json's file alone" 2 "poor" "$VPUP" predict "$tap_work/poor" --json "$tap_work/kept"
check "as it was, and no other beside it" \
    test "$(cat "$tap_work/kept")" = old -a "$(find "$tap_work" -name 'kept*' | wc -l)" = 1

tap_done
