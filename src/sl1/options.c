// options.c: reads settings of the software L1 by their names.
#include "sl1/sl1.h"

#include <string.h>

const Sl1Setting sl1_settings[] = {
#define SETTING(name, takes, doc) {name, takes, doc},
#include "sl1/settings.def"
#undef SETTING
};
const size_t sl1_setting_count = COUNT(sl1_settings);

bool sl1_set(Sl1Options *o, const char *name, const char *value, Diag *diag)
{
    uint64_t n = 0;
    bool number = value && parse_size(value, &n);
    if (!strcmp(name, "line") && number && (n == 8 || n == 16 || n == 24)) return o->line = (uint32_t)n, true;
    if (!strcmp(name, "decide") && value && (!strcmp(value, "warp") || !strcmp(value, "thread")))
        return o->per_warp = *value == 'w', true;
    if (!strcmp(name, "layout") && value && (!strcmp(value, "lanes") || !strcmp(value, "banks")))
        return o->banks = *value == 'b', true;
    if (!strcmp(name, "threshold") && number && n && n <= 32767) return o->threshold = (uint32_t)n, true;
    if (!strcmp(name, "again") && number && n <= 1 << 30) return o->again = (uint32_t)n, true;
    if (!strcmp(name, "registers") && number && n <= SL1_STRUCTURES) return o->registers = (uint32_t)n, true;
    if (!strcmp(name, "clock") && number && n <= 1 << 20) return o->clock = (uint32_t)n, true;
    if (!strcmp(name, "warps") && number && n <= 100) return o->warps = (uint32_t)n, true;
    if (!value) {
        if (!strcmp(name, "noalias")) return o->apart = true;
        if (!strcmp(name, "alias")) return o->alias = true;
        if (!strcmp(name, "pairs")) return o->pairs = true;
        if (!strcmp(name, "prefetch")) return o->prefetch = true;
        if (!strcmp(name, "neighbours")) return o->neighbours = true;
        if (!strcmp(name, "strides")) return o->strides = true;
        if (!strcmp(name, "scattered")) return o->scattered = true;
        if (!strcmp(name, "lockstep")) return o->lockstep = true;
        if (!strcmp(name, "nothing")) return o->cache_nothing = true;
    }
    const char *names[COUNT(sl1_settings)];
    for (size_t k = 0; k < COUNT(sl1_settings); k++) {
        names[k] = sl1_settings[k].name;
        if (strcmp(name, names[k])) continue;
        if (!sl1_settings[k].takes) return diag_error(diag, "'%s' takes no value", name);
        if (!value) return diag_error(diag, "'%s' needs a value: %s=%s", name, name, sl1_settings[k].takes);
        return diag_error(diag, "'%s' takes %s, not '%s'", name, sl1_settings[k].takes, value);
    }
    char hint[100];
    Text list = {0};
    text_printf(&list, "no setting '%s' of the software L1%s", name,
                did_you_mean(name, names, COUNT(sl1_settings), hint));
    for (size_t k = 0; !*hint && k < COUNT(sl1_settings); k++)
        text_printf(&list, "%s%s", k ? ", " : "; there are ", names[k]);
    diag_error(diag, "%s", list.v);
    text_free(&list);
    return false;
}

bool sl1_read(Sl1Options *o, const char *settings, Diag *diag)
{
    bool ok = true;
    for (const char *p = settings; ok && *p && strcmp(settings, "yes"); p += *p != 0) {
        Text name = {0}, value = {0};
        size_t n = strcspn(p, "+,"), equals = strcspn(p, "=+,");
        text_add(&name, p, equals);
        if (equals < n) text_add(&value, p + equals + 1, n - equals - 1);
        ok = sl1_set(o, name.v ? name.v : "", equals < n && !value.v ? "" : value.v, diag);
        text_free(&name), text_free(&value);
        p += n;
    }
    return ok;
}
