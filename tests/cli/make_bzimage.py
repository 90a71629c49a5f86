#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_bzimage.py VMLINUX VERSION OUT: a bzImage of that kernel as far as vpup lab looks at one (boot.rst)."""
import lzma
import struct
import sys

SECTORS, PAYLOAD_OFFSET = 4, 0x300

kernel = open(sys.argv[1], "rb").read()
payload = lzma.compress(kernel, check=lzma.CHECK_CRC32) + struct.pack("<I", len(kernel))
body = bytes(PAYLOAD_OFFSET) + payload
body += bytes(-len(body) % 16)
setup = bytearray((SECTORS + 1) * 512)
for at, form, value in [
    (0x1F1, "B", SECTORS),
    (0x1F4, "I", len(body) // 16),  # syssize
    (0x1FE, "H", 0xAA55),
    (0x200, "H", 0x66EB),  # the header ends at 0x268
    (0x202, "4s", b"HdrS"),
    (0x206, "H", 0x20F),  # boot protocol
    (0x20E, "H", 0x300 - 0x200),  # where VERSION stands
    (0x211, "B", 1),  # loaded high
    (0x230, "I", 0x200000),  # alignment
    (0x236, "H", 1),  # 64-bit entry
    (0x248, "I", PAYLOAD_OFFSET),
    (0x24C, "I", len(payload)),
    (0x258, "Q", 0x1000000),  # preferred address
    (0x260, "I", len(body) + len(kernel)),  # init_size
    (0x300, "64s", sys.argv[2].encode()),
]:
    struct.pack_into("<" + form, setup, at, value)
open(sys.argv[3], "wb").write(setup + body)
