// virtual.c: memory and addresses apart (CUDA Driver API, "Virtual Memory Management"): a piece of memory has no
// address until it is mapped where addresses were reserved, and kernels may use it once access is set. onchip has the
// reservations and mappings; here is what a handle stands for.
//
// Invariant: a piece goes when it was released as often as it was given out, and is mapped nowhere.
#include "libcuda/unit.h"

#include <pthread.h>
#include <string.h>

enum { GRAIN = 2 << 20, PAGE = 4096 };  // bytes: what sizes are multiples of; what a piece begins at
typedef struct Props {                  // CUmemAllocationProp
    int kind, handles;
    cudaMemLocation at;
    void *windows;
    struct {
        unsigned char compression, rdma;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
} Props;
_Static_assert(sizeof(Props) == 32, "as in CUDA 13");
typedef struct Access {  // CUmemAccessDesc
    cudaMemLocation at;
    int flags;
} Access;
enum { PINNED = 1, ON_DEVICE = 1, READ = 1, READ_WRITE = 3 };

typedef struct Memory {
    struct Memory *self;  // the key
    void *raw;            // as it was allocated
    uint64_t at, bytes;   // its first page
    Props props;
    unsigned handles, maps;
    UT_hash_handle hh;
} Memory;
typedef struct Mapped {
    uint64_t at;  // the key
    uint64_t bytes;
    Memory *of;
    int access;
    UT_hash_handle hh;
} Mapped;
static struct {
    pthread_mutex_t lock;
    Memory *all;
    Mapped *mapped;
} pieces = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void enter(void) { pthread_mutex_lock(&pieces.lock); }
static CUresult leave(CUresult result) { return pthread_mutex_unlock(&pieces.lock), result; }

static Memory *find(uint64_t handle)
{
    Memory *m, *of = pointer(handle);
    HASH_FIND_PTR(pieces.all, &of, m);
    return m;
}

static CUresult let_go(Memory *m)
{
    if (m->handles || m->maps) return CUDA_SUCCESS;
    CUresult result = ASKED(cudaFree(m->raw));
    HASH_DEL(pieces.all, m);
    mem_free(m);
    return result;
}

static bool described(const Props *p) { return p && p->kind == PINNED && p->at.type == ON_DEVICE && !p->at.id; }

// --- pieces of memory ------------------------------------------------------------------------------------------------
CUresult cuMemGetAllocationGranularity(size_t *bytes, const Props *props, int which)
{
    if (!initialised()) return CUDA_ERROR_NOT_INITIALIZED;
    if (!bytes || !described(props) || which < 0 || which > 1) return CUDA_ERROR_INVALID_VALUE;
    *bytes = GRAIN;
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(uint64_t *handle, size_t bytes, const Props *props, uint64_t flags)
{
    void *raw = NULL;
    CONTEXT();
    if (!handle || !bytes || bytes % GRAIN || flags || !described(props)) return CUDA_ERROR_INVALID_VALUE;
    if (props->handles) return missing("cuMemCreate of memory that other processes share");
    CUresult result = ASKED(cudaMalloc(&raw, bytes + PAGE));
    if (result != CUDA_SUCCESS) return result;
    Memory *m = mem_alloc(sizeof *m);
    const uint64_t at = ((uintptr_t)raw + PAGE - 1) / PAGE * PAGE;
    *m = (Memory){.self = m, .raw = raw, .at = at, .bytes = bytes, .props = *props, .handles = 1};
    enter();
    HASH_ADD_PTR(pieces.all, self, m);
    *handle = (uintptr_t)m;
    return leave(CUDA_SUCCESS);
}

CUresult cuMemRelease(uint64_t handle)
{
    enter();
    Memory *m = find(handle);
    if (!m || !m->handles) return leave(CUDA_ERROR_INVALID_VALUE);
    m->handles--;
    return leave(let_go(m));
}

CUresult cuMemGetAllocationPropertiesFromHandle(Props *props, uint64_t handle)
{
    enter();
    const Memory *m = find(handle);
    if (m && props) *props = m->props;
    return leave(m && props ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

// --- addresses -------------------------------------------------------------------------------------------------------
CUresult cuMemAddressReserve(CUdeviceptr *at, size_t bytes, size_t align, CUdeviceptr wish, uint64_t flags)
{
    Answer answer;
    (void)wish;  // a hint
    if (!initialised()) return CUDA_ERROR_NOT_INITIALIZED;
    if (!at || !bytes || bytes % GRAIN || align & (align - 1) || flags) return CUDA_ERROR_INVALID_VALUE;
    const WireCall call = {.ask = ASK_RESERVE, .a = bytes, .b = MAX(align, (size_t)GRAIN)};
    CUresult result = ASKED(client_ask(&call, NULL, &answer));
    if (result == CUDA_SUCCESS) *at = answer.of.a;
    return result;
}

enum { MAP, UNMAP, ALLOW, GIVE_UP };  // calls.def
static CUresult ask(int what, CUdeviceptr at, size_t bytes, uint64_t with)
{
    return ASKED(
        client_ask(&(WireCall){.ask = ASK_MAP, .a = at, .b = bytes, .c = (uint64_t)what, .d = with}, NULL, NULL));
}

CUresult cuMemAddressFree(CUdeviceptr at, size_t bytes) { return ask(GIVE_UP, at, bytes, 0); }

CUresult cuMemMap(CUdeviceptr at, size_t bytes, size_t offset, uint64_t handle, uint64_t flags)
{
    if (flags || !bytes || at % GRAIN || bytes % GRAIN || offset % GRAIN) return CUDA_ERROR_INVALID_VALUE;
    enter();
    Memory *m = find(handle);
    if (!m || offset > m->bytes || bytes > m->bytes - offset) return leave(CUDA_ERROR_INVALID_VALUE);
    const uint64_t from = m->at + offset;
    CUresult result = ask(MAP, at, bytes, from);
    if (result != CUDA_SUCCESS) return leave(result);
    if (!client_map(at, bytes, from, true)) return ask(UNMAP, at, bytes, 0), leave(CUDA_ERROR_OUT_OF_MEMORY);
    Mapped *x = mem_alloc(sizeof *x);
    *x = (Mapped){.at = at, .bytes = bytes, .of = m};
    HASH_ADD(hh, pieces.mapped, at, sizeof x->at, x);
    m->maps++;
    return leave(CUDA_SUCCESS);
}

static Mapped *mapped_at(uint64_t at)
{
    Mapped *x;
    HASH_FIND(hh, pieces.mapped, &at, sizeof at, x);
    return x;
}

// What is mapped there, one piece behind the other.
static CUresult unmap(uint64_t at, size_t bytes)
{
    CUresult result = ask(UNMAP, at, bytes, 0);
    if (result != CUDA_SUCCESS) return result;
    client_map(at, bytes, 0, false);
    for (const uint64_t end = at + bytes; at < end;) {
        Mapped *x = mapped_at(at);
        if (!x) return CUDA_ERROR_INVALID_VALUE;
        at += x->bytes;
        x->of->maps--;
        result = let_go(x->of);
        HASH_DEL(pieces.mapped, x);
        mem_free(x);
        if (result != CUDA_SUCCESS) return result;
    }
    return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr at, size_t bytes)
{
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    errors_hush(true);
    cudaError_t error = cudaDeviceSynchronize();
    errors_hush(false);
    if (error) return of_runtime(error);
    enter();
    return leave(unmap(at, bytes));
}

// Reading alone isn't told apart from writing.
CUresult cuMemSetAccess(CUdeviceptr at, size_t bytes, const Access *list, size_t n)
{
    if (!bytes || !list || n != 1) return CUDA_ERROR_INVALID_VALUE;
    if (list->at.type != ON_DEVICE || list->at.id) return CUDA_ERROR_INVALID_DEVICE;
    if (list->flags && list->flags != READ && list->flags != READ_WRITE) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ask(ALLOW, at, bytes, list->flags != 0);
    if (result != CUDA_SUCCESS) return result;
    enter();
    Mapped *x;
    for (const uint64_t end = at + bytes; at < end && (x = mapped_at(at)); at += x->bytes) x->access = list->flags;
    return leave(CUDA_SUCCESS);
}

static Mapped *that_holds(uint64_t at)
{
    for (Mapped *x = pieces.mapped; x; x = x->hh.next)
        if (x->at <= at && at < x->at + x->bytes) return x;
    return NULL;
}

CUresult cuMemGetAccess(unsigned long long *flags, const cudaMemLocation *of, CUdeviceptr at)
{
    if (!flags || !of || of->type != ON_DEVICE) return CUDA_ERROR_INVALID_VALUE;
    enter();
    const Mapped *x = that_holds(at);
    if (x) *flags = (unsigned)x->access;
    return leave(x ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemRetainAllocationHandle(uint64_t *handle, void *at)
{
    if (!handle) return CUDA_ERROR_INVALID_VALUE;
    enter();
    const Mapped *x = that_holds((uintptr_t)at);
    if (!x) return leave(CUDA_ERROR_INVALID_VALUE);
    x->of->handles++;
    *handle = (uintptr_t)x->of;
    return leave(CUDA_SUCCESS);
}
