#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# vpup's virtio devices, driven by a stock Linux: disks, network, entropy, shared directories.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/lib.sh"

loop=$(realpath "${BUILD:-build}/net-loop")
[ -x "$loop" ] || skip_all "no $loop (make check-lab builds it)"
discard=$(PATH=$PATH:/usr/sbin:/sbin command -v blkdiscard) || skip_all "no blkdiscard (Debian: util-linux)"
cd "$tap_work" || exit
mkdir -p share/sub fixed
echo "from the host" >share/sub/hello
ln -s sub/hello share/link
echo "stays" >fixed/file
truncate -s 8M disk.img
printf 'sixteen bytes ok' | dd of=fixed.img bs=1M seek=1 conv=sync status=none

# In the guest. What is checked is what it prints.
cat >guest.sh <<E2
echo "directory \$(pwd)"
touch here 2>/dev/null || echo "directory: can't be written"
echo "through hvc0" >/dev/hvc0
echo "sizes \$(cat /sys/block/vda/size) \$(cat /sys/block/vdb/size) \$(cat /sys/block/vdb/ro)"
dd if=$loop of=/dev/vda bs=4096 seek=5 oflag=direct conv=fsync status=none && echo "disk: written"
dd if=/dev/vda bs=4096 skip=5 iflag=direct status=none | cmp -n \$(stat -c %s $loop) - $loop && echo "disk: read back"
echo "clears" \$(cat /sys/block/vd[ab]/queue/discard_max_bytes /sys/block/vda/queue/write_zeroes_max_bytes)
tr '\0' x </dev/zero | dd of=/dev/vda bs=1M count=4 iflag=fullblock conv=fsync status=none
$discard -o 1M -l 1M /dev/vda && $discard -z -o 2M -l 1M /dev/vda && tr -d '\0' </dev/vda | wc -c
dd if=/dev/zero of=/dev/vda bs=4096 seek=2048 count=1 status=none 2>&1 | grep -o "No space left on device"
echo "fixed: \$(dd if=/dev/vdb bs=16 skip=65536 count=1 status=none)"
dd if=/dev/zero of=/dev/vdb count=1 status=none 2>/dev/null || echo "fixed: can't be written"
mkdir /a /b
mount -t virtiofs data /a && cat /a/link && echo "from the guest" >/a/new && cat /a/new
mount -t virtiofs fixed /b && cat /b/file
echo x 2>/dev/null >/b/file || echo "share: can't be written"
cat /sys/class/misc/hw_random/rng_current
echo "entropy: \$(dd if=/dev/hwrng bs=64 count=1 iflag=fullblock status=none | wc -c)"
$loop 5555 7 300000
exit 7
E2
lab --timeout 200 -- run -m 512M -k lab:6.1 --disk disk.img --disk fixed.img,ro \
    --net user,hostfwd=tcp:127.0.0.1:5555-:7 --rng --share share=data --share fixed=fixed,ro \
    --virtio-console file=hvc.txt --exec "$(cat guest.sh)"
told "the command's exit status comes out" 7
says() { check "$1" grep -qxF "$2" "$tap_work/out"; }
says "the directory is the host's" "directory $tap_work"
says "the directory: writes are refused" "directory: can't be written"
check "virtio console: output" grep -q "^through hvc0" hvc.txt
says "disks have their sizes, one is read-only" "sizes 16384 4096 1"
says "disk: direct writes and a flush" "disk: written"
says "disk: what was written is there" "disk: read back"
says "disks: one discards and writes zeroes, the read-only one does not" "clears 2147483648 0 2147483648"
says "disk: what was discarded and zeroed reads as zeroes" 2097152
says "disk: it ends where its image ends" "No space left on device"
says "read-only disk: its data" "fixed: sixteen bytes ok"
says "read-only disk: writes are refused" "fixed: can't be written"
says "share: a file of the host, through a link" "from the host"
says "share: a new file" "from the guest"
says "read-only share: a file" "stays"
says "read-only share: writes are refused" "share: can't be written"
says "entropy: Linux uses the device" "virtio_rng.0"
says "entropy: it gives what is asked for" "entropy: 64"
says "network: through a forwarded port and back" "net-loop: 300000 bytes there and back"
tap_done
