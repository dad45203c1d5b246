// cmd_cc.c: onchip cc: a compiler driver with nvcc's options (src/compile).
#include "cli/unit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char usage[] = "usage: onchip cc [options] FILE.cu … [FILE.cpp | FILE.o | LIBRARY] [-o PROGRAM]\n\n"
                            "It takes nvcc's options:\n\n";
// What asks a compiler for its version reads the first and the last line of nvcc's (CMake, build scripts).
static const char version[] = "nvcc: NVIDIA (R) Cuda compiler driver\n"
                              "has onchip cc %s in its place: CUDA C++ by clang\n"
                              "Cuda compilation tools, release 12.0, V12.0.0\n";

const CommandLine cc_line = {NULL, 0, NULL};

static int build(Build *b, const Text *notes)
{
    Text said = {0};
    Diag error = {0};
    int code = EXIT_OK;
    const char *p = notes->v ? notes->v : "";
    for (size_t n; *p; p += n + (p[n] == '\n')) {
        n = strcspn(p, "\n");
        tell(0, "%.*s", (int)n, p);
    }
    const bool ok = build_run(b, &said, &error);
    const bool asked = (b->step == BUILD_PREPROCESS || b->step == BUILD_RULES) && !b->show && !b->dry;
    if (said.n) fwrite(said.v, 1, said.n, asked ? stdout : stderr);
    if (!ok) code = tell(EXIT_FAILED, "%s", error.text.v);
    text_free(&said), diag_free(&error);
    return code;
}

// Gives the words to NVIDIA's nvcc, in place of this process.
static int by_toolkit(int argc, char **argv)
{
    WordList words = {0};
    char path[4096];
    Diag error = {0};
    if (!nvcc_toolkit(argc, argv, path, sizeof path, &words, &error))
        tell(0, "%s", error.text.v);
    else {
        execv(path, (char *const *)words.v);
        tell(0, "can't run %s: %s", path, strerror(errno));
    }
    vec_free(&words), diag_free(&error);
    return EXIT_FAILED;
}

static void help(void)
{
    Text names = {0};
    const char *doc;
    fputs(usage, stdout);
    for (size_t k = 0; nvcc_option(k, &names, &doc); k++, names.n = 0) put_row(stdout, names.v, 27, BREAK_WORDS, doc);
    text_free(&names);
}

int cmd_cc(int argc, char **argv)
{
    Build b = {.output = NULL};
    Text notes = {0};
    Diag error = {0};
    NvccWord word;
    int code = EXIT_OK;
    if (!nvcc_read(argc, argv, &b, &word, &notes, &error))
        code = tell(EXIT_USAGE, "%s", error.text.v);
    else if (word == NVCC_VERSION)
        printf(version, ONCHIP_VERSION);
    else if (word == NVCC_HELP)
        help();
    else if (word == NVCC_TOOLKIT)
        code = by_toolkit(argc, argv);
    else
        code = build(&b, &notes);
    build_free(&b), text_free(&notes), diag_free(&error);
    return code;
}
