// Each thread sorts its own rows: quicksort with a stack of its own, recursively, heap and insertion sort, chosen by a
// table of pointers to device functions; the deepest stack is printed from the device.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LEVELS 64
#define ROWS 96
#define LEN 50
#ifndef MIN
#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#endif

typedef int (*sorter)(int *, int);
typedef bool (*less_t)(int, int);

__device__ int deepest;
__device__ bool ascending(int a, int b) { return a < b; }
__device__ less_t d_less = ascending;

static __device__ __noinline__ int quick_stack(int *arr, int elements)
{
    int beg[MAX_LEVELS], end[MAX_LEVELS], i = 0, L, R, pivot, most = 0;
    beg[0] = 0, end[0] = elements;
    while (i >= 0) {
        L = beg[i], R = end[i] - 1;
        if (L < R) {
            pivot = arr[L];
            if (i == MAX_LEVELS - 1) return -1;
            while (L < R) {
                while (arr[R] >= pivot && L < R) R--;
                if (L < R) arr[L++] = arr[R];
                while (arr[L] <= pivot && L < R) L++;
                if (L < R) arr[R--] = arr[L];
            }
            arr[L] = pivot;
            beg[i + 1] = L + 1, end[i + 1] = end[i], end[i++] = L;
            if (i > most) most = i;
            if (end[i] - beg[i] > end[i - 1] - beg[i - 1]) {
                int swap = beg[i];
                beg[i] = beg[i - 1], beg[i - 1] = swap;
                swap = end[i], end[i] = end[i - 1], end[i - 1] = swap;
            }
        } else
            i--;
    }
    return most;
}
__device__ int quick_recursive(int *a, int n)
{
    if (n < 2) return 0;
    const int pivot = a[n / 2];
    int i = 0, j = n - 1;
    for (;; i++, j--) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i >= j) break;
        int t = a[i];
        a[i] = a[j], a[j] = t;
    }
    int left = quick_recursive(a, i), right = quick_recursive(a + i, n - i);
    return 1 + (left > right ? left : right);
}
__device__ int insertion(int *a, int n)
{
    less_t less = d_less;
    for (int i = 1; i < n; i++) {
        int v = a[i], j = i;
        for (; j > 0 && less(v, a[j - 1]); --j) a[j] = a[j - 1];
        a[j] = v;
    }
    return 0;
}
__device__ int heap(int *a, int n)
{
    int *copy = (int *)malloc(n * sizeof(int));
    if (copy == NULL) return -2;
    memcpy(copy, a, n * sizeof(int));
    for (int size = 0; size < n; size++)
        for (int at = size; at && copy[at] < copy[(at - 1) / 2]; at = (at - 1) / 2) {
            int t = copy[at];
            copy[at] = copy[(at - 1) / 2], copy[(at - 1) / 2] = t;
        }
    for (int k = 0, size = n; k < n; k++) {
        a[k] = copy[0];
        copy[0] = copy[--size];
        for (int at = 0, child; (child = 2 * at + 1) < size; at = child) {
            if (child + 1 < size && copy[child + 1] < copy[child]) child++;
            if (copy[at] <= copy[child]) break;
            int t = copy[at];
            copy[at] = copy[child], copy[child] = t;
        }
    }
    free(copy);
    return 0;
}
__device__ sorter sorters[] = {quick_stack, quick_recursive, insertion, heap};

__global__ void sort_rows(int *data, int *status, int which)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= ROWS) return;
    const int use = which < 0 ? row % 4 : which;
    status[row] = sorters[use](data + row * LEN, LEN);
    atomicMax(&deepest, status[row]);
    __syncthreads();
    if (row == 0) printf("method %2d: %d levels at most in block %d\n", which, *(volatile int *)&deepest, blockIdx.x);
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(int argc, char **argv)
{
    int *h = (int *)malloc(ROWS * LEN * sizeof(int)), *want = (int *)malloc(ROWS * LEN * sizeof(int)), *d, *d_status;
    int *got = (int *)malloc(ROWS * LEN * sizeof(int)), status[ROWS], wrong = 0;
    for (int i = 0; i < ROWS * LEN; i++) h[i] = rand() % (1 + i / LEN * 10);
    memcpy(want, h, ROWS * LEN * sizeof(int));
    for (int r = 0; r < ROWS; r++) qsort(want + r * LEN, LEN, sizeof(int), compare);
    cudaMalloc((void **)&d, ROWS * LEN * sizeof(int));
    cudaMalloc((void **)&d_status, sizeof(status));
    cudaDeviceSetLimit(cudaLimitStackSize, 8192);
    for (int which = -1; which < 4; which++) {
        cudaMemcpy(d, h, ROWS * LEN * sizeof(int), cudaMemcpyHostToDevice);
        sort_rows<<<(ROWS + 31) / 32, 32>>>(d, d_status, which);
        cudaMemcpy(got, d, ROWS * LEN * sizeof(int), cudaMemcpyDeviceToHost);
        cudaMemcpy(status, d_status, sizeof(status), cudaMemcpyDeviceToHost);
        wrong += memcmp(got, want, ROWS * LEN * sizeof(int)) != 0;
        for (int r = 0; r < ROWS; r++) wrong += status[r] < 0;
    }
    if (cudaPeekAtLastError() != cudaSuccess) wrong++, printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    printf("%d wrong\n%s\n", wrong, wrong ? "FAILED" : "PASSED");
    return wrong;
}
