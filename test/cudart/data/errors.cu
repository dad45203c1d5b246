// The names and texts of all errors. They need no GPU, so that CUDA's own libcudart says what must come out.
#include <cstdio>

int main()
{
    for (int k = 0; k < 1200; k++) {
        cudaError_t error = static_cast<cudaError_t>(k);
        std::printf("%d %s: %s\n", k, cudaGetErrorName(error), cudaGetErrorString(error));
    }
}
