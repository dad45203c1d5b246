// directives.c: what the source says of a kernel, PTX has a directive for, and clang doesn't write: __cluster_dims__,
// __maxnreg__ and the third number of __launch_bounds__. host_defines.h has clang annotate the kernel with the
// directive and its numbers. In LLVM's intermediate form that is
//
//   @.str = … constant [26 x i8] c"onchip .reqnctapercluster\00", section "llvm.metadata"
//   @.args = … constant { i32, i32 } { i32 4, i32 1 }, section "llvm.metadata"
//   @llvm.global.annotations = … [{ … } { ptr @kernel, ptr @.str, ptr @file, i32 3, ptr @.args }, …], section …
//
// These lines are taken out, and the directives are put behind the kernels' parameters in the PTX.
#include "compile/unit.h"

#include <ctype.h>
#include <string.h>

static size_t name_length(const char *p)
{
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || (p[n] && strchr("_$.-", p[n]))) n++;
    return n;
}

// What annotations are made of: their lines, by the variable's name.
typedef struct Lines {
    WordList all;
    Map places;
    const char *list;  // the line of @llvm.global.annotations; null: there is none
} Lines;

static void take_lines(const char *ir, Arena *arena, Lines *lines, Text *out)
{
    static const char mark[] = "section \"llvm.metadata\"", list[] = "@llvm.global.annotations";
    for (const char *p = ir, *end; *p; p = end) {
        end = p + strcspn(p, "\n");
        end += *end != '\0';
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

void directives_take(Text *ir, Directives *all)
{
    Lines lines = {0};
    Text out = {0};
    if (!ir->n || !strstr(ir->v, "onchip .")) return;
    take_lines(ir->v, &all->arena, &lines, &out);
    const char *kernel = NULL, *text = NULL, *args = NULL;
    size_t length = 0, place = 0;
    for (const char *p = lines.list ? lines.list + 1 : ""; p; p = strchr(p, '@'), p = p ? p + 1 : NULL) {
        int64_t line;
        const size_t n = name_length(p);
        const bool part = map_get(&lines.places, p, n, &line);
        if (part && kernel && place++ != 1) *(place == 1 ? &text : &args) = lines.all.v[line];
        // Behind the last part of an annotation comes the next one's kernel, or the end.
        const char *next = strchr(p, '@');
        const bool last = !next || !map_get(&lines.places, next + 1, name_length(next + 1), &line);
        if (!part) kernel = p, length = n, place = 0, text = args = NULL;
        if (!last || !part || !text) continue;
        Directive d = {.kernel = arena_text(&all->arena, kernel, length)};
        read_directive(text, args, &d.text);
        vec_push(&all->list, d);
    }
    text_free(ir);
    *ir = out;
    vec_free(&lines.all), map_free(&lines.places);
}

// The end of a kernel's parameters: clang writes it at the begin of a line, or has none, "()".
static const char *parameters_end(const char *begin)
{
    const char *end = !begin || begin[1] == ')' ? begin : strstr(begin, "\n)");
    return end ? end + 1 : NULL;
}

void directives_put(const Directives *all, Text *ptx)
{
    for (size_t k = 0; k < all->list.n; k++) {
        const Directive *d = &all->list.v[k];
        Text head = {0}, out = {0};
        text_printf(&head, ".entry %s(", d->kernel);
        const char *at = ptx->n && d->text.n ? strstr(ptx->v, head.v) : NULL;
        const char *end = parameters_end(at ? at + head.n - 1 : NULL);
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
        const char *end = parameters_end(strchr(at, '('));
        const char *body = end ? strstr(end, "\n{") : NULL;
        if (!body) break;
        const bool bound =
            memmem(end, (size_t)(body - end), ".maxntid", 8) || memmem(end, (size_t)(body - end), ".maxnreg", 8);
        text_add(&out, done, (size_t)(body - done));
        if (!bound) text_printf(&out, "\n.maxnreg %u", registers);
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
