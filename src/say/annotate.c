// annotate.c: the source, with what each line did beside it. A line of the kernel counts what was inlined there, too.
// A row for each of its accesses of memory follows it, with the array, and one for each instruction that warps waited
// long before or at. A source that can't be read has its lines' numbers alone.
#include "ptx/ops.h"
#include "ptx/ptx.h"
#include "say/unit.h"

#include <stdlib.h>
#include <string.h>

static const char *own_file(const LineStat *l) { return l->at_file ? l->at_file : l->file; }
static uint32_t own_line(const LineStat *l) { return l->at_file ? l->at_line : l->line; }

static int by_line(const void *a, const void *b)
{
    const LineStat *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

typedef struct Wait {  // an instruction that warps waited long before or at
    LineStat at;
    const Function *f;
    const Inst *inst;
} Wait;

typedef struct Annotation {
    FILE *out;
    InstStat all;
    LineStats accesses;
    VEC(Wait) waits;
    Text source;
} Annotation;

static void put_share(FILE *out, uint64_t part, uint64_t all)
{
    if (part && all)
        fprintf(out, " %5.1f %%", 100.0 * (double)part / (double)all);
    else
        fprintf(out, "        ");
}

static void put_source(const Annotation *a, uint32_t line, const InstStat *s)
{
    char *text = source_line(&a->source, line), count[32] = "";
    if (s) format_count(count, (double)s->issued);
    fprintf(a->out, "  %8s", count);
    put_share(a->out, s ? s->stalls : 0, a->all.stalls);
    put_share(a->out, s ? s->queued : 0, a->all.queued);
    fprintf(a->out, " %5u  %s\n", line, text ? text : "");
    mem_free(text);
}

static void put_access(const Annotation *a, const LineStat *x)
{
    char count[32];
    const InstStat *s = &x->stat;
    format_count(count, (double)s->issued);
    fprintf(a->out, "%34s%s of %s: %s", "", x->what, x->array ? x->array : "memory", count);
    if (s->sectors)
        fprintf(a->out, ", %.3g sectors each", (double)s->sectors / (double)s->issued);
    else if (s->transactions && x->array && !strcmp(x->array, "shared memory"))
        fprintf(a->out, ", %.3g passes each", (double)s->transactions / (double)s->issued);
    if (s->l1_accesses) fprintf(a->out, ", %.1f %% L1 hits", 100.0 * (double)s->l1_hits / (double)s->l1_accesses);
    if (x->at_file) fprintf(a->out, " (%s:%u)", base_name(x->file), x->line);
    fprintf(a->out, "\n");
}

// The accesses of a line of the kernel, the inlined ones with their own place. Gives back how many there are.
static size_t accesses(const Annotation *a, const LineStat *l, bool put)
{
    size_t n = 0;
    for (size_t k = 0; k < a->accesses.n; k++) {
        const LineStat *x = &a->accesses.v[k];
        if (own_line(x) != l->line || strcmp(own_file(x), l->file)) continue;
        n++;
        if (put) put_access(a, x);
    }
    return n;
}

// --- instructions that warps waited before ---------------------------------------------------------------------------
static bool is_much(uint64_t part, uint64_t all)
{
    enum { LEAST = 20 };  // a twentieth of all
    return part && part * LEAST >= all;
}

static bool is_barrier(const Wait *w, const char *text)
{
    return op_info[w->inst->op].class == CLASS_BARRIER || !strncmp(text, "mbarrier", 8);
}

static void find_wait(void *user, const LineStat *l, const Function *f, const Inst *i)
{
    Annotation *a = user;
    const InstStat *s = &l->stat, *all = &a->all;
    if (is_much(s->stalls, all->stalls) || is_much(s->queued, all->queued) || is_much(s->barrier, all->barrier))
        vec_push(&a->waits, ((Wait){*l, f, i}));
}

static void put_wait(FILE *out, uint64_t part, uint64_t all, const char *what, const char *text)
{
    if (is_much(part, all))
        fprintf(out, "%34s%.1f %% of the waits %s %s\n", "", 100.0 * (double)part / (double)all, what, text);
}

static void put_waits(const Annotation *a, const LineStat *line)
{
    for (size_t k = 0; k < a->waits.n; k++) {
        const Wait *w = &a->waits.v[k];
        const InstStat *s = &w->at.stat, *all = &a->all;
        if (own_line(&w->at) != line->line || strcmp(own_file(&w->at), line->file)) continue;
        Text text = {0};
        ptx_print_inst(w->f, w->inst, &text);
        const char *copies = wait_for_copies(w->inst->op);
        put_wait(a->out, s->stalls, all->stalls, copies ? copies : "for memory are before", text.v);
        put_wait(a->out, s->queued, all->queued, "for the LSU are of", text.v);
        if (is_barrier(w, text.v))
            put_wait(a->out, s->barrier, all->barrier, copies ? copies : "at barriers are at", text.v);
        text_free(&text);
    }
}

static bool any_access(const Annotation *a, const char *file)
{
    for (size_t k = 0; k < a->accesses.n; k++)
        if (!strcmp(own_file(&a->accesses.v[k]), file)) return true;
    return false;
}

void annotate_say(const LaunchSum *sum, FILE *out)
{
    enum { NEAR = 3 };  // lines without instructions that are shown between two that have some
    Annotation a = {.out = out};
    LineStats own = {0};
    own_lines_of(sum->code, sum->inst, &own);
    if (own.n) qsort(own.v, own.n, sizeof *own.v, by_line);
    accesses_of(sum->code, sum->inst, sum->names, &a.accesses);
    for (size_t k = 0; k < own.n; k++) add_inst(&a.all, &own.v[k].stat);
    insts_of(sum->code, sum->inst, find_wait, &a);
    for (size_t k = 0; k < own.n; k++) {
        const LineStat *l = &own.v[k];
        bool fresh = !k || strcmp(own.v[k - 1].file, l->file);
        if (fresh) {
            bool there = source_of(sum->code, l->file, &a.source);
            if (there || any_access(&a, l->file))
                fprintf(out, "  %s%s\n    issued   memory      LSU  line\n", l->file,
                        there ? "" : ", which can't be read");
        }
        uint32_t last = fresh ? l->line : own.v[k - 1].line;
        if (a.source.n && l->line - last > NEAR + 1)
            fprintf(out, "%32s\n", "…");
        else
            for (uint32_t n = last + 1; a.source.n && n < l->line; n++) put_source(&a, n, NULL);
        if (a.source.n || accesses(&a, l, false)) put_source(&a, l->line, &l->stat);
        accesses(&a, l, true);
        put_waits(&a, l);
    }
    text_free(&a.source);
    vec_free(&own), vec_free(&a.accesses), vec_free(&a.waits);
}
