#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Ways to start a Linux: through firmware, unpacked; and a kernel that was not made for clouds.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/lib.sh"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/vpup
cd "$tap_work" || exit

linux "6.1 by qboot" -k lab:6.1 -c 2 --firmware qboot

# Through firmware the timeline has a span for it, and the log's marks behind it, without a console.
lab --timeout 100 -- run -m 512M --share-cwd off -k lab:6.1 --firmware seabios --timeline t.json --exec 'exit 9'
told "6.1 by SeaBIOS" 9
span() { echo "[e['ts'] + e['dur'] for e in d['traceEvents'] if e['ph'] == 'X' and e['name'] == '$1'][0]"; }
check "SeaBIOS: a span for firmware, then for Linux" in_json t.json \
    "0 < $(span firmware) < $(span 'boot VP alone') < $(span 'SMP bring-up') < $(span init)"

# Unpacked, as the lab boots it as L1: an ELF file with a PVH note.
elf=$(find "$cache" -maxdepth 1 -name 'vmlinux-*' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2)
if [ -n "$elf" ]; then
    cp "$elf" vmlinux
    linux "a vmlinux by PVH" -k vmlinux -c 2
    clean "a vmlinux by PVH"
else
    skip "a vmlinux by PVH" "the cache has no unpacked kernel"
fi

# Not made for clouds: it has drivers for everything.
generic=$(apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-6\.1\.[^ ]*\)$/\1/p')
if [ -n "$generic" ] && apt-get download -qq "$generic" >/dev/null 2>&1; then
    dpkg-deb --fsys-tarfile "$generic"_*.deb | tar -x --wildcards './boot/vmlinuz-*'
    linux "Debian's generic $generic" -k boot/vmlinuz-* -c 2
    clean "Debian's generic $generic"
else
    skip "Debian's generic 6.1" "this machine's sources have none"
fi
tap_done
