// identity.c: what a run is known by, and the lists of settings in it.
#include "store/store.h"

#include <string.h>

void identity_free(Identity *id)
{
    mem_free(id->verb), mem_free(id->program), mem_free(id->params), mem_free(id->gpu), mem_free(id->overrides),
        mem_free(id->options);
    *id = (Identity){0};
}

const char *setting_name(const char *name) { return strcmp(name, "sched") ? name : "sched.policy"; }

// The length of the name with which a setting begins at p; 0: none begins there.
static size_t name_length(const char *p)
{
    size_t n = strcspn(p, " \t\"@:/,{}=");
    return p[n] == '=' ? n : 0;
}

// A word that doesn't begin a setting belongs to the value before it, which is a list with blanks, such as
// "tlb2.sets=24 17 17".
size_t setting_length(const char *p)
{
    size_t end, next = 0;
    do {
        end = next + word_length(p + next);
        next = end + strspn(p + end, " \t");
    } while (p[next] && !name_length(p + next));
    return end;
}

bool setting_next(const char **list, Text *name, Text *value)
{
    const char *p = *list + strspn(*list, " \t");
    size_t n = name_length(p), length = setting_length(p);
    if (!n) return false;
    name->n = value->n = 0;
    text_add(name, p, n);
    text_add(value, p + n + 1, length - n - 1);
    *list = p + length;
    return true;
}
