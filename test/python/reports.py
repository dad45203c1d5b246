"""What a launch says in words and as HTML, and streams, events, textures and values over time."""

import array
import inspect
import json
import os
import shutil
import subprocess
import unittest
from html.parser import HTMLParser

import onchip
from kernels import CUDA, FETCH, MANGLED, SAXPY


def floats(values):
    return array.array("f", values)


class Balanced(HTMLParser):
    """Elements that are open, and the text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.seen = [], "", set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag not in ("br", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text += data


class Reports(unittest.TestCase):
    def fails(self, pattern, call, *arguments, **named):
        with self.assertRaisesRegex(onchip.Error, pattern):
            call(*arguments, **named)

    def launched(self, source=SAXPY, **options):
        d = onchip.Device("gtx480", **options)
        self.addCleanup(d.close)
        x, y = floats(range(64)), floats([1] * 64)
        return d.load(source)["saxpy"](1, 64, 64, 2, x, y)

    def test_words(self):
        launch = self.launched()
        self.assertTrue(launch.limited_by.startswith("the grid: 1 block for 15 SMs"))
        # Two warps load a line of each of two arrays, and store one; the kernel's line is that of the text.
        line = SAXPY.split("\n").index("    ld.global.f32 %u, [%x];") + 1
        self.assertIn(f"{line:5}      ld.global.f32 %u, [%x];\n", launch.annotate())
        self.assertIn("load of x: 2, 4 sectors each", launch.annotate())
        self.assertIn("memory chart\n", launch.chart())
        self.fails("why=True", launch.why)
        self.assertIn("first touch", self.launched(why=True).why())
        plain = self.launched(functional=True)
        self.assertEqual((plain.limited_by, plain.annotate(), plain.chart()), ("", "", ""))
        self.assertIn("without time", plain._repr_html_())

    def test_same_as_the_program(self):
        """The texts are those that `onchip run` prints of the same launch."""
        with open("same.ptx", "w") as file:
            file.write(SAXPY)
        words = ["run", "--gpu", "gtx480", "same.ptx", "--block", "64", "--arg", "i32:64", "--arg", "f32:2",
                 "--arg", "buf:256:iota:f32", "--arg", "buf:256"]
        program = os.environ.get("ONCHIP") or shutil.which("onchip")
        printed = subprocess.run([program, *words, "--annotate", "--chart"], check=True, stdout=subprocess.PIPE).stdout
        with onchip.Device("gtx480") as d:
            launch = d.load("same.ptx")["saxpy"](1, 64, 64, 2, floats(range(64)), floats([0] * 64))
        printed = printed.decode()
        self.assertIn(launch.annotate(), printed)
        self.assertIn(launch.chart(), printed)
        said = json.loads(subprocess.run([program, *words, "--json"], check=True, stdout=subprocess.PIPE).stdout)
        self.assertIn(launch.limited_by, json.dumps(said["kernels"][0], ensure_ascii=False))

    def test_metrics(self):
        launch = self.launched()
        got = launch.metrics("gpu__time_duration.sum,cycles,ipc")
        self.assertEqual(list(got), ["gpu__time_duration.sum", "cycles", "ipc"])
        self.assertAlmostEqual(got["gpu__time_duration.sum"], launch.cycles / 0.7, places=3)  # ns at 700 MHz
        name = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"
        self.assertEqual(launch.metrics([name]), {name: 4})
        self.assertEqual(launch.metrics()[name], launch[name])
        self.fails("did you mean 'gpu__time_duration.sum'", launch.metrics, ["gpu__time_duration.su"])

    def test_html(self):
        launch = self.launched(SAXPY.replace("ret;\n}", "// <script> & a \"quote\"\n    ret;\n}"), why=True)
        cell = Balanced(launch._repr_html_())
        self.assertEqual(cell.open, [])
        self.assertEqual(cell.seen & {"script", "html"}, set())
        for text in (launch.limited_by, launch.chart().rstrip(), launch.annotate().rstrip(), "gtx480"):
            self.assertIn(text, cell.text)
        launch.page("page.html", title="<b>mine")
        with open("page.html", encoding="utf-8") as file:
            page = Balanced(file.read())
        self.assertEqual(page.open, [])
        for text in ("<b>mine", launch.why().rstrip(), "l1.hits", str(launch.cycles)):
            self.assertIn(text, page.text)
        self.fails("can't write", launch.page, "no/such/folder/x.html")

    def test_types(self):
        with onchip.Device("gtx480", functional=True) as d:
            saxpy = d.load(MANGLED)["saxpy"]
            self.assertEqual([str(p) for p in saxpy.parameters], ["int n", "float a", "float* x", "float* y"])
            x, y = floats(range(32)), floats([0] * 32)
            launch = saxpy(1, 32, 32, 2, x, y)
            self.assertEqual(list(y), [2 * i for i in range(32)])
            self.assertEqual(launch.shown, "saxpy(int, float, float const*, float*)")
            self.fails(r"'x' \(float\*\): the array has whole numbers of 4 bytes, not floating-point numbers of 4",
                       saxpy, 1, 32, 32, 2, array.array("i", range(32)), y)
            self.fails(r"'y' \(float\*\): .* of 8 bytes", saxpy, 1, 32, 32, 2, x, d.array(array.array("d", [0] * 32)))
            saxpy(1, 32, 32, 2, x, bytearray(128))  # bytes are anything
            saxpy(1, 32, 32, 2, d.array(x), d.array(y))

    def test_streams(self):
        with onchip.Device("gtx480") as d:
            saxpy = d.load(SAXPY)["saxpy"]
            x, y = d.array(floats(range(64))), d.array(floats([1] * 64))
            one, other, begin, end = d.stream(), d.stream(), d.event(), d.event()
            begin.record(one)
            launch = saxpy(1, 64, 64, 2, x, y, stream=one)
            end.record(one)
            seconds = launch["seconds"]
            self.assertGreaterEqual(end.seconds(begin), seconds * 0.999)
            self.assertAlmostEqual(begin.seconds(end), -end.seconds(begin))
            self.assertGreater(one.time, other.time)
            # Behind a wait for the first stream, the second one's work begins no earlier than that one's end.
            one.synchronize()
            saxpy(1, 64, 64, 2, x, y, stream=other)
            self.assertGreaterEqual(other.time, one.time + seconds * 0.999)
            self.assertEqual(list(y.get(one)), [4 * i + 1 for i in range(64)])
            d.synchronize()
            with onchip.Device("gtx480") as second:
                self.fails("of another device", saxpy, 1, 64, 64, 2, x, y, stream=second.stream())
                self.fails("of another device", end.seconds, second.event())
            for _ in range(1000):  # they are given back
                d.stream(), d.event()
            x.free()
            self.assertLess(len(d._dead), 10)

    def test_textures(self):
        with onchip.Device("gtx480") as d:
            fetch = d.load(FETCH)["fetch"]
            texels, y = d.array(floats(range(32))), floats([0] * 40)
            texture = d.texture(texels, 32)
            fetch(1, 40, texture, y)
            # What is outside is clamped to the last texel.
            self.assertEqual(list(y), [min(i, 31) ** 2 for i in range(40)])
            fetch(1, 40, d.texture(texels, 32, address="border", border=(7, 0, 0, 0)), y)
            self.assertEqual(list(y)[30:34], [900, 961, 49, 49])
            self.fails("takes 132 bytes, and the array has 128", d.texture, texels, 33)
            self.fails("format: 'f31' is none of f32", d.texture, texels, 32, format="f31")
            self.fails("address: 'wrapped'", d.texture, texels, 32, address="wrapped")
            self.fails("an array of this device", d.texture, floats([0]), 1)
            self.fails("channels", d.texture, texels, 8, channels=3)
            self.assertGreater(d.surface(texels, 32).handle, 0)
            with onchip.Device("gtx480") as second:
                self.fails("of another device", second.load(FETCH)["fetch"], 1, 40, texture, y)

    def test_series(self):
        launch = self.launched(interval=100)
        cycles = list(launch.series["cycles"])
        self.assertGreaterEqual(len(cycles), 2)
        self.assertEqual(cycles, sorted(set(cycles)))
        self.assertTrue(all(len(v) == len(cycles) for v in launch.series.values()))
        self.assertLessEqual(launch.series["global.loads"][-1], launch["global.loads"])
        self.assertEqual(self.launched().series, {})

    def test_intervals(self):
        launch = self.launched()
        self.assertEqual(launch.interval("cycles"), (launch.cycles, launch.cycles))
        with onchip.Device("gtx480", sample=True) as d:
            saxpy = d.load(SAXPY)["saxpy"]
            x, y = d.array(floats(range(64))), d.array(floats([1] * 64))
            for _ in range(4):
                launch = saxpy(4000, 64, 64, 2, x, y)
        low, high = launch.interval("cycles")
        self.assertTrue(0 < low <= launch.cycles <= high)
        self.fails("no counter or rate 'cycle'", launch.interval, "cycle")

    def test_hints(self):
        """What is public says which types it takes and returns."""
        for name in onchip.__all__:
            thing = getattr(onchip, name)
            own = vars(thing).items() if isinstance(thing, type) else [(name, thing)]
            if isinstance(thing, type) and issubclass(thing, Exception):
                continue
            for method, function in own:
                function = getattr(function, "fget", function)
                if method.startswith("_") or not inspect.isfunction(function):
                    continue
                told = inspect.signature(function)
                self.assertIsNot(told.return_annotation, told.empty, f"{name}.{method}")
                for p in list(told.parameters.values())[isinstance(thing, type):]:
                    if p.kind is not p.VAR_KEYWORD:
                        self.assertIsNot(p.annotation, p.empty, f"{name}.{method}: {p.name}")

    @unittest.skipUnless(shutil.which("clang-16") or shutil.which("clang-14"), "no clang")
    def test_cuda(self):
        module = onchip.Module(cuda=CUDA, options=["-DTIMES=3", "--std=c++17"])
        p = array.array("i", range(40))
        launch = module["twice"](1, 64, p, 40)
        self.assertEqual(list(p), [3 * i for i in range(40)])
        self.assertIn("    if (i < n) p[i] *= TIMES;\n", launch.annotate())
        self.assertIn("load of p: 2", launch.annotate())
        self.assertIn("kernel.cu\n", launch.annotate())
        self.assertNotIn("/kernel.cu", launch.annotate())
        self.assertEqual(launch.structure("p")["stores"], 2)
        self.fails("(?s)^kernel.cu doesn't compile.*TIMES", onchip.Module, cuda=CUDA)
        self.fails("unknown option -zzz", onchip.Module, cuda=CUDA, options=["-zzz"])
        self.fails("a list of texts", onchip.Module, cuda=CUDA, options="-DTIMES=3")
        self.fails("of ptx or of cuda", onchip.Module)
        self.fails("PTX isn't compiled", onchip.Module, ptx=SAXPY, options=["-DTIMES=3"])
        with open("twice.cu", "w") as file:
            file.write(CUDA)
        with onchip.Device(gpu="h200") as d:
            d.load("twice.cu", options=["-D", "TIMES=5"])["twice"](1, 64, p, 40)
        self.assertEqual(list(p), [15 * i for i in range(40)])


if __name__ == "__main__":
    unittest.main()
