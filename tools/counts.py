# counts.py CUBIN OURS: puts the machine instructions of each kernel in a cubin (ptxas) beside what `onchip show ptx
# --view counts` prints, by group. tools/counts.sh calls it.
import math
import struct
import sys

GROUPS = ["float", "integer", "global", "shared", "special", "branches"]
LEAST = 8  # instructions of ptxas, for a group to be compared

# The low 9 bits of an instruction are its operation, whatever its operands are. What isn't here is whole numbers, logic,
# comparisons and moves.
OPERATIONS = {
    "float": {"FMUL": 0x020, "FADD": 0x021, "FFMA": 0x023, "DMUL": 0x028, "DADD": 0x029, "DSETP": 0x02A, "DFMA": 0x02B,
              "HADD2": 0x030, "HFMA2": 0x031, "HMUL2": 0x032},
    "global": {"LD": 0x180, "LDG": 0x181, "LDL": 0x183, "ST": 0x185, "STG": 0x186, "STL": 0x187, "ATOM": 0x18A,
               "ATOM.CAS": 0x18B, "RED": 0x18E, "ATOMG": 0x1A8, "ATOMG.CAS": 0x1A9},
    "shared": {"LDS": 0x184, "STS": 0x188, "SHFL": 0x189, "ATOMS": 0x18C, "ATOMS.CAS": 0x18D, "LDGSTS": 0x1AE},
    "special": {"FLO": 0x100, "BREV": 0x101, "F2F": 0x104, "F2I": 0x105, "I2F": 0x106, "FRND": 0x107, "MUFU": 0x108,
                "POPC": 0x109, "F2F.F64": 0x110, "F2I.F64": 0x111, "I2F.F64": 0x112, "FRND.F64": 0x113},
    "branches": {"BAR": 0x11D, "BSYNC": 0x141, "BREAK": 0x142, "CALL.ABS": 0x143, "CALL": 0x144, "BSSY": 0x145,
                 "BRA": 0x147, "WARPSYNC": 0x148, "BRX": 0x149, "EXIT": 0x14D, "RET": 0x150},
}
NOP, BRA = 0x118, 0x147
GROUP_OF = {op: group for group, ops in OPERATIONS.items() for op in ops.values()}
# Our classes, of which those with a memory are told apart by it.
CLASSES = {"FMA": "float", "F64": "float", "SFU": "special", "SHARED": "shared", "CVT": "special", "BRANCH": "branches",
           "BARRIER": "branches"}


def kernels(data):
    """The text of each kernel in an ELF file of 64 bits (section .text.NAME)."""
    at, = struct.unpack_from("<Q", data, 40)
    size, n, names = struct.unpack_from("<HHH", data, 58)
    heads = [struct.unpack_from("<IIQQQQ", data, at + k * size) for k in range(n)]
    for name, _, _, _, offset, length in heads:
        start = heads[names][4] + name
        text = data[start:data.index(b"\0", start)].decode()
        if text.startswith(".text."):
            yield text[6:], data[offset:offset + length]


def ops_of(code):
    """Operations of a kernel, without the branch to itself at its end and what fills it up."""
    words = [struct.unpack_from("<QQ", code, k) for k in range(0, len(code), 16)]
    ops = [low & 0x1FF for low, _ in words]
    while ops and ops[-1] == NOP:
        ops.pop()
    if ops and ops[-1] == BRA:
        ops.pop()
    return [op for op in ops if op != NOP]


def theirs(path):
    out = {}
    for name, code in kernels(open(path, "rb").read()):
        count = dict.fromkeys(GROUPS + ["all"], 0)
        for op in ops_of(code):
            count[GROUP_OF.get(op, "integer")] += 1
            count["all"] += 1
        out[name] = count
    return out


def group_of(name):
    unit, _, memory = name.partition(".")
    if memory:
        return "shared" if memory == "shared" else "integer" if memory == "const" else "global"
    return CLASSES.get(unit, "integer")


def ours(path):
    out, count = {}, None
    for line in open(path):
        if not line.startswith(" "):
            count = out[line.strip()] = dict.fromkeys(GROUPS + ["all"], 0)
        else:
            name, n = line.split()
            count[name if name == "all" else group_of(name)] += int(n)
    return out


def compare(cubin, text):
    a, b = ours(text), theirs(cubin)
    for name in sorted(b):
        if name in a:
            yield name, {g: (a[name][g], b[name][g]) for g in GROUPS + ["all"]}


def main(pairs):
    rows = [row for cubin, text in zip(pairs[::2], pairs[1::2]) for row in compare(cubin, text)]
    print("kernel: onchip/ptxas".ljust(36) + "".join(g.rjust(12) for g in GROUPS + ["all"]))
    for name, count in rows:
        print(name.ljust(36)[:36] + "".join(f"{count[g][0]}/{count[g][1]}".rjust(12) for g in GROUPS + ["all"]))
    for g in GROUPS + ["all"]:
        logs = [math.log(max(x, 1) / y) for x, y in (count[g] for _, count in rows) if y >= (LEAST if g != "all" else 1)]
        if logs:
            print(f"{g}: {len(logs)} kernels, mean |log| {sum(map(abs, logs)) / len(logs):.3f}, mean log "
                  f"{sum(logs) / len(logs):+.3f}")


main(sys.argv[1:])
