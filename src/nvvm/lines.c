// lines.c: what LLVM's C interface can't change, changed in the module's text. It has no way to say that a product and
// a sum may be fused (-fma=1, where it optimises), nor does it tell how exact a division has to be (-prec-div=0).
//
// Invariant: the text is as LLVM prints it: an instruction that has a value is a line "  %name = op …", and a name in
// quotes has neither a quote nor the end of a line in it. No line of anything else begins with two blanks and a %.
#include "nvvm/unit.h"

#include <string.h>

typedef struct Line {
    const char *from, *op, *end;  // op: null where it is none of an instruction with a value
} Line;

static Line line_at(const char *from)
{
    Line l = {from, NULL, from + strcspn(from, "\n")};
    if (strncmp(from, "  %", 3)) return l;
    const char *p = from + 3;
    p += *p == '"' ? 1 + strcspn(p + 1, "\"\n") : strcspn(p, " \n");
    if (*p == '"') p++;
    if (!strncmp(p, " = ", 3)) l.op = p + 3;
    return l;
}

static bool is_word(const char *p, const char *word)
{
    const size_t n = strlen(word);
    return !strncmp(p, word, n) && p[n] == ' ';
}

// The end of an operand: its comma, or the line's end.
static const char *operand_end(const char *p, const char *end)
{
    int depth = 0;
    for (bool quoted = false; p < end; p++) {
        if (*p == '"') quoted = !quoted;
        if (quoted) continue;
        if (strchr("([{<", *p)) depth++;
        if (strchr(")]}>", *p)) depth--;
        if (*p == ',' && !depth) break;
    }
    return p;
}

// "fdiv fast float %a, %b, !dbg !3" becomes "call float @onchip.div.…(float %a, float %b), !dbg !3". What may be
// anything (arcp, fast) needn't be right for divisors above 2^126. False: it is no division of floats.
static bool put_division(const Line *l, Text *to)
{
    const char *p = l->op + strlen("fdiv ");
    bool any = false;
    while (!is_word(p, "float")) {
        static const char *const flags[] = {"fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"};
        size_t k = 0;
        while (k < COUNT(flags) && !is_word(p, flags[k])) k++;
        if (k == COUNT(flags)) return false;
        any |= !strcmp(flags[k], "fast") || !strcmp(flags[k], "arcp");
        p += strlen(flags[k]) + 1;
    }
    p += strlen("float ");
    const char *a = operand_end(p, l->end);
    if (a == l->end || a[1] != ' ') return false;
    const char *b = operand_end(a + 2, l->end);
    text_add(to, l->from, (size_t)(l->op - l->from));
    text_printf(to, "call float @onchip.div.%s(float %.*s, float %.*s)%.*s", any ? "approx" : "full", (int)(a - p), p,
                (int)(b - a - 2), a + 2, (int)(l->end - b), b);
    return true;
}

static bool put_changed(const Line *l, const Options *o, Text *to)
{
    static const char *const fused[] = {"fadd", "fsub", "fmul"};
    if (!l->op) {
        // Without -g a debugger's sections aren't asked for, but the lines of instructions.
        static const char full[] = "emissionKind: FullDebug", tables[] = "emissionKind: LineTablesOnly";
        if (*l->from != '!' || o->debug) return false;
        const char *at = memmem(l->from, (size_t)(l->end - l->from), full, strlen(full));
        size_t n = strlen(full);
        if (!at) at = memmem(l->from, (size_t)(l->end - l->from), tables, n = strlen(tables));
        if (!at) return false;
        text_add(to, l->from, (size_t)(at - l->from)), text_put(to, "emissionKind: DebugDirectivesOnly");
        text_add(to, at + n, (size_t)(l->end - at) - n);
        return true;
    }
    if (!o->prec_div && is_word(l->op, "fdiv")) return put_division(l, to);
    for (size_t k = 0; o->fma && o->optimise && k < COUNT(fused); k++) {
        if (!is_word(l->op, fused[k])) continue;
        const size_t head = strlen(fused[k]) + 1;
        text_add(to, l->from, (size_t)(l->op - l->from) + head), text_put(to, "contract ");
        text_add(to, l->op + head, (size_t)(l->end - l->op) - head);
        return true;
    }
    return false;
}

bool lines_change(const char *ir, const Options *o, Text *to)
{
    bool changed = false;
    for (const char *p = ir; *p;) {
        const Line l = line_at(p);
        if (put_changed(&l, o, to))
            changed = true;
        else
            text_add(to, l.from, (size_t)(l.end - l.from));
        text_put(to, "\n");
        p = l.end + (*l.end == '\n');
    }
    if (!o->prec_div && changed)
        text_put(to, "declare float @onchip.div.full(float, float)\ndeclare float @onchip.div.approx(float, float)\n");
    return changed;
}
