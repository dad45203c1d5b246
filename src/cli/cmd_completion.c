// cmd_completion.c: onchip completion: prints a shell's script, or what may stand at a place of a command line.
#include "cli/unit.h"

#include <string.h>

static const Option options[] = {{"--help", NULL, "this text"}};
static const char *completion_word(size_t k, const char **doc)
{
    *doc = NULL;
    return k < shell_file_count ? shell_files[k].name : NULL;
}
const CommandLine completion_line = {options, COUNT(options), completion_word};

static const char usage[] = "usage: onchip completion bash|zsh|fish   the shell's script\n"
                            "       onchip completion words [WORD …]  what may stand in place of the last\n\n"
                            "With such a script Tab completes commands, options, workloads, GPUs, schedulers,\n"
                            "keys and figures. An installed onchip has put it where the shell looks for it.\n"
                            "Else: source <(onchip completion bash), which can stand in ~/.bashrc; zsh: the\n"
                            "same in ~/.zshrc, behind compinit; fish: onchip completion fish | source.\n";

// The candidates are lines: the word, a tab, a sentence. The line :files stands for the names of files.
static int words(int argc, char **argv)
{
    Text out = {0};
    complete_words((const char *const *)argv, (size_t)argc, &out);
    if (out.n) fputs(out.v, stdout);
    text_free(&out);
    return EXIT_OK;
}

int cmd_completion(int argc, char **argv)
{
    if (argc && !strcmp(argv[0], "words")) return words(argc - 1, argv + 1);
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    const char *shell = NULL, *names[8];
    char hint[100];
    for (int o; (o = args_next(&a)) != -2;) {
        if (o == -3) return EXIT_USAGE;
        if (o == 0) return fputs(usage, stdout), EXIT_OK;
        if (shell) return tell(EXIT_USAGE, "completion takes one shell: '%s' is one too many", a.value);
        shell = a.value;
    }
    size_t n = 0;
    for (; n < shell_file_count && n < COUNT(names); n++) {
        names[n] = shell_files[n].name;
        if (shell && !strcmp(shell, names[n])) return fputs(shell_files[n].text, stdout), EXIT_OK;
    }
    if (shell) return tell(EXIT_USAGE, "no script for '%s'%s\n%s", shell, did_you_mean(shell, names, n, hint), usage);
    fputs(usage, stderr);
    return EXIT_USAGE;
}
