// option.c: options as nvcc and the tools under it write them. A name may have one dash or two, and its value stands
// behind a blank or an equals sign.
#include "compile/unit.h"

#include <string.h>

int option_find(const OptionRow *rows, size_t n, const char *joined, const char *word, const char **value)
{
    const char *name = word + 1 + (word[1] == '-');
    const size_t length = strcspn(name, "=");
    *value = name[length] ? name + length + 1 : NULL;
    for (size_t k = 0; k < n; k++)
        if ((strlen(rows[k].name) == length && !memcmp(rows[k].name, name, length)) ||
            (strlen(rows[k].brief) == length && !memcmp(rows[k].brief, name, length)))
            return !rows[k].takes && *value ? -1 : (int)k;
    for (size_t k = 0; k < n && word[1] != '-'; k++)
        if (rows[k].takes && !rows[k].brief[1] && rows[k].brief[0] == *name && name[1] && strchr(joined, *name))
            return *value = name + 1, (int)k;
    return -1;
}

bool option_unknown(const OptionRow *rows, size_t n, const char *word, const char *help, Diag *diag)
{
    WordList names = {0};
    char hint[100];
    for (size_t k = 0; k < n; k++) words_add(&names, rows[k].name, rows[k].brief, NULL);
    diag_error(diag, "unknown option %s%s (%s)", word, did_you_mean(word + strspn(word, "-"), names.v, names.n, hint),
               help);
    vec_free(&names);
    return false;
}

bool option_put(const OptionRow *row, Text *names, const char **doc)
{
    const bool two = strcmp(row->name, row->brief) != 0;
    text_printf(names, "  --%s%s%s%s%s", row->name, two ? ", -" : "", two ? row->brief : "", row->takes ? " " : "",
                row->takes ? row->takes : "");
    *doc = row->doc;
    return true;
}
