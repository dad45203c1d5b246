// regex.c: a regular expression over kernels' names, by PCRE2. Expressions come from strangers' matrices, names from
// their PTX. So both compiling and matching are bounded. An expression has at most MOST characters. By PCRE2's own
// limits it has at most 250 nested parentheses and 64 KiB in compiled form, and a match takes at most 20 MB. A match
// that takes too many steps is given up. The usual expressions mean what they mean to grep -E.
#include "sweep/sweep.h"

#include "device/device.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

enum { MOST = 1000 };
// Characters of a name that one match may look at, about: a step looks at no more than the whole name.
enum { LOOKS = 100000000 };

struct Regex {
    KernelFilter filter;
    pcre2_code *code;
    const char *text;  // the caller's
};

// Does the expression match somewhere in the name? Negative: PCRE2's code for why that isn't known.
static int match(const Regex *p, const char *name)
{
    size_t n = strlen(name);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    int found = PCRE2_ERROR_NOMEMORY;
    if (limits && data) {
        pcre2_set_match_limit(limits, (uint32_t)(LOOKS / (n + 100)));
        found = pcre2_match(p->code, (PCRE2_SPTR)name, n, 0, 0, data, limits);
    }
    pcre2_match_data_free(data);
    pcre2_match_context_free(limits);
    return found >= 0 ? 1 : found == PCRE2_ERROR_NOMATCH ? 0 : found;
}

static bool takes(void *user, const char *name, const char *shown, bool *taken, Diag *diag)
{
    const Regex *p = user;
    int found = match(p, name);
    if (!found && strcmp(name, shown)) found = match(p, shown);
    *taken = found > 0;
    if (found >= 0) return true;
    if (found == PCRE2_ERROR_NOMEMORY)
        diag_error(diag, "the host has no memory to look for the regular expression '%s' in its name", p->text);
    else
        diag_error(diag,
                   "the regular expression '%s' takes too many steps on its name\n"
                   "hint: avoid a repetition inside a repetition",
                   p->text);
    return false;
}

Regex *regex_open(const char *text, Diag *diag)
{
    const uint32_t plain = PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_NEVER_BACKSLASH_C;
    int wrong;
    size_t n = strlen(text), at;
    if (n > MOST) {
        diag_error(diag, "a regular expression of %zu characters: it may have %d", n, MOST);
        return NULL;
    }
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)text, n, plain, &wrong, &at, NULL);
    if (!code) {
        PCRE2_UCHAR reason[128];
        pcre2_get_error_message(wrong, reason, sizeof reason);
        diag_error(diag, "malformed regular expression '%s': %s (character %zu)", text, (const char *)reason, at);
        return NULL;
    }
    Regex *p = mem_alloc(sizeof *p);
    *p = (Regex){.filter = {.takes = takes, .user = p}, .code = code, .text = text};
    return p;
}

const KernelFilter *regex_filter(const Regex *p) { return p ? &p->filter : NULL; }

void regex_close(Regex *p)
{
    if (!p) return;
    pcre2_code_free(p->code);
    mem_free(p);
}
