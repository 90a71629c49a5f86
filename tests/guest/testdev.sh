#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --testdev: exit status, latch, memory, fw_cfg and interrupt lines, as a Multiboot kernel sees them.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

why=$(no_kvm)
[ -z "$why" ] || skip_all "$why"

# kernel FILE CODE: a flat Multiboot file with i386 code in hexadecimal, loaded at 1 MiB.
kernel() {
    python3 - "$1" "$2" <<'PY'
import struct, sys
flags = 0x10000
head = struct.pack("<8I", 0x1badb002, flags, -(0x1badb002 + flags) & 0xffffffff, 0x100000, 0x100000, 0, 0x110000, 0x100020)
open(sys.argv[1], "wb").write(head + bytes.fromhex(sys.argv[2]))
PY
}

exit_al=e6f4ebfe   # out 0xf4, al; jmp .
exit_eax=e7f4ebfe  # out 0xf4, eax; jmp .

for code in 00:1 01:3 02:5 26:77 3f:127 7f:255 80:1; do
    kernel "$tap_work/k" "b0${code%:*}$exit_al"
    run "$VPUP" run --testdev --timeout 20 "$tap_work/k"
    check "exit code 0x${code%:*}: status ${code#*:}" test "$rc" = "${code#*:}" -a -z "$out"
done
check "an exit code is told on stderr" test "$err" = "vpup run: the guest ended with code 128"
kernel "$tap_work/k" "b8ffffffff$exit_eax"
run "$VPUP" run --testdev --timeout 20 "$tap_work/k"
check "exit code 0xffffffff: status 255" test "$rc" = 255

# gives NAME CODE STATUS [ARGS...]: with --testdev, the code ends with this status.
gives() {
    local name=$1 code=$2 status=$3
    shift 3
    kernel "$tap_work/k" "$code"
    run "$VPUP" run --testdev --timeout 20 "$@" "$tap_work/k"
    if [ "$rc" = "$status" ]; then
        ok "$name"
    else
        not_ok "$name"
        echo "# status $rc, not $status; $err"
    fi
}

# mov eax,0x44332211; out 0xe0,eax; in al,0xe2
gives "latch: a byte of a long word" "b811223344e7e0e4e2$exit_al" $((0x33 * 2 + 1))
# the same; in al,0xe8: the second window
gives "latch: its second window" "b811223344e7e0e4e8$exit_al" $((0x11 * 2 + 1))
# the same; mov eax,0; out 0xe4,eax; in al,0xe3
gives "flushing a page is accepted" "b811223344e7e0b800000000e7e4e4e3$exit_al" $((0x44 * 2 + 1))
# in al,0xe9
gives "the debug console is still there" "e4e9$exit_al" $(((0xe9 * 2 + 1) & 255))
# mov dword [0xff00fffc],0x04030201; mov al,[0xff00fffe]
gives "memory" "c705fcff00ff01020304a0feff00ff$exit_al" 7
# mov ax,5; mov dx,0x510; out dx,ax; inc dx; in al,dx
cpus="66b8050066ba100566ef6642ec$exit_al"
gives "fw_cfg: 1 CPU" "$cpus" 3
gives "fw_cfg: 7 CPUs" "$cpus" 15 -c 7
# mov ax,3; mov dx,0x510; out dx,ax; inc dx; mov edi,0x110000; mov ecx,8; rep insb; mov eax,[0x110000]; shr eax,24
gives "fw_cfg: RAM size, by rep insb" \
    "66b8030066ba100566ef6642bf00001100b908000000f36ca100001100c1e818$exit_al" $((0x10 * 2 + 1)) -m 256M
# mov dx,0x510; in al,dx
gives "fw_cfg: its signature is selected at the start" "66ba1005ec$exit_al" $((0x51 * 2 + 1))

# Without it, none of that is there. in al,0xe2; and al,3: unclaimed ports read ones
kernel "$tap_work/k" "b811223344e7e0e4e22403$exit_al"
run "$VPUP" run --timeout 20 "$tap_work/k"
check "without --testdev, there is no latch" grep -q "ended with code 3" "$tap_work/err"
tap_done
