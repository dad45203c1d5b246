// parts.c: the PTX of a program's image. nvcc -rdc=true compiles each source for itself; what its device linker then
// makes is machine code, and the PTX lies in the objects' containers. It is linked here, when it is loaded.
//
// The device linker has accepted the program, so what nothing defines isn't an error: it dropped the kernels that need
// it, or the object that has it was made without PTX. Such a kernel is refused when it is launched.
#include "cudart/unit.h"
#include "driver/fatbin.h"
#include "link/link.h"

#include <ctype.h>
#include <string.h>

static Wish wish(void)
{
    const WireDevice *d = client_device();
    return (Wish){.capability = d->capability, .only = {d->target, (char)d->target_kind}};
}

// The source of an object: nvcc puts it into the names of what only the object sees, as
// _INTERNAL_c0ffee00_4_a_cu_…: eight digits, the letters of the file's name, the name with _ in place of dots.
static bool source_of(const char *ptx, Text *name)
{
    static const char mark[] = "_INTERNAL_";
    enum { DIGITS = 8, NAME_MOST = 255 };
    for (const char *p = ptx; (p = strstr(p, mark)); p++) {
        const char *id = p + strlen(mark);
        if (strspn(id, "0123456789abcdef") != DIGITS || id[DIGITS] != '_') continue;
        char *end;
        const unsigned long n = strtoul(id + DIGITS + 1, &end, 10);
        if (*end != '_' || !n || n > NAME_MOST || strnlen(end + 1, n) < n) continue;
        text_add(name, end + 1, n);
        if (n > 3 && !strcmp(name->v + name->n - 3, "_cu")) name->v[name->n - 3] = '.';
        return true;
    }
    return false;
}

// CUDA's own object of what kernels call to launch others. Its functions end in calls of the driver, by which onchip
// can't launch; without it, what they are called stays open, and the kernels that call them are refused by that name.
static bool launches(const char *ptx)
{
    static const char first[] = "__cudaCDP2GetParameterBufferV2";
    for (const char *p = ptx; (p = strstr(p, first)); p++) {
        const char *line = p;
        while (line > ptx && line[-1] != '\n' && line[-1] != ';' && line[-1] != '}') line--;
        if (memmem(line, (size_t)(p - line), ".func", 5)) return !memmem(line, (size_t)(p - line), ".extern", 7);
    }
    return false;
}

// Adds an object to the link. One without PTX is told, and left out.
static bool add(Link *l, const void *container, size_t k, size_t *added, Diag *diag)
{
    Text ptx = {0}, name = {0};
    Diag why = {0};
    const Wish wanted = wish();
    bool ok = true;
    if (!fatbin_ptx(container, &wanted, &ptx, &why)) {
        client_line("object %zu of the program's device code is left out, and its kernels are missing: %s", k + 1,
                    why.text.v);
    } else if (!launches(ptx.v)) {
        if (!source_of(ptx.v, &name)) text_printf(&name, "object %zu", k + 1);
        ok = link_add(l, name.v, ptx.v, ptx.n, diag);
        *added += ok;
    }
    text_free(&ptx), text_free(&name), diag_free(&why);
    return ok;
}

// What a kernel calls to set the word of a graph's conditional node, whose handle is the word's address.
#define SET_CONDITIONAL "cudaGraphSetConditional"
static const char set_conditional[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                      ".visible .func " SET_CONDITIONAL "(.param .b64 handle, .param .b32 value)\n"
                                      "{\n.reg .b64 %a;\n.reg .b32 %v;\nld.param.b64 %a, [handle];\n"
                                      "ld.param.b32 %v, [value];\nst.global.u32 [%a], %v;\nret;\n}\n";

// Links what has been added to what the system has, if that went well, and ends the link.
static bool finish(Link *l, bool ok, Text *ptx, Diag *diag)
{
    ok = ok && link_add(l, "onchip", set_conditional, sizeof set_conditional - 1, diag) &&
         link_finish(l, ptx, NULL, diag);
    link_free(l);
    return ok;
}

// The PTX of one container. What the system has and a text can define is linked to it.
static bool whole_ptx(const void *image, Text *ptx, Diag *diag)
{
    const Wish wanted = wish();
    Text alone = {0};
    bool ok = fatbin_ptx(image, &wanted, &alone, diag);
    if (!ok || !strstr(alone.v, SET_CONDITIONAL)) {
        *ptx = alone;
        return ok;
    }
    Link *l = link_new();
    link_open(l);
    ok = link_add(l, "the program", alone.v, alone.n, diag);
    ok = finish(l, ok, ptx, diag);
    text_free(&alone);
    return ok;
}

bool parts_ptx(const void *image, Text *ptx, Diag *diag)
{
    const void *part = fatbin_container(image, 0, diag);
    size_t added = 0;
    if (diag->failed) return false;
    if (!part || !fatbin_container(image, 1, diag)) return whole_ptx(part ? part : image, ptx, diag);
    Link *l = link_new();
    link_open(l);
    bool ok = true;
    for (size_t k = 0; ok && part; part = fatbin_container(image, ++k, diag)) ok = add(l, part, k, &added, diag);
    if (ok && !added) ok = diag_error(diag, "none of its objects has PTX; " NEEDS_PTX);
    return finish(l, ok, ptx, diag);
}
