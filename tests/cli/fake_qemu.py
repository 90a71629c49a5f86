#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stands in for QEMU in tests/cli/lab.sh: does to vpup lab what FAKE says a real one might do."""
import os
import struct
import sys
import time

MARK, STDOUT, STDERR, FILE, DATA, FILE_END, FAIL, EXIT = range(1, 9)


def xxh32(data, seed):
    p1, p2, p3, p4, p5, mask = 2654435761, 2246822519, 3266489917, 668265263, 374761393, 0xFFFFFFFF

    def rotate(x, n):
        return (x << n | x >> 32 - n) & mask

    at = 0
    if len(data) >= 16:
        v = [(seed + p1 + p2) & mask, (seed + p2) & mask, seed, (seed - p1) & mask]
        while at <= len(data) - 16:
            for i in range(4):
                lane = struct.unpack_from("<I", data, at)[0]
                v[i] = rotate((v[i] + lane * p2) & mask, 13) * p1 & mask
                at += 4
        h = (rotate(v[0], 1) + rotate(v[1], 7) + rotate(v[2], 12) + rotate(v[3], 18)) & mask
    else:
        h = (seed + p5) & mask
    h = (h + len(data)) & mask
    while at <= len(data) - 4:
        h = rotate((h + struct.unpack_from("<I", data, at)[0] * p3) & mask, 17) * p4 & mask
        at += 4
    for byte in data[at:]:
        h = rotate((h + byte * p5) & mask, 11) * p1 & mask
    h = (h ^ h >> 15) * p2 & mask
    h = (h ^ h >> 13) * p3 & mask
    return h ^ h >> 16


def send(kind, data=b"", damage=0):
    head = struct.pack("<IIII", 0x4E55B1AB, kind, len(data), xxh32(data, kind) ^ damage)
    os.write(4, head + data)


def log(text):
    os.write(3, text.encode())


def exit_with(status):
    send(EXIT, struct.pack("<I", status))
    time.sleep(60)


what = os.environ["FAKE"]
if what == "refuses":
    print("qemu: warning: something", file=sys.stderr)
    print("qemu: -accel tcg: invalid accelerator tcg", file=sys.stderr)
    sys.exit(1)
if what == "silent":
    sys.exit(0)
log("L1 boots\n")
if what == "panics":
    log("line\n" * 100 + "Kernel panic - not syncing: no init\n" + "trace\n" * 100)
    sys.exit(0)
if what == "crashes":
    os.kill(os.getpid(), 11)
send(MARK, struct.pack("<Q", 1) + b"kernel")
if what == "hangs":
    if "PID_FILE" in os.environ:
        open(os.environ["PID_FILE"], "w").write(str(os.getpid()))
    time.sleep(60)
elif what == "no-svm":
    send(FAIL, struct.pack("<I", 3) + b"L1's CPU has no virtualization")
elif what == "exits":
    send(STDOUT, b"out\n")
    send(STDERR, b"err\n")
    exit_with(int(os.environ["STATUS"]) << 8)
elif what == "is-killed":
    exit_with(9)
elif what == "damaged-frame":
    send(STDOUT, b"x", damage=1)
elif what == "rubbish":
    os.write(4, b"this is not a frame at all")
elif what == "cut-frame":
    os.write(4, struct.pack("<IIII", 0x4E55B1AB, STDOUT, 100, 0) + b"short")
elif what == "huge-frame":
    os.write(4, struct.pack("<IIII", 0x4E55B1AB, STDOUT, 1 << 31, 0))
elif what == "unknown-frame":
    send(99)
elif what == "other-file":
    send(FILE, os.environ["TARGET"].encode())
elif what == "damaged-file":
    send(FILE, os.environ["TARGET"].encode())
    send(DATA, b"half of it")
    send(FILE_END, bytes(16))
elif what == "lost-file":
    send(DATA, b"of no file")
elif what == "open-file":
    send(FILE, os.environ["TARGET"].encode())
    send(DATA, b"half of it")
    exit_with(0)
time.sleep(60)
