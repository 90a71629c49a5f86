#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The bundled guest under QEMU: the same file boots there, and vpup reads its trace.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

command -v qemu-system-x86_64 >/dev/null || skip_all "no qemu-system-x86_64 (Debian: qemu-system-x86)"
if ! qemu-system-x86_64 -M help | grep -q '^microvm '; then
    skip_all "this qemu-system-x86_64 has no microvm machine"
fi

# With TCG the guest finds no hypervisor that tells it frequencies (so it needs the PIT) and, before
# QEMU 9, no x2APIC; with KVM both. So the two take different ways through the guest.
accels=tcg
why=$(no_kvm)
[ -n "$why" ] || accels="kvm tcg"

# machine ACCEL TYPE: options for a machine with no device that the guest does not use.
machine() {
    local pit=off
    [ "$1" = kvm ] || pit=on
    case $2 in
    microvm) echo "-M microvm,pit=$pit,pic=off,rtc=off,isa-serial=on -accel $1" ;;
    *) echo "-M $2 -accel $1" ;;
    esac
}

# qemu ACCEL TYPE APPEND ARGS...: one boot. Leaves $rc, $tap_work/console and $tap_work/trace.
qemu() {
    local options append=$3
    read -ra options <<<"$(machine "$1" "$2")"
    shift 3
    rm -f "$tap_work/trace"
    rc=0
    timeout 60 qemu-system-x86_64 "${options[@]}" -cpu qemu64 -m 256 -nodefaults -display none \
        -serial "file:$tap_work/serial" -debugcon "file:$tap_work/trace" \
        -device isa-debug-exit,iobase=0xf4 -no-reboot -kernel "$GUEST" -append "$append" "$@" \
        >"$tap_work/qemu" 2>&1 </dev/null || rc=$?
    tr -d '\r' <"$tap_work/serial" >"$tap_work/console"
    sed 's/^/qemu: /' "$tap_work/qemu"
    cat "$tap_work/console"
}

# The device turns code n into exit status 2n + 1.
ends_with() { [ "$rc" = $((2 * $1 + 1)) ] || { echo "exit status $rc"; return 1; }; }

# online N NODES ACCEL TYPE APPEND ARGS...: all there, by console, exit status and trace.
online() {
    local n=$1 nodes=$2 line
    shift 2
    line="smp: Brought up $nodes node$([ "$nodes" = 1 ] || echo s), $n CPU$([ "$n" = 1 ] || echo s)"
    qemu "$@"
    ends_with 0 || return 1
    [ "$(grep -cE "^\[ *[0-9]+\.[0-9]{6}\] $line\$" "$tap_work/console")" = 1 ] || return 1
    "$VPUP" decode "$tap_work/trace" >"$tap_work/decoded" || return 1
    cat "$tap_work/decoded"
    grep -qE "^VPs +$n of $n online, $nodes node" "$tap_work/decoded"
}

# No QEMU has Hyper-V here: the one test that needs no more says so, in the trace and on the console.
tests_fail() {
    qemu "$1" "$2" "test=all quiet"
    ends_with 1 || return 1
    grep -q "not ok 1 - interface: " "$tap_work/console" || return 1
    "$VPUP" decode --tap "$tap_work/trace" >"$tap_work/decoded" 2>&1
    [ $? = 1 ] || return 1
    cat "$tap_work/decoded"
    grep -qx "TAP version 13" "$tap_work/decoded" && grep -qx "1..1" "$tap_work/decoded" &&
        grep -q "^not ok 1 - interface: " "$tap_work/decoded"
}

refuses() {
    local pattern=$1
    shift
    qemu "$@"
    ends_with 1 && grep -qE "$pattern" "$tap_work/console"
}

# quiet ACCEL TYPE APPEND: the console has one line and nothing else.
one_line() {
    online 2 1 "$1" "$2" "$3" -smp 2 && [ "$(wc -l <"$tap_work/console")" = 1 ]
}

for accel in $accels; do
    for n in 1 4; do
        check "$accel: $n VPs, all at once" online "$n" 1 "$accel" microvm "smp=full" -smp "$n"
    done
    check "$accel: 4 VPs, one after the other" online 4 1 "$accel" microvm "smp=serial" -smp 4
    check "$accel: 4 VPs, kicked at once" online 4 1 "$accel" microvm "smp=kick" -smp 4
    check "$accel: 4 VPs, initialised at once, modelled costs" online 4 1 "$accel" microvm \
        "smp=init lpj=known ucode_us=1000 identify_us=100 tscsync_us=1000 online_us=100" -smp 4,sockets=2,cores=1,threads=2
    check "$accel: no VP starts by hypercall without Hyper-V" \
        refuses 'failed: smp=hvcall: the hypervisor is not Hyper-V' "$accel" microvm "smp=hvcall"
    check "$accel: 2 VPs, calibrated" online 2 1 "$accel" microvm "lpj=calibrate" -smp 2
    check "$accel: lpj=fine" online 2 1 "$accel" microvm "lpj=fine" -smp 2
    check "$accel: quiet" one_line "$accel" microvm "quiet"
    check "$accel: places for VPs that are not there are not counted" \
        online 2 1 "$accel" microvm "" -smp 2,maxcpus=4
    check "$accel: nodes from QEMU's SRAT" online 4 2 "$accel" q35 "" -smp 4 \
        -object memory-backend-ram,id=a,size=128M -object memory-backend-ram,id=b,size=128M \
        -numa node,cpus=0-1,memdev=a -numa node,cpus=2-3,memdev=b
    check "$accel: a wrong value is refused" \
        refuses 'failed: smp=sideways: it must be one of .*full' "$accel" microvm "smp=sideways"
    check "$accel: a device tree that is not there" \
        refuses 'failed: tables=fdt:' "$accel" microvm "tables=fdt"
    check "$accel: tests fail where there is no Hyper-V, and decode tells" tests_fail "$accel" microvm
done

# The device tree that vpup makes, handed over by QEMU.
accel=${accels%% *}
if "$VPUP" run -c 4 --numa 2 --dump-only --dump-dtb "$tap_work/dtb" >/dev/null 2>&1 && [ -s "$tap_work/dtb" ]; then
    check "$accel: nodes from a device tree" \
        online 4 2 "$accel" microvm "tables=fdt" -smp 4 -initrd "$tap_work/dtb"
else
    skip "$accel: nodes from a device tree" "vpup run --dump-dtb does not work here"
fi
tap_done
