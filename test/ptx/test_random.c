// Functions made up by chance: the analyses against slow and obvious ones, the allocation against what lives at once,
// and the lowered, squeezed and allocated forms against the function as written, by running them; what is printed.
#include "check.h"
#include "ptx/ops.h"
#include "ptx/random_ptx.h"
#include "ptx/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 500 };

static bool *reachable(const Flow *w, uint32_t from, uint32_t without, bool backwards)
{
    bool *seen = mem_alloc(w->blocks.n);
    VEC(uint32_t) stack = {0};
    if (from == without) return seen;
    seen[from] = true;
    vec_push(&stack, from);
    while (stack.n) {
        const Block *b = &w->blocks.v[stack.v[--stack.n]];
        size_t n = backwards ? b->pred.n : b->succ.n;
        for (size_t k = 0; k < n; k++) {
            uint32_t to = backwards ? b->pred.v[k] : b->succ.v[k];
            if (to == without || seen[to]) continue;
            seen[to] = true;
            vec_push(&stack, to);
        }
    }
    vec_free(&stack);
    return seen;
}

// a dominates b when no way from the root to b avoids it; the immediate one is dominated by all others.
static void check_dominators(const Flow *w, bool backwards)
{
    uint32_t n = (uint32_t)w->blocks.n, root = backwards ? n - 1 : 0;
    bool *all = reachable(w, root, NO_BLOCK, backwards);
    bool **by = mem_alloc(sizeof *by * n);  // by[a][b]: reachable without a
    for (uint32_t a = 0; a < n; a++) by[a] = reachable(w, root, a, backwards);
    for (uint32_t b = 0; b < n; b++) {
        uint32_t idom = backwards ? w->blocks.v[b].ipdom : w->blocks.v[b].idom;
        if (b == root || !all[b]) {
            assert_int_equal(idom, NO_BLOCK);
            continue;
        }
        assert_true(idom != NO_BLOCK && idom != b && !by[idom][b]);
        for (uint32_t a = 0; a < n; a++)
            if (a != b && all[a] && !by[a][b]) assert_true(a == idom || !by[a][idom]);
        for (uint32_t a = 0; a < n && !backwards; a++)
            assert_int_equal(flow_dominates(w, a, b), a == b || (all[a] && !by[a][b]));
    }
    for (uint32_t a = 0; a < n; a++) mem_free(by[a]);
    mem_free(by), mem_free(all);
}

// A natural loop is its head and what reaches a back edge without passing the head; every back edge belongs to one.
static void check_loops(const Flow *w)
{
    size_t latches = 0, expected = 0;
    bool *all = reachable(w, 0, NO_BLOCK, false);
    for (uint32_t b = 0; b < w->blocks.n; b++)
        for (size_t k = 0; all[b] && k < w->blocks.v[b].succ.n; k++)
            expected += flow_dominates(w, w->blocks.v[b].succ.v[k], b);
    for (size_t l = 0; l < w->loops.n; l++) {
        const Loop *loop = &w->loops.v[l];
        bool *in = mem_alloc(w->blocks.n);
        in[loop->head] = true;
        for (size_t k = 0; k < loop->latches.n; k++) {
            bool *reach = reachable(w, loop->latches.v[k], loop->head, true);
            for (uint32_t b = 0; b < w->blocks.n; b++) in[b] |= reach[b] && all[b];
            mem_free(reach);
        }
        size_t n = 0;
        for (uint32_t b = 0; b < w->blocks.n; b++) n += in[b];
        assert_int_equal(n, loop->blocks.n);
        for (size_t k = 0; k < n; k++) assert_true(in[loop->blocks.v[k]]);
        assert_true(loop->parent == NO_BLOCK ? loop->depth == 1
                                             : loop->parent < l && loop->depth == w->loops.v[loop->parent].depth + 1);
        latches += loop->latches.n;
        mem_free(in);
    }
    assert_int_equal(latches, expected);
    mem_free(all);
}

// --- liveness --------------------------------------------------------------------------------------------------------
typedef struct Seen {
    uint32_t reg;
    bool use, def;
} Seen;

static void look(void *user, uint32_t reg, bool def)
{
    Seen *s = user;
    if (reg == s->reg) *(def ? &s->def : &s->use) = true;
}

// Is reg read on some way on from instruction i before it is surely written?
static bool *live_before(const Flow *w, uint32_t reg)
{
    const Function *f = w->f;
    bool *live = mem_alloc(f->insts.n + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = (uint32_t)f->insts.n; i-- > 0;) {
            Seen s = {reg, false, false};
            inst_regs(&f->insts.v[i], look, &s);
            const Block *b = &w->blocks.v[w->block_of[i]];
            bool after = i + 1 < b->last && live[i + 1];
            for (size_t k = 0; i + 1 == b->last && k < b->succ.n; k++) after |= live[w->blocks.v[b->succ.v[k]].first];
            bool now = s.use || (after && !(s.def && !inst_keeps(&f->insts.v[i])));
            if (now && !live[i]) live[i] = changed = true;
        }
    }
    return live;
}

static int cells(const Function *f, uint32_t reg)
{
    int bits = type_info[f->regs.v[reg].type].bits;
    return bits == 1 ? 0 : (bits + 31) / 32;
}

// Two registers may share where one is a copy of the other: while both live, neither changes.
static bool copies(const Function *f, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < f->insts.n; i++) {
        const Operand *o = f->insts.v[i].opnd;
        if (f->insts.v[i].op != OP_MOV || f->insts.v[i].guarded || o[0].kind != O_REG || o[1].kind != O_REG ||
            o[1].negated)
            continue;
        if ((o[0].reg == a && o[1].reg == b) || (o[0].reg == b && o[1].reg == a)) return true;
    }
    return false;
}

static bool overlap(uint32_t a, int na, uint32_t b, int nb) { return a < b + (uint32_t)nb && b < a + (uint32_t)na; }

static void check_alloc(const Flow *w, const Alloc *a, bool **live)
{
    const Function *f = w->f;
    bool *all = reachable(w, 0, NO_BLOCK, false);
    uint32_t most = 0;
    for (uint32_t r = 0; r < f->regs.n; r++) {
        if (a->slot[r] == NO_REG) continue;
        int n = cells(f, r);
        uint32_t end = a->slot[r] + (uint32_t)MAX(n, 1), row_end = a->place[r] + (uint32_t)MAX(n, 1);
        assert_true(n ? end <= a->slots && row_end <= a->rows : end <= a->preds && row_end <= a->preds);
        assert_true(n < 2 || (a->slot[r] % (uint32_t)n == 0 && a->place[r] % (uint32_t)n == 0));
        // Rows of one width aren't rows of another, whatever lives when: lanes are laid out differently.
        for (uint32_t q = 0; q < r; q++)
            if (a->slot[q] != NO_REG && n && cells(f, q) && cells(f, q) != n)
                assert_false(overlap(a->place[r], n, a->place[q], cells(f, q)));
    }
    for (uint32_t i = 0; i < f->insts.n; i++) {
        if (!all[w->block_of[i]]) continue;
        uint32_t pressure = 0;
        for (uint32_t r = 0; r < f->regs.n; r++) {
            if (!live[r][i]) continue;
            assert_true(a->slot[r] != NO_REG && a->place[r] != NO_REG);
            int n = cells(f, r);
            bool shares = false;
            for (uint32_t q = 0; q < r; q++) {
                int m = cells(f, q);
                if (!live[q][i] || (n == 0) != (m == 0)) continue;
                bool slots = overlap(a->slot[r], MAX(n, 1), a->slot[q], MAX(m, 1));
                bool places = overlap(a->place[r], MAX(n, 1), a->place[q], MAX(m, 1));
                if (slots || places) assert_true(n == m && copies(f, q, r));
                shares |= slots;
            }
            pressure += shares ? 0 : (uint32_t)n;
        }
        most = MAX(most, pressure);
    }
    assert_true(a->slots >= most);
    mem_free(all);
}

static void expect_same(const Function *f, Home home, const Text *want, uint64_t seed, const char *what)
{
    Text got = {0};
    text_put(&got, "");
    bool ends = interpret(f, home, &got);
    // Where it goes on for ever, a copy may have come further when it was stopped.
    if (ends ? strcmp(got.v, want->v) : strncmp(got.v, want->v, MIN(got.n, want->n))) {
        Text text = {0};
        ptx_print_function(f, &text);
        fail_msg("seed %llu, %s does something else:\n%s", (unsigned long long)seed, what, text.v);
    }
    text_free(&got);
}

static void check_allocs(const Function *f, const Text *want, uint64_t seed)
{
    Flow *w = flow_build(f);
    flow_live(w);
    bool **live = mem_alloc(sizeof *live * (f->regs.n + 1));
    for (uint32_t r = 0; r < f->regs.n; r++) {
        live[r] = live_before(w, r);
        bool *all = reachable(w, 0, NO_BLOCK, false);
        for (uint32_t b = 0; b + 1 < w->blocks.n; b++)
            if (all[b])
                assert_int_equal(w->live_in[b * w->words + r / 64] >> (r % 64) & 1, live[r][w->blocks.v[b].first]);
        mem_free(all);
    }
    Alloc *allocs[] = {alloc_colour(w), alloc_limited(w, 0), alloc_limited(w, 20), alloc_identity(w)};
    for (size_t k = 0; k < COUNT(allocs); k++) {
        Alloc *a = allocs[k];
        check_alloc(w, a, live);
        expect_same(f, (Home){a->slot, a->slots}, want, seed, "in its slots, it");
        expect_same(f, (Home){a->place, a->rows}, want, seed, "in its rows, it");
        alloc_free(a);
    }
    for (uint32_t r = 0; r < f->regs.n; r++) mem_free(live[r]);
    mem_free(live);
    flow_free(w);
}

// The graph as it is drawn: a box for each block with a line for each of its instructions, and an arrow for each edge.
static void check_dot(const Flow *w)
{
    Text dot = {0};
    flow_dot(w, &dot);
    size_t boxes = 0, lines = 0, arrows = 0, edges = 0;
    for (const char *c = dot.v; (c = strstr(c, " [label=")); c++) boxes++;
    for (const char *c = dot.v; (c = strstr(c, "\\l")); c++) lines++;
    for (const char *c = dot.v; (c = strstr(c, " -> ")); c++) arrows++;
    for (uint32_t b = 0; b + 1 < w->blocks.n; b++)
        for (size_t k = 0; k < w->blocks.v[b].succ.n; k++, edges++) {
            char arrow[64];
            uint32_t to = w->blocks.v[b].succ.v[k];
            snprintf(arrow, sizeof arrow, to + 1 == w->blocks.n ? "\n  b%u -> end;\n" : "\n  b%u -> b%u;\n", b, to);
            assert_non_null(strstr(dot.v, arrow));
        }
    assert_int_equal(boxes, w->blocks.n - 1);
    assert_int_equal(lines, w->f->insts.n + boxes);  // and one that names the block
    assert_int_equal(arrows, edges);
    text_free(&dot);
}

static void analyses(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Module *m = random_module(seed, 1);
        Flow *w = flow_build(ptx_find(m, "k")->function);
        check_dominators(w, false);
        check_dominators(w, true);
        check_loops(w);
        check_dot(w);
        for (uint32_t i = 0; i < w->f->insts.n; i++) {
            uint32_t p = w->blocks.v[w->block_of[i]].ipdom;
            assert_int_equal(flow_reconvergence(w, i), p == NO_BLOCK ? w->f->insts.n : w->blocks.v[p].first);
        }
        flow_free(w);
        ptx_free(m);
    }
}

static void forms(void **state)
{
    (void)state;
    size_t stores = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Module *m = random_module(seed, seed % 20 ? 1 : 10);
        const Function *f = ptx_find(m, "k")->function;
        Text want = {0};
        text_put(&want, "");
        (void)interpret(f, (Home){0}, &want);
        for (size_t k = 0; k < want.n; k++) stores += want.v[k] == '\n';
        check_allocs(f, &want, seed);
        for (uint32_t limit = 0; limit <= 12; limit += 4) {
            Function *g = ptx_lower(f, limit);
            expect_same(g, (Home){0}, &want, seed, limit ? "squeezed, it" : "lowered, it");
            if (limit % 8 == 0) check_allocs(g, &want, seed);
            ptx_lowered_free(g);
        }
        m->reorder = true;
        // Then with as many registers as it likes; then with loads merged before; at last those of global memory, too.
        for (int how = 0; how < 4; how++) {
            if (how) m->sm_registers = 65536, m->sm_threads = 512, m->sm_blocks = 16;
            m->sass = how > 1 ? 86 : 0;
            m->vectors = m->async = how > 2;
            Function *g = ptx_lower(f, 0);
            expect_same(g, (Home){0}, &want, seed, "in another order, it");
            check_allocs(g, &want, seed);
            ptx_lowered_free(g);
        }
        for (uint32_t limit = 4; limit <= 12; limit += 4) {  // as it is spilled with sm.count = sass
            Function *g = ptx_lower(f, limit);
            expect_same(g, (Home){0}, &want, seed, "spilled, it");
            if (limit == 8) check_allocs(g, &want, seed);
            ptx_lowered_free(g);
        }
        text_free(&want);
        ptx_free(m);
    }
    assert_true(stores > SEEDS);
    print_message("%d functions made %zu stores\n", SEEDS, stores);
}

// What is printed reads back and prints the same, as parsed and as lowered.
static void printed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Module *m = random_module(seed, 1);
        Function *f = ptx_find(m, "k")->function, *lowered = ptx_lower(f, 0);
        for (int form = 0; form < 2; form++) {
            Text once = {0}, twice = {0};
            Diag diag = {0};
            for (size_t k = 0; k < m->items.n; k++)
                if (m->items.v[k].function) m->items.v[k].function = form ? lowered : f;
            ptx_print(m, &once);
            Module *again = ptx_parse(once.v, once.n, "printed", &diag);
            if (!again) fail_msg("seed %llu: %s", (unsigned long long)seed, diag.text.v);
            ptx_print(again, &twice);
            assert_string_equal(once.v, twice.v);
            ptx_free(again);
            text_free(&once), text_free(&twice);
        }
        ptx_lowered_free(lowered);
        ptx_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(analyses), cmocka_unit_test(forms), cmocka_unit_test(printed)};
    return cmocka_run_group_tests_name("ptx/random", tests, NULL, NULL);
}
