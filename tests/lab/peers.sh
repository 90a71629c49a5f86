#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# QEMU beside vpup in one L1: the same guests, to the same marks.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/lib.sh"

cd "$tap_work" || exit
# of IMPL MARK: the run's metrics, as an expression.
of() { echo "[r['metrics'] for r in d['runs'] if r['params']['impl'] == '$1' and r['params']['until'] == '$2'][0]"; }

lab --timeout 100 -- bench startup-peers -c 2 --repeat 1 --json bundled.json
told "bench startup-peers with 2 VPs" 0
check "vpup comes first to the last VP online" in_json bundled.json \
    "$(of vpup online)['mark_ms'] < $(of qemu online)['mark_ms']"

lab --timeout 200 -- bench linux-peers -c 2 --repeat 1 --json linux.json
told "bench linux-peers with 2 VPs" 0
check "both come to both marks" in_json linux.json \
    "sorted((r['params']['impl'], r['params']['until']) for r in d['runs']) == [('qemu', 'entry'), ('qemu', 'init'), ('vpup', 'entry'), ('vpup', 'init')]"
check "/init comes after the kernel's entry" in_json linux.json \
    "all(a['mark_ms'] < b['mark_ms'] for a, b in [($(of vpup entry), $(of vpup init)), ($(of qemu entry), $(of qemu init))])"
check "vpup starts the kernel in less time than QEMU" in_json linux.json \
    "$(of vpup entry)['mark_ms'] < $(of qemu entry)['mark_ms']"
check "and takes less than a fifth of its memory" in_json linux.json \
    "5 * $(of vpup init)['rss_kib'] < $(of qemu init)['rss_kib']"
tap_done
