// What isn't implemented blocks the kernels that use it alone: missing.txt has an instruction of the PTX ISA a line.
// Each stands in a kernel of a module, beside a good kernel. The module loads, the good kernel runs, and the launch of
// the other is refused with the line's number and text, and a reason that `onchip list ops` has. A strict device
// refuses the module. Where there is a ptxas of CUDA 13 or later, it says that each line is PTX.
#include "base/base.h"
#include "check.h"
#include "ptx/ptx.h"

#include <onchip.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GOOD                                  \
    ".visible .entry good(.param .u64 out)\n" \
    "{\n"                                     \
    "    .reg .b64 %o;\n"                     \
    "    ld.param.u64 %o, [out];\n"           \
    "    st.global.u32 [%o], 42;\n"           \
    "    ret;\n"                              \
    "}\n"
#define REGISTERS                                                                                                      \
    "    .reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .f32 %f<16>; .reg .f64 %g<8>;\n" \
    "    .reg .b128 %q<4>;\n"

typedef struct Form {
    char target[64], declaration[200], head[100], text[400];
} Form;
typedef VEC(Form) Forms;

// As much of it as there is room for.
static void copy(char *to, size_t size, const char *from)
{
    size_t n = strnlen(from, size - 1);
    memcpy(to, from, n);
    to[n] = '\0';
}

static Forms read_forms(void)
{
    Forms forms = {0};
    Form form = {0};
    Text text = {0};
    const char *source = getenv("ONCHIP_SOURCE");
    char path[400];
    snprintf(path, sizeof path, "%s/test/run/missing.txt", source ? source : ".");
    assert_true(text_read_file(&text, path));
    for (char *line = text.v, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        if (!*line || *line == '#') continue;
        if (!strncmp(line, "target ", 7)) {
            copy(form.target, sizeof form.target, line + 7);
        } else if (!strncmp(line, "declare ", 8)) {
            copy(form.declaration, sizeof form.declaration, line + 8);
        } else if (!strncmp(line, "head ", 5)) {
            copy(form.head, sizeof form.head, line + 5);
        } else {
            copy(form.text, sizeof form.text, line);
            vec_push(&forms, form);
            form.declaration[0] = form.head[0] = 0;
        }
    }
    text_free(&text);
    return forms;
}

static void put_header(Text *out, const Form *form)
{
    text_printf(out,
                ".version 9.0\n.target %s\n.address_size 64\n.shared .align 128 .b8 sm[1024];\n.global .texref tr;\n"
                ".global .surfref sr;\n",
                form->target);
}

// name is the kernel's, and the number of the line that counts is given back.
static int put_kernel(Text *out, const Form *form, const char *name)
{
    if (form->declaration[0]) text_printf(out, "%s\n", form->declaration);
    text_printf(out, ".visible .entry %s()%s%s\n{\n%s    ", name, form->head[0] ? " " : "", form->head, REGISTERS);
    int line = 1;
    for (size_t k = 0; k < out->n; k++) line += out->v[k] == '\n';
    text_printf(out, "%s\n    ret;\n}\n", form->text);
    return line;
}

static void run_good(oc_device *d, oc_module *m, const char *text)
{
    oc_kernel *good;
    oc_ptr out;
    uint32_t value = 0;
    assert_int_equal(oc_kernel_get(m, "good", &good), OC_OK);
    assert_int_equal(oc_malloc(d, 4, "out", &out), OC_OK);
    const void *args[] = {&out};
    if (oc_launch(good, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 0, NULL, args) != OC_OK ||
        oc_read(d, &value, out, 4, NULL) != OC_OK)
        fail_msg("beside '%s': %s", text, oc_error(d));
    assert_int_equal(value, 42);
    assert_int_equal(oc_free(d, out), OC_OK);
}

// Whether the reason is one that `onchip list ops` tells.
static bool has_reason(const char *why)
{
    for (size_t k = 0; k < op_missing_count; k++)
        if (op_missing[k].why[0] && strstr(why, op_missing[k].why)) return true;
    for (int k = 0; k < FORMS; k++)
        if (strstr(why, form_info[k].written) && strstr(why, form_info[k].why)) return true;
    return false;
}

// False, with a line that says so: it isn't refused, or not as it should be.
static bool is_refused(oc_device *d, oc_module *m, const Form *form, int line)
{
    oc_kernel *bad;
    char place[40];
    snprintf(place, sizeof place, "forms.ptx:%d:", form->head[0] ? line - 4 : line);
    assert_int_equal(oc_kernel_get(m, "bad", &bad), OC_OK);
    oc_status status = oc_launch(bad, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 0, NULL, NULL);
    const char *why = oc_error(d);
    if (status != OC_UNSUPPORTED) return print_error("'%s' isn't refused: %d\n", form->text, status), false;
    char part[60];
    copy(part, sizeof part, form->head[0] ? form->head : form->text);
    bool good = strstr(why, place) && strstr(why, part) && (form->head[0] || has_reason(why));
    if (!good) print_error("'%s' is refused with: %s\n", form->text, why);
    return good;
}

static void missing(void **state)
{
    (void)state;
    char message[1000];
    oc_device *d, *strict;
    if (oc_open(&(oc_config){.gpu = "gtx480", .functional = true}, &d, message, sizeof message) != OC_OK ||
        oc_open(&(oc_config){.gpu = "gtx480", .functional = true, .strict = true}, &strict, message, sizeof message) !=
            OC_OK)
        fail_msg("%s", message);
    Forms forms = read_forms();
    uint32_t bad = 0;
    assert_true(forms.n > 30);
    for (size_t k = 0; k < forms.n; k++) {
        const Form *form = &forms.v[k];
        Text text = {0};
        oc_module *m;
        put_header(&text, form);
        text_put(&text, GOOD);
        int line = put_kernel(&text, form, "bad");
        if (oc_load(d, text.v, text.n, "forms.ptx", &m) != OC_OK) fail_msg("'%s': %s", form->text, oc_error(d));
        run_good(d, m, form->text);
        bool good = is_refused(d, m, form, line);
        bad += !good;
        oc_unload(m);
        if (good && oc_load(strict, text.v, text.n, "forms.ptx", &m) != OC_UNSUPPORTED)
            fail_msg("'%s' is loaded by a strict device", form->text);
        text_free(&text);
    }
    if (bad) fail_msg("%u of %zu forms", bad, forms.n);
    vec_free(&forms);
    oc_close(strict);
    oc_close(d);
}

// All lines of a target in one module; one with a declaration begins another, since they declare the same names.
static void assembled(void **state)
{
    (void)state;
    static const char ptxas[] = "/usr/local/cuda/bin/ptxas";
    static const char enough[] = "/usr/local/cuda/bin/ptxas --version | grep -q 'release 1[3-9]'";
    if (access(ptxas, X_OK) || system(enough)) skip();
    char path[] = "/tmp/onchip-forms-XXXXXX", command[400];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    Forms forms = read_forms();
    for (size_t k = 0, end; k < forms.n; k = end) {
        Text text = {0};
        put_header(&text, &forms.v[k]);
        for (end = k; end < forms.n && !strcmp(forms.v[end].target, forms.v[k].target); end++) {
            char name[32];
            snprintf(name, sizeof name, "k%zu", end);
            if (end > k && forms.v[end].declaration[0]) break;
            put_kernel(&text, &forms.v[end], name);
        }
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fwrite(text.v, 1, text.n, file);
        fclose(file);
        snprintf(command, sizeof command, "%s -arch=%.*s %s -o /dev/null", ptxas, (int)strcspn(forms.v[k].target, ","),
                 forms.v[k].target, path);
        if (system(command)) fail_msg("ptxas refuses the forms of %s", forms.v[k].target);
        text_free(&text);
    }
    vec_free(&forms);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(missing), cmocka_unit_test(assembled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
