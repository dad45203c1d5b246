// parts.c: the link of device code (-rdc). An object's fat binary is then LLVM's intermediate form of its device code.
// The link joins these, makes one PTX of them, and adds a host object that registers it for all of them.
#include "compile/unit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- compiling -----------------------------------------------------------------------------------------------------
// A static variable that the host names, too, has the file's mark in its name, @own__static__c3f2. clang knows that
// only once it has read the host's function, and what it wrote before says @own, which is declared and nowhere defined.
// The host registers it as own, too. Here all get the name with the mark.
typedef struct Static {
    const char *name;
    size_t bare, whole;  // letters without the mark, and with it
} Static;
typedef VEC(Static) Statics;

static size_t name_length(const char *p)  // of an @name
{
    size_t n = 1;
    while (isalnum((unsigned char)p[n]) || (p[n] && strchr("_.$", p[n]))) n++;
    return n;
}

static void find_statics(const char *ir, Statics *all)
{
    static const char *const marks[] = {"__static__", "__intern__"};
    for (const char *line = ir; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        if (*line != '@') continue;
        const size_t n = name_length(line);
        for (size_t k = 0; k < COUNT(marks); k++) {
            const char *mark = memmem(line, n, marks[k], strlen(marks[k]));
            if (mark) vec_push(all, ((Static){line, (size_t)(mark - line), n}));
        }
    }
}

// Gives each of them its whole name, where it stands behind the letter `at`: in the intermediate form behind an @, in
// the host's assembly, where its name is registered, behind a quotation mark.
static void heal(Text *text, const Statics *all, char at)
{
    Text healed = {0};
    const char other[] = {at, '\0'};
    for (const char *p = text->v; *p;) {
        const size_t n = *p == at ? name_length(p) : strcspn(p + 1, other) + 1;
        const Static *is = NULL;
        for (size_t k = 0; k < all->n && *p == at && !is; k++)
            if (all->v[k].bare == n && !memcmp(all->v[k].name + 1, p + 1, n - 1)) is = &all->v[k];
        if (is && at == '@' && (p == text->v || p[-1] == '\n')) {  // its declaration
            p += strcspn(p, "\n");
        } else if (is) {
            text_add(&healed, p, 1), text_add(&healed, is->name + 1, is->whole - 1);
            p += n;
        } else {
            text_add(&healed, p, n);
            p += n;
        }
    }
    text_free(text);
    *text = healed;
}

static bool heal_file(const char *path, const Statics *all, char at, Diag *diag)
{
    Text text = {0};
    bool ok = text_read_file(&text, path) || diag_error(diag, "can't read %s", path);
    if (ok && text.n) heal(&text, all, at);
    ok = ok && write_file(&text, path, diag);
    text_free(&text);
    return ok;
}

bool make_part(Work *w, const char *source, const char *object)
{
    Statics all = {0};
    Text ir = {0};
    const char *device = work_file(w, "device.ll"), *assembly = work_file(w, "host.s");
    bool ok = pass_ir(&w->tool, source, work_target(w), device, NULL, w->diag);
    if (ok && text_read_file(&ir, device) && ir.n) find_statics(ir.v, &all);
    if (ok && all.n)
        ok = heal_file(device, &all, '@', w->diag) && pass_host(&w->tool, source, device, assembly, NULL, w->diag) &&
             heal_file(assembly, &all, '"', w->diag) && pass_host(&w->tool, assembly, NULL, object, NULL, w->diag);
    else
        ok = ok && pass_host(&w->tool, source, device, object, NULL, w->diag);
    vec_free(&all), text_free(&ir);
    return ok;
}

// --- linking -------------------------------------------------------------------------------------------------------
// What the object of a file with -rdc asks for, once it is loaded: clang's name for it has a hash of the file.
#define REGISTERS "__cudaRegisterLinkedBinary_"
typedef struct Registers {
    Work *w;
    WordList names, libraries;  // and the libraries that were looked into
} Registers;

// The symbols' names stand one behind the other, each with a null byte.
static void find_names(Registers *r, const ElfSection *texts)
{
    const char *p = (const char *)texts->v, *end = p + texts->n;
    while ((p = memmem(p, (size_t)(end - p), REGISTERS, strlen(REGISTERS)))) {
        const size_t n = strnlen(p, (size_t)(end - p));
        if (p + n == end) return;
        vec_push(&r->names, arena_text(&r->w->arena, p, n));
        p += n;
    }
}

// Gets the device code of an object, and its names. False: none of it is to be linked.
static bool read_device(Registers *r, const char *bytes, size_t n, Text *code)
{
    Elf elf;
    ElfSection s, texts;
    const size_t before = r->names.n;
    if (!elf_open(&elf, bytes, n)) return false;
    for (uint32_t k = 0; elf_section(&elf, k, &s) && elf_section(&elf, elf.names, &texts); k++) {
        const char *name = elf_text(&texts, s.name);
        if (name && s.v && !strcmp(name, ".strtab")) find_names(r, &s);
        if (name && s.v && !strcmp(name, "__nv_relfatbin")) text_add(code, (const char *)s.v, s.n);
    }
    while (code->n && !code->v[code->n - 1]) code->n--;
    return r->names.n > before;
}

static bool is_ours(const Text *code) { return code->n >= 10 && !memcmp(code->v, "; ModuleID", 10); }

static bool add_part(Registers *r, const Text *code, WordList *parts)
{
    const char *path = work_file(r->w, "part.ll");
    vec_push(parts, path);
    return write_file(code, path, r->w->diag);
}

// A library's members: each has a head of 60 letters, with its size from the 48th on, and begins at an even place.
typedef struct Member {
    const char *v;
    size_t n;
} Member;
static const char library_begins[] = "!<arch>\n";
static bool next_member(const Text *file, size_t *at, Member *m)
{
    enum { HEAD = 60, SIZE = 48 };
    if (*at > file->n || file->n - *at < HEAD) return false;
    *m = (Member){file->v + *at + HEAD, strtoul(file->v + *at + SIZE, NULL, 10)};
    const size_t left = file->n - *at - HEAD;
    *at += HEAD + m->n + (m->n & 1);
    return m->n <= left;
}

// All members are taken, as nvlink takes them: what a kernel of theirs is needed for, the host's linker alone knows. A
// library that was linked for itself has an object that registers the rest: it is left alone.
static bool take_library(Registers *r, const char *path, const Text *file, WordList *parts)
{
    const size_t before = r->names.n, parts_before = parts->n;
    const char *real = realpath(path, (char[4096]){0});
    bool ok = true, whole = false;
    Member m;
    for (size_t k = 0; k < r->libraries.n && real; k++)
        if (!strcmp(r->libraries.v[k], real)) return true;
    if (real) vec_push(&r->libraries, arena_copy(&r->w->arena, real));
    for (size_t at = strlen(library_begins); ok && !whole && next_member(file, &at, &m);) {
        Text code = {0};
        const size_t names = r->names.n;
        if (read_device(r, m.v, m.n, &code)) {
            whole = !code.n;
            if (is_ours(&code))
                ok = add_part(r, &code, parts);
            else
                r->names.n = names;  // another compiler's: the host's linker tells if it is needed
        }
        text_free(&code);
    }
    if (whole) r->names.n = before, parts->n = parts_before;
    return ok;
}

// Takes the device code out of an object or a library, if it has such that is to be linked.
static bool take_device(Registers *r, const char *path, WordList *parts)
{
    Text file = {0}, code = {0};
    bool ok = true;
    if (!text_read_file(&file, path)) return text_free(&file), true;
    if (file.n >= strlen(library_begins) && !memcmp(file.v, library_begins, strlen(library_begins)))
        ok = take_library(r, path, &file, parts);
    else if (read_device(r, file.v, file.n, &code))
        ok = is_ours(&code)
                 ? add_part(r, &code, parts)
                 : diag_error(r->w->diag,
                              "%s has device code of another compiler than onchip cc, which can't be linked", path);
    text_free(&file), text_free(&code);
    return ok;
}

// The file that the linker takes for -lNAME, if one of the folders of -L has it and it can have device code to link.
static const char *find_library(Work *w, const char *name)
{
    const WordList *words = &w->b->link;
    for (size_t k = 0; k < words->n; k++) {
        if (strncmp(words->v[k], "-L", 2)) continue;
        const char *folder = words->v[k] + 2;
        if (*name == ':') {
            const char *file = arena_printf(&w->arena, "%s/%s", folder, name + 1);
            if (!access(file, R_OK)) return file;
            continue;
        }
        if (!access(arena_printf(&w->arena, "%s/lib%s.so", folder, name), R_OK)) return NULL;
        const char *file = arena_printf(&w->arena, "%s/lib%s.a", folder, name);
        if (!access(file, R_OK)) return file;
    }
    return NULL;
}

static bool take_libraries(Registers *r, WordList *parts)
{
    const WordList *words = &r->w->b->link;
    bool ok = true;
    for (size_t k = 0; k < words->n && ok; k++) {
        const char *path = strncmp(words->v[k], "-l", 2) ? NULL : find_library(r->w, words->v[k] + 2);
        if (path) ok = take_device(r, path, parts);
    }
    return ok;
}

// C of the host: registers one fat binary for all objects that it was made of.
static void put_registers(const Registers *r, const char *fatbin, Text *c)
{
    text_printf(c,
                "typedef void Fill(void **);\n"
                "void **__cudaRegisterFatBinary(void *);\n"
                "void __cudaRegisterFatBinaryEnd(void **);\n"
                "void __cudaUnregisterFatBinary(void **);\n"
                "__asm__(\".section .nv_fatbin,\\\"a\\\"\\n.balign 8\\nonchip_device_code:\\n.incbin \\\"%s\\\"\\n"
                ".previous\");\n"
                "extern const char onchip_device_code[] __attribute__((visibility(\"hidden\")));\n"
                "static struct { int magic, version; const void *data, *unused; } wrapper\n"
                "    __attribute__((section(\".nvFatBinSegment\"))) = {0x466243b1, 1, onchip_device_code, 0};\n"
                "static void **handle;\n"
                "static void fill(Fill *all)\n"
                "{\n"
                "    if (!handle) handle = __cudaRegisterFatBinary(&wrapper);\n"
                "    all(handle);\n"
                "    __cudaRegisterFatBinaryEnd(handle);\n"
                "}\n"
                "static __attribute__((destructor)) void forget(void)\n"
                "{\n"
                "    if (handle) __cudaUnregisterFatBinary(handle);\n"
                "}\n",
                fatbin);
    for (size_t k = 0; k < r->names.n; k++)
        text_printf(c, "void %s(Fill *all, void *a, void *b, void *c) { (void)a, (void)b, (void)c; fill(all); }\n",
                    r->names.v[k]);
}

// Where the tool lies that joins LLVM's modules: beside clang itself, of the same release.
static bool find_join(Work *w, const char **join)
{
    char real[4096];
    if (!realpath(w->clang.path, real)) return diag_error(w->diag, "can't find %s", w->clang.path);
    char *slash = strrchr(real, '/');
    if (slash) *slash = '\0';
    *join = arena_printf(&w->arena, "%s/llvm-link", real);
    return !access(*join, X_OK) ||
           diag_error(w->diag, "-rdc=true needs llvm-link of clang %u\nhint: apt install llvm-%u", w->clang.release,
                      w->clang.release);
}

// Joins the parts, and packs their PTX into a fat binary.
static bool join_parts(Work *w, const WordList *parts, const char *binary)
{
    WordList words = {0};
    Text ptx = {0}, fatbin = {0};
    const char *join = NULL, *whole = work_file(w, "whole.ll");
    bool ok = find_join(w, &join);
    if (ok) {
        words_add(&words, "-S", "-o", whole, NULL), words_join(&words, parts);
        ok = tool_run(&w->tool, "the device code of these objects doesn't fit together", join, &words, w->diag) &&
             pass_ptx(&w->tool, "the linked program", work_target(w), whole, true, &ptx, w->diag) &&
             fatbin_write(&(FatbinText){ptx.v, work_target(w)}, 1, &fatbin, w->diag) &&
             write_file(&fatbin, binary, w->diag);
    }
    vec_free(&words), text_free(&ptx), text_free(&fatbin);
    return ok;
}

bool link_device(Work *w, WordList *objects, bool always, const char *output)
{
    Registers r = {.w = w};
    WordList parts = {0};
    Text c = {0};
    bool ok = true;
    for (size_t k = 0; k < objects->n && ok; k++) ok = take_device(&r, objects->v[k], &parts);
    ok = ok && take_libraries(&r, &parts);
    if (ok && (parts.n || always)) {
        const char *binary = work_file(w, "whole.fatbin"), *source = work_file(w, "registers.c");
        const char *object = output ? output : work_file(w, "registers.o");
        Build plain = {.output = NULL};
        Tool host = w->tool;
        host.build = &plain;
        vec_push(&plain.host, "-fPIC");
        text_put(&c, "");
        if (parts.n) put_registers(&r, binary, &c);
        ok = (!parts.n || join_parts(w, &parts, binary)) && write_file(&c, source, w->diag) &&
             pass_host(&host, source, NULL, object, NULL, w->diag);
        vec_free(&plain.host);
        vec_push(objects, object);
    }
    vec_free(&parts), vec_free(&r.names), vec_free(&r.libraries), text_free(&c);
    return ok;
}
