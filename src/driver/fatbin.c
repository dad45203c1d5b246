// fatbin.c: reads the container into which the CUDA toolkit packs machine code and PTX (unit.h). Nothing is trusted: a
// container whose sizes don't agree is left alone.
#include "driver/fatbin.h"
#include "driver/unit.h"

#include <ctype.h>
#include <dlfcn.h>
#include <string.h>

enum { UNPACKED_MOST = 256 << 20 };  // in bytes, as of a PTX file; a container that claims more isn't understood
// What a compressed byte yields at most. LZ4 (Block Format Description): it adds 255 to a length. zstd (RFC 8878
// §3.1.1.2): a block has three bytes of header and one of contents at least, and yields 128 KiB at most.
enum { LZ4_YIELD = 255, ZSTD_YIELD = (128 << 10) / 4 };

const char *ptx_begin(const char *s)
{
    for (;;) {
        while (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r') s++;
        if (s[0] == '/' && s[1] == '/') {
            while (*s && *s != '\n') s++;
        } else if (s[0] == '/' && s[1] == '*') {
            s = strstr(s + 2, "*/");
            if (!s) return NULL;
            s += 2;
        } else {
            return strncmp(s, ".version", 8) ? NULL : s;  // PTX ISA 5.3: a module begins with it
        }
    }
}

ImageKind image_kind(const void *image)
{
    uint32_t magic = 0;
    if (ptx_begin(image)) return IMAGE_PTX;
    for (size_t k = 0; k < sizeof magic; k++) {  // a text may be shorter
        magic |= (uint32_t)((const uint8_t *)image)[k] << 8 * k;
        if (!((const uint8_t *)image)[k]) return IMAGE_UNKNOWN;
    }
    return magic == WRAPPER || magic == CONTAINER ? IMAGE_FATBIN : magic == 0x464c457f ? IMAGE_CUBIN : IMAGE_UNKNOWN;
}

// --- decompression ---------------------------------------------------------------------------------------------------
// Reads a length: its first four bits; if they are 15, further bytes are added, up to one that isn't 255.
static bool read_length(const uint8_t **from, const uint8_t *end, uint32_t bits, size_t *length)
{
    *length = bits;
    if (bits < 15) return true;
    for (;;) {
        if (*from == end) return false;
        uint8_t more = *(*from)++;
        *length += more;
        if (more < 255) return true;
    }
}

// Per the LZ4 Block Format Description, a block consists of sequences. Each has literals and a match; the last one has
// no match.
bool lz4_decompress(const uint8_t *from, size_t n, uint8_t *to, size_t bytes)
{
    const uint8_t *end = from + n;
    size_t at = 0, length;
    while (from < end) {
        uint8_t token = *from++;
        if (!read_length(&from, end, token >> 4, &length) || length > (size_t)(end - from) || length > bytes - at)
            return false;
        memcpy(to + at, from, length);
        from += length, at += length;
        if (from == end) break;
        if (end - from < 2) return false;
        size_t back = from[0] | (size_t)from[1] << 8;
        from += 2;
        if (!read_length(&from, end, token & 15, &length) || !back || back > at || (length += 4) > bytes - at)
            return false;
        for (; length; length--, at++) to[at] = to[at - back];  // the match may overlap what is being written
    }
    return at == bytes;
}

// libzstd is used where it is installed; its interface has been stable since 1.0.
static bool zstd_decompress(const uint8_t *from, size_t n, uint8_t *to, size_t bytes, Diag *diag)
{
    void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    size_t (*decompress)(void *, size_t, const void *, size_t) = NULL;
    if (library) *(void **)&decompress = dlsym(library, "ZSTD_decompress");
    if (!decompress) diag_error(diag, "its PTX is compressed with zstd, and there is no libzstd.so.1 here");
    bool ok = decompress && decompress(to, bytes, from, n) == bytes;  // an error is a number larger than any size
    if (decompress && !ok) diag_error(diag, "its compressed PTX is damaged");
    if (library) dlclose(library);
    return ok;
}

static bool unpack(const Entry *e, const uint8_t *contents, Text *out, Diag *diag)
{
    bool text = e->kind == KIND_PTX;  // which ends with a null byte, or where the contents do
    if (!(e->flags & (PACKED_LZ4 | PACKED_ZSTD))) {
        const char *plain = (const char *)contents;
        return text_add(out, plain, text ? strnlen(plain, e->bytes) : e->bytes), true;
    }
    uint64_t yield = e->flags & PACKED_ZSTD ? ZSTD_YIELD : LZ4_YIELD, most = MIN(e->packed * yield, UNPACKED_MOST);
    if (e->packed > e->bytes || !e->unpacked || e->unpacked > most)
        return diag_error(diag, "its compressed PTX is damaged");
    uint8_t *to = mem_room(2 * e->unpacked) ? mem_try(e->unpacked + 1, 1) : NULL;  // the text becomes a copy
    bool ok = true;
    if (!to) return diag_error(diag, "the host has no memory for its PTX");
    if (e->flags & PACKED_ZSTD)
        ok = zstd_decompress(contents, e->packed, to, e->unpacked, diag);
    else if (!(ok = lz4_decompress(contents, e->packed, to, e->unpacked)))
        diag_error(diag, "its compressed PTX is damaged");
    if (ok) text_add(out, (const char *)to, text ? strlen((const char *)to) : e->unpacked);
    mem_free(to);
    return ok;
}

// --- targets ---------------------------------------------------------------------------------------------------------
bool target_read(const char *text, Target *t)
{
    static const char *const words[] = {"sm_", "compute_"};
    uint32_t n = 0;
    for (size_t k = 0; k < COUNT(words); k++)
        if (!strncmp(text, words[k], strlen(words[k]))) text += strlen(words[k]);
    while (isdigit((unsigned char)*text) && n < 1000) n = 10 * n + (uint32_t)(*text++ - '0');
    *t = (Target){n, *text};
    if (*text == 'a' || *text == 'f') text++;
    return n >= 10 && n < 1000 && !*text;
}

void target_put(Target t, Text *to) { text_printf(to, "%u%.1s", t.capability, t.kind ? &t.kind : ""); }

static Target target_of(const Entry *e)
{
    return (Target){e->capability, e->flags & SPECIFIC ? 'a' : e->flags & FAMILY ? 'f' : '\0'};
}

// PTX for sm_90a runs on 9.0 alone, PTX for sm_100f on 10.0 and later ones of the major version 10 (PTX ISA 11.1.2).
static bool fits(Target t, uint32_t capability)
{
    if (t.kind == 'a') return t.capability == capability;
    return t.capability <= capability && (t.kind != 'f' || t.capability / 10 == capability / 10);
}

uint64_t target_worth(Target t, const Wish *w)
{
    const uint64_t specific = t.kind == 'a' ? 2 : t.kind == 'f';
    const uint64_t own = 4 * (uint64_t)MIN(t.capability, UINT16_MAX) + specific + 1;
    if (w->only.capability) return w->only.capability == t.capability && w->only.kind == t.kind;
    if (!w->real && !w->capability) return own;
    if (fits(t, w->capability)) return own << 32;
    return w->real ? 0 : UINT32_MAX - own;
}

// --- the container ---------------------------------------------------------------------------------------------------
// Contents lie as they do in the file, so fields may be unaligned.
typedef struct Found {
    Entry entry;
    const uint8_t *contents;
    uint64_t worth;
    uint32_t count;  // entries of that worth
} Found;

static void better(Found *best, const Entry *e, const uint8_t *contents, uint64_t worth)
{
    if (worth && worth == best->worth) best->count++;
    if (worth > best->worth) *best = (Found){*e, contents, worth, 1};
}

// Reads the entry at *at, and moves *at behind it. False: there is none any more, or, with why, it is damaged.
static bool next_entry(const uint8_t **at, const uint8_t *end, Entry *e, const uint8_t **contents, Diag *diag)
{
    if ((size_t)(end - *at) < sizeof *e) return false;
    memcpy(e, *at, sizeof *e);
    if (e->header < sizeof *e || e->header > (size_t)(end - *at) || e->bytes > (size_t)(end - *at) - e->header)
        return diag_error(diag, "its fat binary is damaged"), false;
    *contents = *at + e->header;
    *at = *contents + e->bytes;
    return true;
}

static bool is_container(const Header *h) { return h->magic == CONTAINER && h->version == 1 && h->bytes >= sizeof *h; }

uint64_t fatbin_each(const uint8_t *v, uint64_t n, FatbinEach *each, void *user, Diag *diag)
{
    Header h;
    Entry e;
    const uint8_t *contents;
    if (n < sizeof h) return 0;
    memcpy(&h, v, sizeof h);
    if (!is_container(&h)) return 0;
    if (h.bytes > n || h.rest > n - h.bytes) return diag_error(diag, "its fat binary is damaged"), 0;
    const uint8_t *at = v + h.bytes, *end = at + h.rest;
    while (next_entry(&at, end, &e, &contents, diag))
        if (e.kind == KIND_PTX || e.kind == KIND_CODE)
            each(user, &(FatbinPart){e.kind == KIND_PTX, target_of(&e), contents - e.header});
    return diag->failed ? 0 : h.bytes + h.rest;
}

bool fatbin_unpack(const FatbinPart *part, Text *out, Diag *diag)
{
    Entry e;
    memcpy(&e, part->at, sizeof e);
    return unpack(&e, part->at + e.header, out, diag);
}

const void *fatbin_container(const void *image, size_t k, Diag *diag)
{
    Header h;
    Wrapper w;
    memcpy(&h, image, sizeof h);
    if (h.magic != WRAPPER) return k ? NULL : image;
    memcpy(&w, image, sizeof w);
    if (w.version == WRAPPER_LINKED && w.list && w.list[0]) return w.list[k];
    if (w.version != WRAPPER_PLAIN && w.version != WRAPPER_LINKED)
        return diag_error(diag, "its fat binary is of an unknown kind"), NULL;
    return k ? NULL : w.container;
}

// The container that an image is, or leads to; null, and why: there is none, or it is of an unknown kind.
static const uint8_t *container_of(const void *image, Header *h, Diag *diag)
{
    const void *container = fatbin_container(image, 0, diag);
    if (!container && !diag->failed) diag_error(diag, "its fat binary is empty");
    if (!container) return NULL;
    if (container != image && fatbin_container(image, 1, diag))
        return diag_error(diag, "its parts are linked when it is loaded (nvcc -rdc=true)"), NULL;
    memcpy(h, container, sizeof *h);
    if (is_container(h)) return container;
    return diag_error(diag, "its fat binary is of an unknown kind"), NULL;
}

// Why none of the PTX is taken; there: the targets of all that there is.
static void put_none(const Wish *wish, const Text *there, Diag *diag)
{
    Text only = {0};
    target_put(wish->only, &only);
    if (!there->n)
        diag_error(diag, "%s", wish->real ? "it is machine code alone" : "it is machine code alone; " NEEDS_PTX);
    else if (wish->only.capability)
        diag_error(diag, "it has no PTX for sm_%s, but for %s", only.v, there->v);
    else
        diag_error(diag, "its PTX is for later GPUs");
    text_free(&only);
}

static bool choose(const Wish *wish, const Found *text, const Found *code, const Text *there, Diag *diag)
{
    if (diag->failed) return false;
    if (!text->count) return put_none(wish, there, diag), false;
    if (text->count > 1) return diag_error(diag, "it has several PTX modules for the same GPU");
    // The application may depend on the machine code that the driver would have taken, for example on its block sizes.
    const uint32_t ptx = text->entry.capability, machine = code->entry.capability;
    if (code->count && machine > ptx)
        diag_error(diag, "its PTX, for compute capability %u.%u, is older than its machine code, for %u.%u", ptx / 10,
                   ptx % 10, machine / 10, machine % 10);
    return !diag->failed;
}

bool fatbin_ptx(const void *image, const Wish *wish, Text *ptx, Diag *diag)
{
    Header h;
    Found text = {.count = 0}, code = {.count = 0};
    Text there = {0};
    const uint8_t *at = container_of(image, &h, diag), *end, *contents;
    Entry e;
    if (!at) return false;
    end = at + h.bytes + h.rest;
    at += h.bytes;
    while (next_entry(&at, end, &e, &contents, diag)) {
        // Machine code runs on GPUs of its own major version from its minor version on.
        const bool runs = e.capability <= wish->capability && e.capability / 10 == wish->capability / 10;
        if (e.kind == KIND_CODE && wish->real && runs) better(&code, &e, contents, e.capability);
        if (e.kind != KIND_PTX) continue;
        better(&text, &e, contents, target_worth(target_of(&e), wish));
        text_put(&there, there.n ? ", sm_" : "sm_");
        target_put(target_of(&e), &there);
    }
    bool ok = choose(wish, &text, &code, &there, diag) && unpack(&text.entry, text.contents, ptx, diag);
    text_free(&there);
    return ok;
}
