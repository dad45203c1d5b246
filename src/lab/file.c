// file.c: a kernel of a bare PTX file, its arguments and buffers made from texts. Everything is checked before it is
// launched.
#include "lab/lab.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static oc_status fail(Text *error, oc_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_vprintf(error, format, args);
    va_end(args);
    return status;
}

// A decimal number of 32 bits; *end is where it stopped.
static bool parse_dim(const char *text, uint32_t *value, const char **end)
{
    uint64_t x = 0;
    for (*end = text; **end >= '0' && **end <= '9' && x <= UINT32_MAX; ++*end) x = x * 10 + (uint64_t)(**end - '0');
    *value = (uint32_t)x;
    return *end > text && x <= UINT32_MAX;
}

static bool parse_dims(const char *text, oc_dim3 *out)
{
    uint32_t v[3] = {1, 1, 1};
    for (int n = 0; n < 3; n++) {
        if (!parse_dim(text, &v[n], &text)) return false;
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
static oc_status make_buffer(oc_device *d, const char *spec, size_t index, FileBuffer *b, Text *error)
{
    char size[32];
    const char *how = strchr(spec, ':');
    size_t n = how ? (size_t)(how - spec) : strlen(spec);
    uint64_t bytes;
    snprintf(size, sizeof size, "%.*s", (int)n, spec);
    if (!parse_size(size, &bytes) || !bytes || bytes > 1ull << 36)
        return fail(error, OC_BAD_ARGUMENT, "arg buf:%s: a size is expected, such as buf:4KiB:iota:f32", spec);
    if (oc_malloc(d, bytes, b->name, &b->ptr) != OC_OK) return fail(error, OC_OUT_OF_MEMORY, "%s", oc_error(d));
    b->bytes = bytes;
    uint8_t *data = calloc(1, bytes);
    if (!data) return fail(error, OC_OUT_OF_MEMORY, "the host has no room for %llu bytes", (unsigned long long)bytes);
    bool ok = true;
    if (how) {
        how++;
        if (*how == '@') {
            FILE *f = fopen(how + 1, "rb");
            bool read = f && (fread(data, 1, bytes, f) == bytes || !ferror(f));
            int problem = errno;
            if (f) fclose(f);
            if (!read) {
                free(data);
                return fail(error, OC_BAD_FILE, "arg buf:%s: can't read %s: %s", spec, how + 1, strerror(problem));
            }
        } else if (!strncmp(how, "hex:", 4))
            ok = fill_hex(data, bytes, how + 4);
        else if (strcmp(how, "zero"))
            ok = fill(data, bytes, how, index + 1);
    }
    if (ok) oc_write(d, b->ptr, data, bytes, NULL);
    free(data);
    return ok ? OC_OK
              : fail(error, OC_BAD_ARGUMENT,
                     "arg buf:%s: zero, iota:f32, iota:u32, rand:f32, rand:u32, hex:… (at most the size) or @FILE is "
                     "expected behind the size",
                     spec);
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

static oc_status no_number(Text *error, const char *spec, const char *text)
{
    return fail(error, OC_BAD_ARGUMENT, "arg %s: a number is expected, not '%s'", spec, text);
}

static oc_status make_arg(oc_device *d, const char *spec, size_t index, uint32_t bytes, uint64_t *value, FileBuffer *b,
                          Text *error)
{
    char *end = NULL;
    const char *text = NULL;
    double real;
    *value = 0;
    uint32_t have = 8;
    if (!strncmp(spec, "buf:", 4)) {
        oc_status code = make_buffer(d, spec + 4, index, b, error);
        if (code != OC_OK) return code;
        *value = b->ptr;
    } else if (!strncmp(spec, "f32:", 4)) {
        text = spec + 4;
        if (!parse_float(text, &real)) return no_number(error, spec, text);
        float f = strtof(text, &end);
        if (isinf(f) && !isinf(real)) return fail(error, OC_BAD_ARGUMENT, "arg %s: too large for an f32", spec);
        memcpy(value, &f, 4);
        have = 4;
    } else if (!strncmp(spec, "f64:", 4)) {
        text = spec + 4;
        if (!parse_float(text, &real)) return no_number(error, spec, text);
        memcpy(value, &real, 8);
    } else if (strchr("ius", spec[0]) && (have = (uint32_t)strtoul(spec + 1, &end, 10) / 8, *end == ':') &&
               (have == 1 || have == 2 || have == 4 || have == 8)) {
        text = end + 1;
        if (!parse_integer(text, spec[0] == 'u', have, value, &end))
            return fail(error, OC_BAD_ARGUMENT, "arg %s: the value doesn't fit %u bits", spec, 8 * have);
    } else {
        return fail(error, OC_BAD_ARGUMENT, "arg %s: i32:7, u64:…, f32:1.5, f64:… or buf:SIZE is expected", spec);
    }
    if (text && end && (end == text || *end)) return no_number(error, spec, text);
    if (have != bytes)
        return fail(error, OC_BAD_ARGUMENT, "arg %s: parameter %zu of the kernel, '%s', has %u bytes, not %u", spec,
                    index, b->name, bytes, have);
    return OC_OK;
}

// "n (4 bytes), x (8 bytes)", for messages.
char *file_params(const oc_kernel_info *info)
{
    Text t = {0};
    for (uint32_t p = 0; p < info->params; p++)
        text_printf(&t, "%s%s (%u bytes)", p ? ", " : "", info->names[p], info->sizes[p]);
    return t.v ? t.v : mem_text("none");
}

static oc_status choose_kernel(oc_device *d, const FileRun *r, oc_kernel **k, Text *error)
{
    oc_module *m;
    oc_status status = oc_load_file(d, r->path, &m);
    if (status != OC_OK) return fail(error, status == OC_BAD_ARGUMENT ? OC_BAD_FILE : status, "%s", oc_error(d));
    if (r->kernel)
        return oc_kernel_get(m, r->kernel, k) == OC_OK ? OC_OK : fail(error, OC_BAD_ARGUMENT, "%s", oc_error(d));
    size_t own = 0;
    Text names = {0};
    for (size_t i = 0; i < oc_kernel_count(m); i++) {
        const char *name = oc_kernel_describe(oc_kernel_at(m, i)).name;
        if (r->rewritten && soft_l1_made(name)) continue;
        if (!own) *k = oc_kernel_at(m, i);
        text_printf(&names, "%s%s", own++ ? ", " : "", name);
    }
    if (!own)
        status = fail(error, OC_BAD_ARGUMENT, "%s has no kernel", r->path);
    else if (own > 1)
        status =
            fail(error, OC_BAD_ARGUMENT, "%s has %zu kernels; choose one with --kernel: %s", r->path, own, names.v);
    text_free(&names);
    return status;
}

// One that can't be run is refused before its arguments are looked at.
static oc_status find_kernel(oc_device *d, const FileRun *r, oc_kernel **k, Text *error)
{
    oc_status status = choose_kernel(d, r, k, error);
    const char *refusal = status == OC_OK ? oc_kernel_describe(*k).refusal : NULL;
    return refusal ? fail(error, OC_UNSUPPORTED, "%s", refusal) : status;
}

oc_status file_prepare(oc_device *d, const FileRun *r, FileLaunch *l, Text *error)
{
    uint64_t smem = 0;
    *l = (FileLaunch){.device = d, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    if (r->grid && !parse_dims(r->grid, &l->grid))
        return fail(error, OC_BAD_ARGUMENT, "grid %s: X, X,Y or X,Y,Z is expected", r->grid);
    if (r->block && !parse_dims(r->block, &l->block))
        return fail(error, OC_BAD_ARGUMENT, "block %s: X, X,Y or X,Y,Z is expected", r->block);
    if (r->smem && (!parse_size(r->smem, &smem) || smem > UINT32_MAX))
        return fail(error, OC_BAD_ARGUMENT, "smem %s: a number of bytes is expected", r->smem);
    l->smem = (uint32_t)smem;
    oc_status status = find_kernel(d, r, &l->kernel, error);
    if (status != OC_OK) return status;
    l->info = oc_kernel_describe(l->kernel);
    if (r->args.n != l->info.params) {
        char *params = file_params(&l->info);
        fail(error, OC_BAD_ARGUMENT, "kernel %s takes %u arguments; %zu were given (--arg); its parameters are %s",
             l->info.name, l->info.params, r->args.n, params);
        mem_free(params);
        return OC_BAD_ARGUMENT;
    }
    l->values = mem_alloc(sizeof *l->values * (r->args.n + 1));
    l->buffers = mem_alloc(sizeof *l->buffers * (r->args.n + 1));
    for (size_t a = 0; a < r->args.n && status == OC_OK; a++) {
        l->buffers[a].name = l->info.names[a];
        status = make_arg(d, r->args.v[a], a, l->info.sizes[a], &l->values[a], &l->buffers[a], error);
    }
    return status;
}

oc_status file_launch(FileLaunch *l, Text *error)
{
    const void **pointers = mem_alloc(sizeof *pointers * (l->info.params + 1));
    for (uint32_t a = 0; a < l->info.params; a++) pointers[a] = &l->values[a];
    oc_status status = oc_launch(l->kernel, l->grid, l->block, l->smem, NULL, pointers);
    if (status != OC_OK) fail(error, status, "%s", oc_error(l->device));
    mem_free(pointers);
    return status;
}

void file_free(FileLaunch *l)
{
    mem_free(l->values), mem_free(l->buffers);
    *l = (FileLaunch){.values = NULL};
}

bool file_options(FileRun *r, const char *path, const char *const *params, Arena *arena, Text *error)
{
    *r = (FileRun){.path = path};
    for (; params && *params; params++) {
        const char *equals = strchr(*params, '=');
        size_t n = equals ? (size_t)(equals - *params) : strlen(*params);
        static const char *const names[] = {"kernel", "grid", "block", "smem", "args"};
        const char **to[] = {&r->kernel, &r->grid, &r->block, &r->smem};
        size_t k = 0;
        while (k < COUNT(names) && (strlen(names[k]) != n || memcmp(names[k], *params, n))) k++;
        if (!equals || k == COUNT(names))
            return text_printf(error, "a PTX file has no parameter '%.*s'; it has kernel, grid, block, smem and args",
                               (int)n, *params),
                   false;
        if (k < COUNT(to)) *to[k] = equals + 1;
        for (const char *p = equals + 1; k == COUNT(to) && *(p += strspn(p, " \t"));) {
            size_t word = strcspn(p, " \t");
            vec_push(&r->args, arena_text(arena, p, word));
            p += word;
        }
    }
    return true;
}
