// Headers that sources include out of habit, and those that hold little: complex numbers, names of types, a profiler's
// ranges.
#include <common_functions.h>
#include <cuComplex.h>
#include <cuda.h>
#include <cuda_device_runtime_api.h>
#include <cuda_occupancy.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <crt/device_functions.h>
#include <crt/host_config.h>
#include <crt/host_defines.h>
#include <crt/math_functions.h>
#include <crt/mma.h>
#include <cuda_surface_types.h>
#include <cuda_texture_types.h>
#include <device_atomic_functions.h>
#include <curand.h>
#include <device_double_functions.h>
#include <device_functions.h>
#include <device_launch_parameters.h>
#include <driver_functions.h>
#include <driver_types.h>
#include <host_config.h>
#include <host_defines.h>
#include <library_types.h>
#include <math_constants.h>
#include <math_functions.h>
#include <nvToolsExt.h>
#include <nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExt.h>
#include <sm_20_atomic_functions.h>
#include <sm_20_intrinsics.h>
#include <sm_30_intrinsics.h>
#include <sm_32_atomic_functions.h>
#include <sm_32_intrinsics.h>
#include <sm_35_atomic_functions.h>
#include <sm_35_intrinsics.h>
#include <sm_60_atomic_functions.h>
#include <sm_61_intrinsics.h>
#include <surface_functions.h>
#include <surface_types.h>
#include <texture_fetch_functions.h>
#include <texture_types.h>
#include <vector_functions.h>
#include <vector_types.h>

#include "../../programs/check.cuh"

#include <complex>

static __host__ __device__ void work(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex *o)
{
    const cuComplex x = cuComplexDoubleToFloat(a), y = make_cuComplex((float)b.x, (float)b.y);
    o[0] = cuCadd(a, b), o[1] = cuCsub(a, b), o[2] = cuCmul(a, b), o[3] = cuCdiv(a, b), o[4] = cuCfma(a, b, cuConj(a));
    o[5] = make_cuDoubleComplex(cuCabs(a), cuCabsf(x));
    o[6] = cuComplexFloatToDouble(cuCmulf(x, y)), o[7] = cuComplexFloatToDouble(cuCdivf(x, y));
    o[8] = make_cuDoubleComplex(cuCreal(a) + cuCrealf(y), cuCimag(a) + cuCimagf(y));
}
__global__ void on_device(const cuDoubleComplex *a, cuDoubleComplex *o)
{
    work(a[threadIdx.x], a[threadIdx.x + 1], o + 9 * threadIdx.x);
}

typedef std::complex<double> C;
static void check_work(C a, C b, const cuDoubleComplex *o)
{
    const C want[] = {a + b, a - b, a * b, a / b, a * b + conj(a), C(abs(a), abs(a)), a * b, a / b, a + b};
    for (int k = 0; k < 9; k++) {
        const double room = (k > 4 ? 1e-6 : 1e-15) * (1 + abs(want[k]));
        CHECK(abs(C(o[k].x, o[k].y) - want[k]) <= room);
    }
}

int main()
{
    enum { N = 16 };
    cuDoubleComplex *a = shared_array<cuDoubleComplex>(N + 1), *o = shared_array<cuDoubleComplex>(9 * N), host[9];
    for (int k = 0; k <= N; k++) a[k] = make_cuDoubleComplex(k * k - 20.5, 7 - 2 * k);
    nvtxRangePush("work");
    MUST(cudaProfilerStart());
    on_device<<<1, N>>>(a, o);
    MUST(cudaDeviceSynchronize());
    MUST(cudaProfilerStop());
    nvtxRangePop();
    for (int k = 0; k < N; k++) {
        work(a[k], a[k + 1], host);
        check_work(C(a[k].x, a[k].y), C(a[k + 1].x, a[k + 1].y), host);
        check_work(C(a[k].x, a[k].y), C(a[k + 1].x, a[k + 1].y), o + 9 * k);
    }
    // A quotient that fits though its divisor's square doesn't.
    work(make_cuDoubleComplex(1e200, 1e200), make_cuDoubleComplex(1e200, -1e200), host);
    CHECK(host[3].x == 0 && host[3].y == 1);
    CHECK(CUDA_R_16BF == 14 && sizeof(cudaDataType) == 4);
    return verdict();
}
