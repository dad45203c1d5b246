#!/bin/bash
# Device code in binaries: onchip list kernels FILE, and run and show ptx of a kernel that is in one. The files are made
# by hand as nvcc 13.0 was seen to make them.
source test/cli/expect.bash
cd "$work" || exit 1
command -v python3 objcopy >/dev/null || exit 77
cat >make.py <<'PY'
import struct
def ptx(target, *kernels):
    text = "\n\n.version 7.0\n.target sm_%d\n.address_size 64\n" % target
    text += ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
    text += ".global .align 1 .b8 no[3] = {110, 111, 0};\n"
    for name in kernels:
        stub = name.startswith("stub:")
        body = ("{ .reg .b64 %d<2>; .reg .b32 %r; cvta.global.u64 %d1, no; mov.u64 %d0, 0; { .param .b64 f;"
                " .param .b64 a; .param .b32 r; st.param.b64 [f], %d1; st.param.b64 [a], %d0;"
                " call.uni (r), vprintf, (f, a); } trap; ret; }"
                if stub else "{ .reg .b64 %%d; ld.param.u64 %%d, [x]; st.global.u32 [%%d], %d; ret; }" % target)
        text += ".visible .entry %s(.param .u64 x)\n%s\n" % (name.replace("stub:", ""), body)
    return text.encode() + b"\0"
def entry(kind, target, contents):
    contents += b"\0" * (-len(contents) % 8)
    head = struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(contents), 0, 0, 0, 7, target, 0, 0, 0x11, 0, 0)
    return head + contents
def container(*entries):
    rest = b"".join(entries)
    return struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(rest)) + rest
code = b"\x7fELF" + b"\0" * 60
names = "_Z5saxpyifPf", "both"
one = container(entry(2, 75, code), entry(1, 75, ptx(75, *names)), entry(1, 90, ptx(90, *names)))
two = container(entry(1, 80, ptx(80, "stub:both", "other")))
none = container(entry(2, 75, code))
open("two.fatbin", "wb").write(none + b"\0" * 8 + one + two)
open("one.fatbin", "wb").write(one)
open("code.fatbin", "wb").write(none)
open("plain.ptx", "wb").write(ptx(75, "plain")[:-1])
open("damaged.fatbin", "wb").write(one[:-8])
# Every way to be cut short, and sizes beyond the file.
for n in range(0, len(one), 131):
    open("cut%d.fatbin" % n, "wb").write(one[:n])
for at in range(16, 80, 4):
    open("huge%d.fatbin" % at, "wb").write(one[:at] + b"\xff\xff\xff\x7f" + one[at + 4:])
PY
python3 make.py || exit 1

gives 0 'container 2: PTX for sm_75, 90; machine code for sm_75' '  saxpy(int, float, float*)' '  both' \
    'container 3: PTX for sm_80' '  both  (a stub: it prints and traps)' '  other' -- list kernels two.fatbin
[[ $out != *'container 1'* ]] || complain 'a container without kernels is told of'
gives 0 'PTX' '  plain' -- list kernels plain.ptx
gives 0 -- list kernels code.fatbin
gives 1 "onchip: make.py: there is no device code in it" -- list kernels make.py
gives 1 "can't read nothing" -- list kernels nothing
gives 2 'list kernels: of which file?' -- list kernels
gives 1 'damaged.fatbin: its fat binary is damaged' -- list kernels damaged.fatbin

# In an object, a program and a library.
echo 'int main(void) { return 7; }' >main.c
cc -c main.c -o main.o && objcopy --add-section .nv_fatbin=two.fatbin main.o app.o && cc app.o -o app &&
    cc -shared -nostartfiles -fPIC app.o -o libapp.so || exit 1
for file in app.o app libapp.so; do
    gives 0 'container 2: PTX for sm_75, 90' 'container 3' -- list kernels $file
done
stores() { gives 0 "$1" -- run "${@:2}" --functional --arg buf:4:zero --dump x:u32; }

# The newest target's that isn't above the GPU's, else the oldest's, or the one that is asked for; one that has code
# before one that hasn't; other kernels from where they are.
stores '90' --kernel saxpy ./libapp.so --gpu h200
stores '75' --kernel saxpy ./libapp.so --gpu a100
stores '75' --kernel saxpy ./libapp.so --gpu gtx480
stores '90' --kernel saxpy ./libapp.so --target sm_90
stores '75' --kernel saxpy ./libapp.so --gpu h200 --target compute_75
stores '90' --kernel both ./libapp.so --gpu h200
stores '80' --kernel other ./app.o
stores '80' --kernel other ./app # with --kernel in front, a kernel of the program is run, and not the program
stores '75' plain.ptx
gives 7 -- run ./app
gives 0 '.entry other' -- show ptx app --kernel other
gives 0 '.target sm_90' -- show ptx one.fatbin
gives 1 "app: no kernel 'neither' in it" -- run --kernel neither ./app
gives 1 'libapp.so: it has 2 modules; choose a kernel with --kernel' -- run ./libapp.so
gives 1 'libapp.so: it has no PTX for sm_90a' -- run --kernel saxpy ./libapp.so --target 90a
for wrong in 7 sm_ 90b sm_90ab 1000; do gives 2 "not '$wrong'" -- run --target $wrong ./libapp.so; done
gives 2 '--target has no effect' -- run atax --target 90
gives 1 'code.fatbin: it is machine code alone; onchip needs PTX' -- run code.fatbin

# A stranger's bytes: an error, or what is whole, and nothing else.
for file in cut*.fatbin huge*.fatbin; do
    status=0
    "$ONCHIP" list kernels $file >out 2>&1 || status=$?
    ((status == 0 || status == 1)) || complain "list kernels $file: exit status $status"
done
for n in $(seq 100 1397 "$(stat -c %s app)"); do
    head -c "$n" app >cut
    status=0
    "$ONCHIP" list kernels cut >out 2>&1 || status=$?
    ((status == 0 || status == 1)) || complain "$n bytes of app: exit status $status"
done
exit $bad
