// policy.h: the table of warp schedulers, and those that are loaded from a shared object. What a scheduler is says
// onchip_policy.h; it is written on that header alone.
#ifndef POLICY_H
#define POLICY_H

#include "base/base.h"

#include <onchip_policy.h>
#include <string.h>

// --- table.c ---------------------------------------------------------------------------------------------------------
extern const oc_policy_type *const policies[];
extern const size_t policy_count;
const oc_policy_type *policy_named(const char *name);  // of the table; null: none
const char *policy_near(const char *name);             // the one of the table that may be meant; null: none

// ON_…: what a policy listens to of what happens often.
enum {
    ON_STALL = 1,
    ON_WAKE = 2,
    ON_WAITS = 4,
    ON_SEEN = 8,
    ON_ISSUED = 16,
    ON_EPOCH = 32,
    ON_COUNTS = 64,
    ON_LOADED = 128,
    ON_MEMORY = 256
};
uint32_t policy_events(const oc_policy_type *t);

size_t policy_params(const oc_policy_type *t);                                   // how many it has
size_t policy_counters(const oc_policy_type *t);                                 // likewise
const oc_policy_param *policy_param(const oc_policy_type *t, const char *name);  // null: it has none of this name
// A parameter's value as text: one of its words, or a number. Reading also takes a word's number; false: it is neither.
bool policy_param_read(const oc_policy_param *p, const char *text, double *v);
void policy_param_write(const oc_policy_param *p, double v, Text *out);

// --- plugin.c --------------------------------------------------------------------------------------------------------
// A policy in a shared object. It stays loaded as long as somebody holds it.
typedef struct Plugin {
    void *handle;  // dlopen's
    const oc_policy_type *type;
    uint64_t hash[2];  // of the file: a part of a run's key
    uint32_t holders;
} Plugin;
static inline bool policy_is_path(const char *name) { return strchr(name, '/') != NULL; }
Plugin *plugin_open(const char *path, Diag *diag);  // null: it can't be, and why says so; else held once
Plugin *plugin_hold(Plugin *p);                     // once more; null is nothing
void plugin_drop(Plugin *p);                        // likewise; the last one unloads it
// Adds what a stored run calls it: the name that it gives itself, marked where a policy of the table has it.
void plugin_known(const Plugin *p, Text *out);

#endif
