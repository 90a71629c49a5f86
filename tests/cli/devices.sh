#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What may stand behind --disk, --net and --share, and what must be refused before anything runs.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

disk=$tap_work/disk
truncate -s 1M "$disk"
truncate -s 1000 "$tap_work/odd"
: >"$tap_work/empty"

refused "--disk: a directory" 2 "disk '/tmp' is a directory" "$VPUP" run --disk /tmp
refused "--disk: no such file" 2 "can't open disk '/nonexistent'" "$VPUP" run --disk /nonexistent
refused "--disk: empty" 2 "disk '.*empty' is empty" "$VPUP" run --disk "$tap_work/empty"
refused "--disk: no whole sectors" 2 "disk '.*odd' has 1000 bytes" "$VPUP" run --disk "$tap_work/odd"
refused "--disk: a device that is none" 2 "neither a file nor a block" "$VPUP" run --disk /dev/null
refused "--disk: twice for writing" 2 "is in use by another program" "$VPUP" run --disk "$disk" --disk "$disk"
refused "--disk: too many" 2 "--disk: more than 4" "$VPUP" run --disk "$disk,ro" --disk "$disk,ro" \
    --disk "$disk,ro" --disk "$disk,ro" --disk "$disk,ro"

refused "--net: unknown" 2 "--net: 'bridge' is not user" "$VPUP" run --net bridge
refused "--net tap without a name" 2 "--net tap=: '' is no name" "$VPUP" run --net tap=
refused "--net tap that does not exist" 2 "--net tap=nope0: no such interface" "$VPUP" run --net tap=nope0
refused "--virtio-console: another kind" 2 "--virtio-console: .stdio. is not pty, unix=PATH" "$VPUP" run --virtio-console stdio
refused "--net tap with a long name" 2 "no name of an interface" "$VPUP" run --net tap=abcdefghijklmnop
refused "--net user: bad rule" 2 "'hostfwd=tcp::80' is not" "$VPUP" run --net user,hostfwd=tcp::80
refused "--net user: unknown key" 2 "'dns=1.1.1.1' is not" "$VPUP" run --net user,dns=1.1.1.1

refused "--share without a tag" 2 "'/tmp' is not DIR=TAG" "$VPUP" run --share /tmp
refused "--share with an empty tag" 2 "tag '' must have" "$VPUP" run --share /tmp=
refused "--share with a long tag" 2 "must have 1 to 36" "$VPUP" run --share "/tmp=$(printf 'x%.0s' {1..37})"
refused "--share: no such directory" 2 "--share: '/nonexistent'" "$VPUP" run --share /nonexistent=x
refused "--share: a file" 2 "is not a directory" "$VPUP" run --share "$disk=x"

if [ -n "$(no_kvm)" ]; then
    skip "a machine with all devices" "$(no_kvm)"
else
    refused "--virtio-console: a file that can't be written" 2 "console file ./nonexistent/x." \
        "$VPUP" run --virtio-console file=/nonexistent/x
    run "$VPUP" run --disk "$disk" --disk "$disk.2,ro" --rng --append quiet
    check "a disk that is not there stops all" test "$rc" = 2
    cp "$disk" "$disk.2"
    run "$VPUP" run --disk "$disk" --disk "$disk.2,ro" --rng --net user --append quiet --timeout 60
    check "a machine with disks, network and entropy runs" test "$rc" = 0
    run "$VPUP" run --disk "$disk" --append quiet --timeout 60
    check "the disk is free again afterwards" test "$rc" = 0
    VPUP_FAULT=KVM_IOEVENTFD:2 run "$VPUP" run --net user
    check "a KVM that refuses an ioeventfd: exit status 3" test "$rc" = 3
    check "and its name" grep -q "KVM_IOEVENTFD failed" "$tap_work/err"
fi

tap_done
