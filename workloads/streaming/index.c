// index: the reverse index of a series of HTML files.
#include "stream.h"

#define TAG "<a href=\""
#define SHORTEST 100  // bytes of a page, at least

typedef struct Link {
    uint32_t url, length, file;
} Link;

// A page of 10 to 400 words, one in 14 a link, with pictures and named places between them.
static bool add_page(Work *work, Lines *pages)
{
    char a[WORD_MAX], b[WORD_MAX], c[WORD_MAX];
    random_word(work, a);
    bool room =
        add_line(pages, "<html><head><title>About %s</title></head>\n<body bgcolor=\"white\"><h1>%s</h1>\n<p>\n", a, a);
    for (uint32_t left = 10 + work_random(work) % 390; room && left > 0; left--) {
        const uint32_t r = work_random(work);
        const char *end = r >> 28 == 0 ? "\n" : " ";
        random_word(work, a);
        random_word(work, b);
        random_word(work, c);
        if (r % 14 == 0)
            room = add_line(pages, "<a href=\"http://www.%s.org/%s/%s.html\">%s</a>%s", a, b, c, c, end);
        else if (r % 64 == 1)
            room = add_line(pages, "<img src=\"%s.png\">%s", a, end);
        else if (r % 64 == 3)
            room = add_line(pages, "<a name=\"%s\"></a><h2>%s</h2>%s", a, b, end);
        else
            room = add_line(pages, "%s%s", a, end);
    }
    return room && add_line(pages, "</p></body></html>\n");
}

static void run(Work *work)
{
    const Shape shape = work_shape(work);
    Lines pages = lines_in(work, work_shared(work, "size"));
    uint32_t *starts = work_host(work, (pages.size / SHORTEST + 2) * sizeof *starts), files = 0;
    if (!work_ok(work)) return;
    while (add_page(work, &pages)) starts[++files] = (uint32_t)pages.used;
    pages.used = starts[files];  // the last one isn't whole
    pages.text[pages.used] = 0;

    const int64_t size = (int64_t)pages.used, chunk = chunk_of(shape, size), room = chunk / (int64_t)sizeof TAG + 1;
    const size_t threads = (size_t)shape.threads, of_links = threads * (size_t)room * sizeof(Link);
    Link *links = work_host(work, of_links);
    uint32_t *found = work_host(work, threads * sizeof *found);
    WorkBuf dpages = work_upload(work, "pages", pages.text, pages.used);
    WorkBuf dstarts = work_upload(work, "starts", starts, (files + 1) * sizeof *starts);
    WorkBuf dlinks = work_device(work, "links", of_links), dfound = work_device(work, "found", threads * sizeof *found);
    work_launch(work, "index_links", shape.grid, shape.block, 0,
                ARGS(arg_i32(size), arg_i32(chunk), arg_buf(dpages), arg_i32(files), arg_buf(dstarts), arg_i32(room),
                     arg_buf(dlinks), arg_buf(dfound)));
    work_read(work, links, dlinks, of_links);
    work_read(work, found, dfound, threads * sizeof *found);

    // The threads' links, one after the other, are those of the files in order.
    uint32_t got = 0, want = 0, file = 0;
    Link *truth = work_host(work, (pages.used / sizeof TAG + 1) * sizeof(Link));
    if (!work_ok(work)) return;
    for (size_t t = 0; t < threads; t++) {
        if (found[t] > room) work_fail(work, "thread %zu found %u links in %lld bytes", t, found[t], (long long)chunk);
        for (uint32_t k = 0; k < found[t] && k < room; k++) links[got++] = links[t * (size_t)room + k];
    }
    for (char *url = pages.text; (url = strstr(url, TAG)); want++) {
        url += strlen(TAG);
        while (pages.text + starts[file + 1] <= url) file++;
        truth[want] = (Link){(uint32_t)(url - pages.text), (uint32_t)strcspn(url, "\""), file};
    }
    work_check_u32(work, "how many links", &got, &want, 1);
    work_check_u32(work, "links", (const uint32_t *)links, (const uint32_t *)truth, 3 * (size_t)want);
}

static const WorkParam params[] = {
    SHAPE_PARAMS,
    {"size", "bytes of the files at most, 16384 to 2^30", 20000, 8 << 20, 16384, 1 << 30},
    {.name = NULL},
};

const Workload workload_streaming_index = {
    "index", "streaming", "The links of HTML files, with the file of each (S-L1, Table 1: Inverted Index)", params,
    run};
