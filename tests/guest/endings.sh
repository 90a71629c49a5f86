#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How runs end: crash, hang, silence, signals; what is left behind then.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

why=$(no_kvm)
[ -z "$why" ] || skip_all "$why"

# An ELF64 of one page with a PVH note, whose code is given as bytes in hexadecimal.
kernel() {
    python3 - "$1" "$2" <<'PY'
import struct, sys
code = bytes.fromhex(sys.argv[2])
note = struct.pack("<III", 4, 4, 18) + b"Xen\0" + struct.pack("<I", 0x100000)
off = 64 + 2 * 56
eh = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0x100000, 64, 0, 0, 64, 56, 2, 0, 0, 0)
ph = struct.pack("<IIQQQQQQ", 4, 4, off, 0, 0, len(note), len(note), 4)
ph += struct.pack("<IIQQQQQQ", 1, 5, off + len(note), 0x100000, 0x100000, len(code), len(code), 1)
open(sys.argv[1], "wb").write(eh + ph + note + code)
PY
}

kernel "$tap_work/hang" ebfe             # jmp .
kernel "$tap_work/halt" faf4ebfd         # cli; hlt; jmp
kernel "$tap_work/triple" 0f0b           # ud2 without an IDT
kernel "$tap_work/exit0" 31c0e6f4ebfe    # out 0xf4, al: 0
kernel "$tap_work/exit1" b001e6f4ebfe    # 1
kernel "$tap_work/exit2" b002e6f4ebfe    # 2
kernel "$tap_work/exit9" b009e6f4ebfe    # 9
kernel "$tap_work/reset" b0fee664ebfe    # i8042: pulse the reset line
# mov ecx, MSR; mov eax, VAL; xor edx,edx; wrmsr: Hyper-V's RESET, then P0, P3 (address), P4 (length) of the crash registers
kernel "$tap_work/hvreset" b903000040b80100000031d20f30ebfe
p0=b900010040b8efbe000031d20f30
p3=b903010040b83a00100031d20f30
p4=b904010040b80c00000031d20f30
# CTL: mov ecx, MSR; xor eax,eax; mov edx, bits 63:32; wrmsr; jmp . And the words, at 0x10003a.
kernel "$tap_work/hvcrash" $p0$p3${p4}b90501004031c0ba000000c00f30ebfe$(printf 'Goodbye, L0!' | od -An -tx1 | tr -d ' ')
kernel "$tap_work/hvcrash0" $p0$p3${p4}b90501004031c0ba000000800f30ebfe

run "$VPUP" run "$tap_work/exit0"
check "exit code 0: status 0, nothing printed" test "$rc" = 0 -a -z "$out$err"
refused "exit code 1" 1 "the guest reported failure" "$VPUP" run "$tap_work/exit1"
refused "exit code 2" 5 "the guest crashed" "$VPUP" run "$tap_work/exit2"
refused "exit code 9" 1 "ended with code 9" "$VPUP" run "$tap_work/exit9"
refused "reset" 0 "asked for a reset" "$VPUP" run "$tap_work/reset"
refused "reset by Hyper-V's MSR" 0 "asked for a reset" "$VPUP" run "$tap_work/hvreset"
refused "reset by an MSR that is off" 5 "the guest crashed" "$VPUP" run --hv -reset "$tap_work/hvreset"
run "$VPUP" run "$tap_work/hvcrash"
check "crash by Hyper-V's MSRs: status 5, P0-P4 and the last words" \
    test "$rc" = 5 -a "$(grep -c 'P0-P4: 0xbeef 0 0 0x10003a 0xc\|Goodbye, L0!' "$tap_work/err")" = 2
run "$VPUP" run "$tap_work/hvcrash0"
check "crash without words: status 5, P0-P4" test "$rc" = 5 -a "$(grep -c 'P0-P4: 0xbeef' "$tap_work/err")" = 1
refused "triple fault" 5 "the guest crashed: " "$VPUP" run "$tap_work/triple"
refused "hang" 4 "did not end within 0.3 s" "$VPUP" run --timeout 0.3 "$tap_work/hang"
refused "halt with interrupts off, and never a word" 4 "did not end within 0.3 s" \
    "$VPUP" run --timeout 0.3 "$tap_work/halt"
refused "64 VPs that wait for ever" 4 "did not end" "$VPUP" run -c 64 --timeout 0.3 "$tap_work/hang"

# ended_by SIGNAL ARGS...: the run dies of it, in under a second.
ended_by() {
    local signal=$1 start pid rc=0
    shift
    "$VPUP" run "$@" &
    pid=$!
    sleep 0.3
    start=${EPOCHREALTIME/./}
    kill "-$signal" "$pid"
    wait "$pid" || rc=$?
    [ "$rc" = $((128 + $(kill -l "$signal"))) ] || { echo "status $rc"; return 1; }
    [ $((${EPOCHREALTIME/./} - start)) -lt 1000000 ] || { echo "took too long"; return 1; }
}
for signal in INT TERM HUP; do
    check "SIG$signal ends a hanging run" ended_by "$signal" "$tap_work/hang"
done
check "SIGTERM ends a run of 256 VPs" ended_by TERM -c 256 "$tap_work/hang"

"$VPUP" run --timeout 0.3 --json "$tap_work/no/such" "$tap_work/hang" 2>/dev/null
"$VPUP" run --json "$tap_work/killed.json" "$tap_work/hang" & pid=$!
sleep 0.2
kill -TERM $pid
wait $pid 2>/dev/null
check "a killed run leaves no result, and no temporary" test -z "$(find "$tap_work" -name '*killed*')"

# With a terminal: its settings come back, whatever ends the run.
terminal() {
    script -qec "stty -a >$tap_work/before; $1; stty -a >$tap_work/after" /dev/null >/dev/null 2>&1 </dev/null
    cmp "$tap_work/before" "$tap_work/after"
}
if command -v script >/dev/null; then
    check "terminal restored after a normal end" terminal "$VPUP run $tap_work/exit0"
    check "terminal restored after a timeout" terminal "$VPUP run --timeout 0.2 $tap_work/hang"
    check "terminal restored after a crash" terminal "$VPUP run $tap_work/triple"
    check "terminal restored after SIGTERM" terminal \
        "$VPUP run $tap_work/hang & p=\$!; sleep 0.2; kill \$p; wait \$p"
else
    skip "terminal restored" "no script(1)"
fi
run bash -c '"$0" run -c 4 | true' "$VPUP"
check "a closed stdout ends the run" test "$rc" = 0
check "/dev/full as console: exit status 3" bash -c '"$0" run -c 2 >/dev/full; test $? = 3' "$VPUP"
tap_done
