// toolkit.c: NVIDIA's own compiler, where it is installed, in place of clang and our headers: onchip run --toolkit and
// onchip cc --toolkit. It has to leave PTX in the program, since machine code doesn't run here.
#include "compile/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool toolkit_find(char *path, size_t size, Diag *diag)
{
    Text own = {0};
    char real[4096];
    const char *folder = getenv("CUDA_HOME"), *base = folder && *folder ? folder : "/usr/local/cuda";
    bool found = program_find("nvcc", path, size);
    if (found && realpath(path, real) && own_find(&own, "cuda/bin/nvcc")) {  // ours goes by that name, too
        char *mine = realpath(own.v, NULL);
        found = !mine || strcmp(mine, real) != 0;
        free(mine);
    }
    text_free(&own);
    return found || (snprintf(path, size, "%s/bin/nvcc", base) < (int)size && !access(path, X_OK)) ||
           diag_error(diag, "--toolkit wants nvcc, which is neither on PATH nor %s/bin/nvcc", base);
}

bool toolkit_make(Work *w, const char *source, bool program, const char *output, const char *rules)
{
    enum { LEAST = 75 };  // of nvcc 13
    char path[4096], target[64];
    WordList words = {0};
    const Target t = w->targets.v[0];
    if (!toolkit_find(path, sizeof path, w->diag)) return false;
    const uint32_t capability = MAX(t.capability, LEAST);
    const char *kind = t.kind ? "a" : "";
    snprintf(target, sizeof target, "arch=compute_%u%s,code=compute_%u%s", capability, kind, capability, kind);
    words_add(&words, "-O2", "-std=c++17", "-lineinfo", "-cudart", "shared", "-gencode", target, NULL);
    words_add(&words, "-MD", "-MF", rules, source, "-o", output, NULL);
    if (!program) vec_push(&words, "-ptx");
    words_join(&words, &w->tool.build->both);
    Text what = {0};
    text_printf(&what, "%s doesn't compile", source);
    const bool ok = tool_run(&w->tool, what.v, path, &words, w->diag);
    text_free(&what), vec_free(&words);
    return ok;
}

bool nvcc_toolkit(int argc, char **argv, char *path, size_t size, WordList *words, Diag *diag)
{
    bool target = false;
    if (!toolkit_find(path, size, diag)) return false;
    vec_push(words, path);
    for (int k = 1; k < argc; k++) {
        const char *word = argv[k] + (argv[k][0] == '-' && argv[k][1] == '-');  // either number of dashes
        if (!strcmp(argv[k], "--toolkit") || !strcmp(argv[k], "-toolkit")) continue;
        target |= !strncmp(word, "-arch", 5) || !strncmp(word, "-gpu-arch", 9) || !strncmp(word, "-gencode", 8) ||
                  !strncmp(word, "-generate-code", 14);
        vec_push(words, argv[k]);
    }
    if (!target) words_add(words, "-gencode", "arch=compute_75,code=compute_75", NULL);
    vec_push(words, NULL);
    return true;
}
