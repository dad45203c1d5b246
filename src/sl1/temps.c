// temps.c: the names of our registers. An allocator that gives each register one slot for the whole kernel, as ours
// does, keeps that slot free of everything that is alive at any of the register's uses. With one %sl1_t for all
// accesses it has to find a slot that is free at each of them, though no access needs another one's value. That took 5
// to 9 registers of a thread more than are ever alive at once. So values that have nothing to do with each other have
// names of their own. (ptxas splits such registers by itself.)
//
// - A temporary belongs to a site: an access, a check, a choice, a flush. %sl1_t_7 is the %sl1_t of site 7. Numbers
//   begin again after SITES, since what is known of liveness grows with the number of registers.
// - What is kept of a structure belongs to a slice: %sl1_a0_m in the monitoring slice, %sl1_a0 in the computing slice,
//   %sl1_a0_i2 in the cached copy of inner loop 2.
#include "sl1/unit.h"

#include <string.h>

enum { SITES = 64 };

static const struct Temp {
    const char *name;
    Type type;
} temps[] = {
    {"warp", TY_B32}, {"lines", TY_B32}, {"count", TY_B32}, {"s", TY_B32},   {"m", TY_B32},
    {"t", TY_B32},    {"i", TY_B32},     {"v0", TY_B32},    {"v1", TY_B32},  {"v2", TY_B32},
    {"v3", TY_B32},   {"v4", TY_B32},    {"v5", TY_B32},    {"low", TY_B32}, {"z0", TY_B32},
    {"z1", TY_B32},   {"k", TY_B16},     {"x", TY_B64},     {"y", TY_B64},   {"z", TY_B64},
};
static const char prefix[] = "%sl1_";
enum { PREFIX = sizeof prefix - 1 };

void sl1_add_reg(Sl1Writer *w, Type type, const char *format, ...)
{
    Text name = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&name, format, args);
    va_end(args);
    map_put(&w->own, name.v, name.n, sl1_reg(&w->view, name.v, type));
}

void sl1_next_site(Sl1Writer *w) { w->site = (w->site + 1) % SITES; }

static size_t letters(const char *name)
{
    size_t n = 0;
    while ((name[n] >= 'a' && name[n] <= 'z') || (name[n] >= '0' && name[n] <= '9') || name[n] == '_') n++;
    return n;
}

static const struct Temp *find_temp(const char *stem, size_t length)
{
    for (size_t t = 0; t < COUNT(temps); t++)
        if (strlen(temps[t].name) == length && !memcmp(temps[t].name, stem, length)) return &temps[t];
    return NULL;
}

// Is it a register of a structure? Not the one with its beginning, which all slices share.
static bool is_kept(const char *stem) { return stem[1] >= '0' && stem[1] <= '9' && stem[0] != 'o'; }

static uint32_t find(Sl1Writer *w, const char *name, size_t length)
{
    const struct Temp *temp = find_temp(name + PREFIX, length - PREFIX);
    char own[64];
    int64_t reg = NO_REG, of = NO_REG;
    map_get(&w->own, name, length, &of);
    if (temp)
        snprintf(own, sizeof own, "%.*s_%u", (int)length, name, w->site);
    else if (is_kept(name + PREFIX) && w->keeper == KEEPER_MONITOR)
        snprintf(own, sizeof own, "%.*s_m", (int)length, name);
    else if (is_kept(name + PREFIX) && w->keeper == KEEPER_INNER)
        snprintf(own, sizeof own, "%.*s_i%u", (int)length, name, w->inner);
    else
        return (uint32_t)of;
    if (map_get(&w->own, own, strlen(own), &reg)) return (uint32_t)reg;
    if (!temp && of == NO_REG) return NO_REG;
    sl1_add_reg(w, temp ? temp->type : w->view.regs.v[of].type, "%s", own);
    return (uint32_t)w->view.regs.n - 1;
}

uint32_t sl1_own(Sl1Writer *w, const char *name) { return find(w, name, strlen(name)); }

void sl1_put_named(Sl1Writer *w, const char *line)
{
    for (const char *at; (at = strstr(line, prefix));) {
        size_t n = PREFIX + letters(at + PREFIX);
        uint32_t reg = find(w, at, n);
        text_add(w->out, line, (size_t)(at - line));
        if (reg == NO_REG)
            text_add(w->out, at, n);
        else
            text_put(w->out, reg_name(&w->view, reg));
        line = at + n;
    }
    text_put(w->out, line);
}
