// fatbin_write.c: writes a container as the toolkit's fatbinary does. A compiler of host code embeds it in a program
// (clang: -fcuda-include-gpubinary), and CUDA's runtime reads it.
//
// Without compression fatbinary 13.0 writes the same bytes of the same text, but for two differences. It leaves
// comments and the space at the beginning of a line out; here the text stays as it is, and its lines keep their places.
// And it reads one digit of the minor version, of which there hasn't been a second one.
#include "driver/fatbin.h"
#include "driver/unit.h"

#include <ctype.h>
#include <string.h>

// Reads a number of 16 bits, and moves *s behind it.
static bool read_number(const char **s, uint16_t *number)
{
    uint32_t n = 0;
    const char *from = *s;
    for (; isdigit((unsigned char)**s) && n <= UINT16_MAX; ++*s) n = 10 * n + (uint32_t)(**s - '0');
    *number = (uint16_t)n;
    return *s > from && n <= UINT16_MAX;
}

// PTX ISA 11.1.1: .version major.minor
static bool read_version(const char *text, Entry *e)
{
    const char *s = ptx_begin(text);
    if (!s) return false;
    s += strlen(".version");
    s += strspn(s, " \t\r\n");
    return read_number(&s, &e->major) && *s++ == '.' && read_number(&s, &e->minor);
}

static void put(Text *out, const void *bytes, size_t n) { text_add(out, bytes, n); }

static bool put_entry(const FatbinText *m, Text *out, Diag *diag)
{
    static const char zeros[8];
    const size_t length = strlen(m->ptx), bytes = (length + 8) & ~(size_t)7;  // at least one null byte ends it
    const uint64_t kind = m->of.kind == 'a' ? SPECIFIC : m->of.kind == 'f' ? FAMILY : 0;
    // The options are an empty text, which takes 8 bytes with its null byte.
    const Options options = {.at = sizeof(Entry) + sizeof options};
    Entry e = {
        .kind = KIND_PTX,
        .version = ENTRY_VERSION,
        .header = options.at + sizeof zeros,
        .bytes = bytes,
        .options = sizeof e,
        .capability = m->of.capability,
        .flags = BITS_64 | ON_LINUX | kind,
    };
    if (!read_version(m->ptx, &e))
        return diag_error(diag, "what is to be packed isn't PTX: it doesn't begin with .version");
    put(out, &e, sizeof e), put(out, &options, sizeof options), put(out, zeros, sizeof zeros);
    put(out, m->ptx, length), put(out, zeros, bytes - length);
    return true;
}

bool fatbin_write(const FatbinText *modules, size_t n, Text *out, Diag *diag)
{
    Header h = {.magic = CONTAINER, .version = 1, .bytes = sizeof h};
    const size_t at = out->n;
    put(out, &h, sizeof h);
    for (size_t k = 0; k < n; k++)
        if (!put_entry(&modules[k], out, diag)) return false;
    h.rest = out->n - at - sizeof h;
    memcpy(out->v + at, &h, sizeof h);
    return true;
}
