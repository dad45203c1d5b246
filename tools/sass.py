# sass.py FACTS [EVERY] or sass.py -e 'INSTRUCTION;' …: how many machine instructions a PTX instruction is executed as,
# counted in what ptxas of CUDA 13 writes for sm_75, 86 and 90. FACTS is test/ptx/sass_facts.def, of which each EVERY-th
# FACT is measured and printed where it differs; with -e the instructions are, with what they become.
#
# A kernel has an instruction 12 times, another one 4 times, and an eighth of the difference counts, less the loads of
# its sources and the stores of its results. %h, %r, %d and %p are registers of 16, 32 and 64 bits and predicates. What
# ptxas puts there for a load or store isn't the instruction's: of two kernels, one with products between it and
# memory, the one with fewer moves counts; so does a 16-bit float without the PRMT that packs it.
import collections
import re
import struct
import subprocess
import sys
import tempfile

NAMES = {0x002: "MOV", 0x007: "SEL", 0x008: "FSEL", 0x009: "FMNMX", 0x00B: "FSETP", 0x00C: "ISETP", 0x00F: "VIMNMX",
         0x010: "IADD3", 0x011: "LEA", 0x012: "LOP3", 0x013: "IABS", 0x014: "VABSDIFF", 0x015: "VABSDIFF4",
         0x016: "PRMT", 0x017: "IMNMX", 0x019: "SHF", 0x01A: "SGXT", 0x01B: "BMSK", 0x01C: "PLOP3", 0x01F: "IADD_OVF",
         0x020: "FMUL", 0x021: "FADD", 0x023: "FFMA", 0x024: "IMAD", 0x025: "IMAD.WIDE", 0x026: "IDP",
         0x027: "IMAD.HI", 0x028: "DMUL", 0x029: "DADD", 0x02A: "DSETP", 0x02B: "DFMA", 0x030: "HADD2",
         0x031: "HFMA2", 0x032: "HMUL2", 0x033: "HSET2", 0x034: "HSETP2", 0x035: "HFMA2.MMA", 0x038: "I2IP",
         0x03E: "F2FP", 0x040: "HMNMX2", 0x045: "I2FP", 0x100: "FLO", 0x101: "BREV", 0x102: "FCHK", 0x104: "F2F",
         0x105: "F2I", 0x106: "I2F", 0x107: "FRND", 0x108: "MUFU", 0x109: "POPC", 0x110: "F2F.64", 0x111: "F2I.64",
         0x112: "I2F.64", 0x113: "FRND.64", 0x118: "NOP", 0x11D: "BAR", 0x138: "I2I", 0x141: "BSYNC", 0x142: "BREAK",
         0x143: "CALL", 0x144: "CALL", 0x145: "BSSY", 0x147: "BRA", 0x14D: "EXIT", 0x150: "RET", 0x155: "BMOV",
         0x156: "BMOV", 0x180: "LD", 0x181: "LDG", 0x182: "LDC", 0x184: "LDS", 0x185: "ST", 0x186: "STG", 0x188: "STS",
         0x189: "SHFL", 0x18A: "ATOM", 0x18B: "ATOM.CAS", 0x18C: "ATOMS", 0x18D: "ATOMS.CAS", 0x18E: "RED",
         0x18F: "CCTL", 0x192: "MEMBAR", 0x1A8: "ATOMG", 0x1A9: "ATOMG.CAS", 0x1AB: "ERRBAR", 0x1C4: "REDUX"}
BITS = {"h": "b16", "r": "b32", "d": "b64"}
COPIES = (12, 4)
RZ, PT = 255, 7
NO_RESULT = re.compile(r"(st|red|bar\.(sync|warp|arrive)|barrier\.(sync|arrive|cluster)|membar|fence|prefetch|discard|"
                       r"nanosleep|cp)\b")


def bits(word, at, n):
    return word >> at & (1 << n) - 1


def signed(value, n):
    return value - (1 << n) if value >> n - 1 else value


def op_of(word):
    """The operation; a product by one, of nothing or by a power of two is what it stands for."""
    op = word & 0x1FF
    if op != 0x024:
        return op
    if bits(word, 24, 8) == RZ:
        return 0x002
    if bits(word, 9, 3) == 4:
        factor = bits(word, 32, 32)
        if factor == 1:
            return 0x010
        if bits(word, 64, 8) == RZ and factor and not factor & factor - 1:
            return 0x019
    return op


def executed(code, sm):
    """What runs if no slow path is taken: a call that is jumped over isn't made, other branches aren't taken."""
    words = [low | high << 64 for low, high in struct.iter_unpack("<QQ", code)]
    calls = [NAMES.get(w & 0x1FF) == "CALL" for w in words]
    count, back, pc = collections.Counter(), [], 0
    while pc < len(words) and sum(count.values()) < 20000:
        word = words[pc]
        name, always = NAMES.get(word & 0x1FF), bits(word, 12, 4) == PT
        far = signed(bits(word, 34, 48), 48) if sm < 90 else signed(bits(word, 34, 48) << 8 | bits(word, 16, 8), 56)
        to = pc + 1 + far // 4
        count[op_of(word)] += 1
        pc += 1
        if name == "EXIT" and always:
            break
        if name == "BRA":
            plain = always and bits(word, 87, 4) == PT
            if plain and to == pc - 1:
                break
            if plain or (to > pc and any(calls[pc:to])):
                pc = to
        elif name == "CALL" and always:
            back.append(pc)
            pc = to
        elif name == "RET" and always:
            if not back:
                break
            pc = back.pop()
    return count


def sections(data):
    at, = struct.unpack_from("<Q", data, 40)
    size, n, names = struct.unpack_from("<HHH", data, 58)
    heads = [struct.unpack_from("<IIQQQQ", data, at + k * size) for k in range(n)]
    for name, _, _, _, offset, length in heads:
        start = heads[names][4] + name
        yield data[start:data.index(b"\0", start)].decode(), data[offset:offset + length]


class Kernel:
    """A kernel with an instruction n times; mixed: there are products between it and memory."""

    def __init__(self, name, text, n, mixed):
        self.lines, self.regs, self.name, self.mixed = [], collections.Counter(), name, mixed
        self.base, self.at = collections.Counter(), [0, 0]
        first = text.split(" ", 1)[1].split(",")[0] if " " in text else ""
        if text.split(" ", 1)[-1].startswith("{"):
            first = text.split("}")[0]
        results = [] if NO_RESULT.match(text) or "[" in first else re.findall(r"%([hrdp])(\d+)", first)
        sources = sorted(set(re.findall(r"%([hrdp])(\d+)", text)) - set(results))
        for _ in range(n):
            self.copy(text, results, sources)

    def new(self, kind):
        self.regs[kind] += 1
        return f"%{kind}{self.regs[kind]}"

    def put(self, line):
        self.lines.append(line)

    def address(self, k):
        self.at[k] += 16
        return f"[%{'io'[k]}+{self.at[k]}]"

    def product(self, reg):
        kind = reg[1]
        self.base[0x024] += 2 if kind == "d" else 1
        if kind == "r":
            to = self.new("r")
            self.put(f"mul.lo.u32 {to}, {reg}, 0x12345;")
            return to
        low, high, to = self.new("r"), self.new("r"), self.new("d")
        self.put(f"mov.b64 {{{low}, {high}}}, {reg};")
        self.base[0x024] -= 2
        low, high = self.product(low), self.product(high)
        self.put(f"mov.b64 {to}, {{{low}, {high}}};")
        return to

    def source(self, kind):
        self.base[0x181] += 1
        wide = "r" if kind == "p" or (kind == "h" and self.mixed) else kind
        reg = self.new(wide)
        self.put(f"ld.global.{BITS[wide]} {reg}, {self.address(0)};")
        if kind == "p":
            self.base[0x00C] += 1
            to = self.new("p")
            self.put(f"setp.ne.b32 {to}, {reg}, 0;")
            return to
        if self.mixed and wide in "rd":
            reg = self.product(reg)
        if wide != kind:
            to = self.new("h")
            self.put(f"cvt.u16.u32 {to}, {reg};")
            return to
        return reg

    def result(self, kind, reg):
        self.base[0x186] += 1
        if kind == "p":
            self.base[0x007] += 1
            to = self.new("r")
            self.put(f"selp.b32 {to}, 1, 0, {reg};")
            kind, reg = "r", to
        elif self.mixed:
            if kind == "h":
                self.base[0x016] += 1
                to = self.new("r")
                self.put(f"mov.b32 {to}, {{{reg}, {reg}}};")
                kind, reg = "r", to
            reg = self.product(reg)
        self.put(f"st.global.{BITS[kind]} {self.address(1)}, {reg};")

    def copy(self, text, results, sources):
        to = {k + n: self.source(k) for k, n in sources}
        made = [(k, k + n, self.new(k)) for k, n in results]
        to.update({old: reg for _, old, reg in made})
        self.put(re.sub(r"%([hrdp]\d+)", lambda m: to[m.group(1)], text))
        for kind, _, reg in made:
            self.result(kind, reg)

    def text(self):
        kinds = {"h": "b16", "r": "b32", "d": "b64", "p": "pred"}
        regs = "".join(f".reg .{kinds[k]} %{k}<{n + 1}>; " for k, n in self.regs.items())
        # What a thread does begins behind a condition, as in most kernels.
        return (f".visible .entry {self.name}(.param .b64 in, .param .b64 out, .param .b32 n)\n{{\n{regs}\n"
                ".reg .b64 %i, %o, %w; .reg .b32 %t, %n; .reg .pred %out;\n"
                "ld.param.b64 %i, [in]; ld.param.b64 %o, [out]; ld.param.b32 %n, [n];\n"
                "mov.u32 %t, %tid.x; setp.ge.u32 %out, %t, %n; @%out bra DONE;\n"
                "mul.wide.u32 %w, %t, 65536; add.u64 %i, %i, %w; add.u64 %o, %o, %w;\n"
                + "\n".join(self.lines) + "\nDONE: ret;\n}\n")


def assemble(texts, sm, mixed, folder):
    """Counts of each text that ptxas takes for this capability."""
    live, refused = dict(enumerate(texts)), {}
    for _ in range(60):
        out, owner, bases = f".version 8.7\n.target sm_{sm}\n.address_size 64\n", [], {}
        for k, text in live.items():
            for n in COPIES:
                kernel = Kernel(f"k{k}_{n}", text, n, mixed)
                body = kernel.text()
                owner.append((out.count("\n"), k))
                bases[k, n] = kernel.base
                out += body
        with open(f"{folder}/a.ptx", "w") as file:
            file.write(out)
        done = subprocess.run([PTXAS, f"-arch=sm_{sm}", f"{folder}/a.ptx", "-o", f"{folder}/a.cubin"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode == 0:
            break
        wrong = [(int(m.group(1)), m.group(2)) for m in re.finditer(r"line (\d+);? \w+ *: *(.*)", done.stdout)]
        if not wrong:
            sys.exit(done.stdout)
        for line, why in wrong:
            k = max((at, k) for at, k in owner if at < line)[1]
            refused[k] = why
            live.pop(k, None)
    code = dict(sections(open(f"{folder}/a.cubin", "rb").read())) if live else {}
    counts = {}
    for k in live:
        many, few = (executed(code[f".text.k{k}_{n}"], sm) for n in COPIES)
        many.subtract(few)
        less = bases[k, COPIES[0]].copy()
        less.subtract(bases[k, COPIES[1]])
        many.subtract(less)
        counts[k] = {NAMES.get(op, hex(op)): c / (COPIES[0] - COPIES[1]) for op, c in many.items() if c}
    return counts, refused


def choose(text, plain, mixed):
    plain, mixed = ({n: c for n, c in d.items() if abs(c) > 0.06} for d in (plain, mixed))
    memory = re.match(r"(ld|st|atom|red)\b", text)
    for d in (plain, mixed):
        if not memory:
            d.pop("LDG", None), d.pop("STG", None)
    kinds = re.findall(r"\.(f16x2|bf16x2|f16|bf16|tf32|f32|f64|[us]\d+|e\dm\dx2)\b", text.split()[0])
    packs = re.search(r" %h", text.split(",")[0]) and kinds and kinds[0] in ("f16", "bf16")
    if packs and plain.get("PRMT", 0) >= 1:
        plain["PRMT"] -= 1
        return plain
    same = all(abs(plain.get(n, 0) - mixed.get(n, 0)) < 0.3 for n in set(plain) | set(mixed) if n != "MOV")
    fewer = mixed.get("MOV", 0) < plain.get("MOV", 0) - 0.5 and sum(plain.values()) <= 10
    return mixed if same and fewer and min(mixed.values(), default=0) > -0.3 else plain


def measure(texts, sm):
    with tempfile.TemporaryDirectory() as folder:
        plain, refused = assemble(texts, sm, False, folder)
        mixed, _ = assemble(texts, sm, True, folder)
    return {k: choose(texts[k], plain[k], mixed.get(k, plain[k])) for k in plain}, refused


def near(a, b):
    return abs(a - b) <= (max(2, b / 10) if b >= 10 else 1 if b >= 7 else 0.5)


def main(args):
    if args[:1] == ["-e"]:
        for sm in (75, 86, 90):
            counts, refused = measure(args[1:], sm)
            for k, text in enumerate(args[1:]):
                what = " ".join(f"{n}:{c:g}" for n, c in counts.get(k, {}).items()) or refused.get(k, "nothing")
                print(f"sm_{sm} {text} {sum(counts.get(k, {}).values()):g} ({what})")
        return 0
    every = int(args[1]) if len(args) > 1 else 1
    table = re.sub(r'"\s+"', "", open(args[0]).read())
    facts = re.findall(r'^FACT\("(.*?)",\s+(\w+), (\w+), (\w+),', table, re.M)[::every]
    bad = 0
    for at, sm in ((1, 75), (2, 86), (3, 90)):
        known = [f for f in facts if f[at] != "NONE"]
        counts, refused = measure([f[0] for f in known], sm)
        for k, f in enumerate(known):
            n = sum(counts[k].values()) if k in counts else None
            if n is None or not near(n, int(f[at])):
                print(f"sm_{sm} {f[0]} is {n}, not {f[at]} {refused.get(k, '')}")
                bad += 1
    print(f"{len(facts)} instructions, {bad} differ")
    return bad > 0


PTXAS = subprocess.run("command -v ptxas || echo /usr/local/cuda/bin/ptxas", shell=True, stdout=subprocess.PIPE,
                       text=True).stdout.strip()
sys.exit(main(sys.argv[1:]))
