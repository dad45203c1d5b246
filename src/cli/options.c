// options.c: reads options by the tables that declare them, and prints these tables as help.
#include "cli/unit.h"
#include "sl1/sl1.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wrong(Args *a, const char *format, ...)
{
    va_list args;
    Diag own = {0};
    va_start(args, format);
    diag_verror(a->diag ? a->diag : &own, format, args);
    va_end(args);
    tell_diag(&own);
    diag_free(&own);
    return -3;
}

// The software L1's settings once were options of their own, --sl1-NAME; a hint says how they are written now.
static int was_sl1(Args *a, const char *arg)
{
    size_t dashes = strlen("--sl1-"), n = strcspn(arg, "=");
    if (strncmp(arg, "--sl1-", dashes)) return 0;
    for (size_t k = 0; k < sl1_setting_count; k++) {
        const Sl1Setting *s = &sl1_settings[k];
        const char *value = arg[n]                                      ? arg + n + 1
                            : a->at < a->argc && *a->argv[a->at] != '-' ? a->argv[a->at]
                                                                        : s->takes;
        if (strlen(s->name) != n - dashes || strncmp(s->name, arg + dashes, n - dashes)) continue;
        return s->takes ? wrong(a, "unknown option %.*s\nhint: --sl1=%s=%s", (int)n, arg, s->name, value)
                        : wrong(a, "unknown option %s\nhint: --sl1=%s", arg, s->name);
    }
    return 0;
}

// An option of one capital letter, as compilers have them, may have its value joined to it: -DN=4.
static int joined(Args *a, const char *arg)
{
    for (size_t k = 0; k < a->option_count; k++) {
        const Option *o = &a->options[k];
        if (!o->name || !o->value || strlen(o->name) != 2 || !isupper((unsigned char)o->name[1])) continue;
        if (strncmp(arg, o->name, 2) || !arg[2]) continue;
        a->given |= 1ull << k, a->value = arg + 2;
        return (int)k;
    }
    return -1;
}

int args_next(Args *a)
{
    if (a->at >= a->argc) return -2;
    const char *arg = a->argv[a->at++];
    if (!strcmp(arg, "-h")) arg = "--help";
    a->value = arg;
    if (arg[0] != '-' || !arg[1] || (a->commands && !strcmp(arg, "--"))) return -1;
    size_t n = strcspn(arg, "=");
    for (size_t k = 0; k < a->option_count; k++) {
        const Option *o = &a->options[k];
        if (!o->name || strlen(o->name) != n || memcmp(o->name, arg, n)) continue;
        a->given |= 1ull << k;
        if (!o->value && arg[n]) return wrong(a, "%s takes no value", o->name);
        if (!o->value) return a->value = NULL, (int)k;
        if (*o->value == '[' && !arg[n])
            a->value = NULL;
        else if (arg[n])
            a->value = arg + n + 1;
        else if (a->at < a->argc)
            a->value = a->argv[a->at++];
        else
            return wrong(a, "%s needs a value: %s", o->name, o->value);
        return (int)k;
    }
    const char *names[64];
    char word[64], hint[100];
    size_t m = 0;
    const int letter = joined(a, arg);
    if (letter >= 0) return letter;
    int was = was_sl1(a, arg);
    if (was) return was;
    for (size_t k = 0; k < a->option_count; k++)
        if (a->options[k].name) names[m++] = a->options[k].name;
    snprintf(word, sizeof word, "%.*s", (int)n, arg);
    return wrong(a, "unknown option %s%s", arg, did_you_mean(word, names, m, hint));
}

bool args_fit(Args *a, const char *what, const char *because)
{
    const char *of = NULL;
    for (size_t k = 0; k < a->option_count; k++) {
        const Option *o = &a->options[k];
        if (!o->name) of = o->value ? NULL : o->doc;
        if (!(a->given >> k & 1) || !of || !strcmp(of, what)) continue;
        wrong(a, "%s is an option of %s; %s", o->name, of, because);
        return false;
    }
    return true;
}

bool args_have(int argc, char **argv, const char *option)
{
    for (int k = 0; k < argc; k++)
        if (!strcmp(argv[k], option)) return true;
    return false;
}

void put_argument(Text *out, const char *word)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:+@%";
    if (out->n) text_put(out, " ");
    if (*word && !word[strspn(word, plain)]) {
        text_put(out, word);
        return;
    }
    text_put(out, "'");
    for (; *word; word++) text_printf(out, *word == '\'' ? "'\\''" : "%c", *word);
    text_put(out, "'");
}

// Where the pages are that the help calls doc/…: beside an installed program. Elsewhere nothing is said.
static void print_documents(const Option *options, size_t n)
{
    char self[4096], path[8192], real[4096];
    bool named = false;
    for (size_t k = 0; k < n; k++) named |= options[k].name && strstr(options[k].doc, "doc/");
    ssize_t m = named && n > 1 ? readlink("/proc/self/exe", self, sizeof self) : 0;
    while (m > 0 && self[m - 1] != '/') m--;
    if (m <= 0) return;
    bool absolute = ONCHIP_DOCDIR[0] == '/';
    snprintf(path, sizeof path, "%.*s%s%s/doc", absolute ? 0 : (int)m, self, absolute ? "" : "../", ONCHIP_DOCDIR);
    if (realpath(path, real)) printf("\ndoc/ is %s\n", real);
}

void print_options(const Option *options, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        char left[128];
        if (!options[k].name) {
            Text head = {0};
            text_printf(&head, "%s%s:", options[k].value ? "" : "of ", options[k].doc);
            if (k) printf("\n");
            put_wrapped(stdout, 0, 0, BREAK_WORDS, head.v);
            text_free(&head);
            continue;
        }
        const char *value = options[k].value ? options[k].value : "";
        snprintf(left, sizeof left, "  %s%s%s", options[k].name, *value && *value != '[' ? " " : "", value);
        put_row(stdout, left, 24, BREAK_WORDS, options[k].doc);
    }
    print_documents(options, n);
}

void print_sl1_settings(void)
{
    printf("\nsettings of --sl1:\n");
    for (size_t k = 0; k < sl1_setting_count; k++) {
        const Sl1Setting *s = &sl1_settings[k];
        char left[64];
        snprintf(left, sizeof left, "  %s%s%s", s->name, s->takes ? "=" : "", s->takes ? s->takes : "");
        put_row(stdout, left, 24, BREAK_WORDS, s->doc);
    }
}

bool parse_jobs(const char *text, uint32_t *jobs)
{
    uint64_t n;
    bool ok = parse_size(text, &n) && n && n <= 1024;
    if (ok) *jobs = (uint32_t)n;
    return ok;
}
