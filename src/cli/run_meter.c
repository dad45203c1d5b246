// run_meter.c: how far a run has come, and what its kernels print, which must not run into that. On a terminal progress
// is one line, which is written again and again: launches so far, a bar for the running kernel's blocks, its speed, and
// what remains of it. Elsewhere a line is added now and then, so that a log stays short. How many launches a program
// will make isn't known, and so neither is what remains of it.
#include "cli/run.h"
#include "names/names.h"
#include "say/say.h"

#include <unistd.h>

static const double first_shown = 0.25, first_line = 10, each_line = 30;
enum { BAR = 20, LEAST_BAR = 4, LEAST_NAME = 8 };

void meter_begin(Meter *m)
{
    m->terminal = isatty(STDERR_FILENO);
    m->seen = m->from = m->shown = seconds_now();
    m->next = m->seen + (m->terminal ? first_shown : first_line);
}

void meter_clear(void *user)
{
    Meter *m = user;
    if (m->line) fprintf(stderr, "\r\x1b[K"), fflush(stderr);
    m->line = false;
    m->seen = seconds_now();
}

// The launch that is told of may be another than before: a launch counts its cycles from 0.
static void notice_launch(Meter *m, uint64_t cycles, double now)
{
    size_t over = m->device ? oc_launches(m->device) : 0;
    if (over != m->launch || cycles < m->cycles || !cycles) m->launch = over, m->from = cycles ? m->seen : now;
    m->cycles = cycles, m->seen = now;
}

static void put_rest(Text *out, double seconds)
{
    if (seconds < 120)
        text_printf(out, ", %.0f s to go", seconds);
    else if (seconds < 7200)
        text_printf(out, ", %.0f min to go", seconds / 60);
    else
        text_printf(out, ", %.1f h to go", seconds / 3600);
}

void meter_show(void *user, const char *kernel, uint64_t cycles, uint64_t insts, uint64_t done, uint64_t blocks)
{
    Meter *m = user;
    const double now = seconds_now(), share = blocks ? (double)done / (double)blocks : 0;
    (void)insts;
    notice_launch(m, cycles, now);
    if (now < m->next) return;
    m->shown = now, m->next = now + (m->terminal ? first_shown : each_line);
    const double took = now - m->from;
    char *full = name_shown(kernel);
    Text line = {0}, rest = {0};
    text_printf(&rest, "%.0f %% of ", 100 * share);
    const size_t before = rest.n;
    if (took > 0 && cycles) {
        char speed[32];
        format_count(speed, (double)cycles / took);
        text_printf(&rest, ", %s cycles/s", speed);
    }
    if (done && took > 0) put_rest(&rest, took * (double)(blocks - done) / (double)done);
    text_printf(&line, "launch %zu, ", m->launch + 1);
    // A narrow terminal gets a shorter name, then a shorter bar, then none.
    const size_t width = page_width(stderr), words = line.n + rest.n + LEAST_NAME + 1;
    const size_t bar = m->terminal && width > words + 3 ? MIN(BAR, width - words - 3) : 0;
    if (bar >= LEAST_BAR) {
        text_put(&line, "[");
        for (size_t k = 0; k < bar; k++) text_put(&line, (double)k + 0.5 < share * (double)bar ? "#" : "-");
        text_put(&line, "] ");
    }
    const size_t used = line.n + rest.n + 1;
    char *shown = name_shorten(full, MIN(60, width > used + LEAST_NAME ? width - used : LEAST_NAME));
    text_printf(&line, "%.*s%s%s", (int)before, rest.v, shown, rest.v + before);
    char *fit = name_shorten(line.v, width - 1);
    fprintf(stderr, m->terminal ? "\r\x1b[K%s" : "onchip: %s\n", fit);
    fflush(stderr);
    m->line = m->terminal;
    mem_free(full), mem_free(shown), mem_free(fit);
    text_free(&line), text_free(&rest);
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
    meter_clear(m);
    fwrite(text, 1, length, m->out);
    fflush(m->out);
}
