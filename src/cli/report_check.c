// report_check.c: what --check found in a kernel, as text and as JSON.
#include "cli/unit.h"
#include "device/device.h"

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

void overread_text(const LaunchSum *sum, FILE *out)
{
    Text t = {0};
    if (!sum->overread || sum->checked) return;  // a finding, then
    text_printf(&t,
                "%llu time%s a lane reads behind the end of its memory, and gets 0; with --set gpu.overread=no that is "
                "an error; the first:",
                (unsigned long long)sum->overreads, sum->overreads == 1 ? "" : "s");
    put_row(out, "  read behind", 16, BREAK_WORDS, t.v);
    for (const char *line = sum->overread; line; line = strchr(line, '\n'), line += line != NULL)
        fprintf(out, "    %.*s\n", (int)strcspn(line, "\n"), line);
    text_free(&t);
}

void check_text(const LaunchSum *sum, FILE *out)
{
    if (!sum->checked) return;
    if (sum->flaws.n)
        fprintf(out, "  check         %zu finding%s\n", sum->flaws.n, sum->flaws.n == 1 ? "" : "s");
    else
        fprintf(out, "  check         nothing was found\n");
    for (size_t k = 0; k < sum->flaws.n; k++) flaw_text(&sum->flaws.v[k], out);
    if (sum->unchecked) put_row(out, "  not checked", 16, BREAK_WORDS, sum->unchecked);
}

static void shape(const char *name, const uint32_t of[3], Json *j)
{
    json_open(j, name, '[');
    for (int k = 0; k < 3; k++) json_uint(j, NULL, of[k]);
    json_close(j, ']');
}

void check_json(const Record *r, Json *j)
{
    if (!r->checked) return;
    json_open(j, "findings", '[');
    for (size_t k = 0; k < r->flaws.n; k++) {
        const Flaw *f = &r->flaws.v[k];
        json_open(j, NULL, '{');
        json_string(j, "kind", flaw_names[f->kind]);
        json_uint(j, "count", f->count);
        if (f->space) json_string(j, "space", f->space);
        if (f->name) {
            json_string(j, "structure", f->name);
            json_double(j, "offset", (double)(int64_t)f->offset);
            json_uint(j, "bytes", f->bytes);
        }
        json_string(j, "cure", f->cure);
        json_open(j, "places", '[');
        for (int n = 0; n < 2; n++) {
            const FlawSide *s = &f->side[n];
            if (!s->access) continue;
            json_open(j, NULL, '{');
            json_string(j, "access", s->access);
            json_string(j, "place", s->place);
            json_string(j, "instruction", s->inst);
            shape("block", s->block, j), shape("thread", s->thread, j);
            json_close(j, '}');
        }
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
    if (r->unchecked) json_string(j, "unchecked", r->unchecked);
}
