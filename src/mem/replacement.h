// replacement.h: the ways to choose which line of a set makes room, by name, apart from cache.h: a row more in
// replacement.def makes those files anew that name some.
#ifndef MEM_REPLACEMENT_H
#define MEM_REPLACEMENT_H

#include "mem/cache.h"

typedef enum ReplacementId {
#define REPLACE(id, name, fn, doc) REPLACE_##id,
#include "mem/replacement.def"
#undef REPLACE
    REPLACE_COUNT
} ReplacementId;
// --- cache.c ---------------------------------------------------------------------------------------------------------
typedef struct ReplacementInfo {
    const char *name, *doc;
    const Replacement *ops;
} ReplacementInfo;
extern const ReplacementInfo replacements[REPLACE_COUNT];

#endif
