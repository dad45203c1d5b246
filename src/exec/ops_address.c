// ops_address.c: the addresses of a warp's access, and whether they are regular: within each eight lanes they step by
// what the first two differ by. Most accesses are such.
#include "exec/ops.h"

static bool regular(const uint64_t *addr)
{
    uint64_t step[8], stride = addr[1] - addr[0], wrong = 0;
    for (uint32_t n = 0; n < 8; n++) step[n] = n * stride;
    for (uint32_t g = 0; g < LANES; g += 8)
        for (uint32_t n = 0; n < 8; n++) wrong |= addr[g + n] - addr[g] - step[n];
    return !wrong;
}

static bool addresses(const Lanes *l, const Dinst *d, uint64_t offset, uint64_t *addr)
{
    if (d->flags & D_SRC_LONG) {
        const uint64_t *a = row(l, d->a);
        for (int n = 0; n < LANES; n++) addr[n] = a[n] + offset;
    } else {
        const uint32_t *a = row(l, d->a);
        for (int n = 0; n < LANES; n++) addr[n] = (uint32_t)(a[n] + (uint32_t)offset);
    }
    return regular(addr);
}

AddressFn *OPS_NAME(pick_address)(void) { return addresses; }
