// pcr: many tridiagonal systems of n equations, solved by parallel cyclic reduction. Zhang, Cohen, Owens, "Fast
// Tridiagonal Solvers on the GPU", PPoPP 2010: a block has a system, a thread an equation. Equation i says that
// a x[i - step] + b x[i] + c x[i + step] = d, at first with a step of 1. A round removes the two outer unknowns with
// the help of the equations i - step and i + step, which brings in those twice as far away. The last round leaves pairs
// of equations with two unknowns. The system and its solution are in shared memory, as five arrays.
#include "cuda.h"

// Element i of system s is at i * stride + s * pitch of each array.
extern "C" __global__ void pcr(int n, int stride, int pitch, const float *lower, const float *middle,
                               const float *upper, const float *right, float *solution) {
    extern __shared__ float shared[];
    float *a = shared, *b = a + n, *c = b + n, *d = c + n, *x = d + n;
    const int i = threadIdx.x, at = i * stride + blockIdx.x * pitch;
    a[i] = lower[at];
    b[i] = middle[at];
    c[i] = upper[at];
    d[i] = right[at];
    __syncthreads();

    int step = 1;
    for (; 2 * step < n; step *= 2) {
        // Beyond the ends there is no equation: a or c is 0 there, so that any other does.
        const int before = max(i - step, 0), after = min(i + step, n - 1);
        const float p = a[i] / b[before], q = c[i] / b[after];
        const float new_a = -a[before] * p, new_c = -c[after] * q;
        const float new_b = b[i] - c[before] * p - a[after] * q;
        const float new_d = d[i] - d[before] * p - d[after] * q;
        __syncthreads();
        a[i] = new_a;
        b[i] = new_b;
        c[i] = new_c;
        d[i] = new_d;
        __syncthreads();
    }

    const int j = i + step;
    if (i < step && j < n) {
        const float determinant = b[i] * b[j] - c[i] * a[j];
        x[i] = (d[i] * b[j] - c[i] * d[j]) / determinant;
        x[j] = (b[i] * d[j] - d[i] * a[j]) / determinant;
    } else if (i < step) {
        x[i] = d[i] / b[i];  // its partner would be beyond the end
    }
    __syncthreads();
    solution[at] = x[i];
}
