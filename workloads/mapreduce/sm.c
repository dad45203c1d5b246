// sm: the lines of a text with a keyword in them.
#include "job.h"

// Joins lines until each has so many characters.
static void join_lines(char *text, int64_t size, int64_t least)
{
    int64_t line = 0;
    for (int64_t i = 0; i < size - 1; i++) {
        if (text[i] != '\n') continue;
        if (i - line < least)
            text[i] = ' ';
        else
            line = i + 1;
    }
}

static void run(Work *work)
{
    const int64_t size = work_param(work, "size"), piece = work_param(work, "piece");
    char keyword[WORD_MAX + 4] = "";
    Job job = job_open(work, false);
    char *text = work_host(work, (size_t)size + 1);
    write_prose(work, text, (size_t)size, WORD_BITS);
    const int64_t length = spell(keyword, (uint32_t)work_param(work, "keyword"));
    Pieces pieces = pieces_of(work, size / piece + 1, 1);
    if (!work_ok(work)) return;
    join_lines(text, size, work_param(work, "line"));
    cut(&pieces, text, 0, size, piece, is_newline);
    for (int64_t k = 0; k < pieces.count; k++) pieces.keys[k] = (uint32_t)k;

    job_data(&job, work_upload(work, "text", text, (size_t)size), work_upload(work, "keyword", keyword, sizeof keyword),
             length);
    const Pairs input = upload_pairs(work, pieces.keys, 1, pieces.values, 2, pieces.count);
    const Pairs found = map_pairs(&job, "sm", input);
    const uint32_t *got = read_pairs(work, found, 2, 1);
    if (!work_ok(work)) return;

    // The lines are found in the text's order.
    uint32_t got_count = (uint32_t)found.count, count = 0;
    for (int pass = 0; pass < 2; pass++) {
        uint32_t *want = pass ? work_host(work, (size_t)count * 12) : NULL;
        if (!work_ok(work)) return;
        count = 0;
        for (char *line = text, *end; line < text + size; line = end + 1) {
            end = memchr(line, '\n', (size_t)(text + size - line));
            *end = 0;
            const char *at = strstr(line, keyword);
            *end = '\n';
            if (!at) continue;
            if (want)
                memcpy(want + 3 * (size_t)count,
                       (uint32_t[]){(uint32_t)(line - text), (uint32_t)(end - line), (uint32_t)(at - text)}, 12);
            count++;
        }
        if (!pass) work_check_u32(work, "how many lines", &got_count, &count, 1);
        if (want) work_check_u32(work, "lines, lengths, positions", got, want, 3 * (size_t)count);
    }
}

static const WorkParam params[] = {
    {"size", "bytes of the text, 1 to 2^30", 20000, 1 << 18, 1, 1 << 30},
    {"piece", "bytes of a piece at least, which ends with a line, 1 to 2^30", 256, 1024, 1, 1 << 30},
    {"line", "characters of a line at least, 1 to 2^30", 1, 1, 1, 1 << 30},
    {"keyword", "the keyword's rank among the text's 4095 words, up to 65535; from 4095 on, none of them", 100, 100, 0,
     65535},
    JOB_PARAMS,
    {.name = NULL},
};

const Workload workload_mapreduce_sm = {"sm", "mapreduce", "The lines of a text with a keyword: string match (Mars)",
                                        params, run};
