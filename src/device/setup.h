// setup.h: how a run is made: the options of run.def, the values they set, and what can't go with what.
#ifndef DEVICE_SETUP_H
#define DEVICE_SETUP_H

#include "base/base.h"

#include <onchip.h>

// A field for each row of the kinds FLAG, CHOICE, COUNT and TEXT. A zeroed one is a plain run.
#define FIELD_FLAG(of) bool of;
#define FIELD_CHOICE(of) bool of;
#define FIELD_COUNT(of) uint64_t of;
#define FIELD_TEXT(of) const char *of;
#define FIELD_KEY(of)
#define FIELD_OWN(of)
#define HEAD(id, goes, doc)
#define OPTION(id, name, takes, kind, of, where, doc) FIELD_##kind(of)
#define AXIS(id, name, takes, values, kind, of, where, doc) FIELD_##kind(of)
#define MATRIX(name, values, doc)
typedef struct Setup {
#include "device/run.def"
} Setup;
#undef OPTION
#undef AXIS
#undef HEAD

#define HEAD(id, goes, doc) OPT_HEAD_##id,
#define OPTION(id, name, takes, kind, of, where, doc) OPT_##id,
#define AXIS(id, name, takes, values, kind, of, where, doc) OPT_##id,
enum {
#include "device/run.def"
    OPTIONS
};
#undef OPTION
#undef AXIS
#undef HEAD
#undef MATRIX

// --- setup.c ---------------------------------------------------------------------------------------------------------
typedef enum SetupKind {
    SETUP_HEAD,
    SETUP_FLAG,
    SETUP_CHOICE,
    SETUP_COUNT,
    SETUP_TEXT,
    SETUP_KEY,
    SETUP_OWN
} SetupKind;
typedef struct SetupOption {
    const char *name;    // "--cap"; null: a heading
    const char *takes;   // metavariable, or null; of a heading "": what stands below goes with anything
    const char *values;  // metavariable of the axis
    const char *doc;
    SetupKind kind;
    bool axis;
    bool stored;        // it is part of what a run is known by
    const char *field;  // of Setup, by name; null: none
    size_t at;          // where in Setup
    const char *key;    // of the description; null: it is short for none
} SetupOption;
extern const SetupOption setup_options[OPTIONS];

// How messages call an option: "--max-cycles", the axis "max-cycles", the field "max_cycles".
typedef enum SetupNames { NAMES_OPTION, NAMES_AXIS, NAMES_FIELD } SetupNames;
const char *setup_axis_name(const SetupOption *o);  // "cap"; of --no-lowering "lowering"
const SetupOption *setup_axis(const char *name);    // the option that has this axis; null: none
// Sets the field of an option that has one. value: null is "yes" of a flag, which takes yes and no. False, and why.
bool setup_set(Setup *s, const SetupOption *o, const char *value, SetupNames names, Diag *diag);
uint64_t setup_given(const Setup *s);  // a bit (OPT_…) for each field that isn't 0
// Can these options go together? False, and why not. idle: false, too, where one has no effect beside another.
bool setup_agrees(uint64_t given, bool idle, SetupNames names, Diag *diag);
void setup_against(int option, Text *out);             // adds what it can't go with, as sentences; or nothing
void setup_text(const Setup *s, Text *out);            // adds what is stored of it: "functional max-cycles=9"
void setup_config(const Setup *s, oc_config *config);  // sets the fields that oc_config has, too
Setup setup_of(const oc_config *config);               // takes them from there

#endif
