// replace_lru.c: least recently used, and first in first out: the line with the smallest stamp goes (mem.h).
#include "mem/cache.h"

const Replacement replace_lru = {.stamp_uses = true};
const Replacement replace_fifo = {.stamp_uses = false};
