"""Devices: simulated GPUs, or real ones without counters."""
from __future__ import annotations

import array as _array
import ctypes as c
import importlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._kernel import Module
from ._launch import _frame, Launch
from ._library import (_P, _STATUS, Error, _bytes, _Config, _DeviceInfo, _filled, _library, _Print, _Progress, _settings,
                       _shown, _whole)
from ._memory import _Host, _kind_of, Array
from ._program import _onchip, _ptx
from ._stream import Event, Stream
from ._texture import Texture


class Device:
    """A simulated GPU.

    gpu: a description's name (`onchip list gpus`) or file; None: the default (doc/use/gpus.md).
    set: keys of the description, {"l1.size": "16KiB"}. sched: the warp scheduler, short for the key sched.policy.
    threads: host threads that simulate; results don't depend on them. functional: execute only, without time.
    lowering: drop copies and dead code first. strict: refuse a whole module if one of its kernels can't be run.
    max_cycles: end a launch after so many; 0: never. cap: end after so many warp instructions of all launches;
    0: never. why: find out why loads miss in the L1.
    check: find races, uninitialised reads and the like. interval: cycles between the values of Launch.series; 0: none.
    sample: time a part of the launches and blocks, and estimate the rest (doc/use/sample.md).
    print: receives what kernels print; None: it is dropped. progress: called now and then during a launch, as
    progress(kernel, cycles, instructions, blocks_done, blocks). device: "cuda:0" is a real GPU, without counters.
    """

    def __init__(self, gpu: str | None = None, set: Mapping[str, object] | Iterable[str] | None = None, *,
                 sched: str | None = None, threads: int = 1, functional: bool = False, lowering: bool = True,
                 strict: bool = False, max_cycles: int = 0, cap: int = 0, why: bool = False, check: bool = False,
                 sample: bool = False, interval: int = 0,
                 print: Callable[[str], object] | None = lambda text: sys.stdout.write(text),
                 progress: Callable[[str, int, int, int, int], object] | None = None,
                 device: str | None = None) -> None:
        self._handle: Any = None
        self._busy, self._raised = False, None
        self._dead: list[Callable[[Any, Any], object]] = []  # what gives back what nothing refers to any more
        self._lib = _library()
        self.gpu = gpu
        self.launches: list[Launch] = []
        self.why, self.sample, self.interval, self.timed = why, sample, interval, not functional and not device
        sets = [_bytes(s) for s in _settings(set) + ([f"sched.policy={sched}"] if sched else [])]
        self._stop = c.c_bool(False)
        config = _Config(
            device=_bytes(device) if device else None, gpu=_bytes(gpu) if gpu else None,
            sets=(c.c_char_p * (len(sets) + 1))(*sets, None), threads=_whole(threads, "threads", 0, 2**32 - 1),
            functional=functional, no_lowering=not lowering, strict=strict, why=why, check=check, sample=sample,
            max_cycles=_whole(max_cycles, "max_cycles", 0, 2**64 - 1), cap=_whole(cap, "cap", 0, 2**64 - 1),
            interval=_whole(interval, "interval", 0, 2**64 - 1), stop=c.pointer(self._stop))
        # Python handles signals, such as Ctrl-C, only while it runs: so it is always called.
        self._callbacks = _callbacks(self._stop, print, progress)
        config.progress, config.print = self._callbacks[:2]
        handle, message = _P(), c.create_string_buffer(16384)
        status = self._lib.oc_open_sized(c.byref(config), c.sizeof(config), c.byref(handle), message, len(message))
        if status:
            raise Error(_shown(message.value), _STATUS[status])
        self._handle = handle
        self._counters = self._names(self._lib.oc_counter_name)
        self._rates = self._names(self._lib.oc_rate_name)
        self._metrics = self._names(self._lib.oc_metric_name)

    def _names(self, function):
        names = []
        while (name := function(self._handle, len(names))) is not None:
            names.append(name)
        return names

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self._lib.oc_close(self._handle)

    def close(self) -> None:
        """Gives the device's memory back; launches that were recorded stay readable."""
        if self._busy:
            raise Error("a device can't be closed during its launch", "bad argument")
        if self._handle:
            self._lib.oc_close(self._handle)
        self._handle = None

    def _open(self):
        if not self._handle:
            raise Error("the device is closed", "bad argument")
        return self._handle

    def _call(self, name, *arguments, of=None):
        """Calls a function of the library on the device, or on `of` of it; its failure is an exception."""
        handle = self._open()
        while self._dead and not self._busy:
            self._dead.pop()(self._lib, handle)
        status = getattr(self._lib, name)(of or handle, *arguments)
        if status:
            raise Error(_shown(self._lib.oc_error(handle)), _STATUS[status])

    @property
    def info(self) -> dict[str, Any]:
        """What the device is: name, sms, capability (times ten), clock_mhz, memory in bytes, and so on."""
        info = _filled(_DeviceInfo, self._lib.oc_describe_sized, self._open())
        return {n: _shown(info.name) if n == "name" else getattr(info, n) for n, _ in _DeviceInfo._fields_}

    def stop(self) -> None:
        """Ends the launch under way; for a callback or another thread."""
        self._stop.value = True

    def trace(self, path: str | os.PathLike[str] | None, interval: int = 0, title: str | None = None) -> None:
        """Writes launches and copies from now on into a file, over time, that Perfetto and Chrome open. interval: cycles
        between samples of the curves; 0: 1000. path None: ends the file, as close() does."""
        self._call("oc_trace", path and os.fsencode(path), _whole(interval, "interval", 0, 2**64 - 1),
                   title and _bytes(title))

    def _allocate(self, nbytes, label):
        ptr = c.c_uint64()
        if nbytes:
            self._call("oc_malloc", nbytes, _bytes(label) if label else None, c.byref(ptr))
        return ptr.value

    def stream(self) -> Stream:
        """A stream of its own. Work without one goes to the default stream."""
        return Stream(self)

    def event(self) -> Event:
        return Event(self)

    def synchronize(self, stream: Stream | None = None) -> None:
        """The host waits until a stream's work is done; None: all work."""
        self._call("oc_synchronize", stream and stream._of(self))

    def texture(self, array: Array, width: int, height: int = 0, **options) -> Texture:
        """A texture over an array of this device, in texels; height 0: of one dimension. An argument of a kernel, or
        for Module.bind.

        channels: 1, 2 or 4. format: of a channel, f32, u32, s32, u8, s8, u16, s16 or f16. address: clamp, border, wrap
        or mirror, or up to three of them, one for each axis. linear: filtering. normalized: coordinates from 0 to 1.
        unit_float: integers of 8 and 16 bits are read from 0 or -1 to 1. pitch: bytes from row to row. depth, layers,
        slice (bytes), cube: of several slices. levels: of a mipmap, (array, width, height) for each behind the first,
        with linear_levels, level_bias, level_min and level_max. border: four numbers. srgb: of u8.
        """
        return Texture(self, "texture", array, width, height, **options)

    def surface(self, array: Array, width: int, height: int = 0, **options) -> Texture:
        """A surface, with texture()'s options that are about memory."""
        return Texture(self, "surface", array, width, height, **options)

    def array(self, value: Any, label: str | None = None) -> Array:
        """Copies a numpy array, or another buffer, to the device. label: its name in reports."""
        host = _Host(value, "array")
        numpy: Any = sys.modules.get("numpy")
        make: Callable[[Any], Any] = bytes
        if numpy and isinstance(value, numpy.ndarray):
            shape, dtype = value.shape, value.dtype
            make = lambda data: numpy.frombuffer(data, dtype).reshape(shape)
        elif isinstance(value, _array.array):
            code = value.typecode
            make = lambda data: _array.array(code, bytes(data))
        made = Array(self, self._allocate(host.nbytes, label), host.nbytes, make, kind=_kind_of(value))
        host.write(self, made.ptr)
        return made

    def zeros(self, shape: int | tuple[int, ...], dtype: Any = "f", label: str | None = None) -> Array:
        """Zeros on the device. Without numpy shape is a number, and dtype a type code of the module array."""
        try:
            numpy = importlib.import_module("numpy")
        except ImportError:
            return self.array(_array.array(dtype, [0]) * _whole(shape, "shape", 0, 2**48), label)
        return self.array(numpy.zeros(shape, dtype), label)

    def load(self, source: str | bytes | os.PathLike[str], kernel: str | None = None,
             options: Iterable[str] = ()) -> Module:
        """Loads a module. source: PTX text; or the path of a .ptx file, a .cu file, which clang compiles, or a program,
        library, object or fat binary that has PTX. kernel: of several modules in such a file, take the one that has it.
        options: of the compiler, as nvcc has them, ["-DN=4", "-I", "include"].
        """
        if isinstance(source, bytes) or isinstance(source, str) and "\n" in source:
            return Module(self, source)
        path = os.fspath(source)
        try:
            with open(path, "rb") as file:
                data = file.read(4096)
                binary = b"\0" in data or data.startswith(b"!<arch>")
                if not binary and not path.endswith(".cu"):
                    return Module(self, data + file.read(), name=path)
        except OSError as e:
            raise Error(f"can't read {path}: {e.strerror}", "bad file") from None
        if options:
            return Module(self, _ptx(path, self.info["capability"], options), name=f"PTX of {path}")
        words = ["show", "ptx", "--view", "text"] + (["--kernel", kernel] if kernel else [])
        words += ["--gpu", self.gpu] if self.gpu and not binary else []
        text, _ = _onchip(words + [f"./{path}" if path.startswith("-") else path])
        return Module(self, text, name=f"PTX of {path}")

    def frame(self) -> Any:
        """The launches as a pandas frame: a row for each, with its counters and rates."""
        return _frame(launch.row() for launch in self.launches)


def _callbacks(stop, print, progress):
    """What the library calls. An exception in it ends the launch, and is kept in the list."""
    raised = []

    def guarded(function, *arguments):
        try:
            if not raised:
                function(*arguments)
        except BaseException as e:  # Ctrl-C too
            raised.append(e)
            stop.value = True

    def called(_, kernel, cycles, instructions, done, blocks):
        if progress:
            guarded(lambda: progress(_shown(kernel), cycles, instructions, done, blocks))
        else:
            guarded(lambda: None)

    def printed(_, text, length):
        guarded(lambda: print(text[:length].decode(errors="replace")))

    return _Progress(called), _Print(printed) if print else _Print(), raised
