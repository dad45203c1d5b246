// flush.c: lines on their way back to memory. Nothing is read and merged: a line that was written whole is stored whole, else
// each word that was written whole as one, else each written byte by itself, so that bytes of other threads stay as they are.
#include "sl1/sl1.h"

#include <string.h>

static uint32_t word_at(const Sl1Options *o, uint32_t word) { return o->banks ? 128 * word : 4 * word; }

// Of each word's four bits of the bitmap: all, some or none.
void sl1_write_functions(const Sl1Options *o, Text *out)
{
    text_put(out, "\n.func sl1_write_part(.param .b64 sl1_to, .param .b32 sl1_from, .param .b32 sl1_bytes)\n{\n"
                  "    .reg .b64 %to;\n    .reg .b32 %from, %bytes, %t, %v;\n    .reg .pred %p;\n"
                  "    ld.param.b64 %to, [sl1_to];\n    ld.param.b32 %from, [sl1_from];\n    ld.param.b32 %bytes, [sl1_bytes];\n");
    for (uint32_t word = 0; word < o->line / 4; word++) {
        text_printf(out, "    bfe.u32 %%t, %%bytes, %u, 4;\n    setp.ne.u32 %%p, %%t, 15;\n    @%%p bra $part%u;\n", 4 * word, word);
        text_printf(out, "    ld.shared.b32 %%v, [%%from+%u];\n    st.global.b32 [%%to+%u], %%v;\n    bra $next%u;\n$part%u:\n", word_at(o, word), 4 * word, word, word);
        text_printf(out, "    setp.eq.u32 %%p, %%t, 0;\n    @%%p bra $next%u;\n", word);
        for (uint32_t byte = 0; byte < 4; byte++) {
            text_printf(out, "    and.b32 %%v, %%t, %u;\n    setp.ne.u32 %%p, %%v, 0;\n", 1u << byte);
            text_printf(out, "    @%%p ld.shared.u8 %%v, [%%from+%u];\n    @%%p st.global.u8 [%%to+%u], %%v;\n", word_at(o, word) + byte, 4 * word + byte);
        }
        text_printf(out, "$next%u:\n", word);
    }
    text_put(out, "    ret;\n}\n");
}

void sl1_move_line(Sl1Writer *w, uint32_t k, bool load, const char *address)
{
    uint32_t words = w->options->line / 4;
    const char *vector = words == 2 ? "v2.b32" : "v4.b32", *values = words == 2 ? "{%sl1_v0, %sl1_v1}" : "{%sl1_v0, %sl1_v1, %sl1_v2, %sl1_v3}";
    const char *verb = load ? "st" : "ld";
    if (load) sl1_put(w, ".pragma \"onchip.fill\";");  // it may read on to the end of a granule: exec.h
    if (load) sl1_put(w, "ld.global.%s %s, [%s];", vector, values, address);
    if (!w->options->banks && load) sl1_put(w, "st.shared.%s [%%sl1_l%u], %s;", vector, k, values);
    if (!w->options->banks && !load) sl1_put(w, "ld.shared.%s %s, [%%sl1_l%u];", vector, values, k);
    for (uint32_t word = 0; word < words && w->options->banks; word++) {
        if (load) sl1_put(w, "%s.shared.b32 [%%sl1_l%u+%u], %%sl1_v%u;", verb, k, word_at(w->options, word), word);
        else sl1_put(w, "%s.shared.b32 %%sl1_v%u, [%%sl1_l%u+%u];", verb, word, k, word_at(w->options, word));
    }
    if (!load) sl1_put(w, "st.global.%s [%s], %s;", vector, address, values);
}

void sl1_write_back(Sl1Writer *w, uint32_t k)
{
    if (!sl1_has_bitmap(w, k)) return;
    uint32_t clean = ++w->labels, part = ++w->labels, done = ++w->labels;
    char a[32];
    snprintf(a, sizeof a, w->alias ? "%%sl1_a%u" : "%%sl1_z", k);
    sl1_put(w, "setp.eq.u32 %%sl1_p, %%sl1_b%u, 0;", k);
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", clean);
    if (!w->alias) sl1_put(w, "mov.b64 %%sl1_z, {%%sl1_a%u, %%sl1_g%u};", k, k);
    sl1_put(w, "setp.ne.u32 %%sl1_p, %%sl1_b%u, %u;", k, (1u << w->options->line) - 1);
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", part);
    sl1_move_line(w, k, false, a);
    sl1_put(w, "bra $sl1_g%u;", done);
    sl1_put(w, "$sl1_g%u:", part);
    sl1_put(w, "{");
    sl1_put(w, ".param .b64 sl1_p0;");
    sl1_put(w, ".param .b32 sl1_p1;");
    sl1_put(w, ".param .b32 sl1_p2;");
    sl1_put(w, "st.param.b64 [sl1_p0], %s;", a);
    sl1_put(w, "st.param.b32 [sl1_p1], %%sl1_l%u;", k);
    sl1_put(w, "st.param.b32 [sl1_p2], %%sl1_b%u;", k);
    sl1_put(w, "call sl1_write_part, (sl1_p0, sl1_p1, sl1_p2);");
    sl1_put(w, "}");
    sl1_put(w, "$sl1_g%u:", done);
    sl1_put(w, "mov.b32 %%sl1_b%u, 0;", k);
    sl1_put(w, "$sl1_g%u:", clean);
}

// No line has this address.
void sl1_forget(Sl1Writer *w, uint32_t k)
{
    sl1_put(w, "mov.u%d %%sl1_a%u, -1;", w->alias ? 64 : 32, k);
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
