// solids.cuh: what the files of solids.cu share: solids that rays are shot at, made in one file and asked in another.
#ifndef SOLIDS_CUH
#define SOLIDS_CUH

struct Ray {
    int x, y;  // it flies along z, from below
};

class Solid
{
  public:
    __device__ Solid(int weight) : weight(weight) {}
    __device__ virtual ~Solid();
    __device__ virtual int height(const Ray &r) const = 0;  // how much of the ray is inside
    __device__ virtual const char *name() const;
    int weight;
};

typedef int (*Combine)(int, int);
enum { SUM, LARGEST, MIXED, COMBINES };
extern __device__ Combine combines[COMBINES];  // its first values are the addresses of functions of both files
__device__ int sum(int a, int b);
__device__ int largest(int a, int b);

extern __shared__ int room[];  // one for all files
__device__ int block_combine(int x, Combine f);
__device__ Solid *make(int kind, int a, int b);

// Each file has its own.
namespace
{
__device__ int made;
}
// One for all files, whoever makes it.
template <class T> inline __device__ int counts = 10;

#endif
