// cmd_list.c: onchip list: lists workloads, GPUs, schedulers, replacements, prefetchers, counters and
// instructions.
#include "cli/unit.h"
#include "device/device.h"
#include "mem/replacement.h"
#include "ptx/ops.h"

#include <string.h>

static void list_workloads(void)
{
    char left[64], right[512];
    for (size_t k = 0; k < workload_count; k++) {
        const Workload *w = workload_table[k].workload;
        Text name = {0};
        workload_name(w, &name);
        snprintf(left, sizeof left, "%-14s %-10s", name.v, w->suite);
        text_free(&name);
        put_row(stdout, left, 26, BREAK_WORDS, w->doc);
        for (const WorkParam *p = w->params; p->name; p++) {
            snprintf(right, sizeof right, "%s=%lld (small %lld): %s", p->name, (long long)p->standard,
                     (long long)p->small, p->doc);
            put_row(stdout, "", 28, BREAK_WORDS, right);
        }
    }
}

static void list_gpus(void)
{
    for (size_t k = 0; k < gpu_file_count; k++) {
        Ini ini = {0};
        Diag diag = {0};
        const char *title = "";
        if (ini_parse(&ini, gpu_files[k].name, gpu_files[k].text, gpu_files[k].size, &diag))
            for (size_t e = 0; e < ini.entries.n; e++)
                if (!strcmp(ini.entries.v[e].key, "title")) title = ini.entries.v[e].value;
        put_row(stdout, gpu_files[k].name, 15, BREAK_WORDS, title);
        ini_free(&ini);
        diag_free(&diag);
    }
}

// The parameters that each policy has, behind a prefix; their text begins in a column.
static void list_params(const char *prefix, const oc_policy_param *params, size_t column)
{
    for (size_t n = 0; n < params_of(params); n++) {
        const oc_policy_param *p = &params[n];
        Text row = {0};
        text_printf(&row, "%s; %.15g%s%s (%s)", p->doc, p->standard, *p->unit ? " " : "", p->unit, p->source);
        char left[48];
        snprintf(left, sizeof left, "  %s%s", prefix, p->name);
        put_row(stdout, left, column, BREAK_WORDS, row.v);
        text_free(&row);
    }
}

static void list_schedulers(void)
{
    for (size_t k = 0; k < policy_count; k++) {
        const oc_policy_type *t = policies[k];
        put_row(stdout, t->name, 15, BREAK_WORDS, t->doc);
        list_params("sched.", t->params, 24);
    }
    put_row(stdout, "best-swl", 15, BREAK_WORDS,
            "swl with the limit that is best for each kernel: run and sweep try the limits (doc/use/sweep.md)");
    put_row(stdout, "./NAME.so", 15, BREAK_WORDS, "one of your own (doc/extend/writing-a-policy.md)");
}

static void list_replacements(void)
{
    for (int k = 0; k < REPLACE_COUNT; k++) put_row(stdout, replacements[k].name, 15, BREAK_WORDS, replacements[k].doc);
    put_row(stdout, "./NAME.so", 15, BREAK_WORDS,
            "of l1 and l2: one of your own (doc/extend/writing-a-cache-policy.md)");
}

static void list_prefetchers(void)
{
    for (size_t k = 0; k < prefetcher_count; k++) {
        put_row(stdout, prefetchers[k]->name, 15, BREAK_WORDS, prefetchers[k]->doc);
        list_params("l1.prefetch.", prefetchers[k]->params, 29);
    }
    put_row(stdout, "./NAME.so", 15, BREAK_WORDS, "one of your own (doc/extend/writing-a-cache-policy.md)");
}

static void list_counter(const char *name, const char *unit, const char *doc)
{
    char left[64];
    snprintf(left, sizeof left, "%-26s %-14s", name, unit);
    put_row(stdout, left, 42, BREAK_WORDS, doc);
}

static void list_counters(void)
{
    for (int k = 0; k < C_COUNT; k++) list_counter(counter_info[k].name, counter_info[k].unit, counter_info[k].doc);
    for (size_t k = 0; k < RATES; k++) list_counter(rates[k].name, rates[k].unit, rates[k].doc);
}

// A row of two columns, of which the second one is broken into lines.
static void list_op(const char *name, const char *section, const char *what, const char *state, const char *why)
{
    char left[64], text[300];
    snprintf(left, sizeof left, "%-26s §%-14s", name, section);
    snprintf(text, sizeof text, "%s; %s%s%s", what, state, why ? ": " : "", why ? why : "");
    put_row(stdout, left, 43, BREAK_WORDS, text);
}

static void list_ops(void)
{
    static const char *const states[] = {[OP_REFUSED] = "refused", [OP_ELSEWHERE] = "not for this machine"};
    size_t done = OP_COUNT, all = OP_COUNT + op_missing_count;
    for (int k = 0; k < OP_COUNT; k++) {
        list_op(op_info[k].name, op_info[k].section, op_info[k].what, "implemented", NULL);
        for (int n = 0; n < FORMS; n++) {
            char text[300];
            if (form_info[n].op != (Op)k) continue;
            snprintf(text, sizeof text, "refused with %s: %s", form_info[n].written, form_info[n].why);
            put_row(stdout, "", 4, BREAK_WORDS, text);
        }
    }
    for (size_t k = 0; k < op_missing_count; k++)
        list_op(op_missing[k].name, op_missing[k].section, op_missing[k].what, states[op_missing[k].state],
                op_missing[k].why);
    printf("\n%zu of %zu instructions of the PTX ISA 9.0 are implemented\n%d forms of these are refused\n", done, all,
           (int)FORMS);
}

static const struct {
    const char *name;
    void (*list)(void);
    const char *doc;
} kinds[] = {
    {"workloads", list_workloads, "built-in workloads, with their parameters and defaults"},
    {"gpus", list_gpus, "built-in GPU descriptions, which --gpu takes by name"},
    {"schedulers", list_schedulers, "warp schedulers, which --sched takes by name"},
    {"replacements", list_replacements, "how caches replace lines, as in --set l1.replacement=plru"},
    {"prefetchers", list_prefetchers, "what fetches lines ahead, as in --set l1.prefetch=next-line"},
    {"counters", list_counters, "counters, and rates that are computed from them, with units"},
    {"fields", list_fields, "fields of the JSON that commands write, with their types"},
    {"words", list_words, "what the field's words mean: warp, sector, MSHR and others"},
    {"ops", list_ops,
     "instructions of the PTX ISA: what each does, which are implemented, what of them isn't, and why"},
    {"kernels", NULL, "the kernels in FILE: a program, a library, an object, a fat binary, a cubin or PTX"},
};
static const Option options[] = {{"--help", NULL, "this text"}};
static const char *list_noun(size_t k, const char **doc)
{
    *doc = k < COUNT(kinds) ? kinds[k].doc : NULL;
    return k < COUNT(kinds) ? kinds[k].name : NULL;
}
const CommandLine list_line = {options, COUNT(options), list_noun};

static int help(const char *usage)
{
    printf("%s\n\n", usage);
    for (size_t k = 0; k < COUNT(kinds); k++) {
        char left[32];
        snprintf(left, sizeof left, "  %s", kinds[k].name);
        put_row(stdout, left, 15, BREAK_WORDS, kinds[k].doc);
    }
    return EXIT_OK;
}

int cmd_list(int argc, char **argv)
{
    static const char usage[] = "usage: onchip list workloads|gpus|schedulers|replacements\n"
                                "       onchip list prefetchers|counters|fields|words|ops\n"
                                "       onchip list kernels FILE";
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    const char *what = NULL, *file = NULL, *names[COUNT(kinds)];
    char hint[100];
    int o;
    while ((o = args_next(&a)) != -2) {
        if (o == -3) return EXIT_USAGE;
        if (o == 0) return help(usage);
        if (file || (what && strcmp(what, "kernels")))
            return tell(EXIT_USAGE, "list takes one word: '%s' is one too many", a.value);
        *(what ? &file : &what) = a.value;
    }
    for (size_t k = 0; k < COUNT(kinds); k++) {
        names[k] = kinds[k].name;
        if (what && !strcmp(what, kinds[k].name) && kinds[k].list) return kinds[k].list(), EXIT_OK;
    }
    if (what && !strcmp(what, "kernels"))
        return file ? list_kernels(file) : tell(EXIT_USAGE, "list kernels: of which file?\n%s", usage);
    if (what)
        return tell(EXIT_USAGE, "nothing called '%s' to list%s\n%s", what,
                    did_you_mean(what, names, COUNT(names), hint), usage);
    fprintf(stderr, "%s\n", usage);
    return EXIT_USAGE;
}
