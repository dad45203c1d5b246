// slice.c: a part of the GPU. It takes as long for its share of a program's input as the whole takes for all of it, if
// the parts don't help or hinder each other. SMs, memory and bandwidth are shared out exactly. A channel of the DRAM,
// with its partitions of the L2, is never cut: a part of a GPU has its share of the channels, rounded up. Where that is
// more than its share, each partition's links and DRAM are slower by as much, so that all of them together have the
// bandwidth of the share; the L2 alone is larger than the share. What is of one kind everywhere stays as it is: an SM,
// latencies, and the L2 TLB.
#include "gpu/unit.h"

// The channels of a part. An L2 of two halves keeps them.
static uint32_t channels_of(const Gpu *g, uint32_t channels)
{
    uint32_t part = (channels + g->slice - 1) / g->slice;
    return part + (g->part.far && part * g->part.slices % 2);
}

bool gpu_cut(Gpu *g, Diag *diag)
{
    PartitionCfg *p = &g->part;
    uint32_t n = g->slice;
    if (n == 1) return true;
    if (g->sms % n)
        return diag_error(diag, "GPU description: gpu.slice is %u, and gpu.sms, %u, isn't a multiple of it", n, g->sms);
    if (p->partitions % p->slices || p->l2.size % p->partitions) return true;  // refused by what comes next
    uint32_t whole = p->partitions / p->slices, part = channels_of(g, whole);
    double share = (double)whole / ((double)part * n);  // of a partition's bandwidth
    if (share != 1 && !p->dram.simple)
        return diag_error(diag,
                          "GPU description: gpu.slice is %u, and the DRAM's channels, %u, aren't a multiple of it; "
                          "dram.simple = yes allows that, since its channels have no timings of their own",
                          n, whole);
    p->l2.size = p->l2.size / whole * part;
    p->partitions = part * p->slices;
    p->bytes_in *= share, p->bytes_out *= share;
    g->sms /= n, g->memory /= n;
    g->dram_bus /= n;
    g->dram_gbs /= n, g->host_gbs /= n, g->gather_gbs /= n;
    return true;
}
