#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tests of kvm-unit-tests, a test suite from outside, which is built elsewhere: KUT_DIR is where its
# x86/*.flat are (the suite's top directory, or x86/ itself). Chosen are those that also an emulating
# KVM can run; there they may need some minutes, so set SCRIPT_TIMEOUT=900 too. What a test skips
# itself, for want of a feature, is a skip here.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

[ -n "${KUT_DIR:-}" ] || skip_all "KUT_DIR is not set: no kvm-unit-tests"
why=$(no_kvm)
[ -z "$why" ] || skip_all "$why"
[ -d "$KUT_DIR/x86" ] && KUT_DIR=$KUT_DIR/x86
[ -e "$KUT_DIR/smptest.flat" ] || skip_all "no smptest.flat in $KUT_DIR"

# start NAME FILE VPS [ARGS]: runs one, and leaves its output and exit status.
start() {
    local name=$1 file=$2 vps=$3 rc=0
    "$VPUP" run --testdev --timeout 600 -c "$vps" -k "$KUT_DIR/$file.flat" -a "${4:-}" \
        >"$tap_work/$name.out" 2>"$tap_work/$name.err" </dev/null || rc=$?
    echo $rc >"$tap_work/$name.rc"
}

# finish NAME: judges it. The suite's exit codes are 0, or 38 where all was skipped.
finish() {
    local name=$1 passed rc
    rc=$(cat "$tap_work/$name.rc")
    passed=$(grep -c '^PASS' "$tap_work/$name.out")
    case $rc in
    1) ok "$name: $passed assertions" ;;
    77) skip "$name" "$(sed -n 's/^SKIP: //p' "$tap_work/$name.out" | head -n 1)" ;;
    *)
        not_ok "$name: exit status $rc, $passed assertions passed"
        grep -v '^PASS' "$tap_work/$name.out" | tail -n 20 | sed 's/^/# out: /'
        sed 's/^/# err: /' "$tap_work/$name.err"
        ;;
    esac
}

# one NAME FILE VPS [ARGS]
one() {
    if [ -e "$KUT_DIR/$2.flat" ]; then
        start "$@"
        finish "$1"
    else
        skip "$1" "no $2.flat in $KUT_DIR"
    fi
}

# Counts to ten million between its checks, so it starts first and is looked at last.
start hyperv_connections hyperv_connections 2 &
slow=$!
one smptest smptest 2
one smptest4 smptest 4
one setjmp setjmp 1
one idt_test idt_test 1
one realmode realmode 1
one hyperv_synic hyperv_synic 2
one hyperv_stimer hyperv_stimer 2
one hyperv_stimer_direct hyperv_stimer 2 direct
one hyperv_clock hyperv_clock 2
wait $slow
finish hyperv_connections
tap_done
