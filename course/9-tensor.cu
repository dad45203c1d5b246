// Lesson 9, a product by tensor cores: a warp multiplies tiles of 16 x 16 numbers of 16 bits with one instruction.
// Run it: sums of so many numbers don't fit 16 bits. Let the sums be floats, and see what that costs.
#include <cstdio>
#include <mma.h>
using namespace nvcuda;
typedef half Sum;

__global__ void product(const half *a, const half *b, Sum *c, int n) {  // a by rows, b by columns
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sum;
    wmma::fill_fragment(sum, Sum(0));
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(x, a + row * n + k, n);
        wmma::load_matrix_sync(y, b + column * n + k, n);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

int main() {
    const int n = 512;
    half *a, *b;
    Sum *c;
    cudaMallocManaged(&a, n * n * sizeof *a);
    cudaMallocManaged(&b, n * n * sizeof *b);
    cudaMallocManaged(&c, n * n * sizeof *c);
    for (int i = 0; i < n * n; i++) a[i] = __float2half(4.5f), b[i] = __float2half(1 + i % 2 / 1024.0f);
    product<<<dim3(n / 16, n / 16), 32>>>(a, b, c, n);
    cudaDeviceSynchronize();
    printf("an element is %.3f, and should be %.3f\n", float(c[0]), n / 2 * 4.5 * (2 + 1 / 1024.0));
}
