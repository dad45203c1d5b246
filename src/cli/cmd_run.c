// cmd_run.c: onchip run: a workload by name, or a PTX file; a summary on the terminal or everything as JSON.
#include "cli/cli.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

static const Option options[] = {
    {"--gpu", "NAME|FILE", "the GPU's description (gtx480); onchip list gpus"},
    {"--sched", "NAME", "the warp scheduler: short for --set sched.policy=NAME"},
    {"--set", "KEY=VALUE", "overrides a key of the description, such as l1.size=48KiB"},
    {"--threads", "N", "host threads (1); results don't depend on it"},
    {"--size", "small|standard", "the workload's sizes (standard)"},
    {"--ptx", "FILE", "the workload's device code from this file, such as what nvcc made of the same source"},
    {"--json", NULL, "everything, as JSON (doc/json.md)"},
    {"--lines", NULL, "the hottest source lines of every kernel"},
    {"--interval", "CYCLES", "every counter as a time series, in the JSON"},
    {"--kernels", "REGEX", "time only these kernels; the others are executed without time"},
    {"--skip", "N", "execute the first N of them without time"},
    {"--max-cycles", "N", "stop a launch after N cycles"},
    {"--functional", NULL, "execute only: no cycles, no memory hierarchy"},
    {"--no-lowering", NULL, "execute the PTX as written"},
    {"--check", NULL, "check the conservation laws of the counters after every launch"},
    {"--kernel", "NAME", "of a PTX file: the kernel (default: its only one)"},
    {"--grid", "X,Y,Z", "of a PTX file: blocks (1)"},
    {"--block", "X,Y,Z", "of a PTX file: threads of a block (32)"},
    {"--smem", "BYTES", "of a PTX file: dynamic shared memory"},
    {"--arg", "SPEC", "of a PTX file: the next argument: i32:7, u64:…, f32:1.5, f64:…, buf:SIZE[:zero|:iota:f32|:rand:u32|:hex:00ff…|:@FILE]"},
    {"--dump", "N[:u32|:f32|:hex|:@FILE]", "of a PTX file: gives back the buffer of argument N"},
    {"--help", NULL, "this text"},
};
enum {
    R_GPU, R_SCHED, R_SET, R_THREADS, R_SIZE, R_PTX, R_JSON, R_LINES, R_INTERVAL, R_KERNELS, R_SKIP, R_MAX, R_FUNCTIONAL, R_NO_LOWERING, R_CHECK,
    R_KERNEL, R_GRID, R_BLOCK, R_SMEM, R_ARG, R_DUMP, R_HELP
};

typedef struct Run {
    oc_config config;
    VEC(const char *) sets, params;
    VEC(char *) owned;
    const char *what, *kernels, *ptx;
    uint64_t skip;
    bool small, json, lines, check;
    FileRun file;
} Run;

static bool number(const char *option, const char *text, uint64_t *out)
{
    if (parse_size(text, out)) return true;
    fprintf(stderr, "onchip: %s takes a whole number, not '%s'\n", option, text);
    return false;
}

// Returns an exit code, or −1 to go on.
static int read_options(Run *r, int argc, char **argv)
{
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    uint64_t n = 0;
    int o;
    while ((o = args_next(&a)) != -2) {
        const char *v = a.value;
        switch (o) {
        case -3: return EXIT_USAGE;
        case -1:
            if (!r->what) r->what = v;
            else vec_push(&r->params, v);
            break;
        case R_GPU: r->config.gpu = v; break;
        case R_SCHED: {
            char *s = mem_alloc(strlen(v) + 32);
            sprintf(s, "sched.policy=%s", v);
            vec_push(&r->owned, s);
            vec_push(&r->sets, s);
            break;
        }
        case R_SET: vec_push(&r->sets, v); break;
        case R_THREADS:
            if (!number("--threads", v, &n)) return EXIT_USAGE;
            r->config.threads = (uint32_t)MIN(n, 256);
            break;
        case R_SIZE:
            if (strcmp(v, "small") && strcmp(v, "standard")) return fprintf(stderr, "onchip: --size is small or standard\n"), EXIT_USAGE;
            r->small = !strcmp(v, "small");
            break;
        case R_PTX: r->ptx = v; break;
        case R_JSON: r->json = true; break;
        case R_LINES: r->lines = true; break;
        case R_INTERVAL:
            if (!number("--interval", v, &r->config.interval)) return EXIT_USAGE;
            break;
        case R_KERNELS: r->kernels = v; break;
        case R_SKIP:
            if (!number("--skip", v, &r->skip)) return EXIT_USAGE;
            break;
        case R_MAX:
            if (!number("--max-cycles", v, &r->config.max_cycles)) return EXIT_USAGE;
            break;
        case R_FUNCTIONAL: r->config.functional = true; break;
        case R_NO_LOWERING: r->config.no_lowering = true; break;
        case R_CHECK: r->check = true; break;
        case R_KERNEL: r->file.kernel = v; break;
        case R_GRID: r->file.grid = v; break;
        case R_BLOCK: r->file.block = v; break;
        case R_SMEM: r->file.smem = v; break;
        case R_ARG: vec_push(&r->file.args, v); break;
        case R_DUMP: vec_push(&r->file.dumps, v); break;
        case R_HELP:
            printf("usage: onchip run WORKLOAD [parameter=value …] [options]\n       onchip run FILE.ptx [--arg SPEC …] [options]\n\n");
            print_options(options, COUNT(options));
            return EXIT_OK;
        }
    }
    if (r->what) return -1;
    fprintf(stderr, "onchip: run what? a workload (onchip list workloads) or a .ptx file\n");
    return EXIT_USAGE;
}

typedef struct Meter {
    FILE *out;               // where printf's text goes
    struct timespec began;
    double shown;
    const char *kernel;
} Meter;

static void show_progress(void *user, const char *kernel, uint64_t cycles, uint64_t insts, uint64_t done, uint64_t blocks)
{
    Meter *m = user;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double s = (double)(t.tv_sec - m->began.tv_sec) + 1e-9 * (double)(t.tv_nsec - m->began.tv_nsec);
    if (m->kernel != kernel) m->kernel = kernel, m->began = t, m->shown = 0, s = 0;
    if (s - m->shown < 0.25) return;
    m->shown = s;
    char c[32], i[32];
    format_count(c, (double)cycles);
    format_count(i, (double)insts / s);
    fprintf(stderr, "\r\x1b[K%s: %s cycles, %s warp instructions/s, %llu of %llu blocks", kernel, c, i, (unsigned long long)done, (unsigned long long)blocks);
    if (done) fprintf(stderr, ", %.0f s to go", s * (double)(blocks - done) / (double)done);
    fflush(stderr);
}

static void print_text(void *user, const char *text, size_t length)
{
    Meter *m = user;
    if (m->kernel) fprintf(stderr, "\r\x1b[K");
    fwrite(text, 1, length, m->out);
    fflush(m->out);
}

static bool laws_hold(const oc_device *d)
{
    bool ok = true;
    for (size_t k = 0; k < oc_launches(d); k++) {
        Text t = {0};
        const Record *r = device_record(d, k);
        if (!r->functional && !r->partial && counters_broken(r->count, &t)) {
            fprintf(stderr, "onchip: launch %zu of %s breaks a conservation law: %s\n", k, r->kernel, t.v);
            ok = false;
        }
        text_free(&t);
    }
    return ok;
}

static bool is_file(const char *what) { return strchr(what, '.') || access(what, R_OK) == 0; }

static int run(Run *r)
{
    char message[4096];
    oc_device *d;
    Meter meter = {.shown = 0};
    bool terminal = isatty(STDERR_FILENO);
    const WorkloadEntry *entry = NULL;
    entry = workload_find(r->what);
    if (!entry && !is_file(r->what)) {
        const char *names[256];
        size_t n = 0;
        for (; n < workload_count && n < COUNT(names); n++) names[n] = workload_table[n].workload->name;
        const char *near = nearest_name(r->what, names, n);
        fprintf(stderr, "onchip: no workload '%s'%s%s%s (onchip list workloads)\n", r->what, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return EXIT_USAGE;
    }
    clock_gettime(CLOCK_MONOTONIC, &meter.began);
    vec_push(&r->sets, NULL);
    vec_push(&r->params, NULL);
    r->config.sets = r->sets.v;
    r->config.print = print_text;
    meter.out = r->json ? stderr : stdout;
    r->config.user = &meter;
    if (terminal) r->config.progress = show_progress;
    oc_status status = oc_open(&r->config, &d, message, sizeof message);
    if (status != OC_OK) {
        fprintf(stderr, "onchip: %s\n", message);
        return status == OC_BAD_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
    }
    if (!device_select(d, r->kernels, r->skip)) {
        fprintf(stderr, "onchip: --kernels: malformed regular expression '%s'\n", r->kernels);
        oc_close(d);
        return EXIT_USAGE;
    }
    Json json = {0};
    int code = EXIT_OK;
    char *error = NULL;
    ReportInfo info = {.what = r->what, .lines = r->lines};
    WorkResult result = {0};
    json_open(&json, NULL, '{');
    if (entry) {
        WorkOptions o = {.small = r->small, .params = r->params.v, .ptx = r->ptx};
        bool ok = workload_run(d, entry, &o, &result);
        code = ok ? EXIT_OK : result.status == OC_BAD_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
        info.checked = true;
        info.verified = result.verified;
        info.error = result.error;
        info.params = result.params;
    } else if (r->params.n > 1) {
        error = mem_text("a PTX file takes no parameters; its arguments are given by --arg");
        info.error = error;
        code = EXIT_USAGE;
    } else {
        r->file.path = r->what;
        code = run_file(d, &r->file, r->json ? stderr : stdout, &json, &error);
        info.error = error;
    }
    if (terminal) fprintf(stderr, "\r\x1b[K");
    if (r->check && !laws_hold(d)) code = EXIT_FAILED;
    if (r->json) {
        report_json(d, &info, &json);
        json_close(&json, '}');
        fputs(json.text.v, stdout);
    } else if (code != EXIT_USAGE || oc_launches(d)) {
        report_text(d, &info, stdout);
    }
    if (info.error) fflush(stdout), fprintf(stderr, "onchip: %s\n", info.error);
    json_free(&json);
    mem_free(error);
    work_result_free(&result);
    oc_close(d);
    return code;
}

int cmd_run(int argc, char **argv)
{
    Run r = {.small = false};
    int code = read_options(&r, argc, argv);
    if (code < 0) code = run(&r);
    for (size_t k = 0; k < r.owned.n; k++) mem_free(r.owned.v[k]);
    vec_free(&r.owned), vec_free(&r.sets), vec_free(&r.params), vec_free(&r.file.args), vec_free(&r.file.dumps);
    return code;
}
