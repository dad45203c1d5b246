// run_file.c: a kernel of a bare PTX file (work/bare.c), and its buffers given back.
#include "cli/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int fail(Diag *diag, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_verror(diag, format, args);
    va_end(args);
    return code;
}

static bool is_word(const char *word, const char *text, size_t n)
{
    return strlen(word) == n && !memcmp(word, text, n);
}

static int check_how(const char *spec, const char *how, Diag *diag)
{
    if (!*how || !strcmp(how, ":hex") || !strcmp(how, ":u32") || !strcmp(how, ":f32") || !strncmp(how, ":@", 2))
        return EXIT_OK;
    return fail(diag, EXIT_USAGE, "--dump %s: :u32, :f32, :hex or :@FILE is expected", spec);
}

// Reads WHICH[:HOW] of --dump, where WHICH is an argument's number or its parameter's name. It must be a buffer, and
// HOW a known form. This is checked before the kernel runs.
static int find_dump(const char *spec, const FileRun *r, const oc_kernel_info *info, size_t *index, const char **how,
                     Diag *diag)
{
    size_t n = strcspn(spec, ":"), digits = strspn(spec, "0123456789");
    *how = spec + n;
    *index = digits && digits == n ? strtoul(spec, NULL, 10) : 0;
    if (!digits || digits != n)
        while (*index < info->params && !is_word(info->names[*index], spec, n) &&
               !is_word(argument_name(info, *index), spec, n))
            ++*index;
    if (*index >= info->params) {
        char *params = argument_params(info);
        int code =
            fail(diag, EXIT_USAGE,
                 "--dump %s: the number of an argument is expected, from 0 on, or a parameter's name; they are %s",
                 spec, params);
        mem_free(params);
        return code;
    }
    if (strncmp(r->args.v[*index], "buf:", 4))
        return fail(diag, EXIT_USAGE, "--dump %s: argument %zu, '%s', is not a buffer", spec, *index,
                    argument_name(info, *index));
    if (strchr(info->types[*index], ' '))
        return fail(diag, EXIT_USAGE, "--dump %s: '%s' lies in shared memory, which ends with its block", spec,
                    argument_name(info, *index));
    return check_how(spec, *how, diag);
}

static int dump(oc_device *d, const char *spec, FileBuffer *b, bool *written, const char *how, FILE *out, Json *json,
                Diag *diag)
{
    uint8_t *data = mem_try(b->bytes, 1);
    if (!data || oc_read(d, data, b->ptr, b->bytes, NULL) != OC_OK) {
        mem_free(data);
        return fail(diag, EXIT_FAILED, "--dump %s: the buffer can't be read", spec);
    }
    int code = EXIT_OK;
    Text t = {0};
    if (!*how || !strcmp(how, ":hex")) {
        for (size_t k = 0; k < b->bytes; k++) text_printf(&t, "%02x", data[k]);
    } else if (!strcmp(how, ":u32") || !strcmp(how, ":f32")) {
        for (size_t k = 0; k + 4 <= b->bytes; k += 4) {
            uint32_t u;
            float f;
            memcpy(&u, data + k, 4);
            memcpy(&f, data + k, 4);
            if (how[1] == 'u')
                text_printf(&t, "%s%u", k ? " " : "", u);
            else
                text_printf(&t, "%s%.9g", k ? " " : "", (double)f);
        }
    } else {
        FILE *f = fopen(how + 2, "wb");
        if (!f || fwrite(data, 1, b->bytes, f) != b->bytes)
            code = fail(diag, EXIT_FAILED, "--dump %s: can't write %s: %s", spec, how + 2, strerror(errno));
        if (f && fclose(f) && code == EXIT_OK)
            code = fail(diag, EXIT_FAILED, "--dump %s: can't write %s: %s", spec, how + 2, strerror(errno));
    }
    if (t.n) fprintf(out, "%s: %s\n", b->name, t.v);
    t.n = 0;
    for (size_t k = 0; k < b->bytes; k++) text_printf(&t, "%02x", data[k]);
    if (!*written) json_string(json, b->name, t.v);
    *written = true;
    text_free(&t);
    mem_free(data);
    return code;
}

static int launch(oc_device *d, const FileRun *r, const TextList *dumps, FileLaunch *l, FILE *out, Json *json,
                  Diag *diag)
{
    size_t index;
    const char *how;
    oc_status status = file_prepare(d, r, l, diag);
    int code = EXIT_OK;
    for (size_t a = 0; a < dumps->n && status == OC_OK && code == EXIT_OK; a++)
        code = find_dump(dumps->v[a], r, &l->info, &index, &how, diag);
    if (status == OC_OK && code == EXIT_OK) status = file_launch(l, diag);
    if (status != OC_OK) code = status == OC_BAD_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
    if (code != EXIT_OK) return code;
    bool *written = mem_alloc(l->info.params + 1);
    json_open(json, "dumps", '{');
    for (size_t a = 0; a < dumps->n && code == EXIT_OK; a++) {
        code = find_dump(dumps->v[a], r, &l->info, &index, &how, diag);
        if (code == EXIT_OK) code = dump(d, dumps->v[a], &l->buffers[index], &written[index], how, out, json, diag);
    }
    json_close(json, '}');
    mem_free(written);
    return code;
}

int run_file(oc_device *d, const FileRun *r, const TextList *dumps, FILE *out, Json *json, Diag *diag)
{
    FileLaunch l;
    int code = launch(d, r, dumps, &l, out, json, diag);
    file_free(&l);
    return code;
}

// --- an argument file (work/script.c) --------------------------------------------------------------------------------
static FileBuffer *script_buffer(const Script *s, const char *spec, Diag *diag)
{
    size_t n = strcspn(spec, ":");
    Text names = {0};
    for (size_t k = 0; k < s->buffers.n; k++) {
        if (is_word(s->buffers.v[k].name, spec, n)) return text_free(&names), &s->buffers.v[k];
        text_printf(&names, "%s%s", k ? ", " : "", s->buffers.v[k].name);
    }
    fail(diag, EXIT_USAGE, "--dump %s: the argument file's buffers are %s", spec, names.n ? names.v : "none");
    text_free(&names);
    return NULL;
}

int run_script(oc_device *d, const FileRun *r, const TextList *dumps, FILE *out, Json *json, Diag *diag)
{
    Script s;
    oc_status status = script_run(d, r, &s, diag);
    int code = status == OC_OK ? EXIT_OK : status == OC_BAD_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
    bool *written = mem_alloc(s.buffers.n + 1);
    json_open(json, "dumps", '{');
    for (size_t a = 0; a < dumps->n && code == EXIT_OK; a++) {
        const char *spec = dumps->v[a];
        FileBuffer *b = script_buffer(&s, spec, diag);
        code = b ? check_how(spec, spec + strcspn(spec, ":"), diag) : EXIT_USAGE;
        if (code == EXIT_OK)
            code = dump(d, spec, b, &written[b - s.buffers.v], spec + strcspn(spec, ":"), out, json, diag);
    }
    json_close(json, '}');
    mem_free(written);
    script_free(&s);
    return code;
}
