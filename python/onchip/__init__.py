"""Runs CUDA kernels on a simulated GPU, and says what the GPU's memory did (doc/use/python.md).

A Device calls libonchip.so, whose interface is onchip.h; run() and sweep() call the program `onchip`. Both are looked
for in this folder, where a wheel has them; where they are installed with it; and in the build folder of its source
tree. ONCHIP_LIBRARY and ONCHIP name others. Nothing but Python's standard library is needed. numpy and pandas are
loaded when something is asked for that they make.

Every failure is an exception, Error, with the library's own text. A Device is used by one thread at a time.
"""
from ._device import Device
from ._kernel import Kernel, Module
from ._launch import Launch
from ._library import Error, UnknownName
from ._memory import Array
from ._program import Result, run, sweep
from ._stream import Event, Stream
from ._texture import Texture

__version__ = "0.8.0"
__all__ = ["Array", "Device", "Error", "Event", "Kernel", "Launch", "Module", "Result", "Stream", "Texture",
           "UnknownName", "run", "sweep"]
