// machine.cuh: what the two files of machine.cu share: a small machine with a stack, whose instructions are functions
// in a table that both files fill.
#ifndef MACHINE_CUH
#define MACHINE_CUH

template <class T> struct Stack {
    T items[16];
    int n;
    __host__ __device__ void push(T x) { items[n++] = x; }
    __host__ __device__ T pop() { return items[--n]; }
};
typedef Stack<unsigned> Numbers;
typedef void (*Instruction)(Numbers &, unsigned);
enum Code { PUSH, ADD, MULTIPLY, SWAP, DUP, ROTATE, SHIFT, COUNT, CODES };

// One object each for both files: what either does to them, the other sees.
inline __device__ Instruction instructions[CODES];
inline __device__ unsigned executed;
template <int K> inline __device__ unsigned uses = 100 * K;
template <class T> inline __constant__ T seed = T(3);

// One in each file's code, and the linker keeps one.
template <class T, class F> __host__ __device__ inline void binary(Stack<T> &s, F f)
{
    const T b = s.pop(), a = s.pop();
    s.push(f(a, b));
}
__device__ inline unsigned note_use(int k)
{
    static unsigned notes[CODES];  // one for all files
    atomicAdd(&executed, 1);
    return atomicAdd(&notes[k], 1);
}

__global__ void set_up_first();
__global__ void set_up_second();
__global__ void ask(unsigned *out);
__device__ void run(const unsigned *code, int n, Numbers &s);

#endif
