// files.c: what lies in the LRF and the ORF. A value is what one or more writes make and what reads find, within a
// strand. Each value has a range of instructions, from the first that makes it to the last that reads it. The values
// are ranked by the energy that they save for an instruction of their range, and each takes the smallest file that
// serves it and is free as long; if none is, its last reads are left to the main file (Gebhart et al., MICRO 2011, §4).
// A word that the main file has and that is read more than once stays in the ORF from its first read on. Invariants: a
// read is served by a small file only if on every path from the strand's start something has put the word there; and a
// write goes to the main file if on some path the main file is read before the word is overwritten.
#include <stdlib.h>
#include <string.h>

#include "ptx/pass.h"
#include "ptx/strands.h"

#define NO_VALUE UINT32_MAX
// Energies of an access, of which only the ratios matter: the main file's are Table 4's (9.8 and 11.8 pJ for a bank of
// 8 KB); those of the small files aren't in the paper, and are assumed.
static const double read_energy[] = {9.8, 0.7, 1.9}, write_energy[] = {11.8, 2.0, 4.8};  // main, LRF, ORF

typedef struct Value {
    uint32_t to;           // another value that it is one with, or itself
    uint32_t first, last;  // instructions
    uint32_t at, count;    // its accesses: Build.by_value[at], …, as they stand in the text
    bool escapes;          // the main file needs it, too
    bool small;            // the LRF can serve it
    double rank;
} Value;
typedef struct Bind {
    uint32_t slot, value;
} Bind;
typedef struct Binds {
    Bind *v;
    uint32_t n;
} Binds;
typedef struct Build {
    const Flow *w;
    Files *f;
    uint32_t words;
    VEC(Value) values;
    uint32_t *value;     // per access, or NO_VALUE
    uint32_t *by_value;  // accesses, value by value
    uint32_t *inst;      // per access: its instruction
    bool *born;  // per access: it puts its word into the value's file; of a read, which had it from the main file
    bool *main;  // per access: a read of the main file
    // While values are found:
    uint32_t *now, *seen;  // per slot: the value that it has, or NO_VALUE; of how many ways in it is known
    VEC(uint32_t) bound;   // slots that have one
    Binds *out;            // per block: what its slots have when it ends
    uint64_t *wanted;      // per block, a set of slots: the main file is read before they are written
    uint64_t **busy;       // per entry, LRF first, and instruction: a bit
} Build;

// --- values ----------------------------------------------------------------------------------------------------------
static uint32_t root(Build *b, uint32_t v)
{
    while (b->values.v[v].to != v) v = b->values.v[v].to = b->values.v[b->values.v[v].to].to;
    return v;
}

static uint32_t new_value(Build *b)
{
    Value v = {.to = (uint32_t)b->values.n, .first = UINT32_MAX};
    vec_push(&b->values, v);
    return v.to;
}

static void bind(Build *b, uint32_t slot, uint32_t value)
{
    if (b->now[slot] == NO_VALUE && value != NO_VALUE) vec_push(&b->bound, slot);
    b->now[slot] = value;
}

static void unbind_all(Build *b)
{
    for (size_t k = 0; k < b->bound.n; k++) b->now[b->bound.v[k]] = NO_VALUE;
    b->bound.n = 0;
}

// What the slots have when a block begins: what they have on every way in. Values that meet are one.
static void enter_block(Build *b, uint32_t at)
{
    const Block *k = &b->w->blocks.v[at];
    unbind_all(b);
    if (b->f->start[k->first]) return;  // all ways in come from above otherwise
    uint32_t ways = 0;
    for (size_t p = 0; p < k->pred.n; p++) {
        uint32_t from = k->pred.v[p];
        if (b->w->blocks.v[from].dom_first == NO_BLOCK) continue;  // nothing leads there
        const Binds *o = &b->out[from];
        for (uint32_t n = 0; n < o->n; n++) {
            Bind x = o->v[n];
            if (!ways) {
                bind(b, x.slot, x.value);
                b->seen[x.slot] = 1;
            } else if (b->now[x.slot] != NO_VALUE && b->seen[x.slot] == ways) {
                uint32_t one = root(b, b->now[x.slot]), other = root(b, x.value);
                b->values.v[MAX(one, other)].to = MIN(one, other);
                b->seen[x.slot]++;
            }
        }
        ways++;
    }
    for (size_t n = 0; n < b->bound.n; n++)
        if (b->seen[b->bound.v[n]] != ways) b->now[b->bound.v[n]] = NO_VALUE;
}

static void leave_block(Build *b, uint32_t at)
{
    Binds *o = &b->out[at];
    o->v = mem_alloc(sizeof *o->v * (b->bound.n + 1));
    for (size_t k = 0; k < b->bound.n; k++) {
        uint32_t slot = b->bound.v[k];
        if (b->now[slot] != NO_VALUE) o->v[o->n++] = (Bind){slot, b->now[slot]};
    }
}

static void find_values(Build *b)
{
    const Files *f = b->f;
    for (uint32_t at = 0; at + 1 < b->w->blocks.n; at++) {
        const Block *k = &b->w->blocks.v[at];
        if (k->dom_first == NO_BLOCK) continue;
        enter_block(b, at);
        for (uint32_t i = k->first; i < k->last; i++) {
            const Inst *inst = &b->w->f->insts.v[i];
            if (f->start[i]) unbind_all(b);
            for (uint32_t x = f->first[i]; x < f->first[i + 1]; x++) {
                const RegAccess *a = &f->access[x];
                uint32_t old = b->now[a->slot];
                b->inst[x] = i;
                // The main file has it; it may stay in the ORF from here on, if all lanes read it.
                b->born[x] = a->write || (old == NO_VALUE && !inst->guarded);
                if (!a->write && b->born[x]) bind(b, a->slot, new_value(b));
                // What memory brings comes too late. A guarded write goes on with the value that was there.
                if (a->write && strand_long(b->w->f, inst)) bind(b, a->slot, NO_VALUE);
                if (a->write && !strand_long(b->w->f, inst) && !(inst->guarded && old == NO_VALUE))
                    bind(b, a->slot, inst->guarded ? old : new_value(b));
                b->value[x] = b->now[a->slot];
            }
        }
        leave_block(b, at);
    }
}

static void gather_values(Build *b)
{
    uint32_t n = b->f->first[b->w->f->insts.n], at = 0;
    for (uint32_t x = 0; x < n; x++)
        if (b->value[x] != NO_VALUE) b->values.v[b->value[x] = root(b, b->value[x])].count++;
    for (size_t v = 0; v < b->values.n; v++) {
        b->values.v[v].at = at, b->values.v[v].small = true;
        at += b->values.v[v].count;
        b->values.v[v].count = 0;
    }
    for (uint32_t x = 0; x < n; x++) {
        if (b->value[x] == NO_VALUE) continue;
        Value *v = &b->values.v[b->value[x]];
        b->by_value[v->at + v->count++] = x;
        v->first = MIN(v->first, b->inst[x]), v->last = MAX(v->last, b->inst[x]);
        v->small &= inst_on_alu(&b->w->f->insts.v[b->inst[x]]) && (b->f->access[x].write || !b->born[x]);
    }
}

// --- what the main file needs ----------------------------------------------------------------------------------------
typedef void Wanted(Build *b, uint32_t access, bool wanted);

// One block backwards, from the words that are wanted when it ends to those when it begins.
static void pass_block(Build *b, uint32_t at, uint64_t *now, Wanted *tell)
{
    const Block *k = &b->w->blocks.v[at];
    for (uint32_t i = k->last; i-- > k->first;)
        for (uint32_t x = b->f->first[i + 1]; x-- > b->f->first[i];) {  // writes before reads
            const RegAccess *a = &b->f->access[x];
            uint64_t *word = &now[a->slot / 64], bit = 1ull << a->slot % 64;
            if (a->write && tell) tell(b, x, (*word & bit) != 0);
            if (a->write && !b->w->f->insts.v[i].guarded) *word &= ~bit;
            if (!a->write && b->main[x]) *word |= bit;
        }
}

static void want_after(const Build *b, uint32_t at, uint64_t *now)
{
    const Block *k = &b->w->blocks.v[at];
    memset(now, 0, b->words * 8);
    for (size_t n = 0; n < k->succ.n; n++)
        for (uint32_t x = 0; x < b->words; x++) now[x] |= b->wanted[(size_t)k->succ.v[n] * b->words + x];
}

// Which writes the main file needs, as its reads are now.
static void find_wanted(Build *b, Wanted *tell)
{
    uint64_t *now = mem_alloc(b->words * 8);
    memset(b->wanted, 0, b->w->blocks.n * b->words * 8);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t n = b->w->order.n; n-- > 0;) {
            uint32_t at = b->w->order.v[n];
            uint64_t *in = b->wanted + (size_t)at * b->words;
            want_after(b, at, now);
            pass_block(b, at, now, NULL);
            changed |= memcmp(in, now, b->words * 8) != 0;
            memcpy(in, now, b->words * 8);
        }
    }
    for (size_t n = 0; n < b->w->order.n; n++) {
        want_after(b, b->w->order.v[n], now);
        pass_block(b, b->w->order.v[n], now, tell);
    }
    mem_free(now);
}

static void note_escape(Build *b, uint32_t x, bool wanted)
{
    if (wanted && b->value[x] != NO_VALUE) b->values.v[b->value[x]].escapes = true;
}

static void note_main(Build *b, uint32_t x, bool wanted)
{
    b->f->access[x].main = wanted || b->f->access[x].file == FILE_MAIN;
}

// --- choosing --------------------------------------------------------------------------------------------------------
static double saves(const Build *b, uint32_t x, int file)  // an access, if its value lies there
{
    return b->born[x] ? -write_energy[file] : read_energy[FILE_MAIN] - read_energy[file];
}

// What a value saves if it lies in a file and all its reads are served.
static double worth(const Build *b, const Value *v, int file)
{
    double sum = 0;
    for (uint32_t k = v->at; k < v->at + v->count; k++) {
        uint32_t x = b->by_value[k];
        sum += saves(b, x, file);
        if (b->f->access[x].write && !v->escapes) sum += write_energy[FILE_MAIN];
    }
    return sum;
}

static bool is_free(const uint64_t *busy, uint32_t first, uint32_t last)  // instructions [first, last)
{
    for (uint32_t i = first; i < last; i = (i / 64 + 1) * 64) {
        uint64_t bits = busy[i / 64] >> i % 64;
        if (last - i < 64 - i % 64) bits &= (1ull << (last - i)) - 1;
        if (bits) return false;
    }
    return true;
}

static void put(Build *b, const Value *v, uint32_t count, uint32_t last, uint32_t file)
{
    for (uint32_t i = v->first; i < last; i++) b->busy[file][i / 64] |= 1ull << i % 64;
    for (uint32_t k = v->at; k < v->at + count; k++) {
        uint32_t x = b->by_value[k];
        RegAccess *a = &b->f->access[x];
        a->file = (uint8_t)file;
        if (a->write) continue;
        a->main = b->born[x];
        b->main[x] = b->born[x];
    }
}

static void place(Build *b, const Value *v, uint32_t last_entries, uint32_t operand_entries)
{
    if (v->small && last_entries && worth(b, v, FILE_LAST) > 0 && is_free(b->busy[FILE_LAST], v->first, v->last)) {
        put(b, v, v->count, v->last, FILE_LAST);
        return;
    }
    double gain = worth(b, v, FILE_OPERAND);
    for (uint32_t n = v->count; n > 1; n--) {  // the last reads are left to the main file, one after the other
        uint32_t x = b->by_value[v->at + n - 1], end = b->inst[x];
        for (uint32_t e = 0; gain > 0 && !b->born[x] && e < operand_entries; e++) {
            if (!is_free(b->busy[FILE_OPERAND + e], v->first, end)) continue;
            put(b, v, n, end, FILE_OPERAND + e);
            return;
        }
        gain -= saves(b, x, FILE_OPERAND);
        for (uint32_t k = v->at; n == v->count && !v->escapes && k < v->at + n; k++)  // the main file needs it then
            if (b->f->access[b->by_value[k]].write) gain -= write_energy[FILE_MAIN];
    }
}

static int by_rank(const void *a, const void *b)
{
    const Value *x = a, *y = b;
    if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void choose(Build *b, uint32_t last, uint32_t operand)
{
    size_t n = 0;
    for (size_t k = 0; k < b->values.n; k++) {
        Value v = b->values.v[k];
        if (v.to != k || v.last == v.first || v.count < 2) continue;
        v.rank = worth(b, &v, FILE_OPERAND) / (v.last - v.first);
        b->values.v[n++] = v;
    }
    if (n) qsort(b->values.v, n, sizeof *b->values.v, by_rank);
    for (size_t k = 0; k < n; k++) place(b, &b->values.v[k], last, operand);
}

// --- all of it -------------------------------------------------------------------------------------------------------
static void open_build(Build *b, const Alloc *a)
{
    const Flow *w = b->w;
    uint32_t n = b->f->first[w->f->insts.n], slots = a->slots + 1;
    b->words = a->slots / 64 + 1;
    b->value = mem_alloc(sizeof *b->value * (n + 1));
    b->by_value = mem_alloc(sizeof *b->by_value * (n + 1));
    b->inst = mem_alloc(sizeof *b->inst * (n + 1));
    b->born = mem_alloc(n + 1), b->main = mem_alloc(n + 1);
    b->now = mem_alloc(sizeof *b->now * slots), b->seen = mem_alloc(sizeof *b->seen * slots);
    b->out = mem_alloc(sizeof *b->out * w->blocks.n);
    b->wanted = mem_alloc(w->blocks.n * b->words * 8);
    b->busy = mem_alloc(sizeof *b->busy * FILES_COUNT);
    for (uint32_t k = FILE_LAST; k < FILES_COUNT; k++) b->busy[k] = mem_alloc((w->f->insts.n / 64 + 1) * 8);
    for (uint32_t k = 0; k < slots; k++) b->now[k] = NO_VALUE;
    for (uint32_t x = 0; x < n; x++) b->value[x] = NO_VALUE;
}

static void close_build(Build *b)
{
    for (uint32_t k = 0; k < b->w->blocks.n; k++) mem_free(b->out[k].v);
    for (uint32_t k = FILE_LAST; k < FILES_COUNT; k++) mem_free(b->busy[k]);
    mem_free(b->value), mem_free(b->by_value), mem_free(b->inst), mem_free(b->born), mem_free(b->main);
    mem_free(b->now), mem_free(b->seen), mem_free(b->out), mem_free(b->wanted), mem_free(b->busy);
    vec_free(&b->values), vec_free(&b->bound);
}

// Strands are found by all words; after that the first of a register stands for it.
static void keep_first_words(Files *f, uint32_t insts)
{
    uint32_t kept = 0, from = 0;
    for (uint32_t i = 0; i < insts; i++) {
        uint32_t to = f->first[i + 1];
        f->first[i] = kept;
        for (; from < to; from++)
            if (!f->access[from].more) f->access[kept++] = f->access[from];
    }
    f->first[insts] = f->first[insts + 1] = kept;
}

Files *files_allocate(const Flow *w, const Alloc *a, uint32_t last, uint32_t operand, bool whole)
{
    Build b = {.w = w, .f = strands_find(w, a)};
    if (whole) keep_first_words(b.f, (uint32_t)w->f->insts.n);
    if (!files_fit(w, a)) return b.f;
    open_build(&b, a);
    find_values(&b);
    gather_values(&b);
    for (uint32_t x = 0; x < b.f->first[w->f->insts.n]; x++)
        b.main[x] = !b.f->access[x].write && (b.value[x] == NO_VALUE || b.born[x]);
    find_wanted(&b, note_escape);
    for (uint32_t x = 0; x < b.f->first[w->f->insts.n]; x++) b.main[x] = !b.f->access[x].write;
    choose(&b, last, operand);
    find_wanted(&b, note_main);
    close_build(&b);
    return b.f;
}

// --- as text ---------------------------------------------------------------------------------------------------------
static void print_access(const RegAccess *x, Text *out)
{
    text_printf(out, " R%u", x->slot);
    if (x->file == FILE_LAST) text_put(out, x->main ? " lrf+main" : " lrf");
    if (x->file >= FILE_OPERAND) text_printf(out, " orf%d%s", x->file - FILE_OPERAND, x->main ? "+main" : "");
    if (x->file == FILE_MAIN) text_put(out, " main");
}

static void print_files(const Function *f, const Files *files, Text *out)
{
    for (uint32_t i = 0; i < f->insts.n; i++) {
        for (size_t l = 0; l < f->labels.n; l++)
            if (f->labels.v[l].defined && f->labels.v[l].inst == i) text_printf(out, "%s:\n", f->labels.v[l].name);
        if (files->start[i])
            text_put(out, files->start[i] & STRAND_WAITS ? "-- strand, waits for loads\n" : "-- strand\n");
        text_put(out, "    ");
        ptx_print_inst(f, &f->insts.v[i], out);
        bool write = false;
        for (uint32_t x = files->first[i]; x < files->first[i + 1]; x++) {
            const RegAccess *a = &files->access[x];
            text_put(out, x == files->first[i] ? "  //" : a->write == write ? "," : "");
            if (a->write && !write) text_put(out, " =>");
            write = a->write;
            print_access(a, out);
        }
        text_put(out, "\n");
    }
}

void files_print(const Function *parsed, uint32_t last, uint32_t operand, Text *out)
{
    Function *f = ptx_lower(parsed, 0);
    Flow *w = flow_build(f);
    flow_live(w);
    Alloc *a = alloc_colour(w);
    Files *files = files_allocate(w, a, last, operand, false);
    print_files(f, files, out);
    files_free(files);
    alloc_free(a);
    flow_free(w);
    ptx_lowered_free(f);
}
