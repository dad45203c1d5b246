"""Memory of the host that goes to a device and comes back, and arrays that stay on one."""
from __future__ import annotations

import ctypes as c
import sys
from typing import TYPE_CHECKING, Any

from ._library import _P, Error

if TYPE_CHECKING:
    from ._stream import Stream


def _kind_of(value):
    """The letter and the size of an array's elements: ("f", 4), ("i", 8), …; None: they are just bytes."""
    numpy = sys.modules.get("numpy")
    if isinstance(value, Array):
        return value._kind
    if numpy and isinstance(value, (numpy.ndarray, numpy.generic)):
        return {"u": "i", "b": "i"}.get(value.dtype.kind, value.dtype.kind), value.dtype.itemsize
    if isinstance(value, (bytes, bytearray)):
        return None
    try:
        view = memoryview(value)
    except TypeError:
        return None
    letter = view.format.lstrip("@=<")
    return ("f" if letter in "efd" else "i", view.itemsize) if letter in "bBhHiIlLqQ?efd" and letter else None


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

    def write(self, device, ptr, stream=None):
        stream = stream and stream._of(device)
        if self.nbytes:
            data = (c.c_char * self.nbytes).from_buffer(self.view) if not self.view.readonly else bytes(self.view)
            device._call("oc_write", ptr, c.cast(data, _P), self.nbytes, stream)

    def read(self, device, ptr, stream=None):
        stream = stream and stream._of(device)
        if self.nbytes:
            data = (c.c_char * self.nbytes).from_buffer(self.view)
            device._call("oc_read", c.cast(data, _P), ptr, self.nbytes, stream)
            if self.back is not None:
                self.value[...] = self.back


class Array:
    """Memory of a device that stays there between launches. It is freed with free(), or when nothing refers to it."""

    def __init__(self, device, ptr, nbytes, make, owned=True, kind=None):
        self.device, self.ptr, self.nbytes, self._make, self._owned = device, ptr, nbytes, make, owned
        self._kind = kind  # of its elements, as _kind_of has it

    def get(self, stream: Stream | None = None) -> Any:
        """A copy on the host: a numpy array, or what a buffer without numpy was."""
        self._check()
        data = bytearray(self.nbytes)
        _Host(data, "get").read(self.device, self.ptr, stream)
        return self._make(data)

    def set(self, value: Any, stream: Stream | None = None) -> None:
        """Copies as many bytes to the device."""
        self._check()
        host = _Host(value, "set")
        if host.nbytes != self.nbytes:
            raise Error(f"set: {host.nbytes} bytes don't fill an array of {self.nbytes}", "bad argument")
        host.write(self.device, self.ptr, stream)

    def free(self) -> None:
        if self._owned and self.ptr:
            self._check()
            self.device._call("oc_free", self.ptr)
        self.ptr = None

    def _check(self):
        if self.ptr is None:
            raise Error("this array was freed", "bad argument")

    def __del__(self):
        if getattr(self, "_owned", False) and self.ptr:  # maybe in another thread, or during a launch: freed later
            ptr = self.ptr
            self.device._dead.append(lambda lib, device: lib.oc_free(device, ptr))

    def __repr__(self):
        return f"<onchip.Array of {self.nbytes} bytes at {self.ptr or 0:#x}>"
