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
    put_row(stdout, "  --as-ptxas, --as-nvlink", 27, BREAK_WORDS,
            "in front of all: stands in for these two, where LLVM calls them; --help behind it lists their options");
    for (size_t k = 0; nvcc_option(k, &names, &doc); k++, names.n = 0) put_row(stdout, names.v, 27, BREAK_WORDS, doc);
    text_free(&names);
}

// What ptxas and nvlink say of themselves: the release stands in the last line.
static const char machine_version[] = "%s: NVIDIA (R)\n"
                                      "has onchip cc %s in its place: objects hold PTX\n"
                                      "Cuda compilation tools, release 12.0, V12.0.0\n";

static void machine_help(MachineTool tool, const char *name)
{
    Text names = {0};
    const char *doc;
    printf("usage: onchip cc --as-%s [options] FILE … [-o OBJECT]\n\n"
           "It stands in for %s where a compiler calls it, and takes its options:\n\n",
           name, name);
    for (size_t k = 0; machine_option(tool, k, &names, &doc); k++, names.n = 0)
        put_row(stdout, names.v, 27, BREAK_WORDS, doc);
    text_free(&names);
}

static int run_machine(MachineTool tool, const char *name, int argc, char **argv)
{
    Text said = {0};
    Diag error = {0};
    NvccWord word;
    const bool ok = machine_run(tool, argc, argv, &word, &said, &error);
    if (said.n) fputs(said.v, stderr);
    if (!ok)
        tell(0, "%s", error.text.v);
    else if (word == NVCC_VERSION)
        printf(machine_version, name, ONCHIP_VERSION);
    else if (word == NVCC_HELP)
        machine_help(tool, name);
    text_free(&said), diag_free(&error);
    return ok ? EXIT_OK : EXIT_FAILED;
}

int cmd_cc(int argc, char **argv)
{
    if (argc && !strcmp(argv[0], "--as-ptxas")) return run_machine(TOOL_PTXAS, "ptxas", argc - 1, argv + 1);
    if (argc && !strcmp(argv[0], "--as-nvlink")) return run_machine(TOOL_NVLINK, "nvlink", argc - 1, argv + 1);
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
