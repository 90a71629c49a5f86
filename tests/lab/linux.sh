#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Debian's kernels as guests: versions, machines and ways to start them; and their logs.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/lib.sh"

"$VPUP" lab fetch --if-missing 6.12 >/dev/null 2>&1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vpup
cd "$tap_work" || exit

# linux NAME ARGS...: boots one that prints its log, and passes if the command's exit status comes out.
linux() {
    local name=$1
    shift
    lab --timeout 150 -- run -m 512M --share-cwd off "$@" --exec 'dmesg; exit 9'
    told "$name" 9
}

# What Linux says when it dislikes the machine. Left out: what it says of CPUs of that model, of a machine without
# PCI and SMBIOS, and of calibration under an emulator.
clean() {
    check "$1: a clean log" bash -c 'grep -q "Linux version" "$1" && ! grep -iE "warn|bug|error|fail|invalid|cut here|sibling|unable|conflict" "$1" |
        grep -vE "No config space access function|DMI not present|Zen1|Speculative Return Stack|calibrate_delay_direct|report a bug|invalidation|errors=|Correctable Errors|debug"' - "$tap_work/out"
}

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

linux "6.1 by qboot" -k lab:6.1 -c 2 --firmware qboot
tap_done
