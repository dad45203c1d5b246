// pageview: how often each URL of a web server's log was asked for.
#include "stream.h"

#include <stdlib.h>

enum { SLOTS = 1 << 15 };  // for 2^14 URLs

typedef struct Url {
    const char *text;
    size_t length;
} Url;

static int by_text(const void *a, const void *b)
{
    const Url *x = a, *y = b;
    const int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

// Lines of one day; every URL has a rank, from which it follows.
static void write_log(Work *work, Lines *log)
{
    uint32_t second = 0;
    for (bool room = true; room; second += work_random(work) % 2) {
        const uint32_t r = work_random(work), rank = zipf(work, 14);
        char folder[WORD_MAX], page[WORD_MAX];
        spell(folder, rank % 61);
        spell(page, rank);
        room = add_line(log, "%u.%u.%u.%u - - [10/Oct/2014:%02u:%02u:%02u -0700] \"%s /%s/%s.html HTTP/1.1\" %u %u\n",
                        r & 255, r >> 8 & 255, r >> 16 & 255, r >> 24, second / 3600 % 24, second / 60 % 60,
                        second % 60, r % 16 ? "GET" : "POST", folder, page, r % 32 == 1 ? 404 : 200, r % 99991);
    }
}

static uint32_t table_hits(const uint64_t *keys, const uint32_t *hits, uint32_t mask, uint64_t key)
{
    for (uint32_t s = (uint32_t)key & mask, n = 0; keys[s] && n <= mask; s = (s + 1) & mask, n++)
        if (keys[s] == key) return hits[s];
    return 0;
}

static void run(Work *work)
{
    const Shape shape = work_shape(work);
    Lines log = lines_in(work, work_shared(work, "size"));
    write_log(work, &log);
    const int64_t size = (int64_t)log.used;
    const uint32_t slots = SLOTS;
    uint64_t *keys = work_host(work, slots * sizeof *keys);
    uint32_t *hits = work_host(work, slots * sizeof *hits);
    WorkBuf dlog = work_upload(work, "log", log.text, log.used);
    WorkBuf dkeys = work_device(work, "keys", slots * sizeof *keys),
            dhits = work_device(work, "hits", slots * sizeof *hits);

    work_launch(work, "pageview", shape.grid, shape.block, 0,
                ARGS(arg_i32(size), arg_i32(chunk_of(shape, size)), arg_buf(dlog), arg_i32(slots - 1), arg_buf(dkeys),
                     arg_buf(dhits)));
    work_read(work, keys, dkeys, slots * sizeof *keys);
    work_read(work, hits, dhits, slots * sizeof *hits);

    // The reference sorts the URLs and counts the equal ones; the last count is that of all lines.
    Url *urls = work_host(work, log.count * sizeof *urls);
    uint32_t *got = work_host(work, (log.count + 1) * sizeof *got),
             *want = work_host(work, (log.count + 1) * sizeof *want);
    if (!work_ok(work)) return;
    char *line = log.text;
    for (uint32_t n = 0; n < log.count; n++, line = strchr(line, '\n') + 1) {
        const char *url = strchr(strchr(line, '"'), ' ') + 1;
        urls[n] = (Url){url, (size_t)(strchr(url, ' ') - url)};
    }
    qsort(urls, log.count, sizeof *urls, by_text);
    size_t distinct = 0;
    for (uint32_t n = 0; n < log.count; n++) {
        if (n > 0 && by_text(urls + n, urls + n - 1) != 0) distinct++;
        if (want[distinct]++ == 0)
            got[distinct] = table_hits(keys, hits, slots - 1, hash_of(urls[n].text, urls[n].length));
    }
    distinct++;
    want[distinct] = log.count;
    for (uint32_t s = 0; s < slots; s++) got[distinct] += hits[s];
    work_check_u32(work, "hits", got, want, distinct + 1);
}

// --- In chunks (S-L1, §4.3) -----------------------------------------------------------------------------------------

typedef struct Count {  // the table, on the CPU
    uint64_t keys[SLOTS];
    uint32_t hits[SLOTS];
} Count;

typedef struct DeviceCount {
    WorkBuf keys, hits;
} DeviceCount;

static Needed url_and_blank(const char *line)
{
    const char *url = strchr(strchr(line, '"'), ' ') + 1;
    return (Needed){url, strchr(url, ' ') + 1};
}

static void make_stream(Work *work, StreamInput *in)
{
    DeviceCount *own = work_host(work, sizeof *own);
    Lines log = lines_in(work, work_shared(work, "size"));
    write_log(work, &log);
    if (!work_ok(work)) return;
    *own = (DeviceCount){work_device(work, "keys", sizeof(uint64_t[SLOTS])),
                         work_device(work, "hits", sizeof(uint32_t[SLOTS]))};
    work_fill(work, own->keys, 0);
    work_fill(work, own->hits, 0);
    *in = stream_lines(work, &log, url_and_blank, own);
    in->result_bytes = in->partial_bytes = sizeof(Count);
}

static void plain(Work *work, const StreamInput *in, const StreamChunk *c)
{
    const DeviceCount *own = in->own;
    work_launch(work, "pageview", c->grid, c->block, 0,
                ARGS(arg_i32((int64_t)c->bytes), arg_i32(c->each), arg_buf(c->data), arg_i32(SLOTS - 1),
                     arg_buf(own->keys), arg_buf(own->hits)));
}

static void compute(Work *work, const StreamInput *in, const StreamChunk *c)
{
    const DeviceCount *own = in->own;
    work_launch(work, "pageview_compute", c->grid, c->block, 0,
                ARGS(arg_buf(c->data), arg_i32(c->unit), arg_i32(SLOTS - 1), arg_buf(own->keys), arg_buf(own->hits)));
}

static void finish(Work *work, const StreamInput *in, void *got)
{
    const DeviceCount *own = in->own;
    Count *count = got;
    work_read(work, count->keys, own->keys, sizeof count->keys);
    work_read(work, count->hits, own->hits, sizeof count->hits);
}

static void add_hits(Count *count, uint64_t key, uint32_t hits)
{
    uint32_t s = (uint32_t)key & (SLOTS - 1);
    while (count->keys[s] && count->keys[s] != key) s = (s + 1) & (SLOTS - 1);
    count->keys[s] = key;
    count->hits[s] += hits;
}

static void on_cpu(const StreamInput *in, int pass, size_t from, size_t to, void *result, void *partial)
{
    (void)pass, (void)result;
    uint64_t hash = HASH_START;
    uint32_t blanks = 0;
    for (size_t i = from; i < to; i++) {
        const uint8_t c = in->bytes[i];
        if (c == '\n') {
            add_hits(partial, hash, 1);
            hash = HASH_START;
            blanks = 0;
        } else if (c == ' ') {
            blanks++;
        } else if (blanks == 6) {
            hash = hash_add(hash, c);
        }
    }
}

static void merge(const StreamInput *in, int pass, const void *partial, void *result)
{
    const Count *count = partial;
    (void)in, (void)pass;
    for (uint32_t s = 0; s < SLOTS; s++)
        if (count->keys[s]) add_hits(result, count->keys[s], count->hits[s]);
}

// Tables that were filled in another order: URL by URL, and all hits together.
static void check(Work *work, const StreamInput *in, const void *got, const void *want)
{
    const Count *g = got, *w = want;
    uint32_t *of_urls = work_host(work, sizeof(uint32_t[SLOTS + 1]));
    uint32_t *wanted = work_host(work, sizeof(uint32_t[SLOTS + 1]));
    (void)in;
    if (!work_ok(work)) return;
    for (uint32_t s = 0; s < SLOTS; s++) {
        if (w->keys[s]) of_urls[s] = table_hits(g->keys, g->hits, SLOTS - 1, w->keys[s]);
        wanted[s] = w->hits[s];
        of_urls[SLOTS] += g->hits[s];
        wanted[SLOTS] += w->hits[s];
    }
    work_check_u32(work, "hits", of_urls, wanted, SLOTS + 1);
}

const StreamProgram streamed_pageview = {.workload = "streaming/pageview",
                                         .passes = 1,
                                         .gather = "pageview_gather",
                                         .make = make_stream,
                                         .plain = plain,
                                         .compute = compute,
                                         .finish = finish,
                                         .cpu = on_cpu,
                                         .merge = merge,
                                         .check = check};

static const WorkParam params[] = {
    SHAPE_PARAMS,
    {"size", "bytes of the log at most, 1024 to 2^30", 10000, 8 << 20, 1024, 1 << 30},
    {.name = NULL},
};

const Workload workload_streaming_pageview = {
    "pageview", "streaming", "Hits of each URL in a web server's log (S-L1, Table 1: Page View Count)", params, run};
