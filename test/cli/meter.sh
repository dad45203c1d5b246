#!/bin/bash
# Progress of a run. On a terminal one line is there within the first second and is written again and again: launches so
# far, a bar with the running kernel's share, cycles a second, and what remains; it is gone when the report comes, fits
# the terminal, and goes on over all kernels. Elsewhere a short run says nothing, and a long one adds plain lines.
set -uo pipefail
source "$ONCHIP_SOURCE/test/test.bash"
command -v python3 >/dev/null || exit 77
cd "$work"
python3 - "$ONCHIP" <<'PYTHON' || bad=1
import fcntl, os, pty, re, select, signal, struct, subprocess, sys, termios, time
onchip, size = sys.argv[1], ["run", "syrk", "n=160"]

def on_terminal(words, columns):
    child, fd = pty.fork()
    if not child:
        os.execv(onchip, [onchip] + words)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    began, first, text = time.monotonic(), None, b""
    while True:
        try: part = os.read(fd, 65536)
        except OSError: break
        if not part: break
        text += part
        if first is None and b"launch 1" in text: first = time.monotonic() - began
    assert os.waitpid(child, 0)[1] == 0, text
    return text.decode(), first, time.monotonic() - began

for columns in 80, 66, 30:
    text, first, took = on_terminal(size, columns)
    lines = re.findall(r"\r\x1b\[K(launch [^\r\n]*)", text)
    assert len(lines) >= 2, (took, text[:500])
    assert first < 1 or first < took / 4, first  # a busy machine is slow
    assert all(len(l) < columns for l in lines), lines
    if columns < 58: continue
    whole = re.compile(r"launch 1, (\[#*-*\] )?\d+ % of \S+, [0-9.]+( [kMG])? cycles/s(, \d+ (s|min) to go)?$")
    assert all(whole.match(l) for l in lines), lines
    bars = [re.match(r"launch \d+, \[(#*)(-*)\] (\d+) %", l) for l in lines]
    assert any(bars) and (columns < 80 or all(bars)), lines
    for b in filter(None, bars):
        assert abs(len(b[1]) / (len(b[1]) + len(b[2])) - int(b[3]) / 100) < 0.2, b[0]
    shares = [int(re.search(r"(\d+) %", l)[1]) for l in lines]
    assert shares == sorted(shares) and shares[-1] > 0, shares
    # The line is taken away before the report.
    last = text.rindex(lines[-1]) + len(lines[-1])
    assert text[last:].startswith("\r\x1b[K"), text[last:last + 40]
    assert "launch" not in text[last + 4:].split("syrk", 1)[0], text[last:]

# Elsewhere: nothing, unless it lasts; the time that a stopped process loses counts.
quiet = subprocess.run([onchip] + size, capture_output=True, text=True)
assert quiet.returncode == 0 and quiet.stderr == "", quiet.stderr
slow = subprocess.Popen([onchip] + size, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
time.sleep(0.2)
slow.send_signal(signal.SIGSTOP)
time.sleep(10)
slow.send_signal(signal.SIGCONT)
said = slow.communicate()[1]
assert re.fullmatch(r"onchip: launch 1, \d+ % of \S+(, [^\n]*)?\n", said) and "\r" not in said, said
PYTHON
exit $bad
