// access.c: accessThroughCache (§3.2.3). A structure that is cached has one line per thread. A memory line is in at most one of a
// thread's lines: where pointers may alias, and for pointers of unknown origin, all of them are looked up first.
#include "sl1/sl1.h"

#include <string.h>

static const Operand *address_of(const Inst *i) { return &i->opnd[i->op == OP_ST ? 0 : 1]; }

static uint32_t width_of(const Inst *i) { return (uint32_t)type_bytes(i->type) * i->vec; }

void sl1_address(Sl1Writer *w, const Inst *i)
{
    const Operand *a = address_of(i);
    if (a->reg != NO_REG && !a->imm) sl1_put(w, "mov.b64 %%sl1_x, %s;", reg_name(&w->view, a->reg));
    else if (a->reg != NO_REG) sl1_put(w, "add.s64 %%sl1_x, %s, %lld;", reg_name(&w->view, a->reg), (long long)a->imm);
    else if (a->sym) sl1_put(w, "mov.u64 %%sl1_x, %s+%lld;", a->sym->name, (long long)a->imm);
    else sl1_put(w, "mov.u64 %%sl1_x, %llu;", (unsigned long long)a->imm);
}

static void put_inst(Sl1Writer *w, const Inst *i)
{
    text_put(w->out, "    ");
    ptx_print_inst(&w->view, i, w->out);
    text_put(w->out, "\n");
}

static uint32_t find_reg(const Sl1Writer *w, const char *name)
{
    for (size_t r = w->plan->f->regs.n; r < w->view.regs.n; r++)
        if (!strcmp(w->view.regs.v[r].name, name)) return (uint32_t)r;
    return NO_REG;
}

// The same access, of shared memory at %sl1_s: what says how to cache it in hardware goes.
static void put_shared(Sl1Writer *w, const Inst *i)
{
    Operand operands[MAX_OPERANDS];
    Inst s = *i;
    s.op = i->op == OP_ST ? OP_ST : OP_LD;
    s.suffixes = 0;
    s.suffix[s.suffixes++] = M_SHARED;
    for (uint8_t k = 0; k < i->suffixes; k++)
        if (i->suffix[k] >= M_COUNT || mod_info[i->suffix[k]].group == G_VEC) s.suffix[s.suffixes++] = i->suffix[k];
    memcpy(operands, i->opnd, sizeof *operands * 2);
    operands[i->op == OP_ST ? 0 : 1] = (Operand){.kind = O_ADDR, .reg = find_reg(w, "%sl1_s")};
    s.opnd = operands, s.operands = 2;
    put_inst(w, &s);
}

static bool looks_at(const Sl1Writer *w, int structure, uint32_t k)
{
    return !w->plan->structure[k].barred && (structure == (int)k || structure < 0 || w->alias);
}

// The line at %sl1_y takes the place of what the structure's was.
static void fill(Sl1Writer *w, uint32_t k)
{
    const char *vector = w->options->line == 8 ? "v2.b32" : "v4.b32", *values = w->options->line == 8 ? "{%sl1_v0, %sl1_v1}" : "{%sl1_v0, %sl1_v1, %sl1_v2, %sl1_v3}";
    sl1_write_back(w, k);
    sl1_put(w, ".pragma \"onchip.fill\";");  // it may read on to the end of a granule: exec.h
    sl1_put(w, "ld.global.%s %s, [%%sl1_y];", vector, values);
    sl1_put(w, "st.shared.%s [%%sl1_l%u], %s;", vector, k, values);
    sl1_put(w, "mov.u64 %%sl1_a%u, %%sl1_y;", k);
}

static void mark_written(Sl1Writer *w, const Inst *i, int structure)
{
    uint32_t bytes = (1u << width_of(i)) - 1;
    sl1_put(w, "mov.b32 %%sl1_m, %u;", bytes);
    sl1_put(w, "shl.b32 %%sl1_m, %%sl1_m, %%sl1_t;");
    for (uint32_t k = 0; k < w->plan->structures; k++) {
        if (!looks_at(w, structure, k) || !sl1_has_bitmap(w, k)) continue;
        bool only = structure == (int)k && !w->alias;
        if (!only) sl1_put(w, "setp.eq.u32 %%sl1_p, %%sl1_i, %u;", k);
        sl1_put(w, "%sor.b32 %%sl1_b%u, %%sl1_b%u, %%sl1_m;", only ? "" : "@%sl1_p ", k, k);
    }
}

// Wider than a line: what of it is cached goes back to memory first.
static void go_past(Sl1Writer *w, const Inst *i, int structure)
{
    for (uint32_t k = 0; k < w->plan->structures; k++) {
        if (!looks_at(w, structure, k)) continue;
        uint32_t apart = ++w->labels;
        sl1_put(w, "sub.u64 %%sl1_y, %%sl1_a%u, %%sl1_x;", k);
        sl1_put(w, "setp.ge.u64 %%sl1_p, %%sl1_y, %u;", width_of(i));
        sl1_put(w, "@%%sl1_p bra $sl1_g%u;", apart);
        sl1_write_back(w, k);
        sl1_put(w, "mov.u64 %%sl1_a%u, -1;", k);
        sl1_put(w, "$sl1_g%u:", apart);
    }
    put_inst(w, i);
}

// Sets %sl1_s to the line that holds %sl1_y, and %sl1_i to its structure; goes to `hit` if there is one.
static void look_up(Sl1Writer *w, int structure, bool store, uint32_t hit)
{
    if (structure >= 0 && !w->alias) {
        sl1_put(w, "mov.b32 %%sl1_s, %%sl1_l%d;", structure);
        sl1_put(w, "setp.eq.u64 %%sl1_p, %%sl1_y, %%sl1_a%d;", structure);
    } else {
        sl1_put(w, "mov.b32 %%sl1_s, -1;");
        for (uint32_t k = 0; k < w->plan->structures; k++) {
            if (!looks_at(w, structure, k)) continue;
            sl1_put(w, "setp.eq.u64 %%sl1_p, %%sl1_y, %%sl1_a%u;", k);
            sl1_put(w, "@%%sl1_p mov.b32 %%sl1_s, %%sl1_l%u;", k);
            if (store) sl1_put(w, "@%%sl1_p mov.b32 %%sl1_i, %u;", k);
        }
        sl1_put(w, "setp.ge.s32 %%sl1_p, %%sl1_s, 0;");
    }
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", hit);
}

void sl1_access(Sl1Writer *w, const Inst *i, int structure)
{
    uint32_t line = w->options->line;
    bool store = i->op == OP_ST;
    if (width_of(i) > line) {
        go_past(w, i, structure);
        return;
    }
    uint32_t hit = ++w->labels, direct = ++w->labels, done = ++w->labels;
    sl1_put(w, "and.b64 %%sl1_y, %%sl1_x, -%u;", line);
    look_up(w, structure, store, hit);
    if (structure >= 0) {
        sl1_put(w, "setp.lt.s32 %%sl1_p, %%sl1_l%d, 0;", structure);
        sl1_put(w, "@%%sl1_p bra $sl1_g%u;", direct);
        fill(w, (uint32_t)structure);
        sl1_put(w, "mov.b32 %%sl1_s, %%sl1_l%d;", structure);
        if (store && w->alias) sl1_put(w, "mov.b32 %%sl1_i, %d;", structure);
    } else {
        sl1_put(w, "bra $sl1_g%u;", direct);
    }
    sl1_put(w, "$sl1_g%u:", hit);
    sl1_put(w, "cvt.u32.u64 %%sl1_t, %%sl1_x;");
    sl1_put(w, "and.b32 %%sl1_t, %%sl1_t, %u;", line - 1);
    sl1_put(w, "add.u32 %%sl1_s, %%sl1_s, %%sl1_t;");
    put_shared(w, i);
    if (store) mark_written(w, i, structure);
    sl1_put(w, "bra $sl1_g%u;", done);
    sl1_put(w, "$sl1_g%u:", direct);
    put_inst(w, i);
    sl1_put(w, "$sl1_g%u:", done);
}
