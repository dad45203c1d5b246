"""blur.py: a blur by Halide's compiler, on the GPU and on the CPU."""
import halide as hl
import numpy as np

x, y, xi, yi = hl.Var('x'), hl.Var('y'), hl.Var('xi'), hl.Var('yi')
picture = hl.Buffer((np.arange(64 * 64, dtype=np.float32) ** 1.5).reshape(64, 64))
clamped = hl.BoundaryConditions.repeat_edge(picture)


def blur(name):
    f = hl.Func(name)
    f[x, y] = (clamped[x - 1, y] + clamped[x, y] + clamped[x + 1, y]) / 3.0
    return f


gpu = blur('blur')
gpu.gpu_tile(x, y, xi, yi, 16, 16)
target = hl.get_jit_target_from_environment().with_feature(hl.TargetFeature.CUDA)
same = np.array_equal(np.array(gpu.realize([64, 64], target)), np.array(blur('cpu').realize([64, 64])))
print('same' if same else 'different')
