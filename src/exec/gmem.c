// gmem.c: the device's global memory: one stretch of host addresses, so that translation is an addition, and a sorted
// table of allocations for checks. Freed allocations stay in the table until their room is used again, so that a use
// after free is named as such.
//
// The stretch is as long as what was allocated so far needs, and grows when more is; the host may then move it. So no
// host address is kept beyond the operation that asked for it, and only gmem_alloc grows it: for the caller of the
// library between launches, and for the device's malloc where an operation runs alone, at a window's edge. Simulated
// addresses depend on nothing of this.
#include "exec/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGN = 256, GUARD = 256, PAGE = 4096 };
#define FIRST ((uint64_t)256 << 20)  // reserved at first; addresses alone, until they are written to

void gmem_open(Gmem *g, uint64_t capacity) { *g = (Gmem){.capacity = capacity, .file = -1}; }

void gmem_close(Gmem *g)
{
    if (g->host) munmap(g->host, g->reserved + (g->file >= 0 ? GMEM_VIRTUAL : 0));
    if (g->file >= 0) close(g->file);
    vec_free(&g->allocs), vec_free(&g->maps), vec_free(&g->reservations);
    *g = (Gmem){.file = -1};
}

// All of the device's memory becomes a file, and is mapped, so that nothing has to grow. Pages that nobody has written
// to take no memory. Nobody can make the file shorter, so that what is mapped is always there.
int gmem_share(Gmem *g)
{
    uint64_t bytes = (g->capacity + PAGE - 1) / PAGE * PAGE;
    if (g->host) return errno = EBUSY, -1;
    int file = memfd_create("onchip device memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    // Room for addresses that get memory later follows (gmem_map.c).
    void *p = ftruncate(file, (off_t)bytes) || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
                  ? MAP_FAILED
                  : mmap(NULL, bytes + GMEM_VIRTUAL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED) p = mmap(p, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0);
    if (p == MAP_FAILED) {
        int error = errno;
        close(file);
        errno = error;
        return -1;
    }
    g->host = p, g->reserved = bytes, g->file = file;
    return file;
}

static bool reserve(Gmem *g, uint64_t bytes)
{
    bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    void *p = g->host ? mremap(g->host, g->reserved, bytes, MREMAP_MAYMOVE)
                      : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    g->host = p;
    uint64_t before = g->reserved;
    g->reserved = bytes;
    if (mem_room(0)) return true;
    // All that there was: nothing could be launched any more.
    if (before)
        g->host = mremap(p, bytes, before, 0);  // what becomes shorter stays where it is
    else
        munmap(p, bytes), g->host = NULL;
    g->reserved = before;
    return false;
}

// Room on the host for the first bytes of the device's memory: more than that, so that it seldom grows, where the host
// gives it.
static bool grow(Gmem *g, uint64_t bytes)
{
    g->host_full = false;
    if (bytes <= g->reserved && (g->file < 0 || mem_room(0))) return true;
    if (g->file >= 0) return g->host_full = true, false;
    if (reserve(g, MAX(bytes, MIN(g->capacity, MAX(g->reserved * 2, FIRST)))) || reserve(g, bytes)) return true;
    g->host_full = true;
    return false;
}

static void insert(Gmem *g, size_t at, Allocation a)
{
    vec_push(&g->allocs, a);
    memmove(g->allocs.v + at + 1, g->allocs.v + at, (g->allocs.n - 1 - at) * sizeof a);
    g->allocs.v[at] = a;
}

uint64_t gmem_alloc(Gmem *g, uint64_t bytes, const char *label, bool internal)
{
    if (!bytes || bytes > g->capacity) return 0;
    uint64_t need = (bytes + GUARD + ALIGN - 1) / ALIGN * ALIGN;  // a guard between allocations catches small overruns
    Allocation a = {.label = label, .internal = internal, .id = g->next_id};
    // Fresh room first; then the first freed stretch that is large enough.
    g->host_full = false;
    if (g->top + need <= g->capacity) {
        if (!grow(g, g->top + need)) return 0;
        a.start = GLOBAL_BASE + g->top;
        g->top += need;
        a.end = a.start + bytes;
        insert(g, gmem_below(g, a.start), a);
        g->next_id++;
        return a.start;
    }
    for (size_t k = 0; k < g->allocs.n; k++) {
        if (!g->allocs.v[k].freed) continue;
        uint64_t start = g->allocs.v[k].start, limit = GLOBAL_BASE + g->top;
        size_t e = k;
        while (e < g->allocs.n && g->allocs.v[e].freed) e++;
        if (e < g->allocs.n) limit = MIN(limit, g->allocs.v[e].start);
        if (limit - start < need) {
            k = e;
            continue;
        }
        size_t last = k;
        while (last < e && g->allocs.v[last].start < start + need) last++;
        memmove(g->allocs.v + k, g->allocs.v + last, (g->allocs.n - last) * sizeof *g->allocs.v);
        g->allocs.n -= last - k;
        a.start = start;
        a.end = start + bytes;
        insert(g, k, a);
        if (start + need < limit) {
            Allocation rest = {.start = start + need, .end = limit, .freed = true, .label = NULL, .id = UINT32_MAX};
            if (k + 1 == g->allocs.n || g->allocs.v[k + 1].start > rest.start) insert(g, k + 1, rest);
        }
        g->next_id++;
        return a.start;
    }
    return 0;
}

size_t gmem_below(const Gmem *g, uint64_t address)
{
    size_t lo = 0, hi = g->allocs.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (g->allocs.v[mid].start <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

const Allocation *gmem_find(const Gmem *g, uint64_t address)
{
    size_t n = gmem_below(g, address);
    return n && address < g->allocs.v[n - 1].end ? &g->allocs.v[n - 1] : NULL;
}

const Allocation *gmem_near(const Gmem *g, uint64_t address)
{
    size_t n = gmem_below(g, address);
    const Allocation *before = n ? &g->allocs.v[n - 1] : NULL, *after = n < g->allocs.n ? &g->allocs.v[n] : NULL;
    if (!before || !after) return before ? before : after;
    uint64_t past = address < before->end ? 0 : address - before->end;
    return past <= after->start - address ? before : after;
}

const char *gmem_unlabelled(const Allocation *a) { return a->internal ? "a module's constants" : "unnamed memory"; }

bool gmem_free(Gmem *g, uint64_t start)
{
    size_t n = gmem_below(g, start);
    if (!n || g->allocs.v[n - 1].start != start || g->allocs.v[n - 1].freed) return false;
    Allocation *a = &g->allocs.v[n - 1];
    a->freed = true;
    // Give whole pages back to the host.
    uint64_t from = (a->start - GLOBAL_BASE + 4095) & ~4095ull, to = (a->end - GLOBAL_BASE) & ~4095ull;
    if (to > from && g->file < 0) madvise(g->host + from, to - from, MADV_DONTNEED);
    if (to > from && g->file >= 0)
        fallocate(g->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from));
    return true;
}
