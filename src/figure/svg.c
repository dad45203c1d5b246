// svg.c: pieces of the pictures that are drawn without gnuplot (chart.c, match.c). All are SVG_WIDTH units wide, as
// gnuplot's are. Texts are escaped; colours are variables, which a picture alone defines itself.
#include "figure/page.h"

#include <string.h>

void svg_text(Text *out, double x, double y, double size, SvgAnchor anchor, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\" fill=\"var(--ink)\">", x, y,
                size, anchors[anchor]);
    html_put(out, "%s</text>\n", text);
}

void svg_line(Text *out, double x, double y, double to_x, double to_y, const char *stroke, const char *more)
{
    text_printf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", x, y,
                to_x, to_y, stroke, more);
}

// Copies the beginning of a name, so that it has no more than so many letters.
void svg_short(Text *out, const char *name, size_t most)
{
    size_t n = 0, bytes = 0;
    for (; name[bytes]; bytes++) {
        n += ((unsigned char)name[bytes] & 0xc0) != 0x80;
        if (n > most) break;
    }
    if (name[bytes]) {
        do bytes--;
        while (bytes && ((unsigned char)name[bytes] & 0xc0) == 0x80);
    }
    text_add(out, name, bytes);
    if (name[bytes]) text_put(out, "…");
}

// Breaks the title into lines. Returns the height that they take.
double svg_title(Text *out, const char *title)
{
    enum { LONGEST = 56, MOST = 3 };
    double y = 18;
    for (int n = 0; *title && n < MOST; n++, y += 16) {
        Text line = {0};
        size_t letters = 0, bytes = 0, blank = 0;
        for (; title[bytes]; bytes++) {
            letters += ((unsigned char)title[bytes] & 0xc0) != 0x80;
            if (letters > LONGEST) break;
            if (title[bytes] == ' ') blank = bytes;
        }
        if (title[bytes] && blank) bytes = blank;
        if (n + 1 == MOST)
            svg_short(&line, title, LONGEST - 1), bytes = strlen(title);
        else
            text_add(&line, title, bytes);
        svg_text(out, SVG_WIDTH / 2.0, y, 12, SVG_MIDDLE, line.v);
        text_free(&line);
        title += bytes;
        title += *title == ' ';
    }
    return y;
}

void svg_style(Text *out)
{
    text_put(out, "<style>svg{");
    figure_palette(out);
    text_put(out, "background:var(--paper)}@media (prefers-color-scheme: dark){svg{");
    figure_palette_dark(out);
    text_put(out, "}}</style>\n");
}

void svg_open(const Figure *f, double height, bool alone, Text *out)
{
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 %d %.0f\" "
                "font-family=\"sans-serif\"",
                SVG_WIDTH, height);
    html_put(out, " aria-label=\"%s\">\n<title>%s</title>\n", f->title, f->title);
    if (alone) svg_style(out);  // a page has the colours itself
}

const char *svg_colour(uint32_t colour, char out[32])
{
    snprintf(out, 32, "var(--s%u)", colour);
    return out;
}
