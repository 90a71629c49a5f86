#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Device trees of several machines through dtc: no warning, and the VPs and nodes that were asked for.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v dtc >/dev/null || skip_all "no dtc"

# clean_source DTB DTS: decompiles and compiles again, both without a word.
clean_source() {
    local log
    log=$(dtc -I dtb -O dts -o "$2" "$1" 2>&1 && dtc -I dts -O dtb -o /dev/null "$2" 2>&1) || {
        echo "$log"
        return 1
    }
    [ -z "$log" ] || { echo "$log"; return 1; }
}

# counts DTS VPS NODES: so many VPs, on so many nodes, with a distance map only for several.
counts() {
    local vps nodes maps
    vps=$(grep -c 'device_type = "cpu";' "$1")
    nodes=$(grep -o 'numa-node-id = .*' "$1" | sort -u | wc -l)
    maps=$(grep -c 'numa-distance-map-v1' "$1")
    echo "$vps VPs, $nodes nodes, $maps distance maps"
    [ "$vps" = "$2" ] && [ "$nodes" = "$3" ] && [ "$maps" = "$(($3 > 1))" ]
}

# machine NAME VPS NODES OPTIONS...
machine() {
    local name=$1 vps=$2 nodes=$3 dtb=$tap_work/$1.dtb dts=$tap_work/$1.dts
    shift 3
    check "$name: dumped without running" "$VPUP" run "$@" --dump-dtb "$dtb" --dump-only
    check "$name: dtc has nothing to say" clean_source "$dtb" "$dts"
    check "$name: $vps VPs, $nodes nodes" counts "$dts" "$vps" "$nodes"
}

machine 1-vp 1 1 -c 1 -m 64M
machine 16-vps-2-nodes 16 2 -c 16 --numa 2 -m 1G
machine divided-sockets 24 4 -c 24,sockets=2,threads=2 --numa 4 -m 4G
machine 1024-vps 1024 8 -c 1024 --numa 8 -m 6G
tap_done
