// columns.c: prints text in columns. No line is wider than COLUMNS characters if it has a place to break at: a blank;
// or, in lists of items such as "lsu 90.2 %", the blank behind a comma.
#include "say/unit.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

size_t page_width(FILE *out)
{
    struct winsize size;
    if (!isatty(fileno(out))) return SIZE_MAX;
    return !ioctl(fileno(out), TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : COLUMNS;
}

size_t report_width(FILE *out)
{
    const size_t width = page_width(out);
    return width == SIZE_MAX ? COLUMNS : width;
}

// The length of the word or item at s, behind which a line may be broken.
static size_t item_end(const char *s, Break at)
{
    size_t n = 0;
    while (s[n] && s[n] != '\n' && (s[n] != ' ' || s[n + 1] == '%' || (at == BREAK_ITEMS && (!n || s[n - 1] != ','))))
        n++;
    return n;
}

void put_wrapped(FILE *out, size_t column, size_t indent, Break at, const char *text)
{
    put_within(out, COLUMNS, column, indent, at, text);
}

void put_within(FILE *out, size_t columns, size_t column, size_t indent, Break at, const char *text)
{
    size_t blanks = 0;  // between the last item and this one; a line that is broken there doesn't end in them
    while (*text) {
        size_t n = item_end(text, at), width = text_width(text, n);
        if (blanks && n && column + blanks + width > columns) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent, blanks = 0;
        }
        if (n) fprintf(out, "%*s", (int)blanks, "");
        if (n) column += blanks, blanks = 0;
        fwrite(text, 1, n, out);
        column += width;
        text += n;
        blanks += *text == ' ';
        if (*text == '\n') {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent, blanks = 0;
        }
        text += *text != 0;
    }
    fputc('\n', out);
}

static void row_of(FILE *out, const char *left, Paint p, size_t indent, Break at, const char *text)
{
    size_t width = text_width(left, strlen(left)), blanks = strspn(left, " ");
    const char *on = p == PAINT_END ? "" : paint(out, p);
    fprintf(out, "%*s%s%s%s", (int)blanks, "", on, left + blanks, *on ? paint(out, PAINT_END) : "");
    if (width + 1 > indent) fputc('\n', out), width = 0;
    fprintf(out, "%*s", (int)(indent - width), "");
    put_wrapped(out, indent, indent, at, text);
}

void put_row(FILE *out, const char *left, size_t indent, Break at, const char *text)
{
    row_of(out, left, PAINT_END, indent, at, text);
}

void put_head(FILE *out, const char *left, size_t indent, Break at, const char *text)
{
    row_of(out, left, PAINT_HEAD, indent, at, text);
}
