// unit.h: what the files of descriptions share: keys.c (the keys and their values), desc.c (reading), capacity.c (what
// sets settle), conflict.c (what overrules each other) and show.c (showing).
#ifndef GPU_UNIT_H
#define GPU_UNIT_H

#include "gpu/gpu.h"

// --- keys.c ----------------------------------------------------------------------------------------------------------
const Key *key_find(const char *section, const char *key);                      // null: there is none
const Key *key_behind(const Key *first, const char *section, const char *key);  // the same, looked for from first on
bool key_is_list(KeyKind kind);
void key_put(Gpu *g, const Key *k, double v);  // of no list
double key_get(const Gpu *g, const Key *k);    // the same
// Reads a value, which stands at this place of a source, into its field.
bool key_set(Gpu *g, const Key *k, const char *text, const Source *s, size_t at, Diag *diag);
void key_canonical_list(const Key *k, const char *text, Text *out);  // alike for all texts that are read alike
// Calls row for every key, a section at a time, in the order in which sections first come; head before its first.
void keys_by_section(void (*head)(void *user, const char *section), void (*row)(void *user, const Key *k), void *user);

// --- desc.c ----------------------------------------------------------------------------------------------------------
typedef void EntryFn(void *user, const Key *k, const IniEntry *e);  // k null: a policy's parameter
// Reads a description, without what follows from its values. seen: hears of each value; may be null.
bool desc_load(Gpu *g, const char *name, const char *const *sets, Diag *diag, EntryFn *seen, void *user);

// --- capacity.c ------------------------------------------------------------------------------------------------------
enum { CAPACITIES = 6 };  // four caches and two TLBs
typedef struct Place {
    Source source;  // without a text: there is no such place
    size_t at;
} Place;
typedef struct Given {  // where one file, or the command line, gives the capacity and the sets
    Place capacity, sets;
} Given;
void capacity_note(Given *given, const Key *k, const Source *source, size_t at);
// At the end of a file, or of the command line.
bool capacity_settle(Gpu *g, const Given *given, Diag *diag, EntryFn *seen, void *user);

// --- conflict.c ------------------------------------------------------------------------------------------------------
// Is each of these sets of use beside the others? Called when all are applied.
bool conflict_check(const Gpu *g, const char *const *sets, Diag *diag);

// --- plug.c: what is chosen by name or by path, and its parameters ---------------------------------------------------
PlugPlace plug_place(const Key *k);                  // that the key chooses for; PLUGS: for none
PlugPlace plug_place_of_set(const char *set);        // of "section.key=value", likewise
bool plug_is_loaded(const Gpu *g, PlugPlace place);  // is what is chosen a shared object's?
// By its name, or, with `plugins`, by a path.
bool plug_choose(Gpu *g, PlugPlace place, const char *name, bool plugins, Diag *diag);
const char *plug_near(PlugPlace place, const char *name);  // the name that may be meant; null: none
void plug_canonical(const Gpu *g, const Key *k, Text *out);
// The parameter of a key, of whatever is known; null: of nothing.
const oc_policy_param *plug_param(const Gpu *g, const char *section, const char *key, PlugPlace *place);
void plug_full_name(PlugPlace place, const char *name, char full[PLUG_NAME]);
const char *plug_key_of(PlugPlace place, const char *full);                     // without its section
const char *plug_set(Gpu *g, PlugPlace place, const char *name, double value);  // null: done; else why not
double plug_value(const Gpu *g, PlugPlace place, const oc_policy_param *p);     // as set, or its standard value
bool plug_fits(const Gpu *g, PlugPlace place, const oc_policy_param *p, double value, Diag *diag);
bool plug_settle(Gpu *g, Diag *diag);  // the parameters of what is chosen get their values
bool plug_number(const Gpu *g, const char *section, const char *key, double *value);
void plug_manual(const Key *k, Text *out);

// --- slice.c: a part of the GPU --------------------------------------------------------------------------------------
bool gpu_cut(Gpu *g, Diag *diag);  // to 1/slice; before anything is derived

// --- derive.c: what follows from the values --------------------------------------------------------------------------
bool gpu_derive(Gpu *g, Diag *diag);                                // after the last of them is set
bool gpu_refuse(Diag *diag, const char *section, const char *why);  // a section of a description that can't be; false

#endif
