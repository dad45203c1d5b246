"""Modules, their kernels, and what a kernel's parameters take."""
from __future__ import annotations

import ctypes as c
import os
import shutil
import signal
import struct
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Union

from ._launch import Launch
from ._library import (_P, _SIZE, Error, UnknownName, _bytes, _Dim3, _dim3, _filled, _KernelInfo, _shown, _Texture,
                       _whole)
from ._memory import _Host, _kind_of, Array
from ._program import _ptx
from ._stream import Stream
from ._texture import Texture

if TYPE_CHECKING:
    from ._device import Device

Shape = Union[int, tuple[int, ...], list[int]]  # one to three numbers


class Module:
    """Kernels by name: module["saxpy"]. A name is that of the PTX, or that of C++.

    device: where it is loaded; None: a device of its own, module.device. ptx: a text of PTX. cuda: a text of CUDA
    source, which clang compiles; options: the compiler's, as nvcc has them, ["-DN=4", "--std=c++17"]. name: what
    errors and annotate() call the text.
    """

    def __init__(self, device: Device | None = None, ptx: str | bytes | None = None, *, cuda: str | None = None,
                 options: Iterable[str] = (), name: str | None = None) -> None:
        if (ptx is None) == (cuda is None):
            raise Error("a module is made of ptx or of cuda, one of both", "bad argument")
        if cuda is None and options:
            raise Error("options are the compiler's, and PTX isn't compiled", "bad argument")
        if device is None:
            from . import _device
            device = _device.Device()
        self.device, self._handle, self._folder = device, _P(), ""
        self._bound: dict[str, Texture | None] = {}
        if cuda is not None:
            ptx, name = self._compiled(cuda, options, name or "kernel.cu"), f"PTX of {name or 'kernel.cu'}"
        text = ptx.encode() if isinstance(ptx, str) else ptx or b""
        device._call("oc_load", text, len(text), _bytes(name or "module.ptx"), c.byref(self._handle))

    def _compiled(self, source, options, name):
        """The PTX. The source stays in a folder of the module, where annotate() reads its lines."""
        self._folder = tempfile.mkdtemp(prefix="onchip-")
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        base = os.path.basename(name)
        path = os.path.join(self._folder, base if base.endswith(".cu") else base + ".cu")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        try:
            return _ptx(path, self.device.info["capability"], options)
        except Error as e:
            raise Error(self._plain(str(e)), e.status or "bad file") from None

    def _plain(self, text):
        """A text in which the module's folder isn't named."""
        return text.replace(self._folder + os.sep, "") if self._folder else text

    def _of(self):
        self.device._open()
        if not self._handle:
            raise Error("the module was unloaded", "bad argument")
        return self._handle

    def __getitem__(self, name: str) -> Kernel:
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

    def __iter__(self) -> Iterator[str]:
        return iter([kernel.name for kernel in self._kernels()])

    def __len__(self) -> int:
        return self.device._lib.oc_kernel_count(self._of())

    def __contains__(self, name: object) -> bool:
        return name in list(self)

    def symbol(self, name: str) -> Array:
        """A .global or .const variable, as an Array; get() gives its bytes."""
        ptr, nbytes = c.c_uint64(), _SIZE()
        self.device._call("oc_symbol", _bytes(name), c.byref(ptr), c.byref(nbytes), of=self._of())
        return Array(self.device, ptr.value, nbytes.value, bytes, owned=False)

    def bind(self, name: str, texture: Texture | None) -> None:
        """Binds a texture or surface reference of the module; None: from now on nothing is bound."""
        of = c.byref(texture._of) if texture else None
        self.device._call("oc_reference_bind_sized", _bytes(name), of, c.sizeof(_Texture), None, of=self._of())
        self._bound[name] = texture

    def unload(self) -> None:
        """Gives its memory back; its kernels can't be used any more."""
        if self.device._busy:
            raise Error("a module can't be unloaded during a launch", "bad argument")
        self.device._lib.oc_unload(self._of())
        self._handle = _P()


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
        self.parameters = [_Parameter(self.name, _shown(info.names[p]), _shown(info.types[p]), info.sizes[p],
                                      _shown(info.declared[p]) if info.declared else None)
                           for p in range(info.params)]

    def __repr__(self):
        return f"<onchip.Kernel {self.name}({', '.join(map(str, self.parameters))})>"

    def __call__(self, grid: Shape, block: Shape, *args: Any, shared: int = 0, stream: Stream | None = None) -> Launch:
        """Runs the kernel, and returns the Launch.

        grid, block: a number, or a tuple of up to three. shared: dynamic shared memory of a block in bytes. stream: the
        launch and the copies that it needs are put on it. An argument is an Array; a texture; a numpy array or another
        buffer, which is copied to the device before and back after, unless it can't be written; a number; or, for a
        structure, its bytes.
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
        buffers: dict[int, Any] = {}  # by the object's id: [host, pointer]; an object that is given twice is one buffer
        try:
            values = [p.convert(value, device, buffers, stream) for p, value in zip(self.parameters, args)]
            launch = self._run(device, shape, values, stream and stream._of(device))
            for host, ptr in buffers.values():
                if not host.readonly:
                    host.read(device, ptr, stream)
        finally:
            device._dead += [_freed(ptr) for _, ptr in buffers.values() if ptr]
        return launch

    launch = __call__

    def _run(self, device, shape, values, stream):
        lib, raised = device._lib, device._callbacks[2]
        cells = [c.create_string_buffer(v, len(v)) for v in values]
        pointers = (_P * (len(cells) + 1))(*[c.addressof(cell) for cell in cells])
        before, device._busy, device._stop.value = lib.oc_launches(device._handle), True, False
        raised.clear()
        error, interrupt = None, _Interrupt(device._stop)
        try:
            with interrupt:
                device._call("oc_launch", _Dim3(*shape[0]), _Dim3(*shape[1]), shape[2], stream, pointers, of=self._handle)
        except Error as e:
            error = e
        finally:
            device._busy = False
        launch = None
        if lib.oc_launches(device._handle) > before:
            launch = Launch(device, before, self.name, shape, error, self.module._plain)
            device.launches.append(launch)
            lib.oc_forget(device._handle, 0)  # what it had is in the Launch
        interrupt.tell()
        if raised:
            raise raised.pop()
        if error:
            raise error
        return launch


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


def _freed(ptr):
    return lambda lib, device: lib.oc_free(device, ptr)


# Of a pointer in C++, the letter and the size of what it points to.
_POINTEES = {"float": ("f", 4), "double": ("f", 8), "__half": ("f", 2), "half": ("f", 2), "bool": ("i", 1),
             "char": ("i", 1), "signed char": ("i", 1), "unsigned char": ("i", 1), "short": ("i", 2),
             "unsigned short": ("i", 2), "int": ("i", 4), "unsigned int": ("i", 4), "long": ("i", 8),
             "unsigned long": ("i", 8), "long long": ("i", 8), "unsigned long long": ("i", 8)}


class _Parameter:
    """A kernel's parameter: name, type as in the PTX, size in bytes, declared: type in C++, if the name has it."""

    def __init__(self, kernel, name, type, size, declared):
        self.name, self.type, self.size, self.declared = name, type, size, declared
        self.label = name[len(kernel) + 1:] if name.startswith(kernel + "_") and len(name) > len(kernel) + 1 else name

    def __str__(self):
        return f"{self.declared or self.type} {self.label}"

    def convert(self, value, device, buffers, stream):
        """The value's bytes, as the kernel takes them."""
        what = f"parameter '{self.label}' ({self.declared or self.type})"
        numpy = sys.modules.get("numpy")
        if isinstance(value, Texture):
            if value.device is not device:
                raise Error(f"{what}: the texture is of another device", "bad argument")
            return self._pointer(value.handle, what)
        if isinstance(value, Array):
            if value.device is not device:
                raise Error(f"{what}: the array is on another device", "bad argument")
            value._check()
            self._elements(value, what)
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
                return self._buffer(value, what, device, buffers, stream)
        return self._number(value, what)

    def _pointer(self, ptr, what):
        if self.size != 8 or self.type[0] == "f" or ".shared" in self.type:
            raise Error(f"{what}: a number is needed, not an array", "bad argument")
        return struct.pack("<Q", ptr)

    def _elements(self, value, what):
        """Checks an array's elements, where both they and the pointer's are numbers."""
        own, declared = _kind_of(value), self.declared or ""
        wanted = _POINTEES.get(declared[:-1].strip()) if declared.endswith("*") else None
        if own and wanted and own != wanted:
            word = {"f": "floating-point numbers", "i": "whole numbers", "c": "complex numbers"}
            hint = "; a.astype(…) makes another array, a.view(…) takes its bits" if "numpy" in sys.modules else ""
            raise Error(f"{what}: the array has {word.get(own[0], 'elements')} of {own[1]} bytes, not "
                        f"{word[wanted[0]]} of {wanted[1]}{hint}", "bad argument")

    def _buffer(self, value, what, device, buffers, stream):
        if id(value) not in buffers:
            self._pointer(0, what)
            self._elements(value, what)
            host = _Host(value, what)
            ptr = device._allocate(host.nbytes, self.label)
            buffers[id(value)] = [host, ptr]
            host.write(device, ptr, stream)
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
