// one: all threads add to one counter.
extern "C" __global__ void atomic_one(unsigned *__restrict__ c, int m)
{
    for (int k = 0; k < m; k++) atomicAdd(c, 1);
}
