// ops_address.c: the addresses of a warp's access, and whether they are regular: in runs of lanes they step by what the
// first two differ by. Most accesses are such, in the whole warp or in each row of a narrow block.
#include "exec/ops.h"

typedef uint64_t Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef uint32_t FourWords __attribute__((vector_size(16), aligned(4), may_alias));

static inline bool none(Four v) { return !(v[0] | v[1] | v[2] | v[3]); }

static bool eights(const uint64_t *addr)
{
    const Four *v = (const Four *)addr;
    uint64_t stride = addr[1] - addr[0];
    Four low = {0, stride, 2 * stride, 3 * stride}, high = low + 4 * stride, wrong = {0};
    for (int k = 0; k < LANES / 4; k += 2) {
        uint64_t first = addr[4 * k];
        wrong |= (v[k] - first) ^ low;
        wrong |= (v[k + 1] - first) ^ high;
    }
    return none(wrong);
}

static uint32_t runs(const uint64_t *addr)
{
    const Four *v = (const Four *)addr;
    const uint64_t stride = addr[1] - addr[0];
    const Four low = {0, stride, 2 * stride, 3 * stride};
    Four wrong = ((v[0] - addr[0]) ^ low) | ((v[4] - addr[16]) ^ low);
    for (int k = 1; k < 4; k++) wrong |= ((v[k] - v[k - 1]) ^ (4 * stride)) | ((v[k + 4] - v[k + 3]) ^ (4 * stride));
    if (none(wrong)) return addr[16] - addr[0] == 16 * stride ? 32 : 16;
    return eights(addr) ? 8 : 0;
}

static uint32_t addresses(const Lanes *l, const Dinst *d, uint64_t offset, uint64_t *addr)
{
    Four *out = (Four *)addr;
    if (d->flags & D_SRC_LONG) {
        const Four *a = row(l, d->a);
        for (int k = 0; k < LANES / 4; k++) out[k] = a[k] + offset;
    } else {
        const FourWords *a = row(l, d->a);
        for (int k = 0; k < LANES / 4; k++) out[k] = __builtin_convertvector(a[k] + (uint32_t)offset, Four);
    }
    return runs(addr);
}

AddressFn *OPS_NAME(pick_address)(void) { return addresses; }
