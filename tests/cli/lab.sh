#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# vpup lab without a lab: bad input, and what a QEMU can do wrong, told by a fake one.
source "$(dirname "$0")/../lib.sh"

here=$(cd "$(dirname "$0")" && pwd)
export XDG_CACHE_HOME=$tap_work/cache
mkdir -p "$tap_work/bin" "$tap_work/modules/kernel" "$tap_work/none"
install "$here/fake_qemu.py" "$tap_work/bin/qemu-system-x86_64"
cp "$GUEST" "$tap_work/kernel" # a PVH file, which is all that is looked at
printf '\177ELF\0depends=helper\0vermagic=6.1.0 SMP\0' >"$tap_work/modules/kernel/kvm-amd.ko"
printf '\177ELF\0depends=\0' | gzip >"$tap_work/modules/helper.ko.gz"
l1=(--engine qemu-tcg --l1-kernel "$tap_work/kernel" --l1-modules "$tap_work/modules")

lab() { PATH=$tap_work/bin:$PATH "$VPUP" lab "${l1[@]}" "$@"; }
export -f lab
# broken NAME STATUS PATTERN FAKE [ARGUMENT...]: the first line of stderr matches, with this status.
broken() {
    local name=$1 status=$2 pattern=$3
    export FAKE=$4
    shift 4
    run lab "$@"
    check "$name" test "$rc" = "$status"
    check "$name: one clear line" grep -qE -- "$pattern" <(head -n 1 "$tap_work/err")
    [ "$rc" = "$status" ] || sed 's/^/# err: /' "$tap_work/err"
}

run "$VPUP" lab --help
check "help" test "$rc" = 0
check "help fits 100 columns" test "$(awk '{ if (length > m) m = length } END { print m }' "$tap_work/out")" -le 100

refused "no command" 2 "no COMMAND" "$VPUP" lab
refused "unknown option" 2 "unknown option '--engines'; did you mean '--engine'" "$VPUP" lab --engines
refused "unknown engine" 2 "is not qemu-tcg, qemu-kvm or vpup" "$VPUP" lab --engine xen -- run
refused "too little memory for the levels" 2 "depth 3 halves .*at least 1024M" "$VPUP" lab --depth 3 --l1-memory 1023M -- run
refused "a timeline that is no file" 2 "timeline: '-' is not" "$VPUP" lab --timeline - -- run
refused "depth 0" 2 "whole number from 1 to 3" "$VPUP" lab --depth 0 -- run
refused "too little memory" 2 "--l1-memory: '1M'" "$VPUP" lab --l1-memory 1M -- run
refused "no CPUs" 2 "--l1-cpus" "$VPUP" lab --l1-cpus 0 -- run
refused "bad --hyperv" 2 "is not user, kernel or off" "$VPUP" lab --hyperv on -- run
refused "bad timeout" 2 "--timeout" "$VPUP" lab --timeout 0 -- run
refused "lab-init is for L1" 2 "first process" "$VPUP" lab-init
refused "fetch of an unknown kernel" 2 "'5.10' is not 6.1 or 6.12" "$VPUP" lab fetch 5.10

refused "a kernel that is not in the cache" 2 "lab:6.1 is not in the cache; 'vpup lab fetch 6.1'" \
    "$VPUP" lab -- run -k lab:6.1
refused "the same for vpup run --dump-only" 2 "is not lab:6.1 or lab:6.12" "$VPUP" lab -- run -k lab:/
refused "an initrd that does not exist" 2 "can't read '/nonexistent'" "$VPUP" lab -- run -i /nonexistent
refused "the same, in one word" 2 "can't read '/nonexistent'" "$VPUP" lab -- run --initrd=/nonexistent
refused "a share that does not exist" 2 "^vpup lab: --share: '/nonexistent': No such file" \
    "$VPUP" lab "${l1[@]}" -- run --share /nonexistent=t
refused "a share that is a file" 2 "^vpup lab: --share: '.*kernel' is not a directory" \
    "$VPUP" lab "${l1[@]}" -- run --share="$tap_work/kernel=t,ro"
refused "a share of everything" 2 "^vpup lab: --share: '/' is all of this machine" \
    "$VPUP" lab "${l1[@]}" -- run --share /=t
refused "modules of COMMAND's that do not exist" 2 "^vpup lab: --modules: '/nonexistent': No such file" \
    "$VPUP" lab "${l1[@]}" -- run --exec true --modules /nonexistent
truncate -s 300M "$tap_work/none/large"
refused "a share that is too large" 2 "^vpup lab: '.*none' has more than 256 MiB" \
    "$VPUP" lab "${l1[@]}" -- run --share "$tap_work/none=t"
rm "$tap_work/none/large"
refused "no L1 kernel in the cache" 3 "no kernel 6.12 in the cache.*vpup lab fetch 6.12" \
    "$VPUP" lab --l1-kernel lab:6.12 -- run
refused "L1 kernel without its modules" 2 "needs --l1-modules" "$VPUP" lab --l1-kernel "$GUEST" -- run
refused "modules without their kernel" 2 "needs --l1-kernel" "$VPUP" lab --l1-modules /tmp -- run
refused "L1 kernel that does not exist" 2 "L1 kernel: can't read" \
    "$VPUP" lab --l1-kernel /nonexistent --l1-modules "$tap_work/modules" -- run
refused "L1 kernel that is none" 2 "no bzImage and no PVH" \
    "$VPUP" lab --l1-kernel "$0" --l1-modules "$tap_work/modules" -- run
head -c -100 "$GUEST" >"$tap_work/cut"
refused "a PVH kernel without its end" 2 "^vpup lab: L1 kernel '.*cut': the file is cut short" \
    "$VPUP" lab --l1-kernel "$tap_work/cut" --l1-modules "$tap_work/modules" -- run
bzimage=(--engine qemu-tcg --l1-kernel "$tap_work/bzimage" --l1-modules "$tap_work/modules")
"$here/make_bzimage.py" "$GUEST" 6.12.0 "$tap_work/bzimage"
refused "modules of another kernel" 2 "the modules in '.*modules' are for 6.1.0, the kernel '.*bzimage' is 6.12.0" \
    "$VPUP" lab "${bzimage[@]}" -- run
"$here/make_bzimage.py" "$GUEST" 6.1.0 "$tap_work/bzimage"
FAKE=exits STATUS=0 PATH=$tap_work/bin:$PATH run "$VPUP" lab "${bzimage[@]}" -- run
check "a bzImage and its modules" test "$rc$out$err" = 0outerr
printf 'XXXXXXXX' | dd of="$tap_work/bzimage" bs=1 seek=10000 conv=notrunc 2>/dev/null
refused "a bzImage with damage within" 2 "^vpup lab: L1 kernel '.*bzimage': its compressed part can't be unpacked: " \
    "$VPUP" lab "${bzimage[@]}" -- run
truncate -s 20000 "$tap_work/bzimage"
refused "half a bzImage" 2 "^vpup lab: L1 kernel '.*bzimage': .*the file is cut short" \
    "$VPUP" lab "${bzimage[@]}" -- run
refused "modules without KVM" 2 "no module kvm_amd under" \
    "$VPUP" lab --engine qemu-tcg --l1-kernel "$GUEST" --l1-modules "$tap_work/none" -- run
printf 'XX' >"$tap_work/none/kvm-amd.ko"
refused "a module that is none" 2 "kvm-amd.ko.: " \
    "$VPUP" lab --engine qemu-tcg --l1-kernel "$GUEST" --l1-modules "$tap_work/none" -- run
refused "no QEMU" 3 "no qemu-system-x86_64 here: install qemu-system-x86" \
    env PATH="$tap_work/none" "$VPUP" lab "${l1[@]}" -- run
refused "a log that can't be written" 2 "can't write /nonexistent/log: No such file" \
    "$VPUP" lab "${l1[@]}" --l1-log /nonexistent/log -- run
refused "a timeline that can't be written" 2 "can't write /nonexistent/t: No such file" \
    "$VPUP" lab "${l1[@]}" --timeline /nonexistent/t -- run
refused "no place for a cache" 3 "set XDG_CACHE_HOME or HOME" \
    env -u HOME -u XDG_CACHE_HOME "$VPUP" lab "${l1[@]}" -- run
refused "a cache that can't be made" 3 "can't make the cache '/dev/null/" \
    env XDG_CACHE_HOME=/dev/null "$VPUP" lab "${l1[@]}" -- run
run env http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 "$VPUP" lab fetch
check "fetch without network: exit status 3" test "$rc" = 3
check "fetch without network: one line that says so" grep -qE \
    "^vpup lab fetch: no kernel 6.1: (no lists from its mirror|this machine's apt sources name no|fetch needs apt)" \
    "$tap_work/err"

broken "a QEMU that refuses" 3 "qemu-tcg ended with status 1 before L1 began" refuses -- run
check "... its reason is shown" grep -q "invalid accelerator tcg" "$tap_work/err"
broken "an L1 that panics" 3 "L1 ended before COMMAND did; its last lines" panics -- run
check "... its last lines are shown" grep -q "L1: Kernel panic - not syncing: no init" "$tap_work/err"
check "... no more than ten" test "$(grep -c '  L1: ' "$tap_work/err")" = 10
check "... and its log is kept" grep -q "L1 boots" "$XDG_CACHE_HOME/vpup/l1.log"
broken "an L1 that says nothing" 3 "L1 ended before COMMAND did, and has printed nothing$" silent -- run
broken "a QEMU that crashes" 3 "killed by signal 11" crashes -- run
broken "an L1 without SVM" 3 "L1's CPU has no virtualization" no-svm -- run
broken "an L1 that hangs" 4 "COMMAND did not end within 5 s" hangs --timeout 5 -- run
for fake in damaged-frame rubbish huge-frame unknown-frame; do
    broken "$fake" 3 "what L1 sent was damaged" $fake -- run
done
broken "cut-frame" 4 "did not end within" cut-frame --timeout 5 -- run
broken "data of no file" 3 "a file out of order" lost-file -- run

export TARGET=$tap_work/victim
echo old >"$TARGET"
broken "a file that COMMAND does not name" 3 "wanted to write '.*victim', which COMMAND does not name" \
    other-file -- run
broken "a file that COMMAND reads" 3 "which COMMAND does not name" other-file -- run -i "$TARGET"
TARGET=$tap_work/dir/../victim
broken "a way out of a directory" 3 "which COMMAND does not name" other-file -- run --dump-acpi "$tap_work/dir"
TARGET=$tap_work/victim
broken "a file that is damaged on its way" 3 "victim' was damaged" damaged-file -- run --json "$TARGET"
check "... leaves the old one" test "$(cat "$TARGET")" = old
STATUS=0 broken "a file that is cut short" 3 "L1 sent '.*victim' only in part" open-file -- run --json "$TARGET"
check "... leaves the old one, too" test "$(cat "$TARGET")" = old

export STATUS=0
FAKE=exits run lab --l1-log "$tap_work/log" -- run
check "COMMAND's output comes through" test "$rc$out$err" = "0outerr"
check "--l1-log keeps L1's log" grep -q "L1 boots" "$tap_work/log"
for STATUS in 1 2 5 70; do
    FAKE=exits run lab -- run
    check "COMMAND's exit status $STATUS" test "$rc" = "$STATUS"
done
FAKE=is-killed run lab -- run
check "COMMAND that was killed" test "$rc" = 137

export STATUS=0 FAKE=exits
images=("$XDG_CACHE_HOME"/vpup/image-*)
check "the image is cached, once" test ${#images[@]} = 1
cp "${images[0]}" "$tap_work/image"
printf 'X' | dd of="${images[0]}" bs=1 seek=1000 conv=notrunc 2>/dev/null
run lab -- run
check "a damaged image is made once more" cmp "${images[0]}" "$tap_work/image"
check "no temporary files are left" test -z "$(find "$XDG_CACHE_HOME" -name '.vpup-*')"

# Ctrl-C: a process group of its own, as of a shell's job.
export FAKE=hangs PID_FILE=$tap_work/pid
PATH=$tap_work/bin:$PATH setsid "$VPUP" lab "${l1[@]}" -- run >/dev/null 2>&1 &
child=$!
for _ in $(seq 100); do [ -s "$PID_FILE" ] && break; sleep 0.1; done
kill -INT $child
wait $child
check "Ctrl-C ends vpup lab by that signal" test $? = 130
check "... and its QEMU" bash -c '! kill -0 $(cat "$0") 2>/dev/null' "$PID_FILE"
: >"$PID_FILE"
PATH=$tap_work/bin:$PATH setsid "$VPUP" lab "${l1[@]}" -- run >/dev/null 2>&1 &
child=$!
for _ in $(seq 100); do [ -s "$PID_FILE" ] && break; sleep 0.1; done
kill -KILL $child
wait $child 2>/dev/null
for _ in $(seq 50); do kill -0 "$(cat "$PID_FILE")" 2>/dev/null || break; sleep 0.1; done
check "... which ends with vpup lab however that ends" bash -c '! kill -0 $(cat "$0") 2>/dev/null' "$PID_FILE"

if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    mkdir "$tap_work/small"
    refused "a full cache disk" 3 "can't write .*small/vpup/image.*No space left" unshare -m bash -c \
        'mount -t tmpfs -o size=64k none "$0" && XDG_CACHE_HOME=$0 exec "$@"' "$tap_work/small" \
        "$VPUP" lab "${l1[@]}" -- run
else
    skip "a full cache disk" "needs root"
fi
tap_done
