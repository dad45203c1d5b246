// cmd_run.c: onchip run's command line. device/run.def says what its options set; those that set no field of a Setup
// are here.
#include "cli/run.h"
#include "driver/fatbin.h"
#include "driver/wire.h"

#include <stdlib.h>
#include <string.h>

#define HEAD(id, goes, doc) {NULL, goes, doc},
#define OPTION(id, name, takes, kind, of, where, doc) {name, takes, doc},
#define AXIS(id, name, takes, values, kind, of, where, doc) {name, takes, doc},
#define MATRIX(name, values, doc)
const Option run_options[] = {
#include "device/run.def"
};
const CommandLine run_line = {run_options, OPTIONS, NULL};

int run_refuse(Run *r, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_verror(&r->error, format, args);
    va_end(args);
    return code;
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
        return run_refuse(r, EXIT_USAGE, "no scheduler '%s'%s (onchip list schedulers; a shared object's path has a /)",
                          v, did_you_mean(v, &near, near != NULL, hint));
    }
    return take_key(r, "sched.policy", v);
}

static int take_kernels(Run *r, const char *v)
{
    Diag why = {0};
    int code = -1;
    regex_close(r->regex);
    r->regex = regex_open(v, &why);
    if (!r->regex) code = run_refuse(r, EXIT_USAGE, "--kernels: %s", why.text.v);
    diag_free(&why);
    return code;
}

static int take_sl1(Run *r, const char *v)
{
    Diag why = {0};
    r->software = !v || strcmp(v, "no") != 0;
    bool ok = !v || !r->software || sl1_read(&r->sl1, v, &why);
    int code = ok ? -1 : run_refuse(r, EXIT_USAGE, "--sl1: %s", why.text.v);
    diag_free(&why);
    return code;
}

static int take_names(Run *r, const char *v)
{
    for (const char *p = v; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        size_t n = strcspn(p, ",");
        if (!n) return run_refuse(r, EXIT_USAGE, "--name %s: a name is empty", v);
        char *name = mem_alloc(n + 1);
        memcpy(name, p, n);
        vec_push(&r->owned, name);
        vec_push(&r->file.names, name);
    }
    return -1;
}

static int take_metrics(Run *r, const char *v)
{
    Diag why = {0};
    r->metrics = v;
    int code = metrics_read(v, &why) ? -1 : run_refuse(r, EXIT_USAGE, "--metrics: %s", why.text.v);
    diag_free(&why);
    return code;
}

static int take_launches(Run *r, const char *v)
{
    const char *name = run_options[OPT_LAUNCHES].value;
    for (int k = 0; name; k++) {
        const size_t n = strcspn(name, "|");
        if (strlen(v) == n && !memcmp(v, name, n)) return r->launches = (LaunchView)k, -1;
        name = name[n] ? name + n + 1 : NULL;
    }
    return run_refuse(r, EXIT_USAGE, "--launches is sum, first, slowest or all, not '%s'", v);
}

// An option of the compiler's, "-D" or "-I", with its value joined to it.
static int take_compiler(Run *r, const char *option, const char *v)
{
    if (!*v) return run_refuse(r, EXIT_USAGE, "%s needs a value", option);
    char *s = mem_alloc(strlen(option) + strlen(v) + 1);
    sprintf(s, "%s%s", option, v);
    vec_push(&r->owned, s);
    vec_push(&r->compiler, s);
    return -1;
}

static int take_threads(Run *r, const char *v)
{
    enum { MOST = 256 };
    uint64_t n;
    if (!parse_size(v, &n) || n > MOST)
        return run_refuse(r, EXIT_USAGE, "--threads takes a whole number up to %d, not '%s'", MOST, v);
    return r->config.threads = (uint32_t)n, -1;
}

// What is launched of a PTX file, and in which shape.
static int take_launch(Run *r, int o, const char *v)
{
    if (o == OPT_KERNEL && r->file.kernel)
        return run_refuse(
            r, EXIT_USAGE,
            "--kernel %s and --kernel %s: a run has one; several kernels one after the other are written in an "
            "argument file (doc/use/run.md)",
            r->file.kernel, v);
    return file_set(&r->file, run_options[o].name + 2, v, &r->error) ? -1 : EXIT_USAGE;
}

static int help(void)
{
    printf("usage: onchip run WORKLOAD [parameter=value …] [options]\n       onchip run FILE.ptx|FILE.cu [--arg SPEC "
           "… | @FILE] [options]\n       onchip run [options] ./PROGRAM|FILE.cu [its arguments …]\n\n");
    print_options(run_options, OPTIONS);
    return EXIT_OK;
}

// Returns an exit code, or −1 to go on.
static int take_option(Run *r, int o)
{
    const char *v = r->args.value;
    const SetupOption *option = &setup_options[o];
    if (option->key) return take_key(r, option->key, v ? v : "yes");
    if (option->field && !setup_set(&r->how, option, v, NAMES_OPTION, &r->error)) return EXIT_USAGE;
    switch (o) {
    case OPT_GPU: r->config.gpu = v; break;
    case OPT_SCHED: return take_scheduler(r, v);
    case OPT_SET: vec_push(&r->sets, v); break;
    case OPT_THREADS: return take_threads(r, v);
    case OPT_JSON: r->json = true; break;
    case OPT_ANNOTATE: r->annotate = true; break;
    case OPT_CHART: r->chart = true; break;
    case OPT_METRICS: return take_metrics(r, v);
    case OPT_CSV: r->csv = true; break;
    case OPT_LAUNCHES: return take_launches(r, v);
    case OPT_TRACE: r->trace = v; break;
    case OPT_LANES: r->lanes = v; break;
    case OPT_KERNELS: return take_kernels(r, v);
    case OPT_CHECK:
    case OPT_LAWS: r->laws = true; break;
    case OPT_SL1: return take_sl1(r, v);
    case OPT_KERNEL:
    case OPT_GRID:
    case OPT_BLOCK:
    case OPT_SMEM: return take_launch(r, o, v);
    case OPT_ARG: vec_push(&r->file.args, v); break;
    case OPT_NAME: return take_names(r, v);
    case OPT_DUMP: vec_push(&r->dumps, v); break;
    case OPT_TARGET:
        if (!target_read(v, &r->file.target))
            return run_refuse(r, EXIT_USAGE, "--target takes a target, such as sm_80 or sm_90a, not '%s'", v);
        break;
    case OPT_DEFINE:
    case OPT_INCLUDE: return take_compiler(r, run_options[o].name, v);
    case OPT_TOOLKIT: r->toolkit = true; break;
    case OPT_CLOCK:
        if (strcmp(v, CLOCK_SIMULATED) && strcmp(v, CLOCK_HOST))
            return run_refuse(r, EXIT_USAGE, "--clock is " CLOCK_SIMULATED " or " CLOCK_HOST ", not '%s'", v);
        r->clock = v;
        break;
    case OPT_OUT: r->out_path = v; break;
    case OPT_HELP: return help();
    }
    return -1;
}

// An option that has no effect because of another one is a mistake, too.
static int check_options(Run *r)
{
    setup_config(&r->how, &r->config);
    return setup_agrees(r->args.given, true, NAMES_OPTION, &r->error) ? -1 : EXIT_USAGE;
}

#define COMMAND "--"  // a command stands behind it, which is looked up in PATH

// Do the arguments ask for a kernel of a source file, and not for the program that it is?
static bool asks_for_kernel(int argc, char **argv)
{
    bool asks = false;
    for (int k = 0; k < argc; k++) {
        asks |= argv[k][0] == '@';
        for (int o = OPT_HEAD_PTX_FILE + 1; run_options[o].name; o++) {
            const size_t n = strlen(run_options[o].name);
            asks |= !strncmp(argv[k], run_options[o].name, n) && (!argv[k][n] || argv[k][n] == '=');
        }
    }
    return asks;
}

// Where a program stands among the arguments, itself or behind --: those behind it are its own. argc: nowhere. With
// --kernel in front of it, a kernel that is in the program's file is run, and not the program.
static int find_program(int argc, char **argv)
{
    Diag error = {0};
    Args a = {.argc = argc, .argv = argv, .options = run_options, .option_count = OPTIONS, .diag = &error};
    a.commands = true;
    int o;
    bool kernel = false;
    while ((o = args_next(&a)) >= 0) kernel |= o == OPT_KERNEL;
    diag_free(&error);
    if (o == -1 && !strcmp(a.value, COMMAND)) return a.at - 1;
    if (o != -1 || kernel || workload_find(a.value)) return argc;
    const bool source = is_cuda_source(a.value) && !asks_for_kernel(argc, argv) && has_main(a.value);
    return source || elf_program(a.value) ? a.at - 1 : argc;
}

// Returns an exit code, or −1 to go on.
static int read_options(Run *r, int argc, char **argv)
{
    r->args = (Args){.argc = argc, .argv = argv, .options = run_options, .option_count = OPTIONS, .diag = &r->error};
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
        code = run_refuse(r, EXIT_USAGE, "run what? a workload (onchip list workloads), a .ptx file or a CUDA program");
    return code < 0 ? check_options(r) : code;
}

// --- what the environment asks for -----------------------------------------------------------------------------------
typedef VEC(char *) Words;
static char *keep(Arena *arena, const char *text) { return arena_text(arena, text, strlen(text)); }

// The words of ONCHIP_ARGS, which stand in front of the command line's own: there a later option counts. Only options
// may be among them. False, and why.
static bool take_environment(Words *all, Arena *arena, Diag *diag)
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
    Diag why = {0};
    Args a = {.argc = (int)all->n, .at = (int)first, .argv = all->v, .options = run_options};
    a.option_count = OPTIONS, a.diag = &why;
    int o;
    while ((o = args_next(&a)) >= 0) continue;
    if (o == -1) diag_error(diag, "ONCHIP_ARGS has options of onchip run; '%s' is none", a.value);
    if (o == -3) diag_error(diag, "ONCHIP_ARGS: %s", why.text.v);
    diag_free(&why);
    return o == -2;
}

static int run_words(int argc, char **argv, FILE *into)
{
    const int own = find_program(argc, argv);  // what stands behind it is the program's
    const bool tuned = tune_wanted(own, argv);
    if (tuned && into) return tell(EXIT_USAGE, "a search is several runs; give the run that is best by itself");
    if (tuned) return tune(argc, argv);
    Run r = {.sl1 = sl1_defaults, .file = file_run(NULL), .out = into ? into : stdout, .into = into};
    r.command = own < argc && !strcmp(argv[own], COMMAND);
    if (own + r.command < argc) r.words = (const char *const *)argv + own + r.command;
    int code = read_options(&r, own, argv);
    if (code < 0) code = run_once(&r);
    if (r.error.failed) {
        // If --json is anywhere on the command line, JSON is printed whatever happens, even if reading the options
        // failed before it.
        if (!r.reported && args_have(own, argv, "--json")) {
            Json json = {0};
            ReportInfo info = {.what = r.what ? r.what : ""};
            json_open(&json, NULL, '{');
            run_json(NULL, &r, &info, &json);
            json_free(&json);
        }
        fflush(stdout);
        tell(code, "%s", r.error.text.v);
    }
    for (size_t k = 0; k < r.owned.n; k++) mem_free(r.owned.v[k]);
    vec_free(&r.owned), vec_free(&r.sets), vec_free(&r.params), vec_free(&r.file.args), vec_free(&r.file.names),
        vec_free(&r.dumps), vec_free(&r.compiler);
    regex_close(r.regex);
    diag_free(&r.error);
    return code;
}

static int run_line_of(int argc, char **argv, FILE *into)
{
    Words all = {0};
    Arena arena = {0};
    Diag error = {0};
    int code = EXIT_USAGE;
    if (take_environment(&all, &arena, &error)) {
        int n = (int)all.n + argc;
        for (int k = 0; k <= argc; k++) vec_push(&all, argv[k]);  // a null ends them
        code = run_words(n, all.v, into);
    } else {
        tell(code, "%s", error.text.v);
    }
    vec_free(&all), diag_free(&error);
    arena_free(&arena);
    return code;
}

int cmd_run(int argc, char **argv) { return run_line_of(argc, argv, NULL); }

int run_into(int argc, char **argv, FILE *out) { return run_line_of(argc, argv, out); }
