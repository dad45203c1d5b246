#!/usr/bin/env python3
"""mutate.py: how many small mistakes would the tests notice?

A mutant is a copy of the sources with one token changed: a comparison, an operator, a constant by one, a condition
negated, a statement dropped, two arguments swapped. A seed draws mutants from each folder, in proportion to its lines.
Each mutant is built in a copy of the tree (build-mutate/N) and meets the tests, the nearest first, until one fails:
then it is killed. One that passes them all survives: a test is missing, or the change makes no difference.

Not counted: mutants that don't compile, or that give the same machine code. Left out of the share: mutants in
tools/mutants.equal, each with the reason why no test can tell it from the original.
A test that takes much more CPU time or memory than with the original counts as failed; time on the wall counts only
where no CPU time passes either (a deadlock). Nothing is drawn from comments, strings, asserts, or calls that free
memory: the sanitizers find leaks.
"""
import argparse, collections, concurrent.futures, hashlib, itertools, json, os, pathlib, re, resource, signal
import subprocess, sys, textwrap, threading, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build-mutate"
EQUAL = ROOT / "tools/mutants.equal"
LIBRARIES = "libonchip.a", "libonchip_program.a"

CHIP = "chip/(?!conservation|streaming)"  # those two take long, and little else
# A folder's sources, and patterns of its nearest tests. Then come the wider ones, in this order; within a pattern,
# tests come by the CPU time that they take. Those that take long and find little are left to ./dev check.
FOLDERS = {
    "exec": (["src/exec/*.c"], ["exec/", "run/"]),
    "mem": (["src/mem/*.c"], ["mem/", CHIP]),
    "sm": (["src/sm/*.c"], [CHIP, "policy/(?!workloads)", "energy/energy", "cli/(hang|interference|trace)", "chip/"]),
    "chip": (["src/chip/*.c"], [CHIP, "chip/"]),
    "policy": (["src/policy/*.c"], ["policy/", CHIP]),
    "energy": (["src/energy/*.c"], ["energy/", CHIP]),
    "sl1": (["src/sl1/*.c"], ["sl1/", "lab/sl1"]),
    "ptx": (["src/ptx/*.c"], ["ptx/", "base/", "fuzz/ptx"]),
    "store": (["src/store/*.c", "src/sweep/cell.c"],
              ["lab/(store|db|query|key|values|compare|formula|matrix|checksum|damage|report|sweep)"]),
}
WIDER = ["lab/golden", "fuzz/", "mem/", CHIP, "exec/", "ptx/(?!ptxas)", "run/", "sl1/(cases|cost|strides|share|dump)",
         "cli/(json|names|lines|functional)", "lab/(counts|results)", "policy/", "energy/"]
LEFT_OUT = r".*_long$|style/|preload/|.*/(mpi|mpi_kill|nvcc|screenshot|kill)$"

MEMORY = 6 << 30  # bytes: more than any test takes
IDLE = 180        # seconds in which a test takes no CPU time: a deadlock


# --- from text to mutants ---------------------------------------------------------------------------------------------
class Token(collections.namedtuple("Token", "kind text start")):
    end = property(lambda t: t.start + len(t.text))


class Mutant:
    """A change of text[start:end] of a file."""

    def __init__(self, file, text, start, end, after, what=None):
        self.file, self.start, self.end = file, start, end
        before = text[start:end]
        self.line = text.count("\n", 0, start) + 1
        self.text = text[:start] + after + "\n" * (before.count("\n") - after.count("\n")) + text[end:]
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        flat = lambda s: " ".join(s.split())
        self.old, self.new = flat(text[first:last]), flat(text[first:start] + after + text[end:last])
        self.what = what or "%s → %s" % (flat(before), flat(after))

    key = property(lambda m: (m.file, m.old, m.new))


# Comments and directives are skipped, but for the bodies of macros.
LEX = re.compile(r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|\\\n
        |^[ \t]*\#[ \t]*define[ \t]+\w+(?:\([^)]*\))?|^[ \t]*\#(?:\\\n|[^\n])*)
    |(?P<str>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<id>[A-Za-z_]\w*)
    |(?P<num>(?:0[xX][\da-fA-F]+|\d+)(?:[uUlL]*(?![\w.])|[\w.]*(?:(?<=[eEpP])[+-]\w+)?))
    |(?P<op><<=|>>=|->|\+\+|--|<<|>>|[<>=!+\-&|*/%^]=|&&|\|\||\#\#|.)""", re.X | re.M | re.S)
SWAP = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "<<": ">>",
        ">>": "<<", "+": "-", "-": "+", "&": "|", "|": "&", "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|="}
BINARY = {"+", "-", "&", "|"}  # as prefixes they are something else
WORDS = {"true": "false", "false": "true", "MIN": "MAX", "MAX": "MIN", "break": "continue", "continue": "break"}
KEYWORDS = set("return if else for while do switch case default goto break continue sizeof typedef static const struct "
               "union enum extern inline void".split())
ASSIGN = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>="}
LEAKS = re.compile(r"free|close|finalize|assert")


def tokens(text):
    return [Token(m.lastgroup, m.group(), m.start()) for m in LEX.finditer(text) if m.lastgroup != "skip"]


def closers(t):
    """For each opening token the number of the one that closes it."""
    found, stack = {}, []
    for k, x in enumerate(t):
        if x.text in "([{":
            stack.append(k)
        elif x.text in ")]}" and stack:
            found[stack.pop()] = k
    return found


def statement(t, k, close):
    """The number of the semicolon that ends the statement at k, if the program compiles without it; or None."""
    if t[k].text in KEYWORDS or (t[k].kind != "id" and t[k].text not in ("*", "++", "--")): return None
    end, assigns, typed = k, t[k].text in ("++", "--"), False
    while end < len(t) and t[end].text != ";":
        if t[end].text in "{})": return None
        assigns |= t[end].text in ASSIGN
        # Two names in a row, or at first a name and a star: a declaration.
        next = t[end + 1]
        typed |= not assigns and t[end].kind == "id" and (next.kind == "id" or (end == k and next.text == "*"))
        end = close.get(end, end) + 1
    if end >= len(t) or typed: return None
    call = t[k + 1].text == "(" and close.get(k + 1) == end - 1 and not LEAKS.search(t[k].text)
    return end if call or assigns or t[end - 1].text in ("++", "--") else None


def mutants(file, text):
    """All mutants of a file, in the order of their lines."""
    t = tokens(text)
    close = closers(t)
    heads = ("if", "for", "while", "switch")
    headers = {close[k + 1] for k, x in enumerate(t[:-1]) if x.text in heads and k + 1 in close}
    found, depth, k = [], 0, 0

    def add(start, end, after, what=None): found.append(Mutant(file, text, start, end, after, what))

    while k < len(t):
        x, before = t[k], t[k - 1] if k else Token("op", ";", 0)
        depth += {"{": 1, "}": -1}.get(x.text, 0)
        if x.text.lower().endswith("assert") and k + 1 in close:
            k = close[k + 1]
            continue
        label = before.text == ":" and (t[k - 2].text == "default" or t[k - 3].text in ("case", ";", "{", "}"))
        if depth and (before.text in (";", "{", "}", "else") or label or k - 1 in headers):
            end = statement(t, k, close)
            if end: add(x.start, t[end].start, "", "drop " + " ".join(text[x.start:t[end].start].split()))
        if x.kind == "id" and x.text in WORDS:
            add(x.start, x.end, WORDS[x.text])
        elif x.text == "if" and k + 1 in close:
            inner = text[t[k + 1].start:t[close[k + 1]].end]
            add(x.end, t[close[k + 1]].end, " (!%s)" % inner, "negate " + " ".join(inner.split()))
        elif x.kind == "op" and x.text in SWAP:
            after = before.kind in ("id", "num") and before.text not in KEYWORDS or before.text in (")", "]")
            if after or x.text not in BINARY: add(x.start, x.end, SWAP[x.text])
        elif x.kind == "num" and re.fullmatch(r"(0[xX][\da-fA-F]+|\d+)[uUlL]*", x.text):
            digits = x.text.rstrip("uUlL")
            value, size = int(digits, 8 if re.fullmatch("0[0-7]+", digits) else 0), t[k - 3] if k > 2 else x
            sizes = before.text == "[" and size.kind == "id" and size.text not in KEYWORDS  # Type name[8]
            for after in {value + 1, max(value - 1, 0)} - {value} if not sizes else ():
                add(x.start, x.end, ("%#x" if digits[1:2] in ("x", "X") else "%d") % after + x.text[len(digits):])
        if depth and x.kind == "id" and x.text not in KEYWORDS and k + 1 in close and t[k + 1].text == "(":
            last = close[k + 1]
            for a in range(k + 2, last - 2):
                p, q = t[a], t[a + 2]
                alone = t[a - 1].text in "(," and t[a + 1].text == "," and t[a + 3].text in ",)"
                if alone and {p.kind, q.kind} <= {"id", "num"} and p.text != q.text and x.text not in ("MIN", "MAX"):
                    add(p.start, q.end, q.text + text[p.end:q.start] + p.text)
        k += 1
    return sorted(found, key=lambda m: m.line)


def drawn(folder, seed):
    """A folder's mutants in the order in which they are drawn: any line that has some, then any of its mutants. A
    line's rank depends on the seed and its text alone, so that most of a draw stays when the sources change."""
    rank, lines, same = lambda *of: hashlib.sha256(repr((seed, *of)).encode()).digest(), [], collections.Counter()
    for path in sorted(p for pattern in FOLDERS[folder][0] for p in ROOT.glob(pattern)):
        file = str(path.relative_to(ROOT))
        for _, of_line in itertools.groupby(mutants(file, path.read_text()), lambda m: m.line):
            m = min(of_line, key=lambda m: rank(m.what, m.new))
            same[m.key] += 1
            lines.append((rank(*m.key, same[m.key]), m))
    return [m for _, m in sorted(lines, key=lambda x: x[0])]


def lines_of(folder):
    return sum(p.read_text().count("\n") for pattern in FOLDERS[folder][0] for p in ROOT.glob(pattern))


def known_equal():
    """tools/mutants.equal: blocks of a file's name, "- line", "+ line" and the reason, with empty lines between. A block
    that is no mutant of the sources as they are now is named: its line has changed, or its file."""
    known = {}
    if not EQUAL.exists(): return known
    for block in re.split(r"\n\s*\n", re.sub(r"(?m)^#.*\n", "", EQUAL.read_text()).strip()):
        head = block.split("\n")
        if len(head) < 4 or head[1][:2] != "- " or head[2][:2] != "+ ":
            sys.exit("%s: not a block:\n%s" % (EQUAL, block))
        known[head[0], head[1][2:], head[2][2:]] = " ".join(head[3:])
    files = {key[0] for key in known if (ROOT / key[0]).is_file()}
    all = {m.key for file in files for m in mutants(file, (ROOT / file).read_text())}
    for file, old, new in known:
        if (file, old, new) not in all: print("%s: stale: %s: %s" % (EQUAL.name, file, new), file=sys.stderr)
    return known


# --- tests ------------------------------------------------------------------------------------------------------------
def in_session(leader):
    """Processes of a session: (pid, CPU seconds with those of its children that are over, bytes in memory)."""
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit(): continue
        try:
            with open("/proc/%s/stat" % entry.name) as f: stat = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(stat[3]) == leader:
            ticks, pages = sum(map(int, stat[11:15])), int(stat[21])
            yield int(entry.name), ticks / os.sysconf("SC_CLK_TCK"), pages * resource.getpagesize()


def run_test(test, cpu):
    """Runs a test within so many seconds of CPU time: what went wrong ("": nothing), and the seconds that it took."""
    bound = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    p = subprocess.Popen(test.command, cwd=test.cwd, env={**os.environ, **test.env}, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=bound)
    taken, moved, wrong, nap = 0, time.monotonic(), "", 0.01
    while True:
        pid, status, usage = os.wait4(p.pid, os.WNOHANG)
        if pid or wrong: break
        time.sleep(nap)
        nap = min(nap * 1.5, 0.5)
        processes = list(in_session(p.pid))
        now = sum(q[1] for q in processes)
        if now > taken: taken, moved = now, time.monotonic()
        wrong = ("CPU time" if taken > cpu else "memory" if sum(q[2] for q in processes) > MEMORY else
                 "deadlock" if time.monotonic() - moved > IDLE else "")
        if wrong: kill_session(p.pid)
    kill_session(p.pid)  # what it left behind
    if not pid: pid, status, usage = os.wait4(p.pid, 0)
    p.returncode = code = os.waitstatus_to_exitcode(status)
    if not wrong and code not in (0, test.skip): wrong = "signal %d" % -code if code < 0 else "failed"
    return wrong, usage.ru_utime + usage.ru_stime


class Test(collections.namedtuple("Test", "name command cwd env skip target")):
    pass


class Copy:
    """A copy of the tree with a build folder of its own, in which one mutant at a time is tried."""

    def __init__(self, number):
        self.tree, self.build = WORK / str(number) / "tree", WORK / str(number) / "build"
        self.sync()
        self.run("cmake", "-G", "Ninja", "-S", self.tree, "-B", self.build, "-DONCHIP_WERROR=OFF",
                 "-DCMAKE_C_FLAGS=-Werror=int-conversion -Werror=incompatible-pointer-types")
        # All of it only once: CTest tells nothing of tests whose programs aren't there.
        known = all("command" in t for t in self.described())
        if self.ninja(*(LIBRARIES if known else ["all"])): sys.exit("the tree doesn't build: see %s" % self.log)
        self.objects = collections.defaultdict(list)
        for c in json.loads((self.build / "compile_commands.json").read_text()):
            self.objects[os.path.relpath(c["file"], self.tree)].append(re.search(r" -o (\S+)", c["command"])[1])

    log = property(lambda c: c.build.parent / "log")

    def run(self, *command):
        with open(self.log, "w") as log:
            return subprocess.run(list(map(str, command)), stdout=log, stderr=log, stdin=subprocess.DEVNULL).returncode

    def ninja(self, *targets): return self.run("ninja", "-C", self.build, "-j", "2", *targets)

    def sync(self):
        """Makes the copy what the working tree is, touching only the files that differ."""
        names = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT).decode()
        names = {n for n in names.split("\0") if n and (ROOT / n).is_file()}
        for path in [p for p in self.tree.rglob("*") if p.is_file()]:
            if str(path.relative_to(self.tree)) not in names: path.unlink()
        for name in names:
            source, to = ROOT / name, self.tree / name
            if to.exists() and to.read_bytes() == source.read_bytes(): continue
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(source.read_bytes())
            to.chmod(source.stat().st_mode)

    def described(self):
        return json.loads(subprocess.check_output(["ctest", "--show-only=json-v1"], cwd=self.build))["tests"]

    def tests(self):
        for t in self.described():
            own = {p["name"]: p["value"] for p in t["properties"]}
            # The program that limits a test's time comes first.
            programs = [os.path.relpath(a, self.build) for a in t["command"] if a.startswith(str(self.build) + "/")]
            programs = [p for p in programs if p != "test/limit"]
            env = dict(e.split("=", 1) for e in own["ENVIRONMENT"])
            yield Test(t["name"], t["command"], own["WORKING_DIRECTORY"], env, own.get("SKIP_RETURN_CODE"),
                       programs[0] if programs else "onchip_cli")

    def machine_code(self, file):
        """A hash of the file's objects without what debuggers read; None: it doesn't compile."""
        if self.ninja(*self.objects[file]): return None
        all, bare = hashlib.sha256(), self.build.parent / "bare.o"
        for o in self.objects[file]:
            subprocess.check_call(["strip", "-g", "-o", bare, self.build / o])
            all.update(bare.read_bytes())
        return all.digest()

    def try_mutant(self, m, groups, limits):
        """What becomes of a mutant: "doesn't compile", "same code", ("killed", test, how) or "SURVIVED"."""
        path, objects = self.tree / m.file, [self.build / o for o in self.objects[m.file]]
        original = self.machine_code(m.file)
        kept = [(o, o.read_bytes(), o.stat().st_mtime_ns) for o in objects]
        text, time_of_text = path.read_text(), path.stat().st_mtime_ns
        try:
            path.write_text(m.text)
            code = self.machine_code(m.file)
            if code is None: return "doesn't compile"
            if code == original: return "same code"
            tests = {t.name: t for t in self.tests()}
            for group in groups:
                if self.ninja(*{tests[name].target for name in group}): return "doesn't link"
                for name in group:
                    wrong, _ = run_test(tests[name], limits[name])
                    if wrong: return "killed", name, wrong
            return "SURVIVED"
        finally:
            # The original's objects are put back instead of being compiled again. Ninja believes in one whose time is
            # the one that it wrote down; the libraries, one of which has the mutant, go.
            path.write_text(text)
            os.utime(path, ns=(time_of_text, time_of_text))
            for o, code, time_of_code in kept:
                time_of_code = o.stat().st_mtime_ns if o.exists() else time_of_code
                o.write_bytes(code)
                os.utime(o, ns=(time_of_code, time_of_code))
            for library in LIBRARIES: (self.build / library).unlink(missing_ok=True)


def kill_session(leader):
    for pid, _, _ in in_session(leader):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def in_groups(names, folder):
    """Lists of tests in the order in which a folder's mutants meet them."""
    left = [n for n in names if not re.fullmatch(LEFT_OUT, n)]
    for pattern in FOLDERS[folder][1] + WIDER:
        group = [n for n in left if re.match(pattern, n)]
        left = [n for n in left if n not in group]
        if group: yield group


# --- the run ----------------------------------------------------------------------------------------------------------
def main():
    about = argparse.ArgumentParser("./dev mutate", description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    about.add_argument("--n", type=int, default=60, metavar="N", help="mutants in all (60), but six of a folder")
    about.add_argument("--seed", type=int, default=1, metavar="S", help="another number draws others (1)")
    about.add_argument("--only", choices=FOLDERS, nargs="+", metavar="FOLDER", help="N of each of these folders alone")
    about.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="J", help="mutants at a time")
    about.add_argument("--list", action="store_true", help="show the first that would be tried, and try none")
    about.add_argument("--out", metavar="FILE", help="write the table there too")
    args = about.parse_args()

    all_lines = sum(map(lines_of, FOLDERS))
    folders = args.only or list(FOLDERS)
    quota = {f: args.n if args.only else max(6, round(args.n * lines_of(f) / all_lines)) for f in folders}
    queue = {f: collections.deque(drawn(f, args.seed)) for f in folders}
    if args.list:
        for f in folders:
            for m in list(queue[f])[:quota[f]]:
                print("%s:%d: %s\n  - %s\n  + %s" % (m.file, m.line, m.what, m.old, m.new))
        return

    WORK.mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        free = list(pool.map(Copy, range(args.jobs)))
        lock, said = threading.Lock(), lambda text: print(text, file=sys.stderr, flush=True)

        def with_copy(work, *rest):
            with lock: copy = free.pop()
            try:
                return work(copy, *rest)
            finally:
                with lock: free.append(copy)

        # What each test takes with the original, and whether it passes.
        names = [t.name for t in free[0].tests()]
        needed = [n for n in names if any(n in g for f in folders for g in in_groups(names, f))]
        def measure(copy, name):
            test = {t.name: t for t in copy.tests()}[name]
            return ("it doesn't build", 0) if copy.ninja(test.target) else run_test(test, 3600)

        cost = {}
        for name, (wrong, cpu) in zip(needed, pool.map(lambda n: with_copy(measure, n), needed)):
            if wrong: said("%s: %s with the original: left out" % (name, wrong))
            else: cost[name] = cpu
        said("%d tests, %.0f s of CPU time with the original" % (len(cost), sum(cost.values())))
        limits = {name: 10 + 5 * cpu for name, cpu in cost.items()}
        groups = {f: [sorted(g, key=cost.get) for g in in_groups(cost, f)] for f in folders}

        # A mutant is tried only if without it there may be too few: those that are tried don't depend on the jobs.
        known, results, trying = known_equal(), {f: [] for f in folders}, {}
        while True:
            for f in folders:
                counted = sum(r != None for _, r in results[f]) + sum(g == f for g, _ in trying.values())
                while counted < quota[f] and queue[f]:
                    m = queue[f].popleft()
                    if m.key in known:
                        results[f].append((m, "equal"))
                    else:
                        trying[pool.submit(with_copy, Copy.try_mutant, m, groups[f], limits)] = f, m
                    counted += 1
            if not trying: break
            for future in concurrent.futures.wait(trying, return_when="FIRST_COMPLETED").done:
                f, m = trying.pop(future)
                r = future.result()
                said("%s:%d: %s: %s" % (m.file, m.line, m.what, r if isinstance(r, str) else "%s (%s)" % r[1:]))
                results[f].append((m, r if isinstance(r, tuple) or r == "SURVIVED" else None))
    text = table(args, {f: [x for x in results[f] if x[1]] for f in folders}, known)
    print(text, end="")
    if args.out: pathlib.Path(args.out).write_text(text)


def table(args, results, known):
    out, number = [], 0
    only = " --only " + " ".join(args.only) if args.only else ""
    out.append("Small mistakes, and the tests that notice them; made by ./dev mutate --n %d --seed %d%s "
               "(tools/mutate.py says how).\n" % (args.n, args.seed, only))
    for f in results:
        for m, r in sorted(results[f], key=lambda x: (x[0].file, x[0].line)):
            number += 1
            verdict = r if r == "SURVIVED" else "left out" if r == "equal" else "killed by %s%s" % (
                r[1], "" if r[2] == "failed" else " (%s)" % r[2])
            what = m.what if len(m.what) <= 44 else m.what[:43] + "…"
            out.append("%3d  %-28s %-44s %s" % (number, "%s:%d" % (m.file, m.line), what, verdict))
            if r in ("SURVIVED", "equal"): out += ["     - " + m.old, "     + " + m.new]
            if r == "equal": out += textwrap.wrap(known[m.key], 110, initial_indent="     ", subsequent_indent="     ")
    out.append("\n%-8s %8s %9s %9s %9s %9s" % ("folder", "mutants", "left out", "killed", "survived", "share"))
    total = collections.Counter()
    for f, rows in results.items():
        c = collections.Counter("killed" if isinstance(r, tuple) else r for _, r in rows)
        total += c
        out.append(row(f, c))
    out.append(row("all", total))
    return "\n".join(out) + "\n"


def row(name, c):
    judged = c["killed"] + c["SURVIVED"]
    return "%-8s %8d %9d %9d %9d %9s" % (name, judged + c["equal"], c["equal"], c["killed"], c["SURVIVED"],
                                        "%.1f %%" % (100 * c["killed"] / judged) if judged else "-")


if __name__ == "__main__":
    main()
