// kernels.c: the kernels of one .cu file, and a program of one, for a run: compiled when they aren't in the cache.
#include "compile/unit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// A Work for one file, which notes what it reads.
typedef struct Job {
    Build build;
    Work work;
    Text said;
    struct timespec began;
} Job;

static bool job_open(Job *j, CompileWish wish, Diag *diag)
{
    const Target target = {wish.capability ? wish.capability : 70, wish.capability == 90 ? 'a' : 0};
    *j = (Job){.build = {.toolkit = wish.toolkit}};
    clock_gettime(CLOCK_REALTIME, &j->began);
    vec_push(&j->build.targets, target);
    for (size_t k = 0; k < wish.option_count; k++) vec_push(&j->build.both, wish.options[k]);
    vec_push(&j->build.host, "-O1");  // -O2 makes a program of Thrust compile for a tenth longer
    if (!work_open(&j->work, &j->build, &j->said, diag)) return false;
    j->work.device_rules = work_file(&j->work, "device.d");
    j->work.host_rules = work_file(&j->work, "host.d");
    return true;
}

static void job_close(Job *j) { work_close(&j->work), build_free(&j->build), text_free(&j->said); }

// What a result depends on besides the files that it is made of.
static CacheKey key_of(const char *kind, const char *path, CompileWish wish)
{
    Text all = {0};
    char folder[4096];
    text_printf(&all, "%s%s %s %u %s %s\n", kind, wish.toolkit ? " by nvcc" : "", path, wish.capability, ONCHIP_VERSION,
                getcwd(folder, sizeof folder) ? folder : "");
    for (size_t k = 0; k < wish.option_count; k++) text_printf(&all, "%s\n", wish.options[k]);
    char nvcc[4096];
    Diag none = {0};
    clang_stamp(wish.toolkit && toolkit_find(nvcc, sizeof nvcc, &none) ? nvcc : NULL, &all);
    diag_free(&none);
    CacheKey key = cache_key(&all);
    text_free(&all);
    return key;
}

static bool readable(const char *path, Diag *diag)
{
    return !access(path, R_OK) || diag_error(diag, "can't read %s: %s", path, strerror(errno));
}

// Puts a result into the cache, with the files of both passes.
static bool keep(const Job *j, const char *cache, const CacheKey *key, const char *kind, const char *file, Text *path)
{
    Text rules = {0};
    bool ok = text_read_file(&rules, j->work.device_rules);
    if (ok) text_read_file(&rules, j->work.host_rules);  // there is none of kernels alone
    ok = ok && cache_keep(cache, key, kind, file, &rules, &j->began, path);
    text_free(&rules);
    return ok;
}

static bool make_kernels(Job *j, const char *source, Text *ptx)
{
    if (!j->build.toolkit) return make_ptx(&j->work, source, work_target(&j->work), ptx);
    const char *made = work_file(&j->work, "kernels.ptx");
    return toolkit_make(&j->work, source, false, made, j->work.device_rules) &&
           (text_read_file(ptx, made) || diag_error(j->work.diag, "nvcc has left no PTX of %s", source));
}

bool compile_cuda(const char *path, CompileWish wish, Text *ptx, Diag *diag)
{
    Text cache = {0}, kept = {0};
    if (!readable(path, diag)) return false;
    const bool caching = cache_folder(&cache);
    const CacheKey key = key_of("kernels", path, wish);
    bool ok = caching && cache_find(cache.v, &key, "ptx", &kept) && text_read_file(ptx, kept.v);
    if (!ok) {
        Job j;
        ok = job_open(&j, wish, diag) && make_kernels(&j, path, ptx);
        const char *file = ok && caching ? work_file(&j.work, "kernels.ptx") : NULL;
        if (file && text_write_file(ptx, file)) keep(&j, cache.v, &key, "ptx", file, &kept);
        job_close(&j);
    }
    text_free(&cache), text_free(&kept);
    return ok;
}

// Where the cache takes none: moves a program into a folder of its own.
static bool move_out(const char *program, Text *path, Diag *diag)
{
    path->n = 0;
    if (!folder_for_a_while(path, diag)) return false;
    text_put(path, "/program");
    return !rename(program, path->v) || diag_error(diag, "can't make %s: %s", path->v, strerror(errno));
}

static bool make_program(Job *j, const char *source, const char *program)
{
    if (j->build.toolkit) return toolkit_make(&j->work, source, true, program, j->work.device_rules);
    const BuildInput input = {source, LANGUAGE_CUDA};
    const char *object = work_file(&j->work, "host.o");
    WordList objects = {0};
    vec_push(&objects, object);
    const bool ok = make_object(&j->work, &input, object) && pass_link(&j->work.tool, &objects, program, j->work.diag);
    vec_free(&objects);
    return ok;
}

bool compile_program(const char *path, CompileWish wish, Text *program, bool *own, Text *said, Diag *diag)
{
    enum { LEAST = 70 };  // what programs of today ask for; GPUs before it run its code, too
    Text cache = {0};
    *own = false;
    wish.capability = MAX(wish.capability, LEAST);
    if (!readable(path, diag)) return false;
    const bool caching = cache_folder(&cache);
    const CacheKey key = key_of("program", path, wish);
    bool ok = caching && cache_find(cache.v, &key, "program", program);
    if (!ok) {
        Job j;
        ok = job_open(&j, wish, diag);
        const char *made = ok ? work_file(&j.work, "program") : NULL;
        ok = ok && make_program(&j, path, made);
        *own = ok && !(caching && keep(&j, cache.v, &key, "program", made, program));
        if (*own) ok = move_out(made, program, diag);
        if (ok && j.said.n) text_add(said, j.said.v, j.said.n);
        job_close(&j);
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
