// compare_input.c: makes a version of what a word on the command line names: a file of JSON, a run of a store, or a
// command line of onchip run's. A command runs in a separate process, which writes the JSON of its run: so its output
// and its exit don't mix with ours.
#include "cli/compare.h"
#include "cli/run.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// --- a file of JSON --------------------------------------------------------------------------------------------------
static bool is_file(const char *path)
{
    struct stat s;
    return !stat(path, &s) && !S_ISDIR(s.st_mode);
}

static bool ends_in(const char *path, const char *end)
{
    const size_t n = strlen(path), m = strlen(end);
    return n > m && !strcmp(path + n - m, end);
}

// Does the file begin so? Blanks in front of it are passed over.
static bool begins(const char *path, const char *with)
{
    char head[64];
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(head, 1, sizeof head - 1, f) : 0;
    if (f) fclose(f);
    head[n] = 0;
    return !strncmp(head + strspn(head, " \t\r\n"), with, strlen(with));
}

static int read_file(const char *path, Version *v, Diag *diag)
{
    Text text = {0};
    if (!text_read_file(&text, path)) return diag_error(diag, "can't read %s: %s", path, strerror(errno)), EXIT_FAILED;
    bool ok = version_document(v, path, text.v ? text.v : "", text.n, diag);
    text_free(&text);
    return ok ? EXIT_OK : EXIT_FAILED;
}

// --- a run of a store ------------------------------------------------------------------------------------------------
// The beginning of a key, which neither a workload nor a file is called.
static bool is_key(const char *word)
{
    enum { LEAST = 4 };
    const size_t n = strlen(word);
    return n >= LEAST && n <= KEY_DIGITS && !word[strspn(word, "0123456789abcdef")] && !is_file(word) &&
           !workload_find(word);
}

static int read_run(const char *path, const char *key, Version *v, Diag *diag)
{
    Store *s = store_read(path, diag);
    bool ok = s && version_stored(v, s, key, diag);
    store_close(s);
    return ok ? EXIT_OK : EXIT_FAILED;
}

// FILE, or FILE:KEY. False: it names no store.
static bool split_store(const char *word, Arena *arena, const char **path, const char **key)
{
    static const char magic[] = "SQLite format 3";
    const char *colon = strrchr(word, ':');
    *path = word, *key = "";
    if (is_file(word)) return begins(word, magic);
    if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789abcdef")]) return false;
    *path = arena_text(arena, word, (size_t)(colon - word)), *key = colon + 1;
    return is_file(*path) && begins(*path, magic);
}

// --- a command -------------------------------------------------------------------------------------------------------
// What the command prints goes to the standard error, since the comparison is what the standard output gets.
static int run_child(int argc, char **argv, FILE *out)
{
    dup2(STDERR_FILENO, STDOUT_FILENO);
    int code = run_into(argc, argv, out);
    if (fflush(out) || fflush(stdout)) code = code ? code : EXIT_FAILED;
    return code;
}

static int read_output(FILE *out, Version *v, Diag *diag)
{
    struct stat s;
    const bool known = !fstat(fileno(out), &s);
    char *text = known ? mem_try((size_t)s.st_size + 1, 1) : NULL;
    rewind(out);
    bool ok = text && fread(text, 1, (size_t)s.st_size, out) == (size_t)s.st_size;
    if (!ok) diag_error(diag, "what '%s' wrote can't be read", v->input);
    ok = ok && version_document(v, "the run's JSON", text, (size_t)s.st_size, diag);
    mem_free(text);
    return ok ? EXIT_OK : EXIT_FAILED;
}

static int run_command(const Input *in, Version *v, Diag *diag)
{
    VEC(char *) words = {0};
    Text plain = {0};
    const char *p = v->input;
    static const char *const own[] = {"--json", "--lines"};
    for (size_t k = 0; k < COUNT(own); k++) vec_push(&words, arena_copy(&v->arena, own[k]));
    for (size_t k = 0; k < in->options.n; k++) vec_push(&words, arena_copy(&v->arena, in->options.v[k]));
    while (word_next(&p, &plain)) vec_push(&words, arena_copy(&v->arena, plain.v));
    text_free(&plain);
    const int argc = (int)words.n;
    vec_push(&words, NULL);
    FILE *out = tmpfile();
    fflush(NULL);
    const pid_t child = out ? fork() : -1;
    if (!child) _exit(run_child(argc, words.v, out));
    vec_free(&words);
    int status = 0, code = EXIT_FAILED;
    if (child < 0)
        diag_error(diag, "can't run '%s': %s", v->input, strerror(errno));
    else {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
        code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (code == EXIT_OK)
            code = read_output(out, v, diag);
        else
            diag_error(diag, "'%s' failed with the exit status %d, so that there is nothing to compare", v->input,
                       code);
        if (code && code != EXIT_USAGE) code = EXIT_FAILED;
    }
    if (out) fclose(out);
    return code;
}

int input_read(const Input *in, Version *v, Diag *diag)
{
    const char *path, *key;
    if (ends_in(v->input, ".json") || (is_file(v->input) && begins(v->input, "{"))) return read_file(v->input, v, diag);
    if (split_store(v->input, &v->arena, &path, &key)) return read_run(path, key, v, diag);
    if (is_key(v->input)) return read_run(in->db, v->input, v, diag);
    return run_command(in, v, diag);
}
