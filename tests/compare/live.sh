#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# False alarms and misses of `vpup bench --against` on this machine, now: vpup against itself, and against
# a vpup in which one stage costs 10 % less. Takes minutes; ALARM_RUNS and PLANT_RUNS are the runs of each
# side in a comparison.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
alarm_runs=${ALARM_RUNS:-20} plant_runs=${PLANT_RUNS:-40}

why=$(no_kvm)
[ -z "$why" ] || skip_all "$why"
cp "$VPUP" "$GUEST" "$tap_work/" # what "a saved binary" is

# The cell says 5500 us, but this vpup does it in 5000.
cat >"$tap_work/faster" <<'S'
#!/usr/bin/env bash
set -o pipefail
"$VPUP" "${@//online_us=5500/online_us=5000}" | sed 's/"online_us": 5000/"online_us": 5500/'
S
chmod +x "$tap_work/faster"

# compare RUNS BINARY [OPTION...]: one comparison, its table in out.
compare() {
    local runs=$1 binary=$2
    shift 2
    run "$VPUP" bench lpj -c 4 --set lpj=preset "$@" --repeat "$runs" --against "$binary" -q
}

alarms=0
for _ in {1..100}; do
    compare "$alarm_runs" "$tap_work/vpup"
    [ "$rc" = 0 ] || { alarms=$((alarms + 1)); grep 'worse$' "$tap_work/out" | sed 's/^/# /'; }
done
echo "# A/A, $alarm_runs runs: $alarms of 100 comparisons gave an alarm"
check "at most 1 false alarm in 100 comparisons" test $alarms -le 1

found=0
for _ in {1..20}; do
    compare "$plant_runs" "$tap_work/faster" --set online_us=5500
    if [ "$rc" = 1 ] && grep -qE '^stage\.online_work_ms .* worse$' "$tap_work/out"; then
        found=$((found + 1))
    else
        grep -E '^stage\.online_work_ms ' "$tap_work/out" | sed 's/^/# /'
    fi
done
echo "# a stage 10 % slower, $plant_runs runs: found in $found of 20 comparisons"
check "10 % in a stage is found in at least 19 of 20 comparisons" test $found -ge 19
tap_done
