#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `vpup peer`: bad input, and peers that can't be.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

run "$VPUP" peer --help
check "peer --help exits 0" test "$rc" = 0 -a -n "$out"
check "peer --help fits 100 columns" test "$(awk '{ if (length > m) m = length } END { print m }' "$tap_work/out")" -le 100

refused "unknown VMM" 2 "--impl: 'xen' is not vpup or qemu" "$VPUP" peer --impl xen -- -c 2
refused "unknown mark" 2 "--until: 'x' is not entry, init or online" "$VPUP" peer --until x -- -c 2
refused "--timeout 0" 2 "--timeout: '0' is not a number of seconds above 0" "$VPUP" peer --timeout 0
refused "unknown option" 2 "did you mean '--until'" "$VPUP" peer --utnil x
refused "run's options without --" 2 "'x': run's options stand behind '--'" "$VPUP" peer x
refused "bad options of run's" 2 "--cpus: 'x' is not a whole number" "$VPUP" peer -- -c x
refused "an output of run's" 2 "behind '--' stands what makes a VM" "$VPUP" peer -- --json -
refused "a timeout of run's" 2 "behind '--' stands what makes a VM" "$VPUP" peer -- --timeout 3
refused "what QEMU has not" 2 "of run's options there are --cpus" "$VPUP" peer -- --noise steal
refused "init without --exec" 2 "--until init needs run's --exec" "$VPUP" peer --until init -- -c 2
refused "much memory" 2 "--memory: up to 3G" "$VPUP" peer -- -m 4G
refused "bench: QEMU without a mark" 2 "'impl = qemu' needs 'until'" "$VPUP" bench startup --set impl=vpup,qemu

if why=$(no_kvm) && [ -n "$why" ]; then
    skip "kernels" "$why"
else
    refused "no such kernel" 2 "/nonexistent" "$VPUP" peer -- -k /nonexistent
    refused "no bzImage" 2 "is no bzImage" "$VPUP" peer --until entry -- -c 1
    refused "no QEMU" 3 "can't start qemu-system-x86_64" env PATH=/nonexistent "$VPUP" peer --impl qemu
    run "$VPUP" peer --json - -- -a "smp=full lpj=preset" -c 2
    check "vpup from outside" test "$rc" = 0
    check "its result" grep -q '"mark_ms"' "$tap_work/out"
    refused "no mark in time" 4 "did not come to the mark 'online' within 0.0" "$VPUP" peer --timeout 0.01
fi
tap_done
