// shape.c: which lines share a set, and what an access does to the set's tags under a replacement rule. The rules are
// written here a second time, independent of the simulator's (mem/replace_*.c), because what was inferred from a
// simulated GPU is replayed on them.
#include "probe/infer.h"

#include <string.h>

static const uint64_t NOTHING = ~0ull;

// --- sets ------------------------------------------------------------------------------------------------------------
// The smallest line of the set: kernel vectors are removed (by XOR) from the highest bit down.
static uint64_t residue(const Shape *s, uint64_t line)
{
    for (int b = SHAPE_BITS; b-- > 0;)
        if (line >> b & 1 && s->kernel[b]) line ^= s->kernel[b];
    return line;
}

// Gathers the bits of x at which no kernel vector begins. This numbers the residues.
static uint32_t gather(const Shape *s, uint64_t x)
{
    uint32_t set = 0, at = 0;
    for (int b = 0; b < SHAPE_BITS && (1ull << at) < s->sets; b++)
        if (!s->kernel[b]) set |= (uint32_t)(x >> b & 1) << at++;
    return set;
}

uint32_t shape_set(const Shape *s, uint64_t line)
{
    switch (s->form) {
    case FORM_MODULO: return (uint32_t)((line >> s->block) % s->sets);
    case FORM_DEALT: return s->dealt[line % s->lines];
    case FORM_LINEAR: return gather(s, residue(s, line));
    default: return 0;
    }
}

uint64_t shape_line(const Shape *s, uint32_t set, uint64_t k)
{
    if (s->form == FORM_MODULO) return ((k >> s->block) * s->sets + set) << s->block | (k & ((1ull << s->block) - 1));
    if (s->form == FORM_DEALT) {
        uint64_t round = k / s->ways[set], of = k % s->ways[set];
        for (uint64_t line = 0;; line++)
            if (s->dealt[line] == set && of-- == 0) return line + round * s->lines;
    }
    if (s->form != FORM_LINEAR) return k;
    // The set's smallest line, and the k-th sum of kernel vectors.
    uint64_t line = 0, at = 0;
    for (int b = 0; b < SHAPE_BITS; b++)
        if (!s->kernel[b]) {
            if ((1ull << at) < s->sets) line |= (uint64_t)(set >> at & 1) << b;
            at++;
        }
    for (int b = 0; b < SHAPE_BITS && k; b++) {
        if (!s->kernel[b]) continue;
        if (k & 1) line ^= s->kernel[b];
        k >>= 1;
    }
    return line;
}

uint64_t shape_reach(const Shape *s)
{
    if (s->form == FORM_DEALT) return s->lines;
    if (s->form != FORM_LINEAR) return (uint64_t)s->sets << s->block;
    // Sets are told apart by the bits without a kernel vector. There are as many of them as the number of sets has
    // bits.
    int b = 0;
    for (uint32_t sets = s->sets; sets > 1 && b < SHAPE_BITS; b++)
        if (!s->kernel[b]) sets /= 2;
    return 1ull << b;
}

void shape_deal(Shape *s)
{
    s->lines = 0;
    for (uint32_t k = 0; k < s->sets; k++) s->lines += s->ways[k];
    mem_free(s->dealt);
    s->dealt = mem_alloc(sizeof *s->dealt * s->lines);
    uint64_t at = 0;
    for (uint32_t round = 0; at < s->lines; round++)
        for (uint32_t k = 0; k < s->sets; k++)
            if (round < s->ways[k]) s->dealt[at++] = (uint16_t)k;
}

void shape_free(Shape *s)
{
    mem_free(s->ways), mem_free(s->dealt);
    *s = (Shape){.form = FORM_NONE};
}

// --- tags ------------------------------------------------------------------------------------------------------------
void tags_open(Tags *t, const Shape *s)
{
    *t = (Tags){
        .shape = s, .first = mem_alloc(sizeof *t->first * (s->sets + 1)), .tree = mem_alloc(sizeof *t->tree * s->sets)};
    for (uint32_t k = 0; k < s->sets; k++) t->first[k + 1] = t->first[k] + s->ways[k];
    t->tag = mem_alloc(sizeof *t->tag * t->first[s->sets]);
    t->stamp = mem_alloc(sizeof *t->stamp * t->first[s->sets]);
    memset(t->tag, 0xff, sizeof *t->tag * t->first[s->sets]);
}

void tags_close(Tags *t)
{
    mem_free(t->tag), mem_free(t->stamp), mem_free(t->first), mem_free(t->tree);
    *t = (Tags){.shape = NULL};
}

// The tree's nodes are 1, 2 and 3, 4 to 7, …; a bit says which half the next victim is in.
static void turn_away(uint32_t *tree, uint32_t ways, uint32_t way)
{
    for (uint32_t node = 1, half = ways / 2; half; half /= 2) {
        bool upper = way & half;
        *tree = upper ? *tree & ~(1u << node) : *tree | 1u << node;
        node = 2 * node + upper;
    }
}

static uint32_t follow(uint32_t tree, uint32_t ways)
{
    uint32_t way = 0;
    for (uint32_t node = 1, half = ways / 2; half; half /= 2) {
        bool upper = tree >> node & 1;
        way |= upper ? half : 0;
        node = 2 * node + upper;
    }
    return way;
}

bool tags_touch(Tags *t, Rule rule, uint64_t line, uint32_t *slot)
{
    uint32_t set = shape_set(t->shape, line), ways = t->shape->ways[set], way = ways, empty = ways, oldest = 0;
    uint64_t *tag = t->tag + t->first[set], *stamp = t->stamp + t->first[set];
    for (uint32_t w = 0; w < ways && way == ways; w++) {
        if (tag[w] == line) way = w;
        if (tag[w] == NOTHING && empty == ways) empty = w;
        if (stamp[w] < stamp[oldest]) oldest = w;
    }
    bool hit = way < ways;
    if (!hit) way = empty < ways ? empty : rule == RULE_PLRU ? follow(t->tree[set], ways) : oldest;
    tag[way] = line;
    if (slot) *slot = t->first[set] + way;
    if (!hit || rule != RULE_FIFO) stamp[way] = ++t->clock;
    if (rule == RULE_PLRU) turn_away(&t->tree[set], ways, way);
    return hit;
}
