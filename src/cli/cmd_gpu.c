// cmd_gpu.c: onchip gpu new: a description out of a data sheet's numbers, on the base of a card of the same kin. It has
// what was given and what follows from that; the rest stays the base's. Invariant: what is written loads.
#include "cli/unit.h"
#include "device/device.h"

#include <string.h>

static const Option options[] = {
    {"--help", NULL, "this text"},
    {"--like", "NAME|FILE", "the description to start from: that of the card's nearest kin (onchip list gpus)"},
    {"--sms", "N", "number of SMs"},
    {"--clock", "MHZ", "core clock; a data sheet's boost clock. Times of DRAM stay, so their cycles change"},
    {"--memory", "SIZE", "capacity of global memory, such as 8GiB"},
    {"--bandwidth", "GB/S", "bandwidth of DRAM"},
    {"--l2", "SIZE", "capacity of the L2, such as 4MiB: as many slices of the base's size as that needs"},
    {"--name", "TITLE", "what the card is called in lists and reports (default: the base, and what differs)"},
    {"-o", "FILE", "write the description into this file (default: to the terminal)"},
};
enum { O_HELP, O_LIKE, O_SMS, O_CLOCK, O_MEMORY, O_BANDWIDTH, O_L2, O_NAME, O_OUT, O_COUNT };
// The keys of these options, in the order in which they are written, a section at a time.
static const struct CardKey {
    int option;
    const char *section, *key, *unit;  // unit: behind the number, in a title
} numbers[] = {
    {O_SMS, "gpu", "sms", " SMs"},
    {O_CLOCK, "gpu", "clock", " MHz"},
    {O_MEMORY, "gpu", "memory", " of memory"},
    {O_L2, "l2", "size", " of L2"},
    {O_BANDWIDTH, "dram", "bandwidth", " GB/s"},
};

static const char *const kinds[] = {"new"};
static const char *gpu_word(size_t k, const char **doc)
{
    *doc = "a description out of a data sheet's numbers";
    return k < COUNT(kinds) ? kinds[k] : NULL;
}
const CommandLine gpu_line = {options, COUNT(options), gpu_word};

static const char usage[] = "usage: onchip gpu new --like NAME|FILE [--sms N] [--clock MHZ] [--memory SIZE]\n"
                            "                      [--bandwidth GB/S] [--l2 SIZE] [--name TITLE] [-o FILE]";

typedef struct Card {
    const char *given[O_COUNT];  // by option; null: it wasn't
    Gpu base;
    double value[O_COUNT];
    uint32_t slices, latency;  // derived; 0: the base's
    Arena arena;               // of the settings
    VEC(const char *) sets;    // what is written, as settings; a null ends them
} Card;

static double base_value(const Card *c, const char *key)
{
    double v = 0;
    gpu_number(&c->base, key, &v);
    return v;
}

// Says what an option takes; false.
static bool refuse_text(const char *option, const Key *k, const char *text)
{
    const char *takes = k->kind == KEY_SIZE   ? "number of bytes, such as 8GiB"
                        : k->kind == KEY_REAL ? "number"
                                              : "whole number";
    tell(0, "gpu new: %s takes a %s, not '%s'", option, takes, text);
    return false;
}

static bool refuse_range(const char *option, const Key *k, const char *text)
{
    char low[32], high[32];
    bool size = k->kind == KEY_SIZE;
    snprintf(low, sizeof low, "%.15g", k->min), snprintf(high, sizeof high, "%.15g", k->max);
    if (size) format_bytes(low, k->min), format_bytes(high, k->max);
    tell(0, "gpu new: %s %s is out of range: %s to %s%s%s", option, text, low, high, size || !*k->unit ? "" : " ",
         size ? "" : k->unit);
    return false;
}

// As the description reads it.
static bool read_number(Card *c, const struct CardKey *n)
{
    const char *text = c->given[n->option], *option = options[n->option].name;
    const Key *k = gpu_keys;
    uint64_t whole = 0;
    double *v = &c->value[n->option];
    while (strcmp(k->section, n->section) || strcmp(k->key, n->key)) k++;
    if (!(k->kind == KEY_REAL ? parse_double(text, v) : parse_size(text, &whole))) return refuse_text(option, k, text);
    if (k->kind != KEY_REAL) *v = (double)whole;
    return (*v >= k->min && *v <= k->max) || refuse_range(option, k, text);
}

// A line of a description takes it as it is. (The comment behind a value begins with # or ;.)
static bool fits_line(const char *text)
{
    size_t n = strlen(text);
    for (const char *t = text; *t; t++)
        if ((unsigned char)*t < ' ' || *t == '#' || *t == ';' || *t == 127) return false;
    return n && text[0] != ' ' && text[n - 1] != ' ';
}

// The number of slices, of those that the description takes, whose size is nearest the base's: as a ratio, since a
// slice of half the size is as far off as one of twice the size.
static bool choose_slices(Card *c)
{
    enum { MOST = 128 };  // l2.partitions
    bool tried[MOST + 1] = {false};
    double size = c->value[O_L2], of_base = base_value(c, "l2.size") / base_value(c, "l2.partitions");
    for (;;) {
        uint32_t best = 0;
        double off = 0;
        for (uint32_t p = 1; p <= MOST; p++) {
            double slice = size / p, ratio = slice > of_base ? slice / of_base : of_base / slice;
            if (!tried[p] && (uint64_t)size % p == 0 && (!best || ratio < off)) best = p, off = ratio;
        }
        if (!best) return false;
        tried[best] = true;
        Gpu g;
        Diag diag = {0};
        const char *sets[] = {arena_printf(&c->arena, "l2.size=%.0f", size),
                              arena_printf(&c->arena, "l2.partitions=%u", best), NULL};
        bool ok = gpu_load(&g, c->given[O_LIKE], sets, &diag);
        diag_free(&diag);
        if (!ok) continue;
        gpu_free(&g);
        c->slices = best;
        return true;
    }
}

// DRAM answers a time after the L2 was looked up, whatever the core's clock is.
static uint32_t dram_latency(const Card *c)
{
    double l2 = base_value(c, "l2.size") > 0 ? base_value(c, "l2.latency") : 0;
    return (uint32_t)(l2 + (base_value(c, "dram.latency") - l2) * c->value[O_CLOCK] / base_value(c, "gpu.clock") + 0.5);
}

static bool derive(Card *c)
{
    const char *like = c->given[O_LIKE];
    if (c->given[O_L2] && !(base_value(c, "l2.size") > 0))
        return tell(0, "gpu new: --l2: %s has no L2 whose slices could be taken", like), false;
    if (c->given[O_L2] && !choose_slices(c))
        return tell(0,
                    "gpu new: --l2 %s can't be divided into slices that %s takes\nhint: its own has %.0f slices of "
                    "%.0f KiB",
                    c->given[O_L2], like, base_value(c, "l2.partitions"),
                    base_value(c, "l2.size") / base_value(c, "l2.partitions") / 1024),
               false;
    if (c->given[O_CLOCK]) c->latency = dram_latency(c);
    return true;
}

static void put_title(const Card *c, Text *out)
{
    if (c->given[O_NAME]) {
        text_put(out, c->given[O_NAME]);
        return;
    }
    text_put(out, c->given[O_LIKE]);
    const char *before = " with ";
    for (size_t k = 0; k < COUNT(numbers); k++) {
        if (!c->given[numbers[k].option]) continue;
        text_printf(out, "%s%s%s", before, c->given[numbers[k].option], numbers[k].unit);
        before = ", ";
    }
}

static void put_key(Card *c, const char *section, const char *key, const char *value, const char *comment, Text *out)
{
    size_t before = out->n;
    text_printf(out, "%s = %s", key, value);
    text_printf(out, "%*s# %s\n", out->n - before < 26 ? (int)(27 - (out->n - before)) : 1, "", comment);
    vec_push(&c->sets, arena_printf(&c->arena, "%s.%s=%s", section, key, value));
}

static void put_derived(Card *c, const char *section, Text *out)
{
    char value[32];
    const char *like = c->given[O_LIKE];
    double slices = base_value(c, "l2.partitions"), clock = base_value(c, "gpu.clock");
    if (!strcmp(section, "l2") && c->slices) {
        snprintf(value, sizeof value, "%u", c->slices);
        put_key(c, section, "partitions", value,
                arena_printf(&c->arena, "derived: slices of %.6g KiB; %s has %.0f of %.6g KiB",
                             c->value[O_L2] / c->slices / 1024, like, slices, base_value(c, "l2.size") / slices / 1024),
                out);
    }
    if (!strcmp(section, "dram") && c->latency) {
        double beyond =
            base_value(c, "dram.latency") - (base_value(c, "l2.size") > 0 ? base_value(c, "l2.latency") : 0);
        snprintf(value, sizeof value, "%u", c->latency);
        put_key(c, section, "latency", value,
                arena_printf(&c->arena, "derived: %.0f ns beyond the L2, as in %s: %.0f cycles at %.6g MHz",
                             beyond * 1000 / clock, like, beyond, clock),
                out);
    }
}

// The text of the description; its settings come into sets.
static void describe(Card *c, Text *out)
{
    Text title = {0};
    put_title(c, &title);
    text_printf(out,
                "# %s\n# out of a data sheet's numbers, which are \"given\"; what follows from them is \"derived\". "
                "The rest is "
                "as in\n# %s.\n[gpu]\nbase = %s\ntitle = %s\n",
                title.v, c->given[O_LIKE], c->given[O_LIKE], title.v);
    static const char *const sections[] = {"gpu", "l2", "dram"};
    for (size_t s = 0; s < COUNT(sections); s++) {
        Text body = {0};
        for (size_t k = 0; k < COUNT(numbers); k++)
            if (!strcmp(numbers[k].section, sections[s]) && c->given[numbers[k].option])
                put_key(c, sections[s], numbers[k].key, c->given[numbers[k].option], "given", &body);
        put_derived(c, sections[s], &body);
        if (body.n) text_printf(out, "%s%s%s%s", s ? "\n[" : "", s ? sections[s] : "", s ? "]\n" : "", body.v);
        text_free(&body);
    }
    vec_push(&c->sets, NULL);
    text_free(&title);
}

static int write_card(Card *c)
{
    Text out = {0};
    Diag diag = {0};
    Gpu g;
    describe(c, &out);
    int code = EXIT_OK;
    if (!gpu_load(&g, c->given[O_LIKE], c->sets.v, &diag))
        code = tell(EXIT_USAGE, "gpu new: %s", diag.text.v);
    else if (gpu_free(&g), !write_out(&out, c->given[O_OUT], &diag))
        code = tell(EXIT_FAILED, "%s", diag.text.v);
    text_free(&out), diag_free(&diag);
    return code;
}

static int gpu_new(Card *c)
{
    const char *like = c->given[O_LIKE];
    Diag diag = {0};
    bool any = false, ok = true;
    for (size_t k = 0; k < COUNT(numbers); k++) any |= c->given[numbers[k].option] != NULL;
    if (!like)
        return tell(EXIT_USAGE, "gpu new: --like is missing: the card's nearest kin (onchip list gpus)\n%s", usage);
    if (!any) return tell(EXIT_USAGE, "gpu new: no number is given, so %s is that card already\n%s", like, usage);
    for (int o = O_LIKE; o <= O_NAME; o += O_NAME - O_LIKE)
        if (c->given[o] && !fits_line(c->given[o]))
            return tell(EXIT_USAGE,
                        "gpu new: %s: no line of a description takes '%s': it mustn't be empty or have #, ; or line "
                        "breaks, or blanks at its ends",
                        options[o].name, c->given[o]);
    if (!gpu_load(&c->base, like, NULL, &diag)) {
        int code = tell(device_blame(like, &diag) == OC_BAD_ARGUMENT ? EXIT_USAGE : EXIT_FAILED, "%s", diag.text.v);
        diag_free(&diag);
        return code;
    }
    for (size_t k = 0; ok && k < COUNT(numbers); k++)
        if (c->given[numbers[k].option]) ok = read_number(c, &numbers[k]);
    int code = ok && derive(c) ? write_card(c) : EXIT_USAGE;
    gpu_free(&c->base);
    return code;
}

int cmd_gpu(int argc, char **argv)
{
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    Card c = {0};
    const char *what = NULL;
    char hint[100];
    for (int o; (o = args_next(&a)) != -2;) {
        if (o == -3) return EXIT_USAGE;
        if (o == O_HELP) return printf("%s\n\n", usage), print_options(options, COUNT(options)), EXIT_OK;
        if (o >= 0)
            c.given[o] = a.value;
        else if (what)
            return tell(EXIT_USAGE, "gpu %s: '%s' is one too many", what, a.value);
        else
            what = a.value;
    }
    if (!what) return fprintf(stderr, "%s\n", usage), EXIT_USAGE;
    if (strcmp(what, kinds[0]))
        return tell(EXIT_USAGE, "gpu: nothing called '%s'%s\n%s", what, did_you_mean(what, kinds, COUNT(kinds), hint),
                    usage);
    int code = gpu_new(&c);
    vec_free(&c.sets);
    arena_free(&c.arena);
    return code;
}
