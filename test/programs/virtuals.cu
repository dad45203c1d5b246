// Virtual functions: objects that the device makes, called through their base by threads that diverge, also in later
// kernels; and objects in shared memory.
#include "check.cuh"

#include <new>

class Shape
{
  public:
    __device__ virtual ~Shape() {}
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
};
class Square : public Shape
{
  protected:
    float side;

  public:
    __device__ explicit Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
    __device__ int corners() const override { return 4; }
};
class Triangle : public Square
{
  public:
    __device__ explicit Triangle(float s) : Square(s) {}
    __device__ float area() const override { return Square::area() / 2; }
    __device__ int corners() const override { return 3; }
};
class Circle : public Shape
{
    double r;

  public:
    __device__ explicit Circle(double r) : r(r) {}
    __device__ float area() const override { return 3 * r * r; }
};

__global__ void make(Shape **all, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) all[i] = i % 3 == 0 ? (Shape *)new Square(i) : i % 3 == 1 ? (Shape *)new Triangle(i) : new Circle(i);
}

__global__ void measure(Shape **all, float *area, int *corners, int n)
{
    __shared__ alignas(16) char room[sizeof(Square)];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Shape *s = (Shape *)room;
    if (!threadIdx.x) new (room) Square(0.5f);
    __syncthreads();
    if (i >= n) return;
    area[i] = all[i]->area() + s->area(), corners[i] = all[i]->corners() * s->corners();
    delete all[i];
}

int main()
{
    enum { N = 150 };
    Shape **all;
    float *area = shared_array<float>(N);
    int *corners = shared_array<int>(N);
    MUST(cudaMalloc(&all, N * sizeof *all));
    make<<<3, 64>>>(all, N);
    measure<<<3, 64>>>(all, area, corners, N);
    MUST(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) {
        float right = i % 3 == 0 ? i * i : i % 3 == 1 ? i * i / 2.0f : 3.0f * i * i;
        CHECK(area[i] == right + 0.25f);
        CHECK(corners[i] == (i % 3 == 0 ? 16 : i % 3 == 1 ? 12 : 0));
    }
    return verdict();
}
