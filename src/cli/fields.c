// fields.c: the fields of the JSON that commands write (fields.def), as a page and as a list.
#include "cli/unit.h"

#include <stdio.h>

typedef enum RowKind { ROW_DOCUMENT, ROW_OBJECT, ROW_FIELD, ROW_SAME } RowKind;
static const struct {
    RowKind kind;
    const char *name, *type, *text;  // type: of a document its title, of ROW_SAME the other object
} rows[] = {
#define DOCUMENT(name, title, text) {ROW_DOCUMENT, name, title, text},
#define OBJECT(path, text) {ROW_OBJECT, path, NULL, text},
#define FIELD(name, type, text) {ROW_FIELD, name, type, text},
#define SAME(path, other) {ROW_SAME, path, other, NULL},
#include "cli/fields.def"
#undef DOCUMENT
#undef OBJECT
#undef FIELD
#undef SAME
};

void fields_manual(Text *out)
{
    for (size_t k = 0; k < COUNT(rows); k++) {
        const char *text = rows[k].text;
        switch (rows[k].kind) {
        case ROW_DOCUMENT: text_printf(out, "%s## `%s`\n\n%s\n", k ? "\n" : "", rows[k].type, text); break;
        case ROW_SAME:
            text_printf(out, "\n### `%s`\n\nIt has the fields of `%s`.\n", rows[k].name, rows[k].type);
            break;
        case ROW_OBJECT:
            if (*rows[k].name) text_printf(out, "\n### `%s`\n", rows[k].name);
            if (text) text_printf(out, "\n%s\n", text);
            text_put(out, "\n| field | type, unit | |\n|---|---|---|\n");
            break;
        case ROW_FIELD: text_printf(out, "| `%s` | %s | %s |\n", rows[k].name, rows[k].type, text); break;
        }
    }
}

void list_fields(void)
{
    const char *document = "", *object = "";
    for (size_t k = 0; k < COUNT(rows); k++) {
        Text left = {0}, right = {0};
        switch (rows[k].kind) {
        case ROW_DOCUMENT: document = rows[k].name; break;
        case ROW_OBJECT: object = rows[k].name; break;
        case ROW_SAME:
            text_printf(&left, "%s %s", document, rows[k].name);
            text_printf(&right, "object: the fields of %s", rows[k].type);
            break;
        case ROW_FIELD:
            text_printf(&left, "%s %s%s%s", document, object, *object ? "." : "", rows[k].name);
            text_printf(&right, "%s: ", rows[k].type);
            put_plain(rows[k].text, &right);
            break;
        }
        if (left.n) put_row(stdout, left.v, 42, BREAK_WORDS, right.v);
        text_free(&left), text_free(&right);
    }
}
