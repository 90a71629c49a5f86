#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ACPI tables of several machines through iasl: disassembled, compiled again, and the same as before.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
command -v iasl >/dev/null || skip_all "no iasl"

# clean COMMAND...: succeeds, and its output counts no error and no warning.
clean() {
    local log
    log=$("$@" 2>&1) || { echo "$log"; return 1; }
    if grep -iE 'error|warning' <<<"$log" | grep -qv '0 Errors, 0 Warnings'; then
        echo "$log"
        return 1
    fi
}

# same_again DIR TABLE: what iasl makes of its own disassembly differs in the header alone, where
# iasl puts its name as the table's creator.
same_again() {
    local dir=$1 table=$2
    clean iasl -p "$dir/$table" -d "$dir/$table.dat" || return 1
    if [ "$table" = dsdt ]; then
        clean iasl -tc -p "$dir/$table" "$dir/$table.dsl" || return 1
    else
        clean iasl -p "$dir/$table" "$dir/$table.dsl" || return 1
    fi
    cmp -i 36 "$dir/$table.dat" "$dir/$table.aml"
}

# has_tables DIR TABLE...: the directory holds these and no others.
has_tables() {
    local dir=$1
    shift
    [ "$(cd "$dir" && echo *)" = "$(printf '%s.dat ' "$@" | sed 's/ $//')" ]
}

# lists_vps DIR VPS: both tables that list VPs have so many.
lists_vps() {
    local dsdt madt
    dsdt=$(grep -cE 'Device \(C[0-9A-F]{3}\)' "$1/dsdt.dsl")
    madt=$(grep -c 'Processor Enabled : 1' "$1/apic.dsl")
    echo "$dsdt in the DSDT, $madt in the MADT"
    [ "$dsdt" = "$2" ] && [ "$madt" = "$2" ]
}

# machine NAME VPS "TABLES" OPTIONS...
machine() {
    local name=$1 vps=$2 tables dir=$tap_work/$1 table
    read -ra tables <<<"$3"
    shift 3
    check "$name: dumped without running" "$VPUP" run "$@" --dump-acpi "$dir" --dump-only
    check "$name: ${tables[*]}" has_tables "$dir" "${tables[@]}"
    for table in "${tables[@]}"; do
        [ "$table" = rsdp ] && continue # no table header: not for iasl
        check "$name: $table" same_again "$dir" "$table"
    done
    check "$name: $vps VPs" lists_vps "$dir" "$vps"
}

one_node="apic dsdt facp rsdp xsdt"
nodes="apic dsdt facp rsdp slit srat xsdt"
machine 1-vp 1 "$one_node" -c 1 -m 64M
machine 16-vps-2-nodes 16 "$nodes" -c 16 --numa 2 -m 1G
machine 300-vps 300 "$nodes" -c 300,sockets=3,threads=2 --numa 3 -m 5G
machine 1024-vps 1024 "$nodes" -c 1024 --numa 8 -m 6G
tap_done
