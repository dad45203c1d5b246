"""Runs CUDA kernels on a simulated GPU, and says what the GPU's memory did (doc/use/python.md).

A Device calls libonchip.so, whose interface is onchip.h; run() and sweep() call the program `onchip`. Both are looked
for beside this file: where it is installed, or in the build folder of its source tree. ONCHIP_LIBRARY and ONCHIP name
others. Nothing but Python's standard library is needed. numpy and pandas are loaded when something is asked for that
they make.

Every failure is an exception, Error, with the library's own text. A Device is used by one thread at a time.
"""

import array as _array
import csv
import ctypes as c
import difflib
import importlib
import io
import json
import operator
import os
import shutil
import signal
import struct
import subprocess
import sys
import sysconfig
import tempfile
import threading

__all__ = ["Array", "Device", "Error", "Kernel", "Launch", "Module", "Result", "UnknownName", "run", "sweep"]

_STATUS = ["ok", "bad argument", "bad file", "unsupported", "out of memory", "fault", "hang", "limit", "stopped"]


class Error(Exception):
    """What went wrong, in the words of the library or the program. status: the kind, such as "fault", or None."""

    def __init__(self, text, status=None):
        super().__init__(text)
        self.status = status

    def __str__(self):
        return str(self.args[0])


class UnknownName(Error, KeyError):
    """There is no kernel, counter, rate or data structure of this name."""

    def __init__(self, what, name, names):
        near = difflib.get_close_matches(str(name), names, 1)
        super().__init__(f"no {what} '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""), "bad argument")


# --- finding the library and the program -----------------------------------------------------------------------------
_HERE = os.path.dirname(os.path.realpath(__file__))


def _found(variable, built, installed):
    """The first path of those that exists; else None."""
    named = os.environ.get(variable)
    if named:
        return named
    up = os.path.dirname
    paths = [os.path.join(up(_HERE), "build", built)] if os.path.basename(_HERE) == "python" else []
    prefix = up(up(up(_HERE)))  # of PREFIX/lib/python3/dist-packages
    return next((p for p in paths + [os.path.join(prefix, p) for p in installed] if os.path.exists(p)), None)


def _executable():
    path = _found("ONCHIP", "onchip", ["bin/onchip"]) or shutil.which("onchip")
    if not path:
        raise Error("the program onchip isn't beside this module or in PATH; ONCHIP names another place")
    return path


class _Dim3(c.Structure):
    _fields_ = [("x", c.c_uint32), ("y", c.c_uint32), ("z", c.c_uint32)]


_Progress = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_uint64, c.c_uint64, c.c_uint64, c.c_uint64)
_Print = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(c.c_char), c.c_size_t)


class _Config(c.Structure):  # oc_config
    _fields_ = [
        ("device", c.c_char_p), ("gpu", c.c_char_p), ("sets", c.POINTER(c.c_char_p)), ("threads", c.c_uint32),
        ("functional", c.c_bool), ("no_lowering", c.c_bool), ("strict", c.c_bool), ("max_cycles", c.c_uint64),
        ("cap", c.c_uint64), ("interval", c.c_uint64), ("why", c.c_bool),
        ("check", c.c_bool), ("sample", c.c_bool), ("progress", _Progress),
        ("user", c.c_void_p), ("print", _Print), ("stop", c.POINTER(c.c_bool)), ("simulate_all", c.c_bool),
    ]


class _DeviceInfo(c.Structure):  # oc_device_info
    _fields_ = [
        ("name", c.c_char_p), ("real", c.c_bool), ("sms", c.c_uint32), ("capability", c.c_uint32),
        ("clock_mhz", c.c_double), ("memory", c.c_uint64), ("l2_bytes", c.c_uint64), ("shared_sm", c.c_uint32),
        ("shared_block", c.c_uint32), ("driver", c.c_uint32),
    ]


class _KernelInfo(c.Structure):  # oc_kernel_info
    _fields_ = [
        ("name", c.c_char_p), ("params", c.c_uint32), ("registers", c.c_uint32), ("shared_bytes", c.c_uint32),
        ("local_bytes", c.c_uint32), ("max_threads", c.c_uint32), ("sizes", c.POINTER(c.c_uint32)),
        ("names", c.POINTER(c.c_char_p)), ("types", c.POINTER(c.c_char_p)), ("refusal", c.c_char_p),
    ]


class _Structure(c.Structure):  # oc_structure
    _fields_ = [("name", c.c_char_p)] + [(name, c.c_uint64) for name in (
        "loads", "stores", "atomics", "transactions", "sectors", "l1_accesses", "l1_hits", "dram_bytes")]


class _Misses(c.Structure):  # oc_misses
    _fields_ = [(name, c.c_uint64) for name in (
        "loads", "served", "first_touch", "capacity", "conflict", "dropped", "full", "twice", "four", "hashed", "alone")]


class _Place(c.Structure):  # oc_place
    _fields_ = [("access", c.c_char_p), ("where", c.c_char_p), ("instruction", c.c_char_p), ("block", _Dim3),
                ("thread", _Dim3)]


class _Finding(c.Structure):  # oc_finding
    _fields_ = [("kind", c.c_char_p), ("space", c.c_char_p), ("structure", c.c_char_p), ("offset", c.c_int64),
                ("bytes", c.c_uint32), ("count", c.c_uint64), ("at", _Place * 2), ("cure", c.c_char_p)]


class _Line(c.Structure):  # oc_line
    _fields_ = [("file", c.c_char_p), ("at_file", c.c_char_p), ("line", c.c_uint32), ("at_line", c.c_uint32)] + [
        (name, c.c_uint64) for name in (
            "issued", "memory", "queue", "transactions", "sectors", "l1_accesses", "l1_hits")]


_P, _TEXT, _SIZE = c.c_void_p, c.c_char_p, c.c_size_t
_FUNCTIONS = {  # result, arguments
    "oc_open_sized": (c.c_int, c.POINTER(_Config), _SIZE, c.POINTER(_P), c.c_char_p, _SIZE),
    "oc_close": (None, _P),
    "oc_error": (_TEXT, _P),
    "oc_describe_sized": (None, _P, c.POINTER(_DeviceInfo), _SIZE),
    "oc_malloc": (c.c_int, _P, _SIZE, _TEXT, c.POINTER(c.c_uint64)),
    "oc_free": (c.c_int, _P, c.c_uint64),
    "oc_write": (c.c_int, _P, c.c_uint64, _P, _SIZE, _P),
    "oc_read": (c.c_int, _P, _P, c.c_uint64, _SIZE, _P),
    "oc_load": (c.c_int, _P, c.c_char_p, _SIZE, _TEXT, c.POINTER(_P)),
    "oc_unload": (None, _P),
    "oc_kernel_get": (c.c_int, _P, _TEXT, c.POINTER(_P)),
    "oc_kernel_count": (_SIZE, _P),
    "oc_kernel_at": (_P, _P, _SIZE),
    "oc_kernel_describe_sized": (None, _P, c.POINTER(_KernelInfo), _SIZE),
    "oc_symbol": (c.c_int, _P, _TEXT, c.POINTER(c.c_uint64), c.POINTER(_SIZE)),
    "oc_launch": (c.c_int, _P, _Dim3, _Dim3, c.c_uint32, _P, c.POINTER(_P)),
    "oc_launches": (_SIZE, _P),
    "oc_launch_kernel": (_TEXT, _P, _SIZE),
    "oc_launch_counter": (c.c_uint64, _P, _SIZE, _TEXT),
    "oc_launch_rate": (c.c_double, _P, _SIZE, _TEXT),
    "oc_counter_name": (_TEXT, _P, _SIZE),
    "oc_rate_name": (_TEXT, _P, _SIZE),
    "oc_launch_structure_sized": (c.c_bool, _P, _SIZE, _SIZE, c.POINTER(_Structure), _SIZE),
    "oc_launch_misses_sized": (c.c_bool, _P, _SIZE, _SIZE, c.POINTER(_Misses), _SIZE),
    "oc_launch_finding_sized": (c.c_bool, _P, _SIZE, _SIZE, c.POINTER(_Finding), _SIZE),
    "oc_launch_unchecked": (_TEXT, _P, _SIZE),
    "oc_trace": (c.c_int, _P, _TEXT, c.c_uint64, _TEXT),
    "oc_launch_line_sized": (c.c_bool, _P, _SIZE, _SIZE, c.POINTER(_Line), _SIZE),
    "oc_forget": (None, _P, _SIZE),
}
_loaded = None


def _library():
    global _loaded
    if _loaded:
        return _loaded
    folders = ["lib", "lib64", f"lib/{sysconfig.get_config_var('MULTIARCH')}"]
    path = _found("ONCHIP_LIBRARY", "libonchip.so", [f"{f}/libonchip.so.1" for f in folders]) or "libonchip.so.1"
    try:
        library = c.CDLL(path)
        for name, (result, *arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except OSError as e:
        raise Error(f"can't load onchip's library: {e}; ONCHIP_LIBRARY names another place") from None
    except AttributeError as e:
        raise Error(f"{path} is of another version than this module: {e}") from None
    _loaded = library
    return library


def _filled(kind, function, handle):
    """A structure that the library fills."""
    out = kind()
    function(handle, c.byref(out), c.sizeof(out))
    return out


def _module(name, what):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Error(f"{what} needs {name}, which isn't installed: apt install python3-{name}") from None


def _bytes(text):
    data = os.fsencode(text)
    if b"\0" in data:
        raise Error("a text has a zero byte")
    return data


def _shown(data):
    return data.decode(errors="replace") if data else ""


def _text(value):
    """A field of the library's: a text, three numbers, or what it is."""
    if isinstance(value, _Dim3):
        return value.x, value.y, value.z
    return _shown(value) if isinstance(value, bytes) else value


def _whole(value, what, least, most):
    """An integer within its bounds, both included."""
    try:
        value = operator.index(value)
    except TypeError:
        raise Error(f"{what}: a whole number is needed, not {value!r}", "bad argument") from None
    if not least <= value <= most:
        raise Error(f"{what}: {value} isn't from {least} to {most}", "bad argument")
    return value


def _dim3(value, what):
    parts = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if not 1 <= len(parts) <= 3:
        raise Error(f"{what}: one to three numbers are needed, not {value!r}", "bad argument")
    return tuple(_whole(p, what, 1, 2**32 - 1) for p in parts) + (1,) * (3 - len(parts))


def _settings(settings):
    """What `set` gives, as KEY=VALUE."""
    pairs = settings.items() if hasattr(settings, "items") else (str(s).partition("=")[::2] for s in settings or ())
    return [f"{key}={value}" for key, value in pairs]


# --- host memory -----------------------------------------------------------------------------------------------------
class _Host:
    """A buffer of the host, as bytes one after the other; what comes back is put into the object itself."""

    def __init__(self, value, what):
        self.value, self.back = value, None
        numpy = sys.modules.get("numpy")
        if numpy and isinstance(value, numpy.ndarray):
            if value.dtype.hasobject:
                raise Error(f"{what}: an array of Python objects has no bytes to copy", "bad argument")
            self.readonly, self.nbytes = not value.flags.writeable, value.nbytes
            flat = numpy.ascontiguousarray(value)
            if flat.base is not value and flat is not value and not numpy.shares_memory(flat, value):
                self.back = flat
            self.view = memoryview(flat.reshape(-1).view(numpy.uint8)) if value.nbytes else memoryview(b"")
            return
        try:
            view = memoryview(value)
        except TypeError:
            raise Error(f"{what}: an array or another buffer is needed, not {value!r}", "bad argument") from None
        if not view.c_contiguous:
            raise Error(f"{what}: the buffer isn't contiguous", "bad argument")
        self.readonly, self.nbytes = view.readonly, view.nbytes
        self.view = view.cast("B") if view.nbytes else view

    def write(self, device, ptr):
        if self.nbytes:
            data = (c.c_char * self.nbytes).from_buffer(self.view) if not self.view.readonly else bytes(self.view)
            device._call("oc_write", ptr, c.cast(data, _P), self.nbytes, None)

    def read(self, device, ptr):
        if self.nbytes:
            data = (c.c_char * self.nbytes).from_buffer(self.view)
            device._call("oc_read", c.cast(data, _P), ptr, self.nbytes, None)
            if self.back is not None:
                self.value[...] = self.back


class Array:
    """Memory of a device that stays there between launches. It is freed with free(), or when nothing refers to it."""

    def __init__(self, device, ptr, nbytes, make, owned=True):
        self.device, self.ptr, self.nbytes, self._make, self._owned = device, ptr, nbytes, make, owned

    def get(self):
        """A copy on the host: a numpy array, or what a buffer without numpy was."""
        self._check()
        data = bytearray(self.nbytes)
        _Host(data, "get").read(self.device, self.ptr)
        return self._make(data)

    def set(self, value):
        """Copies as many bytes to the device."""
        self._check()
        host = _Host(value, "set")
        if host.nbytes != self.nbytes:
            raise Error(f"set: {host.nbytes} bytes don't fill an array of {self.nbytes}", "bad argument")
        host.write(self.device, self.ptr)

    def free(self):
        if self._owned and self.ptr:
            self._check()
            self.device._call("oc_free", self.ptr)
        self.ptr = None

    def _check(self):
        if self.ptr is None:
            raise Error("this array was freed", "bad argument")

    def __del__(self):
        if getattr(self, "_owned", False) and self.ptr:  # maybe in another thread, or during a launch: freed later
            self.device._dead.append(self.ptr)

    def __repr__(self):
        return f"<onchip.Array of {self.nbytes} bytes at {self.ptr or 0:#x}>"


# --- devices ---------------------------------------------------------------------------------------------------------
class Device:
    """A simulated GPU.

    gpu: a description's name (`onchip list gpus`) or file. set: keys of the description, {"l1.size": "16KiB"}.
    sched: the warp scheduler, short for the key sched.policy. threads: host threads that simulate; results don't
    depend on them. functional: execute only, without time. lowering: drop copies and dead code first.
    strict: refuse a whole module if one of its kernels can't be run. max_cycles: end a launch after so many; 0: never.
    cap: end after so many warp instructions of all launches; 0: never. why: find out why loads miss in the L1.
    check: find races, uninitialised reads and the like. sample: time a part of the launches and blocks, and estimate
    the rest (doc/use/sample.md).
    print: receives what kernels print; None: it is dropped. progress: called now and then during a launch, as
    progress(kernel, cycles, instructions, blocks_done, blocks). device: "cuda:0" is a real GPU, without counters.
    """

    def __init__(self, gpu=None, set=None, *, sched=None, threads=1, functional=False, lowering=True, strict=False,
                 max_cycles=0, cap=0, why=False, check=False, sample=False,
                 print=lambda text: sys.stdout.write(text),
                 progress=None, device=None):
        self._handle, self._busy, self._raised, self._dead = None, False, None, []
        self._lib = _library()
        self.gpu, self.launches = gpu, []
        sets = [_bytes(s) for s in _settings(set) + ([f"sched.policy={sched}"] if sched else [])]
        self._stop = c.c_bool(False)
        config = _Config(
            device=_bytes(device) if device else None, gpu=_bytes(gpu) if gpu else None,
            sets=(c.c_char_p * (len(sets) + 1))(*sets, None), threads=_whole(threads, "threads", 0, 2**32 - 1),
            functional=functional, no_lowering=not lowering, strict=strict, why=why, check=check, sample=sample,
            max_cycles=_whole(max_cycles, "max_cycles", 0, 2**64 - 1), cap=_whole(cap, "cap", 0, 2**64 - 1),
            stop=c.pointer(self._stop))
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

    def close(self):
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
            self._lib.oc_free(handle, self._dead.pop())
        status = getattr(self._lib, name)(of or handle, *arguments)
        if status:
            raise Error(_shown(self._lib.oc_error(handle)), _STATUS[status])

    @property
    def info(self):
        """What the device is: name, sms, capability (times ten), clock_mhz, memory in bytes, and so on."""
        info = _filled(_DeviceInfo, self._lib.oc_describe_sized, self._open())
        return {n: _shown(info.name) if n == "name" else getattr(info, n) for n, _ in _DeviceInfo._fields_}

    def stop(self):
        """Ends the launch under way; for a callback or another thread."""
        self._stop.value = True

    def trace(self, path, interval=0, title=None):
        """Writes launches and copies from now on into a file, over time, that Perfetto and Chrome open. interval: cycles
        between samples of the curves; 0: 1000. path None: ends the file, as close() does."""
        self._call("oc_trace", path and os.fsencode(path), _whole(interval, "interval", 0, 2**64 - 1),
                   title and _bytes(title))

    def _allocate(self, nbytes, label):
        ptr = c.c_uint64()
        if nbytes:
            self._call("oc_malloc", nbytes, _bytes(label) if label else None, c.byref(ptr))
        return ptr.value

    def array(self, value, label=None):
        """Copies a numpy array, or another buffer, to the device. label: its name in reports."""
        host = _Host(value, "array")
        numpy = sys.modules.get("numpy")
        if numpy and isinstance(value, numpy.ndarray):
            shape, dtype = value.shape, value.dtype
            make = lambda data: numpy.frombuffer(data, dtype).reshape(shape)
        elif isinstance(value, _array.array):
            make = lambda data, code=value.typecode: _array.array(code, bytes(data))
        else:
            make = bytes
        made = Array(self, self._allocate(host.nbytes, label), host.nbytes, make)
        host.write(self, made.ptr)
        return made

    def zeros(self, shape, dtype="f", label=None):
        """Zeros on the device. Without numpy shape is a number, and dtype a type code of the module array."""
        try:
            numpy = importlib.import_module("numpy")
        except ImportError:
            return self.array(_array.array(dtype, [0]) * _whole(shape, "shape", 0, 2**48), label)
        return self.array(numpy.zeros(shape, dtype), label)

    def load(self, source, kernel=None):
        """Loads a module. source: PTX text; or the path of a .ptx file, a .cu file, which clang compiles, or a program,
        library, object or fat binary that has PTX. kernel: of several modules in such a file, take the one that has it.
        """
        if isinstance(source, bytes) or isinstance(source, str) and "\n" in source:
            return Module(self, source if isinstance(source, bytes) else source.encode(), "module.ptx")
        path = os.fspath(source)
        try:
            with open(path, "rb") as file:
                data = file.read(4096)
                binary = b"\0" in data or data.startswith(b"!<arch>")
                if not binary and not path.endswith(".cu"):
                    return Module(self, data + file.read(), path)
        except OSError as e:
            raise Error(f"can't read {path}: {e.strerror}", "bad file") from None
        words = ["show", "ptx", "--view", "text"] + (["--kernel", kernel] if kernel else [])
        words += ["--gpu", self.gpu] if self.gpu and not binary else []
        text, _ = _onchip(words + [f"./{path}" if path.startswith("-") else path])
        return Module(self, text, f"PTX of {path}")

    def frame(self):
        """The launches as a pandas frame: a row for each, with its counters and rates."""
        return _frame(launch.row() for launch in self.launches)


class _Interrupt:
    """While a launch is under way, Ctrl-C ends it. Python's own handler would raise in any line, even in one where ctypes
    drops the exception: so it is called when the launch is over."""

    def __init__(self, stop):
        self._stop, self._before, self._heard = stop, None, None

    def _hear(self, number, frame):
        self._heard, self._stop.value = (number, frame), True

    def __enter__(self):
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self._before = signal.signal(signal.SIGINT, self._hear)

    def __exit__(self, *_):
        if self._before:
            signal.signal(signal.SIGINT, self._before)

    def tell(self):
        """Raises what Ctrl-C raises, if there was one."""
        if self._heard:
            self._before(*self._heard)


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


# --- modules and kernels ---------------------------------------------------------------------------------------------
class Module:
    """Kernels by name: module["saxpy"]. A name is that of the PTX, or that of C++."""

    def __init__(self, device, text, name):
        self.device, self._handle = device, _P()
        device._call("oc_load", text, len(text), _bytes(name), c.byref(self._handle))

    def _of(self):
        self.device._open()
        if not self._handle:
            raise Error("the module was unloaded", "bad argument")
        return self._handle

    def __getitem__(self, name):
        kernel = _P()
        handle = self._of()
        try:
            self.device._call("oc_kernel_get", _bytes(name), c.byref(kernel), of=handle)
        except Error as e:
            raise UnknownKernel(str(e)) from None
        return Kernel(self, kernel)

    def _kernels(self):
        lib, handle = self.device._lib, self._of()
        return [Kernel(self, _P(lib.oc_kernel_at(handle, k))) for k in range(lib.oc_kernel_count(handle))]

    def __iter__(self):
        return iter([kernel.name for kernel in self._kernels()])

    def __len__(self):
        return self.device._lib.oc_kernel_count(self._of())

    def __contains__(self, name):
        return name in list(self)

    def symbol(self, name):
        """A .global or .const variable, as an Array; get() gives its bytes."""
        ptr, nbytes = c.c_uint64(), _SIZE()
        self.device._call("oc_symbol", _bytes(name), c.byref(ptr), c.byref(nbytes), of=self._of())
        return Array(self.device, ptr.value, nbytes.value, bytes, owned=False)

    def unload(self):
        """Gives its memory back; its kernels can't be used any more."""
        if self.device._busy:
            raise Error("a module can't be unloaded during a launch", "bad argument")
        self.device._lib.oc_unload(self._of())
        self._handle = None


class UnknownKernel(UnknownName):
    def __init__(self, text):
        Error.__init__(self, text, "bad argument")


class Kernel:
    """A kernel of a module, to be called: kernel(grid, block, *args, shared=0)."""

    def __init__(self, module, handle):
        self.module, self._handle = module, handle
        info = _filled(_KernelInfo, module.device._lib.oc_kernel_describe_sized, handle)
        self.name, self.refusal = _shown(info.name), _shown(info.refusal) or None
        self.registers, self.shared_bytes, self.local_bytes = info.registers, info.shared_bytes, info.local_bytes
        self.max_threads = info.max_threads
        self.parameters = [_Parameter(self.name, _shown(info.names[p]), _shown(info.types[p]), info.sizes[p])
                           for p in range(info.params)]

    def __repr__(self):
        return f"<onchip.Kernel {self.name}({', '.join(map(str, self.parameters))})>"

    def __call__(self, grid, block, *args, shared=0):
        """Runs the kernel, and returns the Launch.

        grid, block: a number, or a tuple of up to three. shared: dynamic shared memory of a block in bytes. An argument
        is an Array; a numpy array or another buffer, which is copied to the device before and back after, unless it
        can't be written; a number; or, for a structure, its bytes.
        """
        device = self.module.device
        self.module._of()
        if device._busy:
            raise Error("a launch of this device is under way", "bad argument")
        if len(args) != len(self.parameters):
            wanted = ", ".join(map(str, self.parameters)) or "none"
            raise Error(f"kernel {self.name} takes {len(self.parameters)} arguments, not {len(args)}: {wanted}",
                        "bad argument")
        shape = _dim3(grid, "grid"), _dim3(block, "block"), _whole(shared, "shared", 0, 2**32 - 1)
        buffers = {}  # by the object's id: [host, pointer]; an object that is given twice is one buffer
        try:
            values = [p.convert(value, device, buffers) for p, value in zip(self.parameters, args)]
            launch = self._run(device, shape, values)
            for host, ptr in buffers.values():
                if not host.readonly:
                    host.read(device, ptr)
        finally:
            device._dead += [ptr for _, ptr in buffers.values() if ptr]
        return launch

    launch = __call__

    def _run(self, device, shape, values):
        lib, raised = device._lib, device._callbacks[2]
        cells = [c.create_string_buffer(v, len(v)) for v in values]
        pointers = (_P * (len(cells) + 1))(*[c.addressof(cell) for cell in cells])
        before, device._busy, device._stop.value = lib.oc_launches(device._handle), True, False
        raised.clear()
        error, interrupt = None, _Interrupt(device._stop)
        try:
            with interrupt:
                device._call("oc_launch", _Dim3(*shape[0]), _Dim3(*shape[1]), shape[2], None, pointers, of=self._handle)
        except Error as e:
            error = e
        finally:
            device._busy = False
        launch = None
        if lib.oc_launches(device._handle) > before:
            launch = Launch(device, before, self.name, shape, error)
            device.launches.append(launch)
            lib.oc_forget(device._handle, 0)  # what it had is in the Launch
        interrupt.tell()
        if raised:
            raise raised.pop()
        if error:
            raise error
        return launch


class _Parameter:
    """A kernel's parameter: name, type as in the PTX, size in bytes."""

    def __init__(self, kernel, name, type, size):
        self.name, self.type, self.size = name, type, size
        self.label = name[len(kernel) + 1:] if name.startswith(kernel + "_") and len(name) > len(kernel) + 1 else name

    def __str__(self):
        return f"{self.type} {self.label}"

    def convert(self, value, device, buffers):
        """The value's bytes, as the kernel takes them."""
        what = f"parameter '{self.label}' ({self.type})"
        numpy = sys.modules.get("numpy")
        if isinstance(value, Array):
            if value.device is not device:
                raise Error(f"{what}: the array is on another device", "bad argument")
            value._check()
            return self._pointer(value.ptr, what)
        if numpy and isinstance(value, numpy.generic):
            if self.type[0] == "b" and value.nbytes == self.size:  # a structure, or the bits of a number
                return value.tobytes()
            value = value.item()
        if "[" in self.type:
            return self._structure(value, what)
        if value is None:
            return self._pointer(0, what)
        if not hasattr(value, "__index__") and not isinstance(value, (float, str)) or hasattr(value, "dtype"):
            if not hasattr(value, "__float__") or hasattr(value, "dtype"):
                return self._buffer(value, what, device, buffers)
        return self._number(value, what)

    def _pointer(self, ptr, what):
        if self.size != 8 or self.type[0] == "f" or ".shared" in self.type:
            raise Error(f"{what}: a number is needed, not an array", "bad argument")
        return struct.pack("<Q", ptr)

    def _buffer(self, value, what, device, buffers):
        if id(value) not in buffers:
            self._pointer(0, what)
            host = _Host(value, what)
            ptr = device._allocate(host.nbytes, self.label)
            buffers[id(value)] = [host, ptr]
            host.write(device, ptr)
        return self._pointer(buffers[id(value)][1], what)

    def _structure(self, value, what):
        try:
            data = bytes(memoryview(value))
        except TypeError:
            raise Error(f"{what}: the bytes of a structure are needed, not {value!r}", "bad argument") from None
        if len(data) != self.size:
            raise Error(f"{what}: {self.size} bytes are needed, not {len(data)}", "bad argument")
        return data

    def _number(self, value, what):
        if self.type[0] == "f":
            try:
                if isinstance(value, str):  # which float() would read
                    raise TypeError
                return struct.pack({2: "<e", 4: "<f", 8: "<d"}[self.size], float(value))
            except OverflowError:
                raise Error(f"{what}: {value!r} is out of range", "bad argument") from None
            except (TypeError, ValueError, KeyError):
                raise Error(f"{what}: a number is needed, not {value!r}", "bad argument") from None
        # Compilers write u32 for int too. So a type without sign takes the negative numbers of the other.
        bits = 8 * self.size
        most = 2 ** (bits - 1) - 1 if self.type[0] == "s" else 2**bits - 1
        value = _whole(value, what, -(2 ** (bits - 1)), most)
        return (value % 2**bits).to_bytes(self.size, "little")


# --- what was measured -----------------------------------------------------------------------------------------------
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


# --- the program -----------------------------------------------------------------------------------------------------
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

    def frame(self):
        """A pandas frame: a row for each launch, with its counters and rates."""
        return _frame({"kernel": k["name"], "grid": tuple(k["grid"]), "block": tuple(k["block"]), **k["rates"],
                       **k["counters"]} for k in self["kernels"])


def run(program, *args, gpu=None, set=None, sched=None, options=None, **parameters):
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


def sweep(axes, db, options=None):
    """Makes the runs of every combination of values that the store `db` doesn't have yet: {"program": ["atax nx=64"],
    "sched": ["lrr", "gto"], "l1.size": ["16KiB", "32KiB"]}; doc/use/sweep.md lists the axes. options: others of
    `onchip sweep`, {"jobs": 2}. Returns all runs of the store as a pandas frame: a row for each run and kernel.
    """
    pandas = _module("pandas", "a frame")
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
