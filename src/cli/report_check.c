// report_check.c: what --check found in a kernel, in words.
#include "cli/report.h"

#include <string.h>

static void side_text(const FlawSide *s, FILE *out)
{
    if (!s->access) return;
    fprintf(out, "      %s: block (%u,%u,%u), thread (%u,%u,%u)\n        in %s\n", s->access, s->block[0], s->block[1],
            s->block[2], s->thread[0], s->thread[1], s->thread[2], s->place);
    if (s->inst[0]) fprintf(out, "        %s\n", s->inst);
}

static void flaw_text(const Flaw *f, FILE *out)
{
    Text t = {0};
    text_put(&t, flaw_texts[f->kind]);
    if (f->space) text_printf(&t, " %s", f->space);
    text_printf(&t, ", %llu time%s", (unsigned long long)f->count, f->count == 1 ? "" : "s");
    if (f->name)
        text_printf(&t, "; first: %u byte%s of %s at offset %lld", f->bytes, f->bytes == 1 ? "" : "s", f->name,
                    (long long)f->offset);
    fprintf(out, "    ");
    put_wrapped(out, 4, 6, BREAK_WORDS, t.v);
    for (int n = 0; n < 2; n++) side_text(&f->side[n], out);
    t.n = 0;
    text_printf(&t, "cure: %s", f->cure);
    fprintf(out, "      ");
    put_wrapped(out, 6, 8, BREAK_WORDS, t.v);
    text_free(&t);
}

void overread_text(const ReportLaunch *l)
{
    const LaunchSum *sum = l->sum;
    FILE *out = l->run->out;
    Text t = {0};
    if (l->has & HAS_CHECK) return;  // it is a finding, then
    text_printf(&t,
                "%llu time%s a lane reads behind the end of its memory, and gets 0; with --set gpu.overread=no that is "
                "an error; the first:",
                (unsigned long long)sum->overreads, sum->overreads == 1 ? "" : "s");
    put_row(out, "  read behind", 16, BREAK_WORDS, t.v);
    for (const char *line = sum->overread; line; line = strchr(line, '\n'), line += line != NULL)
        fprintf(out, "    %.*s\n", (int)strcspn(line, "\n"), line);
    text_free(&t);
}

void check_text(const ReportLaunch *l)
{
    const LaunchSum *sum = l->sum;
    FILE *out = l->run->out;
    if (sum->flaws.n)
        fprintf(out, "  check         %zu finding%s\n", sum->flaws.n, sum->flaws.n == 1 ? "" : "s");
    else
        fprintf(out, "  check         nothing was found\n");
    for (size_t k = 0; k < sum->flaws.n; k++) flaw_text(&sum->flaws.v[k], out);
    if (sum->unchecked) put_row(out, "  not checked", 16, BREAK_WORDS, sum->unchecked);
}
