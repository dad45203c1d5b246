// pageview: how often each URL of a web server's log was asked for.
#include "stream.h"

#include <stdlib.h>

typedef struct Url {
    const char *text;
    size_t length;
} Url;

static int by_text(const void *a, const void *b) {
    const Url *x = a, *y = b;
    const int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

// Lines of one day; every URL has a rank, from which it follows.
static void write_log(Work *work, Lines *log) {
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

static uint32_t table_hits(const uint64_t *keys, const uint32_t *hits, uint32_t mask, uint64_t key) {
    for (uint32_t s = (uint32_t)key & mask, n = 0; keys[s] && n <= mask; s = (s + 1) & mask, n++)
        if (keys[s] == key) return hits[s];
    return 0;
}

static void run(Work *work) {
    const Shape shape = work_shape(work);
    Lines log = lines_in(work, work_param(work, "size"));
    write_log(work, &log);
    const int64_t size = (int64_t)log.used;
    const uint32_t slots = 1 << 15;  // for 2^14 URLs
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

static const WorkParam params[] = {
    SHAPE_PARAMS,
    {"size", "bytes of the log at most, 1024 to 2^30", 10000, 8 << 20, 1024, 1 << 30},
    {.name = NULL},
};

const Workload workload_streaming_pageview = {
    "pageview", "streaming", "Hits of each URL in a web server's log (S-L1, Table 1: Page View Count)", params, run};
