"""libdevice's functions, each in a kernel that libnvvm compiles and onchip runs.

That each name is the right function is what this tests, at a few values; how exact they are is test/compile/math.sh's.
The expected values are those of Python's own arithmetic, exact fractions where a rounding mode is named, and integrals
or bisection for what Python doesn't have.
"""

import array
import ctypes
import math
import os
import struct
import sys
from fractions import Fraction

import onchip

NAN, INF = math.nan, math.inf


# --- libNVVM ----------------------------------------------------------------------------------------------------------
def compile_ir(modules, lazy, options):
    folder = os.environ["ONCHIP_BUILD"] + "/cuda/nvvm/lib64/"
    n = ctypes.CDLL(folder + "libnvvm.so")
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    for name in "AddModuleToProgram", "LazyAddModuleToProgram":
        getattr(n, "nvvm" + name).argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p]
    assert n.nvvmCreateProgram(ctypes.byref(program)) == 0
    for m in modules:
        assert n.nvvmAddModuleToProgram(program, m, len(m), b"test") == 0
    for m in lazy:
        assert n.nvvmLazyAddModuleToProgram(program, m, len(m), b"libdevice") == 0
    words = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
    result = n.nvvmCompileProgram(program, len(options), words)
    n.nvvmGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    n.nvvmGetProgramLog(program, log)
    text = b""
    if not result:
        n.nvvmGetCompiledResultSize(program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        n.nvvmGetCompiledResult(program, buffer)
        text = buffer.value
    n.nvvmDestroyProgram(ctypes.byref(program))
    return result, text, log.value.decode()


# --- numbers ----------------------------------------------------------------------------------------------------------
def f32(x):
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(INF, x)


def bits(x, code, to):
    return struct.unpack(to, struct.pack(code, x))[0]


def s32(x):
    return (x + 2**31) % 2**32 - 2**31


def s64(x):
    return (x + 2**63) % 2**64 - 2**63


def u32(x):
    return x % 2**32


def u64(x):
    return x % 2**64


def floor_root(x):
    """The square root of a Fraction, cut to 200 bits; what is cut off only says that it isn't exact."""
    scaled = x.numerator * x.denominator << 400
    root = math.isqrt(scaled)
    return Fraction(root, x.denominator << 200), root * root != scaled


def to_float(x, mode, digits, inexact=False):
    """A Fraction as a binary floating-point number of normal size. inexact: the number is a little larger than x."""
    if x == 0:
        return 0.0
    sign, x = (-1, -x) if x < 0 else (1, x)
    e = x.numerator.bit_length() - x.denominator.bit_length() - digits
    while x / Fraction(2) ** e >= 2**digits:
        e += 1
    while x / Fraction(2) ** e < 2 ** (digits - 1):
        e -= 1
    whole, rest = divmod(x / Fraction(2) ** e, 1)
    more = rest > 0 or inexact
    if mode == "rn":
        half = Fraction(1, 2)
        up = rest > half or rest == half and (inexact or whole % 2)
    else:
        up = more and (mode == "ru" and sign > 0 or mode == "rd" and sign < 0)
    return sign * float((whole + (1 if up else 0)) * Fraction(2) ** e)


def to_whole(x, mode):
    x = Fraction(x)
    return {"rn": round, "rz": math.trunc, "ru": math.ceil, "rd": math.floor}[mode](x)


# --- functions that Python doesn't have -------------------------------------------------------------------------------
def integral(f, low, high, n=4000):
    """Simpson's rule."""
    h = (high - low) / n
    inner = math.fsum(f(low + k * h) * (4 if k % 2 else 2) for k in range(1, n))
    return (f(low) + inner + f(high)) * h / 3


def bessel_j(n, x):  # Abramowitz and Stegun 9.1.21; of a negative order CUDA says nan
    if n < 0:
        return NAN
    return integral(lambda t: math.cos(n * t - x * math.sin(t)), 0, math.pi) / math.pi


def bessel_y(n, x):  # DLMF 10.9.7
    if x < 0 or n < 0:
        return NAN
    if x == 0:
        return -INF
    first = integral(lambda t: math.sin(x * math.sin(t) - n * t), 0, math.pi)
    second = integral(lambda t: (math.exp(n * t) + math.exp(-n * t) * (-1) ** n) * math.exp(-x * math.sinh(t)), 0, 12,
                      40000)
    return (first - second) / math.pi


def bessel_i(n, x):  # Abramowitz and Stegun 9.6.19
    return integral(lambda t: math.exp(x * math.cos(t)) * math.cos(n * t), 0, math.pi) / math.pi


def erfcx(x):
    return math.exp(x * x) * math.erfc(x) if x < 20 else 1 / (x * math.sqrt(math.pi)) * (1 - 0.5 / x**2)


def inverse(f, low, high, most):
    """x where f, which grows to the value `most`, has the value."""
    def of(y):
        if y == most:
            return INF
        if not f(low) <= y <= f(high):
            return NAN
        a, b = low, high
        for _ in range(200):
            middle = (a + b) / 2
            a, b = (middle, b) if f(middle) < y else (a, middle)
        return (a + b) / 2
    return of


erfinv = inverse(math.erf, -5.5, 5.5, 1)


def erfcinv(y):
    return inverse(lambda x: -math.erfc(x), -5.5, 25, 0)(-y)


def normcdf(x):
    return math.erfc(-x / math.sqrt(2)) / 2


normcdfinv = inverse(normcdf, -37, 8, 1)


def sinpi(x):
    return 0.0 if x == int(x) else math.sin(math.pi * x)


def cospi(x):
    return 0.0 if x - 0.5 == int(x - 0.5) else math.cos(math.pi * x)


def rounded(x):
    return math.copysign(math.floor(abs(x) + 0.5), x)


def cbrt(x):
    return math.copysign(abs(x) ** (1 / 3), x)


def remquo(x, y):
    r = math.remainder(x, y)
    q = abs(int(round(Fraction(x) / Fraction(y)))) % 8
    return r, -q if (x < 0) != (y < 0) else q


# --- what is expected: name: (signature, function, tolerance) ---------------------------------------------------------
# A signature has a letter for the result and one for each argument: f, d: floating point; i, l, h: 32, 64, 16 bits. A
# capital letter behind: a pointer, where a further result goes.
WANTED = {}


def want(name, signature, function, tolerance=0.0):
    WANTED["__nv_" + name] = signature, function, tolerance


def both(name, signature, function, tolerance=(3e-7, 1e-15), float_name=None):
    want(name, signature, function, tolerance[1])
    want(float_name or name + "f", signature.replace("d", "f").replace("D", "F"), function, tolerance[0])


NEAR, FAR = (1e-6, 1e-14), (3e-6, 2e-9)
for name in "acos acosh asin asinh atan atanh cos cosh erf erfc exp expm1 log10 log1p log2 log sin sinh tan tanh".split():
    both(name, "dd", getattr(math, name), NEAR)
for name in "ceil floor trunc".split():
    both(name, "dd", lambda x, f=getattr(math, name): math.copysign(f(x), x))
for name in "nearbyint rint".split():
    both(name, "dd", lambda x: math.copysign(round(x), x))
both("fabs", "dd", abs)
both("round", "dd", rounded)
both("sqrt", "dd", math.sqrt)
both("rsqrt", "dd", lambda x: 1 / math.sqrt(x), NEAR)
both("cbrt", "dd", cbrt, NEAR)
both("rcbrt", "dd", lambda x: 1 / cbrt(x), NEAR)
both("exp2", "dd", lambda x: 2.0**x, NEAR)
both("exp10", "dd", lambda x: 10.0**x, NEAR)
both("sinpi", "dd", sinpi, NEAR)
both("cospi", "dd", cospi, NEAR)
both("tgamma", "dd", math.gamma, NEAR)
both("lgamma", "dd", math.lgamma, (3e-6, 1e-13))
both("logb", "dd", lambda x: float(math.frexp(x)[1] - 1))
both("erfinv", "dd", erfinv, (2e-6, 1e-13))
both("erfcinv", "dd", erfcinv, (2e-6, 1e-12))
both("erfcx", "dd", erfcx, (2e-6, 1e-13))
both("normcdf", "dd", normcdf, (2e-6, 1e-13))
both("normcdfinv", "dd", normcdfinv, (2e-6, 1e-12))
for n in (0, 1):
    both(f"j{n}", "dd", lambda x, n=n: bessel_j(n, x), FAR)
    both(f"y{n}", "dd", lambda x, n=n: bessel_y(n, x), FAR)
    both(f"cyl_bessel_i{n}", "dd", lambda x, n=n: bessel_i(n, x), FAR)
both("jn", "did", bessel_j, FAR)
both("yn", "did", bessel_y, FAR)
both("atan2", "ddd", math.atan2, NEAR)
both("copysign", "ddd", math.copysign)
both("fdim", "ddd", lambda x, y: max(x - y, 0.0))
both("fmax", "ddd", max)
both("fmin", "ddd", min)
both("fmod", "ddd", math.fmod)
both("hypot", "ddd", math.hypot, NEAR)
both("rhypot", "ddd", lambda x, y: 1 / math.hypot(x, y), NEAR)
both("pow", "ddd", math.pow, NEAR)
both("remainder", "ddd", math.remainder)
want("nextafter", "ddd", math.nextafter)
want("nextafterf", "fff", lambda x, y: bits(bits(x, "f", "i") + ((x < y) == (x > 0)) * 2 - 1, "i", "f"))
want("fma", "dddd", lambda *a: to_float(Fraction(a[0]) * Fraction(a[1]) + Fraction(a[2]), "rn", 53))
want("fmaf", "ffff", lambda *a: to_float(Fraction(a[0]) * Fraction(a[1]) + Fraction(a[2]), "rn", 24))
both("norm3d", "dddd", lambda *v: math.hypot(*v), NEAR)
both("rnorm3d", "dddd", lambda *v: 1 / math.hypot(*v), NEAR)
both("norm4d", "ddddd", lambda *v: math.hypot(*v), NEAR)
both("rnorm4d", "ddddd", lambda *v: 1 / math.hypot(*v), NEAR)
both("ldexp", "ddi", lambda x, n: math.ldexp(x, n))
both("scalbn", "ddi", lambda x, n: math.ldexp(x, n))
both("powi", "ddi", lambda x, n: x**n, NEAR)
both("frexp", "ddI", math.frexp)
both("modf", "ddD", math.modf)
both("remquo", "dddI", remquo)
both("sincos", "-dDD", lambda x: (math.sin(x), math.cos(x)), NEAR)
both("sincospi", "-dDD", lambda x: (sinpi(x), cospi(x)), NEAR)
both("ilogb", "id", lambda x: math.frexp(x)[1] - 1)
both("llrint", "ld", lambda x: round(x))
both("llround", "ld", lambda x: int(rounded(x)))
both("isnan", "id", lambda x: x != x, float_name="isnanf")
both("isinf", "id", math.isinf, float_name="isinff")
for name in "isnan", "isinf":
    WANTED[f"__nv_{name}d"] = WANTED.pop(f"__nv_{name}")
want("isfinited", "id", math.isfinite)
want("finitef", "if", math.isfinite)
want("signbitd", "id", lambda x: math.copysign(1, x) < 0)
want("signbitf", "if", lambda x: math.copysign(1, x) < 0)
want("saturatef", "ff", lambda x: min(max(x, 0.0), 1.0))
want("frsqrt_rn", "ff", lambda x: 1 / math.sqrt(x))
FAST = 2e-5
for name in "sin cos tan log log2 log10 exp".split():
    want(f"fast_{name}f", "ff", getattr(math, name), FAST)
want("fast_exp10f", "ff", lambda x: 10.0**x, FAST)
want("fast_powf", "fff", lambda x, y: math.pow(x, y) if x > 0 else NAN, FAST)  # by log2(x)
want("fast_fdividef", "fff", lambda x, y: x / y, FAST)
want("fast_sincosf", "-fFF", lambda x: (math.sin(x), math.cos(x)), FAST)

for mode in "rn", "rz", "ru", "rd":
    for letter, digits, fma in ("f", 24, "fmaf_"), ("d", 53, "fma_"):
        exact = lambda f, m=mode, n=digits: lambda *a: to_float(f(*map(Fraction, a)), m, n)
        for op, f in {"add": Fraction.__add__, "sub": Fraction.__sub__, "mul": Fraction.__mul__,
                      "div": Fraction.__truediv__}.items():
            want(f"{letter}{op}_{mode}", letter * 3, exact(f))
        want(fma + mode, letter * 4, exact(lambda x, y, z: x * y + z))
        want(f"{letter}rcp_{mode}", letter * 2, exact(lambda x: 1 / x))
        want(f"{letter}sqrt_{mode}", letter * 2,
             lambda x, m=mode, n=digits: to_float(floor_root(Fraction(x))[0], m, n, floor_root(Fraction(x))[1]))
        long = {"f": "float", "d": "double"}[letter]
        for to, result in ("int", "i"), ("uint", "i"), ("ll", "l"), ("ull", "l"):
            low, high = (0, 2**32 if result == "i" else 2**64) if to[0] == "u" else (-2**63, 2**63)
            want(f"{long}2{to}_{mode}", result + letter,
                 lambda x, m=mode, a=low, b=high: min(max(to_whole(x, m), a), b - 1))
            if (letter, result) != ("d", "i") or mode == "rn":
                of = {"int": s32, "uint": u32, "ll": s64, "ull": u64}[to]
                want(f"{to}2{long}_{mode}", letter + result,
                     lambda x, m=mode, n=digits, of=of: to_float(Fraction(of(x)), m, n))
    want(f"double2float_{mode}", "fd", lambda x, m=mode: to_float(Fraction(x), m, 24))
    want(f"fmaf_ieee_{mode}", "ffff", lambda x, y, z, m=mode: to_float(Fraction(x) * Fraction(y) + Fraction(z), m, 24))
want("half2float", "fh", lambda x: bits(x, "h", "e"))
want("float2half_rn", "hf", lambda x: bits(x, "e", "h"))
want("float_as_int", "if", lambda x: bits(x, "f", "i"))
want("float_as_uint", "if", lambda x: bits(x, "f", "i"))
want("int_as_float", "fi", lambda x: bits(x, "i", "f"))
want("uint_as_float", "fi", lambda x: bits(x, "i", "f"))
want("double_as_longlong", "ld", lambda x: bits(x, "d", "q"))
want("longlong_as_double", "dl", lambda x: bits(x, "q", "d"))
want("double2hiint", "id", lambda x: bits(x, "d", "q") >> 32)
want("double2loint", "id", lambda x: bits(x, "d", "q"))
want("hiloint2double", "dii", lambda x, y: bits(u32(x) << 32 | u32(y), "Q", "d"))
want("popc", "ii", lambda x: bin(u32(x)).count("1"))
want("popcll", "il", lambda x: bin(u64(x)).count("1"))
want("clz", "ii", lambda x: 32 - u32(x).bit_length())
want("clzll", "il", lambda x: 64 - u64(x).bit_length())
want("ffs", "ii", lambda x: (x & -x).bit_length())
want("ffsll", "il", lambda x: (x & -x).bit_length())
want("brev", "ii", lambda x: int(f"{u32(x):032b}"[::-1], 2))
want("brevll", "ll", lambda x: int(f"{u64(x):064b}"[::-1], 2))
want("abs", "ii", abs)
want("llabs", "ll", abs)
for prefix, letter, of in ("", "i", s32), ("u", "i", u32), ("ll", "l", s64), ("ull", "l", u64):
    want(prefix + "max", letter * 3, lambda x, y, of=of: max(of(x), of(y)))
    want(prefix + "min", letter * 3, lambda x, y, of=of: min(of(x), of(y)))
want("mulhi", "iii", lambda x, y: x * y >> 32)
want("umulhi", "iii", lambda x, y: u32(x) * u32(y) >> 32)
want("mul64hi", "lll", lambda x, y: x * y >> 64)
want("umul64hi", "lll", lambda x, y: u64(x) * u64(y) >> 64)
want("mul24", "iii", lambda x, y: s32(x << 8) // 256 * (s32(y << 8) // 256))
want("umul24", "iii", lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF))
want("hadd", "iii", lambda x, y: x + y >> 1)
want("rhadd", "iii", lambda x, y: x + y + 1 >> 1)
want("uhadd", "iii", lambda x, y: u32(x) + u32(y) >> 1)
want("urhadd", "iii", lambda x, y: u32(x) + u32(y) + 1 >> 1)
want("sad", "iiii", lambda x, y, z: abs(x - y) + z)
want("usad", "iiii", lambda x, y, z: abs(u32(x) - u32(y)) + z)
want("byte_perm", "iiii", lambda x, y, s: sum(
    ((u32(x) | u32(y) << 32) >> 8 * (s >> 4 * k & 7) & 255) << 8 * k for k in range(4)))

# --- arguments --------------------------------------------------------------------------------------------------------
REALS = [0.3, 0.71, 1.25, 2.5, -0.4, -1.75, 3.9, 17.0, 0.0009, 1.0]
WHOLE = [0, 1, -1, 5, -77, 2**31 - 1, -2**31, 0x12345678, 0x7F00FF01, -0x1234567]
LONG = [0, 1, -1, 2**40 + 12345, -2**50 - 99, 2**63 - 1, -2**63, 0x123456789ABCDEF, 2**33 + 1, -3]
HALF = [0x3C00, -0x4000, 0x3555, 1, 0x7BFF, 0x0400, 0x4248, 0x1234, -0x7C01, 0x2E66]
SMALL = [0, 1, 2, 3, 4, -2, 5, 7, -3, 1]
COUNT = len(REALS)


def arguments(name, letters):
    """COUNT rows. Later arguments are other values than earlier ones; integers beside reals are small."""
    mixed = any(c in "fd" for c in letters) and len(letters) > 1
    rows = []
    for k in range(COUNT):
        row = []
        for place, c in enumerate(letters):
            at = (k + 3 * place) % COUNT
            if c == "f":
                row.append(f32(REALS[at]))
            elif c == "d":
                row.append(REALS[at])
            else:
                row.append({"i": SMALL if mixed else WHOLE, "l": LONG, "h": HALF}[c][at])
        rows.append(row)
    return rows


def expected(function, row):
    try:
        result = function(*row)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None  # errors of a domain: other tests have them
    if isinstance(result, complex):
        return None
    return result if isinstance(result, tuple) else (result,)


# --- kernels ----------------------------------------------------------------------------------------------------------
LLVM = {"f": "float", "d": "double", "i": "i32", "l": "i64", "h": "i16", "-": "void"}
CODE = {"f": "f", "d": "d", "i": "i", "l": "q", "h": "h"}


def kernel(name, signature):
    """The kernel's text, and the letters of its inputs and outputs, each an array."""
    result, rest = signature[0], signature[1:]
    inputs = [c for c in rest if c.islower()]
    outputs = ([] if result == "-" else [result]) + [c.lower() for c in rest if c.isupper()]
    types = [LLVM[c] for c in inputs + outputs]
    lines = [f"declare {LLVM[result]} @{name}({', '.join(LLVM[c.lower()] + '*' * c.isupper() for c in rest)})",
             f"define void @k{name}({', '.join(f'{t}* %p{n}' for n, t in enumerate(types))}) {{",
             "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()"]
    for n, t in enumerate(types):
        lines.append(f"  %q{n} = getelementptr {t}, {t}* %p{n}, i32 %t")
    given, at = [], len(inputs) + (result != "-")
    for n, c in enumerate(inputs):
        lines.append(f"  %a{n} = load {LLVM[c]}, {LLVM[c]}* %q{n}")
    order = iter(range(len(inputs)))
    for c in rest:
        if c.islower():
            given.append(f"{LLVM[c]} %a{next(order)}")
        else:
            given.append(f"{LLVM[c.lower()]}* %q{at}")
            at += 1
    call = f"call {LLVM[result]} @{name}({', '.join(given)})"
    if result == "-":
        lines.append(f"  {call}")
    else:
        lines += [f"  %r = {call}", f"  store {LLVM[result]} %r, {LLVM[result]}* %q{len(inputs)}"]
    return "\n".join(lines + ["  ret void", "}"]), types, inputs, outputs


def near(got, wanted, tolerance, code):
    if code in "ilh":
        size = {"i": 32, "l": 64, "h": 16}[code]
        return (got - int(wanted)) % 2**size == 0
    if wanted != wanted or got != got:
        return wanted != wanted and got != got
    wanted = f32(wanted) if code == "f" else wanted
    if got == wanted:
        return True
    return abs(got - wanted) <= tolerance * max(abs(wanted), 1e-3 if tolerance else 0)


def check(device, options, names):
    texts, made, notes = [], {}, []
    for name in names:
        text, types, *made[name] = kernel(name, WANTED[name][0])
        texts.append(text)
        notes.append(f"!{len(notes)} = !{{void ({', '.join(t + '*' for t in types)})* @k{name}, !\"kernel\", i32 1}}")
    ir = "\n".join(['target triple = "nvptx64-nvidia-cuda"', "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()"] + texts + [
        "!nvvm.annotations = !{" + ", ".join(f"!{k}" for k in range(len(notes))) + "}"] + notes)
    with open(os.environ["ONCHIP_BUILD"] + "/cuda/nvvm/libdevice/libdevice.10.bc", "rb") as file:
        libdevice = file.read()
    result, ptx, log = compile_ir([ir.encode()], [libdevice], ["-arch=compute_75"] + options)
    assert result == 0, log
    module, bad = device.load(ptx), 0
    for name in names:
        signature, function, tolerance = WANTED[name]
        inputs, outputs = made[name]
        rows = arguments(name, inputs)
        wanted = [expected(function, row) for row in rows]
        assert any(wanted), name
        ins = [array.array(CODE[c], column) for c, column in zip(inputs, zip(*rows))]
        outs = [array.array(CODE[c], [0] * COUNT) for c in outputs]
        module["k" + name](1, COUNT, *ins, *outs)
        for k, values in enumerate(wanted):
            for c, out, value in zip(outputs, outs, values or ()):
                if not near(out[k], value, tolerance, c):
                    print(f"{name}{tuple(rows[k])} is {out[k]!r}, not {value!r} ({' '.join(options)})")
                    bad += 1
    return bad


def main():
    bad = 0
    with onchip.Device("rtx2060", functional=True) as device:
        bad += check(device, ["-opt=3"], sorted(WANTED))
        exact = [name for name in sorted(WANTED) if WANTED[name][2] == 0]
        bad += check(device, ["-opt=0"], exact)
    print(f"{len(WANTED)} functions, {bad} values wrong")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
