// argument.c: makes an argument of a kernel from a text, as --arg and args= have it. The text must have the kind and
// the width of the parameter's PTX type. Where it hasn't, the error says what to write instead.
#include "names/names.h"
#include "ptx/ptx.h"
#include "work/programs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef enum Form { FORM_INTEGER, FORM_FLOAT, FORM_BUFFER, FORM_HEX } Form;
typedef struct Spec {
    const char *text;   // all of it
    const char *value;  // the part behind the first colon
    Form form;
    uint32_t bytes;  // of a number
    bool is_unsigned;
} Spec;
typedef struct Param {
    const char *name, *type;  // "u32", "b8[16]"
    Kind kind;
    uint32_t bytes;
    ArgumentKind from;
    bool array, shared;  // shared: it is marked as an address in shared memory, as OpenCL's __local pointers are
} Param;

static const struct {
    const char *name;
    Form form;
    uint32_t bytes;
} forms[] = {{"i8", FORM_INTEGER, 1}, {"i16", FORM_INTEGER, 2}, {"i32", FORM_INTEGER, 4}, {"i64", FORM_INTEGER, 8},
             {"s8", FORM_INTEGER, 1}, {"s16", FORM_INTEGER, 2}, {"s32", FORM_INTEGER, 4}, {"s64", FORM_INTEGER, 8},
             {"u8", FORM_INTEGER, 1}, {"u16", FORM_INTEGER, 2}, {"u32", FORM_INTEGER, 4}, {"u64", FORM_INTEGER, 8},
             {"f32", FORM_FLOAT, 4},  {"f64", FORM_FLOAT, 8},   {"buf", FORM_BUFFER, 8},  {"hex", FORM_HEX, 0}};
static const char *const fills[] = {"zero", "iota:f32", "iota:u32", "rand:f32", "rand:u32"};
static const uint64_t most_bytes = 1ull << 36;  // of a buffer

static Param param_of(const oc_kernel_info *info, size_t index)
{
    Param p = {.name = argument_name(info, index), .type = info->types[index], .bytes = info->sizes[index]};
    size_t n = strcspn(p.type, "[ ");
    p.array = p.type[n] == '[';
    p.shared = p.type[n] == ' ';
    for (Type t = 0; t < TY_COUNT; t++)
        if (strlen(type_info[t].name) == n && !memcmp(type_info[t].name, p.type, n)) p.kind = type_info[t].kind;
    return p;
}

// --- numbers ---------------------------------------------------------------------------------------------------------
// Reads a whole number of `bytes` bytes. A signed number may also be written as its bits. *end is where reading
// stopped.
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

// *range: the text is a finite number beyond the range of f32. It isn't taken for an infinity.
static bool parse_real(const char *text, uint32_t bytes, uint64_t *value, bool *range)
{
    double d;
    *range = false;
    if (!parse_float(text, &d)) return false;
    if (bytes == 8) return memcpy(value, &d, 8), true;
    float f = strtof(text, NULL);
    *range = isinf(f) && !isinf(d);
    memcpy(value, &f, 4);
    return !*range;
}

static bool parse_hex(uint8_t *p, size_t bytes, const char *hex)
{
    size_t n = strlen(hex);
    if (n % 2 || n / 2 > bytes || strspn(hex, "0123456789abcdefABCDEF") != n) return false;
    for (size_t k = 0; k < n / 2; k++) {
        char pair[3] = {hex[2 * k], hex[2 * k + 1], 0};
        p[k] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return true;
}

// --- what to write instead -------------------------------------------------------------------------------------------
static bool is_number(const char *text, bool whole)
{
    char *end;
    uint64_t n;
    double d;
    return whole ? parse_integer(text, false, 8, &n, &end) && end != text && !*end : parse_float(text, &d);
}

// Writes a text of the parameter's type. It has the given number, where that is one of the type.
static void put_instead(const Param *p, const char *number, Text *out)
{
    uint64_t n;
    char *end;
    bool standard = p->bytes == 1 || p->bytes == 2 || p->bytes == 4 || p->bytes == 8;
    if (p->array || !standard) {
        text_printf(out, "hex: with %u digits", 2 * p->bytes);
    } else if (p->kind == K_FLOAT && p->bytes >= 4) {
        text_printf(out, "f%u:%s", 8 * p->bytes, is_number(number, false) ? number : "NUMBER");
    } else if (p->kind == K_FLOAT) {
        text_printf(out, "u%u:BITS, the bits of the number", 8 * p->bytes);
    } else {
        bool whole = is_number(number, true), minus = *number == '-';
        bool fits = whole && parse_integer(number, !minus, p->bytes, &n, &end);
        text_printf(out, "%c%u:%s", minus && fits ? 'i' : 'u', 8 * p->bytes, fits ? number : "NUMBER");
        if (p->shared)
            text_put(out, ", an address in the block's shared memory, or buf:SIZE for SIZE bytes there");
        else if (p->bytes == 8)
            text_put(out, ", or buf:SIZE for a buffer");
    }
}

static oc_status wrong_type(const Spec *s, const Param *p, Diag *diag)
{
    file_fail(diag, OC_BAD_ARGUMENT, "arg %s: parameter '%s' has the PTX type .%s", s->text, p->name, p->type);
    if (s->form == FORM_BUFFER && p->bytes != 8)
        text_printf(&diag->text, " of %u byte%s, and a buffer's address has 8", p->bytes, p->bytes == 1 ? "" : "s");
    text_put(&diag->text, "; write ");
    put_instead(p, s->form == FORM_INTEGER || s->form == FORM_FLOAT ? s->value : "", &diag->text);
    return OC_BAD_ARGUMENT;
}

// --- buffers ---------------------------------------------------------------------------------------------------------
// Fills the buffer with 32-bit elements: iota or rand, as u32 or f32.
static void fill(uint8_t *p, size_t bytes, const char *how, uint64_t seed)
{
    bool is_float = strstr(how, ":f32") != NULL, counts = !strncmp(how, "iota", 4);
    for (size_t k = 0; k * 4 < bytes; k++) {
        seed = counts ? seed : seed * 6364136223846793005ull + 1442695040888963407ull;
        uint32_t u = counts ? (uint32_t)k : (uint32_t)(seed >> 32);
        float f = counts ? (float)k : (float)(u >> 8) * 0x1p-24f;
        if (is_float) memcpy(&u, &f, 4);
        memcpy(p + 4 * k, &u, MIN(4, bytes - 4 * k));
    }
}

// Fills the buffer from a file. A regular file must have exactly as many bytes as the buffer. A file without a size,
// such as /dev/urandom, gives as many.
static oc_status fill_file(const Spec *s, uint8_t *p, size_t bytes, const char *path, Diag *diag)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(p, 1, bytes, f) : 0;
    bool ok = f && !ferror(f);
    int problem = errno;
    bool sized = ok && !fstat(fileno(f), &st) && S_ISREG(st.st_mode);
    uint64_t has = sized ? (uint64_t)st.st_size : n;
    if (f) fclose(f);
    if (!ok) return file_fail(diag, OC_BAD_FILE, "arg %s: can't read %s: %s", s->text, path, strerror(problem));
    if (n == bytes && has == bytes) return OC_OK;
    file_fail(diag, OC_BAD_ARGUMENT, "arg %s: %s has %llu bytes and the buffer %zu", s->text, path,
              (unsigned long long)has, bytes);
    if (sized) text_printf(&diag->text, "; write buf:@%s for a buffer of the file's size", path);
    return OC_BAD_ARGUMENT;
}

static oc_status fill_buffer(const Spec *s, const Param *p, size_t index, uint8_t *data, size_t bytes, const char *how,
                             Diag *diag)
{
    size_t k = 0;
    if (*how == '@') return fill_file(s, data, bytes, how + 1, diag);
    if (!strncmp(how, "hex:", 4)) {
        if (parse_hex(data, bytes, how + 4)) return OC_OK;
        return file_fail(diag, OC_BAD_ARGUMENT,
                         "arg %s: parameter '%s': behind hex: come at most %zu hexadecimal digits, two for each byte",
                         s->text, p->name, 2 * bytes);
    }
    while (k < COUNT(fills) && strcmp(how, fills[k])) k++;
    if (k < COUNT(fills)) return k ? fill(data, bytes, how, index + 1), OC_OK : OC_OK;
    char hint[100];
    return file_fail(diag, OC_BAD_ARGUMENT,
                     "arg %s: behind a buffer's size comes zero, iota:f32, iota:u32, rand:f32, rand:u32, "
                     "hex:… or @FILE, not '%s'%s",
                     s->text, how, did_you_mean(how, fills, COUNT(fills), hint));
}

// The size is given as SIZE or SIZE:HOW; with @FILE it is the file's.
static oc_status buffer_size(const Spec *s, uint64_t *bytes, const char **how, Diag *diag)
{
    char size[32];
    size_t n = strcspn(s->value, ":");
    struct stat st;
    *how = s->value[n] ? s->value + n + 1 : "zero";
    if (*s->value == '@') {
        *how = s->value;
        if (stat(*how + 1, &st))
            return file_fail(diag, OC_BAD_FILE, "arg %s: can't read %s: %s", s->text, *how + 1, strerror(errno));
        if (!S_ISREG(st.st_mode) || !st.st_size || (uint64_t)st.st_size > most_bytes)
            return file_fail(diag, OC_BAD_ARGUMENT, "arg %s: %s is %s; write buf:SIZE:@FILE", s->text, *how + 1,
                             !S_ISREG(st.st_mode) ? "not a file with a size"
                             : !st.st_size        ? "empty"
                                                  : "larger than 64 GiB");
        *bytes = (uint64_t)st.st_size;
        return OC_OK;
    }
    snprintf(size, sizeof size, "%.*s", (int)MIN(n, sizeof size - 1), s->value);
    if (n < sizeof size && parse_size(size, bytes) && *bytes && *bytes <= most_bytes) return OC_OK;
    return file_fail(
        diag, OC_BAD_ARGUMENT,
        "arg %s: a size from 1 byte to 64 GiB is expected behind buf:, such as buf:4KiB:iota:f32, or a file as in "
        "buf:@FILE",
        s->text);
}

// A parameter that is an address in shared memory gets dynamic shared memory of its own, behind what the block has.
static oc_status reserve(const Spec *s, const Param *p, const oc_kernel_info *info, uint32_t *smem, uint64_t *at,
                         FileBuffer *b, Diag *diag)
{
    const char *how;
    uint64_t bytes, behind = ((uint64_t)info->shared_bytes + *smem + 127) / 128 * 128;
    oc_status status = buffer_size(s, &bytes, &how, diag);
    if (status != OC_OK) return status;
    if (strcmp(how, "zero") || strchr(s->value, ':'))
        return file_fail(diag, OC_BAD_ARGUMENT,
                         "arg %s: parameter '%s' is an address in shared memory, which can't be filled; write buf:SIZE",
                         s->text, p->name);
    if (behind + bytes > UINT32_MAX)
        return file_fail(diag, OC_BAD_ARGUMENT, "arg %s: no block has so much shared memory", s->text);
    *at = behind;
    *smem = (uint32_t)(behind + bytes - info->shared_bytes);
    b->bytes = bytes;
    return OC_OK;
}

// Reads "SIZE:HOW" or "@FILE" of s, and makes a buffer of that size.
static oc_status make_room(oc_device *d, const Spec *s, FileBuffer *b, const char **how, Diag *diag)
{
    uint64_t bytes;
    oc_status status = buffer_size(s, &bytes, how, diag);
    if (status != OC_OK) return status;
    if (oc_malloc(d, bytes, b->name, &b->ptr) != OC_OK) return file_fail(diag, OC_OUT_OF_MEMORY, "%s", oc_error(d));
    b->bytes = bytes;
    return OC_OK;
}

static oc_status make_contents(oc_device *d, const Spec *s, const Param *p, size_t index, const FileBuffer *b,
                               const char *how, Diag *diag)
{
    uint8_t *data = mem_try(b->bytes, 1);
    if (!data)
        return file_fail(diag, OC_OUT_OF_MEMORY, "the host has no room for %llu bytes", (unsigned long long)b->bytes);
    oc_status status = fill_buffer(s, p, index, data, b->bytes, how, diag);
    if (status == OC_OK && oc_write(d, b->ptr, data, b->bytes, NULL) != OC_OK)
        status = file_fail(diag, OC_FAULT, "%s", oc_error(d));
    mem_free(data);
    return status;
}

static oc_status make_buffer(oc_device *d, const Spec *s, const Param *p, size_t index, FileBuffer *b, Diag *diag)
{
    const char *how;
    oc_status status = make_room(d, s, b, &how, diag);
    return status == OC_OK ? make_contents(d, s, p, index, b, how, diag) : status;
}

oc_status argument_buffer(oc_device *d, const char *text, size_t index, FileBuffer *b, Diag *diag)
{
    const Spec s = {.text = text, .value = text, .form = FORM_BUFFER};
    const Param p = {.name = b->name};
    return make_buffer(d, &s, &p, index, b, diag);
}

// --- an argument -----------------------------------------------------------------------------------------------------
ArgumentKind argument_kind(const char *word)
{
    static const char *const names[] = {"", "integer", "float", "pointer", "bytes"};
    size_t n = strcspn(word, " \r\n"), k = 1;
    while (k < COUNT(names) && (strlen(names[k]) != n || memcmp(names[k], word, n))) k++;
    return k < COUNT(names) ? (ArgumentKind)k : ARGUMENT_UNKNOWN;
}

// A number without its type, where the source says which the parameter has. A whole number is signed, or written as its
// bits. Returns whether that is so; a text that isn't a number is one, too, where nothing else can be meant.
static bool read_plain(Spec *s, const Param *p)
{
    const bool real = p->from == ARGUMENT_FLOAT && p->kind == K_FLOAT && (p->bytes == 4 || p->bytes == 8);
    const bool whole = p->from == ARGUMENT_INTEGER && p->kind != K_FLOAT && !p->array && p->bytes <= 8;
    if (strchr(s->text, ':') || *s->text == '@' || (!real && !whole)) return false;
    s->form = real ? FORM_FLOAT : FORM_INTEGER;
    s->bytes = p->bytes, s->value = s->text;
    return true;
}

static oc_status read_form(Spec *s, const Param *p, Diag *diag)
{
    if (read_plain(s, p)) return OC_OK;
    size_t n = strcspn(s->text, ":"), k = 0;
    const char *names[COUNT(forms)];
    char word[16];
    for (size_t f = 0; f < COUNT(forms); f++) names[f] = forms[f].name;
    while (s->text[n] && k < COUNT(forms) && (strlen(names[k]) != n || memcmp(names[k], s->text, n))) k++;
    if (s->text[n] && k < COUNT(forms)) {
        s->form = forms[k].form, s->bytes = forms[k].bytes, s->is_unsigned = *names[k] == 'u';
        s->value = s->text + n + 1;
        return OC_OK;
    }
    snprintf(word, sizeof word, "%.*s", (int)MIN(n, sizeof word - 1), s->text);
    const char *near = s->text[n] ? nearest_name(word, names, COUNT(names)) : NULL;
    if (near)
        return file_fail(diag, OC_BAD_ARGUMENT, "arg %s: no type '%s'; did you mean '%s:%s'?", s->text, word, near,
                         s->text + n + 1);
    struct stat st;
    if (*s->text == '@' && stat(s->text + 1, &st))
        return file_fail(diag, OC_BAD_FILE, "arg %s: can't read %s: %s", s->text, s->text + 1, strerror(errno));
    if (*s->text == '@')
        return file_fail(diag, OC_BAD_ARGUMENT, "arg %s: a file is the content of a buffer; write buf:%s", s->text,
                         s->text);
    if (p->from == ARGUMENT_POINTER)
        diag_error(diag, "arg %s: parameter '%s' is a pointer; write ", s->text, p->name);
    else
        diag_error(diag, "arg %s: parameter '%s' has the PTX type .%s; write ", s->text, p->name, p->type);
    put_instead(p, s->text, &diag->text);
    return OC_BAD_ARGUMENT;
}

static bool type_fits(const Spec *s, const Param *p)
{
    uint32_t bytes = s->bytes;
    if (s->form == FORM_BUFFER && p->shared) return true;
    if (s->form == FORM_HEX) return p->array || p->kind == K_BITS || p->bytes > 8;
    if (p->array || p->kind == K_BITS) return bytes == p->bytes;
    if (p->kind == K_FLOAT && p->bytes == 2) return s->form == FORM_INTEGER && bytes == 2;
    return bytes == p->bytes && (p->kind == K_FLOAT) == (s->form == FORM_FLOAT);
}

oc_status argument_make(oc_device *d, const char *text, const oc_kernel_info *info, size_t index, ArgumentKind kind,
                        void *value, FileBuffer *b, uint32_t *smem, Diag *diag)
{
    Spec s = {.text = text};
    Param p = param_of(info, index);
    uint64_t bits = 0;
    char *end = NULL;
    bool number = true, range = false;
    b->name = p.name, p.from = kind;
    oc_status status = read_form(&s, &p, diag);
    if (status != OC_OK) return status;
    if (!type_fits(&s, &p)) return wrong_type(&s, &p, diag);
    if (s.form == FORM_BUFFER && p.shared) {
        status = reserve(&s, &p, info, smem, &bits, b, diag);
    } else if (s.form == FORM_BUFFER) {
        status = make_buffer(d, &s, &p, index, b, diag);
        bits = b->ptr;
    } else if (s.form == FORM_HEX) {
        if (strlen(s.value) == 2ull * p.bytes && parse_hex(value, p.bytes, s.value)) return OC_OK;
        return file_fail(diag, OC_BAD_ARGUMENT, "arg %s: parameter '%s', a .%s, takes exactly %u hexadecimal digits",
                         text, p.name, p.type, 2 * p.bytes);
    } else if (s.form == FORM_FLOAT) {
        number = parse_real(s.value, s.bytes, &bits, &range) || range;
    } else {
        range = !parse_integer(s.value, s.is_unsigned, s.bytes, &bits, &end);
        number = end != s.value && !*end;
    }
    if (!number)
        return file_fail(diag, OC_BAD_ARGUMENT, "arg %s: a%s number is expected, not '%s' (parameter '%s')", text,
                         s.form == FORM_INTEGER && s.value == text ? " whole" : "", s.value, p.name);
    if (range && s.form == FORM_FLOAT)
        return file_fail(diag, OC_BAD_ARGUMENT, "arg %s: too large for an f32 (parameter '%s')", text, p.name);
    if (range)
        return file_fail(diag, OC_BAD_ARGUMENT, "arg %s: the value doesn't fit %u bits (parameter '%s', a .%s)", text,
                         8 * s.bytes, p.name, p.type);
    memcpy(value, &bits, MIN(p.bytes, sizeof bits));
    return status;
}

bool argument_number(const char *text, uint8_t value[8], uint32_t *bytes)
{
    size_t n = strcspn(text, ":"), k = 0;
    uint64_t bits = 0;
    char *end = NULL;
    bool range;
    while (k < COUNT(forms) && (strlen(forms[k].name) != n || memcmp(forms[k].name, text, n))) k++;
    if (!text[n] || k == COUNT(forms) || (forms[k].form != FORM_INTEGER && forms[k].form != FORM_FLOAT)) return false;
    const char *number = text + n + 1;
    *bytes = forms[k].bytes;
    bool ok = forms[k].form == FORM_FLOAT
                  ? parse_real(number, *bytes, &bits, &range)
                  : parse_integer(number, *text == 'u', *bytes, &bits, &end) && end != number && !*end;
    memcpy(value, &bits, sizeof bits);
    return ok;
}

const char *argument_name(const oc_kernel_info *info, size_t index)
{
    return param_own(info->name, info->names[index]);
}

// "n (.u32), x (.u64)", for messages.
char *argument_params(const oc_kernel_info *info)
{
    Text t = {0};
    for (uint32_t p = 0; p < info->params; p++)
        text_printf(&t, "%s%s (.%s)", p ? ", " : "", argument_name(info, p), info->types[p]);
    return t.v ? t.v : mem_text("none");
}

oc_status argument_count(const oc_kernel_info *info, const char *const *given, size_t n, Diag *diag)
{
    if (n == info->params) return OC_OK;
    char *params = argument_params(info), *name = name_shown(info->name);
    file_fail(diag, OC_BAD_ARGUMENT, "kernel %s takes %u argument%s; %zu %s given (--arg); its parameters are %s\n",
              name, info->params, info->params == 1 ? "" : "s", n, n == 1 ? "was" : "were", params);
    mem_free(params), mem_free(name);
    if (n > info->params) return text_printf(&diag->text, "hint: leave out %s", given[info->params]), OC_BAD_ARGUMENT;
    for (size_t k = n; k < info->params; k++) {
        Param p = param_of(info, k);
        text_printf(&diag->text, "%s%s: ", k == n ? "hint: for " : "; for ", p.name);
        put_instead(&p, "", &diag->text);
    }
    return OC_BAD_ARGUMENT;
}
