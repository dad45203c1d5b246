// launch.c: which rewritten kernel a launch gets, and how many lines a thread gets. Where no two pointers can lead to
// the same memory, it is the kernel whose accesses look at their own line alone; elsewhere it is the one that looks up
// all lines. The number of lines is CLN = ⌊(shared memory of an SM / threads of an SM) / line⌋ (§3.1), of the shared
// memory that the application leaves free. It is found by asking how many blocks an SM has room for if each takes so
// many bytes more; the answer accounts for the granularity of allocation, reserved bytes, and the rewritten kernel's
// registers. The same code decides for a simulated device and, in the preloaded library, for a real one's driver.
#include "sl1/unit.h"

#include <string.h>

enum { PADDED = 256 };  // drivers pad allocations to multiples of this

// Whatever the user promises of pointers: an argument that was taken for a pointer may be an offset to a pointer that
// the kernel loads, and leads to no allocation itself.
bool sl1_apart(const Sl1Kernel *k, const Sl1Options *o, const uint64_t *pointer, Sl1Range *range, void *user)
{
    uint64_t base[SL1_STRUCTURES], bytes;
    for (uint32_t i = 0; i < k->structures; i++) {
        if (!range(user, pointer[i], &base[i], &bytes)) return false;
        // The low halves of addresses must tell the structure's lines apart, and none may be near 2^32 − 63, which
        // stands for no line.
        if ((base[i] & UINT32_MAX) + bytes > UINT32_MAX - 79) return false;
        // Lines of 24 bytes begin at the pointer. It must be aligned for their loads, and the last line must end within
        // the allocation's padding.
        uint64_t last = (base[i] + bytes - pointer[i] + o->line - 1) / o->line * o->line;
        if (o->line == 24 && (pointer[i] % 16 || pointer[i] + last > (base[i] + bytes + PADDED - 1) / PADDED * PADDED))
            return false;
        // The line below the pointer begins 16 bytes below it, since 2^32 modulo 24 is 16, and the others 24 bytes
        // below each other. None may begin before the allocation.
        uint64_t below = pointer[i] - base[i];
        if (o->line == 24 && below && below % 24 != 16) return false;
        for (uint32_t j = 0; j < i && !o->apart; j++)
            if (base[j] == base[i]) return false;
    }
    return true;
}

static uint32_t padded(const Sl1Options *o, uint32_t bytes) { return (bytes + sl1_align(o) - 1) & -sl1_align(o); }

Sl1Share sl1_share(const Sl1Kernel *k, const Sl1Options *o, bool apart, uint32_t threads, uint64_t grid_blocks,
                   uint32_t sms, uint32_t smem, uint32_t most, Sl1Fit *fit, void *user)
{
    Sl1Share s = {.region = padded(o, smem), .smem = smem, .left = SL1_NO_ROOM};
    uint32_t head = padded(o, (threads + 31) / 32 * k->warp_bytes), pairs = apart && k->pairs,
             line = (threads + 31) / 32 * 32 * o->line;
    // An SM doesn't get more blocks than its share of the grid.
    uint64_t each = (grid_blocks + sms - 1) / sms, resident = MIN(fit(user, false, smem), each);
    if (!resident || !line) return s;
    if (o->warps && 100 * resident < o->warps * MIN(fit(user, true, smem), each)) {
        s.left = "it would leave a multiprocessor too few warps";
        return s;
    }
    // Structures whose lines are in registers.
    uint32_t aside = apart && o->line != 24 ? MIN(o->registers, k->structures) : 0;
    // high: more lines than fit or are needed; low: the least number that is of use.
    uint32_t low = !aside, high = (k->structures - aside) * (1 + pairs) + 1;
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
    Sl1Choice c = {.apart = !o->alias && sl1_apart(k, o, pointer, host->range, host->user)};
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
