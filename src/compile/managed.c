// managed.c: __managed__ variables, which the host and the device share. clang has none. Its device's pass takes one
// for a __device__ variable, its host's pass for one in a section of its own (host_defines.h). The runtime knows where
// the device's lies, and gives a pointer to it (__cudaRegisterManagedVar), through which the host has to go.
//
// Code of a shared library reaches a variable that another one may define through a pointer in its global offset table.
// So the host's code is compiled as such, and then each `x@GOTPCREL` is made `x.onchip_managed`, a pointer of ours.
#include "compile/unit.h"

#include <stdlib.h>
#include <string.h>

static const char section[] = "onchip_managed";

typedef struct Variable {
    const char *name;
    size_t bytes;
    bool defined, own;  // here; and static
} Variable;
typedef VEC(Variable) VariableList;

static bool has_managed(const char *object)
{
    Text all = {0};
    const bool has = text_read_file(&all, object) && memmem(all.v, all.n, section, sizeof section);
    text_free(&all);
    return has;
}

// A line such as `@x = internal global double undef, section "onchip_managed", align 8`: its variable is noted, and
// becomes one that another library may define.
static void expose(Arena *arena, const Text *ir, VariableList *variables, Text *out)
{
    static const char mark[] = "section \"onchip_managed\"", inside[] = " = internal ", near[] = " = dso_local ",
                      outside[] = " = external ";
    for (const char *p = ir->v, *end; p && *p; p = end) {
        end = p + strcspn(p, "\n");
        end += *end != '\0';
        const char *is = memmem(p, end - p, " = ", 3);
        if (*p != '@' || !is || !memmem(p, end - p, mark, sizeof mark - 1)) {
            text_add(out, p, end - p);
            continue;
        }
        const bool own = !strncmp(is, inside, sizeof inside - 1), local = !strncmp(is, near, sizeof near - 1);
        const bool defined = strncmp(is, outside, sizeof outside - 1) != 0;
        vec_push(variables, ((Variable){arena_text(arena, p + 1, is - p - 1), 0, defined, own}));
        text_add(out, p, is - p);
        text_put(out, " = ");
        is += own ? sizeof inside - 1 : local ? sizeof near - 1 : 3;
        text_add(out, is, end - is);
    }
}

static Variable *find(VariableList *variables, const char *name, size_t n)
{
    for (size_t k = 0; k < variables->n; k++)
        if (strlen(variables->v[k].name) == n && !memcmp(variables->v[k].name, name, n)) return &variables->v[k];
    return NULL;
}

static size_t name_before(const char *begin, const char *end)
{
    size_t n = 0;
    while (end - n > begin && !strchr(" \t*,($\n", end[-(long)n - 1])) n++;
    return n;
}

// All uses go through the pointers; the sizes are read on the way.
static void redirect(const Text *code, VariableList *variables, Text *out)
{
    static const char table[] = "@GOTPCREL", size[] = "\t.size\t", global[] = "\t.globl\t";
    for (const char *p = code->v, *end; p && *p; p = end) {
        end = p + strcspn(p, "\n");
        end += *end != '\0';
        const char *at = memmem(p, end - p, table, sizeof table - 1);
        const size_t n = at ? name_before(p, at) : 0;
        if (at && find(variables, at - n, n)) {
            text_add(out, p, at - p);
            text_printf(out, ".%s", section);
            text_add(out, at + sizeof table - 1, end - at - (sizeof table - 1));
            continue;
        }
        const bool sized = !strncmp(p, size, sizeof size - 1), named = !strncmp(p, global, sizeof global - 1);
        const char *name = p + (sized ? sizeof size - 1 : sizeof global - 1);
        Variable *v = sized || named ? find(variables, name, strcspn(name, ", \t\n")) : NULL;
        if (v && sized) v->bytes = strtoull(name + strlen(v->name) + 1, NULL, 10);
        if (!v || !named || !v->own) text_add(out, p, end - p);
    }
}

// The pointers, and a constructor behind clang's own that registers them, and loads the module: the program may use a
// variable before it calls the runtime.
static void add_pointers(const VariableList *variables, Text *out)
{
    for (size_t k = 0; k < variables->n; k++) {
        const Variable *v = &variables->v[k];
        if (!v->defined) continue;
        text_printf(out, "\t.data\n\t.p2align\t3\n");
        if (!v->own) text_printf(out, "\t.globl\t%s.%s\n", v->name, section);
        text_printf(out, "%s.%s:\n\t.quad\t%s\n", v->name, section, v->name);
        text_printf(out, "\t.section\t.rodata\n%s.%s_name:\n\t.asciz\t\"%s\"\n", v->name, section, v->name);
    }
    text_printf(out, "\t.text\nonchip_managed_begin:\n\tpushq\t%%rbx\n\tmovq\t__cuda_gpubin_handle(%%rip), %%rbx\n");
    for (size_t k = 0; k < variables->n; k++) {
        const Variable *v = &variables->v[k];
        if (!v->defined) continue;
        text_printf(out, "\tmovq\t%%rbx, %%rdi\n\tleaq\t%s.%s(%%rip), %%rsi\n", v->name, section);
        text_printf(out, "\tleaq\t%s.%s_name(%%rip), %%rdx\n\tmovq\t%%rdx, %%rcx\n", v->name, section);
        text_printf(out, "\txorl\t%%r8d, %%r8d\n\tmovabsq\t$%zu, %%r9\n", v->bytes);
        text_printf(out, "\tpushq\t$0\n\tpushq\t$0\n\tcallq\t__cudaRegisterManagedVar@PLT\n\taddq\t$16, %%rsp\n");
    }
    text_printf(out, "\tmovq\t%%rbx, %%rdi\n\tcallq\t__cudaInitModule@PLT\n\tpopq\t%%rbx\n\tretq\n");
    text_printf(out, "\t.section\t.init_array,\"aw\",@init_array\n\t.p2align\t3\n\t.quad\tonchip_managed_begin\n");
}

bool managed_put(Work *w, const char *source, const char *fatbin, const char *object)
{
    if (w->b->dry || !has_managed(object)) return true;
    if (w->b->parts)
        return diag_error(w->diag,
                          "%s has a __managed__ variable, which isn't offered with -rdc\nhint: memory of "
                          "cudaMallocManaged is shared, too",
                          source);
    VariableList variables = {0};
    Text ir = {0}, exposed = {0}, code = {0}, done = {0};
    const char *ll = work_file(w, "host.ll"), *s = work_file(w, "host.s");
    bool ok = pass_host(&w->tool, source, fatbin, ll, NULL, w->diag);
    if (ok && text_read_file(&ir, ll)) expose(&w->arena, &ir, &variables, &exposed);
    ok = ok && write_file(&exposed, ll, w->diag) && pass_host(&w->tool, ll, NULL, s, NULL, w->diag);
    if (ok && text_read_file(&code, s)) redirect(&code, &variables, &done);
    if (ok) add_pointers(&variables, &done);
    ok = ok && write_file(&done, s, w->diag) && pass_host(&w->tool, s, NULL, object, NULL, w->diag);
    text_free(&ir), text_free(&exposed), text_free(&code), text_free(&done);
    vec_free(&variables);
    return ok;
}
