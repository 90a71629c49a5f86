#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A bzImage's way from the file to its 64-bit entry point: a small one tells what it found there.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

why=$(no_kvm)
[ -z "$why" ] || skip_all "$why"

# Says what it was told: the command line, the initrd, its E820 ranges as letters. Status 1 if CS, DS,
# the random seed or the RSDP are not as they should be.
cat >"$tap_work/kernel.S" <<'S'
.code64
.org 0x200
	mov %rsi, %rbp
	mov 0x228(%rbp), %esi
	mov $0x3f8, %dx
1:	lodsb
	test %al, %al
	jz 2f
	out %al, %dx
	jmp 1b
2:	mov $'\n', %al
	out %al, %dx
	mov 0x218(%rbp), %esi
	mov 0x21c(%rbp), %ecx
	rep outsb
	movzb 0x1e8(%rbp), %ecx
	lea 0x2d0(%rbp), %rbx
3:	mov 16(%rbx), %al
	add $'0', %al
	out %al, %dx
	add $20, %rbx
	loop 3b
	mov $'\n', %al
	out %al, %dx
	mov $1, %bl
	mov %cs, %eax
	cmp $0x10, %eax
	jne 4f
	mov %ds, %eax
	cmp $0x18, %eax
	jne 4f
	push $0
	mov 0x250(%rbp), %rax
	cmpl $9, 8(%rax)
	jne 4f
	mov 0x70(%rbp), %rax
	cmpl $0x20445352, (%rax)
	jne 4f
	xor %bl, %bl
4:	mov %bl, %al
	out %al, $0xf4
5:	jmp 5b
S
sed -i 's/\tpush \$0/\tmov $0x8000, %esp\n&/' "$tap_work/kernel.S"
gcc -c -o "$tap_work/kernel.o" "$tap_work/kernel.S" && objcopy -O binary -j .text "$tap_work/kernel.o" "$tap_work/kernel.bin" ||
    skip_all "no assembler"

# image FILE [FIELD=VALUE...]: a bzImage around it; fields: sects, init, pref, version, cmdline.
image() {
    python3 - "$tap_work/kernel.bin" "$@" <<'PY'
import struct, sys
code = open(sys.argv[1], "rb").read()
code += bytes(-len(code) % 16)
f = dict(sects=1, init=0x10000, pref=0x1000000, version=0x20f, cmdline=2047, initrd=0x7fffffff)
f.update((k, int(v, 0)) for k, v in (a.split("=") for a in sys.argv[3:]))
b = bytearray(1024)
def put(off, fmt, val): struct.pack_into("<" + fmt, b, off, val)
for off, fmt, val in ((0x1f1, "B", f["sects"]), (0x1f4, "I", len(code) // 16), (0x1fe, "H", 0xaa55), (0x200, "H", 0x6aeb),
                      (0x202, "4s", b"HdrS"), (0x206, "H", f["version"]), (0x211, "B", 1), (0x22c, "I", f["initrd"]),
                      (0x230, "I", 0x200000), (0x236, "H", 1), (0x238, "I", f["cmdline"]), (0x258, "Q", f["pref"]),
                      (0x260, "I", f["init"])):
    put(off, fmt, val)
open(sys.argv[2], "wb").write(bytes(b) + code)
PY
}

k=$tap_work/bzImage
image "$k"
printf 'initrd\n' >"$tap_work/initrd"
run "$VPUP" run --force --timeout 20 -q -k "$k" -i "$tap_work/initrd" -a "a=1  b"
check "entry state, command line, initrd, memory map" test "$rc" = 0 -a "$out" = "a=1  b
initrd
1213"
run "$VPUP" run --force --timeout 20 -q -m 5G -k "$k" -i "$tap_work/initrd"
check "RAM above 4 GiB" test "$rc" = 0 -a "$out" = "
initrd
12131"
image "$k" initrd=0x17fffff
run "$VPUP" run --force --timeout 20 -q -k "$k" -i "$tap_work/initrd"
check "an initrd that must lie low" test "$rc" = 0 -a "$out" = "
initrd
1213"
image "$k" initrd=0x100ffff
head -c 100000 /dev/zero >"$tap_work/large"
refused "an initrd that would have to lie too low" 2 "does not fit between the kernel" \
    "$VPUP" run --force -k "$k" -i "$tap_work/initrd"
image "$k"
truncate -s 255M "$tap_work/large"
refused "an initrd as large as RAM" 2 "initrd of .* KiB does not fit" "$VPUP" run --force -k "$k" -i "$tap_work/large"
refused "a command line that is longer than the kernel takes" 2 "has 2048 bytes; this kernel takes 2047" \
    "$VPUP" run --force -k "$k" -a "$(head -c 2048 /dev/zero | tr '\0' x)"
for lie in sects=77:"cut short" init=0x10:"init_size" init=0xffffffff:"give it more memory" version=0x20b:"protocol 2.11"; do
    image "$k" "${lie%%:*}"
    refused "${lie%%:*}" 2 "kernel '.*': .*${lie#*:}" "$VPUP" run --force -k "$k"
done
image "$k"
for bytes in 0 511 514 518 600 612 1024 1536; do
    head -c $bytes "$k" >"$tap_work/cut"
    refused "a kernel of $bytes bytes" 2 "cut short|this is an? " "$VPUP" run --force -k "$tap_work/cut"
done
# The start of --exec's initramfs, as the kernel finds it; behind an initrd, if there is one.
sed -i 's/rep outsb/mov $4096, %ecx; rep outsb; mov $4, %al; out %al, $0xf4/' "$tap_work/kernel.S"
gcc -c -o "$tap_work/kernel.o" "$tap_work/kernel.S" && objcopy -O binary -j .text "$tap_work/kernel.o" "$tap_work/kernel.bin"
image "$tap_work/dump"
rc=0
"$VPUP" run --force --timeout 60 -q -k "$tap_work/dump" -i "$tap_work/initrd" --exec 'true; exit 9' </dev/null >"$tap_work/archive" || rc=$?
check "--exec exits with the code from the guest" test "$rc" = 4
check "--exec keeps the initrd in front" bash -c 'sed -n 2p "$1" | grep -qx initrd' - "$tap_work/archive"
check "--exec hands over the command" grep -qa 'true; exit 9' "$tap_work/archive"
refused "--exec and a kernel that is not Linux" 2 "no Linux kernel" "$VPUP" run -k "$GUEST" --exec true

# What vpup makes of --lpj, in the kernel's own words.
run "$VPUP" run --force --timeout 20 -k "$k" --lpj auto --hz 250 -a x
check "--lpj auto" grep -qE '^x lpj=[1-9][0-9]{5,}$' "$tap_work/out"
check "--lpj auto says where from" grep -qE "^vpup run: lpj=[0-9]+, from a TSC of [0-9.]+ MHz and HZ=250 \(--hz\)$" "$tap_work/err"
run "$VPUP" run --force --timeout 20 -k "$k" --lpj 4711
check "--lpj N" grep -qx 'lpj=4711' "$tap_work/out"
refused "--lpj auto and a kernel that tells no HZ" 2 "HZ of Linux .* is not known" "$VPUP" run --force -k "$k" --lpj auto
run "$VPUP" run --timeout 20 -k "$k"
if [ "$rc" = 3 ]; then
    check "an emulating KVM is named" grep -q "KVM emulates its guests, .*vpup lab.*--force" "$tap_work/err"
else
    skip "an emulating KVM is named" "this one does not emulate"
fi
printf '070701' | gzip -n >"$tap_work/gz"
refused "an initrd for a kernel" 2 "this is a gzip'd initrd" "$VPUP" run -k "$tap_work/gz"
tap_done
