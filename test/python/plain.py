"""The module with the standard library alone."""

import array
import gc
import json
import os
import shutil
import signal
import struct
import sys
import tempfile
import threading
import unittest

import onchip
from kernels import COUNT, PRINT, SAME, SAXPY, store


def floats(values):
    return array.array("f", values)


class Plain(unittest.TestCase):
    def setUp(self):
        self.d = onchip.Device()
        self.addCleanup(self.d.close)
        self.saxpy = self.d.load(SAXPY)["saxpy"]

    def fails(self, pattern, call, *arguments, status="bad argument", **named):
        with self.assertRaisesRegex(onchip.Error, pattern) as caught:
            call(*arguments, **named)
        self.assertEqual(caught.exception.status, status)

    def test_no_packages(self):
        self.assertNotIn("numpy", sys.modules)
        with self.assertRaisesRegex(onchip.Error, "python3-pandas"):
            self.d.frame()

    def test_saxpy(self):
        x, y = floats(range(64)), floats([1] * 64)
        launch = self.saxpy(1, 64, 64, 2, x, y)
        self.assertEqual(list(y), [2 * i + 1 for i in range(64)])
        self.assertEqual(list(x), list(range(64)))
        # Two warps, each with two loads and a store of a line.
        for name, value in {"blocks": 1, "warps": 2, "global.loads": 4, "global.stores": 2}.items():
            self.assertEqual(launch[name], value)
        self.assertEqual(launch["sectors_per_load"], 4)
        self.assertEqual(launch["ipc"], launch["warp_instructions"] / launch.cycles)
        self.assertEqual(launch.structure("x")["loads"], 2)
        self.assertEqual(launch.structure("y")["stores"], 2)
        self.assertEqual((launch.kernel, launch.grid, launch.block), ("saxpy", (1, 1, 1), (64, 1, 1)))
        self.assertEqual(self.d.launches, [launch])
        self.fails("no counter or rate 'l1.hit'; did you mean 'l1.hits'", launch.__getitem__, "l1.hit")
        self.fails("no data structure 'z'", launch.structure, "z")
        self.assertRaises(KeyError, launch.__getitem__, "no")
        self.d.close()
        self.assertEqual(launch["warps"], 2)
        self.fails("closed", self.saxpy, 1, 64, 64, 2, x, y)

    def test_check(self):
        d = onchip.Device(check=True)
        self.addCleanup(d.close)
        saxpy, x, y = d.load(SAXPY)["saxpy"], floats(range(64)), floats([1] * 64)
        self.assertEqual(saxpy(1, 64, 64, 2, x, y).findings, [])
        # Two blocks write the same elements of y: each of them, in either order, races.
        launch = d.load(SAME)["same"](2, 32, floats([0] * 32))
        self.assertEqual([f["kind"] for f in launch.findings], ["race"])
        found = launch.findings[0]
        self.assertEqual((found["structure"], found["offset"], found["bytes"], found["count"]), ("p", 0, 4, 32))
        self.assertEqual([a["access"] for a in found["at"]], ["write", "write"])
        self.assertEqual(sorted(a["block"] for a in found["at"]), [(0, 0, 0), (1, 0, 0)])
        self.assertIsNone(launch.unchecked)

    def test_trace(self):
        x, y = floats(range(64)), floats([1] * 64)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.json")
            self.d.trace(path, 100, "mine")
            self.saxpy(1, 64, 64, 2, x, y)
            self.d.trace(None)
            with open(path, encoding="utf-8") as file:
                trace = json.load(file)
            self.assertEqual((trace["otherData"]["program"], trace["otherData"]["interval"]), ("mine", 100))
            names = [e["name"] for e in trace["traceEvents"] if e["ph"] == "X"]
            self.assertEqual(names.count("saxpy"), 1)
            self.assertEqual(sum(n.startswith("block 0, warp") for n in names), 2)
            self.d.trace(path)
            self.d.close()  # ends the file
            with open(path, encoding="utf-8") as file:
                self.assertNotIn("saxpy", [e["name"] for e in json.load(file)["traceEvents"]])
        self.fails("can't write", onchip.Device().trace, "/no/such/folder/t.json", status="bad file")

    def test_device_arrays(self):
        x, y = self.d.array(floats(range(64)), "mine"), self.d.zeros(64, "f")
        for _ in range(3):
            launch = self.saxpy(1, 64, 64, 1, x, y)
        self.assertEqual(list(y.get()), [3 * i for i in range(64)])
        self.assertEqual(launch.structure("mine")["loads"], 2)
        y.set(floats([5] * 64))
        self.assertEqual(list(y.get()), [5] * 64)
        self.fails("4 bytes don't fill an array of 256", y.set, floats([1]))
        y.free()
        self.fails("freed", self.saxpy, 1, 64, 64, 1, x, y)
        self.fails("another device", onchip.Device().load(SAXPY)["saxpy"], 1, 1, 1, 1, x, x)

    def test_memory_comes_back(self):
        with onchip.Device(set={"gpu.memory": "8MiB"}) as d:
            kernel, mega = d.load(SAXPY)["saxpy"], bytes(1 << 20)
            for _ in range(40):
                kept = d.array(mega)
                kernel(1, 1, 0, 0, mega, mega)
            full = []
            self.fails("no room", lambda: [full.append(d.array(mega)) for _ in range(9)], status="out of memory")

    def test_values(self):
        # What a value becomes is what struct makes of it.
        cases = [(".u8", 1, 8, 200, "B"), (".s8", 1, 8, -100, "b"), (".s16", 2, 16, -5, "h"), (".u32", 4, 32, 7, "I"),
                 (".u32", 4, 32, -7, "i"), (".s32", 4, 32, -7, "i"), (".u64", 8, 64, 2**64 - 1, "Q"),
                 (".f32", 4, 32, 1.5, "f"), (".f32", 4, 32, 3, "f"), (".f64", 8, 64, 0.1, "d"),
                 (".f16", 2, 16, 0.5, "e"), (".f32", 4, 32, float("inf"), "f")]
        for type, size, bits, value, code in cases:
            out = bytearray(size)
            self.d.load(store(f"{type} store_param_0", size, bits))["store"](1, 1, value, out)
            self.assertEqual(out, struct.pack("<" + code, value), (type, value))
        kernel = self.d.load(store(".align 4 .b8 store_param_0[12]", 12, 32))["store"]
        out, structure = bytearray(12), struct.pack("<ifi", -1, 2.5, 3)
        kernel(1, 1, structure, out)
        self.assertEqual(out, structure)
        self.fails(r"'param_0' \(b8\[12\]\): 12 bytes are needed, not 3", kernel, 1, 1, b"abc", out)
        self.fails("the bytes of a structure", kernel, 1, 1, 7, out)

    def test_wrong_arguments(self):
        x = floats([0] * 4)
        right = [4, 2, x, x]
        for at, value, text in [(0, 2.0, "'n' .u32.: a whole number"), (0, 2**32, "'n'.*4294967296 isn't from"),
                                (0, -2**31 - 1, "isn't from"), (0, x, "'n'.*a number is needed, not an array"),
                                (0, "4", "whole number"), (1, 1e39, "'a' .f32.: 1e.39 is out of range"),
                                (1, "2", "a number is needed"), (1, x, "not an array"), (2, 2.5, "'x' .u64."),
                                (2, "x", "'x'"), (2, object(), "an array or another buffer"),
                                (2, memoryview(bytes(8))[::2], "isn't contiguous")]:
            self.fails(text, self.saxpy, 1, 4, *[value if k == at else v for k, v in enumerate(right)])
        self.fails("takes 4 arguments, not 2: u32 n, f32 a, u64 x, u64 y", self.saxpy, 1, 4, 4, 2)
        self.fails("grid: 0 isn't", self.saxpy, 0, 4, *right)
        self.fails("block: one to three", self.saxpy, 1, (1, 1, 1, 1), *right)
        self.fails("shared: -1", self.saxpy, 1, 4, *right, shared=-1)
        self.assertEqual(self.d.launches, [])

    def test_fault(self):
        x = floats([0] * 4)
        text = r"(?s)write of 4 bytes.*module\.ptx:\d+.*nearest allocation: 'y'"
        self.fails(text, self.saxpy, 1, 8, 8, 2, floats([7] * 8), x, status="fault")
        self.assertRegex(self.d.launches[-1].error, "(?s)" + text)
        self.saxpy(1, 4, 4, 2, x, x)  # the device goes on
        self.assertIsNone(self.d.launches[-1].error)

    def test_limit(self):
        with onchip.Device(max_cycles=1000) as d:
            self.fails("1000", d.load(COUNT)["count"], 1, 1, 10**9, status="limit")
            self.assertGreaterEqual(d.launches[0].cycles, 1000)

    def test_load(self):
        self.assertEqual(list(self.d.load("saxpy.ptx")), ["saxpy"])
        module = self.d.load(SAXPY.replace(" saxpy(", " _Z5saxpyifPfS_("))
        self.assertEqual(module["saxpy"].name, "_Z5saxpyifPfS_")
        self.fails("no kernel 'sax'", module.__getitem__, "sax")
        self.assertRaises(KeyError, module.__getitem__, "sax")
        self.fails("can't read none.ptx", self.d.load, "none.ptx", status="bad file")
        self.fails("module.ptx:3:1", self.d.load, ".version 7.0\n.target sm_35\nnonsense", status="bad file")
        self.assertEqual(self.d.load(PRINT).symbol("text").get(), b"thread %u\n\0")
        module.unload()
        self.fails("unloaded", module.__getitem__, "saxpy")

    @unittest.skipUnless(shutil.which("clang"), "clang isn't installed")
    def test_cuda_source(self):
        with open("-twice.cu", "w") as file:
            file.write("template <typename T> __global__ void twice(T *x) { x[threadIdx.x] *= 2; }\n"
                       "template __global__ void twice<int>(int *); template __global__ void twice<float>(float *);\n")
        x = array.array("i", range(32))
        module = self.d.load("-twice.cu")
        module["twice<int>"](1, 32, x)
        self.assertEqual(list(x), [2 * i for i in range(32)])
        self.fails("(?s)2 kernels are 'twice'.*twice<float>", module.__getitem__, "twice")
        with open("wrong.cu", "w") as file:
            file.write("__global__ void f() { nonsense; }\n")
        self.fails("nonsense", self.d.load, "wrong.cu", status=None)

    def test_open(self):
        self.fails("did you mean 'gtx480'", onchip.Device, "gtx48")
        self.fails("did you mean l1.size", onchip.Device, set={"l1.siz": 1})
        self.fails("threads", onchip.Device, threads=-1)
        with onchip.Device(set=["gpu.sms=2"], sched="lrr") as d:
            self.assertEqual(d.info["sms"], 2)
        with onchip.Device("titan_black") as d:
            self.assertEqual(d.info["name"], "titan_black")

    def test_two_devices(self):
        y = floats([0] * 64)
        with onchip.Device(functional=True) as other:
            kernel = other.load(SAXPY)["saxpy"]
            for _ in range(3):
                self.saxpy(1, 64, 64, 1, floats(range(64)), y)
                kernel(1, 64, 64, 1, floats(range(64)), y)
            self.assertEqual([launch["cycles"] for launch in other.launches], [0] * 3)
            self.assertEqual([launch["blocks"] for launch in other.launches], [1] * 3)
        self.assertEqual(list(y), [6 * i for i in range(64)])
        self.assertTrue(all(launch.cycles > 0 for launch in self.d.launches))

    def test_print(self):
        heard = []
        with onchip.Device(print=heard.append) as d:
            d.load(PRINT)["say"](1, 3)
        self.assertEqual("".join(heard), "thread 0\nthread 1\nthread 2\n")

        def wrong(text):
            raise ZeroDivisionError(text)

        with onchip.Device(print=wrong) as d:
            self.assertRaisesRegex(ZeroDivisionError, "thread", d.load(PRINT)["say"], 1, 1)
        with onchip.Device(print=None) as d:
            d.load(PRINT)["say"](1, 1)

    def test_progress(self):
        seen = []

        def progress(kernel, cycles, instructions, done, blocks):
            seen.append((kernel, blocks))
            self.assertRaisesRegex(onchip.Error, "during its launch", d.close)
            self.assertRaisesRegex(onchip.Error, "under way", count, 1, 1, 1)
            d.stop()

        d = onchip.Device(progress=progress)
        count = d.load(COUNT)["count"]
        self.fails("", count, 1, 1, 10**12, status="stopped")
        self.assertEqual(seen[0], ("count", 1))
        count(1, 1, 10)  # and it goes on

    def test_interrupt(self):
        count = self.d.load(COUNT)["count"]
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        self.addCleanup(timer.join)
        self.assertRaises(KeyboardInterrupt, count, 1, 1, 10**12)
        count(1, 1, 10)

    def test_a_thousand_devices(self):
        def pages():
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1])

        def use():
            with onchip.Device(functional=True) as d:
                d.load(SAXPY)["saxpy"](1, 4, 4, 2, floats([1] * 4), d.zeros(4, "f"))

        for _ in range(100):
            use()
        before = pages()
        for _ in range(1000):
            use()
        grown = (pages() - before) * os.sysconf("SC_PAGE_SIZE")
        self.assertLess(grown, 2 << 20)  # 2 KB each would be a leak

    def test_program(self):
        result = onchip.run("atax", nx=64, ny=64, gpu="titan_black", set={"gpu.sms": 2}, options={"threads": 1})
        self.assertEqual((result["verified"], result["gpu"]), (True, "titan_black"))
        self.assertEqual([k["name"] for k in result["kernels"]], ["atax_kernel1", "atax_kernel2"])
        with self.assertRaisesRegex(onchip.Error, "nxx"):
            onchip.run("atax", nxx=3)
        with self.assertRaisesRegex(onchip.Error, "atay"):
            onchip.run("atay")


if __name__ == "__main__":
    unittest.main()
