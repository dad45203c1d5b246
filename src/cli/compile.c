// compile.c: makes PTX of a .cu file with clang, and with headers of ours in place of CUDA's (cuda/): neither a toolkit
// nor a GPU is needed. Of the file only device code is compiled; its host code has to be readable.
#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool is_cuda_source(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strcmp(dot, ".cu");
}

// Debian's names, the newest first. Null: none is in PATH.
static const char *find_clang(void)
{
    static const char *const names[] = {"clang",    "clang-19", "clang-18", "clang-17",
                                        "clang-16", "clang-15", "clang-14"};
    for (size_t k = 0; k < COUNT(names); k++) {
        const char *const words[] = {names[k], "--version", NULL};
        Text said = {0};
        int status = -1;
        bool runs = program_run(words, ".", &said, &status) && !status;
        text_free(&said);
        if (runs) return names[k];
    }
    return NULL;
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

static bool run_clang(const char *path, const char *folder, uint32_t capability, Text *ptx, Text *error)
{
    const char *clang = find_clang();
    Text arch = {0}, header = {0}, out = {0}, said = {0};
    int status = -1;
    if (!clang) return text_put(error, "clang compiles CUDA source, and isn't installed: apt install clang"), false;
    // clang 14 of Debian 12 knows targets up to sm_86, and any GPU runs PTX for an older one.
    text_printf(&arch, "--cuda-gpu-arch=sm_%u", capability < 50 ? 35 : capability < 70 ? 50 : 70);
    text_printf(&header, "%s/cuda_runtime.h", folder);
    text_printf(&out, "%s/module.ptx", folder);
    const char *const words[] = {clang,
                                 "-x",
                                 "cuda",
                                 "--cuda-device-only",
                                 "-nocudainc",
                                 "-nocudalib",
                                 "-Wno-unknown-cuda-version",
                                 arch.v,
                                 "-std=c++17",
                                 "-O3",
                                 "-g1",
                                 "-isystem",
                                 folder,
                                 "-include",
                                 header.v,
                                 "-S",
                                 path,
                                 "-o",
                                 out.v,
                                 NULL};
    bool ok = program_run(words, ".", &said, &status) && !status && text_read_file(ptx, out.v);
    if (!ok) text_printf(error, "%s doesn't compile; %s says:\n%s", path, clang, said.v ? said.v : strerror(errno));
    unlink(out.v);
    text_free(&arch), text_free(&header), text_free(&out), text_free(&said);
    return ok;
}

bool compile_cuda(const char *path, uint32_t capability, Text *ptx, Text *error)
{
    Text folder = {0};
    Diag diag = {0};
    bool ok = false;
    if (access(path, R_OK)) return text_printf(error, "can't read %s: %s", path, strerror(errno)), false;
    if (!folder_for_a_while(&folder, &diag))
        text_put(error, diag.text.v);
    else if (!put_headers(folder.v, false))
        text_printf(error, "can't write to %s: %s", folder.v, strerror(errno));
    else
        ok = run_clang(path, folder.v, capability, ptx, error);
    if (folder.n) put_headers(folder.v, true), rmdir(folder.v);
    text_free(&folder), diag_free(&diag);
    return ok;
}
