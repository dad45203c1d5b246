// elf.c: reads what a file says of itself: its sections, its symbols, and the libraries that it needs (System V ABI,
// chapters 4 and 5). It is a stranger's: every place in it is checked against its length before it is read.
#include "driver/fatbin.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Copies a record from offset `at`. False: the file ends before.
static bool take(const Elf *e, uint64_t at, void *to, size_t bytes)
{
    if (at > e->n || bytes > e->n - at) return false;
    memcpy(to, e->v + at, bytes);
    return true;
}

bool elf_open(Elf *e, const void *bytes, size_t n)
{
    Elf64_Ehdr h;
    *e = (Elf){.v = bytes, .n = n};
    if (!take(e, 0, &h, sizeof h) || memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_ident[EI_DATA] != ELFDATA2LSB)
        return false;
    e->machine = h.e_machine, e->type = h.e_type, e->entry = h.e_entry;
    if (!h.e_shoff || h.e_shentsize != sizeof(Elf64_Shdr)) return true;  // no sections: stripped of all that
    e->at = h.e_shoff, e->sections = h.e_shnum, e->names = h.e_shstrndx;
    return true;
}

bool elf_section(const Elf *e, uint32_t k, ElfSection *s)
{
    Elf64_Shdr h;
    if (k >= e->sections || !take(e, e->at + (uint64_t)k * sizeof h, &h, sizeof h)) return false;
    *s = (ElfSection){.type = h.sh_type, .link = h.sh_link, .name = h.sh_name, .address = h.sh_addr};
    if (h.sh_type == SHT_NOBITS || h.sh_offset > e->n || h.sh_size > e->n - h.sh_offset) return true;
    s->v = e->v + h.sh_offset, s->n = h.sh_size;
    return true;
}

const char *elf_text(const ElfSection *texts, uint64_t at)
{
    return texts->v && at < texts->n && memchr(texts->v + at, 0, texts->n - at) ? (const char *)texts->v + at : NULL;
}

// The first section of a type, and the texts that it refers to.
static bool find_type(const Elf *e, uint32_t type, ElfSection *s, ElfSection *texts)
{
    for (uint32_t k = 0; elf_section(e, k, s); k++)
        if (s->type == type && s->v) return elf_section(e, s->link, texts);
    return false;
}

bool elf_symbols(const Elf *e, bool dynamic, unsigned type, ElfEach *each, void *user)
{
    ElfSection s, texts;
    Elf64_Sym sym;
    if (!find_type(e, dynamic ? SHT_DYNSYM : SHT_SYMTAB, &s, &texts)) return false;
    for (uint64_t at = 0; s.n - at >= sizeof sym; at += sizeof sym) {
        memcpy(&sym, s.v + at, sizeof sym);
        const char *name = elf_text(&texts, sym.st_name);
        const bool wanted = ELF64_ST_TYPE(sym.st_info) == type && sym.st_shndx != SHN_UNDEF;
        if (name && wanted) each(user, name, sym.st_value, sym.st_size);
    }
    return true;
}

bool elf_has(const Elf *e, const char *section)
{
    ElfSection names, s;
    if (!elf_section(e, e->names, &names)) return false;
    for (uint32_t k = 0; elf_section(e, k, &s); k++) {
        const char *name = elf_text(&names, s.name);
        if (name && !strcmp(name, section)) return true;
    }
    return false;
}

// The k-th text of the dynamic section that has one of these tags and begins so.
static const char *dynamic_text(const Elf *e, int64_t tag, int64_t or_tag, const char *prefix, size_t k)
{
    ElfSection s, texts;
    Elf64_Dyn d;
    if (!find_type(e, SHT_DYNAMIC, &s, &texts)) return NULL;
    for (uint64_t at = 0; s.n - at >= sizeof d; at += sizeof d) {
        memcpy(&d, s.v + at, sizeof d);
        const char *name = d.d_tag == tag || d.d_tag == or_tag ? elf_text(&texts, d.d_un.d_val) : NULL;
        if (name && !strncmp(name, prefix, strlen(prefix)) && !k--) return name;
    }
    return NULL;
}

const char *elf_needs(const Elf *e, const char *prefix) { return dynamic_text(e, DT_NEEDED, DT_NEEDED, prefix, 0); }
const char *elf_needed(const Elf *e, size_t k) { return dynamic_text(e, DT_NEEDED, DT_NEEDED, "", k); }
const char *elf_search(const Elf *e) { return dynamic_text(e, DT_RUNPATH, DT_RPATH, "", 0); }

bool elf_program(const char *path)
{
    struct stat info;
    char head[sizeof(Elf64_Ehdr)] = "";
    Elf elf;
    int file = stat(path, &info) || !S_ISREG(info.st_mode) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t n = read(file, head, sizeof head);
    close(file);
    return n >= 2 && (!memcmp(head, "#!", 2) || (elf_open(&elf, head, (size_t)n) && elf.entry));
}
