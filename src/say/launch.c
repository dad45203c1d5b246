// launch.c: oc_launch_words: what a launch's report says, by itself.
#include "names/names.h"
#include "say/say.h"

#include <stdlib.h>
#include <string.h>

typedef struct Words {
    const LaunchSum *sum;  // of this launch alone
    const Gpu *gpu;
} Words;

static void limits(const Words *w, FILE *out)
{
    Text t = {0};
    limits_say(w->sum, w->gpu, &t);
    fputs(t.v, out);
    text_free(&t);
}

static void peaks(const Words *w, FILE *out)
{
    Text t = {0};
    peaks_say(w->sum->count, w->gpu, &t);
    fputs(t.n ? t.v : "", out);
    text_free(&t);
}

static void why(const Words *w, FILE *out)
{
    if (w->sum->why.l1) why_say(w->sum, out);
}

static void source(const Words *w, FILE *out) { annotate_say(w->sum, out); }
static void chart(const Words *w, FILE *out) { chart_say(w->sum->count, w->gpu, out); }

static void kernel(const Words *w, FILE *out)
{
    char *shown = name_shown(w->sum->kernel);
    fputs(shown, out);
    mem_free(shown);
}

static size_t put(const char *all, size_t n, char *text, size_t capacity)
{
    if (!capacity || !text) return n;
    size_t kept = MIN(n, capacity - 1);
    while (kept < n && kept && ((unsigned char)all[kept] & 0xc0) == 0x80) kept--;  // no part of a letter
    memcpy(text, all, kept);
    text[kept] = 0;
    return n;
}

size_t oc_launch_words(const oc_device *d, size_t launch, oc_words words, char *text, size_t capacity)
{
    static void (*const says[])(const Words *, FILE *) = {
        [OC_WORDS_LIMITS] = limits, [OC_WORDS_PEAKS] = peaks, [OC_WORDS_WHY] = why,
        [OC_WORDS_SOURCE] = source, [OC_WORDS_CHART] = chart, [OC_WORDS_KERNEL] = kernel};
    char *all = NULL;
    size_t n = 0;
    const Record *r = d && !oc_describe(d).real ? device_record(d, launch) : NULL;
    const bool has = r && (size_t)words < COUNT(says) && (!r->functional || words == OC_WORDS_KERNEL);
    FILE *out = has ? open_memstream(&all, &n) : NULL;
    if (!out) return put("", 0, text, capacity);
    LaunchSums sums = {0};
    sums_add(&sums, r);
    says[words](&(Words){sums.v, device_gpu(d)}, out);
    sums_free(&sums);
    if (fclose(out)) n = 0;
    n = put(all ? all : "", n, text, capacity);
    free(all);
    return n;
}
