// table.c: prints tables. A column is as wide as its widest cell. If a row would be too long, the widest columns of
// text are made narrower, and their texts lose their middle (shorten.c).
#include "say/unit.h"

#include <string.h>

enum { GAP = 2, NARROWEST = 5 };

void table_add(Table *t, const char *text)
{
    vec_push(&t->cells, mem_text(text ? text : ""));
    if (t->cells.n % t->columns == 1 || t->columns == 1) vec_push(&t->notes, NULL);
}

void table_note(Table *t, const char *text) { t->notes.v[t->notes.n - 1] = mem_text(text); }

void table_free(Table *t)
{
    for (size_t k = 0; k < t->cells.n; k++) mem_free(t->cells.v[k]);
    for (size_t k = 0; k < t->notes.n; k++) mem_free(t->notes.v[k]);
    vec_free(&t->cells), vec_free(&t->notes);
}

static bool is_number(const char *text)
{
    double x;
    size_t n = strlen(text);
    if (!n || !strcmp(text, "-")) return true;
    char *copy = mem_text(text);
    if (copy[n - 1] == '%') copy[n - (n > 1 && copy[n - 2] == ' ' ? 2 : 1)] = 0;
    bool ok = parse_float(*copy == '+' ? copy + 1 : copy, &x);
    mem_free(copy);
    return ok;
}

typedef struct Layout {
    size_t *width;
    bool *right;
} Layout;

static void lay_out(const Table *t, size_t most, Layout *l)
{
    size_t all = t->indent, rows = t->cells.n / t->columns;
    for (size_t c = 0; c < t->columns; c++) {
        l->width[c] = 0;
        l->right[c] = rows > 1;
        for (size_t r = 0; r < rows; r++) {
            const char *text = t->cells.v[r * t->columns + c];
            l->width[c] = MAX(l->width[c], text_width(text, strlen(text)));
            if (r) l->right[c] = l->right[c] && is_number(text);
        }
        all += l->width[c] + (c ? GAP : 0);
    }
    for (; all > most; all--) {
        size_t widest = t->columns;
        for (size_t c = 0; c < t->columns; c++)
            if (!l->right[c] && c >= t->whole && l->width[c] > NARROWEST &&
                (widest == t->columns || l->width[c] > l->width[widest]))
                widest = c;
        if (widest == t->columns) break;
        l->width[widest]--;
    }
}

size_t table_least(const Table *t)
{
    Layout l = {mem_alloc(t->columns * sizeof *l.width), mem_alloc(t->columns * sizeof *l.right)};
    size_t least = t->indent;
    lay_out(t, 1, &l);
    for (size_t c = 0; c < t->columns; c++) least += l.width[c] + (c ? GAP : 0);
    mem_free(l.width), mem_free(l.right);
    return least;
}

// The first `width` characters of a line of text; if it has more, the last of them is an ellipsis.
static void put_cut(FILE *out, const char *text, size_t width)
{
    bool cut = text_width(text, strlen(text)) > width;
    size_t n = 0;
    for (; *text && *text != '\n'; text++) {
        n += ((unsigned char)*text & 0xc0) != 0x80;
        if (n > width - cut) break;
        putc(*text, out);
    }
    if (cut) fputs("…", out);
}

// Makes the texts of each column, but for its head, as narrow as the column.
static void shorten(Table *t, const Layout *l)
{
    const size_t rows = t->cells.n / t->columns - 1;
    const char **names = mem_alloc((rows + 1) * sizeof *names);
    char **shorter = mem_alloc((rows + 1) * sizeof *shorter);
    for (size_t c = 0; c < t->columns; c++) {
        char **cells = &t->cells.v[t->columns + c];
        bool wide = false;
        for (size_t r = 0; r < rows; r++) {
            names[r] = cells[r * t->columns];
            wide |= text_width(names[r], strlen(names[r])) > l->width[c];
        }
        if (!wide) continue;
        names_shorten(names, rows, l->width[c], shorter);
        for (size_t r = 0; r < rows; r++) mem_free(cells[r * t->columns]), cells[r * t->columns] = shorter[r];
    }
    mem_free(names), mem_free(shorter);
}

static void print_row(const Table *t, const Layout *l, size_t r, FILE *out)
{
    size_t last = t->columns;
    while (last > 1 && !*t->cells.v[r * t->columns + last - 1]) last--;
    fprintf(out, "%*s", (int)t->indent, "");
    for (size_t c = 0; c < last; c++) {
        const char *text = t->cells.v[r * t->columns + c];
        size_t n = MIN(text_width(text, strlen(text)), l->width[c]), blanks = l->width[c] - n;
        if (c) fprintf(out, "%*s", GAP, "");
        if (l->right[c]) fprintf(out, "%*s", (int)blanks, "");
        put_cut(out, text, l->width[c]);
        if (!l->right[c] && c + 1 < last) fprintf(out, "%*s", (int)blanks, "");
    }
    putc('\n', out);
}

// Lines that fit stay as they are, since a source line may have a caret below it.
static void put_note(const Table *t, const char *note, FILE *out)
{
    enum { INDENT = 4 };
    size_t width = t->width ? t->width : report_width(out);
    for (size_t n; *note; note += n + (note[n] == '\n')) {
        n = strcspn(note, "\n");
        char *line = mem_text(note);
        line[n] = 0;
        fprintf(out, "%*s", INDENT, "");
        if (text_width(line, n) + INDENT <= width)
            fprintf(out, "%s\n", line);
        else
            put_within(out, width, INDENT, INDENT, BREAK_WORDS, line);
        mem_free(line);
    }
}

void table_print(Table *t, FILE *out)
{
    Layout l = {mem_alloc(t->columns * sizeof *l.width), mem_alloc(t->columns * sizeof *l.right)};
    lay_out(t, t->width ? t->width : report_width(out), &l);
    shorten(t, &l);
    for (size_t r = 0; r < t->cells.n / t->columns; r++) {
        print_row(t, &l, r, out);
        if (t->notes.v[r]) put_note(t, t->notes.v[r], out);
    }
    mem_free(l.width), mem_free(l.right);
}
