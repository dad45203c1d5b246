// Virtual functions of objects made on the device with new, a list of them, and placement new in shared memory.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <new>

class Shape
{
  public:
    __device__ explicit Shape(int id) : id_(id), next_(nullptr) {}
    __device__ virtual ~Shape() { atomicAdd(&destroyed, 1); }
    __device__ virtual float area() const = 0;
    __device__ virtual const char *name() const { return "shape"; }
    __device__ Shape *next() const { return next_; }
    __device__ void link(Shape *n) { next_ = n; }
    static __device__ int destroyed;

  protected:
    int id_;

  private:
    Shape *next_;
};
__device__ int Shape::destroyed = 0;

class Circle final : public Shape
{
    float r_;

  public:
    __device__ Circle(int id, float r) : Shape(id), r_(r) {}
    __device__ float area() const override { return 3.14159265f * r_ * r_; }
    __device__ const char *name() const override { return "circle"; }
};
struct Rect : Shape {
    float w, h;
    __device__ Rect(int id, float w, float h) : Shape(id), w(w), h(h) {}
    __device__ float area() const override { return w * h; }
};
struct Square : public Rect {
    __device__ Square(int id, float a) : Rect(id, a, a) {}
    __device__ const char *name() const override { return "square"; }
};

__global__ void build(Shape **heads, int per)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    Shape *head = nullptr;
    for (int i = 0; i < per; ++i) {
        Shape *s;
        switch ((t + i) % 3) {
        case 0: s = new Circle(i, 1.0f + i); break;
        case 1: s = new Rect(i, 2.0f, t + 1.0f); break;
        default: s = new Square(i, 0.5f * t); break;
        }
        assert(s != nullptr && "out of heap");
        s->link(head);
        head = s;
    }
    heads[t] = head;
}
__global__ void sum(Shape *const *heads, float *out)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) char room[32][sizeof(Circle)];
    Circle *mine = new (room[threadIdx.x]) Circle(-1, 2.0f);
    float total = mine->area();
    mine->~Circle();
    for (const Shape *s = heads[t]; s; s = s->next()) total += s->area();
    out[t] = total;
    if (t == 1) printf("first of thread 1 is a %s, area %.2f\n", heads[t]->name(), heads[t]->area());
}
__global__ void destroy(Shape **heads)
{
    for (Shape *s = heads[blockIdx.x * blockDim.x + threadIdx.x]; s;) {
        Shape *n = s->next();
        delete s;
        s = n;
    }
}

int main(void)
{
    const int blocks = 4, threads = 32, n = blocks * threads, per = 6;
    size_t heap;
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20);
    cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
    printf("heap of %zu MB, objects of %zu, %zu bytes\n", heap >> 20, sizeof(Circle), sizeof(Square));
    Shape **heads;
    float *out, host[n];
    cudaMalloc((void **)&heads, n * sizeof *heads);
    cudaMalloc((void **)&out, n * sizeof *out);
    build<<<blocks, threads>>>(heads, per);
    sum<<<blocks, threads>>>(heads, out);
    destroy<<<blocks, threads>>>(heads);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    int destroyed = 0, bad = 0;
    cudaMemcpyFromSymbol(&destroyed, Shape::destroyed, sizeof destroyed);
    for (int t = 0; t < n; ++t) {
        double want = 4 * M_PI;
        for (int i = 0; i < per; ++i)
            want += (t + i) % 3 == 0 ? M_PI * (1 + i) * (1 + i) : (t + i) % 3 == 1 ? 2 * (t + 1) : 0.25 * t * t;
        if (fabs(host[t] - want) > 1e-4 * want) ++bad;
    }
    if (destroyed != n * (per + 1)) ++bad;
    cudaFree(heads);
    cudaFree(out);
    printf("%d objects destroyed, %d errors, last error: %s\n", destroyed, bad, cudaGetErrorString(cudaGetLastError()));
    puts(bad ? "FAILED" : "PASSED");
    return bad;
}
