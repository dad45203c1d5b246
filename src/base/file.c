// file.c: whole files as text, a folder for a while, and names of files.
//
// Invariant: a file that can't be read leaves the text as it was. errno says why a file can't be read or written; the
// caller knows what the file is for, and tells the user.
#include "base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_FILE ((size_t)256 << 20)  // of a text file; what is longer, such as /dev/zero, isn't one

// Room for more of a file. Its size is the user's choice, so this is the one place that can be told there is no memory.
static int room_for_file(Text *text, size_t before)
{
    if (text->n - before > MOST_FILE) return EFBIG;
    if (text->cap - text->n >= 4096) return 0;
    size_t cap = MAX(text->cap * 2, 65536);
    char *v = mem_try_resize(text->v, cap);
    if (!v) return ENOMEM;
    text->v = v;
    text->cap = cap;
    return 0;
}

// The size isn't asked for beforehand: pipes and /proc have none.
bool text_read_file(Text *text, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t before = text->n;
    int problem = 0;
    while (!(problem = room_for_file(text, before))) {
        errno = 0;
        text->n += fread(text->v + text->n, 1, text->cap - text->n - 1, file);
        if (ferror(file)) problem = errno ? errno : EIO;
        if (problem || feof(file)) break;
    }
    fclose(file);
    if (problem) text->n = before;
    if (!text->n && problem)
        text_free(text);
    else
        text->v[text->n] = 0;
    errno = problem;
    return problem == 0;
}

bool text_write_file(const Text *text, const char *path)
{
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(text->v, 1, text->n, file) == text->n;
    int problem = errno;
    if (file && fclose(file) && ok) ok = false, problem = errno;
    errno = ok ? 0 : problem;
    return ok;
}

bool folder_for_a_while(Text *path, Diag *diag)
{
    const char *above = getenv("TMPDIR");
    size_t start = path->n;
    text_printf(path, "%s/onchip-XXXXXX", above && *above ? above : "/tmp");
    return mkdtemp(path->v + start) ||
           diag_error(diag, "can't make a folder like %s: %s\nhint: set TMPDIR to a folder in which one can be made",
                      path->v + start, strerror(errno));
}

void own_path(Text *path, const char *name, bool installed)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self);
    bool absolute = ONCHIP_LIBDIR[0] == '/';
    while (n > 0 && self[n - 1] != '/') n--;
    if (!installed || !absolute) text_add(path, self, (size_t)MAX(n, 0));
    if (installed) text_printf(path, "%s%s/onchip/", absolute ? "" : "../", ONCHIP_LIBDIR);
    text_put(path, name);
}

bool own_find(Text *path, const char *name)
{
    for (int installed = 0; installed < 2; installed++) {
        path->n = 0;
        own_path(path, name, installed);
        if (!access(path->v, R_OK)) return true;
    }
    return false;
}

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}
