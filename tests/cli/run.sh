#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Bad input to vpup and `vpup run`: one clear line, the documented exit status, nothing left behind.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

run "$VPUP" --version
check "version is printed" grep -qE '^vpup [0-9]+\.[0-9]+\.[0-9]+$' "$tap_work/out"
run "$VPUP" help
check "help lists the commands" grep -q '^  doctor' "$tap_work/out"
check "help fits 100 columns" test "$(awk '{ if (length > m) m = length } END { print m }' "$tap_work/out")" -le 100
run "$VPUP" run --help
check "run --help exits 0" test "$rc" = 0
check "run --help fits 100 columns" test "$(awk '{ if (length > m) m = length } END { print m }' "$tap_work/out")" -le 100
run "$VPUP"
check "no command: exit status 2" test "$rc" = 2

refused "unknown command" 2 "unknown command 'frobnicate'" "$VPUP" frobnicate
refused "unknown command with a suggestion" 2 "did you mean 'bench'" "$VPUP" bnech
refused "help for an unknown command" 2 "did you mean 'run'" "$VPUP" help rum
refused "unknown option" 2 "unknown option '--frob'" "$VPUP" run --frob
refused "unknown option with a suggestion" 2 "did you mean '--timeout'" "$VPUP" run --tmieout 3
refused "unknown short option" 2 "unknown option '-z'" "$VPUP" run -z
refused "option without its argument" 2 "'--memory' needs an argument" "$VPUP" run --memory
refused "short option without its argument" 2 "'-m' needs an argument" "$VPUP" run -m
refused "flag with an argument" 2 "takes no argument" "$VPUP" run --counters=yes
refused "too many operands" 2 "given twice|unexpected argument" "$VPUP" run a b

for n in 0 -1 -16 "" x 1x 1.5 65536 99999999999999999999 ,sockets=1; do
    refused "-c '$n'" 2 "--cpus: '.*' is not a whole number from 1" "$VPUP" run -c "$n"
done
refused "topology that does not divide" 2 "16 VPs" "$VPUP" run -c 16,sockets=3
refused "topology that is not N" 2 "16 VPs" "$VPUP" run -c 16,sockets=2,cores=2,threads=2
refused "unknown topology key" 2 "'dies=2' is not sockets" "$VPUP" run -c 16,dies=2
refused "zero threads" 2 "threads: '0'" "$VPUP" run -c 16,threads=0
refused "nodes that do not divide" 2 "3" "$VPUP" run -c 16 --numa 3

for m in 0 4K 1M 3M; do
    refused "-m $m: too small" 2 "too small" "$VPUP" run -m "$m"
done
refused "-m with a fraction of a page" 2 "multiple of 4 KiB" "$VPUP" run -m 16777217
for m in x -1 1X "" 1.5G 99999999T; do
    refused "-m '$m'" 2 "is not a size" "$VPUP" run -m "$m"
done
refused "--timeout 0" 2 "--timeout: '0'" "$VPUP" run --timeout 0
refused "--timeout x" 2 "--timeout: 'x'" "$VPUP" run --timeout x
refused "--hyperv x" 2 "is not user, kernel or off" "$VPUP" run --hyperv x
refused "--hv: unknown feature" 2 "--hv: .*nosuch" "$VPUP" run --hv +nosuch
refused "--hv: missing dependency" 2 "--hv: .* needs synic, which is off" "$VPUP" run --hv -synic
refused "--hv: not in user mode" 2 "--hv: tlbflush is not possible in user mode" "$VPUP" run --hv +tlbflush
refused "--hv: value out of range" 2 "--hv: .*spinlocks" "$VPUP" run --hv spinlocks=x
refused "--hv without Hyper-V" 2 "--hv needs --hyperv user" "$VPUP" run --hyperv off --hv +synic
refused "--hv: not in kernel mode" 2 "--hv: start-vp is not possible in kernel mode" \
    "$VPUP" run --hyperv kernel --hv +start-vp
run "$VPUP" run --hv help
check "--hv help lists the features" grep -q '^synic ' "$tap_work/out"
check "--hv help fits 100 columns" test "$(awk '{ if (length > m) m = length } END { print m }' "$tap_work/out")" -le 100
refused "--exec without a kernel" 2 "needs a Linux kernel" "$VPUP" run --exec true
refused "--exec without a command" 2 "command is empty" "$VPUP" run -k x --exec ""
refused "--modules without --exec" 2 "is for --exec" "$VPUP" run --modules /lib/modules
refused "--lpj x" 2 "is not auto, off or a number" "$VPUP" run --lpj x
refused "--lpj 0" 2 "is not auto, off or a number" "$VPUP" run --lpj 0
refused "--hz 0" 2 "is not a whole number from 1" "$VPUP" run --lpj auto --hz 0
refused "--hz alone" 2 "--hz is for --lpj auto" "$VPUP" run --hz 250
refused "--power-off 0" 2 "--power-off: '0' is not a number of seconds above 0" "$VPUP" run --power-off 0
refused "--invtsc x" 2 "is not on, off or force" "$VPUP" run --invtsc x
refused "--nested x" 2 "--nested: 'x' is not on or off" "$VPUP" run --nested x
refused "--testdev with an argument" 2 "takes no argument" "$VPUP" run --testdev=on
refused "--console x" 2 "is not stdio" "$VPUP" run --console x
refused "--console file= without a name" 2 "is not stdio" "$VPUP" run --console file=
refused "--dump-only alone" 2 "--dump-only needs" "$VPUP" run --dump-only
refused "--floor x" 2 "--floor: 'x' is not on or off" "$VPUP" run --floor x
refused "--floor without a result" 2 "--floor needs --json" "$VPUP" run --floor on
refused "two results on stdout" 2 "can't both go to stdout" "$VPUP" run --json - --timeline -
refused "unwritable device tree" 2 "/nonexistent" "$VPUP" run --dump-dtb /nonexistent/x --dump-only
refused "doctor takes no arguments" 2 "unexpected argument" "$VPUP" doctor now
# What options need is told also where no guest can run.
run env XDG_CACHE_HOME="$tap_work/cache" PATH="$tap_work/bin" "$VPUP" doctor
check "doctor: no QEMU" grep -qxE 'note  QEMU +qemu-system-x86_64 is missing: .*install qemu-system-x86 .*' "$tap_work/out"
check "doctor: no kernel in the cache" \
    grep -qxE "note  lab:6.1 +lab:6.1 is not in the cache; 'vpup lab fetch 6.1' gets it" "$tap_work/out"
for part in virtiofsd libslirp seabios qboot "option ROM" lab:6.12; do
    check "doctor: $part is there, or what to do" \
        grep -qE "^(ok    $part +.*, for |note  $part +.*(install|fetch))" "$tap_work/out"
done
mkdir -p "$tap_work/bin" "$tap_work/cache/vpup/kernel-6.1"
printf '#!/bin/sh\n' >"$tap_work/bin/qemu-system-x86_64"
chmod +x "$tap_work/bin/qemu-system-x86_64"
: >"$tap_work/cache/vpup/kernel-6.1/vmlinuz"
run env XDG_CACHE_HOME="$tap_work/cache" PATH="$tap_work/bin" "$VPUP" doctor
check "doctor: where QEMU is" grep -qxE "ok    QEMU +$tap_work/bin/qemu-system-x86_64, for vpup lab" "$tap_work/out"
check "doctor: where the kernel is" grep -qE "^ok    lab:6.1 +$tap_work/cache/vpup/kernel-6.1/vmlinuz, for" "$tap_work/out"

run "$VPUP" run -c 4 --dump-dtb "$tap_work/x.dtb" --dump-only
check "a dump needs no guest" test "$rc" = 0 -a -s "$tap_work/x.dtb"

if [ "$(id -u)" = 0 ] && [ -e /dev/kvm ] && [ $((0$(stat -c %a /dev/kvm) & 6)) = 0 ]; then
    cp -r "$(dirname "$VPUP")/vpup" "$GUEST" "$tap_work/"
    chmod 755 "$tap_work"
    refused "no permission on /dev/kvm" 3 "no permission to open /dev/kvm: add your user" \
        setpriv --reuid=65534 --regid=65534 --clear-groups "$tap_work/vpup" run
    run setpriv --reuid=65534 --regid=65534 --clear-groups "$tap_work/vpup" doctor
    check "doctor without permission: exit status 3" test "$rc" = 3
    check "doctor names the remedy" grep -q "FAIL .*add your user" "$tap_work/out"
else
    skip "no permission on /dev/kvm" "needs root, and a /dev/kvm that others can't open"
fi
if [ ! -e /dev/kvm ]; then
    refused "no /dev/kvm" 3 "/dev/kvm is missing" "$VPUP" run
elif unshare -m true 2>/dev/null; then
    refused "no /dev/kvm" 3 "/dev/kvm" unshare -m bash -c 'mount -t tmpfs none /dev && exec "$0" run' "$VPUP"
else
    skip "no /dev/kvm" "this machine has one and it can't be hidden"
fi

why=$(no_kvm)
if [ -n "$why" ]; then
    skip "bad input that is found once /dev/kvm is open" "$why"
    tap_done
    exit 0
fi

if "$VPUP" doctor | grep -q "^ok    Hyper-V .*KVM has none of its own"; then
    refused "--hyperv kernel on a KVM without Hyper-V" 3 "lacks KVM_CAP_HYPERV; --hyperv user needs none" \
        "$VPUP" run --hyperv kernel
else
    skip "--hyperv kernel on a KVM without Hyper-V" "this host's KVM has it"
fi
limit=$("$VPUP" doctor | awk '/ VPs / { print $5 }')
refused "-c above the host's limit" 2 "at most $limit VPs" "$VPUP" run -c $((limit + 1)) -m 1G
refused "-m above the host's memory" 2 "more than this host's" "$VPUP" run -m 1000T
if grep -qwE 'svm|vmx' /proc/cpuinfo; then
    skip "--nested on a KVM that can't" "this machine may have one that can"
else
    refused "--nested on a KVM that can't" 3 "neither SVM nor VMX; .*nested=1" "$VPUP" run --nested on
fi
refused "unwritable debug console" 3 "can't write /nonexistent/x" "$VPUP" run --debugcon /nonexistent/x
run "$VPUP" run -q --debugcon "$tap_work/trace"
check "--debugcon gets the trace" test "$rc" = 0 -a -s "$tap_work/trace"
refused "missing kernel" 2 "kernel: can't read '/nonexistent': No such file" "$VPUP" run -k /nonexistent
refused "kernel is a directory" 2 "is a directory" "$VPUP" run /tmp
refused "kernel is a device" 2 "not a regular file" "$VPUP" run /dev/zero
mkfifo "$tap_work/fifo"
refused "kernel is a pipe" 2 "not a regular file" "$VPUP" run "$tap_work/fifo"
: >"$tap_work/empty"
refused "empty kernel" 2 "kernel '.*empty': " "$VPUP" run "$tap_work/empty"
head -c 65536 /dev/urandom >"$tap_work/noise"
printf 'XXXX' | dd of="$tap_work/noise" conv=notrunc 2>/dev/null
refused "kernel is no kernel" 2 "this is an unknown kind of file" "$VPUP" run "$tap_work/noise"
head -c 100 "$GUEST" >"$tap_work/cut"
refused "truncated ELF header" 2 "kernel '.*cut'" "$VPUP" run "$tap_work/cut"
head -c $(($(stat -c %s "$GUEST") / 8)) "$GUEST" >"$tap_work/half"
refused "truncated segments" 2 "kernel '.*half'" "$VPUP" run "$tap_work/half"
refused "ELF without a PVH note" 2 "PVH" "$VPUP" run /bin/sh

# multiboot NAME FLAGS PHDRS: a Multiboot header, in an ELF32 file for i386 of that many program headers.
multiboot() {
    python3 - "$tap_work/$1" "$2" "$3" <<'PY'
import struct, sys
flags, phdrs = int(sys.argv[2], 0), int(sys.argv[3])
elf = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, 0x100000, 52, 0, 0, 52, 32, phdrs, 0, 0, 0)
elf += struct.pack("<IIIIIIII", 1, 0x1000, 0x100000, 0x100000, 4096, 4096, 5, 1)
header = struct.pack("<III", 0x1badb002, flags, -(0x1badb002 + flags) & 0xffffffff)
open(sys.argv[1], "wb").write(elf + header)
PY
}
multiboot mb-cut 0 1
refused "Multiboot kernel without its segment" 2 "kernel '.*mb-cut': segment 0 .* outside the file" \
    "$VPUP" run "$tap_work/mb-cut"
multiboot mb-phdrs 0 99
refused "Multiboot kernel with 99 program headers" 2 "99 program headers" "$VPUP" run "$tap_work/mb-phdrs"
multiboot mb-video 4 1
refused "Multiboot kernel that wants graphics" 2 "a video mode" "$VPUP" run "$tap_work/mb-video"
multiboot mb-strange 0x80 1
refused "Multiboot kernel that wants the unknown" 2 "requires features 0x80" "$VPUP" run "$tap_work/mb-strange"
multiboot mb-kludge 0x10000 1
refused "Multiboot kernel without its address fields" 2 "address fields are cut short" \
    "$VPUP" run "$tap_work/mb-kludge"

# Firmware is not run for any of these: a file of its size will do.
truncate -s 64K "$tap_work/firmware"
multiboot mb-good 0 1
refused "a Multiboot kernel by firmware" 2 \
    "^vpup run: kernel '.*mb-good': this is a Multiboot kernel; firmware starts a bzImage, or an ELF64 kernel with a PVH note$" \
    "$VPUP" run --firmware "$tap_work/firmware" -k "$tap_work/mb-good"
printf '\177ELF\001\001\001' | dd of="$tap_work/elf32" bs=64 conv=sync status=none
refused "another ELF32 file by firmware" 2 "this is an ELF file; firmware starts a bzImage, or an ELF64" \
    "$VPUP" run --firmware "$tap_work/firmware" -k "$tap_work/elf32"
refused "no kernel by firmware" 2 "this is an unknown kind of file; firmware starts" \
    "$VPUP" run --firmware "$tap_work/firmware" -k "$tap_work/noise"
refused "ELF64 without a PVH note by firmware" 2 "no PVH note" \
    "$VPUP" run --firmware "$tap_work/firmware" -k /bin/sh
refused "missing initrd" 2 "initrd: can't read" "$VPUP" run -i /nonexistent
truncate -s 200M "$tap_work/big"
refused "initrd larger than memory" 2 "initrd" "$VPUP" run -m 64M -i "$tap_work/big"
refused "command line too long" 2 "command line" "$VPUP" run -a "$(head -c 5000 /dev/zero | tr '\0' x)"
refused "unwritable console file" 2 "/nonexistent" "$VPUP" run --console file=/nonexistent/x
refused "unwritable result" 2 "/nonexistent" "$VPUP" run --quiet --console none --json /nonexistent/x
refused "unwritable timeline" 2 "/nonexistent" "$VPUP" run --quiet --console none --timeline /nonexistent/x

refused "too few files allowed" 3 "[0-9]+ open files are needed, 100 are allowed" \
    bash -c 'ulimit -n 100; exec "$0" run -c 128' "$VPUP"
run bash -c 'ulimit -Sn 100; exec "$0" run -c 128 -a quiet' "$VPUP"
check "a soft limit of files is raised" test "$rc" = 0

for request in KVM_CREATE_VM KVM_CREATE_IRQCHIP KVM_CREATE_PIT2 KVM_SET_USER_MEMORY_REGION \
    KVM_GET_SUPPORTED_CPUID KVM_CREATE_VCPU:3 KVM_SET_CPUID2:2 KVM_SET_SREGS KVM_SET_REGS \
    KVM_GET_TSC_KHZ KVM_GET_API_VERSION; do
    export VPUP_FAULT=$request
    refused "$request fails" 3 "${request%:*} failed: Cannot allocate memory" \
        "$VPUP" run -c 4 --console none
    unset VPUP_FAULT
done
tap_done
