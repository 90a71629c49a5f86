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

# lab OPTION... -- COMMAND...: vpup lab, by run(); L1's log is kept for told(). What does not end in time is tried once
# more, and that is told: QEMU's TCG loses a guest now and then (docs/lab.md), and what vpup does comes twice.
lab() {
    run "$VPUP" lab --l1-log "$tap_work/l1.log" "$@"
    [ "$rc" = 4 ] || return 0
    tail -n 1 "$tap_work/err" | sed 's/^/# tried again, after: /'
    run "$VPUP" lab --l1-log "$tap_work/l1.log" "$@"
}

# told NAME STATUS: passes if $rc is that; else what was said is shown, and how L1's log ends.
told() {
    check "$1" test "$rc" = "$2"
    [ "$rc" = "$2" ] && return
    printf '# status %s (wanted %s)\n' "$rc" "$2"
    tail -n 15 "$tap_work/err" | sed 's/^/# err: /'
    tail -n 10 "$tap_work/l1.log" 2>/dev/null | tr -d '\r' | sed 's/^/# L1: /'
}

# linux NAME ARGS...: boots one that prints its log, and passes if the command's exit status comes out.
linux() {
    local name=$1
    shift
    lab --timeout 100 -- run -m 512M --share-cwd off "$@" --exec 'dmesg; exit 9'
    told "$name" 9
}

# What Linux says when it dislikes the machine. Left out: what it says of CPUs of that model, of a machine without
# PCI and SMBIOS, and of calibration under an emulator.
clean() {
    check "$1: a clean log" bash -c 'grep -q "Linux version" "$1" && ! grep -iE "warn|bug|error|fail|invalid|cut here|sibling|unable|conflict" "$1" |
        grep -vE "No config space access function|DMI not present|Zen1|Speculative Return Stack|calibrate_delay_direct|report a bug|not a bug|invalidation|errors=|Correctable Errors|debug"' - "$tap_work/out"
}
