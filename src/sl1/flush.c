// flush.c: writes lines back to memory. Memory isn't read and merged with the line, so that bytes of other threads stay
// as they are: a line that was written whole is stored whole; of other lines a word that was written whole is stored as
// a word, and other written bytes are stored one by one.
#include "sl1/unit.h"

#include <string.h>

static uint32_t word_at(const Sl1Options *o, uint32_t word) { return o->banks ? 128 * word : 4 * word; }

// A line of 24 bytes takes two accesses, of 16 and 8 bytes or of 8 and 16, whichever the address's alignment allows.
static void move_global(Sl1Writer *w, bool load, const char *address)
{
    static const char *const two[] = {"{%sl1_v0, %sl1_v1}", "{%sl1_v4, %sl1_v5}"},
                             *const four[] = {"{%sl1_v0, %sl1_v1, %sl1_v2, %sl1_v3}",
                                              "{%sl1_v2, %sl1_v3, %sl1_v4, %sl1_v5}"};
    const char *verb = load ? "ld" : "st";
    uint32_t line = w->options->line, odd = ++w->labels, done = ++w->labels;
    for (int part = 0; part < (line == 24 ? 4 : 1); part++) {
        bool wide = line == 16 || (line == 24 && (part == 0 || part == 3)), second = part == 1 || part == 3;
        uint32_t at = part == 1 ? 16 : part == 3 ? 8 : 0;
        const char *values = wide ? four[second] : two[second];
        if (line == 24 && part == 0)
            sl1_put(w, "cvt.u32.u64 %%sl1_t, %s;", address), sl1_put(w, "and.b32 %%sl1_t, %%sl1_t, 8;"),
                sl1_put(w, "setp.ne.u32 %%sl1_p, %%sl1_t, 0;"), sl1_put(w, "@%%sl1_p bra $sl1_g%u;", odd);
        if (part == 2) sl1_put(w, "bra $sl1_g%u;", done), sl1_put(w, "$sl1_g%u:", odd);
        // It may read beyond the allocation: ir.h.
        if (load) sl1_put(w, ".pragma \"%s\";", part % 2 ? AHEAD_PRAGMA : FILL_PRAGMA);
        if (load)
            sl1_put(w, "%s.global.v%d.b32 %s, [%s+%u];", verb, wide ? 4 : 2, values, address, at);
        else
            sl1_put(w, "%s.global.v%d.b32 [%s+%u], %s;", verb, wide ? 4 : 2, address, at, values);
    }
    if (line == 24) sl1_put(w, "$sl1_g%u:", done);
}

static void move_shared(Sl1Writer *w, uint32_t k, bool load)
{
    uint32_t words = w->options->line / 4, each = w->options->banks ? 1 : words == 4 ? 4 : 2;
    static const char *const values[] = {"%sl1_v0", "%sl1_v1", "%sl1_v2", "%sl1_v3", "%sl1_v4", "%sl1_v5"};
    static const char *const pairs[] = {"{%sl1_v0, %sl1_v1}", "{%sl1_v2, %sl1_v3}", "{%sl1_v4, %sl1_v5}"};
    for (uint32_t word = 0; word < words; word += each) {
        const char *v = each == 1   ? values[word]
                        : each == 2 ? pairs[word / 2]
                                    : "{%sl1_v0, %sl1_v1, %sl1_v2, %sl1_v3}",
                   *type = each == 1   ? "b32"
                           : each == 2 ? "v2.b32"
                                       : "v4.b32";
        if (load)
            sl1_put(w, "st.shared.%s [%%sl1_l%u+%u], %s;", type, k, word_at(w->options, word), v);
        else
            sl1_put(w, "ld.shared.%s %s, [%%sl1_l%u+%u];", type, v, k, word_at(w->options, word));
    }
}

static void move_words(Sl1Writer *w, uint32_t k, bool load, const char *address)
{
    char words[100];
    sl1_line_words(w, 'w', k, words);
    if (load) sl1_put(w, ".pragma \"" FILL_PRAGMA "\";");
    if (load)
        sl1_put(w, "ld.global.v%u.b32 %s, [%s];", w->options->line / 4, words, address);
    else
        sl1_put(w, "st.global.v%u.b32 [%s], %s;", w->options->line / 4, address, words);
}

void sl1_move_line(Sl1Writer *w, uint32_t k, bool load, const char *address)
{
    if (sl1_in_registers(w, k)) {
        move_words(w, k, load, address);
        return;
    }
    if (!load) move_shared(w, k, false);
    move_global(w, load, address);
    if (load) move_shared(w, k, true);
}

// Writes back word by word, from the lowest on, until no written byte is left. Uses %sl1_z, s, m, t and v0 to v3; of a
// pair also v5, which is then the word's offset in the window. If the line is in registers, its words move down through
// these, so that the current one is always in v0.
static void write_part(Sl1Writer *w, uint32_t k)
{
    uint32_t words = sl1_in_registers(w, k) ? w->options->line / 4 : 0;
    for (uint32_t j = 0; j < words; j++) sl1_put(w, "mov.b32 %%sl1_v%u, %%sl1_w%u_%u;", j, k, j);
    uint32_t again = ++w->labels, bytes = ++w->labels, next = ++w->labels;
    sl1_put(w, "$sl1_g%u:", again);
    sl1_put(w, "and.b32 %%sl1_t, %%sl1_m, 15;");
    sl1_put(w, "setp.ne.u32 %%sl1_p, %%sl1_t, 15;");
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", bytes);
    if (!words) sl1_put(w, "ld.shared.b32 %%sl1_v0, [%%sl1_s];");
    sl1_put(w, "st.global.b32 [%%sl1_z], %%sl1_v0;");
    sl1_put(w, "bra $sl1_g%u;", next);
    sl1_put(w, "$sl1_g%u:", bytes);
    for (uint32_t byte = 0; byte < 4; byte++) {
        sl1_put(w, "and.b32 %%sl1_v4, %%sl1_t, %u;", 1u << byte);
        sl1_put(w, "setp.ne.u32 %%sl1_p, %%sl1_v4, 0;");
        if (words && byte) sl1_put(w, "shr.u32 %%sl1_v0, %%sl1_v0, 8;");
        if (!words) sl1_put(w, "ld.shared.u8 %%sl1_v0, [%%sl1_s+%u];", byte);
        sl1_put(w, "@%%sl1_p st.global.u8 [%%sl1_z+%u], %%sl1_v0;", byte);
    }
    sl1_put(w, "$sl1_g%u:", next);
    sl1_put(w, "add.s64 %%sl1_z, %%sl1_z, 4;");
    if (sl1_paired(w, k))
        sl1_put(w, "add.u32 %%sl1_v5, %%sl1_v5, 4;"), sl1_put(w, "xor.b32 %%sl1_s, %%sl1_l%u, %%sl1_v5;", k);
    else if (!words)
        sl1_put(w, "add.u32 %%sl1_s, %%sl1_s, %u;", word_at(w->options, 1));
    for (uint32_t j = 0; j + 1 < words; j++) sl1_put(w, "mov.b32 %%sl1_v%u, %%sl1_v%u;", j, j + 1);
    sl1_put(w, "shr.u32 %%sl1_m, %%sl1_m, 4;");
    sl1_put(w, "setp.ne.u32 %%sl1_p, %%sl1_m, 0;");
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", again);
}

// Writes back the bytes that are marked in `bits` of the line whose address is %sl1_z.
static void write_line(Sl1Writer *w, uint32_t k, const char *bits, uint32_t half)
{
    uint32_t part = ++w->labels, done = ++w->labels;
    bool own = sl1_in_registers(w, k);
    sl1_put(w, "setp.ne.u32 %%sl1_p, %s, %u;", bits, (1u << w->options->line) - 1);
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", part);
    if (!sl1_paired(w, k))
        sl1_move_line(w, k, false, "%sl1_z");
    else
        sl1_take_line(w, k, half), move_global(w, false, "%sl1_z");
    sl1_put(w, "bra $sl1_g%u;", done);
    sl1_put(w, "$sl1_g%u:", part);
    if (strcmp(bits, "%sl1_m")) sl1_put(w, "mov.b32 %%sl1_m, %s;", bits);
    if (sl1_paired(w, k)) sl1_put(w, "mov.u32 %%sl1_v5, %u;", half * w->options->line);
    if (!own) sl1_put(w, "%s.b32 %%sl1_s, %%sl1_l%u%s;", half ? "xor" : "mov", k, half ? ", %sl1_v5" : "");
    write_part(w, k);
    sl1_put(w, "$sl1_g%u:", done);
}

void sl1_write_half(Sl1Writer *w, uint32_t k, uint32_t half)
{
    if (!sl1_has_bitmap(w, k)) return;
    uint32_t clean = ++w->labels, line = w->options->line;
    if (half)
        sl1_put(w, "shr.u32 %%sl1_m, %%sl1_b%u, %u;", k, line);
    else
        sl1_put(w, "and.b32 %%sl1_m, %%sl1_b%u, %u;", k, (1u << line) - 1);
    sl1_put(w, "setp.eq.u32 %%sl1_p, %%sl1_m, 0;");
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", clean);
    sl1_put_tag(w, k);
    if (half) sl1_put(w, "add.s64 %%sl1_z, %%sl1_z, %u;", line);
    write_line(w, k, "%sl1_m", half);
    sl1_put(w, "$sl1_g%u:", clean);
}

void sl1_write_back(Sl1Writer *w, uint32_t k)
{
    if (!sl1_has_bitmap(w, k)) return;
    uint32_t clean = ++w->labels;
    sl1_put(w, "setp.eq.u32 %%sl1_p, %%sl1_b%u, 0;", k);
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", clean);
    if (sl1_paired(w, k)) {
        for (uint32_t half = 0; half < 2; half++) sl1_write_half(w, k, half);
    } else {
        char bits[32];
        snprintf(bits, sizeof bits, "%%sl1_b%u", k);
        if (w->alias)
            sl1_put(w, "mov.b64 %%sl1_z, %%sl1_a%u;", k);
        else
            sl1_put_tag(w, k);
        write_line(w, k, bits, 0);
    }
    sl1_put(w, "mov.b32 %%sl1_b%u, 0;", k);
    sl1_put(w, "$sl1_g%u:", clean);
}

// Where pointers don't alias, all addresses of a structure have the same high half as its pointer (launch.c). The
// kernel loads it from the parameter. A function doesn't see the kernel's parameters, and has it in a register.
void sl1_put_high(Sl1Writer *w, uint32_t k)
{
    const Symbol *pointer = w->plan->f->params.v[w->plan->structure[k].param];
    if (w->body->f->entry) sl1_put(w, "ld.param.u32 %%sl1_g%u, [%s+4];", k, pointer->name);
}

void sl1_put_tag(Sl1Writer *w, uint32_t k)
{
    sl1_put_high(w, k);
    sl1_put(w, "mov.b64 %%sl1_z, {%%sl1_a%u, %%sl1_g%u};", k, k);
}

// No line has this address: it is odd, and no structure has bytes near its low half (launch.c).
void sl1_forget(Sl1Writer *w, uint32_t k)
{
    if (w->alias)
        sl1_put(w, "mov.u64 %%sl1_a%u, -1;", k);
    else
        sl1_put(w, "mov.u32 %%sl1_a%u, -63;", k);
    if (sl1_has_next(w, k)) sl1_put(w, "mov.u32 %%sl1_e%u, -1;", k);
}

void sl1_flush(Sl1Writer *w)
{
    for (uint32_t k = 0; k < w->plan->structures; k++) {
        if (w->plan->structure[k].barred) continue;
        sl1_write_back(w, k);
        sl1_forget(w, k);
    }
}
