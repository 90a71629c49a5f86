# SPDX-License-Identifier: MIT
# TAP helpers for the shell tests. Sourced; ends with tap_done.
# shellcheck shell=bash
tap_n=0
tap_work=$(mktemp -d)
trap 'rm -rf "$tap_work"' EXIT

ok() { tap_n=$((tap_n + 1)); echo "ok $tap_n - $1"; }
not_ok() { tap_n=$((tap_n + 1)); echo "not ok $tap_n - $1"; }
skip() { tap_n=$((tap_n + 1)); echo "ok $tap_n - $1 # SKIP $2"; }
skip_all() { echo "1..0 # SKIP $1"; exit 0; }
tap_done() { echo "1..$tap_n"; }

# check NAME COMMAND...: passes if COMMAND does; what it printed is shown otherwise.
check() {
    local name=$1
    shift
    if "$@" >"$tap_work/check" 2>&1; then
        ok "$name"
    else
        not_ok "$name"
        sed 's/^/# /' "$tap_work/check"
    fi
}

# run COMMAND...: leaves exit status, stdout and stderr in $rc, $out and $err.
run() {
    rc=0
    "$@" >"$tap_work/out" 2>"$tap_work/err" </dev/null || rc=$?
    out=$(cat "$tap_work/out")
    err=$(cat "$tap_work/err")
}

# refused NAME STATUS PATTERN COMMAND...: one line on stderr that matches, this status, no output.
refused() {
    local name=$1 status=$2 pattern=$3
    shift 3
    run "$@"
    if [ "$rc" = "$status" ] && [ "$(wc -l <"$tap_work/err")" = 1 ] && [ -z "$out" ] &&
        grep -qE -- "$pattern" "$tap_work/err"; then
        ok "$name"
    else
        not_ok "$name"
        printf '# status %s (wanted %s), wanted /%s/\n' "$rc" "$status" "$pattern"
        sed 's/^/# out: /' "$tap_work/out"
        sed 's/^/# err: /' "$tap_work/err"
    fi
}

# Reason why this machine can't run VMs, or nothing.
no_kvm() {
    [ -e /dev/kvm ] || { echo "no /dev/kvm"; return; }
    [ -r /dev/kvm ] && [ -w /dev/kvm ] || echo "no permission on /dev/kvm"
}
