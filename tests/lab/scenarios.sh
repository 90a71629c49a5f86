#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A scenario with Linux as the guest: kernels come into L1, runs are what their cells say, lpj is told for each VP.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/lib.sh"

cd "$tap_work" || exit
lab --timeout 200 -- bench linux-lpj -c 4 --set sockets=4 --repeat 1 --json lpj.json
told "bench linux-lpj with 4 VPs" 0
told_of() { in_json lpj.json "[r for r in d['runs'] if r['params']['invtsc'] == 'off' and $1]"; }
check "three cells, one run each" in_json lpj.json \
    "sorted((r['params']['invtsc'], r['params']['lpj']) for r in d['runs']) == [('force', 'off'), ('off', 'auto'), ('off', 'off')]"
check "a preset lpj is exact" told_of "r['params']['lpj'] == 'auto' and r['metrics']['lpj_error_ppm'] < 10"
check "without one each VP calibrates: three times 60 ms and more" \
    told_of "r['params']['lpj'] == 'off' and r['metrics']['smp_bringup_ms'] > 180"
check "and the values are not all the same" \
    told_of "r['params']['lpj'] == 'off' and r['metrics']['lpj_min'] < r['metrics']['lpj_max']"
tap_done
