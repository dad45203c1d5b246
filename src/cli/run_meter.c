// run_meter.c: how far a run has come, in a line of the terminal that is written again and again, and what its kernels
// print, which that line must not run into.
#include "cli/run.h"
#include "names/names.h"

void meter_begin(Meter *m) { clock_gettime(CLOCK_MONOTONIC, &m->began); }

void meter_clear(void *user)
{
    Meter *m = user;
    if (m->line) fprintf(stderr, "\r\x1b[K"), fflush(stderr);
    m->line = false;
    m->kernel = NULL;  // the next launch, even of the same kernel, begins anew
}

void meter_show(void *user, const char *kernel, uint64_t cycles, uint64_t insts, uint64_t done, uint64_t blocks)
{
    Meter *m = user;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double s = (double)(t.tv_sec - m->began.tv_sec) + 1e-9 * (double)(t.tv_nsec - m->began.tv_nsec);
    if (m->kernel != kernel) m->kernel = kernel, m->began = t, m->shown = 0, s = 0;
    if (s - m->shown < 0.25) return;
    m->shown = s;
    char c[32], i[32];
    format_count(c, (double)cycles);
    format_count(i, (double)insts / s);
    char *full = name_shown(kernel), *shown = name_shorten(full, 60);
    fprintf(stderr, "\r\x1b[K");
    if (m->device) fprintf(stderr, "launch %zu, ", oc_launches(m->device) + 1);
    fprintf(stderr, "%s: %s cycles, %s warp instructions/s, %llu of %llu blocks", shown, c, i, (unsigned long long)done,
            (unsigned long long)blocks);
    m->line = true;
    mem_free(full), mem_free(shown);
    if (done) fprintf(stderr, ", %.0f s to go", s * (double)(blocks - done) / (double)done);
    fflush(stderr);
}

// What a program's kernels print waits until the program asks for it.
void meter_keep(void *user, const char *text, size_t length)
{
    Meter *m = user;
    text_add(&m->printed, text, length);
}

void meter_print(void *user, const char *text, size_t length)
{
    Meter *m = user;
    if (m->kernel) fprintf(stderr, "\r\x1b[K");
    fwrite(text, 1, length, m->out);
    fflush(m->out);
}
