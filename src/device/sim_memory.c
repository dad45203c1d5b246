// sim_memory.c: a simulated device's memory: allocations with their labels, and where in the host's memory they lie. A
// pointer is only followed where an allocation holds all that is asked for.
#include "device/sim.h"

#include <stdlib.h>
#include <string.h>

// Labels are kept after their memory is freed, since a message may be about freed memory.
const char *sim_keep_label(Sim *d, const char *label)
{
    int64_t at;
    if (map_get(&d->label_at, label, strlen(label), &at)) return d->labels.v[at];
    map_put(&d->label_at, label, strlen(label), (int64_t)d->labels.n);
    vec_push(&d->labels, mem_text(label));
    return d->labels.v[d->labels.n - 1];
}

oc_status sim_alloc(oc_device *base, size_t bytes, const char *label, oc_ptr *ptr)
{
    Sim *d = sim_of(base);
    *ptr = gmem_alloc(&d->memory, bytes, label ? sim_keep_label(d, label) : NULL, false);
    if (*ptr) check_written(d->chip.check, *ptr, bytes, false);
    if (!*ptr && d->memory.host_full)
        return fail(d, OC_OUT_OF_MEMORY, "the host has no memory for %zu bytes of the device's", bytes);
    if (!*ptr)
        return fail(d, OC_OUT_OF_MEMORY, "the device's memory of %llu bytes has no room for %zu more (gpu.memory)",
                    (unsigned long long)d->gpu.memory, bytes);
    d->peak = MAX(d->peak, d->memory.top);
    return OC_OK;
}

oc_status sim_release(oc_device *base, oc_ptr ptr)
{
    Sim *d = sim_of(base);
    const Allocation *a = gmem_find(&d->memory, ptr);
    if (!a || a->internal || !gmem_free(&d->memory, ptr))
        return fail(d, OC_BAD_ARGUMENT, "0x%llx is not the start of an allocation", (unsigned long long)ptr);
    return OC_OK;
}

// The host address of [ptr, ptr + bytes); null, with an error, if not all of it is there.
void *sim_locate(Sim *d, oc_ptr ptr, size_t bytes)
{
    const Allocation *a = gmem_find(&d->memory, ptr);
    if (a && !a->freed && bytes <= a->end - ptr) return gmem_host(&d->memory, ptr);
    a = gmem_near(&d->memory, ptr);
    fail(d, OC_BAD_ARGUMENT, "[0x%llx, +%zu) is not inside one allocation%s%s", (unsigned long long)ptr, bytes,
         a && a->label ? "; the nearest is " : "", a && a->label ? a->label : "");
    return NULL;
}

oc_status sim_pin(oc_device *base, size_t bytes, void **memory)
{
    *memory = malloc(bytes);
    return *memory ? OC_OK : fail(sim_of(base), OC_OUT_OF_MEMORY, "the host has no room for %zu bytes", bytes);
}

void sim_unpin(oc_device *base, void *memory) { (void)base, free(memory); }

bool sim_range(oc_device *base, oc_ptr ptr, oc_ptr *start, uint64_t *bytes)
{
    const Allocation *a = gmem_find(&sim_of(base)->memory, ptr);
    if (!a || a->freed) return false;
    *start = a->start, *bytes = a->end - a->start;
    return true;
}

// --- for the program's own folders -----------------------------------------------------------------------------------
int device_share(oc_device *d) { return gmem_share(&sim_of(d)->memory); }

void device_clear(oc_device *base)
{
    Sim *d = sim_of(base);
    for (size_t k = 0; k < d->memory.allocs.n; k++) {
        const Allocation *a = &d->memory.allocs.v[k];
        if (!a->freed && !a->internal) gmem_free(&d->memory, a->start);
    }
    textures_clear(d, false);
}

oc_status device_reserve(oc_device *base, uint64_t bytes, uint64_t align, oc_ptr *at)
{
    *at = gmem_reserve(&sim_of(base)->memory, bytes, align);
    if (*at) return OC_OK;
    return fail(sim_of(base), OC_OUT_OF_MEMORY, "no %llu addresses can be reserved", (unsigned long long)bytes);
}

oc_status device_map(oc_device *base, Mapped what, oc_ptr at, uint64_t bytes, oc_ptr from)
{
    Gmem *g = &sim_of(base)->memory;
    bool ok = false;
    switch (what) {
    case MAPPED_MEMORY: ok = gmem_map(g, at, bytes, from); break;
    case MAPPED_NOT: ok = gmem_unmap(g, at, bytes); break;
    case MAPPED_ALLOWED: ok = gmem_allow(g, at, bytes, from); break;
    case MAPPED_GIVEN_UP: ok = gmem_unreserve(g, at, bytes); break;
    case MAPPED_DROPPED: gmem_drop(g, at), ok = true; break;
    }
    if (ok && what == MAPPED_ALLOWED && from) check_written(sim_of(base)->chip.check, at, bytes, true);
    if (ok) return OC_OK;
    return fail(sim_of(base), OC_BAD_ARGUMENT, "[0x%llx, +%llu) can't be mapped or unmapped so", (unsigned long long)at,
                (unsigned long long)bytes);
}

void device_zeroed(oc_device *base, oc_ptr at, uint64_t bytes)
{
    check_written(sim_of(base)->chip.check, at, bytes, true);
}

uint64_t device_taken(const oc_device *base)
{
    const Gmem *g = &sim_of(base)->memory;
    uint64_t bytes = 0;
    for (size_t k = 0; k < g->allocs.n; k++)
        if (!g->allocs.v[k].freed) bytes += g->allocs.v[k].end - g->allocs.v[k].start;
    return bytes;
}
