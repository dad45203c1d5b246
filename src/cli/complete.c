// complete.c: what may stand at a place of a command line: commands, options out of their tables, and the names that
// onchip lists. The shells' scripts ask for it (onchip completion words), so a script knows nothing by itself. Each
// candidate is a line: the whole word, a tab, a sentence. The line ":files" says that a file may stand there too.
#include "cli/unit.h"
#include "device/device.h"
#include "probe/probe.h"
#include "sl1/sl1.h"

#include <string.h>

typedef struct Completion {
    const char *word;  // which is completed, as far as it is written
    size_t kept;       // bytes of it in front of what is completed: "--gpu=", "atax,"
    Text *out;
} Completion;

// A sentence for a list: without what stands behind its first point or semicolon.
static void offer(const Completion *c, const char *name, const char *end, const char *doc)
{
    const char *want = c->word + c->kept;
    size_t n = strlen(want), shown = strcspn(doc ? doc : "", ";(\n");
    if (strncmp(name, want, n)) return;
    while (shown && doc[shown - 1] == ' ') shown--;
    text_printf(c->out, "%.*s%s%s\t%.*s\n", (int)c->kept, c->word, name, end, (int)shown, doc ? doc : "");
}

static void offer_files(const Completion *c) { text_put(c->out, ":files\n"); }

// Completes what stands behind the last of these characters.
static void keep_to(Completion *c, char last)
{
    const char *at = strrchr(c->word + c->kept, last);
    if (at) c->kept = (size_t)(at + 1 - c->word);
}

// --- lists -----------------------------------------------------------------------------------------------------------
static void workloads(const Completion *c)
{
    for (size_t k = 0; k < workload_count; k++) {
        Text name = {0};
        workload_name(workload_table[k].workload, &name);
        offer(c, name.v, "", workload_table[k].workload->doc);
        text_free(&name);
    }
}

static void gpus(const Completion *c)
{
    for (size_t k = 0; k < gpu_file_count; k++) offer(c, gpu_files[k].name, "", "");
    offer_files(c);
}

static void schedulers(const Completion *c, bool best)
{
    for (size_t k = 0; k < policy_count; k++) offer(c, policies[k]->name, "", policies[k]->doc);
    if (best) offer(c, "best-swl", "", "swl with the limit that is best for each kernel");
    offer_files(c);
}

// A key of a description, or behind its equals sign a value.
static void keys(Completion *c)
{
    const char *from = c->word + c->kept, *equals = strchr(from, '=');
    char name[140];
    for (size_t i = 0; i < gpu_key_count; i++) {
        const Key *k = &gpu_keys[i];
        snprintf(name, sizeof name, "%s.%s", k->section, k->key);
        if (!equals) {
            offer(c, name, "=", k->doc);
            continue;
        }
        if (strlen(name) != (size_t)(equals - from) || strncmp(name, from, strlen(name)) || !key_name(k->kind, 0))
            continue;
        c->kept = (size_t)(equals + 1 - c->word);
        keep_to(c, ',');
        for (uint32_t v = 0; key_name(k->kind, v); v++) offer(c, key_name(k->kind, v), "", "");
        if (k->kind == KEY_POLICY || k->kind == KEY_REPLACEMENT || k->kind == KEY_PREFETCH) offer_files(c);
        return;
    }
}

static void sl1_names(Completion *c, char between)
{
    keep_to(c, between);
    for (size_t k = 0; k < sl1_setting_count; k++)
        offer(c, sl1_settings[k].name, sl1_settings[k].takes ? "=" : "", sl1_settings[k].doc);
}

static void figures(const Completion *c, const char *paper)
{
    for (size_t k = 0; k < reproduce_file_count; k++) {
        const char *name = reproduce_files[k].name, *slash = strchr(name, '/');
        size_t n = (size_t)(slash - name);
        char one[64];
        if (paper && (strlen(paper) != n || memcmp(paper, name, n))) continue;
        bool told = !paper && k && !strncmp(reproduce_files[k - 1].name, name, n + 1);
        snprintf(one, sizeof one, "%.*s", (int)n, name);
        if (!told) offer(c, paper ? slash + 1 : one, "", "");
    }
}

// --- values ----------------------------------------------------------------------------------------------------------
// The names in a metavariable such as "small|standard[,…]". One in capitals is no name.
static void alternatives(const Completion *c, const char *meta)
{
    while (*meta) {
        char name[40];
        size_t n = strcspn(meta, "|[");
        snprintf(name, sizeof name, "%.*s", (int)n, meta);
        if (n && !strpbrk(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ:")) offer(c, name, "", "");
        if (meta[n] != '|') return;
        meta += n + 1;
    }
}

static void value(Completion *c, const Command *of, const Option *o)
{
    const char *name = o->name, *meta = o->value;
    bool list = strstr(meta, ",…") != NULL, sl1 = !strcmp(name, "--sl1");
    if (list && strcmp(name, "--set") && !sl1) keep_to(c, ',');
    if (!strcmp(name, "--gpu") || !strcmp(name, "--like")) {
        gpus(c);
    } else if (!strcmp(name, "--sched")) {
        schedulers(c, true);
    } else if (!strcmp(name, "--set") || (!strcmp(name, "--by") && strcmp(of->name, "db"))) {
        keys(c);
    } else if (!strcmp(name, "--program") || !strcmp(name, "--workload")) {
        workloads(c), offer_files(c);
    } else if (!strcmp(name, "--only") && !strcmp(of->name, "probe")) {
        for (int k = 0; k < PARTS; k++) offer(c, part_info[k].name, "", part_info[k].doc);
    } else if (!strcmp(name, "--autotune")) {
        alternatives(c, "threads");
    } else if (!strcmp(name, "--view")) {
        for (const char *const *v = show_views; *v; v++) offer(c, *v, "", "");
    } else if (!strcmp(name, "--after")) {
        for (size_t k = 0; k < lower_pass_count; k++) offer(c, lower_passes[k].name, "", lower_passes[k].doc);
        offer(c, "all", "", "each pass that runs");
    } else if (sl1) {
        sl1_names(c, list && !strcmp(of->name, "run") ? ',' : list && strcmp(of->name, "sl1") ? '+' : ',');
    } else {
        alternatives(c, meta);
        if (strstr(meta, "FILE") || strstr(meta, "DIR")) offer_files(c);
    }
}

// --- words -----------------------------------------------------------------------------------------------------------
static void parameters(Completion *c, const char *names)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(names, ", "), names);
    const WorkloadEntry *e = workload_find(name);
    for (const WorkParam *p = e ? e->workload->params : NULL; p && p->name; p++) offer(c, p->name, "=", p->doc);
    if (!e) offer_files(c);
}

static void programs(Completion *c, const char *first, bool list)
{
    if (first) {
        parameters(c, first);
        return;
    }
    if (list) keep_to(c, ',');
    workloads(c), offer_files(c);
}

// A plain word: n stand in front of it, of which these are the first two.
static void plain(Completion *c, const Command *of, const char *const first[2], size_t n)
{
    const char *name = of->name;
    const char *doc = NULL, *word;
    for (size_t k = 0; !n && of->line->word && (word = of->line->word(k, &doc)); k++) offer(c, word, "", doc);
    if (!strcmp(name, "run") || !strcmp(name, "advise"))
        programs(c, first[0], false);
    else if (!strcmp(name, "compare"))
        workloads(c), offer_files(c);
    else if (!strcmp(name, "sweep"))
        programs(c, first[0], true);
    else if (!strcmp(name, "report") && n)
        programs(c, first[1], true);
    else if (!strcmp(name, "reproduce"))
        figures(c, first[0]), n ? (void)0 : offer_files(c);
    else if (!strcmp(name, "show") && n == 1 && !strcmp(first[0], "gpu"))
        gpus(c);
    else if (!strcmp(name, "show") && n == 1)
        workloads(c), offer_files(c);
    else if (!strcmp(name, "sl1") || !strcmp(name, "list") || (!strcmp(name, "db") && n))
        offer_files(c);
}

static void options_of(const Completion *c, const Command *of)
{
    for (size_t k = 0; k < of->line->count; k++) {
        const Option *o = &of->line->options[k];
        if (o->name) offer(c, o->name, "", o->doc);
    }
}

static const Option *find_option(const Command *of, const char *word, size_t n)
{
    for (size_t k = 0; k < of->line->count; k++) {
        const Option *o = &of->line->options[k];
        if (o->name && strlen(o->name) == n && !memcmp(o->name, word, n)) return o;
    }
    return NULL;
}

void complete_words(const char *const *words, size_t n, Text *out)
{
    Completion c = {.word = n ? words[n - 1] : "", .out = out};
    const Command *of = NULL;
    size_t at = n > 2 && !strcmp(words[0], "help") ? 1 : 0, plain_words = 0;
    for (size_t k = 0; k < command_count && n > 1; k++)
        if (!strcmp(words[0], commands[k].name)) of = &commands[k];
    if (n <= 1 || (n == 2 && !strcmp(words[0], "help"))) {
        for (size_t k = 0; k < command_count; k++) offer(&c, commands[k].name, "", commands[k].doc);
        if (n <= 1) offer(&c, "help", "", "tells more of a command"), offer(&c, "--version", "", "");
        return;
    }
    if (!of || at || !of->line) return;
    const char *first[2] = {NULL, NULL};
    const Option *pending = NULL;
    for (size_t k = 1; k + 1 < n; k++) {
        size_t name = strcspn(words[k], "=");
        const Option *o = words[k][0] == '-' && !pending ? find_option(of, words[k], name) : NULL;
        bool taken = pending != NULL;
        pending = o && o->value && *o->value != '[' && !words[k][name] ? o : NULL;
        if (taken || words[k][0] == '-') continue;
        if (plain_words < 2) first[plain_words] = words[k];
        plain_words++;
    }
    const char *equals = c.word[0] == '-' ? strchr(c.word, '=') : NULL;
    const Option *o = equals ? find_option(of, c.word, (size_t)(equals - c.word)) : pending;
    if (equals) c.kept = (size_t)(equals + 1 - c.word);
    if (o && o->value)
        value(&c, of, o);
    else if (c.word[0] == '-')
        options_of(&c, of);
    else
        plain(&c, of, first, plain_words);
}
