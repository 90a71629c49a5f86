#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what a step needs and lacks: deps.sh build|check|lab. Silent when nothing is missing.
# Debian and Ubuntu only; elsewhere it prints what to install and fails.
set -euo pipefail

step=${1:?usage: deps.sh build|check|lab}

# One at a time: a parallel make may ask for both steps at once.
exec 9<"$0"
flock 9

# Each line: how to see that it is there, and the package that brings it.
build_needs='
command gcc            gcc
command make           make
command pkg-config     pkg-config
header  linux/kvm.h    linux-libc-dev
header  stdio.h        libc6-dev
header  libfdt.h       libfdt-dev
header  archive.h      libarchive-dev
header  jansson.h      libjansson-dev
header  slirp/libslirp.h libslirp-dev
header  xxhash.h       libxxhash-dev
'
check_needs='
header  check.h        check
command clang          clang
command clang-format   clang-format
command iasl           acpica-tools
command dtc            device-tree-compiler
command valgrind       valgrind
command qemu-system-x86_64 qemu-system-x86
command python3        python3
'

# Wanted for the checks, but not worth a failure: Ubuntu has no browser as a plain package, and the
# test of the report is skipped without one. 98 MB, 300 MB installed, 13 s where it was measured; tried
# only where something else is installed anyway.
check_wants='
command chromium-headless-shell chromium-headless-shell
'

# For `make demo` where there is no /dev/kvm.
lab_needs='
command qemu-system-x86_64 qemu-system-x86
'

there() {
    case $1 in
    command) command -v "$2" >/dev/null 2>&1 ;;
    header) [ -e "/usr/include/$2" ] || [ -e "/usr/include/$(uname -m)-linux-gnu/$2" ] ;;
    esac
}

missing=()
collect() {
    local kind what package
    while read -r kind what package; do
        [ -z "$kind" ] || there "$kind" "$what" || missing+=("$package")
    done <<<"$1"
}

collect "$build_needs"
case $step in
check) collect "$check_needs" ;;
lab) collect "$lab_needs" ;;
esac
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "vpup: please install (Debian's names): ${missing[*]}" >&2
    exit 1
fi
as_root=()
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "vpup: not root and no sudo; please install: ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "  DEPS    ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y \
        --no-install-recommends "${missing[@]}" </dev/null >"$log" 2>&1
}
# A machine whose package lists are missing or old needs an update first.
if ! install; then
    "${as_root[@]}" apt-get update </dev/null >"$log" 2>&1 || true
    if ! install; then
        echo "vpup: could not install ${missing[*]}:" >&2
        tail -n 20 "$log" >&2
        exit 1
    fi
fi
[ "$step" = check ] || exit 0
missing=()
collect "$check_wants"
if [ ${#missing[@]} -gt 0 ] && apt-cache show "${missing[@]}" >"$log" 2>&1; then
    echo "  DEPS    ${missing[*]}"
    install || true
fi
