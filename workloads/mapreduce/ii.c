// ii: the inverted index of HTML files: the links, with file and position of each, by URL.
#include "job.h"

#define TAG "<a href=\""

typedef struct Link {
    const char *url;
    uint32_t length, file, position;
} Link;

static int by_url(const void *a, const void *b)
{
    const Link *x = a, *y = b;
    const String s = {x->url, x->length, 0}, t = {y->url, y->length, 0};
    const int order = by_text(&s, &t);
    if (order) return order;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

// The page that a rank stands for. Sites have many pages, and the pages of some lie deep.
static bool add_link(Work *work, Lines *pages, const char *end)
{
    const uint32_t rank = zipf(work, 12);
    char host[WORD_MAX], folder[WORD_MAX], page[WORD_MAX];
    spell(host, rank % 61);
    spell(folder, rank % 331);
    spell(page, rank);
    return add_line(pages, TAG "http://www.%s.%s/%s%s%s/%s.html\">%s</a>%s", host, rank % 3 ? "org" : "com",
                    rank % 7 ? "" : "archive/", rank % 11 ? "" : "documents/", folder, page, page, end);
}

// A page of 10 to 400 words, one in so many a link, with pictures and named places between them.
static bool add_page(Work *work, Lines *pages, uint32_t links)
{
    char word[WORD_MAX], other[WORD_MAX];
    random_word(work, word);
    bool room = add_line(pages, "<html><head><title>About %s</title></head>\n<body><h1>%s</h1>\n<p>\n", word, word);
    for (uint32_t left = 10 + work_random(work) % 390; room && left > 0; left--) {
        const uint32_t r = work_random(work);
        const char *end = r >> 28 == 0 ? "\n" : " ";
        random_word(work, word);
        if (links > 0 && (r >> 8) % links == 0) {
            room = add_link(work, pages, end);
        } else if (r % 64 == 1) {
            room = add_line(pages, "<img src=\"%s.png\">%s", word, end);
        } else if (r % 64 == 3) {
            random_word(work, other);
            room = add_line(pages, "<a name=\"%s\"></a><h2>%s</h2>%s", word, other, end);
        } else {
            room = add_line(pages, "%s%s", word, end);
        }
    }
    return room && add_line(pages, "</p></body></html>\n");
}

// The links of the text, sorted; file f lies from starts[f] to starts[f + 1].
static Link *find_links(Work *work, const char *text, const uint32_t *starts, uint32_t files, int64_t *count)
{
    *count = 0;
    for (const char *at = text; (at = strstr(at, TAG)); at++) ++*count;
    Link *links = work_host(work, (size_t)*count * sizeof *links);
    if (!links) return NULL;
    uint32_t file = 0;
    int64_t n = 0;
    for (const char *at = text; (at = strstr(at, TAG)); at++) {
        const uint32_t place = (uint32_t)(at - text);
        while (file + 1 < files && starts[file + 1] <= place) file++;
        const char *url = at + strlen(TAG);
        links[n++] = (Link){url, (uint32_t)strcspn(url, "\""), file, place - starts[file]};
    }
    if (n > 0) qsort(links, (size_t)n, sizeof *links, by_url);
    return links;
}

static void check(Work *work, Groups groups, const char *text, size_t size, const Link *want, int64_t count)
{
    const uint32_t *rows = read_pairs(work, groups.pairs, 2, 2);
    const uint32_t *starts = read_words(work, groups.starts, groups.count > 0 ? groups.count + 1 : 0);
    const size_t n = (size_t)groups.pairs.count;
    const uint32_t counts[2] = {(uint32_t)n, (uint32_t)groups.count};
    uint32_t wanted[2] = {(uint32_t)count, 0};
    Link *got = work_host(work, n * sizeof *got);
    uint32_t *got_words = work_host(work, n * 12), *words = work_host(work, (size_t)count * 12);
    uint32_t *want_starts = work_host(work, (size_t)(count + 1) * 4);
    if (!work_ok(work)) return;

    for (int64_t i = 0; i < count; i++)
        if (i == 0 || want[i].length != want[i - 1].length || memcmp(want[i].url, want[i - 1].url, want[i].length))
            want_starts[wanted[1]++] = (uint32_t)i;
    want_starts[wanted[1]] = (uint32_t)count;
    work_check_u32(work, "how many links and URLs", counts, wanted, 2);
    if (!work_ok(work) || n == 0) return;
    work_check_u32(work, "where a URL's links begin", starts, want_starts, (size_t)groups.count + 1);

    for (size_t i = 0; i < n; i++) {
        const uint32_t *row = rows + 4 * i;
        if (row[0] > size || row[1] > size - row[0]) {
            work_fail(work, "wrong result: link %zu is at %u, past the end of the files", i, row[0]);
            return;
        }
        got[i] = (Link){text + row[0], row[1], row[2], row[3]};
    }
    // A URL's links may stand in any order.
    for (int64_t g = 0; g < groups.count && work_ok(work); g++)
        qsort(got + starts[g], starts[g + 1] - starts[g], sizeof *got, by_url);
    for (size_t i = 0; i < n && work_ok(work); i++) {
        if (got[i].length != want[i].length || memcmp(got[i].url, want[i].url, want[i].length))
            work_fail(work, "wrong result: link %zu is to %.*s, the CPU's to %.*s", i, (int)got[i].length, got[i].url,
                      (int)want[i].length, want[i].url);
        memcpy(got_words + 3 * i, &got[i].length, 12);
        memcpy(words + 3 * i, &want[i].length, 12);
    }
    work_check_u32(work, "lengths, files, positions", got_words, words, 3 * n);
}

static void run(Work *work)
{
    const int64_t piece = work_param(work, "piece");
    Job job = job_open(work, true);
    Lines pages = lines_in(work, work_param(work, "size"));
    const int64_t most = (int64_t)pages.size / 64 + 2;  // files: but for the last, each has 64 bytes
    uint32_t *starts = work_host(work, (size_t)most * sizeof *starts), files = 0;
    Pieces pieces = pieces_of(work, most + (int64_t)pages.size / piece, 2);
    if (!work_ok(work)) return;
    for (bool room = true; room;) {  // the last page ends where the room does
        room = add_page(work, &pages, (uint32_t)work_param(work, "links"));
        if (pages.used > starts[files]) starts[++files] = (uint32_t)pages.used;
    }
    for (uint32_t f = 0; f < files; f++) {
        int64_t k = pieces.count;
        cut(&pieces, pages.text, starts[f], starts[f + 1], piece, is_newline);
        for (; k < pieces.count; k++) {
            pieces.keys[2 * k] = f;
            pieces.keys[2 * k + 1] = starts[f];
        }
    }

    job_data(&job, work_upload(work, "text", pages.text, pages.size), (WorkBuf){0}, 0);
    const Pairs input = upload_pairs(work, pieces.keys, 2, pieces.values, 2, pieces.count);
    const Groups groups = group_pairs(&job, "ii", map_pairs(&job, "ii", input));
    int64_t count;
    const Link *want = find_links(work, pages.text, starts, files, &count);
    check(work, groups, pages.text, pages.used, want, count);
}

static const WorkParam params[] = {
    {"size", "bytes of the files at most, 1 to 2^30", 20000, 1 << 17, 1, 1 << 30},
    {"piece", "bytes of a piece at least, which ends with a line, 1 to 2^30", 256, 1024, 1, 1 << 30},
    {"links", "one word in so many is a link, up to 10^6; 0: none is", 14, 14, 0, 1000000},
    GROUP_PARAMS,
    JOB_PARAMS,
    {.name = NULL},
};

const Workload workload_mapreduce_ii = {
    "ii", "mapreduce", "The links of HTML files by URL, with file and position: inverted index (Mars)", params, run};
