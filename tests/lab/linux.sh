#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Debian's kernels as guests: versions and machines; and their logs.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/lib.sh"

"$VPUP" lab fetch --if-missing 6.12 >/dev/null 2>&1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vpup
cd "$tap_work" || exit

linux "6.1: 16 VPs in 4 nodes" -k lab:6.1 -c 16 --numa 4
clean "6.1: 16 VPs in 4 nodes"
check "6.1: Hyper-V is detected" grep -q "Hypervisor detected: Microsoft Hyper-V" "$tap_work/out"
check "6.1: all are online" grep -q "Brought up 4 nodes, 16 CPUs" "$tap_work/out"

if [ -e "$cache/kernel-6.12/vmlinuz" ]; then
    linux "6.12: one VP" -k lab:6.12
    clean "6.12: one VP"
    linux "6.12: 4 VPs" -k lab:6.12 -c 4
    clean "6.12: 4 VPs"
else
    skip "6.12" "vpup lab fetch 6.12 got none"
fi

linux "6.1 without Hyper-V" -k lab:6.1 -c 2 --hyperv off
check "without Hyper-V: the TSC's frequency is KVM's" grep -q "kvm-clock: " "$tap_work/out"
tap_done
