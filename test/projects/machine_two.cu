// The second file of machine.cu.
#include "machine.cuh"

static __device__ void push(Numbers &s, unsigned) { note_use(DUP), atomicAdd(&uses<2>, 1), s.push(s.items[s.n - 1]); }
static __device__ void rotate(Numbers &s, unsigned by)
{
    note_use(ROTATE);
    const unsigned x = s.pop();
    s.push(__funnelshift_l(x, x, by));
}
static __device__ void shift(Numbers &s, unsigned by)
{
    note_use(SHIFT);
    s.push((s.pop() >> by) + seed<unsigned>);
}
static __device__ void count(Numbers &s, unsigned)
{
    note_use(COUNT);
    s.items[s.n - 1] += (unsigned)s.n;
}

__global__ void set_up_second()
{
    instructions[DUP] = push, instructions[ROTATE] = rotate;
    instructions[SHIFT] = shift, instructions[COUNT] = count;
}

__device__ void run(const unsigned *code, int n, Numbers &s)
{
    for (int k = 0; k < n; k++) instructions[code[2 * k]](s, code[2 * k + 1]);
}

__global__ void ask(unsigned *out)
{
    out[CODES] = executed;
    for (int k = 0; k < CODES; k++) out[k] = note_use(k);
    executed -= CODES;
    out[CODES + 1] = uses<1>;
    out[CODES + 2] = uses<2>;
    out[CODES + 3] = seed<unsigned>;
}
