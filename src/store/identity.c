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

// A word without '=' belongs to the value before it, which is a list with blanks, such as "tlb2.sets=24 17 17".
bool setting_next(const char **list, Text *name, Text *value)
{
    const char *p = *list + strspn(*list, " "), *equals = strchr(p, '=');
    if (!equals) return false;
    const char *end, *next = equals;
    do {
        end = next + strcspn(next, " ");
        next = end + strspn(end, " ");
    } while (*next && strcspn(next, " ") <= strcspn(next, "="));
    name->n = value->n = 0;
    text_add(name, p, (size_t)(equals - p));
    text_add(value, equals + 1, (size_t)(end - equals - 1));
    *list = next;
    return true;
}
