// why.c: why loads miss in the L1, and in which other L1 they would hit. Beside the L1 stand others that hold no data:
// the same loads are looked up there, and what these miss is fetched at once. So what an L1 of another kind would serve
// is counted, not guessed; but the loads come in the order and at the rate that the real L1 allows.
//
//   - a fully associative one of the same size, with LRU: what it has and the L1 lacks is missed by conflict;
//   - an endless one (`seen`): what it lacks too is missed for the first time. It watches all lines until it is full,
//     then every second one by a hash, and so on (spatial sampling, as in SHARDS of Waldspurger et al., FAST 2015);
//   - larger ones, one with hashed sets, and one for each data structure alone.
//
// Reuse distances are those of every eighth line, among such lines, times eight (the same sampling).
#include "sm/unit.h"

#include <string.h>

enum { NONE = UINT32_MAX };
enum { SEEN_MOST = 1 << 16 };       // lines that are watched, of an SM
enum { EIGHTH = 8, DEPTH = 2048 };  // the sample of lines whose reuse is measured; how many of them are told apart
enum { ALONE_MOST = 24 };           // data structures that get an L1 alone

typedef struct SeenLine {
    uint64_t tag;      // line + 1; 0: none
    uint32_t sectors;  // that were loaded or stored
    bool dropped;
} SeenLine;
typedef struct FullLine {  // of the fully associative L1
    uint64_t line;
    uint32_t valid;
    uint32_t older, newer, next;  // in the order of use; in its bucket
} FullLine;
typedef struct Why {
    WhySums sums;
    CacheCfg like;  // the L1 that all are like
    SeenLine *seen;
    uint32_t seen_room, seen_n;
    uint64_t rate;  // one of so many lines is watched
    FullLine *full;
    uint32_t *bucket, buckets, full_n, full_most, oldest, newest;
    Cache shadow[WHY_SHADOWS];  // those that are caches
    Cache alone[ALONE_MOST];
    uint8_t alone_of[ALONE_MOST];
    uint32_t alone_n;
    uint64_t *recent;  // sampled lines, the latest first
    uint32_t recent_n;
} Why;

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return x ^ x >> 31;
}

// --- the endless one -------------------------------------------------------------------------------------------------
static bool is_watched(const Why *w, uint64_t line) { return !(mixed(line) >> 40 & (w->rate - 1)); }

static SeenLine *seen_place(const Why *w, uint64_t line)
{
    uint32_t k = (uint32_t)mixed(line) & (w->seen_room - 1);
    while (w->seen[k].tag && w->seen[k].tag != line + 1) k = (k + 1) & (w->seen_room - 1);
    return &w->seen[k];
}

// Makes room: more of it, or by watching half of the lines. Without memory it is the latter.
static void seen_grow(Why *w)
{
    SeenLine *old = w->seen, *more = NULL;
    uint32_t room = w->seen_room;
    if (room < 2 * SEEN_MOST) more = mem_try(2 * (size_t)room, sizeof *more);
    if (more)
        w->seen_room = 2 * room;
    else if ((more = mem_try(room, sizeof *more)))
        w->rate *= 2;
    if (!more) {  // not even that: all begins anew, with fewer lines
        w->rate *= 2, w->seen_n = 0;
        memset(old, 0, sizeof *old * room);
        return;
    }
    w->seen = more, w->seen_n = 0;
    for (uint32_t k = 0; k < room; k++)
        if (old[k].tag && is_watched(w, old[k].tag - 1)) *seen_place(w, old[k].tag - 1) = old[k], w->seen_n++;
    mem_free(old);
}

// The watched line. It is new where it has no tag. Null: it isn't watched.
static SeenLine *seen_line(Why *w, uint64_t line)
{
    while (is_watched(w, line) && 2 * w->seen_n >= w->seen_room) seen_grow(w);
    return is_watched(w, line) ? seen_place(w, line) : NULL;
}

static void seen_add(Why *w, uint64_t line, uint32_t sectors)
{
    SeenLine *s = seen_line(w, line);
    if (!s) return;
    if (!s->tag) w->seen_n++;
    s->tag = line + 1;
    s->sectors |= sectors;
    s->dropped = false;
}

// --- the fully associative one ---------------------------------------------------------------------------------------
static uint32_t *bucket_of(const Why *w, uint64_t line) { return &w->bucket[mixed(line) & (w->buckets - 1)]; }

static uint32_t full_find(const Why *w, uint64_t line)
{
    uint32_t k = *bucket_of(w, line);
    while (k != NONE && w->full[k].line != line) k = w->full[k].next;
    return k;
}

static void full_unlink(Why *w, uint32_t k)
{
    FullLine *f = &w->full[k];
    *(f->older == NONE ? &w->oldest : &w->full[f->older].newer) = f->newer;
    *(f->newer == NONE ? &w->newest : &w->full[f->newer].older) = f->older;
}

static void full_latest(Why *w, uint32_t k)
{
    FullLine *f = &w->full[k];
    f->older = w->newest, f->newer = NONE;
    *(w->newest == NONE ? &w->oldest : &w->full[w->newest].newer) = k;
    w->newest = k;
}

static void full_unhash(Why *w, uint32_t k)
{
    uint32_t *at = bucket_of(w, w->full[k].line);
    while (*at != k) at = &w->full[*at].next;
    *at = w->full[k].next;
}

static void full_use(Why *w, uint64_t line, uint32_t k, uint32_t sectors)
{
    if (k != NONE) {
        full_unlink(w, k);
    } else {
        if (w->full_n < w->full_most) {
            k = w->full_n++;
        } else {
            k = w->oldest;
            full_unlink(w, k), full_unhash(w, k);
        }
        w->full[k] = (FullLine){.line = line, .next = *bucket_of(w, line)};
        *bucket_of(w, line) = k;
    }
    w->full[k].valid |= sectors;
    full_latest(w, k);
}

static void full_empty(Why *w)
{
    w->full_n = 0, w->oldest = w->newest = NONE;
    for (uint32_t k = 0; k < w->buckets; k++) w->bucket[k] = NONE;
}

// --- those that are caches -------------------------------------------------------------------------------------------
static bool served_by(Cache *c, uint64_t at, uint32_t sectors, uint32_t fetched)
{
    CacheLine *line;
    Lookup found = cache_lookup(c, at, sectors, &line);
    if (found == MISS) cache_take(c, line, at);
    if (found != HIT) line->valid |= fetched;
    return found == HIT;
}

static Cache *alone_of(Why *w, uint8_t structure)
{
    const char *why;
    uint32_t k = 0;
    while (k < w->alone_n && w->alone_of[k] != structure) k++;
    if (k < w->alone_n) return &w->alone[k];
    if (k == ALONE_MOST || !cache_open(&w->alone[k], &w->like, 1, &why)) return NULL;
    w->alone_of[w->alone_n++] = structure;
    return &w->alone[k];
}

static void close_alone(Why *w)
{
    for (uint32_t k = 0; k < w->alone_n; k++) cache_close(&w->alone[k]);
    w->alone_n = 0;
}

static void each_shadow(Why *w, void (*what)(Cache *c))
{
    for (int k = 0; k < WHY_SHADOWS; k++)
        if (w->shadow[k].lines) what(&w->shadow[k]);
}

// --- a launch --------------------------------------------------------------------------------------------------------
static void why_free(Why *w)
{
    if (!w) return;
    each_shadow(w, cache_close);
    close_alone(w);
    mem_free(w->seen), mem_free(w->full), mem_free(w->bucket), mem_free(w->recent);
    mem_free(w);
}

static void open_shadow(Why *w, WhyShadow k, uint32_t times, bool hashed)
{
    CacheCfg cfg = w->like;
    const char *why;
    cfg.size *= times;
    if (hashed) cfg.index = INDEX_XOR;
    if (cfg.set_count && times > 1) return;  // sets of several sizes: which would the others be of?
    if (hashed && w->like.index == INDEX_XOR) return;
    w->sums.can[k] = cache_open(&w->shadow[k], &cfg, 1, &why);
    if (!w->sums.can[k]) w->shadow[k] = (Cache){.lines = NULL};
}

static Why *why_open(const CacheCfg *like)
{
    enum { FIRST_ROOM = 1024 };
    Why *w = mem_try(1, sizeof *w);
    if (!w) return NULL;
    w->like = *like;
    w->like.unlocked = w->like.keep = false;
    w->like.plug = NULL;  // LRU there: a plug-in knows who accesses, and these caches don't
    w->rate = 1;
    w->full_most = (uint32_t)MIN(like->size / like->line, UINT32_MAX / 4);
    for (w->buckets = 64; w->buckets < 2 * w->full_most;) w->buckets *= 2;
    w->seen_room = FIRST_ROOM;
    w->seen = mem_try(FIRST_ROOM, sizeof *w->seen);
    w->full = mem_try(w->full_most, sizeof *w->full);
    w->bucket = mem_try(w->buckets, sizeof *w->bucket);
    w->recent = mem_try(DEPTH, sizeof *w->recent);
    if (!w->seen || !w->full || !w->bucket || !w->recent) return why_free(w), NULL;
    full_empty(w);
    w->sums.can[WHY_FULL] = w->sums.can[WHY_ALONE] = true;
    open_shadow(w, WHY_TWICE, 2, false);
    open_shadow(w, WHY_FOUR, 4, false);
    open_shadow(w, WHY_HASHED, 1, true);
    return w;
}

// Data structures have other numbers in each launch.
bool why_begin(Sm *sm, bool on)
{
    const CacheCfg *l1 = &sm->cfg.l1;
    if (sm->why && (!on || sm->why->like.size != l1->size)) why_free(sm->why), sm->why = NULL;
    if (!on || !l1->size || sm->cfg.l1_private) return true;
    if (!sm->why && !(sm->why = why_open(l1))) return false;
    Why *w = sm->why;
    WhySums sums = {.l1 = l1->size};
    memcpy(sums.can, w->sums.can, sizeof sums.can);
    w->sums = sums;
    close_alone(w);
    w->recent_n = 0;
    return true;
}

void why_close(Sm *sm)
{
    why_free(sm->why);
    sm->why = NULL;
}

void why_drop(Sm *sm, uint64_t at)
{
    Why *w = sm->why;
    uint64_t line = at >> sm->ports.port[PORT_L1].cache.line_shift;
    SeenLine *s = seen_line(w, line);
    uint32_t k = full_find(w, line);
    if (s && s->tag) s->dropped = true;
    if (k != NONE) w->full[k].valid = 0;
    for (int n = 0; n < WHY_SHADOWS; n++) {
        CacheLine *there = w->shadow[n].lines ? cache_peek(&w->shadow[n], at) : NULL;
        if (there) cache_drop(&w->shadow[n], there);
    }
    for (uint32_t n = 0; n < w->alone_n; n++) {
        CacheLine *there = cache_peek(&w->alone[n], at);
        if (there) cache_drop(&w->alone[n], there);
    }
}

void why_flush(Sm *sm)
{
    Why *w = sm->why;
    const Cache *c = &sm->ports.port[PORT_L1].cache;
    for (uint32_t k = 0, n = cache_line_count(c); k < n && c->used; k++)
        if (c->tags[k]) why_drop(sm, cache_tagged(c, k));
    full_empty(w);
    each_shadow(w, cache_flush);
    for (uint32_t k = 0; k < w->alone_n; k++) cache_flush(&w->alone[k]);
}

// --- accesses --------------------------------------------------------------------------------------------------------
// The place of a sampled line among those that were used since, which are then one further behind.
static void measure_reuse(Why *w, uint64_t line, WhyStat *st)
{
    if (mixed(line) >> 32 & (EIGHTH - 1)) return;
    uint32_t k = 0;
    while (k < w->recent_n && w->recent[k] != line) k++;
    uint32_t lines = k * EIGHTH, log = lines ? 32 - (uint32_t)__builtin_clz(lines) : 0;
    st->reuse[k == w->recent_n ? WHY_DISTANCES - 1 : MIN(log, WHY_DISTANCES - 2)]++;
    st->sampled++;
    if (k == w->recent_n && w->recent_n < DEPTH) w->recent_n++;
    memmove(w->recent + 1, w->recent, MIN(k, (uint32_t)DEPTH - 1) * sizeof *w->recent);
    w->recent[0] = line;
}

static void classify(WhyStat *st, const SeenLine *s, uint32_t sectors, bool in_full)
{
    if (in_full)
        st->missed[WHY_CONFLICT]++;
    else if (!s)
        st->unsure++;
    else if (!s->tag || sectors & ~s->sectors)
        st->missed[WHY_FIRST]++;
    else
        st->missed[s->dropped ? WHY_DROPPED : WHY_CAPACITY]++;
}

void why_load(Sm *sm, uint64_t at, uint32_t sectors, uint32_t fetched, uint8_t structure, Lookup found)
{
    Why *w = sm->why;
    WhyStat *st = &w->sums.of[structure];
    uint64_t line = at >> sm->ports.port[PORT_L1].cache.line_shift;
    bool served = found == HIT || found == PENDING;
    uint32_t k = full_find(w, line);
    bool in_full = k != NONE && !(sectors & ~w->full[k].valid);
    Cache *alone = alone_of(w, structure);
    st->reads++, st->served += served;
    if (!served) classify(st, seen_line(w, line), sectors, in_full);
    st->shadow[WHY_FULL] += in_full;
    for (int n = 0; n < WHY_SHADOWS; n++)
        if (w->shadow[n].lines) st->shadow[n] += served_by(&w->shadow[n], at, sectors, fetched);
    // Where there are too many structures, the last ones count as they are.
    st->shadow[WHY_ALONE] += alone ? served_by(alone, at, sectors, fetched) : served;
    seen_add(w, line, fetched);
    full_use(w, line, k, fetched);
    measure_reuse(w, line, st);
}

void why_store(Sm *sm, uint64_t at, uint32_t sectors)
{
    Why *w = sm->why;
    uint64_t line = at >> sm->ports.port[PORT_L1].cache.line_shift;
    seen_add(w, line, sectors);
    full_use(w, line, full_find(w, line), sectors);
    for (int n = 0; n < WHY_SHADOWS; n++)
        if (w->shadow[n].lines) served_by(&w->shadow[n], at, sectors, sectors);
}

void why_evict(Sm *sm, uint8_t whose, uint8_t by) { sm->why->sums.evicted[whose][by]++; }

void why_add(const Sm *sm, WhySums *to)
{
    const Why *w = sm->why;
    if (!w) return;
    for (int k = 0; k < MAX_STRUCTURES; k++) {
        add_why_stat(&to->of[k], &w->sums.of[k]);
        for (int by = 0; by < MAX_STRUCTURES; by++) to->evicted[k][by] += w->sums.evicted[k][by];
    }
    memcpy(to->can, w->sums.can, sizeof to->can);
    to->l1 = w->sums.l1, to->lines = MAX(to->lines, w->rate);
}
