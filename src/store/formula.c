// formula.c: arithmetic over named values. A formula has numbers, names (l1.read_hits, or a point of a curve,
// shared.ways_cycles[ways=2]), + - * / with the usual precedence, parentheses, and min, max, abs, sqrt and log2. The
// caller says what a name means. A division by zero gives NaN, and so does all that is computed from it.
//
//   sum     = product { ("+" | "-") product }
//   product = factor { ("*" | "/") factor }
//   factor  = number | name | function "(" sum { "," sum } ")" | "(" sum ")" | "-" factor
#include "store/query.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Formula {
    Source source;
    const char *at;
    FormulaName *name;
    void *user;
    Diag *diag;
    int depth;
    bool ok;
} Formula;

static double sum(Formula *f);

static double wrong(Formula *f, const char *at, const char *why)
{
    if (f->ok) diag_at(f->diag, &f->source, (size_t)(at - f->source.text), NULL, "%s", why);
    f->ok = false;
    return NAN;
}

static bool eat(Formula *f, char c)
{
    while (isspace((unsigned char)*f->at)) f->at++;
    if (*f->at != c) return false;
    f->at++;
    return true;
}

static double call(Formula *f, const char *name, size_t n, const char *where)
{
    double a[2] = {0};
    size_t count = 0;
    do {
        double v = sum(f);
        if (count < COUNT(a)) a[count] = v;
        count++;
    } while (f->ok && eat(f, ','));
    if (f->ok && !eat(f, ')')) return wrong(f, f->at, "')' is expected");
    static const char *const names[] = {"min", "max", "abs", "sqrt", "log2"};
    for (size_t k = 0; k < COUNT(names) && f->ok; k++) {
        if (strlen(names[k]) != n || memcmp(names[k], name, n)) continue;
        if (count != (k < 2 ? 2u : 1u))
            return wrong(f, where, k < 2 ? "two values are expected" : "one value is expected");
        return k == 0   ? fmin(a[0], a[1])
               : k == 1 ? fmax(a[0], a[1])
               : k == 2 ? fabs(a[0])
               : k == 3 ? sqrt(a[0])
                        : log2(a[0]);
    }
    return wrong(f, where, "no such function: there are min, max, abs, sqrt and log2");
}

static double factor(Formula *f)
{
    if (f->depth > 200) return wrong(f, f->at, "too deeply nested");
    while (isspace((unsigned char)*f->at)) f->at++;
    const char *start = f->at;
    if (isdigit((unsigned char)*start) || *start == '.') {
        char *end;
        double v = strtod(start, &end);
        f->at = end;
        return isfinite(v) ? v : wrong(f, start, "too large a number");
    }
    if (isalpha((unsigned char)*start) || *start == '_') {
        while (isalnum((unsigned char)*f->at) || *f->at == '_' || *f->at == '.') f->at++;
        if (*f->at == '[') {
            const char *end = strchr(f->at, ']');
            if (!end) return wrong(f, f->at, "'[' without ']'");
            f->at = end + 1;
        }
        size_t n = (size_t)(f->at - start);
        if (eat(f, '(')) {
            f->depth++;
            double v = call(f, start, n, start);
            f->depth--;
            return v;
        }
        char name[128];
        double v = 0;
        snprintf(name, sizeof name, "%.*s", (int)n, start);
        return f->name(f->user, name, &v) ? v : wrong(f, start, "no counter, rate or measured value of this name");
    }
    f->depth++;
    double v;
    if (eat(f, '-')) {
        v = -factor(f);
    } else if (eat(f, '(')) {
        v = sum(f);
        if (f->ok && !eat(f, ')')) v = wrong(f, f->at, "')' is expected");
    } else {
        v = wrong(f, f->at, "a number, a name or '(' is expected");
    }
    f->depth--;
    return v;
}

static double product(Formula *f)
{
    double v = factor(f);
    while (f->ok) {
        if (eat(f, '*')) {
            v *= factor(f);
        } else if (eat(f, '/')) {
            double by = factor(f);
            v = by != 0 ? v / by : NAN;
        } else {
            return v;
        }
    }
    return v;
}

static double sum(Formula *f)
{
    double v = product(f);
    while (f->ok) {
        if (eat(f, '+'))
            v += product(f);
        else if (eat(f, '-'))
            v -= product(f);
        else
            return v;
    }
    return v;
}

bool formula(const char *text, FormulaName *name, void *user, double *value, Diag *diag)
{
    Formula f = {.source = {.name = "formula", .text = text, .length = strlen(text)},
                 .at = text,
                 .name = name,
                 .user = user,
                 .diag = diag,
                 .ok = true};
    *value = sum(&f);
    while (isspace((unsigned char)*f.at)) f.at++;
    if (f.ok && *f.at) wrong(&f, f.at, "an operator is expected");
    return f.ok;
}
