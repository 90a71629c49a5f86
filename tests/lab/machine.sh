#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Linux in a machine with what was asked for: a device tree, a pressed power button; and one that panics.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/lib.sh"

cd "$tap_work" || exit

# What is there because it was asked for: a device tree, an event of the power button.
cat >asked.sh <<'E2'
cat /sys/kernel/boot_params/setup_data/*/type
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    awk '/ACPI:Ged/ && $2 > 0 { print "pressed" }' /proc/interrupts | grep . && break
    sleep 1
done
E2
lab --timeout 100 -- run -m 512M --share-cwd off -k lab:6.1 -a tables=fdt --power-off 12 --exec "$(cat asked.sh)"
told "6.1 with a device tree and a power button" 0
check "the device tree is SETUP_DTB" grep -qx 0x2 "$tap_work/out"
check "the power button is noticed" grep -qx pressed "$tap_work/out"

# A panic comes by Hyper-V's crash MSRs.
lab --timeout 100 -- run -m 512M --share-cwd off -k lab:6.1 --exec 'echo c >/proc/sysrq-trigger'
told "6.1 that panics" 5
check "its last words are shown" grep -q "sysrq triggered crash" "$tap_work/err"
tap_done
