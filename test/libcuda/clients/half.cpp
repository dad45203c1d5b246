// half.cpp: a picture of half the size by Halide's compiler, from C++, on the GPU and on the CPU.
#include <Halide.h>
#include <cstdio>

int main()
{
    using namespace Halide;
    Buffer<float> in(64, 32);
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 64; x++) in(x, y) = float(x * 3 + y * y);
    auto half = [&](const char *name) {
        Var x("x"), y("y");
        Func f(name);
        f(x, y) = (in(2 * x, 2 * y) + in(2 * x + 1, 2 * y) + in(2 * x, 2 * y + 1) + in(2 * x + 1, 2 * y + 1)) / 4;
        return f;
    };
    Func gpu = half("gpu_half");
    Var xi, yi;
    gpu.gpu_tile(gpu.args()[0], gpu.args()[1], xi, yi, 8, 8);
    Buffer<float> a = gpu.realize({32, 16}, get_jit_target_from_environment().with_feature(Target::CUDA));
    a.copy_to_host();
    Buffer<float> b = half("cpu_half").realize({32, 16});
    int wrong = 0;
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 32; x++) wrong += a(x, y) != b(x, y);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
