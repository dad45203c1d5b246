// launch.c: what a launch gets: the rewritten kernel that looks up all lines, or, where no two pointers can lead to the
// same memory, the one that needn't; and how many lines a thread gets: CLN = ⌊(shared memory of an SM / threads of an
// SM) / line⌋ (§3.1), of what the application leaves free. Granularity, reserved bytes and the rewritten kernel's
// registers come in through the question that is asked: how many blocks does an SM have room for, when each takes so
// many bytes more? A simulated device, and a real one's driver in the library that is preloaded, decide by the same
// code.
#include "sl1/sl1.h"

#include <string.h>

enum { PADDED = 256 };  // bytes of which drivers make allocations

// An argument that was taken for a pointer may be an offset to one that was loaded, whatever the user says of pointers.
bool sl1_apart(const Sl1Kernel *k, const Sl1Options *o, const uint64_t *pointer, Sl1Range *range, void *user)
{
    uint64_t base[SL1_STRUCTURES], bytes;
    for (uint32_t i = 0; i < k->structures; i++) {
        if (!range(user, pointer[i], &base[i], &bytes)) return false;
        // Low halves of addresses tell its lines apart, and none lies near that of no line, 2^32 − 63.
        if ((base[i] & UINT32_MAX) + bytes > UINT32_MAX - 79) return false;
        // Lines counted from a pointer: aligned for their loads, and the last one ends where the allocation's padding
        // does at most.
        uint64_t last = (base[i] + bytes - pointer[i] + o->line - 1) / o->line * o->line;
        if (o->line == 24 && (pointer[i] % 16 || pointer[i] + last > (base[i] + bytes + PADDED - 1) / PADDED * PADDED))
            return false;
        // One begins 16 bytes below the pointer, since that is what 24 leaves of 2^32, and so on down: none before the
        // allocation.
        uint64_t below = pointer[i] - base[i];
        if (o->line == 24 && below && below % 24 != 16) return false;
        for (uint32_t j = 0; j < i && !o->apart; j++)
            if (base[j] == base[i]) return false;
    }
    return true;
}

static uint32_t padded(uint32_t bytes) { return (bytes + 15) & ~15u; }

Sl1Share sl1_share(const Sl1Kernel *k, const Sl1Options *o, bool apart, uint32_t threads, uint64_t grid_blocks,
                   uint32_t sms, uint32_t smem, uint32_t most, Sl1Fit *fit, void *user)
{
    Sl1Share s = {.region = padded(smem), .smem = smem, .left = SL1_NO_ROOM};
    uint32_t head = padded((threads + 31) / 32 * k->warp_bytes), line = (threads + 31) / 32 * 32 * o->line;
    // No more blocks than there are come to an SM.
    uint64_t each = (grid_blocks + sms - 1) / sms, resident = MIN(fit(user, false, smem), each);
    if (!resident || !line) return s;
    if (o->warps && 100 * resident < o->warps * MIN(fit(user, true, smem), each)) {
        s.left = "it would leave a multiprocessor too few warps";
        return s;
    }
    uint32_t aside = apart && o->line != 24 ? MIN(o->registers, k->structures) : 0;  // which need none
    uint32_t low = !aside,
             high = k->structures - aside + 1;  // fewer lines than high fit or may be; low is the least that is of use
    while (low < high) {
        uint32_t lines = (low + high) / 2;
        uint64_t bytes = (uint64_t)s.region + head + (uint64_t)lines * line;
        if (bytes <= most && fit(user, false, (uint32_t)bytes) >= resident)
            low = lines + 1;
        else
            high = lines;
    }
    if (low == !aside) return s;
    s.left = NULL, s.lines = low - 1, s.smem = s.region + head + s.lines * line;
    return s;
}

Sl1Choice sl1_launch(const Sl1Kernel *k, const Sl1Options *o, Sl1Args args, const Sl1Host *host)
{
    uint64_t pointer[SL1_STRUCTURES];
    for (uint32_t i = 0; i < k->structures; i++)
        memcpy(&pointer[i], args.each ? args.each[k->param[i]] : args.buffer + k->offset[i], sizeof pointer[i]);
    Sl1Choice c = {.apart = sl1_apart(k, o, pointer, host->range, host->user)};
    if (!c.apart && sl1_needs_apart(o)) {
        c.verdict = SL1_POINTERS;
        c.why = "its pointers may alias, or aren't aligned to 16 bytes, or have no room for whole lines of 24 bytes";
        return c;
    }
    Text name = {0};
    text_printf(&name, "%s%s", k->name, c.apart ? SL1_APART : SL1_ALIAS);
    bool found = host->kernel(host->user, c.apart, name.v);
    text_free(&name);
    if (!found) return c.verdict = SL1_NO_KERNEL, c.why = "its rewritten kernel is not found", c;
    c.share = host->share(host->user, c.apart);
    if (c.share.left) c.verdict = SL1_CROWDED, c.why = c.share.left;
    return c;
}

void sl1_args(const Sl1Kernel *k, const void *const *each, const Sl1Share *share, const void **all)
{
    if (k->params) memcpy(all, each, sizeof *all * k->params);
    all[k->params] = &share->region, all[k->params + 1] = &share->lines;
}
