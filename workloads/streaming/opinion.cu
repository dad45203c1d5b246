// opinion: what tweets say of a subject. A tweet is a line, its number, a tab and its text; it is about the subject if
// one of the keywords is in it, and its opinion is the sum of its words' scores in a lexicon of good and bad words
// (S-L1, Table 1: Opinion Finder). Keywords and lexicon are hash tables; a word is a run of letters, of either case.
#include "feed.h"

typedef struct Entry {
    unsigned long long hash;  // 0: free
    int score, unused;
} Entry;

// A word's score, 0 if it isn't in the table.
__device__ __forceinline__ int score_of(const Entry *table, unsigned mask, unsigned long long hash) {
    for (unsigned s = (unsigned)hash & mask;; s = (s + 1) & mask) {
        const unsigned long long found = table[s].hash;
        if (found == hash) return table[s].score;
        if (found == 0) return 0;
    }
}

extern "C" __global__ void opinion(unsigned size, unsigned chunk, const unsigned char *tweets, unsigned keyword_mask,
                                   const Entry *keywords, unsigned lexicon_mask, const Entry *lexicon, int *opinions) {
    const Chunk mine = my_chunk(size, chunk);
    unsigned long long hash = HASH_START;
    unsigned id = 0;
    int score = 0;
    bool in_text = false, about = false;
    unsigned i = first_line(tweets, mine);
    if (i == mine.end) return;
    for (;; i++) {
        const unsigned c = tweets[i];
        if (!in_text) {
            if (c == '\t')
                in_text = true;
            else
                id = id * 10 + c - '0';
            continue;
        }
        const unsigned letter = c | 0x20;
        if (letter >= 'a' && letter <= 'z') {
            hash = hash_add(hash, letter);
            continue;
        }
        if (hash != HASH_START) {  // a word ends
            if (score_of(keywords, keyword_mask, hash)) about = true;
            score += score_of(lexicon, lexicon_mask, hash);
            hash = HASH_START;
        }
        if (c == '\n') {
            if (about) opinions[id] = score;
            if (i + 1 >= mine.end) break;
            id = 0;
            score = 0;
            in_text = about = false;
        }
    }
}

// BigKernel's: of each line the text behind the number. Tweets are numbered in the chunk.
extern "C" __global__ void opinion_gather(unsigned n, unsigned each, const unsigned *index, unsigned *lists) {
    list_lines(n, each, index, lists);
}

extern "C" __global__ void opinion_compute(const unsigned char *assembled, unsigned unit, unsigned each,
                                           unsigned keyword_mask, const Entry *keywords, unsigned lexicon_mask,
                                           const Entry *lexicon, int *opinions) {
    Feed feed(assembled, unit);
    unsigned long long hash = HASH_START;
    unsigned id = my_thread() * each;
    int score = 0;
    bool about = false;
    while (feed.left > 0) {
        const unsigned c = feed.next(), letter = c | 0x20;
        if (letter >= 'a' && letter <= 'z') {
            hash = hash_add(hash, letter);
            continue;
        }
        if (hash != HASH_START) {
            if (score_of(keywords, keyword_mask, hash)) about = true;
            score += score_of(lexicon, lexicon_mask, hash);
            hash = HASH_START;
        }
        if (c == '\n') {
            if (about) opinions[id] = score;
            id++;
            score = 0;
            about = false;
        }
    }
}
