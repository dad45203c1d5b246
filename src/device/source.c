// source.c: the text of lines. A file's name and its text were written by strangers.
#include "device/device.h"
#include "exec/code.h"

#include <string.h>
#include <sys/stat.h>

// A plain file of some megabytes at most.
bool source_read(const char *file, Text *text)
{
    enum { MOST = 16 << 20 };
    struct stat info;
    text->n = 0;
    return !stat(file, &info) && S_ISREG(info.st_mode) && info.st_size <= MOST && text_read_file(text, file);
}

bool source_of(const Kernel *kernel, const char *file, Text *text)
{
    for (size_t c = 0; c < kernel->codes.n; c++) {
        const Module *m = kernel->codes.v[c]->f->module;
        const Source *s = &m->source;
        if (m->files.n || s->mark_count || !s->text || strcmp(s->name, file)) continue;
        text->n = 0;
        text_add(text, s->text, s->length);
        return true;
    }
    return source_read(file, text);
}

char *source_line(const Text *source, uint32_t line)
{
    const char *p = source->n ? source->v : NULL;
    for (; p && line > 1; line--) p = strchr(p, '\n'), p = p ? p + 1 : NULL;
    if (!p) return NULL;
    size_t n = strcspn(p, "\r\n");
    char *out = mem_alloc(n + 1);
    for (size_t k = 0; k < n; k++) out[k] = (unsigned char)p[k] < ' ' || p[k] == 0x7f ? ' ' : p[k];
    out[n] = 0;
    return out;
}
