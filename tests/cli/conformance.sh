#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Bad input to `vpup conformance`.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

run "$VPUP" conformance --help
check "--help exits 0 and lists the tests" grep -q "^  start-vp cpuid msr" "$tap_work/out"
check "--help fits 100 columns" test "$(awk '{ if (length > m) m = length } END { print m }' "$tap_work/out")" -le 100
refused "unknown test" 2 "no test 'frobnicate'; 'vpup conformance --help' lists them" "$VPUP" conformance frobnicate
refused "unknown test with a suggestion" 2 "no test 'stimr'; did you mean 'stimer'" "$VPUP" conformance cpuid stimr
refused "empty test" 2 "no test ''" "$VPUP" conformance ""
refused "two tests in one word" 2 "no test 'cpuid,msr'" "$VPUP" conformance cpuid,msr
refused "unknown option" 2 "unknown option '--frob'" "$VPUP" conformance --frob
refused "--diff with --hyperv" 2 "--diff runs both modes" "$VPUP" conformance --diff --hyperv user
refused "--diff with a value" 2 "--diff" "$VPUP" conformance --diff=1
refused "--diff: unknown feature" 2 "--hv: .*nosuch" "$VPUP" conformance --diff --hv +nosuch
refused "--hyperv off" 2 "--hyperv: 'off' can't be tested" "$VPUP" conformance --hyperv off
refused "--hv: unknown feature" 2 "--hv: .*nosuch" "$VPUP" conformance --hv +nosuch
refused "--hv help" 2 "vpup run --hv help" "$VPUP" conformance --hv help
for n in 0 -1 x "" 65536 2,sockets=1; do
    refused "-c '$n'" 2 "--cpus: '$n' is not a whole number" "$VPUP" conformance "--cpus=$n"
done
for sec in 0 -1 x "" inf; do
    refused "--timeout '$sec'" 2 "--timeout: '$sec' is not a number" "$VPUP" conformance "--timeout=$sec"
done
refused "unwritable result" 2 "can't write /nonexistent/x" "$VPUP" conformance --json /nonexistent/x
if [ ! -e /dev/kvm ]; then
    refused "no /dev/kvm" 3 "^vpup conformance: /dev/kvm is missing" "$VPUP" conformance
elif unshare -m true 2>/dev/null; then
    refused "no /dev/kvm" 3 "^vpup conformance: /dev/kvm is missing" unshare -m bash -c \
        'mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && exec "$0" conformance' "$VPUP"
else
    skip "no /dev/kvm" "it is there, and unshare(1) can't hide it"
fi
tap_done
