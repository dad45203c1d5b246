// arena.c: memory tied to a lifetime.
//
// An arena is a list of chunks, the newest first; an allocation is a bump of the head's mark, and everything goes at
// once with arena_free. Chunks come zeroed and are never reused, so what is handed out is zero without a memset.
// Under AddressSanitizer the unused part of a chunk is poisoned, and allocations are kept apart by a red zone.
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISON 1
#endif
#endif
#ifdef ARENA_POISON
#include <sanitizer/asan_interface.h>
#define RED_ZONE 16u
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define RED_ZONE 0u
#endif

#define ALIGN 16u
#define FIRST_CHUNK ((size_t)4 << 10)
#define LAST_CHUNK ((size_t)256 << 10)

struct ArenaChunk {
    ArenaChunk *next;
    size_t size, used;  // of the bytes behind the header
};

// The header's size rounded up, so that the bytes behind it keep malloc's 16-byte alignment.
#define HEADER ((sizeof(ArenaChunk) + ALIGN - 1) / ALIGN * ALIGN)

void *mem_alloc(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p) abort();
    return p;
}

void *mem_lines(size_t bytes)
{
    void *p = NULL;
    if (posix_memalign(&p, HOST_LINE, bytes ? bytes : 1)) abort();
    return memset(p, 0, bytes);
}

void *mem_resize(void *old, size_t bytes)
{
    void *p = realloc(old, bytes ? bytes : 1);
    if (!p) abort();
    return p;
}

const char mem_none[] = "the host has no memory for it";

void *mem_try(size_t n, size_t bytes) { return calloc(n ? n : 1, bytes ? bytes : 1); }
void *mem_try_resize(void *old, size_t bytes) { return realloc(old, bytes ? bytes : 1); }

// From the heap what is small, where a page's rest would count; and all under AddressSanitizer, which watches the heap.
static bool maps(size_t all)
{
#ifdef ARENA_POISON
    return (void)all, false;
#else
    return all >= (size_t)32 << 10;
#endif
}

void *mem_map(size_t n, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(n, bytes, &all)) return NULL;
    if (!maps(all)) return mem_try(1, all);
    void *p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void mem_unmap(void *p, size_t n, size_t bytes)
{
    if (!p) return;
    if (maps(n * bytes))
        munmap(p, n * bytes);
    else
        mem_free(p);
}

enum { LARGE = 1 << 20 };  // bytes: for less it isn't worth while to read what the host says

// Mapped and given back, which changes nothing of what malloc holds.
bool mem_maps(uint64_t bytes)
{
    if (bytes > SIZE_MAX / 2 - MEM_SPARE) return false;
    size_t all = (size_t)bytes + MEM_SPARE;
    void *p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    munmap(p, all);
    return true;
}

bool mem_room(uint64_t bytes) { return mem_maps(bytes) && (bytes < LARGE || mem_left("").bytes >= bytes + MEM_SPARE); }

char *mem_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(mem_alloc(bytes), text, bytes);
}

void mem_free(void *p) { free(p); }

static char *chunk_bytes(ArenaChunk *chunk) { return (char *)chunk + HEADER; }

static ArenaChunk *chunk_new(size_t size)
{
    ArenaChunk *chunk = mem_alloc(HEADER + size);
    chunk->size = size;
    ASAN_POISON_MEMORY_REGION(chunk_bytes(chunk), size);
    return chunk;
}

void *arena_alloc(Arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) abort();
    size_t step = (MAX(bytes, 1) + RED_ZONE + ALIGN - 1) / ALIGN * ALIGN;
    ArenaChunk *chunk = arena->head;
    if (!chunk || chunk->size - chunk->used < step) {
        size_t size = chunk ? MIN(chunk->size * 2, LAST_CHUNK) : FIRST_CHUNK;
        if (chunk && step > size / 2) {
            // A large piece gets a chunk of its own behind the head, whose remaining room stays in use.
            ArenaChunk *own = chunk_new(step);
            own->next = chunk->next;
            chunk->next = own;
            chunk = own;
        } else {
            ArenaChunk *fresh = chunk_new(MAX(size, step));
            fresh->next = chunk;
            arena->head = chunk = fresh;
        }
    }
    char *p = chunk_bytes(chunk) + chunk->used;
    chunk->used += step;
    ASAN_UNPOISON_MEMORY_REGION(p, bytes);
    return p;
}

char *arena_text(Arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    if (length) memcpy(copy, text, length);
    return copy;
}

char *arena_copy(Arena *arena, const char *text) { return arena_text(arena, text, strlen(text)); }

void arena_free(Arena *arena)
{
    for (ArenaChunk *chunk = arena->head; chunk;) {
        ArenaChunk *next = chunk->next;
        ASAN_UNPOISON_MEMORY_REGION(chunk_bytes(chunk), chunk->size);
        mem_free(chunk);
        chunk = next;
    }
    arena->head = NULL;
}
