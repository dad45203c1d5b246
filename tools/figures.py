"""figures.py: the points of a figure, from the stored runs of a JSON file alone.

doc/results/measurements/*.json hold runs of the paper's size, which take an hour. This module reads what a figure is
from reproduce/PAPER/NAME.ini, finds the run of each cell among the rows, and computes the figure's values anew, without
onchip. It knows what the stored figures need: matrices, `with`, x = program or a parameter, series = with or a key,
a formula y, best, baseline on the series, the summaries, and the runs of another figure.

The invariant: a cell has exactly one row, or no value. The row's parameters, its options, and what it changes of the
GPU's description are the cell's. A summary needs all points of its series; `best` takes the best of the rows there are.
"""

import itertools
import re
import statistics
from pathlib import Path

ALIASES = {"sched": "sched.policy"}
OPTIONS = ("cap", "interval", "kernels", "sl1")
NAME = re.compile(r"[a-z][a-z0-9_.]*")
# The stored rows have the sum of these accounts, energy.total less energy.core.
ACCOUNTS = " + ".join("energy." + account for account in "registers shared l1 dram leakage sram".split())
SUMMARIES = {
    "geometric": ("geomean", statistics.geometric_mean),
    "arithmetic": ("mean", statistics.fmean),
    "least": ("least", min),
    "most": ("most", max),
}


def read_ini(path):
    """The sections of a figure file in order: [(name, {key: value})]."""
    sections = []
    for line in path.read_text(encoding="utf-8").splitlines():
        line = re.sub(r"(^|\s)#.*", "", line).strip()
        if line.startswith("["):
            sections.append((line.strip("[]"), {}))
        elif "=" in line:
            key, value = line.split("=", 1)
            sections[-1][1][key.strip()] = value.strip()
    return sections


def settings(text):
    """The settings of "a=1 b=2", with aliases replaced."""
    pairs = (word.split("=", 1) for word in text.split())
    return {ALIASES.get(key, key): value for key, value in pairs}


def matrix_cells(matrix):
    """Every combination of a matrix' values, as {key: value}; `program` and `with` bring settings of their own."""
    axes = [[(key, value.strip()) for value in text.split(",")] if key != "kernels" else [(key, text)]
            for key, text in matrix.items()]
    for chosen in itertools.product(*axes):
        cell = {}
        for key, value in chosen:
            if key == "program":
                name, _, rest = value.partition(" ")
                cell.update(program=name, **settings(rest))
            elif key == "with":
                name, _, rest = value.partition(":")
                cell.update({"with": name}, **settings(rest))
            else:
                cell[ALIASES.get(key, key)] = value
        yield cell


def number(text):
    """"16KiB" as "16384"; other texts as they are."""
    for unit, factor in (("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)):
        if text.endswith(unit):
            return str(round(float(text[:-3]) * factor))
    return text


class Rows:
    """The runs of a file. Overrides that are the description's own value are left out of both rows and cells."""

    def __init__(self, root, rows):
        self.root = root
        self.own = {}
        self.of_program = {}
        for row in rows:
            entry = (row, settings(row["params"]), settings(row["overrides"]), settings(row.get("options", "")))
            self.of_program.setdefault(row["program"], []).append(entry)

    def description(self, gpu):
        """The values of a GPU: gpus/GPU.ini over what it is based on, over the defaults of doc/reference/gpu.md."""
        if gpu not in self.own:
            sections = read_ini(self.root / "gpus" / f"{gpu}.ini")
            base = dict(sections)["gpu"].get("base")
            values = dict(self.description(base)) if base else self.defaults()
            values.update({f"{name}.{key}": number(value) for name, body in sections for key, value in body.items()})
            self.own[gpu] = values
        return self.own[gpu]

    def defaults(self):
        values, section = {}, ""
        for line in (self.root / "doc/reference/gpu.md").read_text(encoding="utf-8").splitlines():
            section = line[4:-1] if line.startswith("## [") else section
            cells = line.split(" | ")
            if line.startswith("| `") and len(cells) > 3:
                values[section + "." + cells[0].strip("| `")] = cells[2]
        return values

    def changes(self, gpu, overrides):
        own = self.description(gpu)
        return {(key, number(value)) for key, value in overrides.items() if own.get(key) != number(value)}

    def of(self, cell):
        """The one row of a cell, or None."""
        gpu = cell["gpu"]
        changes = self.changes(gpu, {key: value for key, value in cell.items() if "." in key})
        options = {key: cell[key] for key in OPTIONS if key in cell and cell[key] != "no"}
        parameters = {key: value for key, value in cell.items()
                      if "." not in key and key not in OPTIONS + ("program", "with", "gpu")}
        found = [row for row, has, overrides, with_options in self.of_program.get(cell["program"], [])
                 if has.items() >= parameters.items() and with_options == options and row.get("gpu", gpu) == gpu
                 and self.changes(gpu, overrides) == changes]
        return found[0] if len(found) == 1 else None


def value_of(formula, row, base, cell):
    """A formula's value for a row; `base` is the baseline's row. KeyError where the row lacks a name."""
    formula = formula.replace(ACCOUNTS, "(energy.total - energy.core)")

    def lookup(name):
        if name.startswith("base."):
            return float(base[name[5:]])
        if name == "ipc":
            return row["warp_instructions"] / row["cycles"]
        return float(row[name] if name in row else cell[name])

    code = NAME.sub(lambda name: f"lookup({name[0]!r})", formula)
    return eval(code, {"__builtins__": {}}, {"lookup": lookup})  # a formula of reproduce/, no foreign text


def key_text(cell, key):
    return cell.get(key, "").split("/")[-1] if key == "program" else cell.get(key, "")


def points(root, figure, size, rows, only=None, extra=""):
    """The figure PAPER/NAME of `size`, of Rows: {(series, x): (ours or None, theirs or None)}.

    `only` names the x to take. `extra` are settings: a cell is the run with them where there is one.
    """
    sections = read_ini(root / "reproduce" / f"{figure}.ini")
    head = dict(sections)["figure"]
    of_runs = sections
    if "runs" in head:
        of_runs = read_ini(root / "reproduce" / f"{figure.split('/')[0]}/{head['runs']}.ini")
    matrices = [body for name, body in of_runs if name.split()[0] == size]
    matrices = matrices or [body for name, body in of_runs if name.split()[0] == "matrix"]
    runs = {}
    for cell in itertools.chain.from_iterable(map(matrix_cells, matrices)):
        at = key_text(cell, head.get("series", "")), key_text(cell, head["x"])
        if not only or at[1] in only:
            row = (extra and rows.of({**cell, **settings(extra)})) or rows.of(cell)
            runs.setdefault(at, []).extend([(row, cell)] if row else [])
    if "best" in head:
        which, formula = head["best"].split(" ", 1)
        pick = {"min": min, "max": max}[which]
        runs = {at: of and [pick(of, key=lambda run: value_of(formula, run[0], None, run[1]))]
                for at, of in runs.items()}
    ours = {at: point(head, of, runs.get((head.get("baseline", "=").split("=", 1)[1], at[1])))
            for at, of in runs.items()}
    for name in filter(None, re.split(r"[, ]+", head.get("summary", ""))):
        label, fold = SUMMARIES[name]
        for series in {series for series, _ in runs}:
            values = [ours[at] for at in runs if at[0] == series]
            ours[series, label] = None if None in values else fold(values)
    theirs = {(name[len("theirs"):].strip(), x): float(text.split("±")[0])
              for name, body in sections if name.split()[0] == "theirs" for x, text in body.items()}
    return {at: (ours.get(at), theirs.get(at)) for at in ours | theirs}


def point(head, runs, base):
    """The value of a point that has these runs, over that of the baseline's runs; None without one run of each."""
    if len(runs) != 1 or ("baseline" in head and len(base or []) != 1):
        return None
    try:
        value = value_of(head["y"], runs[0][0], base and base[0][0], runs[0][1])
        return value / value_of(head["y"], base[0][0], base[0][0], base[0][1]) if base else value
    except KeyError:
        return None
