"""The program `onchip`: runs and sweeps, each in a process of its own."""
from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any

from ._launch import _frame
from ._library import Error, _bytes, _executable, _installed, _settings


def _onchip(words, good=(0,)):
    """Runs the program, and returns what it writes on its standard output, and its exit status."""
    command = [_executable(), *words]
    for word in command:
        _bytes(word)
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as e:
        raise Error(f"can't run {command[0]}: {e.strerror}") from None
    if done.returncode not in good:
        text = done.stderr.decode(errors="replace").strip()
        raise Error(text[8:] if text.startswith("onchip: ") else text or f"onchip has ended with {done.returncode}")
    return done.stdout, done.returncode


def _ptx(path, capability, options):
    """Compiles CUDA source by clang, and returns its PTX. options: as nvcc has them."""
    if isinstance(options, str) or not all(isinstance(o, str) for o in options):
        raise Error(f"options: a list of texts is needed, such as ['-DN=4'], not {options!r}", "bad argument")
    target = f"sm_{capability}" + ("a" if capability == 90 else "")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "kernels.ptx")
        _onchip(["cc", f"-arch={target}", *options, "-ptx", "-o", out, f"./{path}" if path.startswith("-") else path])
        try:
            with open(out, "rb") as file:
                return file.read()
        except OSError:
            raise Error(f"the compiler has left no PTX of {path}: {' '.join(options)}", "bad argument") from None


def _options(options):
    """{"max-cycles": 1000, "energy": True, "arg": ["i32:8", "f32:2"]} as words of a command line."""
    words = []
    for name, value in (options or {}).items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words += [] if one is False else [f"--{name}"] if one is True else [f"--{name}", str(one)]
    return words


class Result(dict):
    """What `onchip run --json` says of a run (doc/reference/json.md). output: what a CUDA program has printed."""

    output = b""

    def frame(self) -> Any:
        """A pandas frame: a row for each launch, with its counters and rates."""
        return _frame({"kernel": k["name"], "grid": tuple(k["grid"]), "block": tuple(k["block"]), **k["rates"],
                       **k["counters"]} for k in self["kernels"])


def run(program: str | os.PathLike[str], *args: Any, gpu: str | None = None,
        set: Mapping[str, object] | Iterable[str] | None = None, sched: str | None = None,
        options: Mapping[str, Any] | None = None, **parameters: Any) -> Result:
    """Runs a workload with its parameters, run("atax", nx=64); a PTX or .cu file; or a CUDA program with its arguments,
    run("./app", 3). options: others of `onchip run`, {"energy": True, "max-cycles": 1000}.
    """
    program = os.fspath(program)
    words = (["--gpu", gpu] if gpu else []) + (["--sched", sched] if sched else []) + _options(options)
    for setting in _settings(set):
        words += ["--set", setting]
    rest = [program, *map(str, args), *(f"{name}={value}" for name, value in parameters.items())]
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report")
        is_program = "/" in program and not program.endswith((".ptx", ".cu"))
        output, status = _onchip(["run", "--json", *words, *(["-o", report] if is_program else []), *rest], range(256))
        text = output
        if is_program:
            text = b""
            if os.path.exists(report):
                with open(report, "rb") as file:
                    text = file.read()
    try:
        result = Result(json.loads(text))
    except ValueError:
        raise Error(f"onchip run has ended with {status}, and written no JSON") from None
    if is_program:
        result.output = output
    if status or "error" in result:
        raise Error(result.get("error", f"{program} has ended with {status}"))
    return result


def _axis(name, values):
    """A line of a [matrix]."""
    def written(text, apart):
        text = str(text)
        comment = any(f" {text}".find(sign) >= 0 for sign in (" #", " ;"))
        if comment or any(ord(letter) < 32 or letter in apart for letter in text):
            raise Error(f"the axis {name}: '{text}' can't stand in a matrix", "bad argument")
        return text
    listed = values if isinstance(values, (list, tuple)) else [values]
    texts = [written(v, "{}") for v in listed]
    return f"{written(name, '{}[]=')} = {', '.join(f'{{{t}}}' if ',' in t else t for t in texts)}\n"


def sweep(axes: Mapping[str, Any], db: str | os.PathLike[str], options: Mapping[str, Any] | None = None) -> Any:
    """Makes the runs of every combination of values that the store `db` doesn't have yet: {"program": ["atax nx=64"],
    "sched": ["lrr", "gto"], "l1.size": ["16KiB", "32KiB"]}; doc/use/sweep.md lists the axes. options: others of
    `onchip sweep`, {"jobs": 2}. Returns all runs of the store as a pandas frame: a row for each run and kernel.
    """
    pandas = _installed("pandas", "a frame")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "matrix.ini")
        with open(path, "w", encoding="utf-8") as file:
            file.write("[matrix]\n" + "".join(_axis(name, values) for name, values in axes.items()))
        _onchip(["sweep", path, "--db", os.fspath(db), *_options(options)])
    text, _ = _onchip(["db", "export", "--csv", "--db", os.fspath(db)])
    rows = list(csv.DictReader(io.StringIO(text.decode())))
    return pandas.DataFrame(rows).apply(_numeric)


def _numeric(column):
    """A column of numbers as numbers; any other as it is."""
    pandas = sys.modules["pandas"]
    try:
        return pandas.to_numeric(column)
    except (ValueError, TypeError):
        return column
