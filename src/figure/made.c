// made.c: a page that another part fills: headings, texts, tables and figures, one below the other, in the style of the
// report. What it is given is text: it is escaped. Calls of a table stand between page_table and page_table_end.
#include "figure/page.h"

struct Page {
    ReportOptions options;
    Report report;
    Text html;
    uint64_t tables;
    bool figures;  // the last thing was a figure, so that the next one stands in the same column
};

Page *page_open(const char *title, const char *note, bool figures, Diag *diag)
{
    Page *p = mem_alloc(sizeof *p);
    *p = (Page){.options.no_figures = !figures};
    p->report = (Report){.options = &p->options, .out = &p->html, .diag = diag};
    html_open(&p->html, title);
    html_put(&p->html, "<header>\n<h1>%s</h1>\n<p class=\"note\">%s</p>\n</header>\n", title, note);
    return p;
}

static Text *other(Page *p)
{
    if (p->figures) text_put(&p->html, "</div>\n");
    p->figures = false;
    return &p->html;
}

void page_heading(Page *p, const char *text) { html_put(other(p), "<h2>%s</h2>\n", text); }
void page_answer(Page *p, const char *text) { html_put(other(p), "<p class=\"answer\">%s</p>\n", text); }
void page_text(Page *p, const char *text) { html_put(other(p), "<p>%s</p>\n", text); }
void page_note(Page *p, const char *text) { html_put(other(p), "<p class=\"note\">%s</p>\n", text); }
void page_lines(Page *p, const char *text) { html_put(other(p), "<pre class=\"whole\">%s</pre>\n", text); }

void page_table(Page *p, const char *caption, const char *const *columns, size_t count)
{
    char id[32];
    snprintf(id, sizeof id, "table-%llu", (unsigned long long)++p->tables);
    html_table(other(p), id, caption, columns, count);
}

void page_row(Page *p) { html_row(&p->html); }
void page_cell(Page *p, const char *text) { html_cell(&p->html, text); }

void page_number(Page *p, const char *format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    html_number(&p->html, text, value);
}

void page_row_end(Page *p) { text_put(&p->html, "</tr>"); }
void page_table_end(Page *p) { html_table_end(&p->html); }

bool page_figure(Page *p, Figure *f)
{
    if (!p->figures) text_put(&p->html, "<div class=\"figures column\">\n");
    p->figures = true;
    return chart_put(&p->report, f);
}

void page_close(Page *p, Text *out)
{
    if (!p) return;
    other(p);
    html_close(&p->html);
    if (out) text_put(out, p->html.v);
    map_free(&p->report.names), map_free(&p->report.titles), map_free(&p->report.colours);
    text_free(&p->html);
    mem_free(p);
}
