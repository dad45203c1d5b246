// cmd_compare.c: onchip compare: two versions of a program side by side, and whether the new one may pass.
#include "cli/compare.h"

#include <string.h>

static const Option options[] = {
    {"--fail-above", "PERCENT%|METRIC=PERCENT%[,…]",
     "exit with status 3 if the new version's time is more than so many percent above the old one's, of a kernel or of "
     "all together; or a metric: a counter, a rate or a name of Nsight Compute's. Below 0%: if it falls by more"},
    {"--gpu", "NAME|FILE", "of commands: the GPU's description, where the command doesn't say it (" OC_DEFAULT_GPU ")"},
    {"--set", "KEY=VALUE", "of commands: override a key of the description, of both"},
    {"--db", "FILE", "the store of runs named by keys (onchip/results.db under $XDG_DATA_HOME or ~/.local/share)"},
    {"-o", "FILE", "also write a page into this file: the same, side by side (HTML)"},
    {"--json", NULL, "print it as JSON (doc/reference/json.md)"},
    {"--help", NULL, "this text"},
};
const CommandLine compare_line = {options, COUNT(options), NULL};
enum { C_FAIL_ABOVE, C_GPU, C_SET, C_DB, C_OUT, C_JSON, C_HELP };

typedef struct Request {
    Input input;
    const char *word[2];
    size_t words;
    Gate gate;
    const char *out;  // of the page; null: none
    bool json;
    Diag diag;
} Request;

static int usage(void)
{
    printf("usage: onchip compare OLD NEW [options]\n\n"
           "Says what has changed from the version OLD to the version NEW, the largest\n"
           "first. Each of them is\n"
           "  a file that onchip run --json has written:  old.json\n"
           "  a stored run, by its key, or by its store:  1a2b3c4d, old.db:1a2b3c4d\n"
           "  what onchip run takes, as one word:         'atax nx=256', ./app, app.cu\n\n");
    print_options(options, COUNT(options));
    return EXIT_OK;
}

// Returns an exit code, or −1 to go on.
static int read_options(Request *r, int argc, char **argv)
{
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    int o;
    while ((o = args_next(&a)) != -2) {
        switch (o) {
        case -3: return EXIT_USAGE;
        case -1:
            if (r->words == 2) return tell(EXIT_USAGE, "'%s' is one too many: compare takes two versions", a.value);
            r->word[r->words++] = a.value;
            break;
        case C_FAIL_ABOVE:
            if (!gate_read(&r->gate, a.value, &r->diag)) return EXIT_USAGE;
            break;
        case C_GPU:
        case C_SET:
            vec_push(&r->input.options, options[o].name);
            vec_push(&r->input.options, a.value);
            break;
        case C_DB: r->input.db = a.value; break;
        case C_OUT: r->out = a.value; break;
        case C_JSON: r->json = true; break;
        case C_HELP: return usage();
        }
    }
    if (r->out && !strcmp(r->out, "-"))
        return tell(EXIT_USAGE, "-o - has no effect: the standard output has the words; give the page a name");
    if (r->words < 2)
        return tell(EXIT_USAGE, "compare what? two versions, the old one first: onchip compare ./app_old ./app_new");
    return -1;
}

static int compare(Request *r)
{
    Version v[2] = {{.input = r->word[0]}, {.input = r->word[1]}};
    Changes c = {.of = {NULL}};
    GateFailures failures = {0};
    int code = EXIT_OK;
    for (int k = 0; k < 2 && code == EXIT_OK; k++) code = input_read(&r->input, &v[k], &r->diag);
    if (code == EXIT_OK) {
        changes_find(&v[0], &v[1], &c);
        if (!gate_judge(&r->gate, &c, &failures, &r->diag)) code = EXIT_FAILED;
    }
    if (code == EXIT_OK && r->out) {
        Text html = {0};
        compare_page(&c, &r->gate, &failures, &html);
        if (!write_out(&html, r->out, &r->diag)) code = EXIT_FAILED;
        text_free(&html);
    }
    if (code == EXIT_OK && r->json)
        compare_json(&c, &r->gate, &failures);
    else if (code == EXIT_OK)
        compare_text(&c, &r->gate, &failures);
    if (code == EXIT_OK && failures.n) code = EXIT_ABOVE;
    vec_free(&failures);
    changes_free(&c);
    version_free(&v[0]), version_free(&v[1]);
    return code;
}

int cmd_compare(int argc, char **argv)
{
    Request r = {.words = 0};
    int code = read_options(&r, argc, argv);
    if (code < 0) code = compare(&r);
    fflush(stdout);
    tell_diag(&r.diag);
    vec_free(&r.input.options);
    gate_free(&r.gate);
    diag_free(&r.diag);
    return code;
}
