#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# More VPs than an xAPIC has IDs for, in a stock Linux: some of them are brought up later, and used.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/lib.sh"

cd "$tap_work" || exit

# In the guest. Field 39 of stat is the CPU that a process ran on last.
cat >guest.sh <<'E2'
for n in 254 255 256 257 299; do echo 1 >/sys/devices/system/cpu/cpu$n/online; done
echo "online: $(cat /sys/devices/system/cpu/online)"
for n in 254 255 256 257 299; do
    taskset -c $n sh -c 'read -r s </proc/self/stat; set -- $s; echo "a command ran on ${39}"'
done
cat /proc/interrupts
exit 7
E2
lab --timeout 120 -- run -m 1G -k lab:6.1 -c 300 -a maxcpus=1 --share-cwd off --exec "$(cat guest.sh)"
told "300 VPs: Linux boots with one, and the command's exit status comes out" 7
says() { check "$1" grep -qxF "$2" "$tap_work/out"; }
says "those are online that it was told to bring up" "online: 0,254-257,299"
for n in 254 255 256 257 299; do
    says "VP $n runs a command" "a command ran on $n"
done

# counted NAME ROW: each of the five has taken such interrupts; CPU 0 is the first column.
counted() {
    check "all five take $1" awk -v row="$2:" '$1 == row { for (i = 3; i <= 7; i++) good += $i > 0 } END { exit good != 5 }' "$tap_work/out"
}
counted "ticks of Hyper-V's timer" HVS
counted "function calls from other VPs" CAL
counted "rescheduling interrupts from other VPs" RES
tap_done
