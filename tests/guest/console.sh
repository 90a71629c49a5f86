#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Consoles with a guest that echoes what it reads: terminal with its escape key, pipe, pty, socket.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

why=$(no_kvm)
[ -z "$why" ] || skip_all "$why"

# A Multiboot kernel that sends every byte back, and ends at 'q'.
python3 - "$tap_work/echo" <<'PY'
import struct, sys
code = bytes.fromhex(
    "66bafd03"    # mov dx, 0x3fd
    "ec" "a801"   # L: in al, dx; test al, 1
    "74fb"        # jz L
    "66baf803ec"  # mov dx, 0x3f8; in al, dx
    "3c71" "7403" # cmp al, 'q'; je Q
    "ee" "ebeb"   # out dx, al; jmp to the start
    "30c0e6f4ebfe")  # Q: xor al, al; out 0xf4, al; jmp .
flags = 0x10003
header = struct.pack("<III", 0x1badb002, flags, -(0x1badb002 + flags) & 0xffffffff)
header += struct.pack("<5I", 0x100000, 0x100000, 0, 0x110000, 0x100000 + 32)
open(sys.argv[1], "wb").write(header + code)
PY

check "input from a pipe, to its end" bash -c '
    out=$(printf "one two\nq" | "$VPUP" run -q --timeout 20 -k "$1/echo") && [ "$out" = "one two" ]' - "$tap_work"
check "a pipe that ends early leaves the guest running" bash -c '
    printf abc | "$VPUP" run -q --timeout 1 -k "$1/echo" >"$1/out"; [ $? = 4 ] && [ "$(cat "$1/out")" = abc ]' - "$tap_work"

cat >"$tap_work/drive.py" <<'PY'
import os, pty, select, signal, socket, subprocess, sys, termios, time
vpup, work, what = sys.argv[1:]
command = [vpup, "run", "-q", "--timeout", "30", "-k", work + "/echo"]

def read_until(fd, text, seconds=15):
    got, end = b"", time.time() + seconds
    while text not in got:
        if not select.select([fd], [], [], max(0, end - time.time()))[0]:
            sys.exit("no %r within %d s, but %r" % (text, seconds, got))
        got += os.read(fd, 1000)
    return got

def settings(fd):
    return termios.tcgetattr(fd)

def at_terminal():
    """Runs vpup in a session of its own on a pty; returns it, the terminal and its first settings."""
    master, slave = pty.openpty()
    before = settings(slave)
    def own_terminal():
        os.setsid()
        import fcntl
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    p = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, preexec_fn=own_terminal)
    for i in range(100):  # until then, the terminal itself would echo
        if settings(slave) != before:
            break
        time.sleep(0.05)
    os.write(master, b"go")
    read_until(master, b"go")
    return p, master, slave, before

def restored(slave, before):
    assert settings(slave) == before, "the terminal was not put back"

if what == "escape":
    p, master, slave, before = at_terminal()
    assert settings(slave) != before
    os.write(master, b"\x01\x01z")
    read_until(master, b"\x01z")
    os.write(master, b"\x03z")  # Ctrl-C is the guest's
    read_until(master, b"\x03z")
    os.write(master, b"\x01h")
    read_until(master, b"Ctrl-a x")
    os.write(master, b"\x01s")
    read_until(master, b"stty rows")
    os.write(master, b"\x01x")
    assert p.wait(10) == 0, p.returncode
    restored(slave, before)
elif what == "signal":
    p, master, slave, before = at_terminal()
    p.send_signal(signal.SIGTERM)
    assert p.wait(10) == -signal.SIGTERM, p.returncode
    restored(slave, before)
elif what == "crash":
    p, master, slave, before = at_terminal()
    p.send_signal(signal.SIGSEGV)
    assert p.wait(10) == -signal.SIGSEGV, p.returncode
    restored(slave, before)
elif what == "pty":
    p = subprocess.Popen(command + ["--console", "pty"], stderr=subprocess.PIPE)
    name = p.stderr.readline().decode().split()[-1]
    fd = os.open(name, os.O_RDWR | os.O_NOCTTY)
    os.write(fd, b"hello")
    read_until(fd, b"hello")
    os.write(fd, b"q")
    assert p.wait(10) == 0, p.returncode
elif what == "unix":
    path = work + "/socket"
    p = subprocess.Popen(command + ["--console", "unix=" + path])
    for attempt in range(2):  # a peer may go, and another one come
        s = socket.socket(socket.AF_UNIX)
        for i in range(100):
            try:
                s.connect(path)
                break
            except OSError:
                time.sleep(0.05)
        s.sendall(b"hello")
        read_until(s.fileno(), b"hello")
        if attempt == 1:
            s.sendall(b"q")
        s.close()
    assert p.wait(10) == 0, p.returncode
    assert not os.path.exists(path), "the socket is still there"
PY
for what in escape signal crash pty unix; do
    check "terminal and sockets: $what" python3 "$tap_work/drive.py" "$VPUP" "$tap_work" $what
done
touch "$tap_work/there"
refused "a socket where a file is" 2 "console socket .*in use" "$VPUP" run -k "$tap_work/echo" --console "unix=$tap_work/there"
refused "a socket's path that is too long" 2 "at most 107 bytes" "$VPUP" run -k "$tap_work/echo" --console "unix=/$(head -c 200 /dev/zero | tr '\0' x)"
refused "a console of another kind" 2 "is not stdio, pty, unix=PATH" "$VPUP" run --console vt
tap_done
