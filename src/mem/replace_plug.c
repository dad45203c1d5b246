// replace_plug.c: replacement by a plug-in (onchip_cache.h). What it returns is checked: a way that may not go is
// noted, another one goes instead, and whoever has the cache ends the launch (plug_wrong). Its memory is ours alone to
// give back: what it writes into its view changes nothing here.
#include "mem/cache.h"

#include <string.h>

// The view as it is, whatever the plug-in wrote there.
static oc_replacement *view(Cache *c)
{
    CachePlug *p = c->plug;
    p->cache = (oc_cache_view){.sets = c->sets,
                               .lines = p->cache.lines,
                               .line_bytes = c->cfg.line,
                               .sectors = c->sectors,
                               .first = c->first,
                               .ways = c->ways,
                               .tag = c->tags};
    p->view.type = c->cfg.plug;
    p->view.cache = &p->cache, p->view.own = p->own, p->view.of_lines = p->of_lines;
    p->view.param = c->cfg.plug_param, p->view.count = p->count, p->view.misuse = &p->misuse;
    return &p->view;
}

static void used(Cache *c, uint32_t set, uint32_t way)
{
    CachePlug *p = c->plug;
    const uint32_t at = c->first[set] + way;
    c->stamps[at] = ++c->clock;  // for cache_resize and `unlocked` alone
    if (!c->cfg.plug->hit) return;
    oc_cache_access a = p->now;
    a.line = c->tags[at] - 1, a.set = set, a.way = way;
    c->cfg.plug->hit(view(c), &a);
}

static void moved_in(Cache *c, uint32_t set, uint32_t way)
{
    if (!c->cfg.plug->fill) return;
    oc_cache_access a = c->plug->now;
    a.line = c->tags[c->first[set] + way] - 1, a.set = set, a.way = way;
    c->cfg.plug->fill(view(c), &a);
}

static uint32_t victim(Cache *c, uint32_t set)
{
    CachePlug *p = c->plug;
    uint64_t may = 0;
    for (uint32_t w = 0; w < c->ways[set]; w++) may |= (uint64_t)!c->lines[c->first[set] + w].pending << w;
    if (!may) return ALL_LOCKED;
    oc_cache_access a = p->now;
    a.set = set, a.way = 0;
    const uint32_t way = c->cfg.plug->victim(view(c), &a, may);
    if (way < OC_MOST_WAYS && may >> way & 1) return way;
    if (!p->wrong) p->wrong = true, p->wrong_way = way, p->wrong_set = set, p->wrong_may = may;
    return oc_first_way(may);
}

const Replacement replace_plug = {.touch = used, .fill = moved_in, .victim = victim};

bool plug_bypasses(Cache *c, uint64_t address)
{
    if (!c->cfg.plug->bypass) return false;
    oc_cache_access a = c->plug->now;
    a.line = address >> c->line_shift, a.set = cache_set(c, address), a.way = 0;
    return c->cfg.plug->bypass(view(c), &a);
}

bool plug_wrong(const Cache *c, const char *where, Text *out)
{
    const CachePlug *p = c->plug;
    if (!p || (!p->wrong && !p->misuse.times)) return false;
    const char *name = c->cfg.plug->name;
    if (p->wrong)
        text_printf(out,
                    "replacement policy %s chose way %u of set %u of %s, which isn't one of the ways 0x%llx that may "
                    "make room",
                    name, p->wrong_way, p->wrong_set, where, (unsigned long long)p->wrong_may);
    else
        text_printf(out, "replacement policy %s asked oc_line_state for way %u of set %u of %s: there is none", name,
                    p->misuse.way, p->misuse.set, where);
    return true;
}

// --- its memory ------------------------------------------------------------------------------------------------------
// One line more than there are: oc_line_state gives it for those that aren't.
static size_t bytes_of_lines(const CacheCfg *cfg, uint32_t lines) { return cfg->plug->line_state * (lines + 1ull); }

static void begin(Cache *c)
{
    if (c->cfg.plug->open) c->cfg.plug->open(view(c));
}

bool plug_open(Cache *c, uint64_t seed)
{
    const uint32_t lines = cache_line_count(c);
    CachePlug *p = c->plug = mem_try(1, sizeof *p);
    if (!p) return false;
    p->own_bytes = c->cfg.plug->state, p->line_bytes = bytes_of_lines(&c->cfg, lines);
    p->own = mem_try(MAX(p->own_bytes, 1u), 1), p->of_lines = mem_try(MAX(p->line_bytes, 1u), 1);
    p->cache.lines = lines;
    p->view.seed = seed;
    p->now = (oc_cache_access){.warp = OC_NO_WARP, .pc = OC_NO_PC};
    if (!p->own || !p->of_lines) return false;  // cache_close frees the rest
    begin(c);
    return true;
}

void plug_close(Cache *c)
{
    if (!c->plug) return;
    mem_free(c->plug->own), mem_free(c->plug->of_lines);
    mem_free(c->plug);
    c->plug = NULL;
}

void plug_clear(Cache *c)
{
    if (!c->plug) return;
    memset(c->plug->own, 0, c->plug->own_bytes);
    memset(c->plug->of_lines, 0, c->plug->line_bytes);
    begin(c);
}

void plug_dropped(Cache *c, uint32_t at)
{
    const size_t each = c->cfg.plug->line_state;
    memset((char *)c->plug->of_lines + at * each, 0, each);
}

uint64_t plug_bytes(const CacheCfg *cfg)
{
    if (!cfg->plug) return 0;
    return sizeof(CachePlug) + cfg->plug->state + bytes_of_lines(cfg, (uint32_t)(cfg->size / cfg->line));
}
