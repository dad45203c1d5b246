// wc: how often each word is in a text.
#include "job.h"

#include <ctype.h>

static bool between_words(char c) { return !isalpha((unsigned char)c); }

static void run(Work *work)
{
    const int64_t size = work_param(work, "size"), piece = work_param(work, "piece"), bits = work_param(work, "words");
    Job job = job_open(work, true);
    char *text = work_host(work, (size_t)size + 1), *small = work_host(work, (size_t)size + 1);
    Pieces pieces = pieces_of(work, size / piece + 1, 1);
    if (!work_ok(work)) return;
    if (bits > 0)
        write_prose(work, text, (size_t)size, (uint32_t)bits);
    else
        memset(text, ' ', (size_t)size);
    cut(&pieces, text, 0, size, piece, between_words);
    for (int64_t k = 0; k < pieces.count; k++) pieces.keys[k] = (uint32_t)k;

    job_data(&job, work_upload(work, "text", text, (size_t)size), (WorkBuf){0}, 0);
    const Pairs input = upload_pairs(work, pieces.keys, 1, pieces.values, 2, pieces.count);
    const Groups groups = group_pairs(&job, "wc", map_pairs(&job, "wc", input));
    const Pairs counts = reduce_groups(&job, "wc", groups);
    const uint32_t *rows = read_pairs(work, counts, 2, 1);

    int64_t n = 0;
    String *got = work_host(work, (size_t)counts.count * sizeof *got);
    String *want = work_host(work, (size_t)(size / 2 + 1) * sizeof *want);
    if (!work_ok(work)) return;
    for (int64_t i = 0; i < size; i++) small[i] = (char)tolower((unsigned char)text[i]);
    for (int64_t i = 0; i < counts.count; i++) {
        const uint32_t *row = rows + 3 * i;
        if (row[0] > size || row[1] > size - row[0]) {
            work_fail(work, "wrong result: word %lld is at %u, past the text's end", (long long)i, row[0]);
            return;
        }
        got[i] = (String){small + row[0], row[1], row[2]};
    }
    for (const char *at = small; at < small + size;) {
        const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz");
        if (length > 0) want[n++] = (String){at, (uint32_t)length, 1};
        at += length + 1;
    }
    n = tally(want, n);
    check_strings(work, "words", got, counts.count, want, n);
}

static const WorkParam params[] = {
    {"size", "bytes of the text, 1 to 2^30", 8000, 1 << 15, 1, 1 << 30},
    {"piece", "bytes of a piece at least, which ends between words, 1 to 2^30", 256, 2048, 1, 1 << 30},
    {"words", "the text is of 2^words - 1 words, up to 16; 0: it is blank", 12, 12, 0, 16},
    GROUP_PARAMS,
    JOB_PARAMS,
    {.name = NULL},
};

const Workload workload_mapreduce_wc = {"wc", "mapreduce", "How often each word is in a text: word count (Mars)",
                                        params, run};
