// log.c: what an SM wrote in a window, kept apart from memory until the window's edge (exec.h; doc/extend/design.md, "A
// window"). Lines are found by an open-addressing table; a filter of 4096 bits answers most loads without touching it.
#include "exec/unit.h"

#include <stdlib.h>
#include <string.h>

static void grow(Log *log)
{
    uint32_t size = log->table_size ? log->table_size * 2 : 256;
    mem_free(log->table);
    log->table = mem_alloc(size * sizeof *log->table);
    log->table_size = size;
    log->table_used.n = 0;
    for (uint32_t k = 0; k < log->lines.n; k++) {
        uint32_t at = log_hash(log->lines.v[k].line) * 0x9E37u & (size - 1);
        while (log->table[at]) at = (at + 1) & (size - 1);
        log->table[at] = k + 1;
        vec_push(&log->table_used, at);
    }
}

static LogLine *find(const Log *log, uint64_t line)
{
    if (!log->table_size) return NULL;
    uint32_t at = log_hash(line) * 0x9E37u & (log->table_size - 1);
    for (; log->table[at]; at = (at + 1) & (log->table_size - 1))
        if (log->lines.v[log->table[at] - 1].line == line) return &log->lines.v[log->table[at] - 1];
    return NULL;
}

static LogLine *find_or_add(Log *log, uint64_t line)
{
    LogLine *l = find(log, line);
    if (l) return l;
    if (log->lines.n * 2 >= log->table_size) grow(log);
    LogLine fresh = {.line = line};
    vec_push(&log->lines, fresh);
    uint32_t at = log_hash(line) * 0x9E37u & (log->table_size - 1), h = log_hash(line);
    while (log->table[at]) at = (at + 1) & (log->table_size - 1);
    log->table[at] = (uint32_t)log->lines.n;
    vec_push(&log->table_used, at);
    log->filter[h >> 6] |= 1ull << (h & 63);
    return &log->lines.v[log->lines.n - 1];
}

static uint64_t ones(uint32_t n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

void log_store(Log *log, uint64_t address, const void *data, uint32_t bytes, uint32_t cycle)
{
    while (bytes) {
        uint32_t off = (uint32_t)(address & 127), n = MIN(bytes, 128 - off);
        LogLine *l = find_or_add(log, address >> 7);
        memcpy(l->data + off, data, n);
        if (off < 64) l->mask[0] |= ones(MIN(n, 64 - off)) << off;
        if (off + n > 64) {
            uint32_t from = off > 64 ? off - 64 : 0;
            l->mask[1] |= ones(off + n - 64 - from) << from;
        }
        for (uint32_t w = off / 4; w <= (off + n - 1) / 4; w++) l->stamp[w] = (uint16_t)cycle;
        address += n;
        data = (const uint8_t *)data + n;
        bytes -= n;
    }
}

void log_patch(const Log *log, uint64_t address, void *data, uint32_t bytes)
{
    while (bytes) {
        uint32_t off = (uint32_t)(address & 127), n = MIN(bytes, 128 - off);
        const LogLine *l = find(log, address >> 7);
        for (uint32_t k = 0; l && k < n; k++)
            if (l->mask[(off + k) >> 6] >> ((off + k) & 63) & 1) ((uint8_t *)data)[k] = l->data[off + k];
        address += n;
        data = (uint8_t *)data + n;
        bytes -= n;
    }
}

void log_defer(Log *log, const Deferred *d, uint32_t bytes)
{
    vec_push(&log->deferred, *d);
    for (int n = 0; n < LANES; n++) {
        if (!(d->mask >> n & 1)) continue;
        for (uint64_t line = d->addr[n] >> 7; line <= (d->addr[n] + bytes - 1) >> 7; line++) {
            uint32_t h = log_hash(line);
            log->pending[h >> 6] |= 1ull << (h & 63);
        }
    }
}

static void empty(Log *log)
{
    for (size_t k = 0; k < log->table_used.n; k++) log->table[log->table_used.v[k]] = 0;
    if (log->lines.n) memset(log->filter, 0, sizeof log->filter);
    if (log->deferred.n) memset(log->pending, 0, sizeof log->pending);
    for (size_t k = 0; k < log->deferred.n; k++) mem_free(log->deferred.v[k].more);
    log->table_used.n = log->lines.n = log->deferred.n = 0;
}

void log_free(Log *log)
{
    empty(log);
    vec_free(&log->lines);
    vec_free(&log->deferred);
    vec_free(&log->table_used);
    mem_free(log->table);
    *log = (Log){0};
}

static void write_line(Gmem *g, const LogLine *l, const uint64_t mask[2])
{
    uint8_t *to = gmem_host(g, l->line << 7);
    if (mask[0] == ~0ull && mask[1] == ~0ull) {
        memcpy(to, l->data, 128);
        return;
    }
    for (int half = 0; half < 2; half++)
        for (uint64_t m = mask[half]; m;) {
            int k = __builtin_ctzll(m);
            uint64_t run = ~(m >> k);
            int n = run ? __builtin_ctzll(run) : 64 - k;
            memcpy(to + half * 64 + k, l->data + half * 64 + k, (size_t)n);
            if (k + n >= 64) break;
            m &= ~0ull << (k + n);
        }
}

// Takes out of line b's mask the bytes that line a, of an SM with a lower number, stored later.
static void yield_bytes(const LogLine *a, const LogLine *b, uint64_t mask[2])
{
    for (int k = 0; k < 128; k++)
        if (a->mask[k >> 6] >> (k & 63) & 1 && a->stamp[k / 4] > b->stamp[k / 4]) mask[k >> 6] &= ~(1ull << (k & 63));
}

typedef struct Order {
    const Deferred *d;
    uint32_t sm;
} Order;

static int by_cycle(const void *a, const void *b)
{
    const Order *x = a, *y = b;
    if (x->d->cycle != y->d->cycle) return x->d->cycle < y->d->cycle ? -1 : 1;
    if (x->sm != y->sm) return x->sm < y->sm ? -1 : 1;
    return x->d < y->d ? -1 : x->d > y->d;
}

void log_apply(struct Env **envs, uint32_t n, Gmem *g, LogDone *done, void *user)
{
    size_t deferred = 0, lines = 0;
    for (uint32_t k = 0; k < n; k++) deferred += envs[k]->log->deferred.n, lines += envs[k]->log->lines.n;
    if (!deferred && !lines) {
        late_apply(envs, n);
        return;
    }
    uint64_t seen[64] = {0};
    for (uint32_t k = 0; k < n; k++) {
        Log *log = envs[k]->log;
        if (!log->lines.n) continue;
        for (size_t i = 0; i < log->lines.n; i++) {
            LogLine *l = &log->lines.v[i];
            uint64_t mask[2] = {l->mask[0], l->mask[1]};
            uint32_t h = log_hash(l->line);
            if (seen[h >> 6] >> (h & 63) & 1)
                for (uint32_t j = 0; j < k; j++) {
                    const LogLine *o = log_has(envs[j]->log, l->line) ? find(envs[j]->log, l->line) : NULL;
                    if (o) yield_bytes(o, l, mask);
                }
            write_line(g, l, mask);
        }
        for (int w = 0; w < 64; w++) seen[w] |= log->filter[w];
    }
    if (deferred) {
        Order *order = mem_alloc(deferred * sizeof *order);
        size_t m = 0;
        for (uint32_t k = 0; k < n; k++)
            for (size_t i = 0; i < envs[k]->log->deferred.n; i++) order[m++] = (Order){&envs[k]->log->deferred.v[i], k};
        qsort(order, m, sizeof *order, by_cycle);
        for (size_t i = 0; i < m; i++) {
            exec_deferred(envs[order[i].sm], order[i].d);
            done(user, order[i].sm, order[i].d);
        }
        mem_free(order);
    }
    for (uint32_t k = 0; k < n; k++) empty(envs[k]->log);
    late_apply(envs, n);
}
