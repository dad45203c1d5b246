// grep: the lines of a text in which a pattern matches. The reference is the C library's matcher: basic regular
// expressions of ^ . * $ and letters alone mean there what they mean to the kernel.
#include "stream.h"

#include <regex.h>

#define PATTERN 64  // as in grep.cu

static const char patterns[][PATTERN] = {"go.*ing.*th", "th.*ing.*th", "d*in,$", "^.e.*n.$", "wath"};

static void run(Work *work)
{
    const Shape shape = work_shape(work);
    const int64_t size = work_shared(work, "size"), chunk = chunk_of(shape, size);
    const char *pattern = patterns[work_param(work, "pattern")];
    const size_t of_counts = (size_t)shape.threads * sizeof(uint32_t);
    char *text = work_host(work, (size_t)size);
    uint32_t *lines = work_host(work, of_counts), *first = work_host(work, of_counts);
    uint32_t *want_lines = work_host(work, of_counts), *want_first = work_host(work, of_counts);
    write_prose(work, text, (size_t)size, WORD_BITS);
    WorkBuf dtext = work_upload(work, "text", text, (size_t)size);
    WorkBuf dpattern = work_upload(work, "pattern", pattern, PATTERN);
    WorkBuf dlines = work_device(work, "lines", of_counts), dfirst = work_device(work, "first", of_counts);

    work_launch(
        work, "grep", shape.grid, shape.block, 0,
        ARGS(arg_i32(size), arg_i32(chunk), arg_buf(dtext), arg_buf(dpattern), arg_buf(dlines), arg_buf(dfirst)));
    work_read(work, lines, dlines, of_counts);
    work_read(work, first, dfirst, of_counts);
    if (!work_ok(work)) return;

    regex_t regex;
    if (regcomp(&regex, pattern, REG_NOSUB) != 0) {
        work_fail(work, "regcomp refuses '%s'", pattern);
        return;
    }
    for (int64_t t = 0; t < shape.threads; t++) want_first[t] = (uint32_t)size;
    for (char *line = text, *end; line < text + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        *end = 0;
        if (regexec(&regex, line, 0, NULL, 0) == 0) {
            const int64_t t = (line - text) / chunk;
            if (want_lines[t]++ == 0) want_first[t] = (uint32_t)(line - text);
        }
    }
    regfree(&regex);
    work_check_u32(work, "matching lines of a chunk", lines, want_lines, (size_t)shape.threads);
    work_check_u32(work, "first matching line of a chunk", first, want_first, (size_t)shape.threads);
}

static const WorkParam params[] = {
    SHAPE_PARAMS,
    {"size", "characters of the text, 1 to 2^30", 5000, 2 << 20, 1, 1 << 30},
    {"pattern", "0: go.*ing.*th; 1: th.*ing.*th, the slowest; 2: d*in,$; 3: ^.e.*n.$; 4: wath", 1, 0, 0, 4},
    {.name = NULL},
};

const Workload workload_streaming_grep = {
    "grep", "streaming", "Lines in which a pattern matches, by a recursive matcher (S-L1, Table 1; Kernighan, Pike)",
    params, run};
