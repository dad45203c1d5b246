// Cases as pairs of files: test/ptx/data/<view>/<name>.ptx and what is expected of it, <name>.out. ONCHIP_REFRESH=1 in
// the environment rewrites the expected side; read the difference before committing it.
//
// A .ptx file may hold several cases behind lines "//--- what it is about", each a module of its own; one that begins
// with no .version gets a line with a header. The views:
//   parse       the module as printed, which must read back and print the same; a case that is refused gives its
//   diagnostic
//   refuse      the same, and every case must be refused
//   partly      the module without the functions that aren't implemented, as printed, and why each of these isn't there
//   inst        each line is an instruction, printed or refused alone
//   flow        blocks, dominators, loops, reconvergence, liveness
//   lower       the lowered functions; the module with them must parse
//   sass        the same where machine code of sm_86 counts, which loops, branches and loads are changed for
//   counts      the machine instructions that stand in that code
//   spill       the same for 6 registers a thread
//   strands     the lowered functions in strands, with the register file of each word (an LRF of 1, an ORF of 2)
//   provenance  the parameter behind each address
#include "check.h"
#include "ptx/strands.h"
#include "ptx/unit.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define HEADER ".version 8.8 .target sm_90 .address_size 64\n"
#define OLD_HEADER ".version 8.8 .target sm_30 .address_size 64\n"

typedef struct Case {
    const char *view, *name;
    const char *text;
    size_t length;
    Text *out;
} Case;

static Module *parse(const Case *c, const char *text, size_t length)
{
    Diag diag = {0};
    Module *m = ptx_parse(text, length, c->name, &diag);
    assert_int_equal(m == NULL, diag.failed);
    if (!m) text_printf(c->out, "%s%s\n", diag.unsupported ? "(not implemented) " : "", diag.text.v);
    diag_free(&diag);
    return m;
}

static void expect_round_trip(const Case *c, const Module *m)
{
    Text once = {0}, twice = {0};
    Diag diag = {0};
    ptx_print(m, &once);
    Module *again = ptx_parse(once.v, once.n, c->name, &diag);
    if (!again) fail_msg("%s: what is printed doesn't parse: %s", c->name, diag.text.v);
    ptx_print(again, &twice);
    assert_string_equal(once.v, twice.v);
    ptx_free(again);
    diag_free(&diag);
    text_free(&once);
    text_free(&twice);
}

static void view_parse(const Case *c)
{
    Module *m = parse(c, c->text, c->length);
    if (!m) return;
    if (!strcmp(c->view, "refuse")) fail_msg("%s is taken:\n%s", c->name, c->text);
    expect_round_trip(c, m);
    ptx_print(m, c->out);
    ptx_free(m);
}

static void view_partly(const Case *c)
{
    Diag diag = {0};
    Module *m = ptx_parse_partly(c->text, c->length, c->name, &diag);
    if (!m) {
        text_printf(c->out, "%s%s\n", diag.unsupported ? "(not implemented) " : "", diag.text.v);
        diag_free(&diag);
        return;
    }
    assert_false(diag.failed);
    Text once = {0}, twice = {0};
    ptx_print(m, &once);
    Module *again = ptx_parse_partly(once.v, once.n, c->name, &diag);
    if (!again) fail_msg("%s: what is printed doesn't parse: %s", c->name, diag.text.v);
    ptx_print(again, &twice);
    assert_string_equal(once.v, twice.v);
    text_put(c->out, once.v);
    for (size_t k = 0; k < m->functions.n; k++) {
        const Function *f = m->functions.v[k], *blocked = ptx_blocked(f);
        if (blocked) text_printf(c->out, "// %s: %s\n", f->symbol->name, blocked->refusal);
    }
    ptx_free(again), ptx_free(m);
    text_free(&once), text_free(&twice);
}

// --- inst ------------------------------------------------------------------------------------------------------------
#define KERNEL                                                                                                       \
    HEADER ".global .align 16 .b8 glob[64]; .shared .align 16 .b8 shar[64]; .const .u32 cons; .func callee(.param "  \
           ".b32 x);"                                                                                                \
           ".func (.param .b32 r) callee2(.param .b32 x, .param .align 8 .b8 y[16]);"                                \
           ".visible .entry k(.param .u64 par, .param .u32 par2) {"                                                  \
           ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b128 %q<9>; .reg .f32 %f<9>;" \
           ".reg .f64 %g<9>; .reg .u32 %u<9>; .reg .s32 %s<9>; .reg .u16 %us<9>; .reg .s64 %ss<9>; .reg .f16 %x<9>;" \
           ".local .b32 loc; .param .b32 arg; .param .b32 ret0; .param .align 8 .b8 arg16[16];"                      \
           "T: .branchtargets L, M; P: .callprototype _ (.param .b32 _); F: .calltargets callee;"                    \
           "L: M:\n"

static void inst_line(const Case *c, const char *line, size_t length)
{
    Text text = {0};
    Diag diag = {0};
    text_put(&text, KERNEL);
    text_add(&text, line, length);
    text_put(&text, "\nexit; }\n");
    Module *m = ptx_parse(text.v, text.n, "inst", &diag);
    if (m) {
        const Function *f = ptx_find(m, "k")->function;
        assert_int_equal(f->insts.n, 2);
        ptx_print_inst(f, &f->insts.v[0], c->out);
        text_put(c->out, "\n");
        expect_round_trip(c, m);
    } else {
        const char *message = strstr(diag.text.v, "error: ") + 7;
        const char *column = strchr(strchr(diag.text.v, ':') + 1, ':') + 1;
        text_printf(c->out, "%.*s %.*s: %.*s\n", (int)length, line, (int)strcspn(column, ":"), column,
                    (int)strcspn(message, "\n"), message);
    }
    ptx_free(m);
    diag_free(&diag);
    text_free(&text);
}

static void view_inst(const Case *c)
{
    for (size_t at = 0; at < c->length;) {
        size_t n = strcspn(c->text + at, "\n");
        if (n && c->text[at] == '/')
            text_add(c->out, c->text + at, n), text_put(c->out, "\n");
        else if (n)
            inst_line(c, c->text + at, n);
        at += n + 1;
    }
}

// --- flow ------------------------------------------------------------------------------------------------------------
static void put_block(const Flow *w, uint32_t b, Text *out)
{
    if (b == NO_BLOCK)
        text_put(out, "none");
    else if (b + 1 == w->blocks.n)
        text_put(out, "end");
    else
        text_printf(out, "b%u", b);
}

static void put_label(const Flow *w, uint32_t first, Text *out)
{
    for (size_t l = 0; l < w->f->labels.n; l++)
        if (w->f->labels.v[l].defined && w->f->labels.v[l].inst == first)
            text_printf(out, " %s", w->f->labels.v[l].name);
}

static void flow_of(const Function *f, Text *out)
{
    Flow *w = flow_build(f);
    flow_live(w);
    text_printf(out, "%s:\n", f->symbol->name);
    for (uint32_t b = 0; b < w->blocks.n; b++) {
        const Block *k = &w->blocks.v[b];
        text_put(out, "  ");
        put_block(w, b, out);
        put_label(w, k->first, out);
        text_printf(out, " [%u, %u)", k->first, k->last);
        if (k->succ.n) text_put(out, " →");
        for (size_t s = 0; s < k->succ.n; s++) text_put(out, " "), put_block(w, k->succ.v[s], out);
        text_put(out, "; dominated by ");
        put_block(w, k->idom, out);
        text_put(out, ", post-dominated by ");
        put_block(w, k->ipdom, out);
        if (k->loop != NO_BLOCK) text_printf(out, ", in loop %u", k->loop);
        if (b + 1 < w->blocks.n && k->succ.n > 1) text_printf(out, ", meets at %u", flow_reconvergence(w, k->last - 1));
        bool any = false;
        for (uint32_t r = 0; r < f->regs.n; r++)
            if (w->live_in[(size_t)b * w->words + r / 64] >> (r % 64) & 1)
                text_printf(out, "%s %s", any ? "" : "; live:", f->regs.v[r].name), any = true;
        text_put(out, "\n");
    }
    for (size_t l = 0; l < w->loops.n; l++) {
        const Loop *loop = &w->loops.v[l];
        text_printf(out, "  loop %zu: head b%u, depth %u", l, loop->head, loop->depth);
        if (loop->parent != NO_BLOCK) text_printf(out, " in loop %u", loop->parent);
        text_put(out, ", blocks");
        for (uint32_t b = 0; b < w->blocks.n; b++)
            for (size_t k = 0; k < loop->blocks.n; k++)
                if (loop->blocks.v[k] == b) text_printf(out, " b%u", b);
        text_put(out, ", back from");
        for (size_t k = 0; k < loop->latches.n; k++) text_printf(out, " b%u", loop->latches.v[k]);
        text_put(out, "\n");
    }
    flow_free(w);
}

// --- lower, spill ----------------------------------------------------------------------------------------------------
static void view_lower(const Case *c)
{
    Module *m = parse(c, c->text, c->length);
    if (!m) return;
    uint32_t limit = !strcmp(c->view, "spill") ? 6 : 0;
    m->reorder = !strcmp(c->view, "order");
    const bool counts = !strcmp(c->view, "counts");
    m->sass = strcmp(c->view, "sass") && !counts ? 0 : 86;
    for (size_t k = 0; k < m->items.n; k++) {
        Function *f = m->items.v[k].function;
        if (!f || !f->has_body) continue;
        Text before = {0}, after = {0};
        ptx_print(m, &before);
        Function *g = ptx_lower(f, limit);
        ptx_print(m, &after);
        assert_string_equal(before.v, after.v);  // the parsed function is left alone
        text_free(&before);
        text_free(&after);
        if (counts)
            text_printf(c->out, "%s\n", f->symbol->name), ptx_counts(g, c->out);
        else
            ptx_print_function(g, c->out);
        for (size_t i = 0; i < g->insts.n; i++) {
            assert_in_range(g->insts.v[i].origin, 0, f->insts.n - 1);
            if (!limit && !m->sass) assert_int_equal(g->insts.v[i].op, f->insts.v[g->insts.v[i].origin].op);
        }
        m->items.v[k].function = g;
        expect_round_trip(c, m);
        m->items.v[k].function = f;
        ptx_lowered_free(g);
    }
    ptx_free(m);
}

// --- strands ---------------------------------------------------------------------------------------------------------
static void strands_of(const Function *f, Text *out) { files_print(f, 1, 2, out); }

// --- provenance ------------------------------------------------------------------------------------------------------
static void provenance_of(const Function *f, Text *out)
{
    int16_t *prov = ptx_provenance(f, NULL);
    for (uint32_t i = 0; i < f->insts.n; i++) {
        bool address = false;
        for (int k = 0; k < f->insts.v[i].operands; k++)
            address |= f->insts.v[i].opnd[k].kind == O_ADDR && f->insts.v[i].space != SP_PARAM;
        if (!address) {
            assert_int_equal(prov[i], PROV_NONE);
            continue;
        }
        ptx_print_inst(f, &f->insts.v[i], out);
        text_printf(out, "  ← %s\n", prov[i] == PROV_NONE ? "?" : f->params.v[prov[i]]->name);
    }
    mem_free(prov);
}

static void each_function(const Case *c, void (*show)(const Function *, Text *))
{
    Module *m = parse(c, c->text, c->length);
    if (m) m->near_constants = !strcmp(c->view, "near");
    for (size_t k = 0; m && k < m->functions.n; k++)
        if (m->functions.v[k]->has_body) show(m->functions.v[k], c->out);
    ptx_free(m);
}

// --- the runner ------------------------------------------------------------------------------------------------------
static void run_case(Case c)
{
    Text text = {0};
    if (strncmp(c.text, ".version", 8) && strcmp(c.view, "inst"))
        text_put(&text, strcmp(c.view, "strands") && strcmp(c.view, "near") ? HEADER : OLD_HEADER);
    text_add(&text, c.text, c.length);
    c.text = text.v;
    c.length = text.n;
    if (!strcmp(c.view, "parse") || !strcmp(c.view, "refuse"))
        view_parse(&c);
    else if (!strcmp(c.view, "partly"))
        view_partly(&c);
    else if (!strcmp(c.view, "inst"))
        view_inst(&c);
    else if (!strcmp(c.view, "flow"))
        each_function(&c, flow_of);
    else if (!strcmp(c.view, "lower") || !strcmp(c.view, "spill") || !strcmp(c.view, "order") ||
             !strcmp(c.view, "sass") || !strcmp(c.view, "counts"))
        view_lower(&c);
    else if (!strcmp(c.view, "strands") || !strcmp(c.view, "near"))
        each_function(&c, strands_of);
    else
        each_function(&c, provenance_of);
    text_free(&text);
}

// Splits the text at its lines "//---" and runs what is between.
static void run_text(Case c)
{
    const char *at = c.text;
    while (*at) {
        if (!strncmp(at, "//---", 5)) {
            size_t n = strcspn(at, "\n");
            text_add(c.out, at, n);
            text_put(c.out, "\n");
            at += n + (at[n] != 0);
        }
        const char *end = strstr(at, "\n//---");
        size_t n = end ? (size_t)(end - at) + 1 : strlen(at);
        Case one = c;
        one.text = at;
        one.length = n;
        if (n) run_case(one);
        at += n;
    }
}

static int run_file(const char *view, const char *name, bool refresh)
{
    char path[300], expected[300];
    snprintf(path, sizeof path, "test/ptx/data/%s/%s", view, name);
    snprintf(expected, sizeof expected, "test/ptx/data/%s/%.*sout", view, (int)strlen(name) - 3, name);
    Text text = {0}, out = {0}, want = {0};
    assert_true(text_read_file(&text, path));
    Case c = {view, name, text.v, text.n, &out};
    run_text(c);
    int bad = 0;
    if (refresh) {
        FILE *file = fopen(expected, "wb");
        assert_non_null(file);
        fwrite(out.v ? out.v : "", 1, out.n, file);
        fclose(file);
    } else if (!text_read_file(&want, expected) || want.n != out.n || memcmp(want.v, out.v, out.n)) {
        size_t k = 0, line = 1;
        while (k < want.n && k < out.n && want.v[k] == out.v[k]) line += want.v[k++] == '\n';
        while (k && want.n && want.v[k - 1] != '\n') k--;
        print_error("%s:%zu: expected\n%.400s\n--- but it is\n%.400s\n", expected, line,
                    want.n ? want.v + k : "(no such file)", out.v + MIN(k, out.n));
        bad = 1;
    }
    text_free(&text);
    text_free(&out);
    text_free(&want);
    return bad;
}

static void test_view(void **state)
{
    const char *view = *state;
    char folder[300];
    snprintf(folder, sizeof folder, "test/ptx/data/%s", view);
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int bad = 0, count = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t n = strlen(entry->d_name);
        if (n < 5 || strcmp(entry->d_name + n - 4, ".ptx")) continue;
        bad += run_file(view, entry->d_name, getenv("ONCHIP_REFRESH") != NULL);
        count++;
    }
    closedir(dir);
    assert_int_equal(bad, 0);
    assert_true(count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"parse", test_view, NULL, NULL, "parse"},   {"refuse", test_view, NULL, NULL, "refuse"},
        {"partly", test_view, NULL, NULL, "partly"}, {"inst", test_view, NULL, NULL, "inst"},
        {"flow", test_view, NULL, NULL, "flow"},     {"lower", test_view, NULL, NULL, "lower"},
        {"spill", test_view, NULL, NULL, "spill"},   {"order", test_view, NULL, NULL, "order"},
        {"sass", test_view, NULL, NULL, "sass"},     {"strands", test_view, NULL, NULL, "strands"},
        {"near", test_view, NULL, NULL, "near"},     {"provenance", test_view, NULL, NULL, "provenance"},
        {"counts", test_view, NULL, NULL, "counts"},
    };
    return cmocka_run_group_tests_name("ptx/data", tests, NULL, NULL);
}
