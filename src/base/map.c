// map.c: names to numbers.
//
// A thin face on uthash: each entry owns a copy of its key, which need not be null-terminated and may hold any bytes.
// Lookups don't change the table, so that several threads may read one map that nobody writes. Not for hot paths.
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

// uthash's own answer to a failed allocation is exit(); ours never fails.
#define uthash_malloc(bytes) mem_alloc(bytes)
#define uthash_free(p, bytes) mem_free(p)
#define uthash_fatal(message) abort()
#include <uthash.h>

struct MapEntry {
    UT_hash_handle hh;
    int64_t value;
    char key[];
};

static MapEntry *map_find(const Map *map, const char *key, size_t length)
{
    MapEntry *entry = NULL;
    HASH_FIND(hh, map->table, key, length, entry);
    return entry;
}

bool map_get(const Map *map, const char *key, size_t length, int64_t *value)
{
    MapEntry *entry = map_find(map, key, length);
    if (entry && value) *value = entry->value;
    return entry != NULL;
}

void map_put(Map *map, const char *key, size_t length, int64_t value)
{
    MapEntry *entry = map_find(map, key, length);
    if (!entry) {
        entry = mem_alloc(sizeof *entry + length + 1);
        if (length) memcpy(entry->key, key, length);
        HASH_ADD_KEYPTR(hh, map->table, entry->key, length, entry);
    }
    entry->value = value;
}

void map_free(Map *map)
{
    MapEntry *entry, *next;
    HASH_ITER(hh, map->table, entry, next)
    {
        HASH_DEL(map->table, entry);
        mem_free(entry);
    }
    map->table = NULL;
}
