// opinion: what tweets say of a subject.
#include "stream.h"

#include <ctype.h>
#include <stdlib.h>

#define NONE INT32_MIN  // the opinion of tweets that aren't about the subject
#define KEYWORDS 8

typedef struct Entry {
    uint64_t hash;
    int32_t score, unused;
} Entry;

typedef struct Word {
    char text[WORD_MAX];
    int32_t score;
} Word;

typedef struct Table {  // of words: as a list, and as the kernel has it
    Word *words;
    Entry *slots;
    uint32_t count, mask;
} Table;

// A table of every step-th word from a rank on, with scores from -5 to 5, or 1 each.
static Table make_table(Work *work, uint32_t first, uint32_t step, uint32_t count, bool scored) {
    const uint32_t slots = power_of_two(4 * count);
    Table t = {work_host(work, count * sizeof(Word)), work_host(work, slots * sizeof(Entry)), count, slots - 1};
    for (uint32_t k = 0; work_ok(work) && k < count; k++) {
        const uint32_t length = spell(t.words[k].text, first + k * step), r = work_random(work);
        t.words[k].score = !scored ? 1 : r >> 31 ? 1 + (int32_t)(r % 5) : -1 - (int32_t)(r % 5);
        const uint64_t hash = hash_of(t.words[k].text, length);
        uint32_t s = (uint32_t)hash & t.mask;
        while (t.slots[s].hash) s = (s + 1) & t.mask;
        t.slots[s] = (Entry){.hash = hash, .score = t.words[k].score};
    }
    return t;
}

// Tweets of 3 to 20 words, some with a capital, a hash mark, or a stop behind them.
static void write_tweets(Work *work, Lines *tweets) {
    char text[21 * (WORD_MAX + 3)], word[WORD_MAX];
    do {
        size_t n = 0;
        for (uint32_t left = 3 + work_random(work) % 18; left > 0; left--) {
            const uint32_t r = work_random(work);
            random_word(work, word);
            if (r % 10 == 0) word[0] = (char)toupper(word[0]);
            n += (size_t)sprintf(text + n, "%s%s%s", n == 0 ? "" : " ",
                                 r >> 28 == 0   ? "#"
                                 : r >> 28 == 1 ? "@"
                                                : "",
                                 word);
            if ((r >> 24) % 16 == 2) text[n++] = "!?.,"[r >> 8 & 3];
        }
        text[n] = 0;
    } while (add_line(tweets, "%u\t%s\n", tweets->count, text));
}

static int by_text(const void *a, const void *b) { return strcmp(((const Word *)a)->text, ((const Word *)b)->text); }

static int32_t score_of(const Table *t, const Word *word) {
    const Word *w = bsearch(word, t->words, t->count, sizeof *word, by_text);
    return w ? w->score : 0;
}

static void run(Work *work) {
    const Shape shape = work_shape(work);
    Lines tweets = lines_in(work, work_param(work, "size"));
    Table keywords = make_table(work, 40, 1, KEYWORDS, false), lexicon = make_table(work, 11, 5, 800, true);
    write_tweets(work, &tweets);
    const int64_t size = (int64_t)tweets.used;
    const size_t of_opinions = tweets.count * sizeof(int32_t);
    int32_t *got = work_host(work, of_opinions), *want = work_host(work, of_opinions);
    for (uint32_t n = 0; want && n < tweets.count; n++) want[n] = NONE;

    WorkBuf dtweets = work_upload(work, "tweets", tweets.text, tweets.used);
    WorkBuf dkeywords = work_upload(work, "keywords", keywords.slots, (keywords.mask + 1) * sizeof(Entry));
    WorkBuf dlexicon = work_upload(work, "lexicon", lexicon.slots, (lexicon.mask + 1) * sizeof(Entry));
    WorkBuf dopinions = work_upload(work, "opinions", want, of_opinions);
    work_launch(work, "opinion", shape.grid, shape.block, 0,
                ARGS(arg_i32(size), arg_i32(chunk_of(shape, size)), arg_buf(dtweets), arg_i32(keywords.mask),
                     arg_buf(dkeywords), arg_i32(lexicon.mask), arg_buf(dlexicon), arg_buf(dopinions)));
    work_read(work, got, dopinions, of_opinions);
    if (!work_ok(work)) return;

    qsort(keywords.words, keywords.count, sizeof(Word), by_text);
    qsort(lexicon.words, lexicon.count, sizeof(Word), by_text);
    const char *c = tweets.text;
    for (uint32_t n = 0; n < tweets.count; n++, c++) {
        int32_t score = 0;
        bool about = false;
        while (*c != '\n') {
            Word word = {.score = 0};
            for (int k = 0; isalpha((unsigned char)*c); c++) word.text[k++] = (char)tolower(*c);
            about |= score_of(&keywords, &word) != 0;
            score += score_of(&lexicon, &word);
            if (*c != '\n') c++;
        }
        if (about) want[n] = score;
    }
    work_check_u32(work, "opinions", (const uint32_t *)got, (const uint32_t *)want, tweets.count);
}

static const WorkParam params[] = {
    SHAPE_PARAMS,
    {"size", "bytes of the tweets at most, 1024 to 2^30", 10000, 4 << 20, 1024, 1 << 30},
    {.name = NULL},
};

const Workload workload_streaming_opinion = {
    "opinion", "streaming", "Whether tweets speak well of a subject (S-L1, Table 1: Opinion Finder)", params, run};
