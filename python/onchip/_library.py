"""The library libonchip.so and the program `onchip`: where they are, and the library's structures and functions as
ctypes has them. What other files share is here, too: errors, and values as the library takes them.
"""
from __future__ import annotations

import ctypes as c
import difflib
import importlib
import operator
import os
import shutil
import sysconfig


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
    paths = [os.path.join(_HERE, "_files", p) for p in installed]  # of a wheel
    if os.path.basename(up(_HERE)) == "python":
        paths.append(os.path.join(up(up(_HERE)), "build", built))
    prefix = up(up(up(up(_HERE))))  # of PREFIX/lib/python3/dist-packages/onchip
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
        ("declared", c.POINTER(c.c_char_p)),
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


class _TexLevel(c.Structure):  # oc_tex_level
    _fields_ = [("base", c.c_uint64), ("pitch", c.c_uint32), ("slice", c.c_uint64)]


class _Texture(c.Structure):  # oc_texture
    _fields_ = [
        ("base", c.c_uint64), ("width", c.c_uint32), ("height", c.c_uint32), ("pitch", c.c_uint32),
        ("channels", c.c_uint32), ("format", c.c_int), ("address", c.c_int), ("linear", c.c_bool),
        ("normalized", c.c_bool), ("unit_float", c.c_bool), ("depth", c.c_uint32), ("layers", c.c_uint32),
        ("slice", c.c_uint64), ("cube", c.c_bool), ("levels", c.c_uint32), ("mipmap", c.POINTER(_TexLevel)),
        ("linear_levels", c.c_bool), ("level_bias", c.c_float), ("level_min", c.c_float), ("level_max", c.c_float),
        ("by_axis", c.c_bool), ("address_y", c.c_int), ("address_z", c.c_int), ("border", c.c_float * 4),
        ("srgb", c.c_bool),
    ]


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
    "oc_texture_create_sized": (c.c_int, _P, c.POINTER(_Texture), _SIZE, c.POINTER(c.c_uint64)),
    "oc_texture_destroy": (c.c_int, _P, c.c_uint64),
    "oc_surface_create_sized": (c.c_int, _P, c.POINTER(_Texture), _SIZE, c.POINTER(c.c_uint64)),
    "oc_surface_destroy": (c.c_int, _P, c.c_uint64),
    "oc_reference_bind_sized": (c.c_int, _P, _TEXT, c.POINTER(_Texture), _SIZE, c.POINTER(c.c_uint64)),
    "oc_stream_create": (c.c_int, _P, c.POINTER(_P)),
    "oc_stream_destroy": (None, _P),
    "oc_stream_time": (c.c_double, _P),
    "oc_synchronize": (c.c_int, _P, _P),
    "oc_event_create": (c.c_int, _P, c.POINTER(_P)),
    "oc_event_destroy": (None, _P),
    "oc_event_record": (c.c_int, _P, _P),
    "oc_event_synchronize": (c.c_int, _P),
    "oc_event_seconds": (c.c_int, _P, _P, c.POINTER(c.c_double)),
    "oc_launches": (_SIZE, _P),
    "oc_launch_kernel": (_TEXT, _P, _SIZE),
    "oc_launch_counter": (c.c_uint64, _P, _SIZE, _TEXT),
    "oc_launch_rate": (c.c_double, _P, _SIZE, _TEXT),
    "oc_launch_value": (c.c_int, _P, _SIZE, _TEXT, c.POINTER(c.c_double)),
    "oc_launch_series": (_SIZE, _P, _SIZE, _TEXT, c.POINTER(c.c_uint64), _SIZE),
    "oc_launch_words": (_SIZE, _P, _SIZE, c.c_int, _P, _SIZE),
    "oc_metric_name": (_TEXT, _P, _SIZE),
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


def _installed(name, what):
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
