// cell.c: a stored value as a cell of a table.
#include "cli/unit.h"

void table_add_value(Table *t, const Datum *v)
{
    Text text = {0};
    if (v->kind == DATUM_REAL)
        text_printf(&text, "%.4g", v->real);
    else
        datum_text(v, &text);
    table_add(t, text.v);
    text_free(&text);
}
