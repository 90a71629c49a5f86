# SPDX-License-Identifier: MIT
# For the lab's tests: sourced after tests/lib.sh. Skips all where there can be no lab.
# shellcheck shell=bash
command -v qemu-system-x86_64 >/dev/null || skip_all "no qemu-system-x86_64 (Debian: qemu-system-x86)"
if ! why=$("$VPUP" lab fetch --if-missing 2>&1); then
    skip_all "${why#vpup lab fetch: }"
fi

# in_json FILE EXPRESSION: python's opinion of a JSON document d.
in_json() {
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' "$1" "$2"
}

# lab OPTION... -- COMMAND...: vpup lab, by run(); L1's log is kept for told().
lab() { run "$VPUP" lab --l1-log "$tap_work/l1.log" "$@"; }

# told NAME STATUS: passes if $rc is that; else what was said is shown, and how L1's log ends.
told() {
    check "$1" test "$rc" = "$2"
    [ "$rc" = "$2" ] && return
    printf '# status %s (wanted %s)\n' "$rc" "$2"
    tail -n 15 "$tap_work/err" | sed 's/^/# err: /'
    tail -n 10 "$tap_work/l1.log" 2>/dev/null | tr -d '\r' | sed 's/^/# L1: /'
}
