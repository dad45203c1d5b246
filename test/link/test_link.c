// Links of modules, as cases in test/link/data/*.link. A case begins with a line "=== what it is about". Lines that
// begin with // say what must come out:
//   error: TEXT      the link fails with this message (of a place: that is within it)
//   warning: TEXT    it warns so; without this line it must not warn
//   has: TEXT        the linked text has this, lacks: TEXT hasn't
//   result: N N …    kernel k, launched with one thread and a buffer, leaves these words there; the block has 64 bytes
//                    of dynamic shared memory
//   ptxas: no        ptxas 13 doesn't take it; "warns": it does, and warns; without this line it does without a word
// A line "--- a.o" begins a module, which gets a header unless it begins with .version. Words that must come out are
// those that PTX's rules give; the messages, and what is allowed, are what nvlink 13.0 was seen to say of the same
// modules.
//
// Whatever is linked is read by the parser, which checks all of it, and links once more, alone, to a text with the same
// words (in a circle of variables another one comes first).
#include "device/device.h"
#include "link/link.h"
#include "ptx/unit.h"

#include "check.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER ".version 7.5\n.target sm_75\n.address_size 64\n"
enum { MOST = 8, WORDS = 16 };

typedef struct Input {
    char name[40];
    Text text;
} Input;
typedef struct Case {
    char title[200];
    Text expected;  // its lines
    Input input[MOST];
    size_t inputs;
} Case;
static bool have_ptxas;

// The n-th expectation of a kind, from 0 on, or null.
static const char *expectation(const Case *c, const char *kind, size_t n, char out[300])
{
    char key[40];
    int length = snprintf(key, sizeof key, "// %s: ", kind);
    for (const char *at = c->expected.v; at && (at = strstr(at, key)); at += length)
        if ((at == c->expected.v || at[-1] == '\n') && n-- == 0) {
            snprintf(out, 300, "%.*s", (int)strcspn(at + length, "\n"), at + length);
            return out;
        }
    return NULL;
}

static bool link_case(const Case *c, Text *out, Text *warnings, Diag *diag)
{
    Link *l = link_new();
    bool ok = true;
    for (size_t k = 0; ok && k < c->inputs; k++)
        ok = link_add(l, c->input[k].name, c->input[k].text.v, c->input[k].text.n, diag);
    ok = ok && link_finish(l, out, warnings, diag);
    if (ok) {  // it may be asked for again
        Text twice = {0};
        assert_true(link_finish(l, &twice, NULL, diag));
        assert_string_equal(out->v, twice.v);
        text_free(&twice);
    }
    link_free(l);
    assert_true(ok != diag->failed);
    return ok;
}

static void check_texts(const Case *c, const Text *out, const Text *warnings)
{
    char want[300];
    for (size_t k = 0; expectation(c, "has", k, want); k++)
        if (!strstr(out->v, want)) fail_msg("%s: '%s' isn't in\n%s", c->title, want, out->v);
    for (size_t k = 0; expectation(c, "lacks", k, want); k++)
        if (strstr(out->v, want)) fail_msg("%s: '%s' is in\n%s", c->title, want, out->v);
    size_t warned = 0;
    for (; expectation(c, "warning", warned, want); warned++)
        if (!warnings->v || !strstr(warnings->v, want)) fail_msg("%s: no warning '%s'", c->title, want);
    if (!warned && warnings->n) fail_msg("%s: it warns: %s", c->title, warnings->v);
}

static void check_parses(const Case *c, const Text *out)
{
    Diag diag = {0};
    Module *m = ptx_parse(out->v, out->n, "linked", &diag);
    if (!m) fail_msg("%s: %s\n%s", c->title, diag.text.v, out->v);
    ptx_free(m);
}

static void check_links_again(const Case *c, const Text *out)
{
    Text again = {0};
    Diag diag = {0};
    Link *l = link_new();
    if (!link_add(l, "again", out->v, out->n, &diag) || !link_finish(l, &again, NULL, &diag))
        fail_msg("%s: %s\n%s", c->title, diag.text.v, out->v);
    if (again.n != out->n) fail_msg("%s: linked again it is\n%s\nand was\n%s", c->title, again.v, out->v);
    link_free(l);
    text_free(&again);
}

static void check_ptxas(const Case *c, const Text *out)
{
    char want[300], command[300], said[4000] = "", path[] = "/tmp/onchip-link-XXXXXX";
    const char *says = expectation(c, "ptxas", 0, want);
    if (!have_ptxas || (says && !strcmp(says, "no"))) return;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, out->v, out->n), (ssize_t)out->n);
    close(file);
    snprintf(command, sizeof command, "PATH=$PATH:/usr/local/cuda/bin; ptxas -arch=sm_90a -o /dev/null %s 2>&1", path);
    FILE *from = popen(command, "r");
    said[fread(said, 1, sizeof said - 1, from)] = 0;
    if (pclose(from) || (!says && *said)) fail_msg("%s: ptxas: %s\n%s", c->title, said, out->v);
    unlink(path);
}

static void check_result(const Case *c, const Text *out)
{
    char want[300], message[400];
    uint32_t words[WORDS];
    oc_device *d;
    oc_module *m;
    oc_kernel *k;
    oc_ptr buffer;
    if (!expectation(c, "result", 0, want)) return;
    const oc_config config = {.gpu = "rtx2060", .functional = true};
    if (oc_open(&config, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    memset(words, 0, sizeof words);
    assert_int_equal(oc_malloc(d, sizeof words, NULL, &buffer), OC_OK);
    assert_int_equal(oc_write(d, buffer, words, sizeof words, NULL), OC_OK);
    if (oc_load(d, out->v, out->n, "linked.ptx", &m) != OC_OK || oc_kernel_get(m, "k", &k) != OC_OK ||
        oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){1, 1, 1}, 64, NULL, (const void *[]){&buffer}) != OC_OK)
        fail_msg("%s: %s\n%s", c->title, oc_error(d), out->v);
    assert_int_equal(oc_read(d, words, buffer, sizeof words, NULL), OC_OK);
    char *at = want;
    for (size_t n = 0; *at; n++) {
        const uint32_t word = (uint32_t)strtoul(at, &at, 0);
        if (words[n] != word) fail_msg("%s: word %zu is %u, not %u\n%s", c->title, n, words[n], word, out->v);
    }
    oc_close(d);
}

static void run_case(const Case *c)
{
    char want[300];
    Text out = {0}, warnings = {0};
    Diag diag = {0};
    const bool ok = link_case(c, &out, &warnings, &diag);
    const char *error = expectation(c, "error", 0, want);
    if (ok != !error) fail_msg("%s: %s", c->title, ok ? "it is linked" : diag.text.v);
    if (error) {
        if (!strstr(diag.text.v, error)) fail_msg("%s: '%s' isn't '%s'", c->title, diag.text.v, error);
    } else {
        check_texts(c, &out, &warnings);
        check_parses(c, &out);
        check_links_again(c, &out);
        check_result(c, &out);
        check_ptxas(c, &out);
    }
    text_free(&out), text_free(&warnings), diag_free(&diag);
}

static void close_case(Case *c)
{
    for (size_t k = 0; k < c->inputs; k++) text_free(&c->input[k].text);
    text_free(&c->expected);
    *c = (Case){.inputs = 0};
}

static size_t run_file(const char *path)
{
    Text text = {0};
    Case c = {.inputs = 0};
    size_t cases = 0;
    assert_true(text_read_file(&text, path));
    for (char *line = text.v, *end; *line; line = end) {
        const size_t n = strcspn(line, "\n");
        end = line + n + (line[n] == '\n');
        if (!strncmp(line, "=== ", 4)) {
            if (cases++) run_case(&c);
            close_case(&c);
            snprintf(c.title, sizeof c.title, "%s: %.*s", base_name(path), (int)n - 4, line + 4);
        } else if (!strncmp(line, "--- ", 4)) {
            assert_true(c.inputs < MOST);
            Input *in = &c.input[c.inputs++];
            snprintf(in->name, sizeof in->name, "%.*s", (int)n - 4, line + 4);
            if (strncmp(end, ".version", 8)) text_put(&in->text, HEADER);
        } else if (c.inputs) {
            text_add(&c.input[c.inputs - 1].text, line, (size_t)(end - line));
        } else {
            text_add(&c.expected, line, (size_t)(end - line));
        }
    }
    if (cases) run_case(&c);
    close_case(&c);
    text_free(&text);
    return cases;
}

static void all_cases(void **state)
{
    (void)state;
    struct dirent **files;
    size_t cases = 0;
    const int n = scandir("test/link/data", &files, NULL, alphasort);
    assert_true(n > 0);
    for (int k = 0; k < n; k++) {
        char path[400];
        snprintf(path, sizeof path, "test/link/data/%s", files[k]->d_name);
        if (strstr(path, ".link")) cases += run_file(path);
        free(files[k]);
    }
    free(files);
    assert_true(cases > 100);
}

// --- what a case can't say -------------------------------------------------------------------------------------------
#define F HEADER ".visible .func f { ret; }\n"
#define K HEADER ".extern .func f;\n.visible .entry k() { call f; ret; }\n"

static void expect(Link *l, bool good, const char *why)
{
    Text out = {0};
    Diag diag = {0};
    const bool ok = link_finish(l, &out, NULL, &diag);
    if (ok != good || (!ok && !strstr(diag.text.v, why))) fail_msg("%s", ok ? out.v : diag.text.v);
    text_free(&out), diag_free(&diag);
}

static void null_bytes_part_modules(void **state)
{
    (void)state;
    static const char both[] = F "\0" K "\0\n\0";
    Diag diag = {0};
    for (size_t n = sizeof both - 4; n <= sizeof both; n++) {
        Link *l = link_new();
        assert_true(link_add(l, "both", both, n, &diag));
        expect(l, true, NULL);
        link_free(l);
    }
}

static void inputs_without_a_name_are_numbered(void **state)
{
    (void)state;
    Diag diag = {0};
    Link *l = link_new();
    expect(l, false, "nothing was added");
    assert_true(link_add(l, NULL, F, strlen(F), &diag));
    assert_true(link_add(l, NULL, F, strlen(F), &diag));
    expect(l, false, "Multiple definition of 'f' in 'input 2', first defined in 'input 1'");
    link_free(l);
}

static void what_is_refused_leaves_the_link_as_it_was(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", " \n", "int main;", HEADER ".func f {", F ".visible"};
    static const char last[] = F "\0" HEADER ".visible";
    Link *l = link_new();
    for (size_t k = 0; k <= COUNT(wrong); k++) {
        Diag diag = {0};
        const bool ok = k < COUNT(wrong) ? link_add(l, "wrong.o", wrong[k], strlen(wrong[k]), &diag)
                                         : link_add(l, "wrong.o", last, sizeof last, &diag);
        assert_false(ok);
        assert_non_null(strstr(diag.text.v, "wrong.o"));
        diag_free(&diag);
    }
    Diag diag = {0};
    assert_true(link_add(l, "k.o", K, strlen(K), &diag));
    expect(l, false, "Undefined reference to 'f' in 'k.o'");
    assert_true(link_add(l, "f.o", F, strlen(F), &diag));
    expect(l, true, NULL);
    link_free(l);
}

// Every beginning of a text, each in memory of its own size: nothing is read behind it.
static void texts_may_end_anywhere(void **state)
{
    (void)state;
    static const char text[] = HEADER
        ".file 1 \"a.c\"\n.pragma \"nounroll\";\n.weak .global .align 4 .b8 t[2][3] = {{1,2,3},{4,5}}, u<3>;\n"
        ".func (.reg .u32 r) g (.param .align 8 .b8 s[16], .param .u64 .ptr .global .align 4 p);\n.func h;\n"
        ".alias g, h;\n"
        ".visible .entry k(.param .u64 p) .maxntid 32, 1, 1 { .reg .b32 %r<4>; /* */ # 1 \"x\"\n L: @!%p bra L;\n"
        ".loc 1 2 3, function_name $s + 1, inlined_at 1 2 3\n{ .param .b32 q; call (q), g, (p), proto; } }\n"
        ".section .debug_str { $s: .b8 65, 0 }\n";
    for (size_t n = 0; n < sizeof text; n++) {
        char *copy = mem_alloc(n + 1);
        Diag diag = {0};
        Link *l = link_new();
        memcpy(copy, text, n);
        if (!link_add(l, "a.o", copy, n, &diag)) assert_true(diag.failed);
        link_free(l);
        diag_free(&diag);
        mem_free(copy);
    }
}

int main(void)
{
    have_ptxas = !system("PATH=$PATH:/usr/local/cuda/bin; ptxas --version 2>/dev/null | grep -q 'release 1[3-9]'");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cases),
        cmocka_unit_test(null_bytes_part_modules),
        cmocka_unit_test(inputs_without_a_name_are_numbered),
        cmocka_unit_test(what_is_refused_leaves_the_link_as_it_was),
        cmocka_unit_test(texts_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
