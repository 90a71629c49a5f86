#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The bundled guest as L2: its output, its status and its files come out of L1 whole.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/lib.sh"

cd "$tap_work" || exit
run "$VPUP" lab -v --timeout 120 -- run -c 4 --json r.json --timeline t.json --dump-acpi acpi
check "vpup run -c 4 in L1" test "$rc" = 0
[ "$rc" = 0 ] || sed 's/^/# /' "$tap_work/err"
check "its output is live" grep -q "smp: Brought up 1 node, 4 CPUs" "$tap_work/out"
check "its result is whole" in_json r.json "d['runs'][0]['params']['cpus'] == 4"
check "it ran under KVM's SVM" in_json r.json "d['host']['kvm_module'] == 'kvm_amd'"
check "its timeline is whole" in_json t.json "len(d['traceEvents']) > 20"
check "files in a directory that it made" test "$(head -c 4 acpi/facp.dat)" = FACP
check "-v tells what took how long" grep -q "kvm_amd.*s, at" "$tap_work/err"

run "$VPUP" lab --timeout 120 -- run nothing-here
check "COMMAND's exit status" test "$rc" = 2
check "COMMAND's own message" grep -q "vpup run: kernel: can't read 'nothing-here'" "$tap_work/err"

run "$VPUP" lab --timeout 120 --l1-memory 1G -- run -m 8G
check "a guest larger than its level: exit status 2" test "$rc" = 2
check "a guest larger than its level: one line" grep -qE "^vpup run: -m: 8192 MiB are more than this host's" \
    <(head -n 1 "$tap_work/err")

mkdir no-svm
printf '#!/bin/bash\nexec %s "${@//+svm/-svm}"\n' "$(command -v qemu-system-x86_64)" >no-svm/qemu-system-x86_64
chmod +x no-svm/qemu-system-x86_64
PATH=$PWD/no-svm:$PATH run "$VPUP" lab --engine qemu-tcg --timeout 120 -- run
check "an L1 without SVM: exit status 3" test "$rc" = 3
check "an L1 without SVM: one line" grep -q "L1's CPU has no virtualization" <(head -n 1 "$tap_work/err")
check "an L1 without SVM: its last lines" grep -q "  L1: .*no hardware support for 'kvm_amd'" "$tap_work/err"

run "$VPUP" lab --timeout 120 --l1-append "rdinit=/nothing root=/dev/none" -- run
check "an L1 that panics: exit status 3" test "$rc" = 3
check "an L1 that panics: its last lines" grep -q "  L1: .*Kernel panic" "$tap_work/err"
tap_done
