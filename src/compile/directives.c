// directives.c: what the source says of a kernel, PTX has a directive for, and clang doesn't write: __cluster_dims__,
// __maxnreg__ and the third number of __launch_bounds__. host_defines.h has clang annotate the kernel with the
// directive and its numbers. In LLVM's intermediate form that is
//
//   @.str = … constant [26 x i8] c"onchip .reqnctapercluster\00", section "llvm.metadata"
//   @.args = … constant { i32, i32 } { i32 4, i32 1 }, section "llvm.metadata"
//   @llvm.global.annotations = … [{ … } { ptr @kernel, ptr @.str, ptr @file, i32 3, ptr @.args }, …], section …
//
// These lines are taken out, and the directives are put behind the kernels' parameters in the PTX.
//
// A parameter that is __grid_constant__ is annotated, too, by a call in its kernel. LLVM from 18 on leaves such a
// parameter where it is, if the kernel's annotations for the back end list it: then its address isn't one of a copy.
#include "compile/unit.h"

#include <string.h>

static size_t name_length(const char *p)
{
    size_t n = 0;
    while (in_name(p[n])) n++;
    return n;
}

typedef struct Constant {
    const char *kernel;  // the line that begins its definition
    uint32_t number;     // of the parameter, from 1
} Constant;
// What annotations are made of: their lines, by the variable's name; and the parameters that are __grid_constant__.
typedef struct Lines {
    WordList all;
    VEC(Constant) constants;
    Map places;
    const char *list;  // the line of @llvm.global.annotations; null: there is none
} Lines;

// The line `call void @llvm.var.annotation.p0.p0(ptr %map, ptr @.str, …)` of a kernel whose definition begins at
// `define`: if it says so of one of its parameters, that one's number, from 1; else 0.
static uint32_t constant_parameter(const char *line, const char *define, const Lines *lines)
{
    const char *name = strchr(line, '%'), *text = strstr(line, ", ptr @");
    int64_t at;
    if (!define || !name || !text || text < name) return 0;
    text += strlen(", ptr @");
    if (!map_get(&lines->places, text, name_length(text), &at) || !strstr(lines->all.v[at], "onchip .grid_constant"))
        return 0;
    const size_t n = name_length(name + 1) + 1;
    uint32_t number = 1, depth = 0;
    for (const char *p = strchr(define, '('); p && *p && *p != '\n'; p++) {
        if (!strncmp(p, name, n) && !name_length(p + n)) return number;
        depth += (*p == '(') - (*p == ')');
        number += *p == ',' && depth == 1;
        if (!depth) break;
    }
    return 0;
}

// Copies the intermediate form without the annotations.
static void take_lines(const char *ir, Arena *arena, Lines *lines, Text *out)
{
    static const char mark[] = "section \"llvm.metadata\"", list[] = "@llvm.global.annotations";
    const char *define = NULL;
    for (const char *p = ir, *end; *p; p = end) {
        end = p + strcspn(p, "\n");
        end += *end != '\0';
        if (!strncmp(p, "define ", 7)) define = p;
        if (*p == ' ' && memmem(p, (size_t)(end - p), "call void @llvm.var.annotation", 30)) {
            const Constant c = {define, constant_parameter(p, define, lines)};
            if (c.number) vec_push(&lines->constants, c);
            continue;
        }
        if (*p != '@' || !memmem(p, (size_t)(end - p), mark, sizeof mark - 1)) {
            text_add(out, p, (size_t)(end - p));
            continue;
        }
        const char *line = arena_text(arena, p, (size_t)(end - p));
        if (!strncmp(line, list, sizeof list - 1)) lines->list = line;
        map_put(&lines->places, line + 1, name_length(line + 1), (int64_t)lines->all.n);
        vec_push(&lines->all, line);
    }
}

// "onchip .maxnreg", with the numbers of the arguments' line behind it; of an annotation of the user's, nothing.
static void read_directive(const char *text, const char *args, Text *out)
{
    static const char mark[] = "c\"onchip ";
    const char *at = strstr(text, mark);
    if (!at) return;
    at += sizeof mark - 1;
    if (!strncmp(at, ".reqnctapercluster", 18)) text_put(out, ".explicitcluster\n");  // as nvcc writes it
    text_printf(out, "%.*s", (int)strcspn(at, "\\\""), at);
    const char *separator = " ";
    for (const char *p = args ? strstr(args, "} {") : NULL; p && (p = strstr(p, " i")); p++) {
        const size_t digits = strspn(p + 2, "0123456789");
        const char *number = p + 2 + digits + 1;
        if (!digits || number[-1] != ' ') continue;
        text_printf(out, "%s%.*s", separator, (int)strspn(number, "-0123456789"), number);
        separator = ", ";
    }
    text_put(out, "\n");
}

// Adds the constant parameters to !nvvm.annotations, each with numbers that clang doesn't reach.
static void list_constants(const Lines *lines, Text *ir)
{
    enum { FREE = 1000000000 };
    static const char list[] = "\n!nvvm.annotations = !{";
    const char *at = lines->constants.n && ir->n ? strstr(ir->v, list) : NULL;
    if (!at) return;
    Text out = {0};
    at += sizeof list - 1;
    text_add(&out, ir->v, (size_t)(at - ir->v));
    for (size_t k = 0; k < lines->constants.n; k++) text_printf(&out, "!%zu, ", FREE + 2 * k);
    text_put(&out, at);
    for (size_t k = 0; k < lines->constants.n; k++) {
        const char *name = strchr(lines->constants.v[k].kernel, '@');
        text_printf(&out, "\n!%zu = !{ptr %.*s, !\"grid_constant\", !%zu}\n!%zu = !{i32 %u}\n", FREE + 2 * k,
                    (int)name_length(name + 1) + 1, name, FREE + 2 * k + 1, FREE + 2 * k + 1,
                    lines->constants.v[k].number);
    }
    text_free(ir);
    *ir = out;
}

void directives_take(Text *ir, Directives *all)
{
    Lines lines = {0};
    Text out = {0};
    if (!ir->n || !strstr(ir->v, "onchip .")) return;
    take_lines(ir->v, &all->arena, &lines, &out);
    const char *kernel = NULL, *parts[3] = {NULL};  // its text, its file, its arguments
    size_t length = 0, n_parts = 0;
    for (const char *p = lines.list ? lines.list + 1 : ""; p; p = strchr(p, '@'), p = p ? p + 1 : NULL) {
        int64_t line;
        const size_t n = name_length(p);
        const bool part = map_get(&lines.places, p, n, &line);
        if (part && n_parts < COUNT(parts)) parts[n_parts++] = lines.all.v[line];
        // The last part of an annotation is followed by the next one's kernel, or by the end.
        const char *next = strchr(p, '@');
        const bool last = !next || !map_get(&lines.places, next + 1, name_length(next + 1), &line);
        if (!part) kernel = p, length = n, n_parts = 0;
        if (!last || !part || !kernel) continue;
        Directive d = {.kernel = arena_text(&all->arena, kernel, length)};
        read_directive(parts[0], n_parts > 2 ? parts[2] : NULL, &d.text);
        vec_push(&all->list, d);
    }
    list_constants(&lines, &out);
    text_free(ir);
    *ir = out;
    all->taken = true;
    vec_free(&lines.all), vec_free(&lines.constants), map_free(&lines.places);
}

// The first c from p on that isn't in a comment; null: there is none.
static const char *find(const char *p, char c)
{
    for (; p && *p && *p != c; p++) {
        if (p[0] == '/' && p[1] == '/') p += strcspn(p, "\n");
        if (p[0] == '/' && p[1] == '*' && !(p = strstr(p + 2, "*/"))) return NULL;
        if (!*p) return NULL;
    }
    return p && *p ? p : NULL;
}

void directives_put(const Directives *all, Text *ptx)
{
    for (size_t k = 0; k < all->list.n; k++) {
        const Directive *d = &all->list.v[k];
        Text head = {0}, out = {0};
        text_printf(&head, ".entry %s(", d->kernel);
        const char *at = ptx->n && d->text.n ? strstr(ptx->v, head.v) : NULL;
        const char *end = find(at, ')');
        if (end) {
            text_add(&out, ptx->v, (size_t)(end + 1 - ptx->v));
            text_printf(&out, "\n%s", d->text.v);
            text_put(&out, end + 1 + (end[1] == '\n'));
            text_free(ptx);
            *ptx = out;
        }
        text_free(&head);
    }
}

void directives_limit(uint32_t registers, Text *ptx)
{
    Text out = {0};
    const char *done = ptx->n ? ptx->v : "";
    for (const char *at = done; (at = strstr(at, ".entry ")); at++) {
        const char *end = strpbrk(at, "({"), *body = find(end, '{');
        if (!body) break;
        const bool bound =
            memmem(end, (size_t)(body - end), ".maxntid", 8) || memmem(end, (size_t)(body - end), ".maxnreg", 8);
        text_add(&out, done, (size_t)(body - done));
        if (!bound) text_printf(&out, ".maxnreg %u\n", registers);
        done = at = body;
    }
    text_put(&out, done);
    text_free(ptx);
    *ptx = out;
}

void directives_free(Directives *all)
{
    for (size_t k = 0; k < all->list.n; k++) text_free(&all->list.v[k].text);
    vec_free(&all->list), arena_free(&all->arena);
}
