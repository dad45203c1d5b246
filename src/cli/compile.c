// compile.c: makes PTX of a .cu file with clang, and with headers of ours in place of CUDA's (cuda/): neither a toolkit
// nor a GPU is needed. Of the file only device code is compiled; its host code has to be readable. What was compiled
// before is found again by the hash of the preprocessed source (compiled.c).
#include "cli/unit.h"

#define XXH_INLINE_ALL
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

bool is_cuda_source(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strcmp(dot, ".cu");
}

typedef struct Compiler {
    const char *name;  // Debian's, the newest first; null: none is in PATH
    Text version;
    char arch[32];
    const char *headers, *folder;  // where ours are; where it writes
} Compiler;

static void find_clang(Compiler *c)
{
    static const char *const names[] = {"clang",    "clang-19", "clang-18", "clang-17",
                                        "clang-16", "clang-15", "clang-14"};
    for (size_t k = 0; k < COUNT(names) && !c->name; k++) {
        const char *const words[] = {names[k], "--version", NULL};
        int status = -1;
        c->version.n = 0;
        if (program_run(words, ".", &c->version, &status) && !status) c->name = names[k];
    }
}

// Writes or removes the headers.
static bool put_headers(const char *folder, bool remove)
{
    bool ok = true;
    for (size_t k = 0; k < cuda_file_count; k++) {
        Text path = {0}, text = {0};
        text_printf(&path, "%s/%s.h", folder, cuda_files[k].name);
        if (remove) {
            unlink(path.v);
        } else {
            text_add(&text, cuda_files[k].text, cuda_files[k].size);
            ok = ok && text_write_file(&text, path.v);
        }
        text_free(&path), text_free(&text);
    }
    return ok;
}

// Runs clang on a file, up to PTX (-S), to the preprocessed source (-E) or to LLVM's intermediate form (-emit-llvm), as
// the source has it.
static bool run_clang(const Compiler *c, const char *path, const char *step, Text *made, Diag *diag)
{
    const bool ir = !strcmp(step, "-emit-llvm");
    Text header = {0}, out = {0}, said = {0};
    int status = -1;
    text_printf(&header, "%s/cuda_runtime.h", c->headers);
    text_printf(&out, "%s/made", c->folder);
    const char *const words[] = {c->name,
                                 "-x",
                                 "cuda",
                                 "--cuda-device-only",
                                 "-nocudainc",
                                 "-nocudalib",
                                 "-Wno-unknown-cuda-version",
                                 c->arch,
                                 "-std=c++17",
                                 ir ? "-O0" : "-O3",
                                 "-g1",
                                 "-isystem",
                                 c->headers,
                                 "-include",
                                 header.v,
                                 step,
                                 path,
                                 "-o",
                                 out.v,
                                 ir ? "-S" : NULL,
                                 "-fno-discard-value-names",
                                 NULL};
    bool ok = program_run(words, ".", &said, &status) && !status && text_read_file(made, out.v);
    if (!ok) diag_error(diag, "%s doesn't compile; %s says:\n%s", path, c->name, said.v ? said.v : strerror(errno));
    unlink(out.v);
    text_free(&header), text_free(&out), text_free(&said);
    return ok;
}

// Compiles, and gives the kernels' parameters their names.
static bool run_compiler(const Compiler *c, const char *path, Text *ptx, Diag *diag)
{
    Text ir = {0};
    bool ok = run_clang(c, path, "-S", ptx, diag) && run_clang(c, path, "-emit-llvm", &ir, diag);
    if (ok) signatures_put(ir.v ? ir.v : "", ptx);
    text_free(&ir);
    return ok;
}

// Compiles, or finds what was compiled before in the folder `cache`, which may be null.
static bool make_ptx(const Compiler *c, const char *path, const char *cache, Text *ptx, Diag *diag)
{
    Text source = {0};
    char key[33];
    if (!cache) return run_compiler(c, path, ptx, diag);
    if (!run_clang(c, path, "-E", &source, diag)) return text_free(&source), false;
    // The folder has another name each time, and the source says where its headers are.
    for (char *p = source.v; (p = strstr(p, c->folder)) != NULL;) memset(p, '-', strlen(c->folder));
    text_printf(&source, "\n%s %s %s, parameters named", c->version.v, c->arch, ONCHIP_VERSION);
    XXH128_hash_t h = XXH3_128bits(source.v, source.n);
    snprintf(key, sizeof key, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
    text_free(&source);
    if (cache_get(cache, key, ptx)) return true;
    ptx->n = 0;
    if (!run_compiler(c, path, ptx, diag)) return false;
    cache_put(cache, key, ptx);
    return true;
}

bool compile_cuda(const char *path, uint32_t capability, Text *ptx, Diag *diag)
{
    Compiler c = {.name = NULL};
    Text folder = {0}, cache = {0};
    bool ok = false, kept = cache_folder(&cache);
    if (access(path, R_OK))
        return diag_error(diag, "can't read %s: %s", path, strerror(errno)), text_free(&cache), false;
    find_clang(&c);
    // clang 14 of Debian 12 knows targets up to sm_86, and any GPU runs PTX for an older one.
    snprintf(c.arch, sizeof c.arch, "--cuda-gpu-arch=sm_%u", capability < 50 ? 35 : capability < 70 ? 50 : 70);
    if (!c.name) {
        diag_error(diag, "clang compiles CUDA source, and isn't installed: apt install clang");
    } else if (folder_for_a_while(&folder, diag)) {
        c.headers = c.folder = folder.v;
        ok = put_headers(folder.v, false) ? make_ptx(&c, path, kept ? cache.v : NULL, ptx, diag)
                                          : diag_error(diag, "can't write to %s: %s", folder.v, strerror(errno));
    }
    if (folder.n) put_headers(folder.v, true), rmdir(folder.v);
    text_free(&folder), text_free(&cache), text_free(&c.version);
    return ok;
}
