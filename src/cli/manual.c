// manual.c: every command's options, out of the tables that declare them, as doc/reference/options.md or as a part of
// the manual page. An axis that is an option of onchip run, too, has its sentence there alone.
#include "cli/unit.h"
#include "device/setup.h"
#include "sl1/sl1.h"

#include <ctype.h>
#include <string.h>

// A form in which it is written.
typedef struct Form {
    const char *section, *group, *gap;  // a command's name, a heading, what stands before the first option
    const char *item, *between, *end;   // around an option and its sentence
    const char *escaped;                // characters that have a backslash in front of them
} Form;
static const Form page = {"\n## onchip %s\n", "\n### %s\n", "\n", "- `", "`: ", "\n", ""};
static const Form roff = {".SH OPTIONS OF %s\n", ".SS %s\n", "", ".TP\n.B ", "\n", "\n", "-\\"};

static void put_escaped(const Form *f, const char *text, Text *out)
{
    for (; *text; text++) text_printf(out, "%s%c", *f->escaped && strchr(f->escaped, *text) ? "\\" : "", *text);
}

// A sentence: of "one; two", with a capital and a full stop. In roff no line may begin with a dot or a quote.
static void put_sentence(const Form *f, const char *doc, const char *more, Text *out)
{
    Text t = {0};
    text_put(&t, doc);
    if (islower((unsigned char)*t.v)) *t.v = (char)toupper((unsigned char)*t.v);
    if (!strchr(".…", t.v[t.n - 1])) text_put(&t, ".");
    if (*more) text_printf(&t, " %s", more);
    if (f == &roff && strchr(".'", *t.v)) text_put(out, "\\&");
    put_escaped(f, t.v, out);
    text_free(&t);
}

static void put_name(const char *name, const char *takes, Text *out)
{
    text_printf(out, "%s%s%s", name, takes && *takes != '[' ? " " : "", takes ? takes : "");
}

static void put_item(const Form *f, const Option *o, const char *more, Text *out)
{
    Text name = {0};
    put_name(o->name, o->value, &name);
    text_put(out, f->item);
    put_escaped(f, name.v, out);
    text_put(out, f->between);
    put_sentence(f, o->doc, more, out);
    text_put(out, f->end);
    text_free(&name);
}

static bool is_axis_of_run(const Option *o)
{
    for (size_t k = 0; k < OPTIONS; k++)
        if (setup_options[k].axis && setup_options[k].doc == o->doc) return true;
    return false;
}

// The axes that stand from here on, in one item.
static size_t put_axes(const Form *f, const Option *o, size_t n, Text *out)
{
    Text names = {0};
    size_t k = 0;
    for (; k < n && o[k].name && is_axis_of_run(&o[k]); k++) {
        text_put(&names, k ? (f == &page ? "`, `" : ", ") : "");
        put_name(o[k].name, o[k].value, &names);
    }
    text_put(out, f->item);
    put_escaped(f, names.v, out);
    text_put(out, f->between);
    put_sentence(f, "as of onchip run", "", out);
    text_put(out, f->end);
    text_free(&names);
    return k;
}

// A heading, and behind a colon a sentence.
static void put_heading(const Form *f, const Option *o, Text *out)
{
    const size_t n = strcspn(o->doc, ":");
    Text head = {0};
    text_printf(&head, "%s%.*s", o->value ? "" : "Of ", (int)n, o->doc);
    *head.v = (char)toupper((unsigned char)*head.v);
    text_printf(out, f->group, head.v);
    text_free(&head);
    if (!o->doc[n]) return;
    text_put(out, f == &page ? "\n" : "");
    put_sentence(f, o->doc + n + 1 + strspn(o->doc + n + 1, " "), "", out);
    text_put(out, "\n");
}

static void put_settings(const Form *f, Text *out)
{
    text_printf(out, f->group, "Settings of --sl1");
    text_put(out, f->gap);
    for (size_t k = 0; k < sl1_setting_count; k++) {
        const Sl1Setting *s = &sl1_settings[k];
        Text value = {0};
        text_printf(&value, "%s%s%s", s->name, s->takes ? "=" : "", s->takes ? s->takes : "");
        put_item(f, &(Option){value.v, NULL, s->doc}, "", out);
        text_free(&value);
    }
}

static void put_command(const Form *f, const Command *c, Text *out)
{
    const bool run = c->line == &run_line;
    Text name = {0};
    text_put(&name, c->name);
    for (size_t k = 0; f == &roff && k < name.n; k++) name.v[k] = (char)toupper((unsigned char)name.v[k]);
    text_printf(out, f->section, name.v);
    text_free(&name);
    bool listed = false;
    for (size_t k = 0; k < c->line->count;) {
        const Option *o = &c->line->options[k];
        if (!o->name) {
            put_heading(f, o, out), k++, listed = false;
            continue;
        }
        if (!strcmp(o->name, "--help")) {
            k++;
            continue;
        }
        if (!listed) text_put(out, f->gap), listed = true;
        if (!run && is_axis_of_run(o)) {
            k += put_axes(f, o, c->line->count - k, out);
            continue;
        }
        Text more = {0};
        text_put(&more, "");
        if (run) setup_against((int)k, &more);
        put_item(f, o, more.v, out);
        text_free(&more), k++;
    }
    if (c->line == &sl1_line) put_settings(f, out);
}

void manual_options(bool man, Text *out)
{
    const Form *f = man ? &roff : &page;
    if (!man)
        text_put(out,
                 "# Options\n\nThe options of each command. A value stands behind its option or behind an equals "
                 "sign; in brackets it may be left\nout. Of a matrix's axis, values stand between commas. This page is "
                 "what `onchip show options` prints.\n");
    for (size_t k = 0; k < command_count; k++)
        if (commands[k].line->count > 1) put_command(f, &commands[k], out);
}
