// cmd_show.c: onchip show: what a file says. show ptx prints a module back, or one view of its functions.
#include "cli/cli.h"

#include <string.h>

static const Option options[] = {
    {"--view", "ir|cfg|loops|live|registers|lowered", "of show ptx: the IR as PTX (default), the flow graph (dot), loops, liveness, register need, the lowered PTX"},
    {"--kernel", "NAME", "only this function"},
    {"--set", "KEY=VALUE", "of show gpu: with this key overridden"},
    {"--help", NULL, "this text"},
};
enum { O_VIEW, O_KERNEL, O_SET_, O_HELP };

static void show_live(const Function *f, Text *out)
{
    Flow *w = flow_build(f);
    flow_live(w);
    for (size_t b = 0; b + 1 < w->blocks.n; b++) {
        text_printf(out, "b%zu [%u, %u) live in:", b, w->blocks.v[b].first, w->blocks.v[b].last);
        for (uint32_t r = 0; r < f->regs.n; r++)
            if (w->live_in[b * w->words + r / 64] >> (r % 64) & 1) text_printf(out, " %s", f->regs.v[r].name);
        text_put(out, "\n");
    }
    flow_free(w);
}

static void show_loops(const Function *f, Text *out)
{
    Flow *w = flow_build(f);
    for (size_t l = 0; l < w->loops.n; l++) {
        const Loop *loop = &w->loops.v[l];
        text_printf(out, "loop %zu: head b%u, depth %u, %zu blocks, %zu back edges\n", l, loop->head, loop->depth, loop->blocks.n, loop->latches.n);
    }
    if (!w->loops.n) text_put(out, "no loops\n");
    flow_free(w);
}

static void show_registers(const Function *f, Text *out)
{
    Function *g = ptx_lower(f, 0);
    Flow *w = flow_build(g);
    flow_live(w);
    Alloc *a = alloc_colour(w);
    text_printf(out, "%zu virtual registers, %u 32-bit registers and %u predicates after lowering; %zu instructions, %zu after lowering\n", f->regs.n, a->slots, a->preds, f->insts.n, g->insts.n);
    for (uint32_t r = 0; r < g->regs.n; r++)
        if (a->slot[r] != NO_REG) text_printf(out, "  %s .%s → %s%u\n", g->regs.v[r].name, type_info[g->regs.v[r].type].name, g->regs.v[r].type == TY_PRED ? "P" : "R", g->regs.v[r].type == TY_PRED ? a->place[r] : a->slot[r]);
    alloc_free(a);
    flow_free(w);
    ptx_lowered_free(g);
}

static bool show_function(const Function *f, const char *view, Text *out)
{
    if (!strcmp(view, "cfg")) {
        Flow *w = flow_build(f);
        flow_dot(w, out);
        flow_free(w);
        return true;
    }
    text_printf(out, "%s\n", f->symbol->name);
    if (!strcmp(view, "loops")) show_loops(f, out);
    else if (!strcmp(view, "live")) show_live(f, out);
    else if (!strcmp(view, "registers")) show_registers(f, out);
    else if (!strcmp(view, "lowered")) {
        Function *g = ptx_lower(f, 0);
        ptx_print_function(g, out);
        ptx_lowered_free(g);
    } else return false;
    return true;
}

static int show_ptx(const char *path, const char *view, const char *kernel)
{
    Text text = {0}, out = {0};
    Diag diag = {0};
    if (!text_read_file(&text, path)) return fprintf(stderr, "onchip: can't read %s\n", path), EXIT_FAILED;
    Module *m = ptx_parse(text.v ? text.v : "", text.n, path, &diag);
    int code = EXIT_OK;
    if (!m) {
        fprintf(stderr, "%s\n", diag.text.v);
        code = EXIT_FAILED;
    } else if (!strcmp(view, "ir") && !kernel) {
        ptx_print(m, &out);
    } else {
        for (size_t k = 0; k < m->symbols.n && code == EXIT_OK; k++) {
            const Function *f = m->symbols.v[k]->function;
            if (!f || !f->has_body || (kernel && strcmp(m->symbols.v[k]->name, kernel))) continue;
            if (!strcmp(view, "ir")) ptx_print_function(f, &out);
            else if (!show_function(f, view, &out)) {
                fprintf(stderr, "onchip: unknown view '%s': ir, cfg, loops, live, registers or lowered\n", view);
                code = EXIT_USAGE;
            }
        }
        if (code == EXIT_OK && !out.n) fprintf(stderr, "onchip: no function with a body%s%s in %s\n", kernel ? " named " : "", kernel ? kernel : "", path), code = EXIT_FAILED;
    }
    if (out.v) fputs(out.v, stdout);
    text_free(&out), text_free(&text), diag_free(&diag);
    ptx_free(m);
    return code;
}

static int show_gpu(const char *name, const char *const *sets)
{
    Text out = {0};
    Diag diag = {0};
    bool ok = gpu_show(name, sets, &out, &diag);
    if (ok) fputs(out.v ? out.v : "", stdout);
    else fprintf(stderr, "%s\n", diag.text.v);
    text_free(&out), diag_free(&diag);
    return ok ? EXIT_OK : EXIT_FAILED;
}

int cmd_show(int argc, char **argv)
{
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    const char *what[2] = {NULL, NULL}, *view = "ir", *kernel = NULL;
    VEC(const char *) sets = {0};
    int n = 0, o;
    while ((o = args_next(&a)) != -2) {
        if (o == -3) return EXIT_USAGE;
        if (o == -1 && n < 2) what[n++] = a.value;
        if (o == O_VIEW) view = a.value;
        if (o == O_KERNEL) kernel = a.value;
        if (o == O_SET_) vec_push(&sets, a.value);
        if (o == O_HELP) n = 0, what[0] = "--help";
    }
    vec_push(&sets, NULL);
    int code = EXIT_OK;
    Text t = {0};
    if (n == 2 && !strcmp(what[0], "ptx")) code = show_ptx(what[1], view, kernel);
    else if (n == 2 && !strcmp(what[0], "gpu")) code = show_gpu(what[1], sets.v);
    else if (n == 1 && !strcmp(what[0], "keys")) gpu_manual(&t);
    else if (n == 1 && !strcmp(what[0], "counters")) counter_manual(&t);
    else {
        bool help = what[0] && !strcmp(what[0], "--help");
        fprintf(help ? stdout : stderr, "usage: onchip show ptx FILE | gpu NAME | keys | counters\n");
        if (help) print_options(options, COUNT(options));
        code = help ? EXIT_OK : EXIT_USAGE;
    }
    if (t.n) fputs(t.v, stdout);
    text_free(&t);
    vec_free(&sets);
    return code;
}
