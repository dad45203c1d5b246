// axes.c: makes a matrix from a command line like that of onchip run. Each option and parameter may have several
// values, separated by commas, and is an axis. Options of a PTX file have one value, as in onchip run: a comma is part
// of it.
#include "cli/unit.h"
#include "driver/fatbin.h"

#include <string.h>
#include <unistd.h>

static bool one_value(Axes *x, const char *name, const char *value, Diag *diag)
{
    Text t = {0};
    text_printf(&t, *value == '{' ? "%s" : "{%s}", value);
    bool ok = matrix_axis(x->matrix, name, t.v, diag);
    text_free(&t);
    return ok;
}

static void add_argument(Axes *x, const char *word)
{
    text_put(&x->args, x->args.n ? " " : "");
    word_quoted(&x->args, word);
}

bool axes_option(Axes *x, const char *option, const char *value, Diag *diag)
{
    static const char *const single[] = {"--kernel", "--grid", "--block", "--smem", "--kernels"};
    if (!strcmp(option, "--arg")) return add_argument(x, value), true;
    if (!strcmp(option, "--set")) return matrix_pair(x->matrix, value, diag);
    if (!strcmp(option, "--slice")) return matrix_axis(x->matrix, "gpu.slice", value, diag);
    if (!strcmp(option, "--energy")) return matrix_axis(x->matrix, "energy.count", "yes", diag);
    if (!strcmp(option, "--why")) return matrix_axis(x->matrix, "why", "yes", diag);
    if (!strcmp(option, "--lines")) return matrix_axis(x->matrix, "lines", "yes", diag);
    if (!strcmp(option, "--sample")) return matrix_axis(x->matrix, "sample", "yes", diag);
    if (!strcmp(option, "--functional")) return matrix_axis(x->matrix, "functional", "yes", diag);
    if (!strcmp(option, "--lower")) return matrix_axis(x->matrix, "sm.lower", value, diag);
    if (!strcmp(option, "--registers")) return matrix_axis(x->matrix, "registers.max", value, diag);
    if (!strcmp(option, "--no-lowering")) return matrix_axis(x->matrix, "lowering", "no", diag);
    for (size_t k = 0; k < COUNT(single); k++)
        if (!strcmp(option, single[k])) return one_value(x, option + 2, value, diag);
    return matrix_axis(x->matrix, option + 2, value ? value : "yes", diag);
}

bool axes_program(Axes *x, const char *names, Diag *diag)
{
    if (x->program)
        return diag_error(diag, "'%s' is one too many; several programs are written as %s,%s", names, x->program,
                          names);
    x->program = names;
    return matrix_axis(x->matrix, "program", names, diag);
}

// Is it a file with a [matrix], and neither a workload nor a PTX file?
static bool is_matrix(const char *word)
{
    size_t n = strlen(word);
    if (n > 4 && !strcmp(word + n - 4, ".ini")) return true;
    if (n > 4 && !strcmp(word + n - 4, ".ptx")) return false;
    return !workload_find(word) && access(word, F_OK) == 0;
}

// A CUDA program's own arguments are all that stand behind it.
static bool cuda_program(Axes *x, Args *a, Diag *diag)
{
    Text name = {0};
    word_quoted(&name, a->value);
    bool ok = axes_program(x, name.v, diag);
    text_free(&name);
    x->program = a->value;
    for (; ok && a->at < a->argc; a->at++) add_argument(x, a->argv[a->at]);
    return ok;
}

bool axes_word(Axes *x, Args *a, Diag *diag)
{
    const char *word = a->value;
    if (!workload_find(word) && elf_program(word)) return cuda_program(x, a, diag);
    if (word[strcspn(word, "= \t\"")] == '=') return matrix_pair(x->matrix, word, diag);
    return is_matrix(word) ? matrix_read(x->matrix, word, diag) : axes_program(x, word, diag);
}

bool axes_end(Axes *x, Diag *diag)
{
    bool ok = !x->args.n || one_value(x, "args", x->args.v, diag);
    return ok && (!x->matrix->axes.n || matrix_product(x->matrix, diag));
}
