#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `vpup report`: the page in a browser, the trace, the rows; hostile strings and bad input.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
recorded=$(cd "$(dirname "$0")/../data" && pwd)/report.json
cd "$tap_work" || exit

browser() {
    local name
    for name in chromium-headless-shell chromium google-chrome; do
        command -v $name && return
    done
}

# in_browser PAGE [OPTION...]: the page's elements after its scripts ran in dom, its console in console.
in_browser() {
    local page=$1
    shift
    timeout 60 "$(browser)" --headless --no-sandbox --disable-gpu --enable-logging=stderr "$@" --dump-dom \
        "file://$PWD/$page" >dom 2>log </dev/null || return
    grep CONSOLE log >console
    return 0
}

# with_script FILE: the page r.html with one more script at its end, from stdin.
with_script() {
    { sed '/^<\/body>/,$d' r.html; echo '<script>'; cat; echo '</script></body></html>'; } >"$1"
}

# doctored FILE SED: the recorded result, changed.
doctored() { sed -E "$2" "$recorded" >"$1"; }

# --- the page -------------------------------------------------------------------------------------

run "$VPUP" report --help
check "report --help exits 0" test "$rc" = 0 -a -n "$out"
check "report --help fits 100 columns" bash -c "! grep -qE '.{101}' out"
run "$VPUP" report "$recorded" -o r.html
check "a page is written" test "$rc" = 0 -a -z "$out$err"
check "... that refers to nothing outside itself" bash -c "! grep -oE '(src|href)=|url\(.?[a-z]+:|@import|https?://[^\" ]*' r.html |
    grep -v 'http://www.w3.org/2000/svg'"
check "... and forbids itself to" grep -q "default-src 'none'" r.html
evil='<\/script><script>document.title="owned"<\/script><!--<img src=x onerror=alert(1)>'
doctored evil "s/\"kvm_pvm\"/\"${evil//\"/\\\\\"}\"/; s/\"preset\"/\"${evil//\"/\\\\\"}\"/; s/\"lpj\",/\"${evil//\"/\\\\\"}\",/"
run "$VPUP" report evil -o evil.html
check "hostile strings: the page has no script of theirs" \
    test "$rc" = 0 -a "$(grep -c '<script' evil.html)" = "$(grep -c '<script' r.html)"
check "... they are in its data all the same" grep -q 'u003c/script' evil.html

if [ -n "$(browser)" ]; then
    check "a browser opens it" in_browser r.html
    check "... without a line on its console" bash -c '! cat console | grep .'
    for title in "SMP bring-up" "Start of vpup to the last VP online" "lpj by VP" "Stages" "Start-up by step" \
        "Timeline of the VPs"; do
        check "... with $title" grep -q "<h3>$title</h3>" dom
    done
    check "... a table of all cells" test "$(grep -o '<tr>' dom | wc -l)" -ge 6
    check "... plots that have names" \
        bash -c "test \$(grep -o '<svg [^>]*role=\"img\"' dom | wc -l) = \$(grep -o 'aria-labelledby=\"image[0-9]*t' dom | wc -l)"
    check "... the host's facts" grep -q '<td>kvm_pvm</td>' dom
    check "... in light" grep -q 'data-theme="light"' dom
    in_browser r.html --blink-settings=preferredColorScheme=0
    check "in dark, where the system is" grep -q 'data-theme="dark"' dom

    with_script keys.html <<'P'
const box = document.querySelector(".timeline"), lanes = box.querySelector("svg svg");
const shown = () => Number(lanes.getAttribute("viewBox").split(" ")[2]), all = shown();
const press = key => box.dispatchEvent(new KeyboardEvent("keydown", {key}));
press("+"); press("+"); const near = shown(); press("0");
document.getElementById("theme").click();
document.title = `zoom ${(all / near).toFixed(2)} ${shown() === all} ${document.documentElement.dataset.theme}`;
P
    in_browser keys.html
    check "keys zoom the timeline, the button turns it dark" grep -q '<title>zoom 4.00 true dark</title>' dom
    in_browser evil.html
    check "hostile strings are shown as text" grep -q '<td>&lt;/script&gt;&lt;script&gt;document' dom
    check "... and do nothing" grep -q '<title>vpup report</title>' dom
    check "... without a line on the console" bash -c '! cat console | grep .'
    with_script broken.html <<<"missing();"
    in_browser broken.html
    check "(an error would have been on the console)" grep -q 'missing is not defined' console
else
    skip "the page in a browser" "no chromium-headless-shell, chromium or google-chrome"
fi

# --- the trace and the rows -----------------------------------------------------------------------

run "$VPUP" report "$recorded" --output t.json
check "a trace is written" test "$rc" = 0
check "... a process per cell, a track per VP, spans in order" python3 - <<'P'
import json
events = json.load(open("t.json"))["traceEvents"]
processes = [e for e in events if e["name"] == "process_name"]
tracks = [e for e in events if e["name"] == "thread_name"]
spans = [e for e in events if e["ph"] == "X"]
assert len(processes) == 6 and len(tracks) == 2 * (2 + 4 + 8), (len(processes), len(tracks))
assert {"kick", "init", "calibrate", "go online"} <= {e["name"] for e in spans}
for p in processes:
    for vp in range(1, 9):
        own = [e for e in spans if e["pid"] == p["pid"] and e["tid"] == vp]
        assert all(e["dur"] > 0 for e in own)
        assert all(a["ts"] + a["dur"] <= b["ts"] + 1e-6 for a, b in zip(own, own[1:])), own
P
doctored quoted 's/"scenario": *"lpj"/"scenario": "a \\"b\\", c"/'
run "$VPUP" report quoted "$recorded" -o t.csv
check "rows are written" test "$rc" = 0
check "... a row for each metric of each run" python3 - "$recorded" <<'P'
import csv, json, sys
rows = list(csv.DictReader(open("t.csv", newline="")))
runs = json.load(open(sys.argv[1]))["runs"]
assert len(rows) == 2 * sum(len(r["metrics"]) for r in runs), len(rows)
assert rows[0]["file"] == "quoted" and rows[0]["scenario"] == 'a "b", c', rows[0]
last = [r for r in rows if r["file"] != "quoted" and r["run"] == "0" and r["metric"] == "smp_bringup_ms"][0]
assert float(last["value"]) == runs[0]["metrics"]["smp_bringup_ms"] and last["unit"] == "ms", last
assert last["cpus"] == str(runs[0]["params"]["cpus"]) and last["lpj"] == runs[0]["params"]["lpj"], last
P

# --- bad input ------------------------------------------------------------------------------------

refused "no files" 2 "no result file given" "$VPUP" report -o x.html
refused "no output" 2 "no output given; --output report.html writes a page" "$VPUP" report "$recorded"
refused "an output of no known kind" 2 "'x.pdf' does not end in .html, .json or .csv" "$VPUP" report "$recorded" -o x.pdf
refused "a file twice" 2 "report.json' is given twice" "$VPUP" report "$recorded" "$recorded" -o x.html
cp "$recorded" own.json
refused "a result as its own report" 2 "'own.json' is one of the results" "$VPUP" report own.json -o own.json
check "... is left alone" cmp "$recorded" own.json
refused "a directory" 2 "'/' is a directory" "$VPUP" report / -o x.html
head -c 3000 "$recorded" >truncated
refused "a truncated file" 2 "'truncated': not a result file: line [0-9]+: " "$VPUP" report "$recorded" truncated -o x.html
doctored later 's,vpup.result/1,vpup.result/2,'
refused "another schema" 2 "'later': result file of schema" "$VPUP" report later -o x.html
doctored nan 's/"smp_bringup_ms": *[0-9.]+/"smp_bringup_ms": NaN/'
refused "NaN" 2 "'nan': not a result file: line" "$VPUP" report nan -o x.html
truncate -s 100M huge
refused "100 MB" 2 "'huge' has 104857600 bytes; at most 67108864 fit" "$VPUP" report huge -o x.html
echo '{"schema":"vpup.result/1","tool":{},"host":{},"scenario":"x","runs":[],"summary":[]}' >empty
refused "no runs" 2 "'empty' has no runs" "$VPUP" report empty -o x.html
check "no output was begun" test ! -e x.html
echo '{"schema":"vpup.result/1","tool":{},"host":{},"scenario":"x","runs":[{"params":{},"metrics":{},"vps":[]}],"summary":[]}' >bare
run "$VPUP" report bare -o bare.html
check "a run without metrics and VPs makes a page" test "$rc" = 0
if [ -n "$(browser)" ]; then
    in_browser bare.html
    check "... that works" bash -c 'grep -q "</table>" dom && ! cat console | grep .'
fi
refused "unwritable output" 2 "can't write /nonexistent/r.html" "$VPUP" report "$recorded" -o /nonexistent/r.html
mkdir full.html
refused "the output is a directory" 2 "can't write full.html: Is a directory" "$VPUP" report "$recorded" -o full.html
echo old >small.html
run bash -c "ulimit -f 8; trap '' XFSZ; '$VPUP' report '$recorded' -o small.html"
check "no room for the file: exit 3" test "$rc" = 3
check "... one line, and the old file is as it was" \
    test "$(wc -l <err)" = 1 -a "$(cat small.html)" = old -a -z "$(ls -A | grep '\.vpup-')"
cd / || exit
tap_done
