// Real modules: the workloads' PTX, or what is in the folder ONCHIP_PTX (see nvcc_long.sh). Each parses or is refused
// as not implemented, prints, reads back and prints the same; so do its lowered functions. Where there is a ptxas, it
// takes what is printed, and makes the same machine code of it as of the original: in the short form of each sixth.
#include "check.h"
#include "ptx/unit.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Count {
    int modules, refused, assembled;
} Count;

static char folder[] = "/tmp/onchip-ptxas-XXXXXX";

static const char *ptxas(void)
{
    if (!access("/usr/local/cuda/bin/ptxas", X_OK)) return "/usr/local/cuda/bin/ptxas";
    return system("command -v ptxas >/dev/null 2>&1") == 0 ? "ptxas" : NULL;
}

// All but lines and debug sections, which come last: machine code doesn't depend on them, and what holds it would.
static void put_code(FILE *file, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n"), blank = strspn(text, " \t");
        if (!strncmp(text + blank, ".section", 8)) break;
        if (strncmp(text + blank, ".loc", 4) || text[blank + 4] == 'a') fprintf(file, "%.*s\n", (int)n, text);
        text += n + (text[n] != 0);
    }
}

// ptxas of CUDA 13 knows sm_75 and later: what is older is called sm_75 and PTX 6.3.
static bool assemble(const Module *m, const char *text, const char *name)
{
    char path[100], command[400];
    snprintf(path, sizeof path, "%s/%s.ptx", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    const char *target = strstr(text, ".target"), *body = strstr(target, ".address_size");
    if (!body) body = target + strcspn(target, "\n");  // before PTX 2.3 it doesn't say
    bool old = m->sm < 75;
    char arch[32] = "75";
    if (!old) snprintf(arch, sizeof arch, "%.*s", (int)strcspn(m->target + 3, ","), m->target + 3);
    if (old && m->version_major * 10 + m->version_minor < 63)
        fprintf(file, ".version 6.3\n");
    else
        fprintf(file, ".version %d.%d\n", m->version_major, m->version_minor);
    fprintf(file, ".target sm_%s\n", arch);
    put_code(file, body);
    fclose(file);
    snprintf(command, sizeof command, "%s -arch=sm_%s %s -o %s/%s.cubin >%s/log 2>&1", ptxas(), arch, path, folder,
             name, folder);
    return system(command) == 0;
}

static bool same_code(void)
{
    char command[200];
    snprintf(command, sizeof command, "cmp -s %s/a.cubin %s/b.cubin", folder, folder);
    return system(command) == 0;
}

static void log_of(const char *path, const char *what)
{
    Text log = {0};
    char name[100];
    snprintf(name, sizeof name, "%s/log", folder);
    text_read_file(&log, name);
    fail_msg("%s: ptxas refuses it %s: %.600s", path, what, log.v ? log.v : "");
}

static void print_again(const Module *m, const char *path, Text *out)
{
    Text again = {0};
    Diag diag = {0};
    ptx_print(m, out);
    Module *n = ptx_parse(out->v, out->n, path, &diag);
    if (!n) fail_msg("as printed: %s", diag.text.v);
    ptx_print(n, &again);
    assert_string_equal(out->v, again.v);
    ptx_free(n);
    text_free(&again);
    diag_free(&diag);
}

static void run_module(const char *path, Count *count)
{
    Text text = {0}, printed = {0}, lowered = {0};
    Diag diag = {0};
    assert_true(text_read_file(&text, path));
    Module *m = ptx_parse(text.v, text.n, path, &diag);
    count->modules++;
    if (!m) {
        if (!diag.unsupported) fail_msg("%s", diag.text.v);
        print_message("%s\n", diag.text.v);
        count->refused++;
        text_free(&text);
        diag_free(&diag);
        return;
    }
    print_again(m, path, &printed);
    VEC(Function *) made = {0};
    VEC(Function *) was = {0};
    for (size_t k = 0; k < m->items.n; k++) {
        Function *f = m->items.v[k].function;
        if (f && f->has_body) m->items.v[k].function = ptx_lower(f, 0);
        if (m->items.v[k].function != f) vec_push(&made, m->items.v[k].function);
        vec_push(&was, f);
    }
    print_again(m, path, &lowered);
    for (size_t k = 0; k < m->items.n; k++) m->items.v[k].function = was.v[k];
    for (size_t k = 0; k < made.n; k++) ptx_lowered_free(made.v[k]);
    vec_free(&made);
    vec_free(&was);
    if ((getenv("ONCHIP_LONG") || count->modules % 6 == 1) && ptxas() && assemble(m, text.v, "a")) {
        if (!assemble(m, printed.v, "b")) log_of(path, "as printed");
        if (!same_code()) fail_msg("%s: other machine code as printed", path);
        if (!assemble(m, lowered.v, "c")) log_of(path, "as lowered");
        count->assembled++;
    }
    ptx_free(m);
    text_free(&text);
    text_free(&printed);
    text_free(&lowered);
}

static void modules(void **state)
{
    (void)state;
    char pattern[400];
    const char *where = getenv("ONCHIP_PTX"), *build = getenv("ONCHIP_BUILD");
    snprintf(pattern, sizeof pattern, "%s/%s",
             where   ? where
             : build ? build
                     : "build",
             where ? "*.ptx" : "workloads/*/*.ptx");
    glob_t found = {0};
    if (glob(pattern, 0, NULL, &found)) skip();
    assert_non_null(mkdtemp(folder));
    Count count = {0};
    for (size_t k = 0; k < found.gl_pathc; k++) run_module(found.gl_pathv[k], &count);
    globfree(&found);
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    print_message("%d modules, %d refused; ptxas took %d as printed, with the same machine code, and as lowered\n",
                  count.modules, count.refused, count.assembled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(modules)};
    return cmocka_run_group_tests_name("ptx/ptxas", tests, NULL, NULL);
}
