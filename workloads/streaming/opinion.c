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
static Table make_table(Work *work, uint32_t first, uint32_t step, uint32_t count, bool scored)
{
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
static void write_tweets(Work *work, Lines *tweets)
{
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

static int32_t score_of(const Table *t, const Word *word)
{
    const Word *w = bsearch(word, t->words, t->count, sizeof *word, by_text);
    return w ? w->score : 0;
}

static void run(Work *work)
{
    const Shape shape = work_shape(work);
    Lines tweets = lines_in(work, work_shared(work, "size"));
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

// --- In chunks (S-L1, §4.3) -----------------------------------------------------------------------------------------

#define BLANK 0x80  // the byte that a chunk's opinions are filled with
#define UNWRITTEN INT32_C(-0x7F7F7F80)

typedef struct Tables {
    Table keywords, lexicon;
    WorkBuf dkeywords, dlexicon;
} Tables;

static Needed words_of(const char *line) { return (Needed){strchr(line, '\t') + 1, strchr(line, '\n') + 1}; }

static void make_stream(Work *work, StreamInput *in)
{
    Tables *own = work_host(work, sizeof *own);
    Lines tweets = lines_in(work, work_shared(work, "size"));
    const Table keywords = make_table(work, 40, 1, KEYWORDS, false), lexicon = make_table(work, 11, 5, 800, true);
    write_tweets(work, &tweets);
    if (!work_ok(work)) return;
    *own =
        (Tables){keywords, lexicon, work_upload(work, "keywords", keywords.slots, (keywords.mask + 1) * sizeof(Entry)),
                 work_upload(work, "lexicon", lexicon.slots, (lexicon.mask + 1) * sizeof(Entry))};
    *in = stream_lines(work, &tweets, words_of, own);
    in->result_bytes = tweets.count * sizeof(int32_t);
}

static size_t room(const StreamInput *in, const StreamChunk *c) { return (void)in, c->lines * sizeof(int32_t); }

// Numbers count from the first tweet of all, a chunk's opinions from its own first.
static void plain(Work *work, const StreamInput *in, const StreamChunk *c)
{
    const Tables *own = in->own;
    work_launch(work, "opinion", c->grid, c->block, 0,
                ARGS(arg_i32((int64_t)c->bytes), arg_i32(c->each), arg_buf(c->data), arg_i32(own->keywords.mask),
                     arg_buf(own->dkeywords), arg_i32(own->lexicon.mask), arg_buf(own->dlexicon),
                     arg_u64(c->results.ptr - c->line * sizeof(int32_t))));
}

static void compute(Work *work, const StreamInput *in, const StreamChunk *c)
{
    const Tables *own = in->own;
    work_launch(work, "opinion_compute", c->grid, c->block, 0,
                ARGS(arg_buf(c->data), arg_i32(c->unit), arg_i32(c->each), arg_i32(own->keywords.mask),
                     arg_buf(own->dkeywords), arg_i32(own->lexicon.mask), arg_buf(own->dlexicon), arg_buf(c->results)));
}

static void take(const StreamInput *in, const StreamChunk *c, const void *results, void *got)
{
    const int32_t *opinions = results;
    (void)in;
    for (size_t n = 0; n < c->lines; n++) ((int32_t *)got)[c->line + n] = opinions[n] == UNWRITTEN ? NONE : opinions[n];
}

static int32_t find_score(const Table *t, uint64_t hash)
{
    uint32_t s = (uint32_t)hash & t->mask;
    while (t->slots[s].hash && t->slots[s].hash != hash) s = (s + 1) & t->mask;
    return t->slots[s].score;
}

static void on_cpu(const StreamInput *in, int pass, size_t from, size_t to, void *result, void *partial)
{
    const Tables *own = in->own;
    (void)pass, (void)partial;
    for (const char *c = (const char *)in->bytes + from, *end = (const char *)in->bytes + to; c < end; c++) {
        uint32_t id = 0;
        int32_t score = 0;
        bool about = false;
        uint64_t hash = HASH_START;
        for (; *c != '\t'; c++) id = id * 10 + (uint32_t)(*c - '0');
        do {
            const uint32_t letter = (uint8_t) * ++c | 0x20;
            if (letter >= 'a' && letter <= 'z') {
                hash = hash_add(hash, letter);
            } else if (hash != HASH_START) {
                about |= find_score(&own->keywords, hash) != 0;
                score += find_score(&own->lexicon, hash);
                hash = HASH_START;
            }
        } while (*c != '\n');
        ((int32_t *)result)[id] = about ? score : NONE;
    }
}

static void check(Work *work, const StreamInput *in, const void *got, const void *want)
{
    work_check_u32(work, "opinions", got, want, in->line_count);
}

const StreamProgram streamed_opinion = {.workload = "streaming/opinion",
                                        .passes = 1,
                                        .gather = "opinion_gather",
                                        .blank = BLANK,
                                        .make = make_stream,
                                        .plain = plain,
                                        .compute = compute,
                                        .room = room,
                                        .take = take,
                                        .cpu = on_cpu,
                                        .check = check};

static const WorkParam params[] = {
    SHAPE_PARAMS,
    {"size", "bytes of the tweets at most, 1024 to 2^30", 10000, 4 << 20, 1024, 1 << 30},
    {.name = NULL},
};

const Workload workload_streaming_opinion = {
    "opinion", "streaming", "Whether tweets speak well of a subject (S-L1, Table 1: Opinion Finder)", params, run};
