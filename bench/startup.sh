#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# From spawning the process to "Brought up" on the serial console: vpup against QEMU's microvm with
# the same guest file, interleaved in one run. Usage: bench/startup.sh [ROUNDS] [CPUS...]
# Prints a table, or why it can't run here. Needs a built tree.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${1:-7}
[ $# -gt 0 ] && shift
cpus=("${@:-1 16 240}")
read -ra cpus <<<"${cpus[*]}"
build=${BUILD:-build}
guest=$build/vpup-guest.elf
line="Brought up"
append="smp=full lpj=preset"

skip() { echo "skipped: $1"; exit 0; }
command -v qemu-system-x86_64 >/dev/null || skip "no qemu-system-x86_64 (Debian: qemu-system-x86)"
[ -r /dev/kvm ] && [ -w /dev/kvm ] || skip "/dev/kvm can't be opened"
[ -x "$build/vpup" ] && [ -x "$build/time-to-line" ] || skip "not built (make all)"

with_vpup() {
    "$build/time-to-line" "$line" "$build/vpup" run -c "$1" -a "$append"
}

# Every device that the guest does not use is off, so that QEMU shows its best.
with_qemu() {
    "$build/time-to-line" "$line" qemu-system-x86_64 \
        -M microvm,pit=off,pic=off,rtc=off,isa-serial=on -accel kvm -cpu qemu64 -smp "$1" \
        -m 256 -nodefaults -display none -serial stdio -no-reboot -kernel "$guest" \
        -append "$append" 2>/dev/null
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%5s %12s %12s %8s   medians of %s, interleaved\n' VPs "vpup ms" "QEMU ms" ratio "$rounds"
for n in "${cpus[@]}"; do
    : >"$work/vpup"; : >"$work/qemu"
    for _ in $(seq "$rounds"); do
        with_vpup "$n" >>"$work/vpup"
        with_qemu "$n" >>"$work/qemu"
    done
    v=$(median <"$work/vpup") q=$(median <"$work/qemu")
    awk -v n="$n" -v v="$v" -v q="$q" 'BEGIN { printf "%5d %12.2f %12.2f %8.3f\n", n, v, q, v / q }'
done
