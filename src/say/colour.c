// colour.c: colours, on a terminal alone: a pipe or a file gets none. NO_COLOR asks for none, wherever it is set to
// anything (no-color.org), and TERM=dumb is a terminal that has none.
#include "say/say.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *paint(FILE *out, Paint p)
{
    static const char *const codes[] = {"\x1b[0m", "\x1b[1;31m", "\x1b[1m"};
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    bool plain = (no && *no) || !term || !strcmp(term, "dumb") || !isatty(fileno(out));
    return plain ? "" : codes[p];
}
