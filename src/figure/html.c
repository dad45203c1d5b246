// html.c: writes HTML. Names come from users and from PTX, so that every text is escaped unless the format says that it
// is HTML. Style and script are inside the page: a browser fetches nothing.
#include "figure/page.h"

#include <math.h>
#include <string.h>

static void escape(Text *out, const char *text)
{
    for (size_t left = strlen(text); left;) {
        size_t n = text_sequence(text, left);
        if (*text == '&')
            text_put(out, "&amp;");
        else if (*text == '<')
            text_put(out, "&lt;");
        else if (*text == '>')
            text_put(out, "&gt;");
        else if (*text == '"')
            text_put(out, "&quot;");
        else if (*text == '\'')
            text_put(out, "&#39;");
        else if (n)
            text_add(out, text, n);
        else
            text_put(out, strchr("\n\r\t", *text) ? (char[]){*text, 0} : "\xef\xbf\xbd");  // U+FFFD
        n = n ? n : 1;
        text += n, left -= n;
    }
}

void html_put(Text *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (const char *p = format; *p;) {
        size_t n = strcspn(p, "%");
        text_add(out, p, n);
        p += n;
        if (*p && p[1] == 's')
            escape(out, va_arg(args, const char *)), p += 2;
        else if (*p && p[1] == 'r')
            text_put(out, va_arg(args, const char *)), p += 2;
        else if (*p)
            text_add(out, p++, 1);
    }
    va_end(args);
}

static const char *page_file(const char *name)
{
    for (size_t k = 0; k < page_file_count; k++)
        if (!strcmp(page_files[k].name, name)) return page_files[k].text;
    return "";
}

void html_open(Text *out, const char *title)
{
    Text colours = {0}, dark = {0};
    figure_palette(&colours), figure_palette_dark(&dark);
    html_put(out,
             "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta "
             "charset=\"utf-8\" />\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n<meta name=\"color-scheme\" "
             "content=\"light dark\" />\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
             "script-src 'unsafe-inline'\" />\n"
             "<title>%s</title>\n<style>\n:root{%r}\n@media (prefers-color-scheme: "
             "dark){:root:not([data-theme=light]){%r}}\n:root[data-theme=dark]{%r}\n%r</style>\n</head>\n<body>\n",
             title, colours.v, dark.v, dark.v, page_file("style"));
    text_free(&colours), text_free(&dark);
}

void html_close(Text *out) { html_put(out, "<script>\n%r</script>\n</body>\n</html>\n", page_file("script")); }

// Opens a cell. A long text, such as a PTX file's arguments, is shown cut, so that the numbers behind it stay in sight.
// It is whole when the mouse points at it, on paper, and in what is copied.
static void open_cell(Text *out, const char *element, const char *text, bool number)
{
    enum { LONG = 28 };
    bool cut = strlen(text) > LONG;
    const char *class = number && cut ? " class=\"n cut\"" : number ? " class=\"n\"" : cut ? " class=\"cut\"" : "";
    html_put(out, "<%r%r", element, class);
    if (cut) html_put(out, " title=\"%s\"", text);
    text_put(out, ">");
}

void html_table(Text *out, const char *id, const char *caption, const char *const *columns, size_t count)
{
    html_put(out, "<div class=\"box\"><table id=\"%s\">\n<caption><span>%s</span></caption>\n<thead><tr>", id, caption);
    for (size_t k = 0; k < count; k++) {
        bool number = *columns[k] == '#';
        open_cell(out, "th scope=\"col\"", columns[k] + number, number);
        html_put(out, "%s</th>", columns[k] + number);
    }
    text_put(out, "</tr></thead>\n<tbody>");
}

void html_row(Text *out) { text_put(out, "\n<tr>"); }
void html_cell(Text *out, const char *text)
{
    open_cell(out, "td", text, false);
    html_put(out, "%s</td>", text);
}

// text is rounded for the eye; value has all digits.
void html_number(Text *out, const char *text, double value)
{
    if (!isfinite(value)) {
        text_put(out, "<td class=\"n\">–</td>");
        return;
    }
    text_put(out, "<td class=\"n\" data-v=\"");
    text_number(out, value);
    html_put(out, "\">%s</td>", text);
}

void html_count(Text *out, uint64_t value) { text_printf(out, "<td class=\"n\">%llu</td>", (unsigned long long)value); }

void html_percent(Text *out, double share)
{
    char text[32];
    snprintf(text, sizeof text, "%.2f %%", 100 * share);
    html_number(out, text, share);
}

void html_table_end(Text *out) { text_put(out, "\n</tbody></table></div>\n"); }
