#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The main job, shown: what a preset lpj is worth at 16 VPs. Usage: scripts/demo.sh VPUP
# Without a /dev/kvm it runs in the lab, whose emulator brings a KVM of its own.
set -euo pipefail
vpup=${1:?usage: demo.sh VPUP}

if [ -r /dev/kvm ] && [ -w /dev/kvm ]; then
    exec "$vpup" bench lpj -c 16
fi
echo "No /dev/kvm that can be opened here ('$vpup doctor' says why): this runs in the lab."
"$(dirname "$0")/deps.sh" lab
"$vpup" lab fetch --if-missing
exec "$vpup" lab --timeout 900 -- bench lpj -c 16
