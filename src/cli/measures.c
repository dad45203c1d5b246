// measures.c: what measurements store (measures.def), as tables of a page and as a list.
#include "cli/unit.h"

#include <stdio.h>

void measures_manual(Text *out)
{
#define MEASURE(name, text)                                                                         \
    text_put(out, out->n ? "\n" : ""), text_put(out, "## `" name "`: " text "\n\n| value | unit | " \
                                                     "|\n|---|---|---|\n");
#define VALUE(name, unit, text) text_put(out, "| `" name "` | " unit " | " text " |\n");
#include "cli/measures.def"
#undef MEASURE
#undef VALUE
}

void list_measures(void)
{
    static const struct {
        const char *name, *unit, *text;  // unit: null of a measurement
    } rows[] = {
#define MEASURE(name, text) {name, NULL, text},
#define VALUE(name, unit, text) {name, unit, text},
#include "cli/measures.def"
#undef MEASURE
#undef VALUE
    };
    for (size_t k = 0; k < COUNT(rows); k++) {
        Text left = {0}, right = {0};
        text_printf(&left, "%s%s", rows[k].unit ? "  " : "", rows[k].name);
        if (rows[k].unit) text_printf(&right, "%s: ", rows[k].unit);
        put_plain(rows[k].text, &right);
        put_row(stdout, left.v, 34, BREAK_WORDS, right.v);
        text_free(&left), text_free(&right);
    }
}
