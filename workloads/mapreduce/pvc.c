// pvc: how many views each URL of a log has, where what stands in the log twice is one view.
#include "job.h"

// A new entry: the URL of a rank, an address, a cookie.
static bool add_view(Work *work, Lines *log, uint32_t urls)
{
    const uint32_t rank = zipf(work, urls), a = work_random(work), cookie = work_random(work);
    char host[WORD_MAX], folder[WORD_MAX], page[WORD_MAX];
    spell(host, rank % 61);
    spell(folder, rank % 331);
    spell(page, rank);
    return add_line(log, "http://www.%s.%s/%s%s%s.html\t%u.%u.%u.%u\t%08x\n", host, rank % 3 ? "org" : "com", folder,
                    rank % 5 ? "/" : "/archive/index/", page, a & 255, a >> 8 & 255, a >> 16 & 255, a >> 24, cookie);
}

// Entries, of which so many in a hundred repeat one of those before.
static Pieces write_log(Work *work, Lines *log, uint32_t urls, uint32_t repeats)
{
    Pieces entries = pieces_of(work, (int64_t)log->size / 32 + 2, 1);  // an entry has 32 bytes
    if (!work_ok(work)) return entries;
    for (bool room = true; room;) {
        const size_t begin = log->used;
        if (log->count > 0 && work_random(work) % 100 < repeats) {
            const uint32_t *old = entries.values + 2 * (size_t)(work_random(work) % log->count);
            room = add_line(log, "%.*s\n", (int)old[1], log->text + old[0]);
        } else {
            room = add_view(work, log, urls);
        }
        if (!room) break;
        entries.keys[entries.count] = (uint32_t)entries.count;
        entries.values[2 * entries.count] = (uint32_t)begin;
        entries.values[2 * entries.count++ + 1] = (uint32_t)(log->used - begin - 1);
    }
    return entries;
}

// The rows' strings in the log.
static String *strings_of(Work *work, const uint32_t *rows, int64_t count, bool counted, const Lines *log)
{
    String *strings = work_host(work, (size_t)count * sizeof *strings);
    for (int64_t i = 0; i < count && work_ok(work); i++) {
        const uint32_t *row = rows + 3 * i;
        if (row[0] > log->used || row[1] > log->used - row[0])
            work_fail(work, "wrong result: string %lld is at %u, past the log's end", (long long)i, row[0]);
        else
            strings[i] = (String){log->text + row[0], row[1], counted ? row[2] : 1};
    }
    return strings;
}

static void run(Work *work)
{
    Job job = job_open(work, true);
    Lines log = lines_in(work, work_param(work, "size"));
    const Pieces entries =
        write_log(work, &log, (uint32_t)work_param(work, "urls"), (uint32_t)work_param(work, "repeats"));
    job_data(&job, work_upload(work, "log", log.text, log.size), (WorkBuf){0}, 0);
    const Pairs input = upload_pairs(work, entries.keys, 1, entries.values, 2, entries.count);
    const Groups same = group_pairs(&job, "pvc_entries", map_pairs(&job, "pvc_entries", input));
    const Pairs distinct = reduce_groups(&job, "pvc_entries", same);
    const uint32_t *distinct_rows = read_pairs(work, distinct, 2, 1);
    String *got_entries = strings_of(work, distinct_rows, distinct.count, false, &log);
    const Groups views = group_pairs(&job, "pvc_views", map_pairs(&job, "pvc_views", distinct));
    const Pairs counts = reduce_groups(&job, "pvc_views", views);
    const uint32_t *rows = read_pairs(work, counts, 2, 1);
    String *got = strings_of(work, rows, counts.count, true, &log);

    String *want = work_host(work, (size_t)entries.count * sizeof *want);
    if (!work_ok(work)) return;
    const char *entry = log.text;
    for (int64_t i = 0; i < entries.count; i++) {
        const char *end = strchr(entry, '\n');
        want[i] = (String){entry, (uint32_t)(end - entry), 1};
        entry = end + 1;
    }
    int64_t left = tally(want, entries.count);
    for (int64_t i = 0; i < left; i++) want[i].count = 1;
    check_strings(work, "entries", got_entries, distinct.count, want, left);
    for (int64_t i = 0; i < left; i++) want[i].length = (uint32_t)strcspn(want[i].text, "\t");
    left = tally(want, left);
    check_strings(work, "views", got, counts.count, want, left);
}

static const WorkParam params[] = {
    {"size", "bytes of the log at most, 1 to 2^30", 20000, 1 << 16, 1, 1 << 30},
    {"urls", "the log has up to 2^urls - 1 URLs, 1 to 16", 8, 12, 1, 16},
    {"repeats", "entries of a hundred that repeat an earlier one, 0 to 100", 30, 30, 0, 100},
    GROUP_PARAMS,
    JOB_PARAMS,
    {.name = NULL},
};

const Workload workload_mapreduce_pvc = {
    "pvc", "mapreduce", "The distinct views of each URL in a web server's log: page view count (Mars)", params, run};
