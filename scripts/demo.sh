#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The main job, shown: what a preset lpj is worth at 16 VPs. Usage: scripts/demo.sh VPUP
set -euo pipefail
vpup=${1:?usage: demo.sh VPUP}

if [ ! -r /dev/kvm ] || [ ! -w /dev/kvm ]; then
    echo "This machine can't run the demo:"
    "$vpup" doctor || true
    exit 3
fi
exec "$vpup" bench lpj -c 16
