// run_once.c: carries out what the command line asks for: a workload by name, a kernel of a PTX file or of CUDA source,
// or a CUDA program, on a device that is opened for it; and prints the report.
#include "cli/run.h"
#include "names/names.h"
#include "sweep/sweep.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// What the headings of run.def call them.
#define A_WORKLOAD run_options[OPT_HEAD_WORKLOAD].doc
#define A_PTX_FILE run_options[OPT_HEAD_PTX_FILE].doc
#define A_PROGRAM run_options[OPT_HEAD_PROGRAM].doc

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
    if (r->compiler.n && (entry || r->command || !is_cuda_source(r->what)))
        return run_refuse(r, EXIT_USAGE, "%s is for the compiler of CUDA source, a .cu file, which %s isn't",
                          r->compiler.v[0], r->what);
    if (r->words) {
        snprintf(because, sizeof because, "%.100s is %s", r->what, A_PROGRAM);
        return args_fit(&r->args, A_PROGRAM, because) ? -1 : EXIT_USAGE;
    }
    if (!entry && !is_file(r->what)) {
        const char *slash = strrchr(r->what, '/'), *name = slash ? slash + 1 : r->what, *near = workload_near(name);
        char hint[100];
        return run_refuse(r, EXIT_USAGE, "no workload '%s'%s (onchip list workloads)", r->what,
                          did_you_mean(name, &near, near != NULL, hint));
    }
    // First of all, since of a file that can't be read nobody knows what it is.
    if (!entry && unreadable(r->what))
        return run_refuse(r, EXIT_FAILED, "can't read %s: %s", r->what, unreadable(r->what));
    if (!entry && dot && !strcmp(dot, ".cuh"))
        return run_refuse(r, EXIT_USAGE, "%s is a header; onchip compiles a .cu file that includes it", r->what);
    snprintf(because, sizeof because, "%.100s is %s", r->what,
             entry                     ? A_WORKLOAD
             : is_cuda_source(r->what) ? "CUDA source, of which a kernel is run"
                                       : A_PTX_FILE);
    if (!args_fit(&r->args, entry ? A_WORKLOAD : A_PTX_FILE, because)) return EXIT_USAGE;
    if (entry && r->file.target.capability)
        return run_refuse(r, EXIT_USAGE, "--target has no effect on a workload, whose device code has one");
    for (size_t k = 0; !entry && k < r->params.n; k++) {
        if (*r->params.v[k] != '@')
            return run_refuse(
                r, EXIT_USAGE,
                "'%s': a PTX file takes no parameters; its arguments are given by --arg, or by an argument "
                "file, as in @my.args",
                r->params.v[k]);
        if (r->file.script)
            return run_refuse(r, EXIT_USAGE, "%s is one too many: a run has one argument file", r->params.v[k]);
        r->file.script = r->params.v[k] + 1;
    }
    static const int said[] = {OPT_KERNEL, OPT_GRID, OPT_BLOCK, OPT_SMEM, OPT_ARG, OPT_NAME};
    for (size_t k = 0; r->file.script && k < COUNT(said); k++)
        if (r->args.given >> said[k] & 1)
            return run_refuse(r, EXIT_USAGE, "%s has no effect with an argument file: @%s says it for each launch",
                              run_options[said[k]].name, r->file.script);
    return -1;
}

static const char hint_output[] =
    "the JSON of a program's run goes to the standard error, as its report does; -o FILE writes it into a file";

void run_json(const oc_device *d, Run *r, ReportInfo *info, Json *json)
{
    info->error = r->error.failed ? r->error.text.v : NULL;
    info->hint = r->words && !r->out_path && !r->into ? hint_output : NULL;
    report_json(d, info, json);
    json_close(json, '}');
    fputs(json->text.v, r->out);
    r->reported = true;
}

static void put_report(const oc_device *d, const Run *r, const ReportInfo *info)
{
    if (r->metrics)
        metrics_put(d, info, r->metrics, r->csv, r->out);
    else
        report_text(d, info, r->out);
}

static CompileWish wish_of(const Run *r, const oc_device *d)
{
    return (CompileWish){oc_describe(d).capability, r->toolkit, r->compiler.v, r->compiler.n};
}

// Compiles a source file and runs the program that it is.
static int run_source(Run *r, oc_device *d, ProgramRun *run, Meter *meter)
{
    Text program = {0}, said = {0};
    bool own;
    int code = EXIT_FAILED;
    if (compile_program(*run->words, wish_of(r, d), &program, &own, &said, &r->error)) {
        if (said.n) fputs(said.v, stderr);
        run->file = program.v;
        code = run_program(d, run, &meter->printed, &r->error);
        if (own) program_remove(&program);
    }
    text_free(&program), text_free(&said);
    return code;
}

// Runs what the shell would run by that name.
static int run_command(Run *r, oc_device *d, ProgramRun *run, Meter *meter)
{
    char path[4096];
    if (!program_find(*run->words, path, sizeof path))
        return run_refuse(r, EXIT_USAGE, "there is no command '%s'%s", *run->words,
                          strchr(*run->words, '/') ? "" : " in PATH");
    run->file = path;
    return run_program(d, run, &meter->printed, &r->error);
}

// What stands behind a program is its own. Of a source file, a word that looks like an option of onchip's is told of.
static void tell_words(const char *const *words)
{
    if (!is_cuda_source(*words)) return;
    for (const char *const *w = words + 1; *w; w++)
        for (int o = 0; o < OPTIONS; o++)
            if (run_options[o].name && !strcmp(run_options[o].name, *w) && (*w)[1] == '-') {
                tell(0, "%s stands behind %s, which gets it; onchip's own options stand in front", *w, *words);
                return;
            }
}

// A program's launches are summed by kernel as they come, unless somebody wants to see each.
static int simulate_program(Run *r, oc_device *d, Meter *meter)
{
    enum { KEPT = 64 };
    Json json = {0};
    Text arguments = {0};
    bool each = r->json || r->laws || r->how.kernels || r->how.skip || r->launches;
    for (const char *const *w = r->words + 1; *w; w++) put_argument(&arguments, *w);
    ReportInfo info = {.what = r->what,
                       .params = arguments.v,
                       .lines = r->how.lines,
                       .chart = r->chart,
                       .annotate = r->annotate,
                       .launches = r->launches};
    if (!r->command) tell_words(r->words);
    ProgramRun run = {.words = r->words,
                      .keep = each ? SIZE_MAX : KEPT,
                      .target = r->file.target,
                      .clock = r->clock,
                      .read = &info.clock,
                      .ran = meter_clear,
                      .user = meter};
    int code = r->command                  ? run_command(r, d, &run, meter)
               : is_cuda_source(*r->words) ? run_source(r, d, &run, meter)
                                           : run_program(d, &run, &meter->printed, &r->error);
    if (interrupted()) code = interrupt_status();
    code = run_judge(d, r, code);
    json_open(&json, NULL, '{');
    if (r->json)
        run_json(d, r, &info, &json);
    else if (oc_launches(d))
        put_report(d, r, &info);
    if (info.hint && isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO)) tell(0, "%s", hint_output);
    json_free(&json), text_free(&arguments);
    return code;
}

// A kernel of a PTX file, or of CUDA source.
static int simulate_file(Run *r, oc_device *d, FILE *out, Json *json)
{
    Text ptx = {0}, name = {0};
    int code = EXIT_FAILED;
    bool source = is_cuda_source(r->what);
    text_printf(&name, "%s%s", source ? "PTX of " : "", r->what);
    r->file.path = name.v;
    if (!source || compile_cuda(r->what, wish_of(r, d), &ptx, &r->error)) {
        if (source) r->file.text = &ptx;
        code = (r->file.script ? run_script : run_file)(d, &r->file, &r->dumps, out, json, &r->error);
    }
    r->file.text = NULL;
    text_free(&ptx), text_free(&name);
    return code;
}

static int simulate(Run *r, oc_device *d, const WorkloadEntry *entry, FILE *out)
{
    Json json = {0};
    ReportInfo info = {
        .what = r->what, .lines = r->how.lines, .chart = r->chart, .annotate = r->annotate, .launches = r->launches};
    WorkResult result = {0};
    int code;
    json_open(&json, NULL, '{');
    if (entry) {
        WorkOptions o = {.small = r->how.small, .params = r->params.v, .ptx = r->how.ptx};
        code = workload_run(d, entry, &o, &result) ? EXIT_OK
               : result.status == OC_BAD_ARGUMENT  ? EXIT_USAGE
                                                   : EXIT_FAILED;
        info.checked = true;
        info.verified = result.verified;
        info.params = result.params;
        info.cut = result.status == OC_LIMIT || result.status == OC_STOPPED;
        info.cap = result.status == OC_LIMIT ? r->how.cap : 0;
        if (info.cap) code = EXIT_OK;  // that was asked for
        if (result.error && !info.cap) run_refuse(r, code, "%s", result.error);
    } else {
        code = simulate_file(r, d, out, &json);
    }
    if (interrupted()) code = interrupt_status();
    code = run_judge(d, r, code);
    meter_clear(r->config.user);
    if (r->json)
        run_json(d, r, &info, &json);
    else if (oc_launches(d) || info.verified)  // a workload of no data has no launch
        put_report(d, r, &info);
    json_free(&json);
    work_result_free(&result);
    return code;
}

// Draws where the lanes of warps accessed memory.
static int draw_lanes(Run *r, const oc_device *d, int code)
{
    const LaneAccess *all;
    uint64_t left;
    const size_t n = device_lane_accesses(d, &all, &left);
    if (code != EXIT_OK) return code;
    if (!n) return run_refuse(r, EXIT_FAILED, "--lanes: no kernel accesses global or shared memory");
    Text svg = {0};
    figure_lanes(all, n, left, &svg);
    if (!write_out(&svg, r->lanes, &r->error)) code = EXIT_FAILED;
    text_free(&svg);
    return code;
}

// Simulates it on a device, and writes a trace of it, or draws its accesses.
static int run_on(Run *r, oc_device *d, const WorkloadEntry *entry, Meter *meter)
{
    int code;
    SoftL1 *software = r->software ? soft_l1_open(d, &r->sl1) : NULL;
    r->file.rewritten = r->software;
    device_select(d, regex_filter(r->regex), r->how.skip);
    if (r->lanes) device_lanes(d);
    if (r->trace && oc_trace(d, r->trace, r->config.interval, r->what))
        code = run_refuse(r, EXIT_FAILED, "%s", oc_error(d));
    else
        code = r->words ? simulate_program(r, d, meter) : simulate(r, d, entry, meter->out);
    if (r->trace && oc_trace(d, NULL, 0, NULL) && code == EXIT_OK) code = run_refuse(r, EXIT_FAILED, "%s", oc_error(d));
    if (r->lanes) code = draw_lanes(r, d, code);
    // The workloads' own PTX marks where a warp's lanes count on being together (workloads/cuda.h).
    const char *silent = software && (!entry || r->how.ptx) ? soft_l1_silent(software) : NULL;
    char *shown = silent ? name_shown(silent) : NULL;
    if (shown) tell(0, "%s: %s", shown, sl1_silent);
    mem_free(shown);
    soft_l1_close(software);
    return code;
}

// Opens what the report goes to. A program's is never the standard output, which is the program's own.
static int open_report(Run *r)
{
    if (r->into && r->out_path) return run_refuse(r, EXIT_USAGE, "-o has no effect here: nothing is printed");
    if (!r->words || r->into) return -1;
    FILE *out = r->out_path ? fopen(r->out_path, "w") : NULL;
    r->out = out ? out : stderr;
    if (out || !r->out_path) return -1;
    return run_refuse(r, EXIT_FAILED, "can't write %s: %s", r->out_path, strerror(errno));
}

static int close_report(Run *r, int code)
{
    if (r->out == stdout || r->out == stderr || r->into) return code;
    bool bad = ferror(r->out) != 0;
    bad |= fclose(r->out) != 0;
    r->out = stderr;
    return bad ? run_refuse(r, EXIT_FAILED, "can't write %s: %s", r->out_path, strerror(errno)) : code;
}

int run_once(Run *r)
{
    char message[4096];
    oc_device *d;
    Meter meter = {.out = r->json ? stderr : stdout};
    const WorkloadEntry *entry = r->words ? NULL : workload_find(r->what);
    int code = check_what(r, entry);
    if (code < 0) code = open_report(r);
    if (code >= 0) return code;
    meter_begin(&meter);
    vec_push(&r->sets, NULL);
    vec_push(&r->params, NULL);
    r->config.sets = r->sets.v;
    r->config.print = r->words ? meter_keep : meter_print;
    r->config.user = &meter;
    r->config.stop = interrupt_catch();
    r->config.progress = meter_show;
    oc_status status = oc_open(&r->config, &d, message, sizeof message);
    if (status == OC_OK) meter.device = d;
    if (status == OC_OK && (r->laws || r->config.check)) device_check_policy(d);
    Text unused = {0};
    if (status == OC_OK && gpu_unused(device_gpu(d), r->config.sets, &unused)) tell(0, "%s", unused.v);
    text_free(&unused);
    if (status == OC_OK)
        code = run_on(r, d, entry, &meter);
    else
        code = run_refuse(r, status == OC_BAD_ARGUMENT ? EXIT_USAGE : EXIT_FAILED, "%s", message);
    oc_close(d);
    text_free(&meter.printed);
    return close_report(r, code);
}
