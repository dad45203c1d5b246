// script.c: an argument file: buffers by name, and launches of several kernels that share them.
//
//     [buffers]
//     x      = 4KiB:rand:f32
//     y      = @start.bin
//     fusion = struct(&x, &y, u64:0)    the addresses and numbers of a structure, as C lays them out
//     [launch spmv]                     runs the kernel spmv, or the one that kernel = names
//     grid   = 8
//     block  = 128
//     args   = i32:1024 &x &y+64 &fusion
//
// The launches run in the order of the file, each finding the caches as the one before left them. In args a structure
// may also stand itself, where the parameter is one.
#include "work/programs.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { NESTED = 8 };               // structures within structures, at most
enum { MOST_LAUNCHES = 1000000 };  // of one section

// --- structures ------------------------------------------------------------------------------------------------------
typedef struct Layout {
    Text bytes;
    uint32_t align;
} Layout;

static void put_field(Layout *l, const void *bytes, size_t n, uint32_t align)
{
    while (l->bytes.n % align) text_add(&l->bytes, "", 1);
    text_add(&l->bytes, bytes, n);
    l->align = MAX(l->align, align);
}

static const FileBuffer *find_buffer(const Script *s, const char *name, size_t n)
{
    for (size_t k = 0; k < s->buffers.n; k++)
        if (strlen(s->buffers.v[k].name) == n && !memcmp(s->buffers.v[k].name, name, n)) return &s->buffers.v[k];
    return NULL;
}

// Reads "&x" or "&x+64".
static bool read_address(const Script *s, const char *text, uint64_t *at, Diag *diag)
{
    size_t n = strcspn(text + 1, "+");
    uint64_t offset = 0;
    const FileBuffer *b = find_buffer(s, text + 1, n);
    if (!s->filled) return *at = 0, true;  // only the size counts
    if (!b) return diag_error(diag, "%s: [buffers] has no '%.*s'", text, (int)n, text + 1);
    if (text[n + 1] && !parse_size(text + n + 2, &offset))
        return diag_error(diag, "%s: behind + comes a number of bytes", text);
    if (offset > b->bytes) return diag_error(diag, "%s: the buffer has %zu bytes", text, b->bytes);
    return *at = b->ptr + offset, true;
}

static bool is_structure(const char *text) { return !strncmp(text, "struct(", 7); }

// The bytes from p to a comma, or to the parenthesis that ends the structure.
static size_t field_length(const char *p)
{
    size_t n = 0;
    for (int depth = 0; p[n] && (depth || (p[n] != ',' && p[n] != ')')); n++) depth += (p[n] == '(') - (p[n] == ')');
    return n;
}

static bool read_structure(const Script *s, const char *text, int depth, Layout *l, Diag *diag);

static bool read_field(const Script *s, const char *text, int depth, Layout *l, Diag *diag)
{
    uint8_t value[8];
    uint32_t bytes;
    uint64_t at;
    if (is_structure(text)) {
        Layout inner = {.align = 1};
        bool ok = read_structure(s, text, depth + 1, &inner, diag);
        if (ok) put_field(l, inner.bytes.v, inner.bytes.n, inner.align);
        text_free(&inner.bytes);
        return ok;
    }
    if (*text == '&') {
        if (!read_address(s, text, &at, diag)) return false;
        put_field(l, &at, sizeof at, sizeof at);
        return true;
    }
    if (!argument_number(text, value, &bytes))
        return diag_error(diag, "'%s': a field is a number with its type, u32:7, an address, &x, or a struct(…)", text),
               false;
    put_field(l, value, bytes, bytes);
    return true;
}

// Reads "struct(&x, u32:7)".
static bool read_structure(const Script *s, const char *text, int depth, Layout *l, Diag *diag)
{
    const char *p = strchr(text, '(') + 1;
    if (depth > NESTED) return diag_error(diag, "more than %d structures within one another", NESTED);
    for (bool more = true; more;) {
        Arena arena = {0};
        p += strspn(p, " \t");
        size_t n = field_length(p), end = n;
        while (end && isspace((unsigned char)p[end - 1])) end--;
        bool ok = read_field(s, arena_text(&arena, p, end), depth, l, diag);
        arena_free(&arena);
        if (!ok) return false;
        more = p[n] == ',';
        p += n;
        if (!more && *p != ')') return diag_error(diag, "%s: ')' is missing", text);
        p++;
    }
    if (*p) return diag_error(diag, "%s: nothing comes behind the structure", text);
    while (l->bytes.n % l->align) text_add(&l->bytes, "", 1);
    return true;
}

// --- buffers ---------------------------------------------------------------------------------------------------------
static oc_status at_entry(const Script *s, const IniEntry *e, oc_status status, const Diag *why, Diag *diag)
{
    diag_at(diag, &s->ini.source, e->value_at, NULL, "%s", why->text.v);
    return status;
}

static bool is_name(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
    return n && !text[n] && !isdigit((unsigned char)*text);
}

// Structures are filled last, since they may have the address of any buffer; at first they only get room.
static oc_status make_one(oc_device *d, Script *s, const IniEntry *e, bool contents, Diag *diag)
{
    FileBuffer b = {.name = e->key};
    Layout l = {.align = 1};
    oc_status status = OC_OK;
    if (!contents && !is_name(e->key))
        return file_fail(diag, OC_BAD_ARGUMENT, "'%s' is no name of a buffer: letters, digits, _ and .", e->key);
    if (!is_structure(e->value)) {
        if (!contents) status = argument_buffer(d, e->value, s->buffers.n, &b, diag);
    } else if (s->filled = contents, !read_structure(s, e->value, 1, &l, diag)) {
        status = OC_BAD_ARGUMENT;
    } else if (contents) {
        const FileBuffer *own = find_buffer(s, e->key, strlen(e->key));
        if (oc_write(d, own->ptr, l.bytes.v, l.bytes.n, NULL) != OC_OK)
            status = file_fail(diag, OC_FAULT, "%s", oc_error(d));
    } else {
        b.bytes = l.bytes.n;
        if (oc_malloc(d, b.bytes, b.name, &b.ptr) != OC_OK)
            status = file_fail(diag, OC_OUT_OF_MEMORY, "%s", oc_error(d));
    }
    if (!contents && status == OC_OK) vec_push(&s->buffers, b);
    text_free(&l.bytes);
    return status;
}

static oc_status make_buffers(oc_device *d, Script *s, Diag *diag)
{
    oc_status status = OC_OK;
    for (int contents = 0; contents < 2; contents++)
        for (size_t k = 0; k < s->ini.entries.n && status == OC_OK; k++) {
            const IniEntry *e = &s->ini.entries.v[k];
            Diag why = {0};
            if (strcmp(e->section, "buffers")) continue;
            status = make_one(d, s, e, contents, &why);
            if (status != OC_OK) at_entry(s, e, status, &why, diag);
            diag_free(&why);
        }
    s->filled = true;
    return status;
}

// --- launches --------------------------------------------------------------------------------------------------------
typedef struct Module {
    Text ptx;
    oc_module *module;
} Module;
typedef VEC(Module) Modules;

typedef struct Launching {
    FileRun run;
    uint64_t times;
    const IniEntry *args, *first;  // the entries, for errors; args null: there are none
} Launching;

static size_t script_word(const char *p)
{
    size_t n = 0;
    for (int depth = 0; p[n] && (depth || !isspace((unsigned char)p[n])); n++)
        depth += (p[n] == '(') - (p[n] == ')' && depth);
    return n;
}

// An address becomes a number, a structure its bytes: argument.c knows both.
static oc_status add_argument(Script *s, FileRun *r, const char *word, Diag *diag)
{
    uint64_t at;
    Layout l = {.align = 1};
    const char *made = word;
    bool ok = true;
    if (*word == '&') {
        ok = read_address(s, word, &at, diag);
        if (ok) made = arena_printf(&s->arena, "u64:%llu", (unsigned long long)at);
    } else if (is_structure(word)) {
        Text hex = {0};
        ok = read_structure(s, word, 1, &l, diag);
        text_put(&hex, "hex:");
        for (size_t k = 0; k < l.bytes.n; k++) text_printf(&hex, "%02x", (unsigned char)l.bytes.v[k]);
        made = arena_text(&s->arena, hex.v, hex.n);
        text_free(&hex);
    }
    text_free(&l.bytes);
    vec_push(&r->args, made);
    return ok ? OC_OK : OC_BAD_ARGUMENT;
}

static oc_status read_entry(Script *s, Launching *l, const IniEntry *e, Diag *diag)
{
    if (!strcmp(e->key, "times")) {
        if (parse_size(e->value, &l->times) && l->times && l->times <= MOST_LAUNCHES) return OC_OK;
        return file_fail(diag, OC_BAD_ARGUMENT, "times: a whole number from 1 to %d is expected", MOST_LAUNCHES);
    }
    if (!strcmp(e->key, "args")) {
        l->args = e;
        oc_status status = OC_OK;
        for (const char *p = e->value; status == OC_OK && *(p += strspn(p, " \t"));) {
            size_t n = script_word(p);
            status = add_argument(s, &l->run, arena_text(&s->arena, p, n), diag);
            p += n;
        }
        return status;
    }
    static const char *const names[] = {"kernel", "grid", "block", "smem", "times", "args"};
    char hint[100];
    for (size_t k = 0; k < 4; k++)
        if (!strcmp(e->key, names[k])) return file_set(&l->run, e->key, e->value, diag) ? OC_OK : OC_BAD_ARGUMENT;
    return file_fail(diag, OC_BAD_ARGUMENT, "a launch has no '%s'%s; it has kernel, grid, block, smem, times and args",
                     e->key, did_you_mean(e->key, names, COUNT(names), hint));
}

// Modules with the same text are one, so that kernels share their variables.
static oc_status find_module(oc_device *d, const FileRun *r, Modules *all, oc_module **m, Diag *diag)
{
    Module one = {.ptx = {0}};
    oc_status status = file_ptx(d, r, &one.ptx, diag);
    size_t k = 0;
    while (k < all->n && (all->v[k].ptx.n != one.ptx.n || memcmp(all->v[k].ptx.v, one.ptx.v, one.ptx.n))) k++;
    if (status == OC_OK && k < all->n) *m = all->v[k].module;
    if (status == OC_OK && k == all->n && (status = file_load(d, r, &one.ptx, &one.module, diag)) == OC_OK) {
        *m = one.module;
        vec_push(all, one);
        return OC_OK;
    }
    text_free(&one.ptx);
    return status;
}

static oc_status run_launch(oc_device *d, const Launching *l, Modules *modules, Diag *diag)
{
    oc_module *m = NULL;
    oc_kernel *k = NULL;
    FileLaunch one = {.device = d, .grid = l->run.grid, .block = l->run.block, .smem = l->run.smem};
    oc_status status = find_module(d, &l->run, modules, &m, diag);
    if (status == OC_OK) status = file_choose(&l->run, m, &k, diag);
    if (status == OC_OK) status = file_arguments(&l->run, k, &one, diag);
    for (uint64_t n = 0; n < l->times && status == OC_OK; n++) status = file_launch(&one, diag);
    file_free(&one);
    return status;
}

// Runs the launch whose section begins at entry `from`, and sets *from behind it.
static oc_status run_section(oc_device *d, const FileRun *r, Script *s, size_t *from, Modules *modules, Diag *diag)
{
    const IniEntry *v = s->ini.entries.v, *first = &v[*from], *wrong = first;
    const char *name = first->section + strlen("launch");
    Launching l = {.run = file_run(r->path), .times = 1};
    Diag why = {0};
    oc_status status = OC_OK;
    l.run.text = r->text, l.run.rewritten = r->rewritten;
    name += strspn(name, " ");
    l.run.kernel = *name ? name : NULL;
    for (; *from < s->ini.entries.n && !strcmp(v[*from].section, first->section) && status == OC_OK; ++*from)
        status = read_entry(s, &l, wrong = &v[*from], &why);
    if (status == OC_OK) {
        wrong = l.args ? l.args : first;
        status = run_launch(d, &l, modules, &why);
    }
    // What a kernel does wrong is no mistake of this line; the report says where it is.
    if (status != OC_OK && (status == OC_BAD_ARGUMENT || status == OC_BAD_FILE))
        at_entry(s, wrong, status, &why, diag);
    else if (status != OC_OK)
        diag_error(diag, "%s", why.text.v);
    diag_free(&why);
    vec_free(&l.run.args);
    return status;
}

static oc_status run_all(oc_device *d, const FileRun *r, Script *s, Diag *diag)
{
    Modules modules = {0};
    bool launched = false;
    oc_status status = make_buffers(d, s, diag);
    for (size_t k = 0; k < s->ini.entries.n && status == OC_OK;) {
        const IniEntry *e = &s->ini.entries.v[k];
        Diag why = {0};
        if (ini_within(e, "launch"))
            launched = true, status = run_section(d, r, s, &k, &modules, diag);
        else if (!strcmp(e->section, "buffers"))
            k++;
        else
            diag_error(&why, "an argument file has [buffers] and [launch KERNEL], not [%s]", e->section),
                status = at_entry(s, e, OC_BAD_ARGUMENT, &why, diag);
        diag_free(&why);
    }
    if (status == OC_OK && !launched)
        status = file_fail(diag, OC_BAD_ARGUMENT, "%s has no [launch KERNEL]", s->ini.source.name);
    for (size_t k = 0; k < modules.n; k++) text_free(&modules.v[k].ptx);
    vec_free(&modules);
    return status;
}

oc_status script_run(oc_device *d, const FileRun *r, Script *s, Diag *diag)
{
    Text own = {0};
    const Text *text = r->script_text ? r->script_text : &own;
    *s = (Script){.arena = {0}};
    if (!r->script_text && !text_read_file(&own, r->script))
        return file_fail(diag, OC_BAD_FILE, "can't read %s: %s", r->script, strerror(errno));
    bool read = ini_parse(&s->ini, r->script, text->v ? text->v : "", text->n, diag);
    text_free(&own);
    return read ? run_all(d, r, s, diag) : OC_BAD_ARGUMENT;
}

// Adds the file of "@FILE", "4KiB:@FILE" or "buf:@FILE".
static void add_file(const char *word, Arena *arena, TextList *files)
{
    const char *at = *word == '@' ? word : strstr(word, ":@");
    if (at) vec_push(files, arena_copy(arena, at + 1 + (*at == ':')));
}

void script_files(const char *path, const Text *text, Arena *arena, TextList *files)
{
    Ini ini = {0};
    Diag none = {0};
    bool ok = ini_parse(&ini, path, text->v ? text->v : "", text->n, &none);
    for (size_t k = 0; ok && k < ini.entries.n; k++) {
        const IniEntry *e = &ini.entries.v[k];
        if (!strcmp(e->section, "buffers")) add_file(e->value, arena, files);
        if (!ini_within(e, "launch") || strcmp(e->key, "args")) continue;
        for (const char *p = e->value; *(p += strspn(p, " \t"));) {
            size_t n = script_word(p);
            const char *word = arena_text(arena, p, n);
            if (!strncmp(word, "buf:", 4)) add_file(word, arena, files);
            p += n;
        }
    }
    ini_free(&ini);
    diag_free(&none);
}

void script_free(Script *s)
{
    ini_free(&s->ini);
    arena_free(&s->arena);
    vec_free(&s->buffers);
}
