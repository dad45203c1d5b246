// bulk.c: copies in bulk, which one thread asks for (PTX ISA §9.7.9.25.4–5): between global memory and the block's
// shared memory, to another block's, parts of tensors by a map, and single words (st.async, red.async). The values go
// where they belong at once, since nobody may look before the barrier says so; what belongs to another block, and sums
// in global memory, come at the window's edge. Invariant: a copy is checked whole before it has an effect.
#include "exec/check.h"
#include "ptx/ops.h"

enum { UNIT = 16, LINE = 128 };

typedef struct Job {  // one lane's copy
    Env *env;
    Warp *warp;
    const Dinst *d;
    const BulkForm *form;
    uint32_t lane;
    Copy copy;
    Cta *to;      // whose shared memory has, or gets, the bytes,
    uint32_t at;  // and where
    uint8_t *data;
    TensorMap map;
    int64_t coordinate[MAX_RANK], offset[3];
} Job;

static bool fail(const Job *j, FaultKind kind, uint64_t address, uint32_t bytes, bool write)
{
    exec_fault(j->env, j->warp, kind, j->lane, address, bytes, write);
    return false;
}

static uint32_t word(const Job *j, Loc32 at) { return ((const uint32_t *)row(&j->warp->l, at))[j->lane]; }

static uint64_t place(const Job *j, int k)
{
    const Lanes *l = &j->warp->l;
    const uint64_t offset = ((const uint64_t *)row(l, j->form->at[k].offset))[j->lane];
    if (j->form->at[k].wide) return ((const uint64_t *)row(l, j->form->at[k].base))[j->lane] + offset;
    return ((const uint32_t *)row(l, j->form->at[k].base))[j->lane] + (uint32_t)offset;
}

// The type of elements that are combined: the instruction's, or the tensor's.
static uint8_t type_of(const Job *j)
{
    static const uint8_t types[] = {TY_U8,  TY_U16, TY_U32,  TY_S32, TY_U64, TY_S64, TY_F16,
                                    TY_F32, TY_F64, TY_BF16, TY_F32, TY_F32, TY_F32};
    return j->form->tensor ? types[j->map.type] : j->d->type;
}

// --- shared memory ---------------------------------------------------------------------------------------------------
// Operand k is an address in shared memory, with room for so many bytes.
static bool shared_place(const Job *j, int k, uint32_t bytes, uint32_t align, Cta **cta, uint32_t *at)
{
    uint64_t a = place(j, k);
    *cta = cluster_block(j->warp, &a);
    if (!*cta) return fail(j, FAULT_CLUSTER, a, bytes, true);
    if (a > (*cta)->shared_bytes || bytes > (*cta)->shared_bytes - a) return fail(j, FAULT_SHARED, a, bytes, true);
    if (a % align) return fail(j, FAULT_MISALIGNED_SHARED, a, align, true);
    *at = (uint32_t)a;
    return true;
}

static bool own_place(const Job *j, int k, uint32_t bytes, uint32_t align, uint32_t *at)
{
    Cta *cta;
    if (!shared_place(j, k, bytes, align, &cta, at)) return false;
    return cta == j->warp->cta || fail(j, FAULT_SHARED, place(j, k), bytes, false);
}

// What a copy touches of shared memory: units of the last row of a swizzle may come behind the box.
static uint32_t room_of(const Job *j)
{
    const bool rows = j->form->tensor && j->map.swizzle;
    return rows ? (j->copy.bytes + LINE - 1) / LINE * LINE : j->copy.bytes;
}

// The barriers that the copy tells: that of the operand, or with .multicast those at its place in the named blocks.
static bool barrier_place(Job *j)
{
    Copy *c = &j->copy;
    Cta *cta;
    uint64_t object;
    if (!shared_place(j, BULK_BARRIER, 8, 8, &cta, &c->barrier)) return false;
    c->blocks = j->form->casts ? (uint16_t)word(j, j->form->blocks) : (uint16_t)(1u << cta->rank);
    if (c->blocks >> cta->cluster->n) return fail(j, FAULT_CLUSTER, c->blocks, c->bytes, true);
    for (uint32_t b = 0; b < cta->cluster->n; b++)  // one may be over, and have made room for another
        if (c->blocks >> b & 1 && !cta->cluster->cta[b]) return fail(j, FAULT_CLUSTER, c->blocks, c->bytes, true);
    return cta != j->warp->cta || mbar_change(cta, c->barrier, 0, 0, &object) ||
           fail(j, FAULT_MBAR, c->barrier, 8, true);
}

// The number of a unit in its row of 128 bytes is crossed with bits of the row's number: one bit with a swizzle of 32
// bytes, two with 64, three with 128.
static uint32_t swizzled(uint32_t at, uint8_t swizzle) { return at ^ ((at / LINE & ((1u << swizzle) - 1)) * UNIT); }

void bulk_put(uint8_t *shared, uint32_t at, const uint8_t *data, uint32_t bytes, uint8_t swizzle)
{
    if (!swizzle) memcpy(shared + at, data, bytes);
    for (uint32_t k = 0; k < bytes && swizzle; k += UNIT) memcpy(shared + swizzled(at + k, swizzle), data + k, UNIT);
}

static void take(uint8_t *data, const uint8_t *shared, uint32_t at, uint32_t bytes, uint8_t swizzle)
{
    if (!swizzle) memcpy(data, shared + at, bytes);
    for (uint32_t k = 0; k < bytes && swizzle; k += UNIT) memcpy(data + k, shared + swizzled(at + k, swizzle), UNIT);
}

// Gives the bytes to a block; another one gets them at the edge.
static void give(const Job *j, Cta *cta, uint32_t at, LateKind kind)
{
    Env *env = j->env;
    const uint8_t swizzle = j->form->tensor ? j->map.swizzle : 0;
    env->changed = env->clock;
    if (cta == j->warp->cta && kind == LATE_WRITE) {
        if (env->check) async_bulk_in(env, j->warp, j->d, j->lane, at, j->copy.bytes, j->copy.barrier);
        bulk_put(cta->shared, at, j->data, j->copy.bytes, swizzle);
        return;
    }
    uint8_t *data = mem_alloc(MAX(j->copy.bytes, 1u));
    memcpy(data, j->data, j->copy.bytes);
    late_do(env, &(Late){.kind = kind,
                         .cta = cta,
                         .number = cta->number,
                         .d = j->d,
                         .doer = j->copy.doer,
                         .type = type_of(j),
                         .at = at,
                         .count = j->copy.bytes,
                         .barrier = j->copy.barrier + 1,
                         .change = swizzle,
                         .data = data});
}

static void give_all(const Job *j)
{
    const Cluster *c = j->warp->cta->cluster;
    if (!j->form->casts) {
        give(j, j->to, j->at, j->form->reduces ? LATE_REDUCE : LATE_WRITE);
        return;
    }
    for (uint32_t b = 0; b < c->n; b++)
        if (j->copy.blocks >> b & 1) give(j, c->cta[b], j->at, LATE_WRITE);
}

// --- global memory ---------------------------------------------------------------------------------------------------
// A stretch of global memory that goes with data. Stretches that follow one another are one.
static void add_row(Job *j, uint64_t address, uint32_t bytes)
{
    Copy *c = &j->copy;
    CopyRow *last = c->rows.n ? &c->rows.v[c->rows.n - 1] : NULL;
    if (last && last->address + last->bytes == address)
        last->bytes += bytes;
    else
        vec_push(&c->rows, ((CopyRow){address, bytes}));
}

static bool check_rows(const Job *j)
{
    const Copy *c = &j->copy;
    const bool write = c->way == COPY_OUT || c->way == COPY_REDUCE;
    for (size_t k = 0; k < c->rows.n; k++) {
        const CopyRow *r = &c->rows.v[k];
        if (global_inside(j->env->gmem, r->address, r->bytes)) continue;
        if (!write && overread_passes(j->env, r->address, r->bytes)) {
            overread_note(j->env, j->warp, FAULT_BOUNDS, j->lane, r->address, r->bytes);
            continue;
        }
        const Allocation *a = gmem_find(j->env->gmem, r->address);
        const FaultKind kind = r->address < 4096 ? FAULT_NULL : a && a->freed ? FAULT_FREED : FAULT_BOUNDS;
        return fail(j, kind, r->address, r->bytes, write);
    }
    return true;
}

static void fetch(const Job *j, uint64_t address, uint8_t *to, uint32_t bytes)
{
    if (j->env->over.now >> j->lane & 1) {
        overread_fetch(j->env, address, to, bytes);
        return;
    }
    memcpy(to, gmem_host(j->env->gmem, address), bytes);
    if (j->env->log && j->env->log->lines.n) log_patch(j->env->log, address, to, bytes);
}

static void send(const Job *j, uint64_t address, const uint8_t *from, uint32_t bytes)
{
    Env *env = j->env;
    env->changed = env->clock;
    if (j->copy.way == COPY_REDUCE) {
        uint8_t *data = mem_alloc(bytes);
        memcpy(data, from, bytes);
        late_do(env, &(Late){.kind = LATE_ADD,
                             .d = j->d,
                             .doer = j->copy.doer,
                             .type = type_of(j),
                             .address = address,
                             .count = bytes,
                             .data = data});
    } else if (env->log) {
        log_store(env->log, address, from, bytes, env->window_cycle);
    } else {
        memcpy(gmem_host(env->gmem, address), from, bytes);
    }
}

// --- tensors ---------------------------------------------------------------------------------------------------------
// What a box holds, stretch by stretch along the first dimension: from byte `at` of it on, `bytes`, which lie at that
// address, or outside of the tensor (inside false).
typedef void Stretch(Job *j, uint32_t at, uint64_t address, uint32_t bytes, bool inside);

static void note(Job *j, uint32_t at, uint64_t address, uint32_t bytes, bool inside)
{
    (void)at;
    if (inside) add_row(j, address, bytes);
}

// NaN where the map asks for it, else zeros (the bytes are there).
static void fill(const Job *j, uint8_t *to, uint32_t bytes)
{
    static const uint8_t half[2] = {0xff, 0x7f}, single[4] = {0xff, 0xff, 0xff, 0x7f},
                         wide[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    const uint32_t each = tensor_map_bytes(&j->map);
    const uint8_t *nan = each == 2 ? half : each == 4 ? single : wide;
    for (uint32_t k = 0; j->map.nan && k < bytes; k++) to[k] = nan[k % each];
}

static void read_stretch(Job *j, uint32_t at, uint64_t address, uint32_t bytes, bool inside)
{
    if (inside)
        fetch(j, address, j->data + at, bytes);
    else
        fill(j, j->data + at, bytes);
}

static void write_stretch(Job *j, uint32_t at, uint64_t address, uint32_t bytes, bool inside)
{
    if (inside) send(j, address, j->data + at, bytes);
}

// So many elements of the first dimension from c on, in steps, of the row that begins at base.
static void walk_row(Job *j, uint32_t at, uint64_t base, int64_t c, uint32_t n, uint32_t step, bool inside, Stretch *f)
{
    const uint32_t each = tensor_map_bytes(&j->map);
    const int64_t size = (int64_t)j->map.size[0];
    for (uint32_t k = 0; k < n;) {
        const int64_t x = c + (int64_t)k * step;
        const bool in = inside && x >= 0 && x < size;
        uint32_t more = 1;
        if (!inside)
            more = n;
        else if (step == 1)
            more = (uint32_t)MIN((int64_t)(n - k), in ? size - x : x < 0 ? -x : (int64_t)(n - k));
        f(j, at + k * each, base + (uint64_t)x * each, more * each, in);
        k += more;
    }
}

static void walk_tile(Job *j, Stretch *f)
{
    const TensorMap *t = &j->map;
    uint32_t n[MAX_RANK] = {1, 1, 1, 1, 1}, k[MAX_RANK] = {0}, at = 0;
    for (int d = 0; d < t->rank; d++) n[d] = (t->box[d] + t->step[d] - 1) / t->step[d];
    for (int d = 0; d < MAX_RANK;) {
        uint64_t base = t->base;
        bool inside = true;
        for (int e = 1; e < t->rank; e++) {
            const int64_t x = j->coordinate[e] + (int64_t)k[e] * t->step[e];
            inside &= x >= 0 && x < (int64_t)t->size[e];
            base += (uint64_t)x * t->stride[e];
        }
        walk_row(j, at, base, j->coordinate[0], n[0], t->step[0], inside, f);
        at += n[0] * tensor_map_bytes(t);
        for (d = 1; d < MAX_RANK && ++k[d] == n[d]; d++) k[d] = 0;
    }
}

// Pixels come one after the other, within the box that the corners leave, each with its channels (§5.5.4).
static void walk_pixels(Job *j, Stretch *f)
{
    const TensorMap *t = &j->map;
    const int inner = t->rank - 2;
    int64_t x[MAX_RANK];
    memcpy(x, j->coordinate, sizeof x);
    for (uint32_t p = 0; p < t->pixels; p++) {
        uint64_t base = t->base;
        bool inside = true;
        for (int e = 1; e < t->rank; e++) {
            const int64_t at = x[e] + (e <= inner ? j->offset[e - 1] : 0);
            inside &= at >= 0 && at < (int64_t)t->size[e];
            base += (uint64_t)at * t->stride[e];
        }
        walk_row(j, p * t->channels * tensor_map_bytes(t), base, x[0], t->channels, 1, inside, f);
        int e = 1;
        for (; e <= inner; e++) {
            x[e] += t->step[e];
            if (x[e] < (int64_t)t->size[e] + t->upper[e - 1]) break;
            x[e] = t->lower[e - 1];
        }
        if (e > inner) x[t->rank - 1]++;
    }
}

static void walk(Job *j, Stretch *f)
{
    if (j->map.im2col)
        walk_pixels(j, f);
    else
        walk_tile(j, f);
}

static uint64_t box_bytes(const TensorMap *t)
{
    uint64_t bytes = tensor_map_bytes(t);
    if (t->im2col) return bytes * t->channels * t->pixels;
    for (int k = 0; k < t->rank; k++) bytes *= (t->box[k] + t->step[k] - 1) / t->step[k];
    return bytes;
}

// The map at an address is none, or not one for this instruction, or a field of it can't be changed so.
static bool no_map(const Job *j, uint64_t address, bool write, const char *why)
{
    Fault *f = &j->env->fault;
    fail(j, FAULT_TENSOR_MAP, address, TENSOR_MAP_BYTES, write);
    snprintf(f->note, sizeof f->note, "%s", why);
    return false;
}

// A map may lie in global memory, which constants are part of, or among the parameters; its address is generic.
static bool read_map(Job *j)
{
    const Lanes *l = &j->warp->l;
    const Kernel *k = j->env->launch->kernel;
    const uint64_t address =
        j->form->map_wide ? ((const uint64_t *)row(l, j->form->map))[j->lane] : word(j, j->form->map);
    const uint64_t param = address - PARAM_WINDOW;
    uint8_t bytes[TENSOR_MAP_BYTES];
    if (address % 64) return no_map(j, address, false, "its address is no multiple of 64");
    if (k->param_bytes >= TENSOR_MAP_BYTES && param <= k->param_bytes - TENSOR_MAP_BYTES)
        memcpy(bytes, j->env->launch->params + param, sizeof bytes);
    else if (global_inside(j->env->gmem, address, sizeof bytes))
        fetch(j, address, bytes, sizeof bytes);
    else
        return fail(j, FAULT_BOUNDS, address, TENSOR_MAP_BYTES, false);
    const uint16_t mode = j->d->inst->mod[G_MODE];
    const bool pixels = mode == M_IM2COL || mode == M_IM2COL_NO_OFFS;
    const char *flaw = tensor_map_read(&j->map, bytes);
    if (!flaw && j->map.rank != j->form->rank) flaw = "rank: the instruction has another number of dimensions";
    if (!flaw && j->map.im2col != pixels)
        flaw = pixels ? "it is for tiles, and the instruction for im2col"
                      : "it is for im2col, and the instruction for tiles";
    return !flaw || no_map(j, address, false, flaw);
}

// --- one copy --------------------------------------------------------------------------------------------------------
// How many bytes, and which of global memory.
static bool measure(Job *j)
{
    const BulkForm *f = j->form;
    Copy *c = &j->copy;
    if (f->tensor) {
        if (!read_map(j)) return false;
        for (int k = 0; k < f->rank; k++) j->coordinate[k] = (int32_t)word(j, f->coordinate[k]);
        for (int k = 0; k < f->offsets; k++) j->offset[k] = (uint16_t)word(j, f->offset[k]);
        const uint64_t bytes = box_bytes(&j->map);
        if (bytes > MAX_SHARED) return fail(j, FAULT_SHARED, 0, UINT32_MAX, true);
        c->bytes = (uint32_t)bytes;
        walk(j, note);
        return check_rows(j);
    }
    c->bytes = word(j, f->size);
    if (c->way == COPY_ACROSS) return c->bytes % UNIT == 0 || fail(j, FAULT_BULK, 0, c->bytes, true);
    const uint64_t address = place(j, BULK_OTHER);
    if (c->bytes % UNIT || address % UNIT) return fail(j, FAULT_BULK, address, c->bytes, c->way != COPY_IN);
    if (c->bytes) add_row(j, address, c->bytes);
    return check_rows(j);
}

static bool copy_in(Job *j)
{
    const uint32_t align = j->form->tensor ? LINE : UNIT;
    if (!shared_place(j, BULK_SHARED, room_of(j), align, &j->to, &j->at) || !barrier_place(j)) return false;
    j->data = mem_alloc(MAX(j->copy.bytes, 1u));
    if (j->form->tensor)
        walk(j, read_stretch);
    else if (j->copy.bytes)
        fetch(j, j->copy.rows.v[0].address, j->data, j->copy.bytes);
    give_all(j);
    return true;
}

static bool copy_out(Job *j)
{
    const uint32_t align = j->form->tensor ? LINE : UNIT;
    if (!own_place(j, BULK_SHARED, room_of(j), align, &j->at)) return false;
    j->data = mem_alloc(MAX(j->copy.bytes, 1u));
    take(j->data, j->warp->cta->shared, j->at, j->copy.bytes, j->form->tensor ? j->map.swizzle : 0);
    if (j->form->tensor)
        walk(j, write_stretch);
    else if (j->copy.bytes)
        send(j, j->copy.rows.v[0].address, j->data, j->copy.bytes);
    return true;
}

static bool copy_across(Job *j)
{
    uint32_t from;
    if (!own_place(j, BULK_SHARED, j->copy.bytes, UNIT, &from)) return false;
    if (!shared_place(j, BULK_OTHER, j->copy.bytes, UNIT, &j->to, &j->at) || !barrier_place(j)) return false;
    j->data = mem_alloc(MAX(j->copy.bytes, 1u));
    memcpy(j->data, j->warp->cta->shared + from, j->copy.bytes);
    give_all(j);
    return true;
}

// st.async and red.async: a word or a vector of registers.
static bool store_word(Job *j)
{
    const Dinst *d = j->d;
    const uint32_t bytes = (uint32_t)d->bytes * d->vec;
    j->copy.bytes = bytes;
    if (!shared_place(j, BULK_OTHER, bytes, bytes, &j->to, &j->at) || !barrier_place(j)) return false;
    j->data = mem_alloc(bytes);
    for (int e = 0; e < d->vec; e++) {
        const void *r = row(&j->warp->l, j->form->value[e]);
        if (d->bytes == 8)
            memcpy(j->data + 8 * e, (const uint64_t *)r + j->lane, 8);
        else
            memcpy(j->data + 4 * e, (const uint32_t *)r + j->lane, 4);
    }
    give_all(j);
    return true;
}

// What --check is told of global memory, and of what goes out of the block's shared memory.
static void tell_check(const Job *j)
{
    const Copy *c = &j->copy;
    uint32_t segment = 0;
    if (c->way == COPY_OUT || c->way == COPY_REDUCE)
        segment = async_bulk_out(j->env, j->warp, j->d, j->lane, j->at, c->bytes);
    for (size_t k = 0; k < c->rows.n && c->way != COPY_PREFETCH; k++)
        check_bulk(j->env, j->warp, j->d, j->lane, &c->rows.v[k], c->way, segment);
}

static bool copy_lane(Job *j)
{
    if (j->d->op == OP_ST_ASYNC || j->d->op == OP_RED_ASYNC) return store_word(j);
    if (!measure(j)) return false;
    switch (j->copy.way) {
    case COPY_IN: return copy_in(j);
    case COPY_ACROSS: return copy_across(j);
    case COPY_PREFETCH: return true;
    default: return copy_out(j);
    }
}

void exec_bulk(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        Job j = {.env = env, .warp = w, .d = d, .form = d->bulk, .lane = (uint32_t)__builtin_ctz(m)};
        j.copy = (Copy){.way = d->bulk->way,
                        .cta = w->cta,
                        .number = w->cta->number,
                        .stat = env->step.stat,
                        .doer = exec_doer(env, w, j.lane)};
        env->over.now = 0;
        const bool good = copy_lane(&j);
        mem_free(j.data);
        if (good && env->check && !env->over.now) tell_check(&j);
        env->over.now = 0;  // of the next instruction no lane is one of these
        if (good && env->log) {
            vec_push(&env->copies, j.copy);  // the SM takes it
            continue;
        }
        if (good) exec_copied(env, &j.copy);
        vec_free(&j.copy.rows);
        if (!good) return;
    }
}

// --- maps that change ------------------------------------------------------------------------------------------------
static bool change_map(Job *j, uint8_t *map)
{
    const Dinst *d = j->d;
    const void *r = row(&j->warp->l, d->b);
    const uint64_t v = d->type == TY_B64 ? ((const uint64_t *)r)[j->lane] : ((const uint32_t *)r)[j->lane];
    const TensorField field = (TensorField)(d->mod - M_MAP_ADDRESS);
    const char *flaw = tensor_map_set(map, field, (uint32_t)d->imm, v);
    return !flaw || no_map(j, place(j, BULK_OTHER), true, flaw);
}

static bool map_lane(Job *j)
{
    uint8_t map[TENSOR_MAP_BYTES];
    const bool copies = j->d->op == OP_MAP_COPY;
    const uint64_t address = place(j, BULK_OTHER);
    uint8_t *shared = j->warp->cta->shared;
    uint32_t at;
    if (copies && !own_place(j, BULK_SHARED, TENSOR_MAP_BYTES, LINE, &at)) return false;
    if (copies) memcpy(map, shared + at, sizeof map);
    if (!copies && (address < GLOBAL_BASE || (address >= SHARED_WINDOW && address < LOCAL_WINDOW)))
        return own_place(j, BULK_OTHER, TENSOR_MAP_BYTES, LINE, &at) && change_map(j, shared + at);
    if (address % LINE) return fail(j, FAULT_MISALIGNED, address, LINE, true);
    add_row(j, address, TENSOR_MAP_BYTES);
    if (!check_rows(j)) return false;
    if (!copies) {
        fetch(j, address, map, sizeof map);
        if (!change_map(j, map)) return false;
    }
    send(j, address, map, sizeof map);
    return true;
}

void exec_tensor_map(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    if (d->op == OP_MAP_COPY) mask &= -mask;  // the warp does it together
    for (uint32_t m = mask; m; m &= m - 1) {
        Job j = {.env = env, .warp = w, .d = d, .form = d->bulk, .lane = (uint32_t)__builtin_ctz(m)};
        j.copy.way = COPY_OUT;
        const bool good = map_lane(&j);
        vec_free(&j.copy.rows);
        if (!good) return;
    }
}

void exec_copied(Env *env, const Copy *c)
{
    if (!c->cta->running || c->cta->number != c->number) return;
    for (uint32_t b = 0; b < c->cta->cluster->n; b++) {
        Cta *cta = c->cta->cluster->cta[b];
        if (!(c->blocks >> b & 1) || !cta) continue;
        if (cta == c->cta)
            mbar_change(cta, c->barrier, MBAR_COMPLETES, c->bytes, NULL);
        else
            late_do(env, &(Late){.kind = LATE_BARRIER,
                                 .cta = cta,
                                 .number = cta->number,
                                 .doer = c->doer,
                                 .at = c->barrier,
                                 .count = c->bytes,
                                 .change = MBAR_COMPLETES});
    }
}
