// tools.c: clang and what else compiling runs, as commands that can be shown.
#include "compile/unit.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>

bool own_folder(const char *name, Text *path, Diag *diag)
{
    return own_find(path, name) ||
           diag_error(diag, "there is no folder %s beside this onchip; it isn't installed whole", name);
}

void words_add(WordList *w, const char *first, ...)
{
    va_list args;
    va_start(args, first);
    for (const char *word = first; word; word = va_arg(args, const char *)) vec_push(w, word);
    va_end(args);
}

void words_join(WordList *w, const WordList *more)
{
    for (size_t k = 0; k < more->n; k++) vec_push(w, more->v[k]);
}

static void show(const Tool *t, const char *const *words)
{
    text_put(t->said, "#$");
    for (size_t k = 0; words[k]; k++) {
        const bool quoted = !*words[k] || strpbrk(words[k], " \t\"'\\$&|;<>()*?");
        text_printf(t->said, quoted ? " '%s'" : " %s", words[k]);
    }
    text_put(t->said, "\n");
}

static const char *hint_of(const char *said, uint32_t release)
{
    static const struct {
        const char *before;
        uint32_t until;
        const char *text;
    } hints[] = {
#define HINT(before, until, text) {before, until, text},
#include "compile/hints.def"
#undef HINT
    };
    for (size_t k = 0; k < COUNT(hints); k++)
        if (strstr(said, hints[k].before) && (!hints[k].until || release <= hints[k].until)) return hints[k].text;
    return NULL;
}

static bool failed(const Tool *t, const char *what, const char *name, Text *said, int status, Diag *diag)
{
    if (!said->n) text_put(said, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "nothing, and fails");
    while (said->n && said->v[said->n - 1] == '\n') said->v[--said->n] = '\0';
    const char *hint = t->build->toolkit ? NULL : hint_of(said->v, t->clang->release);
    return diag_error(diag, "%s; %s says:\n%s%s%s", what, name, said->v, hint ? "\nhint: " : "", hint ? hint : "");
}

bool tool_run(const Tool *t, const char *what, const char *program, const WordList *words, Diag *diag)
{
    WordList all = {0};
    Text said = {0};
    int status = -1;
    bool ok = true;
    words_add(&all, program, NULL), words_join(&all, words);
    vec_push(&all, NULL);
    if (t->build->show || t->build->dry) show(t, all.v);
    if (!t->build->dry) {
        ok = program_run(all.v, ".", &said, &status);
        if (!ok)
            diag_error(diag, "can't run %s: %s", program, strerror(errno));
        else if (status)
            ok = failed(t, what, base_name(program), &said, status, diag);
        else if (said.n)
            text_add(t->said, said.v, said.n);
    }
    vec_free(&all), text_free(&said);
    return ok;
}
