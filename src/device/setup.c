// setup.c: reads and writes what run.def says of the options of a run. Nothing here knows what an option does; what
// goes with what is said once, in the table of conflicts.
#include "device/setup.h"

#include <stddef.h>
#include <string.h>

#define PLACE_FLAG(of) #of, offsetof(Setup, of), NULL
#define PLACE_CHOICE(of) #of, offsetof(Setup, of), NULL
#define PLACE_COUNT(of) #of, offsetof(Setup, of), NULL
#define PLACE_TEXT(of) #of, offsetof(Setup, of), NULL
#define PLACE_KEY(of) NULL, 0, of
#define PLACE_OWN(of) NULL, 0, NULL
#define IS_STORED_STORED true
#define IS_STORED_BOTH true
#define IS_STORED_CONFIG false
#define IS_STORED_NEITHER false
#define HEAD(id, goes, doc) {NULL, goes, NULL, doc, SETUP_HEAD, false, false, NULL, 0, NULL},
#define OPTION(id, name, takes, kind, of, where, doc) \
    {name, takes, NULL, doc, SETUP_##kind, false, IS_STORED_##where, PLACE_##kind(of)},
#define AXIS(id, name, takes, values, kind, of, where, doc) \
    {name, takes, values, doc, SETUP_##kind, true, IS_STORED_##where, PLACE_##kind(of)},
#define MATRIX(name, values, doc)
const SetupOption setup_options[OPTIONS] = {
#include "device/run.def"
};
#undef OPTION
#undef AXIS

// --- what can't go together ------------------------------------------------------------------------------------------
#define BIT(option) (1ull << (option))
_Static_assert(OPTIONS <= 64, "a set of options is a word");
typedef enum Clash { CANT, IDLE, NEEDS } Clash;
static const struct {
    Clash clash;
    int with;         // CANT, IDLE: none of `others` beside this one
    uint64_t others;  // NEEDS: this one needs one of them
    const char *why;
} conflicts[] = {
    {CANT, OPT_SAMPLE,
     BIT(OPT_FUNCTIONAL) | BIT(OPT_WHY) | BIT(OPT_CHECK) | BIT(OPT_INTERVAL) | BIT(OPT_TRACE) | BIT(OPT_MAX_CYCLES) |
         BIT(OPT_CAP),
     "which times a part of each launch only (doc/use/sample.md)"},
    {IDLE, OPT_FUNCTIONAL,
     BIT(OPT_WHY) | BIT(OPT_CHART) | BIT(OPT_ANNOTATE) | BIT(OPT_METRICS) | BIT(OPT_LINES) | BIT(OPT_INTERVAL) |
         BIT(OPT_TRACE) | BIT(OPT_ENERGY) | BIT(OPT_KERNELS) | BIT(OPT_SKIP),
     "which times nothing"},
    {IDLE, OPT_LANES,
     BIT(OPT_WHY) | BIT(OPT_CHART) | BIT(OPT_ANNOTATE) | BIT(OPT_METRICS) | BIT(OPT_LINES) | BIT(OPT_INTERVAL) |
         BIT(OPT_TRACE) | BIT(OPT_ENERGY) | BIT(OPT_SAMPLE) | BIT(OPT_FUNCTIONAL),
     "which times nothing"},
    {IDLE, OPT_JSON, BIT(OPT_LAUNCHES) | BIT(OPT_METRICS) | BIT(OPT_CHART), "which has every launch and counter"},
    {NEEDS, OPT_CSV, BIT(OPT_METRICS), "the report is no table"},
    {NEEDS, OPT_INTERVAL, BIT(OPT_JSON) | BIT(OPT_TRACE), "the series are in these files alone"},
};

const char *setup_axis_name(const SetupOption *o)
{
    const char *name = o->name + strspn(o->name, "-");
    return strncmp(name, "no-", 3) ? name : name + 3;
}

static const char *called(const SetupOption *o, SetupNames names)
{
    return names == NAMES_OPTION ? o->name : names == NAMES_FIELD && o->field ? o->field : setup_axis_name(o);
}

static void put_names(uint64_t options, SetupNames names, const char *last, Text *out)
{
    for (int n = 0; options; n++) {
        const int k = __builtin_ctzll(options);
        options &= options - 1;
        text_printf(out, "%s%s", !n ? "" : options ? ", " : last, called(&setup_options[k], names));
    }
}

bool setup_agrees(uint64_t given, bool idle, SetupNames names, Diag *diag)
{
    for (size_t k = 0; k < COUNT(conflicts); k++) {
        const uint64_t both = given & conflicts[k].others;
        const char *with = called(&setup_options[conflicts[k].with], names);
        if (!(given & BIT(conflicts[k].with)) || (conflicts[k].clash != CANT && !idle)) continue;
        if (conflicts[k].clash == NEEDS && !both) {
            Text needed = {0};
            put_names(conflicts[k].others, names, " or ", &needed);
            diag_error(diag, "%s needs %s: %s", with, needed.v, conflicts[k].why);
            text_free(&needed);
            return false;
        }
        if (conflicts[k].clash == NEEDS || !both) continue;
        return diag_error(diag, "%s %s %s, %s", called(&setup_options[__builtin_ctzll(both)], names),
                          conflicts[k].clash == CANT ? "can't go with" : "has no effect with", with, conflicts[k].why);
    }
    return true;
}

void setup_against(int option, Text *out)
{
    for (size_t k = 0; k < COUNT(conflicts); k++) {
        const bool needs = conflicts[k].clash == NEEDS, one = conflicts[k].with == option;
        if (!one && (needs || !(conflicts[k].others & BIT(option)))) continue;
        text_put(out, out->n ? " " : "");
        if (conflicts[k].clash != IDLE || !one)
            text_put(out, needs ? "Needs " : conflicts[k].clash == CANT ? "Can't go with " : "Has no effect with ");
        put_names(one ? conflicts[k].others : BIT(conflicts[k].with), NAMES_OPTION, needs ? " or " : " and ", out);
        text_put(out, conflicts[k].clash == IDLE && one ? " have no effect beside it." : ".");
    }
}

// --- values ----------------------------------------------------------------------------------------------------------
const SetupOption *setup_axis(const char *name)
{
    for (size_t k = 0; k < OPTIONS; k++)
        if (setup_options[k].axis && !strcmp(setup_axis_name(&setup_options[k]), name)) return &setup_options[k];
    return NULL;
}

static void *field(const Setup *s, const SetupOption *o) { return (char *)s + o->at; }

static bool take_choice(bool *out, const char *value, const char *first, const char *second, const char *name,
                        Diag *diag)
{
    const size_t n = strcspn(first, "|");
    *out = strlen(value) == n && !memcmp(value, first, n);
    if (*out || !strcmp(value, second)) return true;
    return diag_error(diag, "%s is %.*s or %s, not '%s'", name, (int)n, first, second, value);
}

bool setup_set(Setup *s, const SetupOption *o, const char *value, SetupNames names, Diag *diag)
{
    const char *name = called(o, names);
    bool yes;
    switch (o->kind) {
    case SETUP_FLAG:
        if (!take_choice(&yes, value ? value : "yes", "yes|", "no", name, diag)) return false;
        // The axis lowering is no where --no-lowering is given.
        *(bool *)field(s, o) = value && setup_axis_name(o) != o->name + 2 ? !yes : yes;
        return true;
    case SETUP_CHOICE: return take_choice(field(s, o), value, o->takes, strchr(o->takes, '|') + 1, name, diag);
    case SETUP_COUNT:
        if (parse_size(value, field(s, o))) return true;
        return diag_error(diag, "%s takes a whole number, not '%s'", name, value);
    case SETUP_TEXT: *(const char **)field(s, o) = value; return true;
    default: return true;
    }
}

static bool is_set(const Setup *s, const SetupOption *o)
{
    switch (o->kind) {
    case SETUP_FLAG:
    case SETUP_CHOICE: return *(bool *)field(s, o);
    case SETUP_COUNT: return *(uint64_t *)field(s, o) != 0;
    case SETUP_TEXT: return *(const char **)field(s, o) != NULL;
    default: return false;
    }
}

uint64_t setup_given(const Setup *s)
{
    uint64_t given = 0;
    for (int k = 0; k < OPTIONS; k++)
        if (is_set(s, &setup_options[k])) given |= BIT(k);
    return given;
}

// Flags first, then values. A setting's commas are written as plus signs, since they part the values of an axis.
void setup_text(const Setup *s, Text *out)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < OPTIONS; k++) {
            const SetupOption *o = &setup_options[k];
            if (!o->stored || !is_set(s, o) || (o->kind == SETUP_FLAG) != !pass) continue;
            text_printf(out, "%s%s", out->n ? " " : "", o->name + 2);
            const size_t from = out->n;
            if (o->kind == SETUP_COUNT) text_printf(out, "=%llu", *(unsigned long long *)field(s, o));
            if (o->kind == SETUP_TEXT) text_printf(out, "=%s", *(const char **)field(s, o));
            for (size_t at = from; k == OPT_SL1 && at < out->n; at++)
                if (out->v[at] == ',') out->v[at] = '+';
        }
}

// --- oc_config -------------------------------------------------------------------------------------------------------
#define COPY_CONFIG(of) to->of = from->of;
#define COPY_BOTH(of) to->of = from->of;
#define COPY_STORED(of)
#define COPY_NEITHER(of)
#define OPTION(id, name, takes, kind, of, where, doc) COPY_##where(of)
#define AXIS(id, name, takes, values, kind, of, where, doc) COPY_##where(of)
#undef HEAD
#define HEAD(id, goes, doc)
void setup_config(const Setup *from, oc_config *to){
#include "device/run.def"
}

Setup setup_of(const oc_config *from)
{
    Setup s = {0}, *to = &s;
#include "device/run.def"
    return s;
}
