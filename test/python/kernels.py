"""The kernels of these tests."""

HEAD = ".version 7.0\n.target sm_35\n.address_size 64\n"

# y[i] += a · x[i], of n.
SAXPY = HEAD + """.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)
{
    .reg .pred %p;
    .reg .b32 %n, %i;
    .reg .f32 %a, %u, %v;
    .reg .b64 %x, %y, %o;
    ld.param.u32 %n, [n];
    mov.u32 %i, %tid.x;
    setp.ge.u32 %p, %i, %n;
    @%p ret;
    ld.param.f32 %a, [a];
    ld.param.u64 %x, [x];
    ld.param.u64 %y, [y];
    mul.wide.u32 %o, %i, 4;
    add.s64 %x, %x, %o;
    add.s64 %y, %y, %o;
    ld.global.f32 %u, [%x];
    ld.global.f32 %v, [%y];
    fma.rn.f32 %v, %a, %u, %v;
    st.global.f32 [%y], %v;
    ret;
}
"""


def store(type, size, bits):
    """A kernel that writes its first parameter to the address that is its second one, in words of so many bits."""
    lines = []
    for at in range(0, size, bits // 8):
        lines.append(f"ld.param.b{bits} %v, [store_param_0+{at}];\nst.global.b{bits} [%p+{at}], %v;")
    register = "b16" if bits == 8 else f"b{bits}"
    return HEAD + (f".visible .entry store(.param {type}, .param .u64 store_param_1)\n{{\n.reg .{register} %v;\n"
                   ".reg .b64 %p;\nld.param.u64 %p, [store_param_1];\n" + "\n".join(lines) + "\nret;\n}\n")


# Each thread prints its number.
PRINT = HEAD + """.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[11] = {116, 104, 114, 101, 97, 100, 32, 37, 117, 10, 0};
.visible .entry say()
{
    .local .align 8 .b8 depot[8];
    .reg .b32 %i, %r;
    .reg .b64 %l, %a, %t;
    mov.u64 %l, depot;
    cvta.local.u64 %a, %l;
    mov.u32 %i, %tid.x;
    st.local.u32 [%l], %i;
    mov.u64 %t, text;
    cvta.global.u64 %t, %t;
    {
        .param .b64 p;
        .param .b64 q;
        .param .b32 r;
        st.param.b64 [p], %t;
        st.param.b64 [q], %a;
        call.uni (r), vprintf, (p, q);
        ld.param.b32 %r, [r];
    }
    ret;
}
"""

# Counts down from n, which takes long.
COUNT = HEAD + """.visible .entry count(.param .u64 n)
{
    .reg .pred %p;
    .reg .b64 %n;
    ld.param.u64 %n, [n];
AGAIN:
    sub.u64 %n, %n, 1;
    setp.ne.u64 %p, %n, 0;
    @%p bra AGAIN;
    ret;
}
"""

# Each block writes its number to the same elements of p.
SAME = HEAD + """.visible .entry same(.param .u64 p)
{
    .reg .b32 %t, %b;
    .reg .b64 %a, %o;
    ld.param.u64 %a, [p];
    mov.u32 %t, %tid.x;
    mov.u32 %b, %ctaid.x;
    mul.wide.u32 %o, %t, 4;
    add.s64 %a, %a, %o;
    st.global.u32 [%a], %b;
    ret;
}
"""


# The square of what texture t reads at each thread's number, in floats.
FETCH = HEAD + """.visible .entry fetch(.param .u64 t, .param .u64 y)
{
    .reg .b32 %i;
    .reg .f32 %x, %a, %b, %c;
    .reg .b64 %t, %y, %o;
    ld.param.u64 %t, [t];
    ld.param.u64 %y, [y];
    mov.u32 %i, %tid.x;
    cvt.rn.f32.u32 %x, %i;
    tex.1d.v4.f32.f32 {%x, %a, %b, %c}, [%t, {%x}];
    mul.wide.u32 %o, %i, 4;
    add.s64 %y, %y, %o;
    mul.f32 %x, %x, %x;
    st.global.f32 [%y], %x;
    ret;
}
"""

# As SAXPY, under a name of C++: void saxpy(int, float, float const*, float*).
MANGLED = SAXPY.replace("saxpy(", "_Z5saxpyifPKfPf(")

CUDA = """__global__ void twice(int *p, int n)
{
    int i = threadIdx.x;
    if (i < n) p[i] *= TIMES;
}
"""
