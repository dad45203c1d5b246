// options.c: reading options from tables.
#include "cli/cli.h"

#include <string.h>

int args_next(Args *a)
{
    if (a->at >= a->argc) return -2;
    char *arg = a->argv[a->at++];
    a->value = arg;
    if (arg[0] != '-' || !arg[1]) return -1;
    size_t n = strcspn(arg, "=");
    for (size_t k = 0; k < a->option_count; k++) {
        const Option *o = &a->options[k];
        if (strlen(o->name) != n || memcmp(o->name, arg, n)) continue;
        if (!o->value) {
            if (arg[n]) {
                fprintf(stderr, "onchip: %s takes no value\n", o->name);
                return -3;
            }
            return (int)k;
        }
        if (arg[n]) a->value = arg + n + 1;
        else if (a->at < a->argc) a->value = a->argv[a->at++];
        else {
            fprintf(stderr, "onchip: %s needs a value: %s\n", o->name, o->value);
            return -3;
        }
        return (int)k;
    }
    const char *names[64];
    size_t m = 0;
    for (; m < a->option_count && m < COUNT(names); m++) names[m] = a->options[m].name;
    const char *near = nearest_name(arg, names, m);
    fprintf(stderr, "onchip: unknown option %s%s%s%s\n", arg, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return -3;
}

void print_options(const Option *options, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        char left[48];
        snprintf(left, sizeof left, "%s %s", options[k].name, options[k].value ? options[k].value : "");
        printf("  %-26s %s\n", left, options[k].doc);
    }
}
