// policy.h: the tables of warp schedulers and of prefetchers, and what is loaded from a shared object. What they are
// says onchip_policy.h and onchip_cache.h; they are written on these headers alone.
#ifndef POLICY_H
#define POLICY_H

#include "base/base.h"

#include <onchip_cache.h>
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
    ON_MEMORY = 256,
    ON_LOAD = 512  // of the L1: a prefetcher does
};
uint32_t policy_events(const oc_policy_type *t);

size_t policy_params(const oc_policy_type *t);                                   // how many it has
const oc_policy_param *policy_param(const oc_policy_type *t, const char *name);  // null: it has none of this name
// The same of parameters and counters, whoever has them.
size_t params_of(const oc_policy_param *params);
size_t counters_of(const oc_policy_counter *counters);
const oc_policy_param *param_called(const oc_policy_param *params, const char *name);
// A parameter's value as text: one of its words, or a number. Reading also takes a word's number; false: it is neither.
bool policy_param_read(const oc_policy_param *p, const char *text, double *v);
void policy_param_write(const oc_policy_param *p, double v, Text *out);

// --- prefetchers.c ---------------------------------------------------------------------------------------------------
extern const oc_prefetcher_type *const prefetchers[];  // each is a file of examples/
extern const size_t prefetcher_count;
// What is counted of prefetching, whatever the prefetcher: asked = there + outside + dropped + issued.
typedef enum PrefetchCount {
    PREFETCH_ASKED,
    PREFETCH_THERE,
    PREFETCH_OUTSIDE,
    PREFETCH_DROPPED,
    PREFETCH_ISSUED,
    PREFETCH_USEFUL,
    PREFETCH_LATE,
    PREFETCH_UNUSED,
    PREFETCH_COUNTS
} PrefetchCount;
extern const oc_policy_counter prefetch_counters[PREFETCH_COUNTS + 1];
// Where a launch's record has the counters of its scheduler, its replacement policies and its prefetcher.
enum {
    OWN_POLICY,
    OWN_L1 = OWN_POLICY + OC_MOST_COUNTERS,
    OWN_L2 = OWN_L1 + OC_MOST_COUNTERS,
    OWN_PREFETCHER = OWN_L2 + OC_MOST_COUNTERS,
    OWN_PREFETCH = OWN_PREFETCHER + OC_MOST_COUNTERS,
    OWN_COUNTERS = OWN_PREFETCH + PREFETCH_COUNTS
};

// --- plugin.c --------------------------------------------------------------------------------------------------------
typedef enum PluginKind { PLUGIN_POLICY, PLUGIN_REPLACEMENT, PLUGIN_PREFETCHER, PLUGIN_KINDS } PluginKind;
// What a shared object brings, one of the three. It stays loaded as long as somebody holds it.
typedef struct Plugin {
    void *handle;  // dlopen's
    const oc_policy_type *policy;
    const oc_replacement_type *replacement;
    const oc_prefetcher_type *prefetcher;
    uint64_t hash[2];  // of the file: a part of a run's key
    uint32_t holders;
} Plugin;
static inline bool policy_is_path(const char *name) { return strchr(name, '/') != NULL; }
Plugin *plugin_open(PluginKind kind, const char *path, Diag *diag);  // null: it can't be, says why; else held once
Plugin *plugin_hold(Plugin *p);                                      // once more; null is nothing
void plugin_drop(Plugin *p);                                         // likewise; the last one unloads it
const char *plugin_name(const Plugin *p);                            // that it gives itself

#endif
