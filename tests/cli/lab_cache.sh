#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The lab's cache: a kernel fetched by a fake apt, run by a fake QEMU, and everything damaged in between.
source "$(dirname "$0")/../lib.sh"

command -v dpkg-deb >/dev/null || skip_all "no dpkg-deb"
grep -rqsE "debian/?( |\$)" /etc/apt/sources.list /etc/apt/sources.list.d || skip_all "apt knows no mirror of Debian"
here=$(cd "$(dirname "$0")" && pwd)
export XDG_CACHE_HOME=$tap_work/cache STATUS=0 FAKE=exits
cache=$XDG_CACHE_HOME/vpup stored=$XDG_CACHE_HOME/vpup/kernel-6.1
modules=lib/modules/6.1.0-9/kernel

mkdir -p "$tap_work/bin" "$tap_work/package/DEBIAN" "$tap_work/package/boot" "$tap_work/package/$modules"
install "$here/fake_qemu.py" "$tap_work/bin/qemu-system-x86_64"
printf 'Package: linux-image-6.1.0-9\nVersion: 1\nArchitecture: amd64\nMaintainer: none\nDescription: none\n' \
    >"$tap_work/package/DEBIAN/control"
"$here/make_bzimage.py" "$GUEST" 6.1.0-9 "$tap_work/package/boot/vmlinuz-6.1.0-9"
printf '\177ELF\0depends=kvm\0vermagic=6.1.0-9 SMP\0' >"$tap_work/package/$modules/kvm-amd.ko"
printf '\177ELF\0depends=\0vermagic=6.1.0-9 SMP\0' >"$tap_work/package/$modules/kvm.ko"
dpkg-deb --build "$tap_work/package" "$tap_work/linux-image-6.1.0-9_1_amd64.deb" >/dev/null || exit

cat >"$tap_work/bin/apt-get" <<'APT'
#!/bin/sh
case "$*" in
*" download "*) cp "$PACKAGE" . ;;
esac
APT
printf '#!/bin/sh\n' >"$tap_work/bin/apt-config"
printf '#!/bin/sh\necho "  Depends: linux-image-6.1.0-9"\n' >"$tap_work/bin/apt-cache"
chmod +x "$tap_work"/bin/*
export PACKAGE=$tap_work/linux-image-6.1.0-9_1_amd64.deb PATH=$tap_work/bin:$PATH

fetch() { "$VPUP" lab fetch "$@"; }
lab() { "$VPUP" lab --engine qemu-tcg --l1-kernel lab:6.1 --timeout 20 -- run; }
flip() { printf 'X' | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null; }
is_whole() { cmp "$stored/vmlinuz" "$tap_work/package/boot/vmlinuz-6.1.0-9" &&
    diff -r "$stored/modules" "$tap_work/package/lib/modules/6.1.0-9"; }
# mended NAME: the lab runs, and what is in the cache is as it was.
mended() {
    run lab
    check "$1: the lab runs" test "$rc$out$err" = 0outerr
    check "$1: unpacked once more" is_whole
}

run fetch
check "fetch" test "$rc$out" = "0lab:6.1 is linux-image-6.1.0-9"
mended "nothing damaged"
flip "$stored/vmlinuz" 3000
mended "a kernel that is changed"
truncate -s 3000 "$stored/vmlinuz"
mended "a kernel that is cut short"
rm "$stored/vmlinuz"
mended "a kernel that is gone"
flip "$stored/modules/kernel/kvm.ko" 6
mended "a module that is changed"
truncate -s 0 "$stored/modules/kernel/kvm.ko"
mended "a module that is empty"
rm -r "$stored/modules"
mended "modules that are gone"

lost="^vpup lab: no kernel 6.1 in the cache, or a damaged one; 'vpup lab fetch 6.1' gets it"
flip "$stored/package.deb" 200
run fetch --if-missing
check "a package that is changed is not missed as long as what came from it is whole" test "$rc$out" = 0
flip "$stored/vmlinuz" 3000
refused "kernel and package changed" 3 "$lost" lab
run fetch --if-missing
check "... are fetched again" test "$rc$out" = "0lab:6.1 is linux-image-6.1.0-9"
truncate -s 5 "$stored/sums"
refused "checksums cut short" 3 "$lost" lab
run fetch --if-missing
mended "... and fetched again"

for kind in vmlinux image; do
    name=$(basename "$cache/$kind"-*)
    cp "$cache/$name" "$tap_work/was"
    for how in "flip $cache/$name 100" "truncate -s 100 $cache/$name" "truncate -s 0 $cache/$name"; do
        $how
        run lab
        check "$kind after ${how%% "$cache"*}: the lab runs" test "$rc" = 0
        check "$kind after ${how%% "$cache"*}: made once more" cmp "$cache/$name" "$tap_work/was"
    done
done

mv "$PACKAGE" "$tap_work/whole.deb"
head -c 1000 "$tap_work/whole.deb" >"$PACKAGE"
refused "a package that is cut short" 3 "^vpup lab fetch: no kernel 6.1: dpkg-deb failed" fetch
mended "... leaves the old kernel"
printf '#!/bin/sh\necho "E: No space left on device" >&2\nexit 100\n' >"$tap_work/bin/apt-get"
refused "an apt that fails" 3 "^vpup lab fetch: no kernel 6.1: no lists from its mirror: .*No space left" fetch
check "no temporary files are left" test -z "$(find "$cache" -name '*.new' -o -name '.vpup-*')"
mkdir "$tap_work/none"
refused "no apt" 3 "^vpup lab fetch: no kernel 6.1: fetch needs apt" env PATH="$tap_work/none" "$VPUP" lab fetch
tap_done
