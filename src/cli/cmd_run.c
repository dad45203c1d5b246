// cmd_run.c: onchip run: runs a workload by name, a PTX file or a CUDA program, and prints a summary, or everything as
// JSON.
#include "cli/unit.h"
#include "device/device.h"
#include "driver/fatbin.h"
#include "sl1/sl1.h"
#include "sweep/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WORKLOAD "a workload"
#define PTX_FILE "a PTX file"
#define PROGRAM "a CUDA program"
static const Option options[] = {
    {NULL, "", "most used"},
    {"--gpu", "NAME|FILE", "the GPU's description (gtx480): one of onchip list gpus, or a file"},
    {"--set", "KEY=VALUE", "change a key of the description, as in l1.size=48KiB; onchip show keys lists the keys"},
    {"--sched", "NAME",
     "the warp scheduler: one of onchip list schedulers, short for --set sched.policy=NAME; the path of a shared "
     "object "
     "(doc/extend/writing-a-policy.md); or best-swl, which tries the limits of swl and keeps the runs (onchip run "
     "--sched "
     "best-swl --help)"},
    {"--slice", "N", SLICE_DOC},
    {"--autotune", "threads[=N,…]", TUNE_DOC "; the runs are kept (onchip run --autotune threads --help)"},
    {"--lines", NULL, "also print the hottest source lines of every kernel"},
    {"--json", NULL, "print everything that is known about the run, as JSON (doc/reference/json.md)"},
    {NULL, NULL, WORKLOAD},
    {"--size", "small|standard", "values of the parameters that aren't given (standard)"},
    {"--ptx", "FILE",
     "take the workload's device code from this file, such as the PTX that nvcc makes of the same source"},
    {NULL, NULL, PTX_FILE},
    {"--kernel", "NAME",
     "which kernel to run; needed if the file has several. Its name is that of the PTX, _Z5saxpyifPf, or that of C++: "
     "saxpy, "
     "saxpy(int, float, float*), blas::scale<float>"},
    {"--grid", "X,Y,Z", "blocks of the grid (1)"},
    {"--block", "X,Y,Z", "threads of a block (32)"},
    {"--smem", "BYTES", "dynamic shared memory of a block (0)"},
    {"--arg", "SPEC",
     "the kernel's next argument, in the order of its parameters. A number with its type: i32:7, u64:7, f32:1.5 or "
     "f64:1.5. A buffer of SIZE bytes: buf:SIZE, which is zero, or buf:SIZE:HOW, where HOW says how it is filled: "
     "zero, iota:f32, iota:u32, rand:f32, rand:u32, hex:00ff… or @FILE. A buffer with the contents of FILE: "
     "buf:@FILE. All bytes of a structure: hex:00ff… Of a .cu file, a number needs no type: 1024"},
    {"--name", "NAME,…",
     "names of the kernel's parameters, in their order, for reports and --dump: nvcc's PTX has none of its own"},
    {"--dump", "N|NAME[:HOW]",
     "print the buffer of argument N, counted from 0, or of the parameter NAME, after the run; HOW is hex, u32 or f32, "
     "or @FILE to write it into a file"},
    {NULL, NULL, PROGRAM},
    {"-o", "FILE", "write the report into this file, and not to the standard error (doc/use/programs.md)"},
    {NULL, "", "simulation"},
    {"--kernels", "REGEX",
     "time only the kernels whose names match this regular expression, and execute the others without time; "
     "it is an error if no launch is left to time"},
    {"--skip", "N", "execute the first N launches without time; with --kernels, the first N whose kernels match (0)"},
    {"--max-cycles", "N", "stop each launch after N cycles and report what ran until then (default: no limit)"},
    {"--cap", "N",
     "end the run when N warp instructions were executed, and report what ran until then (default: no limit)"},
    {"--sample", NULL,
     "time a part of the launches and blocks and only execute the others: what isn't timed is estimated, and the "
     "report says how surely (doc/use/sample.md)"},
    {"--functional", NULL, "only execute the kernels: no cycles, no memory hierarchy"},
    {"--sl1", "[=SETTING,…]",
     "rewrite the kernels to cache in shared memory: the software L1 (doc/use/sl1.md); onchip sl1 --help lists the "
     "settings"},
    {"--lower", "N", "how much of a compiler's work is done to the PTX, from 0, none, to 3: the key sm.lower (3)"},
    {"--registers", "N",
     "registers of a thread, as nvcc's -maxrregcount: the key registers.max; what doesn't fit is spilled"},
    {"--no-lowering", NULL, "execute the PTX as it is written, without removing copies and dead code first"},
    {"--target", "NAME",
     "of a program or a file with code for several targets, take the PTX for this one, such as sm_80 or sm_90a (the "
     "newest that the GPU runs)"},
    {"--strict", NULL, "refuse the whole file if one of its kernels can't be run, instead of that kernel alone"},
    {NULL, "", "report"},
    {"--why", NULL,
     "say for each data structure why its loads miss in the L1, who pushes its lines out, and what another L1 would "
     "serve; a run takes up to twice as long"},
    {"--annotate", NULL,
     "the source with its counters: instructions, waits, and a row for each access of memory with its array; compile "
     "with -lineinfo"},
    {"--chart", NULL,
     "the memory chart of each kernel, from shared memory to DRAM: requests, bytes, shares of the peak, hits, and "
     "where "
     "accesses wait; and its roofline"},
    {"--metrics", "NAME,…",
     "print these numbers of each kernel instead of the report: counters and rates, also by Nsight Compute's names "
     "(doc/use/metrics.md)"},
    {"--csv", NULL, "with --metrics: as CSV"},
    {"--launches", "WHICH",
     "of a kernel that is launched several times: sum, all launches as one; first, its first launch; slowest, the one "
     "of most cycles; or all, each by itself (sum)"},
    {"--interval", "CYCLES",
     "record every counter about once in so many cycles, as time series; needs --json or --trace; a trace without this "
     "option has samples 1000 cycles apart"},
    {"--trace", "FILE.json",
     "write kernels, copies, and what each SM does over time into a file that ui.perfetto.dev opens; a run takes "
     "longer then"},
    {"--energy", NULL,
     "account the energy of every kernel, by component and by data structure (doc/reference/energy.md)"},
    {"--check", NULL,
     "find races, uninitialised reads, barriers that not all threads reach, and accesses of local memory beyond their "
     "variable (doc/use/check.md); does what --laws does, too. If there is a finding, the exit status is 1. One thread "
     "of this host simulates then"},
    {"--laws", NULL,
     "check that the counters of every launch agree with each other (conservation laws), and that no shuffle reads a "
     "lane that takes no part"},
    {"--threads", "N", "how many threads of this host simulate (1), up to 256; results don't depend on it"},
    {"--help", NULL, "this text"},
};
const CommandLine run_line = {options, COUNT(options), NULL};
enum {
    R_FIRST,
    R_GPU,
    R_SET,
    R_SCHED,
    R_SLICE,
    R_AUTOTUNE,  // tune.c's
    R_LINES,
    R_JSON,
    R_WORKLOAD,
    R_SIZE,
    R_PTX,
    R_PTX_FILE,
    R_KERNEL,
    R_GRID,
    R_BLOCK,
    R_SMEM,
    R_ARG,
    R_NAME,
    R_DUMP,
    R_PROGRAM,
    R_OUT,
    R_SIMULATED,
    R_KERNELS,
    R_SKIP,
    R_MAX,
    R_CAP,
    R_SAMPLE,
    R_FUNCTIONAL,
    R_SL1,
    R_LOWER,
    R_REGISTERS,
    R_NO_LOWERING,
    R_TARGET,
    R_STRICT,
    R_REPORTED,
    R_WHY,
    R_ANNOTATE,
    R_CHART,
    R_METRICS,
    R_CSV,
    R_LAUNCHES,
    R_INTERVAL,
    R_TRACE,
    R_ENERGY,
    R_CHECK,
    R_LAWS,
    R_THREADS,
    R_HELP
};

typedef struct Run {
    Args args;
    oc_config config;
    VEC(const char *) sets, params;
    VEC(char *) owned;
    const char *what, *kernels, *ptx, *trace, *out_path;
    const char *script;        // an argument file; null: none
    const char *const *words;  // of a CUDA program, whose file is the first; null: it is none
    FILE *out;                 // gets the report
    Regex *regex;              // of kernels
    uint64_t skip;
    const char *metrics;  // null: the report
    bool small, json, csv, chart, annotate, lines, laws, software;
    LaunchView launches;
    Sl1Options sl1;
    bool reported;  // the JSON has been written
    FileRun file;
    TextList dumps;
    Text error;  // why the command failed, for stderr and the JSON
} Run;

static int refuse(Run *r, int code, const char *format, ...)
{
    va_list args;
    Text t = {0};
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    if (!r->error.n) text_put(&r->error, strncmp(t.v, "error: ", 7) ? t.v : t.v + 7);
    text_free(&t);
    return code;
}

// An exit code, or −1 to go on.
static int read_number(Run *r, int option, uint64_t most, uint64_t *out)
{
    if (parse_size(r->args.value, out) && *out <= most) return -1;
    if (most == UINT64_MAX)
        return refuse(r, EXIT_USAGE, "%s takes a whole number, not '%s'", options[option].name, r->args.value);
    return refuse(r, EXIT_USAGE, "%s takes a whole number up to %llu, not '%s'", options[option].name,
                  (unsigned long long)most, r->args.value);
}

// An option that is short for --set KEY=v.
static int take_key(Run *r, const char *key, const char *v)
{
    char *s = mem_alloc(strlen(key) + strlen(v) + 2);
    sprintf(s, "%s=%s", key, v);
    vec_push(&r->owned, s);
    vec_push(&r->sets, s);
    return -1;
}

static int take_scheduler(Run *r, const char *v)
{
    if (!policy_named(v) && !policy_is_path(v)) {
        const char *near = policy_near(v);
        char hint[100];
        return refuse(r, EXIT_USAGE, "no scheduler '%s'%s (onchip list schedulers; a shared object's path has a /)", v,
                      did_you_mean(v, &near, near != NULL, hint));
    }
    return take_key(r, "sched.policy", v);
}

static int take_kernels(Run *r, const char *v)
{
    Text why = {0};
    int code = -1;
    regex_close(r->regex);
    r->kernels = v;
    r->regex = regex_open(v, &why);
    if (!r->regex) code = refuse(r, EXIT_USAGE, "--kernels: %s", why.v);
    text_free(&why);
    return code;
}

static int take_sl1(Run *r, const char *v)
{
    Text why = {0};
    r->software = !v || strcmp(v, "no") != 0;
    bool ok = !v || !r->software || sl1_read(&r->sl1, v, &why);
    int code = ok ? -1 : refuse(r, EXIT_USAGE, "--sl1: %s", why.v);
    text_free(&why);
    return code;
}

static int take_names(Run *r, const char *v)
{
    for (const char *p = v; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        size_t n = strcspn(p, ",");
        if (!n) return refuse(r, EXIT_USAGE, "--name %s: a name is empty", v);
        char *name = mem_alloc(n + 1);
        memcpy(name, p, n);
        vec_push(&r->owned, name);
        vec_push(&r->file.names, name);
    }
    return -1;
}

static int take_metrics(Run *r, const char *v)
{
    Text why = {0};
    r->metrics = v;
    int code = metrics_read(v, &why) ? -1 : refuse(r, EXIT_USAGE, "--metrics: %s", why.v);
    text_free(&why);
    return code;
}

static int take_launches(Run *r, const char *v)
{
    static const char *const names[] = {"sum", "first", "slowest", "all"};
    for (size_t k = 0; k < COUNT(names); k++)
        if (!strcmp(v, names[k])) return r->launches = (LaunchView)k, -1;
    return refuse(r, EXIT_USAGE, "--launches is sum, first, slowest or all, not '%s'", v);
}

// What is launched of a PTX file, and in which shape.
static int take_launch(Run *r, int o, const char *v)
{
    Text why = {0};
    if (o == R_KERNEL && r->file.kernel)
        return refuse(
            r, EXIT_USAGE,
            "--kernel %s and --kernel %s: a run has one; several kernels one after the other are written in an "
            "argument file (doc/use/argument-files.md)",
            r->file.kernel, v);
    bool ok = file_set(&r->file, options[o].name + 2, v, &why);
    int code = ok ? -1 : refuse(r, EXIT_USAGE, "%s", why.v);
    text_free(&why);
    return code;
}

static int take_option(Run *r, int o)
{
    const char *v = r->args.value;
    uint64_t n = 0;
    int code = -1;
    switch (o) {
    case R_GPU: r->config.gpu = v; break;
    case R_SCHED: return take_scheduler(r, v);
    case R_SLICE: return take_key(r, "gpu.slice", v);
    case R_SET: vec_push(&r->sets, v); break;
    case R_THREADS:
        code = read_number(r, o, 256, &n);
        r->config.threads = (uint32_t)n;
        break;
    case R_SIZE:
        if (strcmp(v, "small") && strcmp(v, "standard"))
            return refuse(r, EXIT_USAGE, "--size is small or standard, not '%s'", v);
        r->small = !strcmp(v, "small");
        break;
    case R_PTX: r->ptx = v; break;
    case R_JSON: r->json = true; break;
    case R_LINES: r->lines = true; break;
    case R_ANNOTATE: r->annotate = true; break;
    case R_CHART: r->chart = true; break;
    case R_METRICS: return take_metrics(r, v);
    case R_CSV: r->csv = true; break;
    case R_WHY: r->config.why = true; break;
    case R_LAUNCHES: return take_launches(r, v);
    case R_TRACE: r->trace = v; break;
    case R_INTERVAL: return read_number(r, o, UINT64_MAX, &r->config.interval);
    case R_KERNELS: return take_kernels(r, v);
    case R_SKIP: return read_number(r, o, UINT64_MAX, &r->skip);
    case R_MAX: return read_number(r, o, UINT64_MAX, &r->config.max_cycles);
    case R_CAP: return read_number(r, o, UINT64_MAX, &r->config.cap);
    case R_SAMPLE: r->config.sample = true; break;
    case R_FUNCTIONAL: r->config.functional = true; break;
    case R_LOWER: return take_key(r, "sm.lower", v);
    case R_REGISTERS: return take_key(r, "registers.max", v);
    case R_NO_LOWERING: r->config.no_lowering = true; break;
    case R_STRICT: r->config.strict = true; break;
    case R_ENERGY: vec_push(&r->sets, "energy.count=yes"); break;
    case R_CHECK: r->laws = r->config.check = true; break;
    case R_LAWS: r->laws = true; break;
    case R_SL1: return take_sl1(r, v);
    case R_KERNEL:
    case R_GRID:
    case R_BLOCK:
    case R_SMEM: return take_launch(r, o, v);
    case R_ARG: vec_push(&r->file.args, v); break;
    case R_NAME: return take_names(r, v);
    case R_DUMP: vec_push(&r->dumps, v); break;
    case R_TARGET:
        if (!target_read(v, &r->file.target))
            return refuse(r, EXIT_USAGE, "--target takes a target, such as sm_80 or sm_90a, not '%s'", v);
        break;
    case R_OUT: r->out_path = v; break;
    case R_HELP:
        printf(
            "usage: onchip run WORKLOAD [parameter=value …] [options]\n       onchip run FILE.ptx|FILE.cu [--arg SPEC "
            "… | @FILE] [options]\n       onchip run [options] ./PROGRAM [its arguments …]\n\n");
        print_options(options, COUNT(options));
        return EXIT_OK;
    }
    return code;
}

// An option that has no effect because of another one is a mistake.
static int check_options(Run *r)
{
    if (r->args.given >> R_LAUNCHES & 1 && r->json)
        return refuse(r, EXIT_USAGE, "--launches has no effect with --json, which has every launch");
    static const int timed[] = {R_WHY,      R_CHART, R_ANNOTATE, R_METRICS, R_LINES,
                                R_INTERVAL, R_TRACE, R_ENERGY,   R_KERNELS, R_SKIP};
    for (size_t k = 0; r->config.functional && k < COUNT(timed); k++)
        if (r->args.given >> timed[k] & 1)
            return refuse(r, EXIT_USAGE, "%s has no effect with --functional, which times nothing",
                          options[timed[k]].name);
    static const int whole[] = {R_FUNCTIONAL, R_WHY, R_CHECK, R_INTERVAL, R_TRACE, R_MAX, R_CAP};
    for (size_t k = 0; r->config.sample && k < COUNT(whole); k++)
        if (r->args.given >> whole[k] & 1)
            return refuse(r, EXIT_USAGE,
                          "%s can't go with --sample, which times a part of each launch only; --kernels and --skip "
                          "choose launches that are timed",
                          options[whole[k]].name);
    if (r->metrics && r->json) return refuse(r, EXIT_USAGE, "--metrics has no effect with --json, which has them all");
    if (r->csv && !r->metrics) return refuse(r, EXIT_USAGE, "--csv needs --metrics");
    if (r->chart && r->json) return refuse(r, EXIT_USAGE, "--chart has no effect with --json");
    if (r->args.given >> R_INTERVAL & 1 && !r->json && !r->trace)
        return refuse(r, EXIT_USAGE, "--interval needs --json or --trace: the series are in these files alone");
    return -1;
}

// Where a program stands among the arguments: those behind it are its own. argc: nowhere. With --kernel in front of it,
// a kernel that is in the program's file is run, and not the program.
static int find_program(int argc, char **argv)
{
    Text error = {0};
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options), .error = &error};
    int o;
    bool kernel = false;
    while ((o = args_next(&a)) >= 0) kernel |= !strcmp(options[o].name ? options[o].name : "", "--kernel");
    text_free(&error);
    return o == -1 && !kernel && !workload_find(a.value) && elf_program(a.value) ? a.at - 1 : argc;
}

// Returns an exit code, or −1 to go on.
static int read_options(Run *r, int argc, char **argv)
{
    r->args =
        (Args){.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options), .error = &r->error};
    int o, code = -1;
    while (code < 0 && (o = args_next(&r->args)) != -2) {
        if (o == -3)
            code = EXIT_USAGE;
        else if (o >= 0)
            code = take_option(r, o);
        else if (!r->what)
            r->what = r->args.value;
        else
            vec_push(&r->params, r->args.value);
    }
    if (code < 0 && r->words) r->what = *r->words;
    if (code < 0 && !r->what)
        code = refuse(r, EXIT_USAGE, "run what? a workload (onchip list workloads), a .ptx file or a CUDA program");
    return code < 0 ? check_options(r) : code;
}

typedef struct Meter {
    FILE *out;     // where printf's text goes
    Text printed;  // of a program's kernels
    struct timespec began;
    double shown;
    const char *kernel;
    const oc_device *device;  // of a program, whose launches are counted; else null
    bool line;                // the terminal has a line of progress
} Meter;

static void clear_line(void *user)
{
    Meter *m = user;
    if (m->line) fprintf(stderr, "\r\x1b[K"), fflush(stderr);
    m->line = false;
    m->kernel = NULL;  // the next launch, even of the same kernel, begins anew
}

static void show_progress(void *user, const char *kernel, uint64_t cycles, uint64_t insts, uint64_t done,
                          uint64_t blocks)
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
    char *full = name_shown(kernel), *shown = name_shorten(full, 60);
    fprintf(stderr, "\r\x1b[K");
    if (m->device) fprintf(stderr, "launch %zu, ", oc_launches(m->device) + 1);
    fprintf(stderr, "%s: %s cycles, %s warp instructions/s, %llu of %llu blocks", shown, c, i, (unsigned long long)done,
            (unsigned long long)blocks);
    m->line = true;
    mem_free(full), mem_free(shown);
    if (done) fprintf(stderr, ", %.0f s to go", s * (double)(blocks - done) / (double)done);
    fflush(stderr);
}

// What a program's kernels print waits until the program asks for it.
static void keep_text(void *user, const char *text, size_t length)
{
    Meter *m = user;
    text_add(&m->printed, text, length);
}

static void print_text(void *user, const char *text, size_t length)
{
    Meter *m = user;
    if (m->kernel) fprintf(stderr, "\r\x1b[K");
    fwrite(text, 1, length, m->out);
    fflush(m->out);
}

static bool laws_hold(const oc_device *d, Run *r)
{
    Text all = {0};
    for (size_t k = 0; k < oc_launches(d); k++) {
        Text t = {0};
        const Record *record = device_record(d, k);
        char *name = name_shown(record->kernel);
        if (!record->functional && !record->partial && !record->sampled && counters_broken(record->count, &t))
            text_printf(&all, "%slaunch %zu of %s breaks a conservation law: %s", all.n ? "\n" : "", k, name, t.v);
        mem_free(name);
        text_free(&t);
    }
    bool ok = !all.n;
    if (!ok) refuse(r, EXIT_FAILED, "%s", all.v);
    text_free(&all);
    return ok;
}

// What --check has found is a failure: the report says what it is.
static bool nothing_found(const oc_device *d, Run *r)
{
    LaunchSums sums = {0};
    size_t found = 0;
    device_sums(d, &sums);
    for (size_t k = 0; k < sums.n; k++) found += sums.v[k].flaws.n;
    sums_free(&sums);
    if (found)
        refuse(r, EXIT_FAILED, "--check found %zu fault%s, which the report tells of (doc/use/check.md)", found,
               found == 1 ? "" : "s");
    return !found;
}

// Tells, once for each kernel, what it does that PTX leaves undefined. This isn't an error, since the value may never
// be used.
static void report_undefined(const oc_device *d)
{
    for (size_t k = 0; k < oc_launches(d); k++) {
        const Record *r = device_record(d, k);
        bool told = !r->undefined;
        for (size_t j = 0; j < k && !told; j++)
            told = device_record(d, j)->undefined && !strcmp(device_record(d, j)->kernel, r->kernel);
        if (told) continue;
        char *name = name_shown(r->kernel);
        fprintf(stderr,
                "onchip: launch %zu of %s: %llu times a lane's shfl reads a lane that takes no part\n"
                "  first in %s\n"
                "  PTX leaves the value undefined; here it is 0. Let all lanes of the membermask execute the shfl.\n",
                k, name, (unsigned long long)r->count[C_SHFL_UNDEFINED], r->undefined);
        mem_free(name);
    }
}

// If --kernels and --skip leave no launch to time, that is a mistake, most likely in a name.
static bool something_timed(const oc_device *d, Run *r)
{
    size_t n = oc_launches(d);
    if (!n || (!r->kernels && !r->skip)) return true;
    Text names = {0}, by = {0};
    bool timed = false;
    for (size_t k = 0; k < n; k++) {
        const char *name = device_record(d, k)->kernel;
        bool seen = false;
        for (size_t j = 0; j < k; j++) seen |= !strcmp(device_record(d, j)->kernel, name);
        char *shown = name_shown(name);
        if (!seen) text_printf(&names, "%s%s", names.n ? ", " : "", shown);
        mem_free(shown);
        timed |= !device_record(d, k)->functional;
    }
    if (r->kernels) text_printf(&by, "--kernels '%s'", r->kernels);
    if (r->skip) text_printf(&by, "%s--skip %llu", by.n ? " with " : "", (unsigned long long)r->skip);
    if (!timed)
        refuse(r, EXIT_USAGE, "nothing was timed: %s leaves out every launch; the kernels are %s", by.v, names.v);
    text_free(&names), text_free(&by);
    return timed;
}

// Why a file can't be read; null: it can.
static const char *unreadable(const char *path)
{
    struct stat s;
    return access(path, R_OK) || stat(path, &s) ? strerror(errno) : S_ISDIR(s.st_mode) ? strerror(EISDIR) : NULL;
}

static bool is_file(const char *what) { return strchr(what, '.') || access(what, R_OK) == 0; }

// Is there a workload or a file of that name, and do the options go with it? Returns an exit code, or −1 to go on.
static int check_what(Run *r, const WorkloadEntry *entry)
{
    const char *dot = strrchr(r->what, '.');
    char because[200];
    if (r->words) {
        snprintf(because, sizeof because, "%.100s is %s", r->what, PROGRAM);
        return args_fit(&r->args, PROGRAM, because) ? -1 : EXIT_USAGE;
    }
    if (!entry && !is_file(r->what)) {
        const char *slash = strrchr(r->what, '/'), *name = slash ? slash + 1 : r->what, *near = workload_near(name);
        char hint[100];
        return refuse(r, EXIT_USAGE, "no workload '%s'%s (onchip list workloads)", r->what,
                      did_you_mean(name, &near, near != NULL, hint));
    }
    // First of all, since of a file that can't be read nobody knows what it is.
    if (!entry && unreadable(r->what)) return refuse(r, EXIT_FAILED, "can't read %s: %s", r->what, unreadable(r->what));
    if (!entry && dot && !strcmp(dot, ".cuh"))
        return refuse(r, EXIT_USAGE, "%s is a header; onchip compiles a .cu file that includes it", r->what);
    snprintf(because, sizeof because, "%.100s is %s", r->what,
             entry                     ? WORKLOAD
             : is_cuda_source(r->what) ? "CUDA source, of which a kernel is run"
                                       : PTX_FILE);
    if (!args_fit(&r->args, entry ? WORKLOAD : PTX_FILE, because)) return EXIT_USAGE;
    if (entry && r->file.target.capability)
        return refuse(r, EXIT_USAGE, "--target has no effect on a workload, whose device code has one");
    for (size_t k = 0; !entry && k < r->params.n; k++) {
        if (*r->params.v[k] != '@')
            return refuse(r, EXIT_USAGE,
                          "'%s': a PTX file takes no parameters; its arguments are given by --arg, or by an argument "
                          "file, as in @my.args",
                          r->params.v[k]);
        if (r->script) return refuse(r, EXIT_USAGE, "%s is one too many: a run has one argument file", r->params.v[k]);
        r->script = r->params.v[k] + 1;
    }
    static const int said[] = {R_KERNEL, R_GRID, R_BLOCK, R_SMEM, R_ARG, R_NAME};
    for (size_t k = 0; r->script && k < COUNT(said); k++)
        if (r->args.given >> said[k] & 1)
            return refuse(r, EXIT_USAGE, "%s has no effect with an argument file: @%s says it for each launch",
                          options[said[k]].name, r->script);
    return -1;
}

static const char hint_output[] =
    "the JSON of a program's run goes to the standard error, as its report does; -o FILE writes it into a file";

static void write_json(const oc_device *d, Run *r, ReportInfo *info, Json *json)
{
    info->error = r->error.n ? r->error.v : NULL;
    info->hint = r->words && !r->out_path ? hint_output : NULL;
    report_json(d, info, json);
    json_close(json, '}');
    fputs(json->text.v, r->out);
    r->reported = true;
}

static void put_report(const oc_device *d, const Run *r, const ReportInfo *info)
{
    if (r->metrics)
        metrics_put(d, r->metrics, r->csv, r->out);
    else
        report_text(d, info, r->out);
}

// A program's launches are summed by kernel as they come, unless somebody wants to see each.
static int simulate_program(Run *r, oc_device *d, Meter *meter)
{
    enum { KEPT = 64 };
    Json json = {0};
    Text arguments = {0};
    bool each = r->json || r->laws || r->kernels || r->skip || r->launches;
    for (const char *const *w = r->words + 1; *w; w++) put_argument(&arguments, *w);
    ReportInfo info = {.what = r->what,
                       .params = arguments.v,
                       .lines = r->lines,
                       .chart = r->chart,
                       .annotate = r->annotate,
                       .launches = r->launches};
    meter->device = d;
    ProgramRun run = {
        .words = r->words, .keep = each ? SIZE_MAX : KEPT, .target = r->file.target, .ran = clear_line, .user = meter};
    int code = run_program(d, &run, &meter->printed, &r->error);
    if (interrupted()) code = interrupt_status();
    if (code == EXIT_OK && !something_timed(d, r)) code = EXIT_USAGE;
    if (r->laws && (!laws_hold(d, r) || !nothing_found(d, r)) && code == EXIT_OK) code = EXIT_FAILED;
    if (r->laws && !r->json) report_undefined(d);
    json_open(&json, NULL, '{');
    if (r->json)
        write_json(d, r, &info, &json);
    else if (oc_launches(d))
        put_report(d, r, &info);
    if (r->json && !r->out_path && isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO)) tell(0, "%s", hint_output);
    json_free(&json), text_free(&arguments);
    return code;
}

// A kernel of a PTX file, or of CUDA source.
static int simulate_file(Run *r, oc_device *d, FILE *out, Json *json)
{
    char *error = NULL;
    Text ptx = {0}, why = {0}, name = {0};
    int code = EXIT_FAILED;
    bool source = is_cuda_source(r->what);
    text_printf(&name, "%s%s", source ? "PTX of " : "", r->what);
    r->file.path = name.v;
    if (!source || compile_cuda(r->what, oc_describe(d).capability, &ptx, &why)) {
        if (source) r->file.text = &ptx;
        code = (r->script ? run_script : run_file)(d, &r->file, r->script, &r->dumps, out, json, &error);
    }
    if (error || why.n) refuse(r, code, "%s", error ? error : why.v);
    r->file.text = NULL;
    mem_free(error);
    text_free(&ptx), text_free(&why), text_free(&name);
    return code;
}

static int simulate(Run *r, oc_device *d, const WorkloadEntry *entry, FILE *out)
{
    Json json = {0};
    ReportInfo info = {
        .what = r->what, .lines = r->lines, .chart = r->chart, .annotate = r->annotate, .launches = r->launches};
    WorkResult result = {0};
    int code;
    json_open(&json, NULL, '{');
    if (entry) {
        WorkOptions o = {.small = r->small, .params = r->params.v, .ptx = r->ptx};
        code = workload_run(d, entry, &o, &result) ? EXIT_OK
               : result.status == OC_BAD_ARGUMENT  ? EXIT_USAGE
                                                   : EXIT_FAILED;
        info.checked = true;
        info.verified = result.verified;
        info.params = result.params;
        info.cut = result.status == OC_LIMIT || result.status == OC_STOPPED;
        info.cap = result.status == OC_LIMIT ? r->config.cap : 0;
        if (info.cap) code = EXIT_OK;  // that was asked for
        if (result.error && !info.cap) refuse(r, code, "%s", result.error);
    } else {
        code = simulate_file(r, d, out, &json);
    }
    if (interrupted()) code = interrupt_status();
    if (code == EXIT_OK && !something_timed(d, r)) code = EXIT_USAGE;
    if (r->laws && (!laws_hold(d, r) || !nothing_found(d, r)) && code == EXIT_OK) code = EXIT_FAILED;
    if (r->laws && !r->json) report_undefined(d);
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\x1b[K");
    if (r->json)
        write_json(d, r, &info, &json);
    else if (oc_launches(d) || info.verified)  // a workload of no data has no launch
        put_report(d, r, &info);
    json_free(&json);
    work_result_free(&result);
    return code;
}

// Simulates it on a device, and writes a trace of it.
static int run_on(Run *r, oc_device *d, const WorkloadEntry *entry, Meter *meter)
{
    int code;
    SoftL1 *software = r->software ? soft_l1_open(d, &r->sl1) : NULL;
    r->file.rewritten = r->software;
    device_select(d, regex_filter(r->regex), r->skip);
    if (r->trace && oc_trace(d, r->trace, r->config.interval, r->what))
        code = refuse(r, EXIT_FAILED, "%s", oc_error(d));
    else
        code = r->words ? simulate_program(r, d, meter) : simulate(r, d, entry, meter->out);
    if (r->trace && oc_trace(d, NULL, 0, NULL) && code == EXIT_OK) code = refuse(r, EXIT_FAILED, "%s", oc_error(d));
    // The workloads' own PTX marks where a warp's lanes count on being together (workloads/cuda.h).
    const char *silent = software && (!entry || r->ptx) ? soft_l1_silent(software) : NULL;
    char *shown = silent ? name_shown(silent) : NULL;
    if (shown) tell(0, "%s: %s", shown, sl1_silent);
    mem_free(shown);
    soft_l1_close(software);
    return code;
}

// Opens what the report goes to. A program's is never the standard output, which is the program's own.
static int open_report(Run *r)
{
    if (!r->words) return -1;
    FILE *out = r->out_path ? fopen(r->out_path, "w") : NULL;
    r->out = out ? out : stderr;
    if (out || !r->out_path) return -1;
    return refuse(r, EXIT_FAILED, "can't write %s: %s", r->out_path, strerror(errno));
}

static int close_report(Run *r, int code)
{
    if (r->out == stdout || r->out == stderr) return code;
    bool bad = ferror(r->out) != 0;
    bad |= fclose(r->out) != 0;
    r->out = stderr;
    return bad ? refuse(r, EXIT_FAILED, "can't write %s: %s", r->out_path, strerror(errno)) : code;
}

static int run_once(Run *r)
{
    char message[4096];
    oc_device *d;
    Meter meter = {.out = r->json ? stderr : stdout};
    const WorkloadEntry *entry = r->words ? NULL : workload_find(r->what);
    int code = check_what(r, entry);
    if (code < 0) code = open_report(r);
    if (code >= 0) return code;
    clock_gettime(CLOCK_MONOTONIC, &meter.began);
    vec_push(&r->sets, NULL);
    vec_push(&r->params, NULL);
    r->config.sets = r->sets.v;
    r->config.print = r->words ? keep_text : print_text;
    r->config.user = &meter;
    r->config.stop = interrupt_catch();
    if (isatty(STDERR_FILENO)) r->config.progress = show_progress;
    oc_status status = oc_open(&r->config, &d, message, sizeof message);
    if (status == OC_OK)
        code = run_on(r, d, entry, &meter);
    else
        code = refuse(r, status == OC_BAD_ARGUMENT ? EXIT_USAGE : EXIT_FAILED, "%s", message);
    oc_close(d);
    text_free(&meter.printed);
    return close_report(r, code);
}

// --- what the environment asks for -----------------------------------------------------------------------------------
typedef VEC(char *) Words;
static char *keep(Arena *arena, const char *text) { return arena_text(arena, text, strlen(text)); }

// The words of ONCHIP_ARGS, which stand in front of the command line's own: there a later option counts. Only options
// may be among them. False, and why.
static bool take_environment(Words *all, Arena *arena, Text *error)
{
    const char *gpu = getenv("ONCHIP_GPU"), *p = getenv("ONCHIP_ARGS");
    if (gpu && *gpu) {
        vec_push(all, keep(arena, "--gpu"));
        vec_push(all, keep(arena, gpu));
    }
    size_t first = all->n;
    Text plain = {0};
    while (p && word_next(&p, &plain)) vec_push(all, keep(arena, plain.v));
    text_free(&plain);
    Text why = {0};
    Args a = {.argc = (int)all->n, .at = (int)first, .argv = all->v, .options = options};
    a.option_count = COUNT(options), a.error = &why;
    int o;
    while ((o = args_next(&a)) >= 0) continue;
    if (o == -1) text_printf(error, "ONCHIP_ARGS has options of onchip run; '%s' is none", a.value);
    if (o == -3) text_printf(error, "ONCHIP_ARGS: %s", why.v);
    text_free(&why);
    return o == -2;
}

static int run_words(int argc, char **argv)
{
    const int own = find_program(argc, argv);  // what stands behind it is the program's
    const bool tuned = tune_wanted(own, argv);
    if (tuned) return tune(argc, argv);
    Run r = {.sl1 = sl1_defaults, .file = file_run(NULL), .out = stdout};
    if (own < argc) r.words = (const char *const *)argv + own;
    int code = read_options(&r, own, argv);
    if (code < 0) code = run_once(&r);
    if (r.error.n) {
        // If --json is anywhere on the command line, JSON is printed whatever happens, even if reading the options
        // failed before it.
        if (!r.reported && args_have(own, argv, "--json")) {
            Json json = {0};
            ReportInfo info = {.what = r.what ? r.what : ""};
            json_open(&json, NULL, '{');
            write_json(NULL, &r, &info, &json);
            json_free(&json);
        }
        fflush(stdout);
        tell(code, "%s", r.error.v);
    }
    for (size_t k = 0; k < r.owned.n; k++) mem_free(r.owned.v[k]);
    vec_free(&r.owned), vec_free(&r.sets), vec_free(&r.params), vec_free(&r.file.args), vec_free(&r.file.names),
        vec_free(&r.dumps);
    regex_close(r.regex);
    text_free(&r.error);
    return code;
}

int cmd_run(int argc, char **argv)
{
    Words all = {0};
    Arena arena = {0};
    Text error = {0};
    int code = EXIT_USAGE;
    if (take_environment(&all, &arena, &error)) {
        int n = (int)all.n + argc;
        for (int k = 0; k <= argc; k++) vec_push(&all, argv[k]);  // a null ends them
        code = run_words(n, all.v);
    } else {
        tell(code, "%s", error.v);
    }
    vec_free(&all), text_free(&error);
    arena_free(&arena);
    return code;
}
