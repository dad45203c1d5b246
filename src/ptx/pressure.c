// pressure.c: how many words of registers are alive, instruction by instruction, in an order that a part of a block may
// get. It's exact where no instruction reads a register twice.
#include "ptx/pass.h"

#include <string.h>

static bool in(const uint64_t *set, uint32_t reg) { return set[reg / 64] >> reg % 64 & 1; }

static uint32_t words_of(const Pressure *p, const uint64_t *live, uint32_t words)
{
    uint32_t sum = 0;
    for (uint32_t x = 0; x < words; x++)
        for (uint64_t bits = live[x]; bits; bits &= bits - 1) sum += p->width[x * 64 + (uint32_t)__builtin_ctzll(bits)];
    return sum;
}

static void note_before(void *user, uint32_t reg, bool def)
{
    Pressure *p = user;
    (void)def;
    p->before[reg] = in(p->set, reg);
}
static void note_after(void *user, uint32_t reg, bool def)
{
    Pressure *p = user;
    (void)def;
    p->after[reg] = in(p->set, reg);
}

void pressure_behind(Pressure *p, const uint64_t *live, uint32_t first, uint32_t n)
{
    p->first = first, p->n = n, p->set = live;
    for (uint32_t k = 0; k < n; k++) inst_regs(&p->f->insts.v[first + k], note_after, p);
}

void pressure_ahead(Pressure *p, const uint64_t *live, uint32_t words)
{
    p->set = live;
    for (uint32_t k = 0; k < p->n; k++) inst_regs(&p->f->insts.v[p->first + k], note_before, p);
    p->start = words_of(p, live, words);
}

static void forget(void *user, uint32_t reg, bool def)
{
    Pressure *p = user;
    (void)def;
    p->left[reg] = 0, p->alive[reg] = p->before[reg];
}
static void count_left(void *user, uint32_t reg, bool def) { ((Pressure *)user)->left[reg] += !def; }

void pressure_begin(Pressure *p)
{
    for (uint32_t k = 0; k < p->n; k++) inst_regs(&p->f->insts.v[p->first + k], forget, p);
    for (uint32_t k = 0; k < p->n; k++) inst_regs(&p->f->insts.v[p->first + k], count_left, p);
    p->now = p->start;
}

static void weigh(void *user, uint32_t reg, bool def)
{
    Pressure *p = user;
    if (!def && p->alive[reg] && p->left[reg] == 1 && !p->after[reg]) p->change -= p->width[reg];
    if (def && !p->alive[reg] && (p->left[reg] || p->after[reg])) p->change += p->width[reg];
}

int64_t pressure_change(Pressure *p, uint32_t inst)
{
    p->change = 0;
    inst_regs(&p->f->insts.v[p->first + inst], weigh, p);
    return p->change;
}

static void step(void *user, uint32_t reg, bool def)
{
    Pressure *p = user;
    if (!def && --p->left[reg] == 0 && p->alive[reg] && !p->after[reg]) p->alive[reg] = 0, p->now -= p->width[reg];
    if (def && !p->alive[reg] && (p->left[reg] || p->after[reg])) p->alive[reg] = 1, p->now += p->width[reg];
}

void pressure_step(Pressure *p, uint32_t inst) { inst_regs(&p->f->insts.v[p->first + inst], step, p); }

uint32_t pressure_peak(Pressure *p, const uint32_t *order)
{
    pressure_begin(p);
    uint32_t most = p->now;
    for (uint32_t k = 0; k < p->n; k++) {
        pressure_step(p, order ? order[k] : k);
        most = MAX(most, p->now);
    }
    return most;
}

Pressure pressure_open(const Function *f, bool constants)
{
    size_t n = f->regs.n + 1;
    Pressure p = {.f = f, .left = mem_alloc(sizeof *p.left * n)};
    p.alive = mem_alloc(n), p.before = mem_alloc(n), p.after = mem_alloc(n), p.width = mem_alloc(n);
    bool *outside = constants ? alloc_outside(f) : NULL;
    for (uint32_t r = 0; r + 1 < n; r++) p.width[r] = outside && outside[r] ? 0 : (uint8_t)reg_width(f, r);
    mem_free(outside);
    return p;
}

void pressure_close(Pressure *p)
{
    mem_free(p->left), mem_free(p->alive), mem_free(p->before), mem_free(p->after), mem_free(p->width);
}
