// main.c: the program: a verb and its arguments.
#include "cli/cli.h"

#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *doc;
} commands[] = {
    {"run", cmd_run, "simulate a workload or a PTX file and say what the memory hierarchy did"},
    {"sweep", cmd_sweep, "a matrix of runs, into a store that is resumed and queried"},
    {"reproduce", cmd_reproduce, "a paper's figures and tables, ours beside theirs"},
    {"list", cmd_list, "workloads, gpus, schedulers, policies, counters, ops"},
    {"show", cmd_show, "a PTX file's IR and flow, a GPU's description with its provenance"},
};

static int usage(FILE *out)
{
    fprintf(out, "onchip %s: the on-chip memory of GPUs, measured, simulated and exploited\n\nusage: onchip COMMAND …\n\n", ONCHIP_VERSION);
    for (size_t k = 0; k < COUNT(commands); k++) fprintf(out, "  %-8s %s\n", commands[k].name, commands[k].doc);
    fprintf(out, "\nonchip COMMAND --help tells more. Try: onchip run atax nx=1024 ny=1024\n");
    return out == stdout ? EXIT_OK : EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (argc < 2) return usage(stderr);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) return usage(stdout);
    if (!strcmp(argv[1], "--version")) return printf("onchip %s (model %d)\n", ONCHIP_VERSION, MODEL_VERSION), EXIT_OK;
    const char *names[COUNT(commands)];
    for (size_t k = 0; k < COUNT(commands); k++) {
        if (!strcmp(argv[1], commands[k].name)) return commands[k].run(argc - 2, argv + 2);
        names[k] = commands[k].name;
    }
    const char *near = nearest_name(argv[1], names, COUNT(names));
    fprintf(stderr, "onchip: unknown command '%s'%s%s%s\n", argv[1], near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return EXIT_USAGE;
}
