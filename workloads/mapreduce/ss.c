// ss: the similarity score of every two documents.
#include "job.h"

// How often each feature is in each document: features are as frequent as words, and a document has up to so many.
static void make_documents(Work *work, float *vectors, int64_t documents, int64_t features, uint32_t words)
{
    uint32_t bits = 1;
    while (bits < 16 && (1ll << bits) <= features) bits++;
    for (int64_t i = 0; vectors && i < documents; i++)
        for (uint32_t left = work_random(work) % (words + 1); left > 0; left--)
            vectors[i * features + zipf(work, bits) % features]++;
}

// Every two documents are there once, with their score, and the scores rise.
static void check(Work *work, Groups groups, const float *vectors, int64_t documents, int64_t features)
{
    const int64_t n = documents * (documents - 1) / 2;
    const uint32_t *rows = read_pairs(work, groups.pairs, 1, 2);
    const uint32_t *starts = read_words(work, groups.starts, groups.count > 0 ? groups.count + 1 : 0);
    float *got = work_host(work, (size_t)n * sizeof *got), *want = work_host(work, (size_t)n * sizeof *want);
    uint8_t *seen = work_host(work, (size_t)n);
    double *lengths = work_host(work, (size_t)documents * sizeof *lengths);
    if (!work_ok(work)) return;
    if (groups.pairs.count != n)
        work_fail(work, "wrong result: %lld scores, the CPU has %lld", (long long)groups.pairs.count, (long long)n);
    float before = 0;
    for (int64_t i = 0, g = 0; i < n && work_ok(work); i++) {
        const int64_t a = rows[3 * i + 1], b = rows[3 * i + 2];
        float score;
        memcpy(&score, rows + 3 * i, sizeof score);
        if (a >= b || b >= documents || seen[a * (2 * documents - a - 1) / 2 + b - a - 1]) {
            work_fail(work, "wrong result: documents %lld and %lld aren't a pair, or stand there twice", (long long)a,
                      (long long)b);
            return;
        }
        const bool head = i == 0 || score != before;
        if (!(i == 0 || score >= before) || head != (g < groups.count && starts[g] == i))
            work_fail(work, "wrong result: score %lld, %g, isn't grouped behind %g", (long long)i, (double)score,
                      (double)before);
        const int64_t place = a * (2 * documents - a - 1) / 2 + b - a - 1;
        seen[place] = 1;
        got[place] = score;
        before = score;
        g += head;
    }
    if (!work_ok(work)) return;
    for (int64_t a = 0; a < documents; a++) lengths[a] = dot(vectors + a * features, vectors + a * features, features);
    for (int64_t a = 0, place = 0; a < documents; a++)
        for (int64_t b = a + 1; b < documents; b++, place++) {
            const double ab = dot(vectors + a * features, vectors + b * features, features);
            want[place] = ab > 0 ? (float)(ab / sqrt(lengths[a] * lengths[b])) : 0;
        }
    work_check_f32(work, "scores", got, want, (size_t)n, 1e-5);
}

static void run(Work *work)
{
    const int64_t documents = work_param(work, "documents"), features = work_param(work, "features");
    const int64_t n = documents * (documents - 1) / 2;
    Job job = job_open(work, true);
    const size_t size = (size_t)(documents * features) * sizeof(float);
    float *vectors = work_host(work, size);
    uint32_t *first = work_host(work, (size_t)n * 4), *second = work_host(work, (size_t)n * 4);
    make_documents(work, vectors, documents, features, (uint32_t)work_param(work, "words"));
    if (!work_ok(work)) return;
    for (int64_t a = 0, k = 0; a < documents; a++)
        for (int64_t b = a + 1; b < documents; b++, k++) {
            first[k] = (uint32_t)a;
            second[k] = (uint32_t)b;
        }
    job_data(&job, (WorkBuf){0}, work_upload(work, "vectors", vectors, size), features);
    const Pairs input = upload_pairs(work, first, 1, second, 1, n);
    check(work, group_pairs(&job, "ss", map_pairs(&job, "ss", input)), vectors, documents, features);
}

static const WorkParam params[] = {
    {"documents", "documents, 1 to 8192", 40, 128, 1, 8192},
    {"features", "features of a document, 1 to 65536", 32, 128, 1, 65536},
    {"words", "words of a document at most, that have a feature each, 0 to 10^6", 100, 300, 0, 1000000},
    GROUP_PARAMS,
    JOB_PARAMS,
    {.name = NULL},
};

const Workload workload_mapreduce_ss = {
    "ss", "mapreduce", "The cosine between the feature vectors of every two documents: similarity score (Mars)", params,
    run};
