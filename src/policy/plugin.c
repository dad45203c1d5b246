// plugin.c: a policy from a shared object that exports `onchip_policy`. Loading one runs its code: that is why only the
// command line and the caller of the library name it, and no description.
#include "policy/unit.h"

#define XXH_INLINE_ALL
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <xxhash.h>

static bool hash_file(const char *path, uint64_t hash[2])
{
    Text text = {0};
    if (!text_read_file(&text, path)) return false;
    XXH128_hash_t h = XXH3_128bits(text.v ? text.v : "", text.n);
    hash[0] = h.high64, hash[1] = h.low64;
    text_free(&text);
    return true;
}

Plugin *plugin_open(const char *path, Diag *diag)
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
    p.type = dlsym(p.handle, "onchip_policy");
    const char *wrong = p.type ? policy_wrong(p.type) : "it exports no onchip_policy";
    if (wrong) {
        diag_error(diag, "%s is no policy: %s", path, wrong);
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

void plugin_known(const Plugin *p, Text *out)
{
    text_printf(out, "%s%s", policy_named(p->type->name) ? "plug-in:" : "", p->type->name);
}
