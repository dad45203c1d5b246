// plugin.c: what a shared object brings: a warp scheduler, a replacement policy or a prefetcher, each under its own
// symbol. Loading one runs its code: that is why only the command line and the caller of the library name it, and no
// description.
#include "policy/unit.h"

#define XXH_INLINE_ALL
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <xxhash.h>

// How each kind is called, the symbol that exports it, and the key that names it.
static const struct {
    const char *what, *symbol, *key;
} kinds[PLUGIN_KINDS] = {
    [PLUGIN_POLICY] = {"policy", "onchip_policy", "sched.policy"},
    [PLUGIN_REPLACEMENT] = {"replacement policy", "onchip_replacement", "l1.replacement or l2.replacement"},
    [PLUGIN_PREFETCHER] = {"prefetcher", "onchip_prefetcher", "l1.prefetch"},
};

static bool hash_file(const char *path, uint64_t hash[2])
{
    Text text = {0};
    if (!text_read_file(&text, path)) return false;
    XXH128_hash_t h = XXH3_128bits(text.v ? text.v : "", text.n);
    hash[0] = h.high64, hash[1] = h.low64;
    text_free(&text);
    return true;
}

// Why what was found can't be used; null: it can.
static const char *wrong(const Plugin *p)
{
    if (p->policy) return policy_wrong(p->policy);
    if (p->replacement) return replacement_wrong(p->replacement);
    return prefetcher_wrong(p->prefetcher);
}

static bool refuse(const Plugin *p, PluginKind kind, const char *path, Diag *diag)
{
    const bool found = p->policy || p->replacement || p->prefetcher;
    const char *why = found ? wrong(p) : NULL;
    if (found && !why) return false;
    if (found) return diag_error(diag, "%s is no %s: %s", path, kinds[kind].what, why), true;
    Text other = {0};
    text_put(&other, "");
    for (int k = 0; k < PLUGIN_KINDS; k++)
        if (k != (int)kind && dlsym(p->handle, kinds[k].symbol))
            text_printf(&other, "; it exports %s, which %s takes", kinds[k].symbol, kinds[k].key);
    diag_error(diag, "%s is no %s: it exports no %s%s", path, kinds[kind].what, kinds[kind].symbol, other.v);
    text_free(&other);
    return true;
}

Plugin *plugin_open(PluginKind kind, const char *path, Diag *diag)
{
    Plugin p = {.holders = 1};
    if (!hash_file(path, p.hash)) {
        diag_error(diag, "can't read %s: %s", path, strerror(errno));
        return NULL;
    }
    p.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!p.handle) {
        diag_error(diag, "%s can't be loaded: %s", path, dlerror());
        return NULL;
    }
    const void *type = dlsym(p.handle, kinds[kind].symbol);
    switch (kind) {
    case PLUGIN_POLICY: p.policy = type; break;
    case PLUGIN_REPLACEMENT: p.replacement = type; break;
    default: p.prefetcher = type;
    }
    if (refuse(&p, kind, path, diag)) {
        dlclose(p.handle);
        return NULL;
    }
    Plugin *plugin = mem_alloc(sizeof *plugin);
    *plugin = p;
    return plugin;
}

Plugin *plugin_hold(Plugin *p)
{
    if (p) __atomic_add_fetch(&p->holders, 1, __ATOMIC_RELAXED);
    return p;
}

void plugin_drop(Plugin *p)
{
    if (!p || __atomic_sub_fetch(&p->holders, 1, __ATOMIC_ACQ_REL)) return;
    dlclose(p->handle);
    mem_free(p);
}

const char *plugin_name(const Plugin *p)
{
    return p->policy ? p->policy->name : p->replacement ? p->replacement->name : p->prefetcher->name;
}
