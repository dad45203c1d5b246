"""Textures and surfaces over arrays of a device: handles that a kernel gets as an argument of 64 bits, and what a
module's texture references are bound to.
"""
from __future__ import annotations

import ctypes as c

from ._library import Error, _Texture, _TexLevel, _whole
from ._memory import Array

_FORMATS = {"f32": (0, 4), "u32": (1, 4), "s32": (2, 4), "u8": (3, 1), "s8": (4, 1), "u16": (5, 2), "s16": (6, 2),
            "f16": (7, 2)}  # oc_tex_format, bytes of a channel
_ADDRESSES = {"clamp": 0, "border": 1, "wrap": 2, "mirror": 3}  # oc_tex_address


def _one_of(table, value, what):
    if value not in table:
        raise Error(f"{what}: {value!r} is none of {', '.join(table)}", "bad argument")
    return table[value]


class Texture:
    """Made by Device.texture and Device.surface."""

    def __init__(self, device, kind, array, width, height=0, *, channels=1, format="f32", address="clamp", linear=False,
                 normalized=False, unit_float=False, pitch=0, depth=0, layers=0, slice=0, cube=False, levels=(),
                 linear_levels=False, level_bias=0.0, level_min=0.0, level_max=0.0, border=(0, 0, 0, 0), srgb=False):
        number, size = _one_of(_FORMATS, format, "format")
        self.device, self.array, self._kind, self.handle = device, array, kind, 0
        self._levels = (_TexLevel * max(len(levels), 1))()
        self._arrays = [array] + [level for level, *_ in levels]
        for each in self._arrays:
            if not isinstance(each, Array) or each.device is not device:
                raise Error(f"{kind}: an array of this device is needed, not {each!r}", "bad argument")
            each._check()
        for k, (level, level_width, level_height) in enumerate(levels):
            row = _whole(level_width, "width of a level", 1, 2**31) * size * channels
            self._levels[k] = _TexLevel(level.ptr, row, row * max(level_height, 1))
        axes = [address] if isinstance(address, str) else list(address)
        if not 1 <= len(axes) <= 3:
            raise Error("address: a word, or up to three, one for each axis, are needed", "bad argument")
        axes = [_one_of(_ADDRESSES, a, "address") for a in axes] + [0, 0]
        pitch = pitch or _whole(width, "width", 1, 2**31) * size * channels
        if len(border) != 4:
            raise Error("border: four numbers are needed", "bad argument")
        self._of = _Texture(
            base=array.ptr, width=width, height=_whole(height, "height", 0, 2**32 - 1),
            pitch=_whole(pitch, "pitch", 1, 2**32 - 1), channels=_whole(channels, "channels", 0, 2**32 - 1),
            format=number, address=axes[0], linear=linear, normalized=normalized, unit_float=unit_float,
            depth=_whole(depth, "depth", 0, 2**32 - 1), layers=_whole(layers, "layers", 0, 2**32 - 1),
            slice=_whole(slice, "slice", 0, 2**48) or (pitch * max(height, 1) if depth or layers or cube else 0),
            cube=cube, levels=len(levels) + 1 if levels else 0, mipmap=self._levels if levels else None,
            linear_levels=linear_levels, level_bias=level_bias, level_min=level_min, level_max=level_max,
            by_axis=not isinstance(address, str), address_y=axes[1], address_z=axes[2],
            border=(c.c_float * 4)(*border), srgb=srgb)
        self._fits()
        handle = c.c_uint64()
        device._call(f"oc_{kind}_create_sized", c.byref(self._of), c.sizeof(_Texture), c.byref(handle))
        self.handle = handle.value

    def _fits(self):
        """The library checks that the memory is there; here it must be the array's own."""
        t, bytes_of = self._of, {n: b for n, b in _FORMATS.values()}[self._of.format] * self._of.channels
        slices = max(t.depth, t.layers, 1) * (6 if t.cube else 1)
        need = (slices - 1) * t.slice + (max(t.height, 1) - 1) * t.pitch + t.width * bytes_of
        if need > self.array.nbytes:
            raise Error(f"{self._kind}: it takes {need} bytes, and the array has {self.array.nbytes}", "bad argument")

    def __del__(self):
        if getattr(self, "handle", 0):
            name, number = f"oc_{self._kind}_destroy", self.handle
            self.device._dead.append(lambda lib, device: getattr(lib, name)(device, number))

    def __repr__(self):
        return f"<onchip.Texture, a {self._kind} of {self._of.width}×{self._of.height}, handle {self.handle:#x}>"
