// axes.c: makes a matrix from a command line like that of onchip run. Each option and parameter may have several
// values, separated by commas, and is an axis. Options of a PTX file have one value, as in onchip run: a comma is part
// of it.
#include "cli/unit.h"
#include "compile/compile.h"
#include "device/setup.h"
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
    const char *name = option + 2;
    const SetupOption *o = NULL;
    for (size_t k = 0; k < OPTIONS && !o; k++)
        if (setup_options[k].name && !strcmp(setup_options[k].name, option)) o = &setup_options[k];
    if (o == &setup_options[OPT_ARG]) return add_argument(x, value), true;
    if (o == &setup_options[OPT_SET]) return matrix_pair(x->matrix, value, diag);
    if (!o) return matrix_axis(x->matrix, name, value, diag);
    name = o->key ? o->key : setup_axis_name(o);
    const bool not = !strncmp(option, "--no-", 5);
    if (o->values && !strstr(o->values, ",…")) return one_value(x, name, value, diag);
    return matrix_axis(x->matrix, name, value ? value : not ? "no" : "yes", diag);
}

bool axes_program(Axes *x, const char *names, Diag *diag)
{
    if (x->program)
        return diag_error(diag, "'%s' is one too many; several programs are written as %s,%s", names, x->program,
                          names);
    x->program = names;
    return matrix_axis(x->matrix, "program", names, diag);
}

// Is it a file with a [matrix], and neither a workload nor a file with kernels?
static bool is_matrix(const char *word)
{
    size_t n = strlen(word);
    if (n > 4 && !strcmp(word + n - 4, ".ini")) return true;
    if ((n > 4 && !strcmp(word + n - 4, ".ptx")) || is_cuda_source(word)) return false;
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
    if (*word == '@') return add_argument(x, word), true;  // an argument file
    if (word[strcspn(word, "= \t\"")] == '=') return matrix_pair(x->matrix, word, diag);
    return is_matrix(word) ? matrix_read(x->matrix, word, diag) : axes_program(x, word, diag);
}

bool axes_end(Axes *x, Diag *diag)
{
    bool ok = !x->args.n || one_value(x, "args", x->args.v, diag);
    return ok && (!x->matrix->axes.n || matrix_product(x->matrix, diag));
}
