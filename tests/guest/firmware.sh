#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A kernel, and a disk, started by the firmware that distributions have: SeaBIOS and qboot.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

[ -z "$(no_kvm)" ] || skip_all "$(no_kvm)"

# through NAME FILE: the bundled guest, which must come up with all its VPs.
through() {
    local name=$1 file=$2
    if [ ! -e "$file" ] && [ "$file" != "$name" ]; then
        skip "$name" "no $file on this host"
        return
    fi
    run "$VPUP" run -c 3 --firmware "$file" --timeout 100 -q --console "file=$tap_work/con"
    check "$name starts the bundled guest" test "$rc" = 0
    check "$name: all VPs are online, so the ACPI tables were found" grep -q 'Brought up 1 node, 3 CPUs' "$tap_work/con"
}

if [ -e /usr/share/qemu/qboot.rom ]; then
    through qboot qboot
else
    skip qboot "no qboot.rom on this host"
fi
through "SeaBIOS for microvm" /usr/share/seabios/bios-microvm.bin
through "SeaBIOS, 256 KiB" /usr/share/seabios/bios-256k.bin

# A boot sector that writes 'boot' to COM1 and ends the run by the exit port.
disk=$tap_work/disk
printf '\xba\xf8\x03\xb0b\xee\xb0o\xee\xb0o\xee\xb0t\xee\x30\xc0\xe6\xf4\xf4\xeb\xfd' >"$disk"
truncate -s 510 "$disk"
printf '\x55\xaa' >>"$disk"
truncate -s 1M "$disk"
if [ -e /usr/share/seabios/bios-microvm.bin ]; then
    run "$VPUP" run --firmware seabios --disk "$disk,ro" --timeout 100 -q
    check "SeaBIOS boots from a virtio disk" test "$rc" = 0
    check "and the boot sector runs" grep -q 'boot$' <<<"$out"
else
    skip "a disk" "no SeaBIOS for microvm on this host"
fi

tap_done
