#!/bin/bash
# ptxas and nvlink as compilers call them: cuda/bin/ptxas and nvlink, which are onchip cc --as-ptxas and --as-nvlink.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
bin=$ONCHIP_BUILD/cuda/bin
[[ -x $bin/ptxas ]] || exit 77
export PATH=$ONCHIP_BUILD:$PATH
cd "$work" || exit 1

# asks STATUS 'what it says' COMMAND …: its exit status, and a part of what it prints
asks() {
    local status=0
    "${@:3}" >out 2>&1 || status=$?
    ((status == $1)) && [[ $(<out) == *"$2"* ]] || complain "${*:3}: $status, not $1 with '$2': $(head -c 600 out)"
}

cat >twice.ptx <<'END'
.version 6.0
.target sm_60
.address_size 64
.visible .func (.reg .b32 r) twice(.reg .b32 x)
{
    add.u32 r, x, x;
    ret;
}
END
cat >store.ptx <<'END'
.version 6.0
.target sm_60
.address_size 64
.extern .func (.reg .b32 r) twice(.reg .b32 x);
.visible .entry store(.param .u64 p)
{
    .reg .b64 %a;
    .reg .b32 %v;
    ld.param.u64 %a, [p];
    mov.u32 %v, %tid.x;
    call (%v), twice, (%v);
    st.global.u32 [%a], %v;
    ret;
}
END
cat >alone.ptx <<'END'
.version 6.0
.target sm_60
.address_size 64
.visible .entry alone(.param .u64 p) {
    .reg .b64 %a;
    .shared .align 4 .b8 room[256];
    ld.param.u64 %a, [p];
    st.global.u32 [%a], 7;
    ret;
}
END
asks 0 '' "$bin/ptxas" -m64 -O2 --gpu-name sm_70 --output-file twice.cubin twice.ptx -c
asks 0 '' "$bin/ptxas" -m64 -O2 -arch=sm_70 -o store.cubin store.ptx -c
asks 0 '' "$bin/nvlink" -o both.cubin -arch sm_70 -L/usr/lib twice.cubin store.cubin
# Which GPU it is for stands in the ELF's flags, as LLVM's and NVIDIA's tools have it: the low byte, and the third.
[[ $(od -An -tx4 -j48 -N4 both.cubin | tr -d ' ') == 00460446 ]] || complain "flags: $(od -An -tx4 -j48 -N4 both.cubin)"
[[ $(od -An -tu2 -j18 -N2 both.cubin | tr -d ' ') == 190 ]] || complain 'the machine is not EM_CUDA'
cp both.cubin linked.cubin
"$ONCHIP" run --functional linked.cubin --kernel store --grid 1 --block 1 --arg buf:4 >out 2>&1 ||
    complain "what was linked doesn't run: $(<out)"

# What it says of kernels, in ptxas's words, which other tools read; and a bound on them.
asks 0 "ptxas info    : Compiling entry function 'alone'" "$bin/ptxas" -v alone.ptx -o alone.cubin
asks 0 ', 256 bytes smem' "$bin/ptxas" -v alone.ptx -o alone.cubin
asks 0 '' "$bin/ptxas" -maxrregcount 24 alone.ptx -o alone.cubin
grep -aq 'maxnreg 24' alone.cubin || complain 'the bound of 24 registers is not in the object'
asks 0 '' "$bin/ptxas" -c -o /dev/null alone.ptx --gpu-name sm_35 -O0 # as GCC's nvptx-as does
asks 0 'release 12.0' "$bin/ptxas" --version
asks 0 'release 12.0' "$bin/nvlink" -V
asks 0 '--maxrregcount' "$bin/nvlink" --help
"$bin/ptxas" alone.ptx && [[ -e elf.o ]] || complain 'without -o there is no elf.o'

# What is wrong is told, with its place, and nothing is written.
sed 's/add.u32/addd.u32/' twice.ptx >wrong.ptx
asks 1 'wrong.ptx:6' "$bin/ptxas" wrong.ptx -o wrong.cubin
[[ ! -e wrong.cubin ]] || complain 'an object of wrong PTX was written'
asks 1 "can't read none.ptx" "$bin/ptxas" none.ptx
asks 1 'of one file of PTX, not of 2' "$bin/ptxas" alone.ptx twice.ptx
asks 1 'unknown option --gpu-nam' "$bin/ptxas" --gpu-nam sm_70 alone.ptx
asks 1 'did you mean' "$bin/ptxas" --gpu-nam sm_70 alone.ptx
asks 1 '-o lacks its value' "$bin/ptxas" alone.ptx -o
asks 1 "'sm_x' is no GPU's code" "$bin/ptxas" -arch sm_x alone.ptx
asks 1 'from 1 to 255' "$bin/ptxas" -maxrregcount 999 alone.ptx
asks 1 'no object to link' "$bin/nvlink" -o x
asks 1 'twice' "$bin/nvlink" -o x store.cubin
asks 1 'twice' "$bin/nvlink" -o x twice.cubin store.cubin twice.cubin
head -c 100 both.cubin >cut.cubin
asks 1 'cut.cubin' "$bin/nvlink" -o x cut.cubin
asks 1 "can't write" "$bin/nvlink" -o none/x both.cubin
exit $bad
