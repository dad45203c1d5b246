#!/usr/bin/env python3
"""tables.py [--strength] [--root DIR] [PAGE …]: the numbers in the tables of doc/ come out of stored runs.

Right above a table stands a comment, which may have several lines:

  <!-- from SOURCE, SOURCE …; RULE; RULE … -->   its numbers come from there
  <!-- not measured: KIND: … -->                 it has none that are measured (KINDS)
  <!-- not stored: WHY; RULE … -->               it has, and no file holds them; MOST_UNSTORED bounds these tables;
                                                 RULEs may be formulas

A SOURCE is a file beside doc/results/, with figures or without:

  measurements/sl1-small.csv sl1/fig7            the lines of these figures (onchip reproduce --csv)
  measurements/ciao-paper.json ciao/fig8a        the figure, computed from the stored runs (figures.py); the size is
                                                 the paper's unless it is named: sl1/fig7:medium;
                                                 sl1/fig7[upper+dna] has these x only, and
                                                 sl1/fig7{l1.index=xor} takes runs with this setting where there are any
  measurements/sl1-slice.json                    the runs themselves

A figure also has the points `error`, `average`, `farthest` and `1 everywhere`, as onchip prints them, and how many of
its numbers are `compared` with the paper's and lie `within` their tolerance: of all series and of each. A series has
its `least` and `most`. A SOURCE of several figures has the sums of those that are compared and within, as `figures`.

A number of a cell agrees if one of the cell's candidates rounds to it at its printed precision. The candidates are the
values of those records that the cell names, as far as it does: of the sources' records those with the most texts
(program, figure, series, x) that stand in the row's first cell; of these, those with the most that stand in the
column's head. A column whose head has "paper" or "theirs" is compared with the paper's values, the others with ours. A
percentage is 100 times a value, or a value in percent; "+ 54 %" is 100 times a value less 1. RULEs say what words
don't:

  row 2: TEXT | TEXT            what stands for the row's first cell, in several ways; S-L1 {least most} is S-L1 least |
                                S-L1 most
  row 2 column 3: TEXT          what stands for both
  column 3: TEXT, TEXT          what stands for the column's head, and all of these texts must be the record's
  all: TEXT, TEXT               all of these texts must be the record's, in every cell
  column 2: of column 1         the numbers of the very run that column 1's number comes from
  column 3: by column 2         column 2's cell stands for the row's first cell
  column 5 = column 1 / column 3    computed from the cells beside it, also with + - *
  column 2 = sum                the last row is the sum of the rows above
  column 4: words               isn't looked at; the same of a row, or of a cell

Within a cell `A / B = C` is computed, too. Columns are counted behind the first, rows below the head. Not taken for
numbers: code, what is part of a word (L1, 2DCONV, 8-way), what follows a word for a place (Table 6, §2.1, Figure 2) and
what precedes a unit of sizes or a thing that is counted (UNITS).
"""

import argparse
import csv
import json
import math
import re
import sys
from pathlib import Path
from typing import NamedTuple

import figures

KINDS = ("a definition", "options", "a source", "real time", "words")
MOST_UNSTORED = 27
UNITS = (r"KiB|MiB|GiB|KB|MB|bytes?|bits?|blocks?|threads?|SMs?|programs?|warps?|cells|words?|MSHRs|ways|cycles?"
         r"|structures|characters|letters|queries|systems|times|shapes")
PLACES = r"Table|Tables|Figure|Fig\.|Section|model|sm_|§|sets of"
NUMBER = re.compile(r"(?<![\w.,§-])([-−+]\s?)?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?![\w]|[-.,]\w)")
BRACES = re.compile(r"([^|{]*)\{([^}]*)\}")
FIGURE = re.compile(r"([^:\[{]*)(?::([a-z]+))?(?:\[(.*)\])?(?:{(.*)})?")
QUOTIENT = re.compile(r"([\d.,]+\d)[^\d/|()]*/ ([\d.,]+\d) = ([\d.,]+\d)")


class Record(NamedTuple):
    """A point of a figure, or a run: texts that name it, and its values (the paper's apart)."""

    texts: frozenset
    ours: tuple
    theirs: tuple = ()


class Token(NamedTuple):
    value: float
    decimals: int
    percent: bool
    signed: bool

    def fits(self, value):
        slack = 0.5 * 10.0 ** -self.decimals + 1e-9 * max(1, abs(value))
        return abs(value - self.value) <= slack

    def shown(self, value):
        """The ways in which a value may be printed here."""
        if self.percent:
            return (100 * value - 100, 100 * value, value) if self.signed else (100 * value, value)
        return (value,)


def tokens(cell):
    """The numbers of a cell that are to be checked."""
    cell = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", cell)
    found = []
    for match in NUMBER.finditer(cell):
        before, after = cell[:match.start()], cell[match.end():]
        if re.search(rf"(?:{PLACES})\s*(?:[\d., and]+)?$", before) or re.match(rf"\s?(?:{UNITS})\b", after):
            continue
        sign, whole, fraction = match.groups()
        value = float(whole.replace(",", "") + (fraction or ""))
        scale = {"k": 1e3, "M": 1e6}.get(after[1:2] if re.match(r" [kM]\b", after) else "", 1)
        decimals = len(fraction or ".") - 1 - round(math.log10(scale))
        minus = bool(sign) and sign[0] in "-−"
        found.append(Token(-value * scale if minus else value * scale, decimals, bool(re.match(r"\s?%", after)),
                           bool(sign)))
    return found


def plain(text):
    return re.sub(r"[`*]", "", text).casefold().strip()


def stands_in(text, words):
    return re.search(rf"(?<![\w-]){re.escape(text)}(?![\w-])", words) is not None


def numbers_of(values):
    return tuple(float(match) for value in values for match in re.findall(r"\d+(?:\.\d+)?", str(value)))


class Sources:
    """Reads the files of doc/results/measurements, each once."""

    def __init__(self, root):
        self.root = root
        self.files = {}
        self.known = {}

    def file(self, name):
        if name not in self.files:
            path = self.root / "doc/results" / name
            if name.endswith(".csv"):
                with path.open(encoding="utf-8", newline="") as lines:
                    self.files[name] = list(csv.DictReader(lines))
            else:
                self.files[name] = figures.Rows(self.root, json.loads(path.read_text(encoding="utf-8"))["rows"])
        return self.files[name]

    def records(self, source):
        """The records of one source. ValueError where it names a figure that its file doesn't have."""
        if source not in self.known:
            name, *wanted = source.split()
            if wanted:
                of = [self.figure(name, figure) for figure in wanted]
                sums = [Record(frozenset(("figures", what)), (sum(
                    record.ours[0] for records in of for record in records
                    if what in record.texts and "" in record.texts),)) for what in ("compared", "within")]
                self.known[source] = sum(of, sums)
            elif name.endswith(".csv"):
                raise ValueError(f"{name}: name a figure of it")
            else:
                self.known[source] = [self.run(row) for row, *_ in sum(self.file(name).of_program.values(), [])]
        return self.known[source]

    @staticmethod
    def run(row):
        texts = {plain(row["program"].split("/")[-1])}
        texts |= {plain(word) for field in ("params", "overrides", "options") for word in row.get(field, "").split()}
        values = [value for key, value in row.items() if isinstance(value, (int, float))]
        return Record(frozenset(texts), tuple(map(float, values)) + numbers_of([row["params"], row["overrides"]]))

    def figure(self, name, figure):
        figure, size, only, extra = FIGURE.fullmatch(figure).groups()
        points = {}
        if name.endswith(".csv"):
            for line in self.file(name):
                if line["figure"] == figure:
                    points[line["series"], line["x"]] = tuple(
                        float(line[key]) if line[key] else None for key in ("ours", "theirs", "tolerance"))
        elif (self.root / "reproduce" / f"{figure}.ini").exists():
            x = only and only.split("+")
            points = figures.points(self.root, figure, size or "paper", self.file(name), x, extra)
        if not any(ours is not None for ours, *_ in points.values()):
            raise ValueError(f"{name} has no value of {figure}")
        points = {**errors(points), **points}
        size = size or name.rsplit("-", 1)[-1].split(".")[0]
        return [Record(frozenset(map(plain, (figure.split("/")[-1], series, x, size, extra or size))),
                       () if ours is None else (ours,), () if theirs is None else (theirs,))
                for (series, x), (ours, theirs, *_) in points.items()]


def extremes(values):
    return {"least": min(values), "most": max(values)} if values else {}


def errors(points):
    """What onchip prints below a figure, of all series and of each: means don't count among the cells."""
    means = [label for label, _ in figures.SUMMARIES.values()]
    pairs = {at: both for at, both in points.items() if None not in both[:2]}
    result = {}
    for which in {""} | {series for series, _ in points}:
        of = {at: both for at, both in pairs.items() if which in ("", at[0])}
        cells = [(ours, theirs) for (_, x), (ours, theirs, *_) in of.items() if x not in means]
        off = [ours - theirs for ours, theirs in cells]
        within = [abs(ours - theirs) <= sum(filter(None, tolerance)) for ours, theirs, *tolerance in of.values()]
        values = {"compared": len(within), "within": sum(within)}
        values.update(extremes([both[0] for (series, x), both in points.items()
                                if series == which and x not in means and both[0] is not None]))
        if cells:
            values.update({
                "error": math.sqrt(sum(d * d for d in off) / len(off)), "average": sum(off) / len(off),
                "farthest": max(off, key=abs),
                "1 everywhere": math.sqrt(sum((1 - theirs) ** 2 for _, theirs in cells) / len(off))})
        result.update({(which, name): (value, None) for name, value in values.items()})
    return result


def most(records, words):
    """Those records with the most texts that stand in the words; all where none has any."""
    score = [sum(stands_in(text, words) for text in record.texts if text) for record in records]
    best = max(score, default=0)
    return [record for record, has in zip(records, score) if has == best]


class Table:
    """A table of a page with its comment, and what is wrong with it."""

    def __init__(self, place, comment, lines):
        self.place, self.comment = place, comment
        rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])] for line in lines]
        self.head, self.aligned, self.body = rows[0], rows[1], rows[2:]
        self.wrong, self.checked, self.passed_over, self.chance = [], 0, 0, 0.0

    def is_of_numbers(self):
        """A column is aligned to the right, or more than half of the cells behind the first column are numbers."""
        cells = [cell for row in self.body for cell in row[1:]]
        full = [cell for cell in cells if re.match(r"[*~<≈]*[-−+]?\s?\d", cell) and tokens(cell)]
        return any(cell.endswith("-:") for cell in self.aligned) or 2 * len(full) > len(cells)

    def complain(self, row, text):
        self.wrong.append(f"{self.place + 2 + row}: {text}")

    def check(self, sources):
        parts = [part.strip() for part in self.comment.removeprefix("from ").split(";")]
        self.rules, self.records = {}, []
        for part in parts[1:]:
            match = re.fullmatch(r"(all|row \d+|row \d+ column \d+|column \d+)\s*([:=])\s*(.*)", part)
            if not match:
                return self.complain(-2, f"no rule: {part}")
            self.rules[match[1] + match[2]] = BRACES.sub(
                lambda of: "|".join(f"{of[1]}{word} " for word in of[2].split()), match[3])
        try:
            if self.comment.startswith("not stored: "):
                parts[0] = ""
                self.rules = {name: rule for name, rule in self.rules.items() if name.endswith("=")}
            names = filter(None, map(str.strip, parts[0].split(",")))
            records = [record for source in names for record in sources.records(source)]
            self.records = self.filter(records, "all:")
            for n, row in enumerate(self.body, 1):
                self.origin = {}
                for column, cell in enumerate(row[1:], 1):
                    self.check_cell(n, column, row, cell)
        except (ValueError, OSError, KeyError) as error:
            self.complain(-2, f"{error}")

    def filter(self, records, rule):
        """The records that have every text of a rule. ValueError if there are none."""
        texts = [plain(text) for text in self.rules.get(rule, "").split(",") if text.strip()]
        kept = [record for record in records if record.texts.issuperset(set(texts) - {"ours", "theirs"}
                                                       - {text for text in texts if text.startswith("by column ")})]
        if records and not kept:
            raise ValueError(f"{rule} {self.rules[rule]}: no such record")
        return kept

    def check_cell(self, n, column, row, cell):
        rule = self.rules.get(f"column {column}:", "")
        key = self.rules.get(f"row {n} column {column}:", self.rules.get(f"row {n}:", row[0]))
        for a, b, c in QUOTIENT.findall(cell):
            if not tokens(c)[0].fits(tokens(a)[0].value / tokens(b)[0].value):
                self.complain(n - 1, f"{a} / {b} isn't {c}")
        if "words" in (rule, key) or not (self.records or self.rules.get(f"column {column}=")):
            self.passed_over += len(tokens(cell))
            return
        if formula := self.rules.get(f"column {column}="):
            if formula != "sum" or n == len(self.body):
                return self.check_formula(n, column, formula)
        cell = QUOTIENT.sub(r"\1, \2", cell)
        if rule.startswith("of column "):
            records = self.origin.get(int(rule[10:]), [])
        else:
            if by := re.search(r"\bby column (\d+)", rule):
                key = row[int(by[1])]
            kept = self.filter(self.records, f"column {column}:")
            records = [record for words in key.split("|") for record in most(kept, plain(words))]
            if not rule and f"row {n} column {column}:" not in self.rules:
                records = most(records, plain(self.head[column]))
        theirs = re.search("theirs|paper", self.head[column]) or "paper" in row[0]
        theirs = "theirs" in rule or (theirs and "ours" not in rule)
        for token in tokens(cell):
            values = {value for record in records for value in (record.theirs if theirs else record.ours)}
            shown = {way for value in values for way in token.shown(value)}
            if any(map(token.fits, shown)):
                self.count(token, shown)
                self.origin[column] = [record for record in records
                                       if any(token.fits(way) for v in record.ours for way in token.shown(v))]
            else:
                near = min(shown, key=lambda way: abs(way - token.value), default="none")
                self.complain(n - 1, f"{row[0]}, {self.head[column] or column}: no source gives "
                                     f"{token.value:.{max(token.decimals, 0)}f}; the nearest of {len(shown)} is {near}")

    def check_formula(self, n, column, formula):
        if formula == "sum":
            cells = [tokens(row[column]) for row in self.body]
            total = sum(cell[0].value for cell in cells[:-1] if cell)
            self.count(cells[-1][0], {total})
            if not cells[-1][0].fits(total):
                self.complain(n - 1, f"column {column}: the sum is {total}")
            return
        match = re.fullmatch(r"column (\d+) ([-+*/]) column (\d+)", formula)
        if not match:
            return self.complain(-2, f"no formula: {formula}")
        given = [tokens(self.body[n - 1][i]) for i in (int(match[1]), int(match[3]), column)]
        if not all(given):
            return
        (a, b, c), ends = (of[0] for of in given), []
        for x in (-0.5, 0.5):
            for y in (-0.5, 0.5):
                left, right = a.value + x * 10.0 ** -a.decimals, b.value + y * 10.0 ** -b.decimals
                ends.append({"/": left / right if right else 0, "-": left - right, "+": left + right,
                             "*": left * right}[match[2]])
        slack = 0.5 * 10.0 ** -c.decimals + 1e-9
        low, high, unit = min(ends) - slack, max(ends) + slack, 10.0 ** -c.decimals
        self.count(c, {k * unit for k in range(math.ceil(low / unit), math.floor(high / unit) + 1)})
        if not low <= c.value <= high:
            self.complain(n - 1, f"column {column}: {formula} is {sum(ends) / 4:.5g}, not {c.value}")

    def count(self, token, shown):
        """Adds the chance that a number of this precision, between half and twice this one, would agree."""
        unit = 10.0 ** -token.decimals
        low, high = sorted((token.value / 2, token.value * 2))
        agree = {round(way / unit) for way in shown if low - unit / 2 <= way <= high + unit / 2}
        self.checked += 1
        self.chance += min(1.0, len(agree) / max(1, round((high - low) / unit) + 1))


def read_tables(root, page):
    """The tables of a page, without those in code blocks."""
    lines = (root / page).read_text(encoding="utf-8").splitlines() + [""]
    comment, code, start = "", False, None
    for n, line in enumerate(lines):
        text = line.strip()
        if text.startswith("```"):
            code = not code
        within = comment and not comment.endswith("-->")
        is_table = text.startswith("|") and not code and not within
        if is_table and start is None:
            start = n
        elif not is_table and start is not None:
            yield Table(start + 1, comment.removeprefix("<!-- ").removesuffix(" -->"), lines[start:n])
            start, comment = None, ""
        if start is None:
            comment = comment + " " + text if within else text if text.startswith("<!-- ") else ""


def main():
    parser = argparse.ArgumentParser(description="Holds the numbers of doc/'s tables to stored runs.")
    parser.add_argument("--strength", action="store_true", help="print for each table what would have passed by chance")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("pages", nargs="*")
    arguments = parser.parse_args()
    root, sources = arguments.root, Sources(arguments.root)
    pages = arguments.pages or sorted(str(path.relative_to(root)) for path in (root / "doc").rglob("*.md"))
    bad = tables = checked = passed_over = unstored = unknown = unmeasured = 0
    chance = 0.0
    for page in pages:
        for table in read_tables(root, page):
            if table.comment.startswith(("from ", "not stored: ")):
                table.check(sources)
                tables += table.comment.startswith("from ")
                checked, chance = checked + table.checked, chance + table.chance
                if table.comment.startswith("not stored: "):
                    unstored, unknown = unstored + 1, unknown + table.passed_over
                else:
                    passed_over += table.passed_over
                if arguments.strength and table.checked:
                    print(f"{page}:{table.place}: {table.checked} numbers, "
                          f"{100 * table.chance / table.checked:.1f} % of others would pass")
            elif table.comment.startswith(tuple(f"not measured: {kind}" for kind in KINDS)):
                unmeasured += 1
            elif page.startswith("doc/results/") or table.is_of_numbers():
                table.complain(-2, "a table of numbers without <!-- from … --> above it (tools/tables.py)")
            for line in table.wrong:
                print(f"{page}:{line}", file=sys.stderr)
            bad += len(table.wrong)
    print(f"{checked} numbers of {tables} tables come out of stored runs, or of their row; {passed_over} aren't looked "
          f"at\n{unstored} tables with {unknown} numbers aren't stored, {unmeasured} have nothing measured\n"
          f"{100 * chance / max(checked, 1):.1f} % of other numbers would pass")
    if not arguments.pages and unstored > MOST_UNSTORED:
        print(f"{unstored} tables aren't stored; there may be {MOST_UNSTORED}", file=sys.stderr)
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
