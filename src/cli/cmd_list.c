// cmd_list.c: onchip list: what there is.
#include "cli/cli.h"

#include <string.h>

static void list_workloads(void)
{
    for (size_t k = 0; k < workload_count; k++) {
        const Workload *w = workload_table[k].workload;
        printf("%-14s %-10s %s\n", w->name, w->suite, w->doc);
        for (const WorkParam *p = w->params; p->name; p++)
            printf("%-25s   %s=%lld (small %lld): %s\n", "", p->name, (long long)p->standard, (long long)p->small, p->doc);
    }
}

static void list_gpus(void)
{
    for (size_t k = 0; k < gpu_file_count; k++) {
        Ini ini = {0};
        Diag diag = {0};
        const char *title = "";
        if (ini_parse(&ini, gpu_files[k].name, gpu_files[k].text, gpu_files[k].size, &diag))
            for (size_t e = 0; e < ini.entries.n; e++)
                if (!strcmp(ini.entries.v[e].key, "title")) title = ini.entries.v[e].value;
        printf("%-14s %s\n", gpu_files[k].name, title);
        ini_free(&ini);
        diag_free(&diag);
    }
}

static void list_ops(void)
{
    size_t done = OP_COUNT, all = OP_COUNT + op_missing_count;
    for (int k = 0; k < OP_COUNT; k++) printf("%-26s §%-14s implemented\n", op_info[k].name, op_info[k].section);
    for (size_t k = 0; k < op_missing_count; k++) printf("%-26s §%-14s refused at load\n", op_missing[k].name, op_missing[k].section);
    printf("\n%zu of %zu instructions of the PTX ISA 9.0 are implemented\n", done, all);
}

int cmd_list(int argc, char **argv)
{
    const char *what = argc ? argv[0] : "";
    if (!strcmp(what, "workloads")) list_workloads();
    else if (!strcmp(what, "gpus")) list_gpus();
    else if (!strcmp(what, "schedulers"))
        for (int k = 0; k < SCHED_COUNT; k++) printf("%-14s %s\n", sched_info[k].name, sched_info[k].doc);
    else if (!strcmp(what, "policies"))
        for (int k = 0; k < POLICY_COUNT; k++) printf("%-14s %s\n", policies[k].name, policies[k].doc);
    else if (!strcmp(what, "counters")) {
        for (int k = 0; k < C_COUNT; k++) printf("%-26s %-14s %s\n", counter_info[k].name, counter_info[k].unit, counter_info[k].doc);
        for (size_t k = 0; k < rate_count; k++) printf("%-26s %-14s %s\n", rates[k].name, rates[k].unit, rates[k].doc);
    } else if (!strcmp(what, "ops")) list_ops();
    else {
        bool help = !strcmp(what, "--help");
        fprintf(help ? stdout : stderr, "usage: onchip list workloads|gpus|schedulers|policies|counters|ops\n");
        return help ? EXIT_OK : EXIT_USAGE;
    }
    return EXIT_OK;
}
