#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Linux in a machine with what was asked for: a device tree, a pressed button, very many VPs.
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

# More VPs than the 8 bits of an APIC ID tell apart. Each of those asked for runs a command and takes interrupts.
cat >many.sh <<'E2'
for n in 254 255 256 257 299; do
    echo 1 >/sys/devices/system/cpu/cpu$n/online
    echo "cpu $n: $(taskset -c $n cut -d ' ' -f 39 /proc/self/stat)"
done
cat /sys/devices/system/cpu/online
awk 'NR == 1 { n = NF } /^ *(LOC|HVS|CAL|RES):/ { for (i = 2; i <= n + 1; i++) sum[i] += $i }
     END { for (i = 2; i <= n + 1; i++) if (sum[i] > 0) taken++; print n " CPUs, " taken " took interrupts" }' /proc/interrupts
E2
lab --timeout 100 -- run -m 1G --share-cwd off -k lab:6.1 -c 300 -a maxcpus=1 --exec "$(cat many.sh)"
told "6.1 with 300 VPs, of which 6 are brought up" 0
for n in 254 255 256 257 299; do
    check "VP $n runs what it is told to" grep -qx "cpu $n: $n" "$tap_work/out"
done
check "these and the boot VP are online" grep -qx "0,254-257,299" "$tap_work/out"
check "all take interrupts" grep -qx "6 CPUs, 6 took interrupts" "$tap_work/out"
tap_done
