// kernels.c: the kernels of one .cu file, and a program of one, for a run: compiled when they aren't in the cache.
#include "compile/unit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// A folder for the files of a compilation, and what has to be removed from it.
typedef struct Shop {
    Tool tool;
    Clang clang;
    Text folder, headers, said;
    Text ir, ptx, fatbin, object, program, rules, host_rules;  // names of files there
    struct timespec began;
} Shop;

static void name_file(const Shop *s, const char *name, Text *path) { text_printf(path, "%s/%s", s->folder.v, name); }

static bool shop_open(Shop *s, uint32_t capability, Target *target, Diag *diag)
{
    *target = (Target){capability ? capability : 70, capability == 90 ? 'a' : 0};
    clock_gettime(CLOCK_REALTIME, &s->began);
    if (!clang_find(NULL, target, 1, &s->clang, diag) || !own_folder("cuda/include", &s->headers, diag) ||
        !folder_for_a_while(&s->folder, diag))
        return false;
    *target = clang_target(&s->clang, *target);
    name_file(s, "device.ll", &s->ir), name_file(s, "kernels.ptx", &s->ptx), name_file(s, "device.fatbin", &s->fatbin);
    name_file(s, "host.o", &s->object), name_file(s, "program", &s->program), name_file(s, "device.d", &s->rules);
    name_file(s, "host.d", &s->host_rules);
    s->tool = (Tool){.clang = &s->clang, .headers = s->headers.v, .folder = s->folder.v, .said = &s->said};
    return true;
}

static void shop_close(Shop *s, bool keep_program)
{
    const Text *const files[] = {&s->ir, &s->ptx, &s->fatbin, &s->object, &s->rules, &s->host_rules, &s->program};
    for (size_t k = 0; k < COUNT(files) - keep_program; k++)
        if (files[k]->n) unlink(files[k]->v);
    if (s->folder.n && !keep_program) rmdir(s->folder.v);
    Text *const all[] = {&s->folder, &s->headers, &s->said,    &s->ir,    &s->ptx,
                         &s->fatbin, &s->object,  &s->program, &s->rules, &s->host_rules};
    for (size_t k = 0; k < COUNT(all); k++) text_free(all[k]);
}

// What a result depends on besides the files that it is made of.
static CacheKey key_of(const char *kind, const char *path, uint32_t capability)
{
    Text all = {0};
    char folder[4096];
    text_printf(&all, "%s %s %u %s %s\n", kind, path, capability, ONCHIP_VERSION,
                getcwd(folder, sizeof folder) ? folder : "");
    clang_stamp(NULL, &all);
    CacheKey key = cache_key(&all);
    text_free(&all);
    return key;
}

static bool make_ptx(Shop *s, const char *path, Target target, Text *ptx, Diag *diag)
{
    return pass_ir(&s->tool, path, target, s->ir.v, s->rules.v, diag) &&
           pass_ptx(&s->tool, path, target, s->ir.v, ptx, diag);
}

static bool make_program(Shop *s, const char *path, Target target, Diag *diag)
{
    Text ptx = {0}, fatbin = {0};
    WordList objects = {0};
    vec_push(&objects, s->object.v);
    bool ok = make_ptx(s, path, target, &ptx, diag) && fatbin_write(&(FatbinText){ptx.v, target}, 1, &fatbin, diag) &&
              write_file(&fatbin, s->fatbin.v, diag) &&
              pass_host(&s->tool, path, s->fatbin.v, s->object.v, s->host_rules.v, diag) &&
              pass_link(&s->tool, &objects, s->program.v, diag);
    vec_free(&objects), text_free(&ptx), text_free(&fatbin);
    return ok;
}

static bool readable(const char *path, Diag *diag)
{
    return !access(path, R_OK) || diag_error(diag, "can't read %s: %s", path, strerror(errno));
}

// Puts a result into the cache, with the files of both passes.
static bool keep(const Shop *s, const char *cache, const CacheKey *key, const char *kind, const char *file, Text *path)
{
    Text rules = {0};
    bool ok = text_read_file(&rules, s->rules.v);
    Text host = {0};
    if (ok && text_read_file(&host, s->host_rules.v)) text_add(&rules, host.v, host.n);
    ok = ok && cache_keep(cache, key, kind, file, &rules, &s->began, path);
    text_free(&rules), text_free(&host);
    return ok;
}

bool compile_cuda(const char *path, uint32_t capability, Text *ptx, Diag *diag)
{
    Shop s = {.said = {0}};
    Target target;
    Text cache = {0}, kept = {0};
    if (!readable(path, diag)) return false;
    const bool caching = cache_folder(&cache);
    const CacheKey key = key_of("kernels", path, capability);
    bool ok = caching && cache_find(cache.v, &key, "ptx", &kept) && text_read_file(ptx, kept.v);
    if (!ok) {
        ok = shop_open(&s, capability, &target, diag) && make_ptx(&s, path, target, ptx, diag);
        if (ok && caching && text_write_file(ptx, s.ptx.v)) keep(&s, cache.v, &key, "ptx", s.ptx.v, &kept);
        shop_close(&s, false);
    }
    text_free(&cache), text_free(&kept);
    return ok;
}

bool compile_program(const char *path, uint32_t capability, Text *program, bool *own, Text *said, Diag *diag)
{
    Shop s = {.said = {0}};
    Target target;
    Text cache = {0};
    *own = false;
    if (!readable(path, diag)) return false;
    const bool caching = cache_folder(&cache);
    const CacheKey key = key_of("program", path, capability);
    bool ok = caching && cache_find(cache.v, &key, "program", program);
    if (!ok) {
        ok = shop_open(&s, capability, &target, diag) && make_program(&s, path, target, diag);
        if (ok && !(caching && keep(&s, cache.v, &key, "program", s.program.v, program))) {
            program->n = 0;
            text_put(program, s.program.v);
            *own = true;
        }
        if (ok && s.said.n) text_add(said, s.said.v, s.said.n);
        shop_close(&s, *own);
    }
    text_free(&cache);
    return ok;
}

void program_remove(const Text *program)
{
    char *folder = mem_alloc(program->n + 1);
    memcpy(folder, program->v, program->n);
    unlink(folder);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0', rmdir(folder);
    mem_free(folder);
}
