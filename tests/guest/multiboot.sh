#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Multiboot kernels, from the file to the last register: each says what it was told.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

why=$(no_kvm)
[ -z "$why" ] || skip_all "$why"

# kernel FILE KIND CODE: i386 code in hexadecimal, loaded at 1 MiB, as ELF32 or as a flat file.
kernel() {
    python3 - "$1" "$2" "$3" <<'PY'
import struct, sys
path, kind, code = sys.argv[1], sys.argv[2], bytes.fromhex(sys.argv[3])
def header(flags, *addresses):
    return struct.pack("<III", 0x1badb002, flags, -(0x1badb002 + flags) & 0xffffffff) + struct.pack("<%dI" % len(addresses), *addresses)
if kind == "elf":
    mb, off = header(3), 52 + 32
    eh = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, 0x100000 + len(mb), 52, 0, 0, 52, 32, 1, 0, 0, 0)
    image = mb + code
    file = eh + struct.pack("<IIIIIIII", 1, off, 0x100000, 0x100000, len(image), len(image) + 4096, 5, 1) + image
else:
    file = bytes(8) + header(0x10003, 0x100000, 0x100000, 0, 0x110000, 0x100000 + 32) + code
open(path, "wb").write(file)
PY
}

# What the code below does at its end: BL or AL to the exit port.
exit_al=e6f4ebfe
# The exit code is 0 if EAX is what Multiboot says: sub eax, MAGIC; setnz al.
magic=2d02b0ad2b0f95c0$exit_al
# 0 if EBX points to information with memory, command line and map: mov eax,[ebx]; and eax,0x45; sub eax,0x45.
flags=8b0383e04583e8450f95c0$exit_al
# Puts the command line out to COM1: mov esi,[ebx+16]; mov dx,0x3f8; L: lodsb; test al,al; jz D; out dx,al; jmp L; D:
cmdline=8b731066baf803ac84c07403eeebf831c0$exit_al
# The same with the only module's string, and with the module itself, up to a NUL.
module_name=8b431883c0088b3066baf803ac84c07403eeebf831c0$exit_al
module=8b43188b3066baf803ac84c07403eeebf831c0$exit_al
# 0 if paging is off and the mode protected: mov eax,cr0; and eax,0x80000001; dec eax.
mode=0f20c0250100008048$(printf 0f95c0)$exit_al

for kind in elf flat; do
    for name in magic flags mode; do
        kernel "$tap_work/$name" $kind "${!name}"
        run "$VPUP" run --timeout 20 "$tap_work/$name"
        check "$kind: $name" test "$rc" = 0 -a -z "$out$err"
    done
    kernel "$tap_work/k" $kind "$cmdline"
    run "$VPUP" run --timeout 20 -k "$tap_work/k" -a "direct  7"
    check "$kind: the command line starts with the file" test "$rc" = 0 -a "$out" = "$tap_work/k direct  7"
    run "$VPUP" run --timeout 20 -k "$tap_work/k"
    check "$kind: no arguments" test "$rc" = 0 -a "$out" = "$tap_work/k"
done

printf 'NR_CPUS=2\n\0' >"$tap_work/env"
kernel "$tap_work/k" elf "$module"
run "$VPUP" run --timeout 20 -k "$tap_work/k" -i "$tap_work/env"
check "a module's contents" test "$rc" = 0 -a "$out" = "NR_CPUS=2"
kernel "$tap_work/k" elf "$module_name"
run "$VPUP" run --timeout 20 -k "$tap_work/k" -i "$tap_work/env"
check "a module's name" test "$rc" = 0 -a "$out" = "$tap_work/env"
run "$VPUP" run --timeout 20 -k "$tap_work/k" -a "$(head -c 13000 /dev/zero | tr '\0' x)"
check "a command line that is too long is refused" test "$rc" = 2
tap_done
