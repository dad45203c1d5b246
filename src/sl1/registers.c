// registers.c: lines in registers. Registers can't be indexed, so a load selects one half of the line with a predicate,
// and takes its bytes out of that half with prmt. A store writes into each word under a predicate of the word's own.
// S-L1 §5 found registers slower: a compiler moves an array to local memory if its index is only known at run time.
// Here each word has a name, so it stays in its register.
#include "ptx/ops.h"
#include "sl1/unit.h"

#include <stdio.h>

// Where pointers may alias, a look-up yields the line's address, which registers don't have. And 24 bytes have no
// halves.
bool sl1_in_registers(const Sl1Writer *w, uint32_t k)
{
    return !w->alias && w->options->line != 24 && k < w->options->registers;
}

void sl1_line_words(const Sl1Writer *w, char letter, uint32_t k, char out[100])
{
    int n = 0;
    for (uint32_t word = 0; word < w->options->line / 4; word++)
        n += snprintf(out + n, 100 - (size_t)n, "%s%%sl1_%c%u_%u", word ? ", " : "{", letter, k, word);
    snprintf(out + n, 100 - (size_t)n, "}");
}

static uint32_t reg_bits(const Sl1Writer *w, const Operand *o)
{
    return (uint32_t)type_info[w->view.regs.v[o->reg].type].bits;
}

// --- loads -----------------------------------------------------------------------------------------------------------
// Moves an element of at most 4 bytes, the lowest bytes of a word, to its register, and extends it as a load does.
static void give(Sl1Writer *w, const Operand *to, Type type, const char *word)
{
    if (to->kind == O_SINK) return;
    const char *d = reg_name(&w->view, to->reg);
    uint32_t bits = reg_bits(w, to), bytes = (uint32_t)type_bytes(type);
    char sign = type_info[type].kind == K_SINT ? 's' : 'u';
    if (bits == 8 * bytes && bytes == 4)
        sl1_put(w, "mov.b32 %s, %s;", d, word);
    else if (bits == 8 * bytes && bytes == 2)
        sl1_put(w, "mov.b32 {%s, %%sl1_k}, %s;", d, word);
    else if (bits == 8)
        sl1_put(w, "cvt.u8.u32 %s, %s;", d, word);
    else
        sl1_put(w, "cvt.%c%u.%c%u %s, %s;", sign, bits, sign, 8 * bytes, d, word);
}

static void give_part(Sl1Writer *w, const Operand *to, Type type, const char *word, uint32_t bit)
{
    if (to->kind == O_SINK) return;
    if (bit) sl1_put(w, "shr.u32 %%sl1_m, %s, %u;", word, bit);
    give(w, to, type, bit ? "%sl1_m" : word);
}

// Finds the words with the access's bytes, which begin at the lowest byte of the first one. %sl1_t is the access's
// offset in the line.
static void find_words(Sl1Writer *w, uint32_t k, uint32_t width, char words[4][32])
{
    static const char *const half[] = {"%sl1_v0", "%sl1_v1"};
    bool halves = w->options->line == 16 && width < 16;
    for (uint32_t j = 0; j < 4; j++) snprintf(words[j], 32, "%%sl1_w%u_%u", k, j);
    if (halves) {
        sl1_put(w, "and.b32 %%sl1_m, %%sl1_t, 8;");
        sl1_put(w, "setp.ne.u32 %%sl1_p, %%sl1_m, 0;");
        for (uint32_t j = 0; j < 2; j++) {
            sl1_put(w, "selp.b32 %s, %s, %s, %%sl1_p;", half[j], words[j + 2], words[j]);
            snprintf(words[j], 32, "%s", half[j]);
        }
    }
    if (width > 4) return;
    if (halves) sl1_put(w, "and.b32 %%sl1_t, %%sl1_t, 7;");  // bit 3 would make prmt replicate a sign
    if (width > 1) sl1_put(w, "mad.lo.u32 %%sl1_t, %%sl1_t, 0x1111, 0x3210;");
    sl1_put(w, "prmt.b32 %%sl1_v0, %s, %s, %%sl1_t;", words[0], words[1]);
    snprintf(words[0], 32, "%%sl1_v0");
}

static void load(Sl1Writer *w, const Inst *i, uint32_t k)
{
    const Operand *value = &i->opnd[0], *items = value->kind == O_VEC ? value->items : value;
    uint32_t bytes = (uint32_t)type_bytes(i->type);
    char words[4][32];
    sl1_put(w, ".pragma \"" LINE_PRAGMA "\";");
    find_words(w, k, bytes * i->vec, words);
    for (uint32_t e = 0; e < i->vec; e++) {
        if (bytes < 8)
            give_part(w, &items[e], i->type, words[e * bytes / 4], 8 * bytes * e % 32);
        else if (items[e].kind != O_SINK)
            sl1_put(w, "mov.b64 %s, {%s, %s};", reg_name(&w->view, items[e].reg), words[2 * e], words[2 * e + 1]);
    }
}

// --- stores ----------------------------------------------------------------------------------------------------------
// Returns the register with a value of at most 4 bytes in its lowest bytes: the value's own, or `temp`.
static const char *take(Sl1Writer *w, const Operand *from, Type type, const char *temp)
{
    if (from->kind != O_REG) return sl1_put(w, "mov.b32 %s, %u;", temp, (uint32_t)imm_bits(from, type)), temp;
    const char *r = reg_name(&w->view, from->reg);
    switch (reg_bits(w, from)) {
    case 8: return sl1_put(w, "cvt.u32.u8 %s, %s;", temp, r), temp;
    case 16: return sl1_put(w, "mov.b32 %s, {%s, %s};", temp, r, r), temp;
    case 64: return sl1_put(w, "cvt.u32.u64 %s, %s;", temp, r), temp;
    default: return r;
    }
}

static void take_long(Sl1Writer *w, const Operand *from, Type type, const char *low, const char *high)
{
    uint64_t bits = from->kind == O_REG ? 0 : imm_bits(from, type);
    if (from->kind == O_REG)
        sl1_put(w, "mov.b64 {%s, %s}, %s;", low, high, reg_name(&w->view, from->reg));
    else
        sl1_put(w, "mov.b32 %s, %u;", low, (uint32_t)bits), sl1_put(w, "mov.b32 %s, %u;", high, (uint32_t)(bits >> 32));
}

// Finds what is stored, as words; if it is less than a word, it is in the lowest bytes of one.
static void take_words(Sl1Writer *w, const Inst *i, const char *words[4])
{
    static const char *const temp[] = {"%sl1_v0", "%sl1_v1", "%sl1_v2", "%sl1_v3"};
    const Operand *value = &i->opnd[1], *items = value->kind == O_VEC ? value->items : value;
    uint32_t bytes = (uint32_t)type_bytes(i->type), each = bytes < 4 ? 4 / bytes : 1;
    for (uint32_t e = 0; e < i->vec; e++) {
        uint32_t j = e * bytes / 4, bit = 8 * bytes * (e % each);
        if (bytes == 8)
            take_long(w, &items[e], i->type, words[j] = temp[j], words[j + 1] = temp[j + 1]);
        else if (!bit)
            words[j] = take(w, &items[e], i->type, temp[j]);
        else
            sl1_put(w, "bfi.b32 %s, %s, %s, %u, %u;", temp[j], take(w, &items[e], i->type, "%sl1_v4"), words[j], bit,
                    8 * bytes),
                words[j] = temp[j];
    }
}

static void store(Sl1Writer *w, const Inst *i, uint32_t k)
{
    uint32_t width = (uint32_t)type_bytes(i->type) * i->vec, line = w->options->line, step = width < 4 ? 4 : width;
    const char *words[4];
    sl1_put(w, ".pragma \"" LINE_PRAGMA "\";");
    if (width < 4) sl1_put(w, "shl.b32 %%sl1_z0, %%sl1_t, 3;"), sl1_put(w, "and.b32 %%sl1_z0, %%sl1_z0, 24;");
    if (width < 4) sl1_put(w, "and.b32 %%sl1_z1, %%sl1_t, -4;");
    take_words(w, i, words);
    for (uint32_t at = 0; at < line; at += step) {
        bool whole = step == line;
        if (!whole) sl1_put(w, "setp.eq.u32 %%sl1_p, %s, %u;", width < 4 ? "%sl1_z1" : "%sl1_t", at);
        if (width < 4)
            sl1_put(w, "@%%sl1_p bfi.b32 %%sl1_w%u_%u, %s, %%sl1_w%u_%u, %%sl1_z0, %u;", k, at / 4, words[0], k, at / 4,
                    8 * width);
        for (uint32_t j = 0; width >= 4 && j < width / 4; j++)
            sl1_put(w, "%smov.b32 %%sl1_w%u_%u, %s;", whole ? "" : "@%sl1_p ", k, at / 4 + j, words[j]);
    }
}

void sl1_access_words(Sl1Writer *w, const Inst *i, uint32_t k)
{
    if (i->op == OP_ST)
        store(w, i, k);
    else
        load(w, i, k);
}
