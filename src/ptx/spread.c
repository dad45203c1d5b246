// spread.c: which bank a word of the register file lies in. The compiler numbers registers as it likes. So it can give
// different banks to words that one instruction reads from the main file ("compiler techniques", unified-memory §2.1).
// Words are taken by how often they meet others, each loop counting ten times. Each goes to the bank where it meets
// least, of those that have room. Invariant: banks hold equally many words, and some hold one more.
#include <stdlib.h>
#include <string.h>

#include "ptx/pass.h"
#include "ptx/strands.h"

enum { MOST_WORDS = 16, MOST_MEETINGS = 256 };  // of an instruction, of a word; no more are looked at
typedef struct Meeting {
    uint32_t with;
    double weight;
} Meeting;
typedef struct Word {
    VEC(Meeting) meets;
    double weight;
} Word;
typedef struct Rank {
    double weight;
    uint32_t slot;
} Rank;

static void meet(Word *word, uint32_t a, uint32_t b, double weight)
{
    size_t k = 0;
    word[a].weight += weight;
    while (k < word[a].meets.n && word[a].meets.v[k].with != b) k++;
    if (k == MOST_MEETINGS) return;
    if (k == word[a].meets.n) vec_push(&word[a].meets, ((Meeting){.with = b}));
    word[a].meets.v[k].weight += weight;
}

// The words that an instruction reads from the main file; how many.
static uint32_t main_reads(const Files *f, uint32_t inst, uint32_t slot[MOST_WORDS])
{
    uint32_t n = 0;
    for (uint32_t x = f->first[inst]; x < f->first[inst + 1] && n < MOST_WORDS; x++) {
        const RegAccess *a = &f->access[x];
        if (!a->write && (a->file == FILE_MAIN || a->main)) slot[n++] = a->slot;
    }
    return n;
}

static int by_weight(const void *a, const void *b)
{
    const Rank *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

// How full the banks are: each takes `floor` words, and `more` of them one word more.
typedef struct Room {
    uint32_t used[MOST_BANKS_SPREAD], banks, floor, more;
} Room;

// The bank with room where a word meets least; of equal ones that with fewest words.
static uint32_t best_bank(const Word *word, const uint8_t *bank, const Room *room)
{
    double cost[MOST_BANKS_SPREAD] = {0};
    uint32_t banks = room->banks, best = banks;
    const uint32_t *used = room->used;
    for (size_t k = 0; k < word->meets.n; k++)
        if (bank[word->meets.v[k].with] < banks) cost[bank[word->meets.v[k].with]] += word->meets.v[k].weight;
    for (uint32_t b = 0; b < banks; b++) {
        if (used[b] > room->floor || (used[b] == room->floor && !room->more)) continue;
        if (best == banks || cost[b] < cost[best] || (cost[b] == cost[best] && used[b] < used[best])) best = b;
    }
    return best;
}

void files_spread(Files *f, const Flow *w, uint32_t slots, uint32_t banks)
{
    Word *word = mem_alloc(sizeof *word * (slots + 1));
    Rank *rank = mem_alloc(sizeof *rank * (slots + 1));
    Room room = {.banks = banks, .floor = slots / banks, .more = slots % banks};
    uint32_t reads[MOST_WORDS];
    f->bank = mem_alloc(slots + 1);
    memset(f->bank, 0xff, slots + 1);
    for (uint32_t at = 0; at + 1 < w->blocks.n; at++) {
        const Block *k = &w->blocks.v[at];
        double weight = flow_weight(w, at);
        for (uint32_t i = k->first; i < k->last; i++) {
            uint32_t n = main_reads(f, i, reads);
            for (uint32_t a = 0; a < n; a++)
                for (uint32_t b = 0; b < n; b++)
                    if (reads[a] != reads[b]) meet(word, reads[a], reads[b], weight);
        }
    }
    for (uint32_t s = 0; s < slots; s++) rank[s] = (Rank){word[s].weight, s};
    if (slots) qsort(rank, slots, sizeof *rank, by_weight);
    for (uint32_t k = 0; k < slots; k++) {
        uint32_t s = rank[k].slot, b = best_bank(&word[s], f->bank, &room);
        if (room.used[b]++ == room.floor) room.more--;
        f->bank[s] = (uint8_t)b;
    }
    for (uint32_t s = 0; s < slots; s++) vec_free(&word[s].meets);
    mem_free(word), mem_free(rank);
}
