// cmd_probe.c: onchip probe: finds out how the memory hierarchy of a GPU is built, simulated or real, from the times of
// loads.
#include "cli/unit.h"
#include "device/device.h"
#include "probe/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIMULATED "a simulated GPU"
static const Option options[] = {
    {"--help", NULL, "this text"},
    {"--device", "cuda:N", "the real GPU to measure: cuda:0 is the first"},
    {"--budget", "SECONDS",
     "the time that the probe may take, such as 60s or 5m (no limit); a part whose estimated time is more than what "
     "is left is left out, and named"},
    {"--loads", "N",
     "how many loads a part may make (6.3 million on a simulated GPU); the values that aren't known for that are "
     "named"},
    {"--only", "PART[,…]", "measure only these parts (default: all of those below)"},
    {"--by-the-book", NULL,
     "for each cache and TLB, also go the four steps that Mei et al. give (§3.2), as they are written, and say where "
     "what they suppose doesn't hold"},
    {"--json", NULL, "print everything as JSON (doc/reference/json.md)"},
    {"--plot", "DIR", "write figures into DIR, each as CSV, gnuplot script and SVG"},
    {"--traces", "DIR", "write every sequence of loads that was run, and the latency of each load, into DIR as CSV"},
    {"--emit", "FILE.ini",
     "write what was found as a GPU description, for onchip run --gpu FILE.ini; - is the standard output, and the "
     "report goes to the standard error"},
    {NULL, NULL, SIMULATED},
    {"--gpu", "NAME|FILE", "the simulated GPU to measure: one of onchip list gpus, or a description in a file"},
    {"--set", "KEY=VALUE", "change a key of the description; onchip show keys lists the keys"},
    {"--threads", "N", "how many threads of this host simulate (2), up to 256; results don't depend on it"},
};
const CommandLine probe_line = {options, COUNT(options), NULL};
enum {
    P_HELP,
    P_DEVICE,
    P_BUDGET,
    P_LOADS,
    P_ONLY,
    P_BOOK,
    P_JSON,
    P_PLOT,
    P_TRACES,
    P_EMIT,
    P_OF_SIMULATED,
    P_GPU,
    P_SET,
    P_THREADS
};
enum { TRACED = 20000000 };  // how many latencies --traces keeps at most

typedef struct Request {
    Args args;
    oc_config config;
    ProbeOptions probe;
    VEC(const char *) sets;
    const char *plot, *traces, *emit;
    bool json, reported;
    Diag error;  // the first thing that went wrong
} Request;

static void blame(Request *r, const char *text) { diag_error(&r->error, "%s", text); }

static int wrong(Request *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int wrong(Request *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_verror(&r->error, format, args);
    va_end(args);
    return EXIT_USAGE;
}

// In the order in which they are done.
static void print_parts(void)
{
    printf("\nparts:\n");
    for (int k = 0; k < PARTS; k++) {
        char left[32];
        snprintf(left, sizeof left, "  %s", part_info[k].name);
        put_row(stdout, left, 24, BREAK_WORDS, part_info[k].doc);
    }
}

// --- options ---------------------------------------------------------------------------------------------------------
static int take_budget(Request *r, const char *text)
{
    char *end;
    double v = strtod(text, &end);
    if (!strcmp(end, "m"))
        v *= 60;
    else if (strcmp(end, "s") && *end)
        v = 0;
    if (!(v > 0) || v > 1e6 || end == text) return wrong(r, "--budget takes a time such as 60s or 5m, not '%s'", text);
    r->probe.budget = v;
    return -1;
}

static int take_parts(Request *r, const char *text)
{
    const char *names[PARTS];
    for (int k = 0; k < PARTS; k++) names[k] = part_info[k].name;
    for (; *text; text += *text == ',') {
        char word[32], hint[100];
        size_t n = strcspn(text, ","), k = 0;
        snprintf(word, sizeof word, "%.*s", (int)MIN(n, sizeof word - 1), text);
        while (k < PARTS && strcmp(word, names[k])) k++;
        if (k == PARTS)
            return wrong(r, "--only: no part '%s'%s (onchip probe --help)", word,
                         did_you_mean(word, names, PARTS, hint));
        r->probe.parts |= 1u << k;
        text += n;
    }
    return r->probe.parts ? -1 : wrong(r, "--only takes parts, such as l1,tlb");
}

static int take_option(Request *r, int o)
{
    const char *v = r->args.value;
    uint64_t n = 0;
    switch (o) {
    case P_DEVICE: r->config.device = v; break;
    case P_BUDGET: return take_budget(r, v);
    case P_LOADS:
        if (!parse_size(v, &r->probe.most) || !r->probe.most || r->probe.most > 1ull << 40)
            return wrong(r, "--loads takes a whole number from 1 to 2^40, not '%s'", v);
        break;
    case P_ONLY: return take_parts(r, v);
    case P_BOOK: r->probe.book = true; break;
    case P_JSON: r->json = true; break;
    case P_PLOT: r->plot = v; break;
    case P_TRACES: r->traces = v, r->probe.keep = TRACED; break;
    case P_EMIT: r->emit = v; break;
    case P_GPU: r->config.gpu = v; break;
    case P_SET: vec_push(&r->sets, v); break;
    case P_THREADS:
        if (!parse_size(v, &n) || n > 256) return wrong(r, "--threads takes a whole number up to 256, not '%s'", v);
        r->config.threads = (uint32_t)n;
        break;
    case P_HELP:
        printf("usage: onchip probe --gpu NAME|FILE [options]\n       onchip probe --device cuda:0 [options]\n\n"
               "Finds out what the memory hierarchy of a GPU is, from how long loads take.\n\n");
        print_options(options, COUNT(options));
        print_parts();
        return EXIT_OK;
    }
    return -1;
}

static bool to_standard(const char *path) { return path && !strcmp(path, "-"); }

// Returns an exit code, or −1 to go on.
static int read_options(Request *r, int argc, char **argv)
{
    int o, code = -1;
    r->args = (Args){.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options), .diag = &r->error};
    r->config.threads = 2;
    while (code < 0 && (o = args_next(&r->args)) != -2) {
        if (o == -3)
            code = EXIT_USAGE;
        else if (o >= 0)
            code = take_option(r, o);
        else
            code = wrong(r, "probe takes no word '%s': the GPU is given by --gpu or --device", r->args.value);
    }
    if (code < 0 && r->config.device && !args_fit(&r->args, "a real GPU", "--device names a real one"))
        code = EXIT_USAGE;
    if (code < 0 && !r->config.device && !r->config.gpu)
        code = wrong(r, "probe what? a simulated GPU (--gpu NAME: onchip list gpus) or a real one (--device cuda:0)");
    if (code < 0 && r->json && to_standard(r->emit))
        code = wrong(r, "--json and --emit - both write to the standard output\nhint: give --emit a file's name");
    return code;
}

// --- the run ---------------------------------------------------------------------------------------------------------
typedef struct Bar {
    double began, shown;
    const char *part;
} Bar;

static void show_progress(void *user, const char *part, double done)
{
    Bar *b = user;
    double now = seconds_now();
    if (now - b->shown < 0.2 && b->part == part) return;
    b->shown = now, b->part = part;
    char line[32];
    for (int k = 0; k < 24; k++) line[k] = k < (int)(24 * done) ? '#' : '.';
    line[24] = 0;
    fprintf(stderr, "\r\x1b[K[%s] %s, %.0f s", line, part, now - b->began);
    fflush(stderr);
}

// Loads a description as run would, from a file in a folder of its own.
static bool loads(const Text *t, Diag *diag)
{
    Text folder = {0}, file = {0};
    bool made = folder_for_a_while(&folder, diag);
    text_printf(&file, "%s/found.ini", folder.v);
    Gpu gpu = {0};
    Diag why = {0};
    bool ok = made && write_out(t, file.v, diag);
    if (ok && !gpu_load(&gpu, file.v, NULL, &why))
        ok = diag_error(diag,
                        "what was found makes no description that run takes, so none is written: %s\nhint: --json "
                        "has all that was found",
                        why.text.v);
    else if (ok)
        gpu_free(&gpu);
    if (made) unlink(file.v), rmdir(folder.v);
    text_free(&folder), text_free(&file), diag_free(&why);
    return ok;
}

static bool write_description(const Probe *p, const char *path, Diag *diag)
{
    Text t = {0};
    probe_emit(p, &t);
    bool ok = loads(&t, diag) && write_out(&t, path, diag);
    text_free(&t);
    return ok;
}

static void put_json(Request *r, const Probe *p)
{
    Json json = {0};
    json_open(&json, NULL, '{');
    probe_json(p, r->error.failed ? r->error.text.v : NULL, &json);
    json_close(&json, '}');
    fputs(json.text.v, stdout);
    json_free(&json);
    r->reported = true;
}

// The description is read for the steps of the book alone, which stand beside it. The probe never sees it. Where the
// standard output gets what was emitted, the report goes to the errors.
static void put_text(const Request *r, const Probe *p)
{
    Gpu gpu = {0};
    Diag diag = {0};
    const bool described = r->probe.book && r->config.gpu && gpu_load(&gpu, r->config.gpu, r->sets.v, &diag);
    probe_text(p, described ? &gpu : NULL, to_standard(r->emit) ? stderr : stdout);
    if (described) gpu_free(&gpu);
    diag_free(&diag);
}

static int measure(Request *r, oc_device *d)
{
    Probe p;
    Diag diag = {0};
    Bar bar = {.began = seconds_now()};
    bool terminal = isatty(STDERR_FILENO);
    if (terminal) r->probe.progress = show_progress, r->probe.user = &bar;
    bool measured = probe_device(d, &r->probe, &p, &diag), ok = measured;
    if (terminal) fprintf(stderr, "\r\x1b[K");
    ok = ok && (!r->emit || write_description(&p, r->emit, &diag));
    ok = ok && (!r->traces || probe_traces(&p, r->traces, &diag));
    ok = ok && (!r->plot || probe_figures(&p, r->plot, &diag));
    if (!ok) blame(r, diag.text.v);
    if (interrupted()) blame(r, "interrupted");
    for (int k = 0; k < PARTS; k++) {
        Text t = {0};
        if (p.part[k].state != PART_FAILED) continue;
        text_printf(&t, "part %s failed: %s", part_info[k].name, p.part[k].why);
        blame(r, t.v);
        text_free(&t);
    }
    if (r->json)
        put_json(r, &p);
    else if (measured)
        put_text(r, &p);
    probe_free(&p);
    diag_free(&diag);
    return interrupted() ? interrupt_status() : r->error.failed ? EXIT_FAILED : EXIT_OK;
}

static int run_probe(Request *r)
{
    char message[4096];
    oc_device *d;
    vec_push(&r->sets, NULL);
    r->config.sets = r->sets.v;
    r->config.stop = r->probe.stop = interrupt_catch();
    oc_status status = oc_open(&r->config, &d, message, sizeof message);
    if (status != OC_OK) {
        blame(r, message);
        if (r->config.device && status != OC_BAD_ARGUMENT)
            text_put(&r->error.text, "\nhint: onchip probe --gpu NAME looks at a simulated one");
        return status == OC_BAD_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
    }
    int code = measure(r, d);
    oc_close(d);
    return code;
}

int cmd_probe(int argc, char **argv)
{
    Request r = {.json = false};
    int code = read_options(&r, argc, argv);
    if (code < 0) code = run_probe(&r);
    for (int k = 0; k < argc && !r.json; k++) r.json = !strcmp(argv[k], "--json");
    if (r.error.failed) {
        if (r.json && !r.reported) put_json(&r, NULL);
        fflush(stdout);
        tell(code, "%s", r.error.text.v);
    }
    vec_free(&r.sets);
    diag_free(&r.error);
    return code;
}
