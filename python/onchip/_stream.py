"""Streams, which order what is put on them, and events, which mark a moment of a stream. Times are simulated."""
from __future__ import annotations

import ctypes as c

from ._library import _P, Error


class _Handle:
    """Something of a device that is given back when nothing refers to it."""

    _create = _destroy = ""

    def __init__(self, device):
        self.device, self._handle = device, None
        handle = _P()
        device._call(self._create, c.byref(handle))
        self._handle = handle

    def _of(self, device=None):
        self.device._open()
        if device is not None and device is not self.device:
            raise Error(f"the {type(self).__name__.lower()} is of another device", "bad argument")
        return self._handle

    def __del__(self):
        if getattr(self, "_handle", None):  # maybe in another thread, or during a launch: given back later
            name, handle = self._destroy, self._handle
            self.device._dead.append(lambda lib, _: getattr(lib, name)(handle))


class Stream(_Handle):
    """What is put on it is done in order; other streams' work overlaps with it: kernel(…, stream=s), a.set(v, s)."""

    _create, _destroy = "oc_stream_create", "oc_stream_destroy"

    @property
    def time(self) -> float:
        """Seconds from the device's opening to the end of the stream's work."""
        return self.device._lib.oc_stream_time(self._of())

    def synchronize(self) -> None:
        """The host waits until the stream's work is done: what it gives to other streams later begins behind that."""
        self.device.synchronize(self)


class Event(_Handle):
    """A moment: event.record(stream) marks it, and later.seconds(earlier) is the time between two."""

    _create, _destroy = "oc_event_create", "oc_event_destroy"

    def record(self, stream: Stream | None = None) -> Event:
        """Marks the end of what the stream has now; None: of what the default stream has. Returns the event."""
        self.device._call("oc_event_record", stream and stream._of(self.device), of=self._of())
        return self

    def synchronize(self) -> None:
        """The host waits for that moment."""
        self.device._call("oc_event_synchronize", of=self._of())

    def seconds(self, since: Event) -> float:
        """The time from the other event to this one."""
        out = c.c_double()
        self.device._call("oc_event_seconds", self._of(), c.byref(out), of=since._of(self.device))
        return out.value
