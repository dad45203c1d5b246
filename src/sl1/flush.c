// flush.c: lines on their way back to memory. Nothing is read and merged: a line that was written whole is stored whole, else
// each word that was written whole as one, else each written byte by itself, so that bytes of other threads stay as they are.
#include "sl1/sl1.h"

#include <string.h>

// Whose bits are set in a word's four of the bitmap: all, some or none.
void sl1_write_functions(const Sl1Options *o, Text *out)
{
    text_put(out, "\n.func sl1_write_part(.param .b64 sl1_to, .param .b32 sl1_from, .param .b32 sl1_bytes)\n{\n"
                  "    .reg .b64 %to;\n    .reg .b32 %from, %bytes, %t, %v;\n    .reg .pred %p;\n"
                  "    ld.param.b64 %to, [sl1_to];\n    ld.param.b32 %from, [sl1_from];\n    ld.param.b32 %bytes, [sl1_bytes];\n");
    for (uint32_t word = 0; word < o->line / 4; word++) {
        text_printf(out, "    bfe.u32 %%t, %%bytes, %u, 4;\n    setp.ne.u32 %%p, %%t, 15;\n    @%%p bra $part%u;\n", 4 * word, word);
        text_printf(out, "    ld.shared.b32 %%v, [%%from+%u];\n    st.global.b32 [%%to+%u], %%v;\n    bra $next%u;\n$part%u:\n", 4 * word, 4 * word, word, word);
        text_printf(out, "    setp.eq.u32 %%p, %%t, 0;\n    @%%p bra $next%u;\n", word);
        for (uint32_t byte = 0; byte < 4; byte++) {
            uint32_t at = 4 * word + byte;
            text_printf(out, "    and.b32 %%v, %%t, %u;\n    setp.ne.u32 %%p, %%v, 0;\n", 1u << byte);
            text_printf(out, "    @%%p ld.shared.u8 %%v, [%%from+%u];\n    @%%p st.global.u8 [%%to+%u], %%v;\n", at, at);
        }
        text_printf(out, "$next%u:\n", word);
    }
    text_put(out, "    ret;\n}\n");
}

void sl1_write_back(Sl1Writer *w, uint32_t k)
{
    if (!sl1_has_bitmap(w, k)) return;
    uint32_t line = w->options->line, clean = ++w->labels, part = ++w->labels, done = ++w->labels;
    const char *vector = line == 8 ? "v2.b32" : "v4.b32", *values = line == 8 ? "{%sl1_v0, %sl1_v1}" : "{%sl1_v0, %sl1_v1, %sl1_v2, %sl1_v3}";
    sl1_put(w, "setp.eq.u32 %%sl1_p, %%sl1_b%u, 0;", k);
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", clean);
    sl1_put(w, "setp.ne.u32 %%sl1_p, %%sl1_b%u, %u;", k, (1u << line) - 1);
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", part);
    sl1_put(w, "ld.shared.%s %s, [%%sl1_l%u];", vector, values, k);
    sl1_put(w, "st.global.%s [%%sl1_a%u], %s;", vector, k, values);
    sl1_put(w, "bra $sl1_g%u;", done);
    sl1_put(w, "$sl1_g%u:", part);
    sl1_put(w, "{");
    sl1_put(w, ".param .b64 sl1_p0;");
    sl1_put(w, ".param .b32 sl1_p1;");
    sl1_put(w, ".param .b32 sl1_p2;");
    sl1_put(w, "st.param.b64 [sl1_p0], %%sl1_a%u;", k);
    sl1_put(w, "st.param.b32 [sl1_p1], %%sl1_l%u;", k);
    sl1_put(w, "st.param.b32 [sl1_p2], %%sl1_b%u;", k);
    sl1_put(w, "call sl1_write_part, (sl1_p0, sl1_p1, sl1_p2);");
    sl1_put(w, "}");
    sl1_put(w, "$sl1_g%u:", done);
    sl1_put(w, "mov.b32 %%sl1_b%u, 0;", k);
    sl1_put(w, "$sl1_g%u:", clean);
}

void sl1_flush(Sl1Writer *w)
{
    for (uint32_t k = 0; k < w->plan->structures; k++) {
        if (w->plan->structure[k].barred) continue;
        sl1_write_back(w, k);
        sl1_put(w, "mov.u64 %%sl1_a%u, -1;", k);
    }
}
