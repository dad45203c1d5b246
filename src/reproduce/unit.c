// unit.c: does a figure's unit fit its formulas? A unit that says "so many times" (×, speed-up) needs values that
// divide something by something. Either the baseline divides them, or each formula does. A speed-up also falls with the
// time that a run takes. Only the formulas are looked at, so that a mistake is told before anything runs.
#include "reproduce/unit.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

// Is the unit the word alone, or the word and what stands behind it: "speed-up over GTO"?
static bool begins(const char *unit, const char *word)
{
    size_t n = strlen(word);
    return !strncasecmp(unit, word, n) && (!unit[n] || (unit[n] == ' ' && !isdigit((unsigned char)unit[n + 1])));
}

// A quotient that isn't in parentheses. What is divided has a name: 1 / cycles is no ratio.
static bool divides(const char *formula)
{
    int depth = 0;
    bool name = false;
    for (const char *p = formula; *p; p++) {
        depth += (*p == '(') + (*p == '[') - (*p == ')') - (*p == ']');
        name |= isalpha((unsigned char)*p) && (p == formula || !isalnum((unsigned char)p[-1]));  // not the e of 1e3
        if (*p == '/' && !depth && name) return true;
    }
    return false;
}

typedef struct Look {  // the user of a FormulaName that gives times as `time`, and all other values as 1
    double time;
    bool ratio;  // some value is a measured ratio by its name, such as bigkernel.over_host_serial
} Look;

static bool look(void *user, const char *name, double *value)
{
    Look *l = user;
    bool own = strncmp(name, "base.", strlen("base.")) != 0;
    l->ratio |= strstr(name, ".over_") != NULL;
    *value = own && (ends_in(name, "cycles") || ends_in(name, "seconds")) ? l->time : 1;
    return true;
}

bool unit_check(const Reproduction *r, Diag *diag)
{
    bool faster = r->unit && (begins(r->unit, "speed-up") || begins(r->unit, "speedup"));
    if (!r->unit || (!faster && !begins(r->unit, "×"))) return true;
    for (size_t k = 0; k < r->ini.entries.n; k++) {
        const IniEntry *e = &r->ini.entries.v[k];
        if (strcmp(e->section, "series") && (strcmp(e->section, "figure") || strcmp(e->key, "y"))) continue;
        Look once = {.time = 1}, twice = {.time = 2};
        double first, second;
        Diag ignored = {0};  // a malformed formula is told when it is computed
        bool ok =
            formula(e->value, look, &once, &first, &ignored) && formula(e->value, look, &twice, &second, &ignored);
        diag_free(&ignored);
        if (!ok) continue;
        if (faster && second > first)
            return diag_at(diag, &r->ini.source, e->value_at, "1 / cycles grows as a run gets faster",
                           "%s: the unit is %s, but this grows with the time that a run takes", e->key, r->unit);
        if (!r->baseline && !divides(e->value) && !once.ratio)
            return diag_at(diag, &r->ini.source, e->value_at,
                           "baseline = NAME=VALUE divides every value by that of a run; NAME is the x or the series",
                           "%s: the unit is %s, but nothing divides the value", e->key, r->unit);
    }
    return true;
}
