#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Bad input to --pin, --noise and --fault, and what needs no VM: one clear line, exit status 2.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

for p in x "" 3-1 0- 65536 =0 16=0 0= 0=x 0=0,0=0 0=0,1; do
    refused "--pin '$p'" 2 "^vpup run: --pin: " "$VPUP" run -c 16 --pin "$p"
done
refused "--pin names what is possible" 2 "no CPU 65535: it may run on [0-9]" "$VPUP" run --pin 65535
cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
other=$((cpu == 0 ? 1 : 0))
refused "--pin to a CPU that is not allowed" 2 "no CPU $other: it may run on $cpu\$" taskset -c "$cpu" "$VPUP" run --pin "$other"

for n in x "" steal: steal:duyt=1% steal:duty steal:duty=0% steal:duty=96% steal:duty=30 steal:period=1us steal:period=1m \
    steal:jitter=-1% steal:seed=-1 steal:vps=16 steal:vps= steal:list=1 burn:threads=0 burn:threads=9999 \
    burn:cpus=65535 vm:count=0 vm:cpus=0-1 vm:cpus=1000; do
    refused "--noise '$n'" 2 "^vpup run: --noise" "$VPUP" run -c 16 --noise "$n"
done
refused "--noise with a suggestion" 2 "did you mean 'duty'" "$VPUP" run --noise steal:dutty=1%
refused "--noise burn twice" 2 "given twice" "$VPUP" run --noise burn --noise burn
many=()
for _ in $(seq 9); do many+=(--noise steal); done
refused "too many of --noise" 2 "more than 8" "$VPUP" run "${many[@]}"

"$VPUP" run -c 4 --noise steal:seed=7,list >"$tap_work/a"
"$VPUP" run -c 4 --noise steal:list,seed=7,duty=30%,period=10ms,jitter=100% >"$tap_work/b"
"$VPUP" run -c 4 --noise steal:seed=8,list >"$tap_work/c"
"$VPUP" run -c 4 --noise steal:seed=7,vps=2,list >"$tap_work/d"
check "a second of four VPs" test "$(wc -l <"$tap_work/a")" -gt 380
check "same seed, same schedule, and the defaults are as documented" cmp "$tap_work/a" "$tap_work/b"
check "another seed, another schedule" bash -c '! cmp -s "$0" "$1"' "$tap_work/a" "$tap_work/c"
check "a VP's schedule does not depend on the others" \
    diff <(awk '$1 == 2' "$tap_work/a") <(awk '$1 == 2' "$tap_work/d")
check "no VP but those that are named" test "$(awk 'NR > 1 { print $1 }' "$tap_work/d" | sort -u)" = 2

for f in "" gremlins sipi-delay sipi-delay=2 sipi-delay=0ms sipi-delay=1ms,vp=0 sipi-delay=1ms,vp=4 sipi-drop=1 sipi-drop,when=1 \
    tsc-skew=x,vp=1 same-apicid same-apicid,vp=1-2 same-apicid,vp=0 same-apicid,vp=1,in=dsdt no-pit,vp=1 \
    tsc-freq-lie=101% apic-timer-lie=-51%; do
    refused "--fault '$f'" 2 "^vpup run: --fault" "$VPUP" run -c 4 --fault "$f"
done
refused "--fault with a suggestion" 2 "did you mean 'sipi-drop'" "$VPUP" run -c 4 --fault spi-drop
refused "--fault that is Hyper-V's" 2 "need --hyperv user" "$VPUP" run --hyperv off --fault tsc-freq-lie=1%
refused "--fault that is the guest's" 2 "it takes no kernel" "$VPUP" run --fault stimer-before-simp /bin/true
many=()
for _ in $(seq 17); do many+=(--fault no-pit); done
refused "too many of --fault" 2 "more than 16" "$VPUP" run "${many[@]}"
mkdir "$tap_work/acpi"
"$VPUP" run -c 4 --fault same-apicid,vp=2,as=1 --dump-acpi "$tap_work/acpi" --dump-only
check "the tables that are dumped have the fault" test "$(od -An -tu1 -v "$tap_work/acpi/apic.dat" | tr -s ' \n' ' ' |
    grep -o ' 0 8 [0-9]* [0-9]* 1 0 0 0' | cut -d' ' -f5 | tr '\n' ' ')" = "0 1 1 3 "
tap_done
