// object.c: PTX in an ELF file, where tools expect machine code for NVIDIA's GPUs: what stands in for ptxas and nvlink
// writes such files, and the driver's linker gives one to a program, which may keep it and load it later.
//
// The file looks as a cubin does from outside: 64 bits, machine 190, and flags that name the .target's architecture,
// since LLVM's runtime compares these with the GPU. What is different:
//   e_ident from byte 9 on   "onchip", and the format's number, 1
//   section .onchip.ptx      the version of the onchip that wrote it, with a null byte, and the text, with a null byte
// The table of sections comes last, so that the header alone tells where the file ends. Whoever has nothing but an
// address (cuModuleLoadData) reads 64 bytes, and knows how many follow.
#include "driver/fatbin.h"
#include "driver/unit.h"

#include <elf.h>
#include <string.h>

#define MARK "onchip"
enum { FORMAT = 1, FORMAT_AT = EI_NIDENT - 1, MARK_AT = FORMAT_AT - (sizeof MARK - 1) };
enum { SECTION_NONE, SECTION_NAMES, SECTION_PTX, SECTIONS };
enum { ABI_CUDA = 51, ABI_VERSION = 7 };  // of e_ident; and of e_flags, as LLVM's ELF.h has it: the next two
enum { FLAG_64_BITS = 0x400, FLAG_VIRTUAL = 16 };
static const char names[] = "\0.shstrtab\0.onchip.ptx";
enum { NAME_NAMES = 1, NAME_PTX = 11 };

_Static_assert(sizeof(Elf64_Ehdr) == OBJECT_HEAD && (int)MARK_AT == EI_PAD, "as they lie in the file");

// The architecture's number behind .target; 0: there is none that the flags have room for.
static uint32_t architecture(const char *ptx)
{
    const char *s = ptx_begin(ptx), *word = s ? strstr(s, ".target") : NULL;
    uint32_t n = 0;
    if (!word) return 0;
    word += strlen(".target");
    word += strspn(word, " \t\r\n");
    if (strncmp(word, "sm_", 3)) return 0;
    for (word += 3; *word >= '0' && *word <= '9' && n <= UINT8_MAX; word++) n = 10 * n + (uint32_t)(*word - '0');
    return n <= UINT8_MAX ? n : 0;
}

static void put_sections(const Elf64_Ehdr *h, uint64_t ptx, uint64_t behind, Text *out)
{
    const Elf64_Shdr all[SECTIONS] = {
        [SECTION_NAMES] = {.sh_name = NAME_NAMES,
                           .sh_type = SHT_STRTAB,
                           .sh_offset = sizeof *h,
                           .sh_size = ptx - sizeof *h,
                           .sh_addralign = 1},
        [SECTION_PTX] = {.sh_name = NAME_PTX,
                         .sh_type = SHT_PROGBITS,
                         .sh_offset = ptx,
                         .sh_size = behind - ptx,
                         .sh_addralign = 1},
    };
    text_add(out, (const char *)all, sizeof all);
}

void object_write(const char *ptx, size_t n, uint32_t capability, Text *out)
{
    static const char zeros[8];
    const size_t at = out->n;
    Elf64_Ehdr h = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT, ABI_CUDA, ABI_VERSION},
        .e_type = ET_EXEC,
        .e_machine = EM_CUDA,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof h,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = SECTIONS,
        .e_shstrndx = SECTION_NAMES,
    };
    memcpy(h.e_ident + MARK_AT, MARK, sizeof MARK - 1);
    h.e_ident[FORMAT_AT] = FORMAT;
    text_add(out, (const char *)&h, sizeof h);
    text_add(out, names, sizeof names);
    const size_t section = out->n - at;
    text_add(out, ONCHIP_VERSION, sizeof ONCHIP_VERSION);
    const size_t text = out->n;
    text_add(out, ptx, strnlen(ptx, n)), text_add(out, zeros, 1);
    const uint32_t sm = capability && capability <= UINT8_MAX ? capability : architecture(out->v + text);
    const size_t behind = out->n - at;
    text_add(out, zeros, -behind % sizeof zeros);
    h.e_flags = FLAG_64_BITS | sm | sm << FLAG_VIRTUAL;
    h.e_shoff = out->n - at;
    memcpy(out->v + at, &h, sizeof h);
    put_sections(&h, section, behind, out);
}

bool object_is(const void *head)
{
    const uint8_t *v = head;
    return !memcmp(v, ELFMAG, SELFMAG) && !memcmp(v + MARK_AT, MARK, sizeof MARK - 1);
}

uint64_t object_bytes(const void *head)
{
    Elf64_Ehdr h;
    memcpy(&h, head, sizeof h);
    if (!object_is(head) || h.e_shentsize != sizeof(Elf64_Shdr)) return 0;
    return most_plus(h.e_shoff, (uint64_t)h.e_shnum * h.e_shentsize);
}

bool object_read(const void *bytes, size_t n, const char **ptx, size_t *length, Diag *diag)
{
    Elf elf;
    ElfSection names_of, s;
    const char *who = NULL, *text = NULL;
    const uint32_t format = n >= OBJECT_HEAD && object_is(bytes) ? ((const uint8_t *)bytes)[FORMAT_AT] : 0;
    if (!format || !elf_open(&elf, bytes, n)) return diag_error(diag, "it is no object that onchip wrote");
    if (object_bytes(bytes) > n || !elf_section(&elf, elf.names, &names_of))
        return diag_error(diag, "its end is missing");
    for (uint32_t k = 0; !text && elf_section(&elf, k, &s); k++) {
        const char *name = elf_text(&names_of, s.name);
        if (!name || strcmp(name, names + NAME_PTX)) continue;
        who = elf_text(&s, 0);
        text = who ? elf_text(&s, strlen(who) + 1) : NULL;
    }
    if (format != FORMAT)
        return diag_error(diag, "onchip %.20s wrote it, in format %u; this is onchip %s, which reads format %d",
                          who ? who : "of another version", format, ONCHIP_VERSION, FORMAT);
    if (!text) return diag_error(diag, "it is damaged: there is no PTX in it");
    *ptx = text, *length = strlen(text);
    return true;
}
