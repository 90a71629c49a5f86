#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What happens from outside while a stock Linux runs: a press of the power button by a signal, a disk image that
# becomes shorter, a virtiofsd that dies. L1's first process is a script that leaves a waiting hand behind and goes on as the lab's.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/lib.sh"

command -v perl >/dev/null || skip_all "no perl, which loads modules in the guest"
modules=${XDG_CACHE_HOME:-$HOME/.cache}/vpup/kernel-6.1/modules/kernel
cd "$tap_work" || exit
mkdir share
cp "$modules/drivers/acpi/button.ko" "$modules/drivers/input/evdev.ko" share || exit
truncate -s 1M disk.img share/shrinks.img

# In L1: does what the guest asks for on its disk. The first word is the signal, the second who gets it.
cat >hand.sh <<E2
#!/bin/sh
asked() { until [ "\$(head -c 5 $tap_work/disk.img)" = "\$1" ]; do sleep 1; done; }
tell() {
    for p in /hand/[0-9]*; do
        read -r name <\$p/comm && [ "\$name" = \$2 ] && [ \$p != /hand/1 ] && kill -s \$1 \${p#/hand/}
    done
}
: >/dev/null
(
    mkdir /hand
    mount -t proc proc /hand
    asked press
    tell PWR vpup
    asked fatal
    tell KILL virtiofsd
) &
exec /lab/vpup "\$@"
E2
chmod +x hand.sh

# In the guest. 313 is finit_module(2); an event is 24 bytes, type, code and value from the 16th on.
# What the hand runs is named, too, so that L1 has it.
cat >guest.sh <<'E2'
mkdir /m && mount -t virtiofs m /m
perl -e 'for (@ARGV) { my $none = ""; open F, "<", $_ or die; syscall(313, fileno F, $none, 0) == 0 or die "$_: $!\n" }' /m/evdev.ko /m/button.ko
exec 3</dev/input/event0
ask() { printf $1 | dd of=/dev/vda conv=fsync status=none; }
ask press
echo "event: $(dd bs=24 count=1 status=none <&3 | od -An -tu2 -j16 -N6)"
: head sleep mkdir mount
truncate -s 8K /m/shrinks.img
dd if=/dev/vdb of=/dev/null bs=4K skip=1 count=2 iflag=direct 2>&1 | grep -oE "Input/output error|^1.0 records out"
ask fatal
while :; do : >/m/new; done
E2
lab --timeout 150 --l1-append "rdinit=$tap_work/hand.sh" -- run -m 512M -k lab:6.1 -a "hand=$tap_work/hand.sh" \
    --disk disk.img --disk share/shrinks.img --share share=m --share-cwd off --exec "$(cat guest.sh)"
check "SIGPWR: Linux has a key event, KEY_POWER pressed" grep -qE "^event: +1 +116 +1$" "$tap_work/out"
check "an image that becomes shorter: what is there can be read" grep -qxF "1+0 records out" "$tap_work/out"
check "... and what is not is an I/O error" grep -qx "Input/output error" "$tap_work/out"
told "a virtiofsd that dies under I/O ends the run with exit status 3" 3
check "... and a line that says so" grep -q "^vpup run: .*virtiofsd" "$tap_work/err"
tap_done
