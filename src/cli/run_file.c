// run_file.c: a kernel of a bare PTX file: arguments and buffers from the command line, buffers given back.
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct Buffer {
    const char *name;           // the parameter's
    oc_ptr ptr;
    size_t bytes;
    bool written;               // it is in the JSON
} Buffer;

static int fail(char **error, int code, const char *format, ...)
{
    Text t = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    *error = mem_text(t.v);
    text_free(&t);
    return code;
}

static bool parse_dims(const char *text, oc_dim3 *out)
{
    uint32_t v[3] = {1, 1, 1};
    for (int n = 0; n < 3; n++) {
        char *end;
        unsigned long x = strtoul(text, &end, 0);
        if (end == text || x > UINT32_MAX) return false;
        v[n] = (uint32_t)x;
        text = end;
        if (!*text) break;
        if (*text++ != ',' || n == 2) return false;
    }
    *out = (oc_dim3){v[0], v[1], v[2]};
    return true;
}

static uint32_t next_random(uint64_t *s)
{
    *s = *s * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*s >> 32);
}

// Fills 32-bit elements: zero, iota or rand as u32 or f32.
static bool fill(uint8_t *p, size_t bytes, const char *how, uint64_t seed)
{
    bool is_float = strstr(how, ":f32") != NULL;
    for (size_t k = 0; k * 4 < bytes; k++) {
        uint32_t u = !strncmp(how, "iota", 4) ? (uint32_t)k : next_random(&seed);
        float f = !strncmp(how, "iota", 4) ? (float)k : (float)(u >> 8) * 0x1p-24f;
        if (is_float) memcpy(&u, &f, 4);
        memcpy(p + 4 * k, &u, MIN(4, bytes - 4 * k));
    }
    return !strcmp(how, "iota:f32") || !strcmp(how, "iota:u32") || !strcmp(how, "rand:f32") || !strcmp(how, "rand:u32");
}

static bool fill_hex(uint8_t *p, size_t bytes, const char *hex)
{
    size_t n = strlen(hex);
    if (n % 2 || n / 2 > bytes) return false;
    for (size_t k = 0; k < n / 2; k++) {
        char pair[3] = {hex[2 * k], hex[2 * k + 1], 0}, *end;
        p[k] = (uint8_t)strtoul(pair, &end, 16);
        if (*end) return false;
    }
    return true;
}

// buf:SIZE[:how]
static int make_buffer(oc_device *d, const char *spec, size_t index, Buffer *b, char **error)
{
    char size[32];
    const char *how = strchr(spec, ':');
    size_t n = how ? (size_t)(how - spec) : strlen(spec);
    uint64_t bytes;
    snprintf(size, sizeof size, "%.*s", (int)n, spec);
    if (!parse_size(size, &bytes) || !bytes || bytes > 1ull << 36) return fail(error, EXIT_USAGE, "--arg buf:%s: a size is expected, such as buf:4KiB:iota:f32", spec);
    if (oc_malloc(d, bytes, b->name, &b->ptr) != OC_OK) return fail(error, EXIT_FAILED, "%s", oc_error(d));
    b->bytes = bytes;
    uint8_t *data = calloc(1, bytes);
    if (!data) return fail(error, EXIT_FAILED, "the host has no room for %llu bytes", (unsigned long long)bytes);
    bool ok = true;
    if (how) {
        how++;
        if (*how == '@') {
            FILE *f = fopen(how + 1, "rb");
            ok = f && (fread(data, 1, bytes, f) || !ferror(f));
            if (f) fclose(f);
        } else if (!strncmp(how, "hex:", 4)) ok = fill_hex(data, bytes, how + 4);
        else if (strcmp(how, "zero")) ok = fill(data, bytes, how, index + 1);
    }
    if (ok) oc_write(d, b->ptr, data, bytes, NULL);
    free(data);
    return ok ? EXIT_OK : fail(error, EXIT_USAGE, "--arg buf:%s: zero, iota:f32, iota:u32, rand:f32, rand:u32, hex:… (at most the size) or @FILE is expected behind the size", spec);
}

// A whole number of `bytes` bytes; a signed one may also be written as the bits it has. *end is where it stopped.
static bool parse_integer(const char *text, bool is_unsigned, uint32_t bytes, uint64_t *value, char **end)
{
    bool negative = text[strspn(text, " \t")] == '-';
    uint32_t bits = 8 * bytes;
    errno = 0;
    *value = negative ? (uint64_t)strtoll(text, end, 0) : strtoull(text, end, 0);
    if (errno || (negative && is_unsigned)) return false;
    if (bytes == 8) return true;
    return negative ? (int64_t)*value >= -(1ll << (bits - 1)) : *value >> bits == 0;
}

static int make_arg(oc_device *d, const char *spec, size_t index, uint32_t bytes, uint64_t *value, Buffer *b, char **error)
{
    char *end = NULL;
    const char *text = NULL;
    *value = 0;
    uint32_t have = 8;
    if (!strncmp(spec, "buf:", 4)) {
        int code = make_buffer(d, spec + 4, index, b, error);
        if (code != EXIT_OK) return code;
        *value = b->ptr;
    } else if (!strncmp(spec, "f32:", 4)) {
        float f = strtof(text = spec + 4, &end);
        memcpy(value, &f, 4);
        have = 4;
    } else if (!strncmp(spec, "f64:", 4)) {
        double v = strtod(text = spec + 4, &end);
        memcpy(value, &v, 8);
    } else if (strchr("ius", spec[0]) && (have = (uint32_t)strtoul(spec + 1, &end, 10) / 8, *end == ':') && (have == 1 || have == 2 || have == 4 || have == 8)) {
        text = end + 1;
        if (!parse_integer(text, spec[0] == 'u', have, value, &end))
            return fail(error, EXIT_USAGE, "--arg %s: the value doesn't fit %u bits", spec, 8 * have);
    } else {
        return fail(error, EXIT_USAGE, "--arg %s: i32:7, u64:…, f32:1.5, f64:… or buf:SIZE is expected", spec);
    }
    if (text && (end == text || *end)) return fail(error, EXIT_USAGE, "--arg %s: a number is expected, not '%s'", spec, text);
    if (have != bytes) return fail(error, EXIT_USAGE, "--arg %s: parameter %zu of the kernel, '%s', has %u bytes, not %u", spec, index, b->name, bytes, have);
    return EXIT_OK;
}

// "n (4 bytes), x (8 bytes)", for messages.
static char *params_text(const oc_kernel_info *info)
{
    Text t = {0};
    for (uint32_t p = 0; p < info->params; p++) text_printf(&t, "%s%s (%u bytes)", p ? ", " : "", info->names[p], info->sizes[p]);
    return t.v ? t.v : mem_text("none");
}

// WHICH[:how], where which is an argument's number or its parameter's name. Is it a buffer, and a way to give it back? Known
// before the kernel runs.
static int find_dump(const char *spec, const FileRun *r, const oc_kernel_info *info, size_t *index, const char **how, char **error)
{
    size_t n = strcspn(spec, ":"), digits = strspn(spec, "0123456789");
    *how = spec + n;
    *index = digits && digits == n ? strtoul(spec, NULL, 10) : 0;
    if (!digits || digits != n)
        while (*index < info->params && (strlen(info->names[*index]) != n || memcmp(info->names[*index], spec, n))) ++*index;
    if (*index >= info->params) {
        char *params = params_text(info);
        int code = fail(error, EXIT_USAGE, "--dump %s: the number of an argument is expected, from 0 on, or a parameter's name; they are %s", spec, params);
        mem_free(params);
        return code;
    }
    if (strncmp(r->args.v[*index], "buf:", 4)) return fail(error, EXIT_USAGE, "--dump %s: argument %zu is not a buffer", spec, *index);
    if (**how && strcmp(*how, ":hex") && strcmp(*how, ":u32") && strcmp(*how, ":f32") && strncmp(*how, ":@", 2))
        return fail(error, EXIT_USAGE, "--dump %s: :u32, :f32, :hex or :@FILE is expected", spec);
    return EXIT_OK;
}

static int dump(oc_device *d, const char *spec, Buffer *b, const char *how, FILE *out, Json *json, char **error)
{
    uint8_t *data = malloc(b->bytes);
    if (!data || oc_read(d, data, b->ptr, b->bytes, NULL) != OC_OK) {
        free(data);
        return fail(error, EXIT_FAILED, "--dump %s: the buffer can't be read", spec);
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
            if (how[1] == 'u') text_printf(&t, "%s%u", k ? " " : "", u);
            else text_printf(&t, "%s%.9g", k ? " " : "", (double)f);
        }
    } else {
        FILE *f = fopen(how + 2, "wb");
        if (!f || fwrite(data, 1, b->bytes, f) != b->bytes) code = fail(error, EXIT_FAILED, "--dump %s: can't write %s", spec, how + 2);
        if (f && fclose(f) && code == EXIT_OK) code = fail(error, EXIT_FAILED, "--dump %s: can't write %s", spec, how + 2);
    }
    if (t.n) fprintf(out, "%s: %s\n", b->name, t.v);
    t.n = 0;
    for (size_t k = 0; k < b->bytes; k++) text_printf(&t, "%02x", data[k]);
    if (!b->written) json_string(json, b->name, t.v);
    b->written = true;
    text_free(&t);
    free(data);
    return code;
}

int run_file(oc_device *d, const FileRun *r, FILE *out, Json *json, char **error)
{
    oc_module *m;
    oc_kernel *k;
    oc_dim3 grid = {1, 1, 1}, block = {32, 1, 1};
    uint64_t smem = 0;
    if (r->grid && !parse_dims(r->grid, &grid)) return fail(error, EXIT_USAGE, "--grid %s: X, X,Y or X,Y,Z is expected", r->grid);
    if (r->block && !parse_dims(r->block, &block)) return fail(error, EXIT_USAGE, "--block %s: X, X,Y or X,Y,Z is expected", r->block);
    if (r->smem && (!parse_size(r->smem, &smem) || smem > UINT32_MAX)) return fail(error, EXIT_USAGE, "--smem %s: a number of bytes is expected", r->smem);
    if (oc_load_file(d, r->path, &m) != OC_OK) return fail(error, EXIT_FAILED, "%s", oc_error(d));
    if (!r->kernel && oc_kernel_count(m) != 1) {
        Text t = {0};
        for (size_t i = 0; i < oc_kernel_count(m); i++) text_printf(&t, "%s%s", i ? ", " : "", oc_kernel_describe(oc_kernel_at(m, i)).name);
        int code = t.n ? fail(error, EXIT_USAGE, "%s has %zu kernels; choose one with --kernel: %s", r->path, oc_kernel_count(m), t.v)
                       : fail(error, EXIT_USAGE, "%s has no kernel", r->path);
        text_free(&t);
        return code;
    }
    if (!r->kernel) k = oc_kernel_at(m, 0);
    else if (oc_kernel_get(m, r->kernel, &k) != OC_OK) return fail(error, EXIT_USAGE, "%s", oc_error(d));
    oc_kernel_info info = oc_kernel_describe(k);
    if (r->args.n != info.params) {
        char *params = params_text(&info);
        int code = fail(error, EXIT_USAGE, "kernel %s takes %u arguments; %zu --arg were given; its parameters are %s", info.name, info.params, r->args.n, params);
        mem_free(params);
        return code;
    }
    size_t index;
    const char *how;
    for (size_t a = 0; a < r->dumps.n; a++) {
        int bad = find_dump(r->dumps.v[a], r, &info, &index, &how, error);
        if (bad) return bad;
    }
    size_t n = info.params;
    uint64_t *values = calloc(n + 1, sizeof *values);
    const void **pointers = calloc(n + 1, sizeof *pointers);
    Buffer *buffers = calloc(n + 1, sizeof *buffers);
    int code = values && pointers && buffers ? EXIT_OK : EXIT_FAILED;
    for (size_t a = 0; a < n && code == EXIT_OK; a++) {
        pointers[a] = &values[a];
        buffers[a].name = info.names[a];
        code = make_arg(d, r->args.v[a], a, info.sizes[a], &values[a], &buffers[a], error);
    }
    oc_status status = code == EXIT_OK ? oc_launch(k, grid, block, (uint32_t)smem, NULL, pointers) : OC_OK;
    if (status != OC_OK) code = fail(error, status == OC_BAD_ARGUMENT ? EXIT_USAGE : EXIT_FAILED, "%s", oc_error(d));
    json_open(json, "dumps", '{');
    for (size_t a = 0; a < r->dumps.n && code == EXIT_OK; a++) {
        code = find_dump(r->dumps.v[a], r, &info, &index, &how, error);
        if (code == EXIT_OK) code = dump(d, r->dumps.v[a], &buffers[index], how, out, json, error);
    }
    json_close(json, '}');
    free(values), free(pointers), free(buffers);
    return code;
}
