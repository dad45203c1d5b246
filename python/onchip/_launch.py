"""What a launch did."""
from __future__ import annotations

import array as _array
import ctypes as c
import os
from collections.abc import Iterable
from typing import Any

from . import _html
from ._library import Error, UnknownName, _Finding, _Line, _Misses, _installed, _Place, _shown, _Structure, _text


_LIMITS, _PEAKS, _WHY, _SOURCE, _CHART, _KERNEL, _WORDS = range(7)  # oc_words, and how many there are


def _words(lib, handle, number, words):
    size = lib.oc_launch_words(handle, number, words, None, 0)
    text = c.create_string_buffer(size + 1)
    lib.oc_launch_words(handle, number, words, text, size + 1)
    return _shown(text.value)


def _value(lib, handle, number, name):
    value = c.c_double()
    lib.oc_launch_value(handle, number, name, c.byref(value))
    return value.value


def _series(lib, handle, number, device):
    """A counter's values at each interval's end, for each counter that has some."""
    series = {}
    for name in device._counters:
        size = lib.oc_launch_series(handle, number, name, None, 0)
        values = (c.c_uint64 * size)()
        lib.oc_launch_series(handle, number, name, values, size)
        if size:
            series[name.decode()] = _array.array("Q", values)
    return series


class Launch:
    """What one launch did: launch.cycles, launch["l1.hits"], launch["ipc"]; launch.structures, a dict for each array,
    with "misses" on a device with why=True; launch.lines, a dict for each line of the source, the hottest first;
    launch.findings, a dict for each finding on a device with check=True, and launch.unchecked, what was left out.

    counters and rates: all of them by name (doc/reference/counters.md). error: why it ended early; None: it didn't.
    limited_by: what limits it, in words. annotate(), chart() and why() are the texts of `onchip run`; metrics(…) has
    numbers by Nsight Compute's names, too. series: with Device(interval=…), each counter's values over time. In a
    notebook a launch shows what limits it, the memory chart and the source; page(path) writes that, and more, as HTML.
    """

    def __init__(self, device, number, kernel, shape, error, plain=lambda text: text):
        lib, handle = device._lib, device._handle
        self.number, self.kernel, self.error = number, kernel, error and str(error)
        self.grid, self.block, self.shared = shape
        self._names = device._counters, device._rates
        self._counters = _array.array("Q", [lib.oc_launch_counter(handle, number, n) for n in device._counters])
        self._rates = _array.array("d", [lib.oc_launch_rate(handle, number, n) for n in device._rates])
        self._metrics = {n.decode(): _value(lib, handle, number, n) for n in device._metrics}
        self.gpu, self._why, self._ends = device.info["name"], device.why, None
        if device.sample:
            self._ends = {n: tuple(_value(lib, handle, number, n + end) for end in (b".low", b".high"))
                          for n in device._counters + device._rates}
        self._said = [plain(_words(lib, handle, number, k)) for k in range(_WORDS)]
        self.series = _series(lib, handle, number, device) if device.interval else {}
        self.structures: list[dict[str, Any]] = []
        s, m = _Structure(), _Misses()
        while lib.oc_launch_structure_sized(handle, number, len(self.structures), c.byref(s), c.sizeof(s)):
            row = {n: plain(_shown(s.name)) if n == "name" else getattr(s, n) for n, _ in _Structure._fields_}
            if lib.oc_launch_misses_sized(handle, number, len(self.structures), c.byref(m), c.sizeof(m)):
                row["misses"] = {n: getattr(m, n) for n, _ in _Misses._fields_}
            self.structures.append(row)
        self.findings: list[dict[str, Any]] = []
        f = _Finding()
        while lib.oc_launch_finding_sized(handle, number, len(self.findings), c.byref(f), c.sizeof(f)):
            row = {n: _text(getattr(f, n)) for n, _ in _Finding._fields_}
            row["at"] = [{n: _text(getattr(p, n)) for n, _ in _Place._fields_} for p in f.at if p.access]
            self.findings.append(row)
        self.unchecked = _text(lib.oc_launch_unchecked(handle, number))
        self.lines: list[dict[str, Any]] = []
        line = _Line()
        while lib.oc_launch_line_sized(handle, number, len(self.lines), c.byref(line), c.sizeof(line)):
            row = {n: _text(getattr(line, n)) for n, _ in _Line._fields_}
            self.lines.append({n: plain(v) if isinstance(v, str) else v for n, v in row.items()})

    @property
    def limited_by(self) -> str:
        """What limits it, in words; empty: it wasn't timed."""
        return self._said[_LIMITS]

    @property
    def shown(self) -> str:
        """The kernel's name in C++, in full."""
        return self._said[_KERNEL] or self.kernel

    def annotate(self) -> str:
        """The source with its counters beside each line."""
        return self._said[_SOURCE]

    def chart(self) -> str:
        """The memory chart and the roofline."""
        return self._said[_CHART]

    def why(self) -> str:
        """Why its loads missed in the L1, and which L1 would serve them."""
        if not self._why:
            raise Error("nobody has asked why: Device(why=True) finds it out", "bad argument")
        return self._said[_WHY]

    def metrics(self, names: str | Iterable[str] | None = None) -> dict[str, float]:
        """Numbers by name: a counter's, a rate's, or Nsight Compute's. names: a list, or a text with commas; None: all
        of Nsight Compute's. nan: it is a share of nothing.
        """
        if names is None:
            return dict(self._metrics)
        wanted = names.split(",") if isinstance(names, str) else list(names)
        return {n: self._metrics[n] if n in self._metrics else self[n] for n in map(str, wanted)}

    def interval(self, name: str) -> tuple[float, float]:
        """The ends between which a counter or a rate lies with 95 % on a device with sample=True; where it was counted,
        both are its value."""
        value = float(self[name])
        low, high = self._ends[str(name).encode()] if self._ends else (value, value)
        return low, high

    def page(self, path: str | os.PathLike[str], title: str | None = None) -> None:
        """Writes an HTML page that needs nothing else: what limits it, the chart, the source, why loads missed if
        somebody asked, and all counters and rates."""
        text = _html.page(self, title or f"{self.shown} on {self.gpu}")
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        except OSError as e:
            raise Error(f"can't write {os.fspath(path)}: {e.strerror}", "bad file") from None

    def _repr_html_(self) -> str:
        return _html.cell(self)

    @property
    def counters(self) -> dict[str, int]:
        return {n.decode(): v for n, v in zip(self._names[0], self._counters)}

    @property
    def rates(self) -> dict[str, float]:
        return {n.decode(): v for n, v in zip(self._names[1], self._rates)}

    @property
    def cycles(self) -> int:
        return int(self["cycles"])

    def __getitem__(self, name: str) -> int | float:
        for names, values in zip(self._names, (self._counters, self._rates)):
            if str(name).encode() in names:
                return values[names.index(str(name).encode())]
        if str(name) in self._metrics:
            return self._metrics[str(name)]
        every = [n.decode() for names in self._names for n in names] + list(self._metrics)
        raise UnknownName("counter or rate", name, every)

    def structure(self, name: str) -> dict[str, Any]:
        """What it did with the array of this name."""
        for s in self.structures:
            if s["name"] == name:
                return s
        raise UnknownName("data structure", name, [s["name"] for s in self.structures])

    def row(self) -> dict[str, Any]:
        """All of it, flat."""
        return {"kernel": self.kernel, "grid": self.grid, "block": self.block, **self.rates, **self.counters}

    def __repr__(self):
        return f"<onchip.Launch {self.number} of {self.kernel}, {self._counters[0] if self._counters else '?'} cycles>"


def _frame(rows):
    return _installed("pandas", "a frame").DataFrame(list(rows))
