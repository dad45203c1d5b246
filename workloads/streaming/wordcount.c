// wordcount: lines, words and characters of a text, as Unix wc.
#include "stream.h"

enum { LINES, WORDS, CHARACTERS, EDGES, OUTPUTS };

// Words of 1 to 12 letters, one letter in 16 an e acute of two bytes; a line break after one word in 12, else a blank.
static void make_text(Work *work, uint8_t *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        const uint32_t r = work_random(work);
        for (uint32_t letters = 1 + (r & 0xFFFF) % 12; letters > 0 && at < size; letters--) {
            const uint32_t letter = work_random(work);
            if (letter >> 28 == 0 && at + 1 < size) {
                text[at++] = 0xC3;
                text[at++] = 0xA9;
            } else {
                text[at++] = (uint8_t)('a' + (letter & 0xFFFF) % 26);
            }
        }
        if (at < size) text[at++] = (r >> 16) % 12 == 0 ? '\n' : (r >> 16) % 12 == 1 ? '\t' : ' ';
    }
}

static bool is_space(uint8_t c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// The launch is given as Figure 1 has it, by all threads and the bytes of each, or by a shape and the size of the text,
// as that of the suite's other programs. Blanks then fill the last chunks.
static void run(Work *work)
{
    const int64_t blocks = work_blocks(work, "blocks"), wanted = work_shared(work, "size");
    int64_t threads = work_param(work, "threads"), block = work_param(work, "block"), bytes = work_param(work, "bytes");
    if (bytes % 128 != 0) work_refuse(work, "bytes", "a multiple of 128");
    if (!blocks) threads = work_share(work, threads);
    if (blocks > 0) {
        block = threads;
        threads *= blocks;
        if (block > 1024) work_refuse(work, "threads", "up to 1024 for each of so many blocks");
    }
    if (wanted > 0) bytes = ceil_div(wanted, threads);
    const size_t size = (size_t)threads * (size_t)bytes, of_counts = (size_t)threads * sizeof(uint32_t);
    if (size > UINT32_MAX) work_refuse(work, "bytes", "a text of less than 4 GiB, threads * bytes,");
    uint8_t *text = work_host(work, size);
    uint32_t *counts[OUTPUTS], got[3] = {0}, want[3] = {0};
    const size_t filled = wanted > 0 ? (size_t)wanted : size;
    if (text) {
        make_text(work, text, filled);
        memset(text + filled, ' ', size - filled);
    }

    WorkBuf dtext = work_upload(work, "text", text, size), dcounts[OUTPUTS];
    static const char *const labels[OUTPUTS] = {"lines", "words", "characters", "edges"};
    for (int k = 0; k < OUTPUTS; k++) {
        counts[k] = work_host(work, of_counts);
        dcounts[k] = work_device(work, labels[k], of_counts);
    }
    const char *kernel = work_param(work, "texture") ? "wordcount_texture" : "wordcount";
    work_launch(work, kernel, dim1(ceil_div(threads, block)), dim1((uint32_t)block), 0,
                ARGS(arg_i32(threads), arg_i32(bytes), arg_buf(dtext), arg_buf(dcounts[LINES]), arg_buf(dcounts[WORDS]),
                     arg_buf(dcounts[CHARACTERS]), arg_buf(dcounts[EDGES])));
    for (int k = 0; k < OUTPUTS; k++) work_read(work, counts[k], dcounts[k], of_counts);
    if (!work_ok(work)) return;

    for (int64_t t = 0; t < threads; t++) {
        for (int k = 0; k < 3; k++) got[k] += counts[k][t];
        if (t > 0 && counts[EDGES][t] & 1 && counts[EDGES][t - 1] & 2) got[WORDS]--;  // it began in the chunk before
    }
    for (size_t i = 0; i < size; i++) {
        want[LINES] += text[i] == '\n';
        want[WORDS] += !is_space(text[i]) && (i == 0 || is_space(text[i - 1]));
        want[CHARACTERS] += text[i] >> 6 != 2;  // UTF-8's continuation bytes begin with 10
    }
    work_check_u32(work, "lines, words, characters", got, want, 3);
}

// --- In chunks (S-L1, §4.3) -----------------------------------------------------------------------------------------

typedef struct Total {
    uint32_t counts[3], inside;  // inside: the text so far ends inside a word
} Total;

static void make_stream(Work *work, StreamInput *in)
{
    const size_t size = (size_t)work_shared(work, "size");
    uint8_t *text = work_host(work, size);
    if (text) make_text(work, text, size);
    *in =
        (StreamInput){.bytes = text, .size = size, .result_bytes = sizeof(Total), .partial_bytes = sizeof(uint32_t[3])};
}

// Threads without a share write nothing.
static uint32_t used(const StreamChunk *c) { return ceil_div((int64_t)c->bytes, c->each); }

static size_t room(const StreamInput *in, const StreamChunk *c)
{
    (void)in;
    return c->threads * OUTPUTS * sizeof(uint32_t);
}

static WorkArg output(const StreamChunk *c, int k)
{
    return arg_u64(c->results.ptr + (uint64_t)k * c->threads * sizeof(uint32_t));
}

// The kernel takes shares that are whole: the last one is filled up with blanks.
static void plain(Work *work, const StreamInput *in, const StreamChunk *c)
{
    const size_t whole = (size_t)used(c) * c->each;
    (void)in;
    if (whole > c->bytes) work_fill(work, (WorkBuf){c->data.ptr + c->bytes, whole - c->bytes}, ' ');
    work_launch(work, "wordcount", c->grid, c->block, 0,
                ARGS(arg_i32(used(c)), arg_i32(c->each), arg_buf(c->data), output(c, LINES), output(c, WORDS),
                     output(c, CHARACTERS), output(c, EDGES)));
}

static void compute(Work *work, const StreamInput *in, const StreamChunk *c)
{
    (void)in;
    work_launch(work, "wordcount_compute", c->grid, c->block, 0,
                ARGS(arg_buf(c->data), arg_i32(c->unit), output(c, LINES), output(c, WORDS), output(c, CHARACTERS),
                     output(c, EDGES)));
}

static void take(const StreamInput *in, const StreamChunk *c, const void *results, void *got)
{
    const uint32_t *counts = results, *edges = counts + (size_t)EDGES * c->threads;
    Total *total = got;
    for (uint32_t t = 0; t < used(c); t++) {
        for (int k = 0; k < 3; k++) total->counts[k] += counts[(size_t)k * c->threads + t];
        if (edges[t] & 1 && total->inside) total->counts[WORDS]--;  // it began in the share before
        total->inside = edges[t] >> 1;
    }
    if (!c->assembled) total->counts[CHARACTERS] -= used(c) * c->each - (uint32_t)c->bytes;
    if (used(c) * c->each > c->bytes && !c->assembled) total->inside = !is_space(in->bytes[c->at + c->bytes - 1]);
}

static void on_cpu(const StreamInput *in, int pass, size_t from, size_t to, void *result, void *partial)
{
    uint32_t *counts = partial;
    bool inside = from > 0 && !is_space(in->bytes[from - 1]);
    (void)pass, (void)result;
    for (size_t i = from; i < to; i++) {
        const uint8_t c = in->bytes[i];
        const bool word = !is_space(c);
        counts[LINES] += c == '\n';
        counts[WORDS] += word && !inside;
        counts[CHARACTERS] += c >> 6 != 2;
        inside = word;
    }
}

static void merge(const StreamInput *in, int pass, const void *partial, void *result)
{
    const uint32_t *counts = partial;
    (void)in, (void)pass;
    for (int k = 0; k < 3; k++) ((Total *)result)->counts[k] += counts[k];
}

static void check(Work *work, const StreamInput *in, const void *got, const void *want)
{
    (void)in;
    work_check_u32(work, "lines, words, characters", got, want, 3);
}

const StreamProgram streamed_wordcount = {.workload = "streaming/wordcount",
                                          .passes = 1,
                                          .gather = "wordcount_gather",
                                          .make = make_stream,
                                          .plain = plain,
                                          .compute = compute,
                                          .room = room,
                                          .take = take,
                                          .cpu = on_cpu,
                                          .merge = merge,
                                          .check = check};

static const WorkParam params[] = {
    {"threads", "chunks of the text, and threads, 1 to 2^20; with blocks, those of a block", 100, 1920, 1, 1 << 20},
    {"bytes", "bytes of a chunk, a multiple of 128 up to 2^20", 256, 4096, 128, 1 << 20},
    {"block", "threads of a block, 1 to 1024", 64, 128, 1, 1024},
    {"blocks", "blocks of so many threads, up to 65535; 0: as many as block makes of threads", 0, 0, 0, 65535},
    {"size", "bytes of the text, up to 2^30; 0: threads * bytes", 0, 0, 0, 1 << 30},
    {"texture", "1: the text is read through the texture cache (S-L1, footnote 4); 0: as other memory", 0, 0, 0, 1},
    {.name = NULL},
};

const Workload workload_streaming_wordcount = {
    "wordcount", "streaming", "Lines, words and characters of a text, a thread a chunk (S-L1, Figure 1)", params, run};
