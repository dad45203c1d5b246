// job.h: what the MapReduce programs' hosts share: the launches of mapreduce.h's kernels, the cutting of a text into
// pieces, and what checks need: pairs read back, and strings counted by sorting them.
#ifndef WORKLOADS_MAPREDUCE_JOB_H
#define WORKLOADS_MAPREDUCE_JOB_H

#include "../text.h"

#include <math.h>
#include <stdlib.h>

#define JOB_PARAMS                                                                    \
    {"threads", "threads of a block of map and reduce, 1 to 1024", 64, 256, 1, 1024}, \
    {                                                                                 \
        "seed", "of the input, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX                    \
    }
#define GROUP_PARAMS                                                                                                \
    {                                                                                                               \
        "unit", "pairs from which on units of 256 are sorted in shared memory, 1 to 2^30", 300, 1 << 18, 1, 1 << 30 \
    }

// As in mapreduce.h.
enum { UNIT = 256, SCAN = 512 };
typedef struct Pair {
    uint32_t key, key_words, value, value_words;
} Pair;

typedef struct Pairs {
    WorkBuf keys, values, directory;
    int64_t count;
} Pairs;

typedef struct Groups {
    Pairs pairs;
    WorkBuf starts;  // count + 1 of them
    int64_t count;
} Groups;

// Buffers are used again by the next round of a program, unless that needs larger ones.
typedef enum Slot {
    KEY_PLACES,
    VALUE_PLACES,
    PAIR_PLACES,
    SUMS,  // one for each level of a scan: 512^4 is more than any has
    LAST_SUMS = SUMS + 3,
    MAPPED,  // keys, values, directory
    GROUPED = MAPPED + 3,
    REDUCED = GROUPED + 3,
    HEADS = REDUCED + 3,
    STARTS,
    SLOTS
} Slot;

typedef struct Job {
    Work *work;
    int64_t threads, unit;
    WorkArg data[3];  // what all kernels of the program get
    WorkBuf slots[SLOTS];
} Job;

static inline Job job_open(Work *work, bool groups)
{
    work_seed(work, work_param(work, "seed"));
    return (Job){.work = work, .threads = work_param(work, "threads"), .unit = groups ? work_param(work, "unit") : 0};
}

static inline void job_data(Job *job, WorkBuf text, WorkBuf own, int64_t number)
{
    job->data[0] = arg_buf(text);
    job->data[1] = arg_buf(own);
    job->data[2] = arg_i32(number);
}

static inline WorkBuf job_buffer(Job *job, Slot slot, const char *label, int64_t bytes)
{
    WorkBuf *b = &job->slots[slot];
    if (b->bytes < (size_t)bytes) *b = work_device(job->work, label, (size_t)bytes);
    return *b;
}

static inline WorkBuf part_of(WorkBuf buffer, int64_t from, int64_t bytes)
{
    return (WorkBuf){buffer.ptr + (uint64_t)from, (size_t)bytes};
}

// n threads in blocks of so many, by a grid of two dimensions if it has more than 2^15 blocks.
static inline void job_launch(Job *job, const char *kernel, int64_t n, int64_t block, const WorkArg *args, size_t count)
{
    enum { SIDE = 1 << 15 };
    const uint32_t blocks = ceil_div(n, block);
    const oc_dim3 grid = blocks <= SIDE ? dim1(blocks) : dim2(SIDE, ceil_div(blocks, SIDE));
    work_launch(job->work, kernel, grid, dim1((uint32_t)block), 0, args, count);
}

// A kernel of the program's own: its name is that of the phase with the step behind it, and it gets the data first.
static inline void job_step(Job *job, const char *phase, const char *step, int64_t n, int64_t block,
                            const WorkArg *args, size_t count)
{
    char kernel[64];
    WorkArg all[16];
    snprintf(kernel, sizeof kernel, "%s_%s", phase, step);
    memcpy(all, job->data, sizeof job->data);
    memcpy(all + COUNT(job->data), args, count * sizeof *args);
    job_launch(job, kernel, n, block, all, COUNT(job->data) + count);
}

#define PAIRS_ARGS(p) arg_buf((p).keys), arg_buf((p).values), arg_buf((p).directory)
#define PLACES_ARGS(job) \
    arg_buf((job)->slots[KEY_PLACES]), arg_buf((job)->slots[VALUE_PLACES]), arg_buf((job)->slots[PAIR_PLACES])

// --- Scan -----------------------------------------------------------------------------------------------------------

static inline void scan_level(Job *job, WorkBuf words, int64_t n, Slot level)
{
    const int64_t blocks = ceil_div(n, SCAN);
    const WorkBuf sums = job_buffer(job, level, "sums", blocks * 4);
    job_launch(job, "scan", blocks * (SCAN / 2), SCAN / 2, ARGS(arg_i32(n), arg_buf(words), arg_buf(sums)));
    if (blocks == 1) return;
    scan_level(job, sums, blocks, level + 1);
    job_launch(job, "scan_add", n, UNIT, ARGS(arg_i32(n), arg_buf(words), arg_buf(sums)));
}

// Makes of n words the sums of those before each; returns the sum of all, which is left behind the last.
static inline int64_t scan(Job *job, WorkBuf words, int64_t n)
{
    uint32_t sum = 0;
    scan_level(job, words, n + 1, SUMS);
    work_read(job->work, &sum, part_of(words, n * 4, 4), 4);
    return sum;
}

// --- Map, group, reduce ---------------------------------------------------------------------------------------------

// Room for what n threads count.
static inline void make_places(Job *job, int64_t n)
{
    job_buffer(job, KEY_PLACES, "key places", (n + 1) * 4);
    job_buffer(job, VALUE_PLACES, "value places", (n + 1) * 4);
    job_buffer(job, PAIR_PLACES, "pair places", (n + 1) * 4);
}

static inline Pairs make_pairs(Job *job, Slot slot, const char *const labels[3], int64_t key_words, int64_t value_words,
                               int64_t count)
{
    // The sort fills the directory up.
    const int64_t room = power_of_two(count > UNIT ? count : UNIT);
    return (Pairs){job_buffer(job, slot, labels[0], key_words * 4),
                   job_buffer(job, slot + 1, labels[1], value_words * 4),
                   job_buffer(job, slot + 2, labels[2], room * (int64_t)sizeof(Pair)), count};
}

// Turns the counts of n threads into places, and makes room for the pairs.
static inline Pairs place_pairs(Job *job, Slot slot, const char *const labels[3], int64_t n)
{
    const int64_t key_words = scan(job, job->slots[KEY_PLACES], n),
                  value_words = scan(job, job->slots[VALUE_PLACES], n);
    const int64_t count = scan(job, job->slots[PAIR_PLACES], n);
    if (count == 0 || !work_ok(job->work)) return (Pairs){.count = 0};
    return make_pairs(job, slot, labels, key_words, value_words, count);
}

static inline Pairs map_pairs(Job *job, const char *phase, Pairs in)
{
    static const char *const labels[3] = {"mapped keys", "mapped values", "mapped directory"};
    const int64_t n = in.count;
    if (n == 0) return in;
    make_places(job, n);
    job_step(job, phase, "map_count", n + 1, job->threads, ARGS(arg_i32(n), PAIRS_ARGS(in), PLACES_ARGS(job)));
    const Pairs to = place_pairs(job, MAPPED, labels, n);
    if (to.count > 0)
        job_step(job, phase, "map", n, job->threads,
                 ARGS(arg_i32(n), PAIRS_ARGS(in), PLACES_ARGS(job), PAIRS_ARGS(to)));
    return to;
}

// Bitonic: runs of 2, 4, 8, … pairs are merged. What is done within units is done in shared memory, where there are
// enough pairs, or just one unit.
static inline void sort_pairs(Job *job, const char *phase, Pairs pairs)
{
    const int64_t size = power_of_two(pairs.count > UNIT ? pairs.count : UNIT), of_pair = sizeof(Pair);
    const bool units = size == UNIT || pairs.count >= job->unit;
    const WorkArg keys = arg_buf(pairs.keys), directory = arg_buf(pairs.directory);
    if (size > pairs.count)
        work_fill(job->work, part_of(pairs.directory, pairs.count * of_pair, (size - pairs.count) * of_pair), 0xFF);
    if (units) job_step(job, phase, "sort_unit", size, UNIT, ARGS(keys, directory, arg_i32(2), arg_i32(UNIT)));
    for (int64_t run = units ? 2 * UNIT : 2; run <= size && work_ok(job->work); run *= 2) {
        for (int64_t distance = run / 2; distance > 0 && !(units && distance < UNIT); distance /= 2)
            job_step(job, phase, "sort_step", size / 2, UNIT,
                     ARGS(arg_i32(size), keys, directory, arg_i32(run), arg_i32(distance)));
        if (units) job_step(job, phase, "sort_unit", size, UNIT, ARGS(keys, directory, arg_i32(run), arg_i32(run)));
    }
}

static inline Groups group_pairs(Job *job, const char *phase, Pairs in)
{
    static const char *const labels[3] = {"grouped keys", "grouped values", "grouped directory"};
    const int64_t n = in.count;
    if (n == 0) return (Groups){.pairs = in};
    sort_pairs(job, phase, in);

    make_places(job, n);
    const WorkArg key_places = arg_buf(job->slots[KEY_PLACES]), value_places = arg_buf(job->slots[VALUE_PLACES]);
    job_launch(job, "gather_count", n + 1, UNIT, ARGS(arg_i32(n), arg_buf(in.directory), key_places, value_places));
    const int64_t key_words = scan(job, job->slots[KEY_PLACES], n),
                  value_words = scan(job, job->slots[VALUE_PLACES], n);
    const Pairs to = make_pairs(job, GROUPED, labels, key_words, value_words, n);
    job_launch(job, "gather", n, UNIT, ARGS(arg_i32(n), PAIRS_ARGS(in), key_places, value_places, PAIRS_ARGS(to)));

    const WorkBuf heads = job_buffer(job, HEADS, "heads", (n + 1) * 4);
    job_step(job, phase, "find_heads", n + 1, UNIT,
             ARGS(arg_i32(n), arg_buf(to.keys), arg_buf(to.directory), arg_buf(heads)));
    const int64_t count = scan(job, heads, n);
    const WorkBuf starts = job_buffer(job, STARTS, "starts", (count + 1) * 4);
    job_launch(job, "find_starts", n + 1, UNIT, ARGS(arg_i32(n), arg_buf(heads), arg_buf(starts)));
    return (Groups){to, starts, count};
}

static inline Pairs reduce_groups(Job *job, const char *phase, Groups in)
{
    static const char *const labels[3] = {"reduced keys", "reduced values", "reduced directory"};
    const int64_t n = in.count;
    if (n == 0) return in.pairs;
    make_places(job, n);
    job_step(job, phase, "reduce_count", n + 1, job->threads,
             ARGS(arg_i32(n), PAIRS_ARGS(in.pairs), arg_buf(in.starts), PLACES_ARGS(job)));
    const Pairs to = place_pairs(job, REDUCED, labels, n);
    job_step(job, phase, "reduce", n, job->threads,
             ARGS(arg_i32(n), PAIRS_ARGS(in.pairs), arg_buf(in.starts), PLACES_ARGS(job), PAIRS_ARGS(to)));
    return to;
}

// --- Input and output -----------------------------------------------------------------------------------------------

// count pairs, of so many words each, the keys one behind the other, and so the values.
static inline Pairs upload_pairs(Work *work, const uint32_t *keys, int64_t key_words, const uint32_t *values,
                                 int64_t value_words, int64_t count)
{
    if (count == 0) return (Pairs){.count = 0};
    Pair *directory = work_host(work, (size_t)count * sizeof *directory);
    for (int64_t i = 0; directory && i < count; i++)
        directory[i] =
            (Pair){(uint32_t)(i * key_words), (uint32_t)key_words, (uint32_t)(i * value_words), (uint32_t)value_words};
    return (Pairs){work_upload(work, "input keys", keys, (size_t)(count * key_words) * 4),
                   work_upload(work, "input values", values, (size_t)(count * value_words) * 4),
                   work_upload(work, "input directory", directory, (size_t)count * sizeof *directory), count};
}

static inline uint32_t *read_words(Work *work, WorkBuf from, int64_t count)
{
    uint32_t *words = work_host(work, (size_t)count * 4);
    if (count > 0) work_read(work, words, part_of(from, 0, count * 4), (size_t)count * 4);
    return words;
}

// The pairs as rows of a key's and a value's words. The run fails where the directory has others.
static inline uint32_t *read_pairs(Work *work, Pairs pairs, uint32_t key_words, uint32_t value_words)
{
    const int64_t n = pairs.count;
    const uint32_t row = key_words + value_words;
    const uint32_t *keys = read_words(work, pairs.keys, n * key_words);
    const uint32_t *values = read_words(work, pairs.values, n * value_words);
    const Pair *directory = (const Pair *)read_words(work, pairs.directory, n * (int64_t)(sizeof(Pair) / 4));
    uint32_t *rows = work_host(work, (size_t)(n * row) * 4);
    if (!work_ok(work)) return NULL;
    for (int64_t i = 0; i < n; i++) {
        const Pair p = directory[i];
        if (p.key_words != key_words || p.value_words != value_words || p.key > (n - 1) * key_words ||
            p.value > (n - 1) * value_words) {
            work_fail(work, "wrong result: pair %lld has %u words of key at %u and %u of value at %u", (long long)i,
                      p.key_words, p.key, p.value_words, p.value);
            return NULL;
        }
        memcpy(rows + i * row, keys + p.key, key_words * sizeof *rows);
        memcpy(rows + i * row + key_words, values + p.value, value_words * sizeof *rows);
    }
    return rows;
}

// --- Pieces of a text -----------------------------------------------------------------------------------------------

typedef struct Pieces {
    uint32_t *keys, *values;  // of a key's words; where each begins and how long it is
    int64_t count;
} Pieces;

// Adds what lies between begin and end, in pieces of at least `least` bytes that end where the text may be cut.
static inline void cut(Pieces *pieces, const char *text, int64_t begin, int64_t end, int64_t least,
                       bool (*may_end_with)(char c))
{
    while (begin < end) {
        int64_t stop = end - begin < least ? end : begin + least;
        while (stop < end && !may_end_with(text[stop - 1])) stop++;
        pieces->values[2 * pieces->count] = (uint32_t)begin;
        pieces->values[2 * pieces->count++ + 1] = (uint32_t)(stop - begin);
        begin = stop;
    }
}

static inline Pieces pieces_of(Work *work, int64_t most, int64_t key_words)
{
    return (Pieces){work_host(work, (size_t)(most * key_words) * 4), work_host(work, (size_t)most * 8), 0};
}

static inline bool is_newline(char c) { return c == '\n'; }

// --- Strings, counted by the CPU ------------------------------------------------------------------------------------

typedef struct String {
    const char *text;
    uint32_t length, count;
} String;

static inline int by_text(const void *a, const void *b)
{
    const String *x = a, *y = b;
    const int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

// Sorts strings and makes one of equal ones, with the sum of their counts. Returns how many are left.
static inline int64_t tally(String *strings, int64_t n)
{
    int64_t kept = 0;
    if (n > 0) qsort(strings, (size_t)n, sizeof *strings, by_text);
    for (int64_t i = 0; i < n; i++)
        if (kept > 0 && by_text(&strings[i], &strings[kept - 1]) == 0)
            strings[kept - 1].count += strings[i].count;
        else
            strings[kept++] = strings[i];
    return kept;
}

// The same strings with the same counts; each of the device's stands there once, in any order.
static inline void check_strings(Work *work, const char *what, String *got, int64_t got_count, const String *want,
                                 int64_t want_count)
{
    uint32_t *counts[2];
    for (int k = 0; k < 2; k++) counts[k] = work_host(work, (size_t)(want_count + 1) * 4);
    if (!work_ok(work)) return;
    counts[0][0] = (uint32_t)got_count;
    counts[1][0] = (uint32_t)want_count;
    if (got_count > 0) qsort(got, (size_t)got_count, sizeof *got, by_text);
    for (int64_t i = 0; i < got_count && i < want_count; i++) {
        if (by_text(&got[i], &want[i]) != 0)
            work_fail(work, "wrong result: %s has '%.*s', the CPU has '%.*s'", what, (int)got[i].length, got[i].text,
                      (int)want[i].length, want[i].text);
        counts[0][i + 1] = got[i].count;
        counts[1][i + 1] = want[i].count;
    }
    work_check_u32(work, what, counts[0], counts[1], got_count == want_count ? (size_t)want_count + 1 : 1);
}

#endif
