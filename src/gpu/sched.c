// sched.c: the section [sched] of a description: which policy, and the values of the parameters that policies declare.
// A parameter may be given for any policy that is known, whichever is chosen in the end: a description can carry the
// parameters of several. The chosen policy's have their standard values unless they are given.
#include "gpu/unit.h"

#include <math.h>
#include <string.h>

bool sched_choose(Gpu *g, const char *name, bool plugins, Diag *diag)
{
    for (uint32_t k = 0; k < policy_count; k++)
        if (!strcmp(policies[k]->name, name)) {
            g->sm.policy = k, g->sm.schedule = policies[k];
            return true;
        }
    if (!policy_is_path(name)) {
        Text names = {0};
        for (size_t k = 0; k < policy_count; k++)
            text_printf(&names, "%s%s", !k ? "" : k + 1 < policy_count ? ", " : " and ", policies[k]->name);
        diag_error(diag, "'%s' is none of %s", name, names.v);
        text_free(&names);
        return false;
    }
    if (!plugins)
        return diag_error(diag, "a description can't name a shared object, whose code would run; the command line can");
    Plugin *plugin = plugin_open(name, diag);
    if (!plugin) return false;
    plugin_drop(g->plugin);
    g->plugin = plugin;
    g->sm.policy = (uint32_t)policy_count, g->sm.schedule = plugin->type;
    return true;
}

const oc_policy_param *sched_param(const Gpu *g, const char *key)
{
    const oc_policy_param *p = policy_param(g->sm.schedule, key);
    if (!p && g->plugin) p = policy_param(g->plugin->type, key);
    for (size_t k = 0; k < policy_count && !p; k++) p = policy_param(policies[k], key);
    return p;
}

const char *sched_set(Gpu *g, const char *key, double value)
{
    uint32_t k = 0;
    while (k < g->sched_n && strcmp(g->sched[k].name, key)) k++;
    if (k == COUNT(g->sched)) return "there are more than 32 parameters of schedulers";
    snprintf(g->sched[k].name, sizeof g->sched[k].name, "%s", key);
    g->sched[k].value = value;
    if (k == g->sched_n) g->sched_n++;
    return NULL;
}

bool sched_fits(const oc_policy_type *t, const oc_policy_param *p, double v, Diag *diag)
{
    if (v >= p->least && v <= p->most && (!p->whole || v == floor(v))) return true;
    diag_error(diag, "sched.%s: %.15g is out of range with policy %s: %s%.15g to %.15g%s%s", p->name, v, t->name,
               p->whole ? "a whole number, " : "", p->least, p->most, *p->unit ? " " : "", p->unit);
    return false;
}

double sched_value(const Gpu *g, const oc_policy_param *p)
{
    for (uint32_t k = 0; k < g->sched_n; k++)
        if (!strcmp(g->sched[k].name, p->name)) return g->sched[k].value;
    return p->standard;
}

bool sched_settle(Gpu *g, Diag *diag)
{
    const oc_policy_type *t = g->sm.schedule;
    for (size_t k = 0; k < policy_params(t); k++) {
        const oc_policy_param *p = &t->params[k];
        double v = sched_value(g, p);
        if (!sched_fits(t, p, v, diag)) return false;
        g->sm.param[k] = v;
    }
    return true;
}

static void put_words(const char *words, Text *out)
{
    for (; *words; words++) text_printf(out, *words == ' ' ? ", " : "%c", *words);
}

static bool same_param(const oc_policy_param *a, const oc_policy_param *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->doc, b->doc) && !strcmp(a->source, b->source) &&
           a->least == b->least && a->most == b->most && a->standard == b->standard;
}

static bool has_param(const oc_policy_type *t, const oc_policy_param *p)
{
    for (size_t n = 0; n < policy_params(t); n++)
        if (same_param(&t->params[n], p)) return true;
    return false;
}

// A parameter that several policies have stands in one row.
void sched_manual(Text *out)
{
    for (size_t k = 0; k < policy_count; k++)
        for (size_t n = 0; n < policy_params(policies[k]); n++) {
            const oc_policy_param *p = &policies[k]->params[n];
            bool told = false;
            for (size_t j = 0; j < k; j++) told |= has_param(policies[j], p);
            if (told) continue;
            text_printf(out, "| `%s` | ", p->name);
            if (p->words)
                put_words(p->words, out);
            else
                text_printf(out, "%.15g … %.15g", p->least, p->most);
            text_put(out, " | ");
            policy_param_write(p, p->standard, out);
            text_printf(out, " | %s | with policy = %s", p->unit, policies[k]->name);
            for (size_t j = k + 1; j < policy_count; j++)
                if (has_param(policies[j], p)) text_printf(out, ", %s", policies[j]->name);
            text_printf(out, ": %s (%s) |\n", p->doc, p->source);
        }
}
