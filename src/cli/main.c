// main.c: the program. It calls the command that the first argument names.
#include "cli/unit.h"
#include "device/device.h"

#include <errno.h>
#include <string.h>

const Command commands[] = {
    {"run", cmd_run, "runs a workload, a kernel or a CUDA program: what its memory did", &run_line},
    {"cc", cmd_cc, "compiles CUDA source as nvcc does, without NVIDIA's toolkit", &cc_line},
    {"sweep", cmd_sweep, "runs every combination of settings and keeps the results in a store", &sweep_line},
    {"report", cmd_report, "makes a page of figures and tables from a store's runs", &report_line},
    {"advise", cmd_advise, "says what to change about a program, and what that gains", &advise_line},
    {"compare", cmd_compare, "says what has changed between two versions of a program", &compare_line},
    {"db", cmd_db, "lists, shows, compares, exports, merges and deletes a store's runs", &db_line},
    {"reproduce", cmd_reproduce, "prints our values beside those of a paper's figures and tables", &reproduce_line},
    {"probe", cmd_probe, "finds out how a GPU's memory hierarchy is built, simulated or real", &probe_line},
    {"sl1", cmd_sl1, "rewrites PTX so that it caches in shared memory: the software L1", &sl1_line},
    {"list", cmd_list, "lists workloads, gpus, schedulers, prefetchers, counters and more", &list_line},
    {"show", cmd_show, "shows PTX as it is read, GPU descriptions, keys, counters and calls", &show_line},
    {"gpu", cmd_gpu, "writes a GPU's description out of a data sheet's numbers", &gpu_line},
    {"course", cmd_course, "writes nine short CUDA programs into a folder: a first course", &course_line},
    {"completion", cmd_completion, "prints what makes bash, zsh or fish complete onchip's words", &completion_line},
};
const size_t command_count = COUNT(commands);

int tell(int code, const char *format, ...)
{
    va_list args;
    Text t = {0};
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    const char *text = t.v ? t.v : "";
    fprintf(stderr, "%sonchip:%s %s\n", paint(stderr, PAINT_ERROR), paint(stderr, PAINT_END), text);
    text_free(&t);
    return code;
}

void tell_diag(const Diag *diag)
{
    if (diag->failed) tell(0, "%s", diag->text.v);
}

bool write_out(const Text *text, const char *path, Diag *diag)
{
    bool standard = !path || !strcmp(path, "-");
    if (standard ? fwrite(text->v, 1, text->n, stdout) == text->n && !fflush(stdout) : text_write_file(text, path))
        return true;
    return diag_error(diag, "can't write %s: %s", standard ? "the standard output" : path, strerror(errno));
}

static int usage(FILE *out)
{
    fprintf(out,
            "onchip %s runs CUDA kernels (PTX) on a simulated GPU and says what its memory\ndid.\n\n"
            "usage: onchip COMMAND …\n\n",
            ONCHIP_VERSION);
    for (size_t k = 0; k < COUNT(commands); k++) fprintf(out, "  %-10s %s\n", commands[k].name, commands[k].doc);
    fprintf(out, "\nonchip COMMAND --help tells more. Try: onchip run atax nx=1024 ny=1024\n");
    return out == stdout ? EXIT_OK : EXIT_USAGE;
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) return usage(stderr);
    const char *verb = argv[1], *names[COUNT(commands) + 1];
    if (!strcmp(verb, "--version") || !strcmp(verb, "-V"))
        return printf("onchip %s (model %d)\n", ONCHIP_VERSION, MODEL_VERSION), EXIT_OK;
    bool help = !strcmp(verb, "--help") || !strcmp(verb, "-h") || !strcmp(verb, "help");
    if (help && argc < 3) return usage(stdout);
    if (help) verb = argv[2];
    char *ask[] = {"--help", NULL}, hint[100];
    for (size_t k = 0; k < COUNT(commands); k++) {
        if (!strcmp(verb, commands[k].name))
            return help ? commands[k].run(1, ask) : commands[k].run(argc - 2, argv + 2);
        names[k] = commands[k].name;
    }
    names[COUNT(commands)] = "help";
    return tell(EXIT_USAGE, "unknown command '%s'%s", verb, did_you_mean(verb, names, COUNT(names), hint));
}

int main(int argc, char **argv)
{
    int code = run_command(argc, argv);
    // A full disk shows here at the latest.
    if ((fflush(stdout) || ferror(stdout)) && code == EXIT_OK) code = tell(EXIT_FAILED, "the output can't be written");
    return code;
}
