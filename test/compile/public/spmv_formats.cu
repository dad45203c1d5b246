// Sparse matrix by vector: CSR with a thread or a warp a row, ELLPACK by columns, COO with atomics of double.
#include <cfloat>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define FULL_MASK 0xffffffff
template <typename IndexType, typename ValueType> struct csr_matrix {
    IndexType rows, cols, *Ap, *Aj;
    ValueType *Ax;
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#else
__device__ double atomicAdd(double *address, double val)
{
    unsigned long long int *address_as_ull = (unsigned long long int *)address;
    unsigned long long int old = *address_as_ull, assumed;
    do {
        assumed = old;
        old = atomicCAS(address_as_ull, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
#endif
__device__ double atomicAddByCas(double *address, double val)
{
    unsigned long long int *address_as_ull = (unsigned long long int *)address;
    unsigned long long int old = *address_as_ull, assumed;
    do {
        assumed = old;
        old = atomicCAS(address_as_ull, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

template <class I, class V> __global__ void spmv_csr_scalar(csr_matrix<I, V> A, const V *x, V *y)
{
    const I row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row >= A.rows) return;
    V sum = 0;
    for (I jj = A.Ap[row]; jj < A.Ap[row + 1]; jj++) sum += A.Ax[jj] * x[A.Aj[jj]];
    y[row] = sum;
}
template <class I, class V> __global__ void spmv_csr_vector(csr_matrix<I, V> A, const V *x, V *y)
{
    const I thread = blockDim.x * blockIdx.x + threadIdx.x, lane = thread & 31, row = thread / 32;
    if (row >= A.rows) return;
    V sum = 0;
    for (I jj = A.Ap[row] + lane; jj < A.Ap[row + 1]; jj += 32) sum += __ldg(&A.Ax[jj]) * __ldg(&x[__ldg(&A.Aj[jj])]);
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(FULL_MASK, sum, d);
    if (lane == 0) y[row] = sum;
}
template <class V> __global__ void spmv_ell(int rows, int width, const int *col, const V *val, const V *x, V *y)
{
    const int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row >= rows) return;
    V sum = 0;
    for (int n = 0; n < width; n++) {
        const int c = col[n * rows + row];
        if (c >= 0) sum += val[n * rows + row] * x[c];
    }
    y[row] = sum;
}
template <class V, bool CAS>
__global__ void spmv_coo(int nnz, const int *row, const int *col, const V *val, const V *x, V *y)
{
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < nnz; k += gridDim.x * blockDim.x)
        if (CAS)
            atomicAddByCas(y + row[k], val[k] * x[col[k]]);
        else
            atomicAdd(y + row[k], val[k] * x[col[k]]);
}

template <class T> static T *to_device(const std::vector<T> &v)
{
    T *p = NULL;
    if (cudaMalloc((void **)&p, v.size() * sizeof(T)) != cudaSuccess) exit(EXIT_FAILURE);
    cudaMemcpy(p, &v[0], v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

int main()
{
    const int n = 300, width = 40;
    std::vector<int> ptr(1, 0), col, row, ell_col(n * width, -1);
    std::vector<double> val, ell_val(n * width), x(n), want(n), got(n);
    for (int i = 0; i < n; i++) x[i] = 1 + i % 7;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i % width; k++) {
            const int c = (i * 31 + k * 7) % n;
            const double v = (i + k) % 5 - 2;
            ell_col[k * n + i] = c, ell_val[k * n + i] = v;
            row.push_back(i), col.push_back(c), val.push_back(v);
            want[i] += v * x[c];
        }
        ptr.push_back((int)col.size());
    }
    const int nnz = (int)val.size();
    csr_matrix<int, double> A = {n, n, to_device(ptr), to_device(col), to_device(val)};
    double *dx = to_device(x), *dy = to_device(got), *ev = to_device(ell_val);
    int *ec = to_device(ell_col), *dr = to_device(row), bad = 0;
    const char *names[] = {"csr scalar", "csr vector", "ell", "coo", "coo with compare-and-swap"};
    for (int k = 0; k < 5; k++) {
        cudaMemset(dy, 0, n * sizeof(double));
        if (k == 0) spmv_csr_scalar<int, double><<<(n + 127) / 128, 128>>>(A, dx, dy);
        if (k == 1) spmv_csr_vector<<<(n * 32 + 127) / 128, 128>>>(A, dx, dy);
        if (k == 2) spmv_ell<<<(n + 127) / 128, 128>>>(n, width, ec, ev, dx, dy);
        if (k == 3) spmv_coo<double, false><<<4, 128>>>(nnz, dr, A.Aj, A.Ax, dx, dy);
        if (k == 4) spmv_coo<double, true><<<4, 128>>>(nnz, dr, A.Aj, A.Ax, dx, dy);
        cudaMemcpy(&got[0], dy, n * sizeof(double), cudaMemcpyDeviceToHost);
        int wrong = 0;
        for (int i = 0; i < n; i++) wrong += got[i] != want[i];  // whole numbers: exact in any order
        printf("%-30s %d wrong rows\n", names[k], wrong), bad += wrong;
    }
    printf("%s\n", bad || cudaGetLastError() ? "FAILED" : "PASSED");
    return bad;
}
