"""The module with numpy and pandas: arrays go in and come out, results are frames. Values are numpy's own."""
import unittest

import numpy as np
import onchip
from kernels import SAXPY


class Packages(unittest.TestCase):
    def test_arrays(self):
        rng = np.random.default_rng(1)
        x, y = rng.random(1000, dtype=np.float32), rng.random(1000, dtype=np.float32)
        want = (np.float64(2) * x + y).astype(np.float32)  # an fma rounds once
        with onchip.Device() as d:
            d.load(SAXPY)["saxpy"](1, 1000, np.int32(1000), 2, x, y)
            frame = d.frame()
        np.testing.assert_array_equal(y, want)
        self.assertEqual((len(frame), frame["kernel"][0], frame["blocks"][0]), (1, "saxpy", 1))

    def test_read_only(self):
        x = np.ones(32, dtype=np.float32)
        x.setflags(write=False)
        y = np.zeros(32, dtype=np.float32)
        with onchip.Device(functional=True) as d:
            d.load(SAXPY)["saxpy"](1, 32, 32, 3, x, y)
        self.assertEqual(y.tolist(), [3] * 32)

    def test_sweep(self):
        frame = onchip.sweep({"program": ["vectoradd n=64", "vectoradd n=128"], "sched": ["lrr", "gto"]}, db="x.db")
        self.assertEqual(len(frame), 4)
        self.assertTrue((frame["cycles"] > 0).all())


if __name__ == "__main__":
    unittest.main()
