// gmem_map.c: addresses that are reserved first and get memory later (CUDA Driver API, "Virtual Memory Management").
// They lie behind the device's memory. What is mapped there is a piece of an allocation, whose pages of the shared file
// are mapped a second time, so that both addresses mean the same bytes. Only what is allowed, too, is in the table of
// allocations, as stretches that are as long as they can be: a kernel's array may lie over several pieces.
//
// Invariant: `maps` has no two that overlap, and is sorted; each lies in one reservation.
#include "exec/unit.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };
static uint64_t begin(const Gmem *g) { return GLOBAL_BASE + (g->capacity + PAGE - 1) / PAGE * PAGE; }

// --- reservations ----------------------------------------------------------------------------------------------------
static bool fits(const Gmem *g, uint64_t start, uint64_t bytes)
{
    if (start < begin(g) || bytes > begin(g) + GMEM_VIRTUAL - start) return false;
    for (size_t k = 0; k < g->reservations.n; k++) {
        const Mapping *r = &g->reservations.v[k];
        if (start < r->end && r->start < start + bytes) return false;
    }
    return true;
}

uint64_t gmem_reserve(Gmem *g, uint64_t bytes, uint64_t align)
{
    enum { MOST = 4096 };
    if (g->file < 0 || !bytes || bytes % PAGE || bytes > GMEM_VIRTUAL || g->reservations.n >= MOST) return 0;
    align = MAX(align, (uint64_t)PAGE);
    if (align & (align - 1) || align > GMEM_VIRTUAL) return 0;
    uint64_t start = (begin(g) + align - 1) / align * align;
    for (size_t k = 0; !fits(g, start, bytes); k++) {  // behind each of the others
        if (k == g->reservations.n) return 0;
        start = (g->reservations.v[k].end + align - 1) / align * align;
    }
    vec_push(&g->reservations, ((Mapping){.start = start, .end = start + bytes}));
    return start;
}

static size_t maps_from(const Gmem *g, uint64_t address)  // the first that ends behind it
{
    size_t k = 0;
    while (k < g->maps.n && g->maps.v[k].end <= address) k++;
    return k;
}

bool gmem_unreserve(Gmem *g, uint64_t start, uint64_t bytes)
{
    const size_t m = maps_from(g, start);
    if (m < g->maps.n && g->maps.v[m].start < start + bytes) return false;  // something is still there
    for (size_t k = 0; k < g->reservations.n; k++) {
        const Mapping *r = &g->reservations.v[k];
        if (r->start != start || r->end - r->start != bytes) continue;
        g->reservations.v[k] = g->reservations.v[--g->reservations.n];
        return true;
    }
    return false;
}

// --- the table of allocations ----------------------------------------------------------------------------------------
static bool is_allocation(const Gmem *g, uint64_t from, uint64_t bytes)
{
    const Allocation *a = gmem_find(g, from);
    return a && !a->freed && from < begin(g) && bytes <= a->end - from;
}

// Lists anew what is allowed: what lies side by side in one reservation is one stretch.
static void list_allowed(Gmem *g)
{
    size_t kept = 0;
    for (size_t k = 0; k < g->allocs.n; k++)
        if (g->allocs.v[k].start < begin(g)) g->allocs.v[kept++] = g->allocs.v[k];
    g->allocs.n = kept;
    for (size_t k = 0; k < g->maps.n; k++) {
        const Mapping *m = &g->maps.v[k];
        if (!m->allowed) continue;
        Allocation *last = g->allocs.n > kept ? &g->allocs.v[g->allocs.n - 1] : NULL;
        if (last && last->end == m->start && k && g->maps.v[k - 1].reservation == m->reservation) {
            last->end = m->end;
            continue;
        }
        const Allocation a = {.start = m->start, .end = m->end, .label = m->label, .internal = true, .id = m->id};
        vec_push(&g->allocs, a);
    }
}

// --- mappings --------------------------------------------------------------------------------------------------------
static uint64_t reservation_of(const Gmem *g, uint64_t start, uint64_t bytes)
{
    for (size_t k = 0; k < g->reservations.n; k++) {
        const Mapping *r = &g->reservations.v[k];
        if (r->start <= start && start < r->end && bytes <= r->end - start) return r->start;
    }
    return 0;
}

bool gmem_map(Gmem *g, uint64_t start, uint64_t bytes, uint64_t from)
{
    enum { MOST = 65536 };
    const uint64_t reservation = reservation_of(g, start, bytes);
    const size_t at = maps_from(g, start);
    if (!bytes || (start | bytes | (from - GLOBAL_BASE)) % PAGE || !reservation || g->maps.n >= MOST) return false;
    if (at < g->maps.n && g->maps.v[at].start < start + bytes) return false;
    if (!is_allocation(g, from, bytes)) return false;
    void *to = gmem_host(g, start);
    if (mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, g->file,
             (off_t)(from - GLOBAL_BASE)) == MAP_FAILED)
        return false;
    const Mapping m = {start, start + bytes, reservation, false, gmem_find(g, from)->label, g->next_id++};
    vec_push(&g->maps, m);
    memmove(g->maps.v + at + 1, g->maps.v + at, (g->maps.n - 1 - at) * sizeof m);
    g->maps.v[at] = m;
    return true;
}

// Are there mappings, whole ones, from start to the end? Then first and n tell which.
static bool whole(const Gmem *g, uint64_t start, uint64_t bytes, size_t *first, size_t *n)
{
    uint64_t at = start;
    *first = maps_from(g, start), *n = 0;
    while (at < start + bytes) {
        const size_t k = *first + *n;
        if (k >= g->maps.n || g->maps.v[k].start != at) return false;
        at = g->maps.v[k].end, ++*n;
    }
    return at == start + bytes && *n;
}

bool gmem_unmap(Gmem *g, uint64_t start, uint64_t bytes)
{
    size_t first, n;
    if (bytes > GMEM_VIRTUAL || !whole(g, start, bytes, &first, &n)) return false;
    mmap(gmem_host(g, start), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    memmove(g->maps.v + first, g->maps.v + first + n, (g->maps.n - first - n) * sizeof *g->maps.v);
    g->maps.n -= n;
    list_allowed(g);
    return true;
}

bool gmem_allow(Gmem *g, uint64_t start, uint64_t bytes, bool on)
{
    size_t first, n;
    if (bytes > GMEM_VIRTUAL || !whole(g, start, bytes, &first, &n)) return false;
    for (size_t k = first; k < first + n; k++) g->maps.v[k].allowed = on;
    list_allowed(g);
    return true;
}

void gmem_drop(Gmem *g, uint64_t start)
{
    for (size_t k = g->maps.n; k--;)
        if (g->maps.v[k].reservation == start) gmem_unmap(g, g->maps.v[k].start, g->maps.v[k].end - g->maps.v[k].start);
    for (size_t k = g->reservations.n; k--;)
        if (g->reservations.v[k].start == start) g->reservations.v[k] = g->reservations.v[--g->reservations.n];
}
