// machine.cu: device code in two files that share inline and template variables, a function's static array, a table of
// functions of both, and what a function keeps in a static array.
#include "check.cuh"
#include "machine.cuh"

static __device__ void push(Numbers &s, unsigned x) { note_use(PUSH), s.push(x); }
static __device__ void add(Numbers &s, unsigned)
{
    note_use(ADD);
    binary(s, [](unsigned a, unsigned b) { return a + b; });
}
static __device__ void multiply(Numbers &s, unsigned)
{
    note_use(MULTIPLY), atomicAdd(&uses<1>, 1);
    binary(s, [](unsigned a, unsigned b) { return a * b; });
}
static __device__ void swap(Numbers &s, unsigned)
{
    note_use(SWAP);
    const unsigned b = s.pop(), a = s.pop();
    s.push(b), s.push(a);
}

__global__ void set_up_first()
{
    instructions[PUSH] = push, instructions[ADD] = add;
    instructions[MULTIPLY] = multiply, instructions[SWAP] = swap;
}

__global__ void work(const unsigned *code, int n, unsigned *out)
{
    Numbers s;
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    s.n = 0;
    s.push(i);
    run(code + (threadIdx.x / 8 % 2 ? 2 * n : 0), n, s);
    unsigned all = 0;
    while (s.n) all = all * 31 + s.pop();
    out[i] = all;
}

// The same machine, written once more.
static unsigned on_host(const std::vector<unsigned> &code, int from, int n, unsigned x, std::vector<unsigned> &counts)
{
    std::vector<unsigned> s{x};
    for (int k = from; k < from + 2 * n; k += 2) {
        const unsigned arg = code[k + 1], top = s.back();
        counts[code[k]]++;
        switch (code[k]) {
        case PUSH: s.push_back(arg); break;
        case ADD: s.pop_back(), s.back() += top; break;
        case MULTIPLY: s.pop_back(), s.back() *= top; break;
        case SWAP: std::swap(s.back(), s[s.size() - 2]); break;
        case DUP: s.push_back(top); break;
        case ROTATE: s.back() = top << arg | top >> (32 - arg); break;
        case SHIFT: s.back() = (top >> arg) + 3; break;
        case COUNT: s.back() += (unsigned)s.size(); break;
        default: break;
        }
    }
    unsigned all = 0;
    for (size_t k = s.size(); k-- > 0;) all = all * 31 + s[k];
    return all;
}

int main(int argc, char **argv)
{
    const int threads = size_of(argc, argv, 512), n = 24;
    std::vector<unsigned> code, counts(CODES);
    for (int program = 0; program < 2; program++) {
        int depth = 1;
        for (int k = 0; k < n; k++) {
            unsigned op = random_bits() % CODES;
            if (depth < 2 && (op == ADD || op == MULTIPLY || op == SWAP)) op = DUP;
            if (depth > 12 && (op == PUSH || op == DUP)) op = ADD;
            depth += op == PUSH || op == DUP ? 1 : op == ADD || op == MULTIPLY ? -1 : 0;
            code.push_back(op), code.push_back(1 + random_bits() % 12);
        }
    }
    Array<unsigned> program(code), out(threads), told(CODES + 4);
    set_up_first<<<1, 1>>>();
    set_up_second<<<1, 1>>>();
    work<<<threads / 32, 32>>>(program, n, out);
    ask<<<1, 1>>>(told);
    MUST(cudaGetLastError());
    const std::vector<unsigned> got = out.get(), t = told.get();
    unsigned sum = 0, total;
    for (int i = 0; i < threads; i++)
        CHECK(got[i] == on_host(code, i % 32 / 8 % 2 ? 2 * n : 0, n, (unsigned)i, counts));
    for (int k = 0; k < CODES; k++) CHECK(t[k] == counts[k]), sum += counts[k];
    MUST(cudaMemcpyFromSymbol(&total, executed, sizeof total));
    CHECK(total == sum && t[CODES] == sum);
    CHECK(t[CODES + 1] == 100 + counts[MULTIPLY] && t[CODES + 2] == 200 + counts[DUP]);
    MUST(cudaMemcpyFromSymbol(&total, uses<1>, sizeof total));
    CHECK(total == 100 + counts[MULTIPLY]);
    CHECK(t[CODES + 3] == 3);
    return verdict();
}
