// ops_address.c: the addresses of a warp's access, and whether they are regular: within each eight lanes they step by
// what the first two differ by. Most accesses are such.
#include "exec/ops.h"

typedef uint64_t Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef uint32_t FourWords __attribute__((vector_size(16), aligned(4), may_alias));

static bool regular(const uint64_t *addr)
{
    const Four *v = (const Four *)addr;
    uint64_t stride = addr[1] - addr[0];
    Four low = {0, stride, 2 * stride, 3 * stride}, high = low + 4 * stride, wrong = {0};
    for (int k = 0; k < LANES / 4; k += 2) {
        uint64_t first = addr[4 * k];
        wrong |= (v[k] - first) ^ low;
        wrong |= (v[k + 1] - first) ^ high;
    }
    return !(wrong[0] | wrong[1] | wrong[2] | wrong[3]);
}

static bool addresses(const Lanes *l, const Dinst *d, uint64_t offset, uint64_t *addr)
{
    Four *out = (Four *)addr;
    if (d->flags & D_SRC_LONG) {
        const Four *a = row(l, d->a);
        for (int k = 0; k < LANES / 4; k++) out[k] = a[k] + offset;
    } else {
        const FourWords *a = row(l, d->a);
        for (int k = 0; k < LANES / 4; k++) out[k] = __builtin_convertvector(a[k] + (uint32_t)offset, Four);
    }
    return regular(addr);
}

AddressFn *OPS_NAME(pick_address)(void) { return addresses; }
