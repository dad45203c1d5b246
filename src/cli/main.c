// main.c: the program: a verb and its arguments.
#include "cli/cli.h"
#include "device/device.h"

#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *doc;
} commands[] = {
    {"run", cmd_run, "simulate a workload or a PTX file, and say what its memory did"},
    {"probe", cmd_probe, "find out what the memory hierarchy of a GPU is, simulated or real"},
    {"sl1", cmd_sl1, "rewrite PTX to cache in shared memory: the software L1"},
    {"sweep", cmd_sweep, "a matrix of runs, into a store that is resumed and queried"},
    {"reproduce", cmd_reproduce, "a paper's figures and tables, ours beside theirs"},
    {"report", cmd_report, "a page of figures and tables over the store, or over one run"},
    {"db", cmd_db, "the runs of a store: list, show, compare, export, merge, delete"},
    {"list", cmd_list, "workloads, gpus, schedulers, policies, counters, ops"},
    {"show", cmd_show, "a PTX file's IR and flow, a GPU's description with its provenance"},
};

int tell(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("onchip: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return code;
}

static int usage(FILE *out)
{
    fprintf(out,
            "onchip %s: the on-chip memory of GPUs, measured, simulated and exploited\n\nusage: onchip COMMAND …\n\n",
            ONCHIP_VERSION);
    for (size_t k = 0; k < COUNT(commands); k++) fprintf(out, "  %-8s %s\n", commands[k].name, commands[k].doc);
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
    char *ask = "--help", hint[100];
    for (size_t k = 0; k < COUNT(commands); k++) {
        if (!strcmp(verb, commands[k].name))
            return help ? commands[k].run(1, &ask) : commands[k].run(argc - 2, argv + 2);
        names[k] = commands[k].name;
    }
    names[COUNT(commands)] = "help";
    return tell(EXIT_USAGE, "unknown command '%s'%s", verb, did_you_mean(verb, names, COUNT(names), hint));
}

int main(int argc, char **argv)
{
    int code = run_command(argc, argv);
    // A full disk is found out here at the latest.
    if ((fflush(stdout) || ferror(stdout)) && code == EXIT_OK) code = tell(EXIT_FAILED, "the output can't be written");
    return code;
}
