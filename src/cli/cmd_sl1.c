// cmd_sl1.c: onchip sl1: reads PTX, and writes it with the software L1 in its kernels.
#include "cli/unit.h"
#include "names/names.h"
#include "sl1/sl1.h"

#include <errno.h>
#include <string.h>

static const Option options[] = {
    {"--help", NULL, "this text"},
    {"-o", "FILE", "write the rewritten PTX into this file (default: to the terminal)"},
    {"--plan", NULL,
     "rewrite nothing; print which loops and data structures would be rewritten, which are left alone, and why"},
    {"--dump", SL1_STEPS,
     "instead of the rewritten module print the kernels as they are after a step: with calls inlined, with local "
     "variables in registers (forward), the plan, or one slice of each main loop (doc/use/sl1.md)"},
    {"--sl1", "[=SETTING,…]", "settings of the software L1; they are listed below"},
};
const CommandLine sl1_line = {options, COUNT(options), NULL};
enum { S_HELP, S_OUT, S_PLAN, S_DUMP, S_SL1 };

static int put_out(const Text *t, const char *path)
{
    Diag diag = {0};
    bool ok = write_out(t, path, &diag);
    tell_diag(&diag);
    diag_free(&diag);
    return ok ? EXIT_OK : EXIT_FAILED;
}

// dump: the step that --dump asks for, or null.
static int rewrite(const char *path, const char *out, const char *dump, const Sl1Options *o)
{
    Text text = {0}, rewritten = {0};
    Diag diag = {0};
    if (!text_read_file(&text, path)) return tell(EXIT_FAILED, "can't read %s: %s", path, strerror(errno));
    Module *m = ptx_parse_partly(text.v ? text.v : "", text.n, path, &diag);
    int code = EXIT_OK;
    if (!m) {
        code = tell(EXIT_FAILED, "%s", diag.text.v);
    } else if (dump) {
        if (sl1_dump(m, o, dump, &rewritten))
            code = put_out(&rewritten, out);
        else
            code = tell(EXIT_USAGE, "sl1: --dump is one of " SL1_STEPS ", not '%s'", dump);
    } else {
        Sl1Module of;
        sl1_rewrite(m, o, &rewritten, NULL, &of);
        for (size_t k = 0; k < of.kernels.n; k++) {
            char *name = name_shown(of.kernels.v[k].name);
            if (of.kernels.v[k].left) tell(0, "%s is left alone: %s", name, of.kernels.v[k].left);
            if (of.kernels.v[k].silent) tell(0, "%s: %s", name, sl1_silent);
            mem_free(name);
        }
        code = put_out(&rewritten, out);
        sl1_module_free(&of);
    }
    ptx_free(m);
    text_free(&text), text_free(&rewritten), diag_free(&diag);
    return code;
}

int cmd_sl1(int argc, char **argv)
{
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    const char *path = NULL, *out = NULL, *dump = NULL;
    Sl1Options o = sl1_defaults;
    Diag why = {0};
    for (int k; (k = args_next(&a)) != -2;) {
        switch (k) {
        case S_HELP:
            printf("usage: onchip sl1 FILE.ptx [options]\n\n"
                   "Rewrites the kernels of a module so that each thread caches in shared memory\n"
                   "what their main loops read and write (doc/use/sl1.md).\n\n");
            print_options(options, COUNT(options));
            print_sl1_settings();
            return EXIT_OK;
        case S_OUT: out = a.value; break;
        case S_PLAN: dump = "plan"; break;
        case S_DUMP: dump = a.value; break;
        case -1:
            if (path) return tell(EXIT_USAGE, "sl1: one file at a time; '%s' is one too many", a.value);
            path = a.value;
            break;
        case -3: return EXIT_USAGE;
        case S_SL1:
            if (!a.value || sl1_read(&o, a.value, &why)) break;
            tell(0, "--sl1: %s", why.text.v);
            diag_free(&why);
            return EXIT_USAGE;
        }
    }
    if (!path) return tell(EXIT_USAGE, "sl1: which file?\nusage: onchip sl1 FILE.ptx [-o OUT.ptx]");
    return rewrite(path, out, dump, &o);
}
