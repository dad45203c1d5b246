// check_memory.c: what was accessed, beside the memory itself: for each byte whether anything wrote it, and for each
// word of shared and global memory who wrote it last, and who were the last two to read it. Of two accesses of which
// one is a write, and which nothing orders (check_order.c), the later one is reported. So are reads of what nobody
// wrote.
//
// Two strong accesses (volatile, atomic, relaxed and stronger) don't race, nor do two plain writes of the same value.
// Most accesses are of consecutive words by consecutive lanes: they are looked at in one loop.
//
// Global memory's words are kept in pages, which a launch takes when it first touches them. Their number is limited.
#include "exec/check.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, WORDS = PAGE / 4, MOST_PAGES = 1u << 15, CELLS = WORDS * (3 * sizeof(Touch) + 4) };

// --- bits ------------------------------------------------------------------------------------------------------------
static inline bool bits_all(const uint64_t *bits, uint64_t from, uint64_t n)
{
    for (uint64_t end = from + n; from < end;) {
        uint64_t in = from & 63, have = MIN(64 - in, end - from);
        uint64_t mask = (have == 64 ? ~0ull : (1ull << have) - 1) << in;
        if (~bits[from >> 6] & mask) return false;
        from += have;
    }
    return true;
}

static inline void bits_set(uint64_t *bits, uint64_t from, uint64_t n, bool on)
{
    for (uint64_t end = from + n; from < end;) {
        uint64_t in = from & 63, have = MIN(64 - in, end - from);
        uint64_t mask = (have == 64 ? ~0ull : (1ull << have) - 1) << in;
        bits[from >> 6] = on ? bits[from >> 6] | mask : bits[from >> 6] & ~mask;
        from += have;
    }
}

// --- pages of global memory ------------------------------------------------------------------------------------------
static Page *page_at(Check *c, uint64_t address)
{
    uint64_t k = (address - GLOBAL_BASE) / PAGE;
    while (c->pages.n <= k) vec_push(&c->pages, (Page){0});
    return &c->pages.v[k];
}

static void spread(Page *p)
{
    if (p->written) return;
    p->written = mem_alloc(PAGE / 8);
    if (p->all) memset(p->written, 0xff, PAGE / 8);
    p->all = false;
}

void check_written(Check *c, uint64_t address, uint64_t bytes, bool written)
{
    if (!c || address < GLOBAL_BASE || address >= SHARED_WINDOW) return;
    while (bytes) {
        uint64_t in = address % PAGE, n = MIN(bytes, PAGE - in);
        Page *p = page_at(c, address);
        if (n == PAGE) {
            mem_free(p->written);
            p->written = NULL, p->all = written;
        } else if (p->written || p->all != written) {
            spread(p);
            bits_set(p->written, in, n, written);
        }
        // Who had the memory before is no part of a race.
        for (uint64_t k = in / 4; !written && p->cells.write && k < (in + n + 3) / 4; k++)
            p->cells.write[k] = p->cells.read[k] = p->cells.other[k] = 0;
        address += n, bytes -= n;
    }
}

static bool was_written(Check *c, uint64_t address, uint64_t bytes)
{
    while (bytes) {
        uint64_t in = address % PAGE, n = MIN(bytes, PAGE - in);
        const Page *p = page_at(c, address);
        if (!p->all && (!p->written || !bits_all(p->written, in, n))) return false;
        address += n, bytes -= n;
    }
    return true;
}

void check_copied(Check *c, uint64_t to, uint64_t from, uint64_t bytes)
{
    enum { STEP = 256 };
    if (!c) return;
    if (from < GLOBAL_BASE || from >= SHARED_WINDOW || was_written(c, from, bytes)) {
        check_written(c, to, bytes, true);
        return;
    }
    // What overlaps counts as written.
    bool overlap = to < from + bytes && from < to + bytes;
    for (uint64_t done = 0; done < bytes;) {
        uint64_t n = MIN(bytes - done, STEP);
        if (overlap || was_written(c, from + done, n)) {
            check_written(c, to + done, n, true);
        } else {
            for (uint64_t k = 0; k < n; k++) check_written(c, to + done + k, 1, was_written(c, from + done + k, 1));
        }
        done += n;
    }
}

void check_free_cells(Check *c)
{
    if (c->cells) munmap(c->cells, (size_t)MOST_PAGES * CELLS);
    c->cells = NULL;
}

static void drop_cells(Check *c)
{
    for (size_t k = 0; k < c->pages.n; k++) c->pages.v[k].cells = (Cells){0};
    c->touched = 0;
    check_free_cells(c);
}

// Segments are numbered from launch to launch, so that cells of earlier ones needn't be cleared.
void check_begin_memory(Check *c)
{
    if (c->first < 1u << 30 && c->touched <= MOST_PAGES / 2) return;
    drop_cells(c);
    c->first = c->next = 1;
}

// Cells of a further page: zero, and of the host's memory only where they are used. Null: there are none.
static Touch *cells_at(Check *c)
{
    enum { SOME = 256 };
    if (c->touched == MOST_PAGES) {
        c->limit = "races on global memory beyond the first 128 MiB that the launch touched";
        return NULL;
    }
    if (!c->cells) {
        void *p = mmap(NULL, (size_t)MOST_PAGES * CELLS, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        c->cells = p == MAP_FAILED ? NULL : p;
    }
    if (!c->cells || (c->touched % SOME == 0 && !mem_room((uint64_t)SOME * CELLS))) {
        c->limit = "races on global memory: the host has no memory for more of it";
        return NULL;
    }
    return (Touch *)(void *)(c->cells + (size_t)c->touched * CELLS);
}

static bool touch_page(Check *c, Page *p)
{
    if (p->cells.write) return true;
    Touch *t = cells_at(c);
    if (!t) return false;
    p->cells = (Cells){t, t + WORDS, t + 2 * WORDS, (uint32_t *)(void *)(t + 3 * WORDS)};
    c->touched++;
    return true;
}

bool check_shared_room(CheckCta *c, uint32_t bytes)
{
    uint32_t words = (bytes + 3) / 4;
    if (words * 4 > c->shared_room) {
        Touch *t = mem_try(3 * (size_t)words, sizeof *t);
        uint32_t *value = t ? mem_try(words, sizeof *value) : NULL;
        uint64_t *written = value ? mem_try(words / 16 + 1, sizeof *written) : NULL;
        mem_free(c->shared.write), mem_free(c->shared.value), mem_free(c->written);
        c->shared = written ? (Cells){t, t + words, t + 2 * (size_t)words, value} : (Cells){0};
        c->written = written;
        c->shared_room = written ? words * 4 : 0;
        if (!written) mem_free(t), mem_free(value);
        c->shared_bytes = written ? bytes : 0;
        return written;
    }
    c->shared_bytes = bytes;
    if (c->written) memset(c->written, 0, (words / 16 + 1) * sizeof *c->written);
    return true;
}

// --- one access ------------------------------------------------------------------------------------------------------
Access access_by(Env *env, Warp *w, const Dinst *d)
{
    return (Access){.env = env, .c = env->check, .w = w, .d = d, .cta = w->cta->check, .home = w->cta};
}

static Touch by_lane(const Access *x, uint32_t lane, uint32_t bytes)
{
    return x->mine | touch_by(x->w->tid0 + lane) | (Touch)bytes << TOUCH_BYTES;
}

// Do the two have the same thread, and came nothing between?
static inline bool same(Touch a, Touch b) { return !((a ^ b) >> TOUCH_THREAD); }
static inline bool recent(Touch t, Touch mine, Touch limit) { return (t > limit) & !same(t, mine); }

static void report_race(const Access *x, Touch before, uint32_t lane, uint64_t address)
{
    const Kernel *k = x->env->launch->kernel;
    const Segment *s = x->segments ? check_when(x->c, before) : NULL;
    Found f = found_at(FLAW_RACE, x->w, x->d->index, lane);
    f.space = x->global ? SP_GLOBAL : SP_SHARED;
    f.address = address, f.bytes = x->bytes;
    found_after(&f, k, touch_inst(before), touch_thread(before), s ? s->cta : x->w->cta->number);
    if (s && s->clock == UNDER_WAY)
        f.kind = FLAW_INCOMPLETE,
        f.cure = "the thread that copies waits by cp.async.bulk.wait_group 0, without .read; then a barrier, or a "
                 "fence and a flag, tells the others";
    if (!f.none) check_found(x->c, &f);
}

// Has an earlier lane of this instruction accessed the word?
static bool same_step(const Access *x, uint32_t lane, Touch before, uint64_t address)
{
    uint32_t other = touch_thread(before) % LANES;
    return touch_inst(before) == touch_inst(x->mine) && touch_when(before) == touch_when(x->mine) &&
           touch_thread(before) / LANES == x->w->in_cta && other < lane && x->mask >> other & 1 &&
           x->addr[other] < address + 4 && address < x->addr[other] + x->bytes;
}

static uint32_t bytes_mask(uint32_t bytes)
{
    return ((bytes & 1 ? 0xffu : 0) | (bytes & 2 ? 0xff00u : 0)) |
           ((bytes & 4 ? 0xff0000u : 0) | (bytes & 8 ? 0xff000000u : 0));
}

// A touch of the same word that may be in a race with lane's: `wrote` it, or read it. value: what lane writes.
static void judge(const Access *x, const Cells *cells, uint64_t k, Touch before, bool wrote, uint32_t lane,
                  uint32_t bytes, const uint32_t *value, uint64_t address)
{
    uint32_t both = touch_bytes(before) & bytes;
    if (!both || (x->strong && touch_strong(before))) return;
    bool step = wrote && x->write && same_step(x, lane, before, address);
    if (!step && check_ordered(x, lane, before)) return;
    if (wrote && value && !((*value ^ cells->value[k]) & bytes_mask(both))) {
        uint32_t pc;
        const Code *code = check_code(x->env->launch->kernel, touch_inst(before), &pc);
        if (code && code->insts[pc].kind == X_ST) return;
    }
    report_race(x, before, lane, address);
}

static void cell_read(const Access *x, const Cells *cells, uint64_t k, uint32_t lane, uint32_t bytes, uint64_t address)
{
    Touch mine = by_lane(x, lane, bytes), wrote = cells->write[k], read = cells->read[k];
    if (recent(wrote, mine, x->limit)) judge(x, cells, k, wrote, true, lane, bytes, NULL, address);
    if (!same(read, mine)) cells->other[k] = read;
    if (same(read, mine)) mine |= read & (Touch)15 << TOUCH_BYTES;
    cells->read[k] = mine;
}

static void cell_write(const Access *x, const Cells *cells, uint64_t k, uint32_t lane, uint32_t bytes,
                       const uint32_t *value, uint64_t address)
{
    Touch mine = by_lane(x, lane, bytes), wrote = cells->write[k], read = cells->read[k], other = cells->other[k];
    if (recent(wrote, mine, x->limit)) judge(x, cells, k, wrote, true, lane, bytes, value, address);
    if (recent(read, mine, x->limit)) judge(x, cells, k, read, false, lane, bytes, value, address);
    if (recent(other, mine, x->limit)) judge(x, cells, k, other, false, lane, bytes, value, address);
    if (same(wrote, mine)) mine |= wrote & (Touch)15 << TOUCH_BYTES;
    cells->write[k] = mine;
    if (value) cells->value[k] = (cells->value[k] & ~bytes_mask(bytes)) | (*value & bytes_mask(bytes));
}

// n consecutive words from k on, of which each lane from `lane` on accesses 1 << each. The sign of limit - t is set
// where t is above the limit: compilers make vector instructions of that.
static inline Touch beyond(const Touch *t, uint32_t n, Touch limit)
{
    Touch any = 0;
    for (uint32_t i = 0; i < n; i++) any |= limit - t[i];
    return any >> 63;
}

static void row_read(const Access *x, const Cells *cells, uint64_t k, uint32_t lane, uint32_t n, uint32_t each,
                     uint64_t address)
{
    const Touch first = by_lane(x, lane, 15), limit = x->limit;
    Touch *read = cells->read + k, *other = cells->other + k;
    const Touch *wrote = cells->write + k;
    if (beyond(wrote, n, limit))
        for (uint32_t i = 0; i < n; i++)
            if (recent(wrote[i], first + touch_by(i >> each), limit))
                judge(x, cells, k + i, wrote[i], true, lane + (i >> each), 15, NULL, address + 4 * i);
    if (beyond(read, n, limit))  // older ones say nothing any more
        for (uint32_t i = 0; i < n; i++) other[i] = same(read[i], first + touch_by(i >> each)) ? other[i] : read[i];
    for (uint32_t i = 0; i < n; i++) read[i] = first + touch_by(i >> each);
}

static void row_write(const Access *x, const Cells *cells, uint64_t k, uint32_t lane, uint32_t n, uint32_t each,
                      const uint32_t *value, uint64_t address)
{
    const Touch first = by_lane(x, lane, 15), limit = x->limit;
    Touch *wrote = cells->write + k, *read = cells->read + k, *other = cells->other + k;
    if (beyond(wrote, n, limit) | beyond(read, n, limit) | beyond(other, n, limit))
        for (uint32_t i = 0; i < n; i++) {
            Touch mine = first + touch_by(i >> each);
            if (recent(wrote[i], mine, limit) || recent(read[i], mine, limit) || recent(other[i], mine, limit))
                cell_write(x, cells, k + i, lane + (i >> each), 15, &value[i], address + 4 * i);
        }
    for (uint32_t i = 0; i < n; i++) wrote[i] = first + touch_by(i >> each);
    memcpy(cells->value + k, value, 4 * (size_t)n);
}

// --- what nobody wrote -----------------------------------------------------------------------------------------------
static void report_unwritten(const Access *x, Space space, uint32_t lane, uint64_t address)
{
    Found f = found_at(FLAW_UNWRITTEN, x->w, x->d->index, lane);
    f.space = space, f.address = address, f.bytes = x->bytes;
    if (space == SP_LOCAL && x->c->locals.n) {
        const LocalVar *v = &x->c->locals.v[x->w->code->stat_base + x->d->index];
        if (v->bytes) f.sym = v->sym, f.address -= x->w->splits.v[x->w->cur].local_base + v->at;
    }
    check_found(x->c, &f);
}

void check_overread(Env *env, Warp *w, Space space, uint32_t lane, uint64_t address, uint32_t bytes)
{
    Found f = found_at(FLAW_OVERREAD, w, w->pc, lane);
    f.space = space, f.address = address, f.bytes = bytes;
    check_found(env->check, &f);
}

// --- lanes -----------------------------------------------------------------------------------------------------------
static void words_of_lane(const Access *x, const Cells *cells, uint32_t lane, uint64_t at)
{
    uint8_t data[32];
    const bool plain = x->d->kind == X_ST;
    if (plain) lane_store(&x->w->l, x->d, (int)lane, data);
    for (uint32_t done = 0; done < x->bytes;) {
        uint32_t shift = (uint32_t)(at + done) & 3, n = MIN(x->bytes - done, 4 - shift), value = 0;
        uint32_t bytes = ((1u << n) - 1) << shift;
        uint64_t k = (at + done) / 4, a = x->addr[lane] + done;
        if (plain) memcpy(&value, data + done, n), value <<= 8 * shift;
        if (x->read) cell_read(x, cells, k, lane, bytes, a);
        if (x->write) cell_write(x, cells, k, lane, bytes, plain ? &value : NULL, a);
        done += n;
    }
}

static const Cells *cells_of(const Access *x, const Page *p) { return p ? &p->cells : &x->home->check->shared; }
static uint64_t *written_of(const Access *x, const Page *p) { return p ? p->written : x->home->check->written; }

static void lane_access(const Access *x, uint32_t lane)
{
    uint64_t a = x->addr[lane], at = x->global ? a % PAGE : a;
    Page *p = x->global ? page_at(x->c, a) : NULL;  // an access is aligned, so it lies in one page
    const Cells *cells = cells_of(x, p);
    const uint64_t *written = written_of(x, p);
    if (x->read && !(x->global && p->all) && (!written || !bits_all(written, at, x->bytes)))
        report_unwritten(x, x->global ? SP_GLOBAL : SP_SHARED, lane, a);
    if (x->races && (!x->global || touch_page(x->c, p))) {
        if (x->write) words_of_lane(x, cells, lane, at);
        for (uint32_t done = 0; !x->write && done < x->bytes; done += 4)
            cell_read(x, cells, (at + done) / 4, lane, x->bytes < 4 ? ((1u << x->bytes) - 1) << (at & 3) : 15,
                      a + done);
    }
    if (!x->write || (x->global && p->all)) return;
    if (x->global) spread(p);
    bits_set(written_of(x, p), at, x->bytes, true);
}

// n lanes from `lane` on access consecutive words. False: they have to be looked at one by one.
static bool row_access(const Access *x, uint32_t lane, uint32_t n)
{
    uint64_t a = x->addr[lane], total = (uint64_t)x->bytes * n;
    if (x->global && a / PAGE != (a + total - 1) / PAGE) return false;
    Page *p = x->global ? page_at(x->c, a) : NULL;
    uint64_t at = x->global ? a % PAGE : a;
    const uint64_t *written = written_of(x, p);
    if (x->read && !(x->global && p->all) && (!written || !bits_all(written, at, total))) return false;
    const Cells *cells = cells_of(x, p);
    const bool races = x->races && (!x->global || touch_page(x->c, p));
    const uint32_t each = (uint32_t)__builtin_ctz(x->bytes / 4), words = n << each;
    if (races && x->read) row_read(x, cells, at / 4, lane, words, each, a);
    if (!x->write) return true;
    const uint32_t *value = (const uint32_t *)row(&x->w->l, x->d->vector[0]) + ((size_t)lane << each);
    if (races) row_write(x, cells, at / 4, lane, words, each, value, a);
    if (x->global && p->all) return true;
    if (x->global) spread(p);
    bits_set(written_of(x, p), at, total, true);
    return true;
}

// Are the lanes neighbours, and what they access?
static bool in_row(const Access *x, uint32_t first, uint32_t n)
{
    if (x->mask >> first & ((x->mask >> first) + 1)) return false;
    uint64_t differs = 0;
    for (uint32_t k = 1; k < n; k++) differs |= x->addr[first + k] - x->addr[first] - (uint64_t)k * x->bytes;
    return !differs;
}

static void words_access(const Access *x)
{
    const Step *s = &x->env->step;
    const Dinst *d = x->d;
    // Whole words, and of a store such as lie in the register as in memory.
    bool wide = x->bytes == d->bytes && x->bytes == 8 && d->kind == X_ST && d->flags & D_LONG;
    bool words = x->bytes >= 4 && (d->kind == X_LD || (d->kind == X_ST && (d->flags & D_WORD || wide)));
    if (words && x->mask == FULL && s->run) {
        for (uint32_t g = 0; g < LANES; g += s->run) {
            if (s->stride == x->bytes && row_access(x, g, s->run)) continue;
            // Where all read the same words, the first and the last stand for the others, unless there is a finding.
            uint64_t found = x->c->found;
            uint32_t last = g + s->run - 1u;
            lane_access(x, g);
            lane_access(x, last);
            if (!s->stride && !x->write && found == x->c->found) continue;
            for (uint32_t n = g + 1; n < last; n++) lane_access(x, n);
        }
        return;
    }
    uint32_t first = (uint32_t)__builtin_ctz(x->mask), n = (uint32_t)__builtin_popcount(x->mask);
    if (words && in_row(x, first, n) && row_access(x, first, n)) return;
    for (uint32_t m = x->mask; m; m &= m - 1) lane_access(x, (uint32_t)__builtin_ctz(m));
}

// --- local memory ----------------------------------------------------------------------------------------------------
// Local memory lies word by word, with the lanes' words side by side (memory.c).
static uint64_t local_place(uint64_t a, uint32_t lane) { return (a / 4 * LANES + lane) * 4 + (a & 3); }

static void local_room(Warp *w, CheckWarp *x)
{
    uint32_t words = (uint32_t)((size_t)w->local_cap * LANES / 64);
    if (words <= x->local_words) return;
    x->local = mem_resize(x->local, sizeof *x->local * words);
    memset(x->local + x->local_words, 0, sizeof *x->local * (words - x->local_words));
    x->local_words = words;
}

void check_frame(Warp *w, uint32_t from, uint32_t bytes, uint32_t mask, bool written)
{
    CheckWarp *x = &w->cta->check->warp[w->in_cta];
    if (written && exec_local_room(w->cta->env, w, from + bytes, mask)) local_room(w, x);
    bytes = MIN(bytes, x->local_words * 2 > from ? x->local_words * 2 - from : 0);
    for (uint32_t at = from; at < from + bytes; at += 4)
        for (uint32_t m = mask; m; m &= m - 1)
            bits_set(x->local, local_place(at, (uint32_t)__builtin_ctz(m)), 4, written);
}

static void local_access(const Access *x)
{
    CheckWarp *cw = &x->cta->warp[x->w->in_cta];
    const LocalVar *v = x->c->locals.n ? &x->c->locals.v[x->w->code->stat_base + x->d->index] : NULL;
    uint64_t frame = x->w->splits.v[x->w->cur].local_base;
    local_room(x->w, cw);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(m);
        uint64_t p = x->addr[n], a = p / 4 / LANES * 4 + (p & 3);
        if (v && v->bytes && (a < frame + v->at || a + x->bytes > frame + v->at + v->bytes)) {
            Found f = found_at(FLAW_BEYOND, x->w, x->d->index, n);
            f.space = SP_LOCAL, f.sym = v->sym;
            f.address = a - frame - v->at, f.bytes = x->bytes;
            check_found(x->c, &f);
        }
        bool known = true;
        for (uint32_t done = 0; done < x->bytes;) {
            uint32_t have = MIN(x->bytes - done, 4 - (uint32_t)((a + done) & 3));
            uint64_t at = local_place(a + done, n);
            if (x->read) known &= bits_all(cw->local, at, have);
            if (x->write) bits_set(cw->local, at, have, true);
            done += have;
        }
        if (!known) report_unwritten(x, SP_LOCAL, n, a);
    }
}

// --- instructions ----------------------------------------------------------------------------------------------------
void check_touch(Access *x)
{
    CheckWarp *cw = &x->cta->warp[x->w->in_cta];
    uint32_t when = cw->clock, safe = cw->safe;
    x->races = x->env->launch->kernel->insts < 1u << TOUCH_INSTS;
    x->segments = x->global || x->cta->segmented;
    if (x->segments) {
        when = check_segment(x->c, x->w->cta, cw);
        x->races &= when != 0;
        safe = x->c->first - 1;
        if (x->copy) when = x->copy;
    }
    x->mine = (x->w->code->stat_base + x->d->index) | (Touch)x->strong << TOUCH_STRONG | (Touch)when << TOUCH_WHEN;
    x->limit = (((Touch)safe + 1) << TOUCH_WHEN) - 1;
}

// A strong access comes first: what it learns orders itself, too.
static void learn_first(const Access *x)
{
    const bool later = x->env->step.deferred && (x->global || x->cta->segmented);
    if (x->strong && !x->copy && !later) check_strong(x->c, x->w, x->d, x->addr, x->mask, x->global);
}

static void in_space(Access *x, Space space)
{
    x->global = space == SP_GLOBAL;
    if (space == SP_LOCAL) {
        local_access(x);
        return;
    }
    if (!x->global && !x->home->check->written) return;
    if (x->home == x->w->cta) learn_first(x);
    check_touch(x);
    if (!x->global && x->home->check->into) async_access(x);
    words_access(x);
}

// Lanes access the shared memory of other blocks of the cluster.
static void away_access(Access *all, uint32_t lanes)
{
    const uint32_t mask = all->mask;
    all->mask = lanes;
    learn_first(all);
    all->mask = mask;
    for (uint32_t m = lanes; m; m &= m - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(m);
        uint64_t addr[LANES] = {[0] = 0};
        Access x = *all;
        addr[n] = all->addr[n];
        x.home = cluster_block(x.w, &addr[n]);
        if (!x.home || !x.home->check) continue;
        x.addr = addr, x.mask = m & -m;
        in_space(&x, SP_SHARED);
    }
}

void check_issued(const Access *x, uint32_t lane, uint64_t k, bool writes)
{
    const Cells *c = &x->cta->shared;
    const Touch mine = by_lane(x, lane, 15);
    if (writes)
        bits_set(x->cta->written, k * 4, 4, true);
    else if (!bits_all(x->cta->written, k * 4, 4))
        report_unwritten(x, SP_SHARED, lane, k * 4);
    if (!x->races) return;
    if (recent(c->write[k], mine, x->limit)) judge(x, c, k, c->write[k], true, lane, 15, NULL, k * 4);
    if (!writes) return;
    if (recent(c->read[k], mine, x->limit)) judge(x, c, k, c->read[k], false, lane, 15, NULL, k * 4);
    if (recent(c->other[k], mine, x->limit)) judge(x, c, k, c->other[k], false, lane, 15, NULL, k * 4);
    c->write[k] = c->read[k] = c->other[k] = 0;
}

// An asynchronous copy reads global memory and writes shared memory.
static void copy_access(Access *x)
{
    uint64_t to[LANES];
    const Step *s = &x->env->step;
    const uint64_t *offset = row(&x->w->l, x->d->vector[0]);
    for (int n = 0; n < LANES; n++) {
        to[n] = x->d->flags & D_LONG ? ((const uint64_t *)row(&x->w->l, x->d->b))[n] + offset[n]
                                     : ((const uint32_t *)row(&x->w->l, x->d->b))[n] + (uint32_t)offset[n];
        if (to[n] >= SHARED_WINDOW && to[n] < LOCAL_WINDOW) to[n] -= SHARED_WINDOW;
    }
    const uint32_t all = x->mask;
    x->mask = s->mask & all & ~x->env->over.now;
    x->env->over.now = 0;
    x->read = true;
    const uint32_t *size = row(&x->w->l, x->d->c);
    for (uint32_t m = x->mask; m; m &= m - 1)  // part of a copy isn't looked at
        if (size[__builtin_ctz(m)] < x->bytes || s->space == SP_NONE) x->mask &= ~(m & -m);
    if (x->mask) in_space(x, SP_GLOBAL);
    async_copy(x->env, x->w, x->d, to, all);
}

static void proxy_access(const Access *x, uint32_t lane)
{
    const uint64_t at = x->addr[lane];
    const Touch *write = page_at(x->c, at)->cells.write;
    for (uint32_t done = 0; write && done < x->bytes; done += 4) {
        const Touch wrote = write[(at + done) % PAGE / 4];
        if (!check_unfenced(x, wrote)) continue;
        check_proxy(x, lane, wrote, at + done);
        return;
    }
}

// A reduction reads what it adds to, and is a strong access.
void check_bulk(Env *env, Warp *w, const Dinst *d, uint32_t lane, const CopyRow *r, CopyWay way, uint32_t segment)
{
    enum { PIECE = 16 };
    uint64_t addr[LANES] = {0};
    Access x = access_by(env, w, d);
    x.addr = addr, x.mask = 1u << lane;
    x.read = way == COPY_IN, x.write = way != COPY_IN, x.strong = way == COPY_REDUCE, x.copy = segment;
    if (way == COPY_REDUCE) {
        x.bytes = r->bytes;
        if (!was_written(x.c, r->address, r->bytes)) report_unwritten(&x, SP_GLOBAL, lane, r->address);
        check_written(x.c, r->address, r->bytes, true);
        if (!segment) return;
    }
    for (uint32_t done = 0; done < r->bytes; done += PIECE) {
        const uint64_t found = x.c->found;
        x.bytes = MIN(r->bytes - done, (uint32_t)PIECE);
        addr[lane] = r->address + done;
        in_space(&x, SP_GLOBAL);
        if (x.read && found == x.c->found) proxy_access(&x, lane);
    }
}

void check_given(Cta *cta, uint32_t at, uint32_t bytes)
{
    if (cta->check && cta->check->written) bits_set(cta->check->written, at, bytes, true);
}

void check_access(Env *env, Warp *w, const Dinst *d)
{
    const Step *s = &env->step;
    Access x = access_by(env, w, d);
    x.addr = s->addr, x.mask = s->mask;
    x.bytes = d->space == SP_TEX ? s->bytes : (uint32_t)d->bytes * d->vec;  // a surface's texels have their own size
    x.read = d->kind == X_LD || d->kind == X_LDMATRIX || d->kind == X_ATOM;
    x.write = d->kind == X_ST || d->kind == X_STMATRIX || d->kind == X_ATOM;
    x.strong = d->flags & D_STRONG;
    if (d->soft) return;  // the software L1's own accesses
    uint32_t away = 0;
    for (uint32_t m = env->launch->cluster[0] && s->space == SP_SHARED ? x.mask : 0; m; m &= m - 1)
        if (s->addr[__builtin_ctz(m)] >> BLOCK_SHIFT) away |= m & -m;
    if (away) away_access(&x, away);
    x.mask &= ~away;
    if (!x.mask) return;
    if (d->kind == X_CP_ASYNC) {
        x.mask = w->mask & (d->guard_negated ? ~w->l.pred[d->guard] : w->l.pred[d->guard]);
        copy_access(&x);
        return;
    }
    x.mask &= ~env->over.now;
    env->over.now = 0;
    if (x.mask && (s->space == SP_GLOBAL || s->space == SP_SHARED || s->space == SP_LOCAL)) in_space(&x, s->space);
    x.mask = s->other_mask;
    if (x.mask && (s->other_space == SP_SHARED || s->other_space == SP_LOCAL)) in_space(&x, s->other_space);
}

void check_group(Env *env, Warp *w, const Dinst *d, const uint64_t *addr, uint32_t n, uint32_t bytes)
{
    if (n) async_product(env, w, d, addr, n, bytes);
}
