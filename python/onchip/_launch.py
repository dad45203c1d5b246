"""What a launch did."""
from __future__ import annotations

import array as _array
import ctypes as c

from ._library import UnknownName, _Finding, _Line, _Misses, _module, _Place, _shown, _Structure, _text


class Launch:
    """What one launch did: launch.cycles, launch["l1.hits"], launch["ipc"]; launch.structures, a dict for each array,
    with "misses" on a device with why=True; launch.lines, a dict for each line of the source, the hottest first;
    launch.findings, a dict for each finding on a device with check=True, and launch.unchecked, what was left out.

    counters and rates: all of them by name (doc/reference/counters.md). error: why it ended early; None: it didn't.
    """

    def __init__(self, device, number, kernel, shape, error):
        lib, handle = device._lib, device._handle
        self.number, self.kernel, self.error = number, kernel, error and str(error)
        self.grid, self.block, self.shared = shape
        self._names = device._counters, device._rates
        self._counters = _array.array("Q", [lib.oc_launch_counter(handle, number, n) for n in device._counters])
        self._rates = _array.array("d", [lib.oc_launch_rate(handle, number, n) for n in device._rates])
        self.structures, s, m = [], _Structure(), _Misses()
        while lib.oc_launch_structure_sized(handle, number, len(self.structures), c.byref(s), c.sizeof(s)):
            row = {n: _shown(s.name) if n == "name" else getattr(s, n) for n, _ in _Structure._fields_}
            if lib.oc_launch_misses_sized(handle, number, len(self.structures), c.byref(m), c.sizeof(m)):
                row["misses"] = {n: getattr(m, n) for n, _ in _Misses._fields_}
            self.structures.append(row)
        self.findings, f = [], _Finding()
        while lib.oc_launch_finding_sized(handle, number, len(self.findings), c.byref(f), c.sizeof(f)):
            row = {n: _text(getattr(f, n)) for n, _ in _Finding._fields_}
            row["at"] = [{n: _text(getattr(p, n)) for n, _ in _Place._fields_} for p in f.at if p.access]
            self.findings.append(row)
        self.unchecked = _text(lib.oc_launch_unchecked(handle, number))
        self.lines, line = [], _Line()
        while lib.oc_launch_line_sized(handle, number, len(self.lines), c.byref(line), c.sizeof(line)):
            self.lines.append({n: _text(getattr(line, n)) for n, _ in _Line._fields_})

    @property
    def counters(self):
        return {n.decode(): v for n, v in zip(self._names[0], self._counters)}

    @property
    def rates(self):
        return {n.decode(): v for n, v in zip(self._names[1], self._rates)}

    @property
    def cycles(self):
        return self["cycles"]

    def __getitem__(self, name):
        for names, values in zip(self._names, (self._counters, self._rates)):
            if str(name).encode() in names:
                return values[names.index(str(name).encode())]
        raise UnknownName("counter or rate", name, [n.decode() for names in self._names for n in names])

    def structure(self, name):
        """What it did with the array of this name."""
        for s in self.structures:
            if s["name"] == name:
                return s
        raise UnknownName("data structure", name, [s["name"] for s in self.structures])

    def row(self):
        """All of it, flat."""
        return {"kernel": self.kernel, "grid": self.grid, "block": self.block, **self.rates, **self.counters}

    def __repr__(self):
        return f"<onchip.Launch {self.number} of {self.kernel}, {self._counters[0] if self._counters else '?'} cycles>"


def _frame(rows):
    return _module("pandas", "a frame").DataFrame(list(rows))
