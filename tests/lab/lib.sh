# SPDX-License-Identifier: MIT
# For the lab's tests: sourced after tests/lib.sh. Skips all where there can be no lab.
# shellcheck shell=bash
command -v qemu-system-x86_64 >/dev/null || skip_all "no qemu-system-x86_64 (Debian: qemu-system-x86)"
if ! why=$("$VPUP" lab fetch --if-missing 2>&1); then
    skip_all "${why#vpup lab fetch: }"
fi

# in_json FILE EXPRESSION: python's opinion of a JSON document d.
in_json() {
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' "$1" "$2"
}
