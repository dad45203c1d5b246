// table.c: the table of policies, and what a policy must be like to be used.
#include "policy/unit.h"

#include <math.h>
#include <string.h>

#define POLICY(type) extern const oc_policy_type type;
#include "policy/policy.def"
#undef POLICY

const oc_policy_type *const policies[] = {
#define POLICY(type) &type,
#include "policy/policy.def"
#undef POLICY
};
const size_t policy_count = COUNT(policies);

const oc_policy_type *policy_named(const char *name)
{
    for (size_t k = 0; k < policy_count; k++)
        if (!strcmp(policies[k]->name, name)) return policies[k];
    return NULL;
}

const char *policy_near(const char *name)
{
    const char *names[COUNT(policies)];
    for (size_t k = 0; k < COUNT(policies); k++) names[k] = policies[k]->name;
    return nearest_name(name, names, COUNT(names));
}

uint32_t policy_events(const oc_policy_type *t)
{
    return (t->stall ? ON_STALL : 0u) | (t->wake ? ON_WAKE : 0u) | (t->waits ? ON_WAITS : 0u) |
           (t->issued ? ON_ISSUED : 0u) | (t->seen ? ON_SEEN : 0u) | (t->epoch ? ON_EPOCH : 0u) |
           (t->loaded ? ON_LOADED : 0u) | (t->wants & OC_WANTS_INSTRUCTIONS ? ON_COUNTS : 0u) |
           (t->wants & OC_WANTS_MEMORY ? ON_MEMORY : 0u);
}

size_t params_of(const oc_policy_param *params)
{
    size_t n = 0;
    while (params && n <= OC_MOST_PARAMS && params[n].name) n++;
    return n;
}

size_t counters_of(const oc_policy_counter *counters)
{
    size_t n = 0;
    while (counters && n <= OC_MOST_COUNTERS && counters[n].name) n++;
    return n;
}

const oc_policy_param *param_called(const oc_policy_param *params, const char *name)
{
    for (size_t k = 0; k < params_of(params); k++)
        if (!strcmp(params[k].name, name)) return &params[k];
    return NULL;
}

size_t policy_params(const oc_policy_type *t) { return params_of(t->params); }
const oc_policy_param *policy_param(const oc_policy_type *t, const char *name) { return param_called(t->params, name); }

// The word number n, n from 0 on, and its length; null: there are fewer.
static const char *word_of(const char *words, uint32_t n, size_t *length)
{
    while (words && n && (words = strchr(words, ' '))) words++, n--;
    *length = words ? strcspn(words, " ") : 0;
    return *length ? words : NULL;
}

bool policy_param_read(const oc_policy_param *p, const char *text, double *v)
{
    uint64_t whole;
    size_t length;
    const char *word;
    for (uint32_t n = 0; (word = word_of(p->words, n, &length)); n++)
        if (length == strlen(text) && !memcmp(word, text, length)) return *v = n, true;
    if (p->whole && parse_size(text, &whole)) return *v = (double)whole, true;
    return parse_double(text, v);
}

void policy_param_write(const oc_policy_param *p, double v, Text *out)
{
    size_t length = 0;
    const char *word = v >= 0 && v < 64 ? word_of(p->words, (uint32_t)v, &length) : NULL;
    if (word)
        text_printf(out, "%.*s", (int)length, word);
    else
        text_printf(out, "%.15g", v);
}

// Are the words of a parameter names of all its values, and of no others?
static bool good_words(const oc_policy_param *p)
{
    size_t length;
    uint32_t n = 0;
    while (word_of(p->words, n, &length)) n++;
    return !p->words || (p->whole && p->least == 0 && p->most == n - 1.0);
}

// A name of small letters, digits and what joins them: it becomes part of keys, columns and files.
static bool good_name(const char *name)
{
    size_t n = name ? strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") : 0;
    return n && n <= 30 && !name[n];
}

enum { MOST_STATE = 16 << 20, MOST_LINE_STATE = 256 };

// What all kinds of plug-ins have in common.
static const char *face_wrong(const char *name, size_t state, const oc_policy_param *of, const oc_policy_counter *named)
{
    if (!good_name(name)) return "its name isn't made of small letters, digits, - and _";
    if (state > MOST_STATE) return "its state has more than 16 MiB";
    size_t params = params_of(of), counters = counters_of(named);
    if (params > OC_MOST_PARAMS || counters > OC_MOST_COUNTERS) return "it has more than 16 parameters or counters";
    for (size_t k = 0; k < params; k++) {
        const oc_policy_param *a = &of[k];
        if (!good_name(a->name) || !strcmp(a->name, "policy") || !a->unit || !a->doc || !a->source)
            return "a parameter lacks a name of small letters, a unit, a sentence or a source";
        if (!(a->least <= a->standard && a->standard <= a->most) || !isfinite(a->least) || !isfinite(a->most))
            return "a parameter's standard value is out of its range";
        if (!good_words(a)) return "a parameter's words don't name each of its values";
    }
    for (size_t k = 0; k < counters; k++)
        if (!good_name(named[k].name) || !named[k].unit || !named[k].doc || param_called(of, named[k].name))
            return "a counter lacks a name of small letters that no parameter has, a unit or a sentence";
    return NULL;
}

const char *policy_wrong(const oc_policy_type *t)
{
    if (t->version != ONCHIP_POLICY_VERSION) return "it is made for another version of onchip_policy.h";
    if (good_name(t->name) && (!t->doc || !t->pick)) return "it lacks a sentence, or pick";
    if (t->wants & ~(uint32_t)(OC_WANTS_USE | OC_WANTS_SCRATCH | OC_WANTS_INSTRUCTIONS | OC_WANTS_MEMORY))
        return "it wants what this version doesn't know";
    return face_wrong(t->name, t->state, t->params, t->counters);
}

static const char other_version[] = "it is made for another version of onchip_cache.h";

const char *replacement_wrong(const oc_replacement_type *t)
{
    if (t->version != ONCHIP_CACHE_VERSION) return other_version;
    if (!t->doc || !t->victim) return "it lacks a sentence, or victim";
    if (t->line_state > MOST_LINE_STATE) return "the state of a line has more than 256 bytes";
    return face_wrong(t->name, t->state, t->params, t->counters);
}

const char *prefetcher_wrong(const oc_prefetcher_type *t)
{
    if (t->version != ONCHIP_CACHE_VERSION) return other_version;
    if (!t->doc || !t->load) return "it lacks a sentence, or load";
    for (size_t k = 0; k < counters_of(t->counters); k++)
        for (int n = 0; n < PREFETCH_COUNTS; n++)
            if (t->counters[k].name && !strcmp(t->counters[k].name, prefetch_counters[n].name))
                return "a counter has the name of one that every prefetcher has";
    return face_wrong(t->name, t->state, t->params, t->counters);
}
