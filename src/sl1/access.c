// access.c: accessThroughCache (§3.2.3). A structure that is cached has one line per thread. Each line of memory is in
// at most one of a thread's lines. Therefore an access first looks up all lines of the thread if pointers may alias, or
// if its own pointer is of unknown origin. Where pointers don't alias, a tag is the low half of a line's address, since
// a structure of less than 4 GiB has no two lines with the same low half.
#include "ptx/ops.h"
#include "sl1/unit.h"

#include <string.h>

const Operand *sl1_address_of(const Inst *i) { return &i->opnd[i->op == OP_ST || i->op == OP_RED ? 0 : 1]; }

static uint32_t width_of(const Inst *i) { return (uint32_t)type_bytes(i->type) * i->vec; }

// Is the address in a register of 32 bits? It is taken as an unsigned number (PTX ISA §6.4.1).
static bool is_narrow(const Sl1Writer *w, const Operand *a)
{
    return a->reg != NO_REG && type_info[w->view.regs.v[a->reg].type].bits == 32;
}

void sl1_address(Sl1Writer *w, const Inst *i)
{
    const Operand *a = sl1_address_of(i);
    w->x = "%sl1_x";
    if (is_narrow(w, a)) {
        sl1_put(w, "add.u32 %%sl1_low, %s, %d;", reg_name(&w->view, a->reg), (int32_t)a->imm);
        sl1_put(w, "cvt.u64.u32 %%sl1_x, %%sl1_low;");
    } else if (a->reg != NO_REG && !a->imm)
        w->x = reg_name(&w->view, a->reg);
    else if (a->reg != NO_REG)
        sl1_put(w, "add.s64 %%sl1_x, %s, %lld;", reg_name(&w->view, a->reg), (long long)a->imm);
    else if (a->sym)
        sl1_put(w, "mov.u64 %%sl1_x, %s+%lld;", a->sym->name, (long long)a->imm);
    else
        sl1_put(w, "mov.u64 %%sl1_x, %llu;", (unsigned long long)a->imm);
}

// Computes %sl1_i, the line of %sl1_low. A division by 24 is the high half of a product with 2^36 / 24, rounded up,
// which is exact for all 32-bit numbers.
static void line_of_low(Sl1Writer *w, uint32_t k)
{
    if (w->options->line != 24) {
        sl1_put(w, "and.b32 %%sl1_i, %%sl1_low, -%u;", w->options->line);
        return;
    }
    sl1_put(w, "sub.u32 %%sl1_i, %%sl1_low, %%sl1_o%u;", k);
    sl1_put(w, "mul.hi.u32 %%sl1_i, %%sl1_i, 0xAAAAAAAB;");
    sl1_put(w, "shr.u32 %%sl1_i, %%sl1_i, 4;");
    sl1_put(w, "mad.lo.u32 %%sl1_i, %%sl1_i, 24, %%sl1_o%u;", k);
}

const char *sl1_line_of(Sl1Writer *w, uint32_t k)
{
    if (w->alias) return sl1_put(w, "and.b64 %%sl1_y, %s, -%u;", w->x, w->options->line), "%sl1_y";
    sl1_put(w, "cvt.u32.u64 %%sl1_low, %s;", w->x);
    line_of_low(w, k);
    return "%sl1_i";
}

// --- shared memory ---------------------------------------------------------------------------------------------------
// A load or store of `value`, whose type is `type`, at w->place + offset.
static void put_part(Sl1Writer *w, const Inst *i, Type type, const Operand *value, uint32_t count, uint32_t offset)
{
    bool store = i->op == OP_ST;
    Inst s = {.op = store ? OP_ST : OP_LD, .operands = 2, .type = i->type};
    Operand operands[2] = {0}, vector = {.kind = O_VEC, .count = (uint16_t)count, .items = (Operand *)(uintptr_t)value};
    s.suffix[s.suffixes++] = M_SHARED;
    if (count > 1) s.suffix[s.suffixes++] = count == 2 ? M_V2 : M_V4;
    s.suffix[s.suffixes++] = (uint16_t)(M_COUNT + type);
    operands[store] = count > 1 ? vector : *value;
    operands[!store] = (Operand){.kind = O_ADDR, .reg = sl1_own(w, w->place), .imm = offset};
    s.opnd = operands;
    sl1_put_inst(w, &s);
}

static Operand reg_operand(Sl1Writer *w, const char *name) { return (Operand){.kind = O_REG, .reg = sl1_own(w, name)}; }

// Words of an access that lies in several pieces. *at: the word that %sl1_s leads to. In a pair's window that is
// another address for each word (pair.c), with layout=banks they are 128 bytes apart.
static void put_word(Sl1Writer *w, const Inst *i, Type type, const Operand *value, uint32_t count, uint32_t word,
                     bool pair, uint32_t *at)
{
    if (pair && word != *at) sl1_put(w, "xor.b32 %%sl1_s, %%sl1_s, %u;", 4 * (word ^ *at));
    put_part(w, i, type, value, count, pair ? 0 : 128 * word);
    *at = word;
}

// Accesses eight bytes as two words.
static void put_long(Sl1Writer *w, const Inst *i, const Operand *value, uint32_t word, bool pair, uint32_t *at)
{
    Operand low = reg_operand(w, "%sl1_z0"), high = reg_operand(w, "%sl1_z1"), whole = reg_operand(w, "%sl1_z");
    bool direct = value->kind == O_REG;
    if (i->op == OP_ST) {
        Inst mov = {.op = OP_MOV,
                    .operands = 2,
                    .suffixes = 1,
                    .suffix = {M_COUNT + TY_B64},
                    .type = TY_B64,
                    .opnd = (Operand[]){whole, *value}};
        if (!direct) sl1_put_inst(w, &mov);
        sl1_put(w, "mov.b64 {%%sl1_z0, %%sl1_z1}, %s;", direct ? reg_name(&w->view, value->reg) : "%sl1_z");
    }
    put_word(w, i, TY_B32, &low, 1, word, pair, at);
    put_word(w, i, TY_B32, &high, 1, word + 1, pair, at);
    if (i->op != OP_ST && direct) sl1_put(w, "mov.b64 %s, {%%sl1_z0, %%sl1_z1};", reg_name(&w->view, value->reg));
}

static bool all_sinks(const Operand *items, uint32_t n)
{
    uint32_t k = 0;
    while (k < n && items[k].kind == O_SINK) k++;
    return k == n;
}

// Writes the same access, but of shared memory at w->place, and of a line in one piece at w->place + offset. Suffixes
// that say how hardware should cache it are dropped.
static void put_shared(Sl1Writer *w, const Inst *i, bool pair, uint32_t offset)
{
    const Operand *value = &i->opnd[i->op == OP_ST];
    const Operand *items = value->kind == O_VEC ? value->items : value;
    uint32_t bytes = (uint32_t)type_bytes(i->type), n = i->vec;
    if ((!w->options->banks && !pair) || width_of(i) <= 4) {
        put_part(w, i, i->type, items, n, offset);
        return;
    }
    uint32_t each = bytes < 4 ? 4 / bytes : 1, at = 0;  // elements of a word
    for (uint32_t k = 0; k < n; k += each) {
        if (all_sinks(&items[k], each)) continue;  // only vectors may have them
        if (bytes == 8)
            put_long(w, i, &items[k], 2 * k, pair, &at);
        else
            put_word(w, i, i->type, &items[k], each, k / each, pair, &at);
    }
}

// Sets %sl1_s to where byte %sl1_t of the line at `base` lies in shared memory. With layout=banks the offset is taken
// from `low`: its bits `words` are the word's number times 4.
static void place(Sl1Writer *w, const char *base, const char *low, int words, bool pair)
{
    if (!w->options->banks || pair) {
        sl1_put(w, "%s %%sl1_s, %s, %%sl1_t;", pair ? "xor.b32" : "add.u32", base);
        return;
    }
    sl1_put(w, "and.b32 %%sl1_m, %s, %d;", low, words);
    sl1_put(w, "mad.lo.u32 %%sl1_s, %%sl1_m, 32, %s;", base);
    sl1_put(w, "and.b32 %%sl1_m, %s, 3;", low);
    sl1_put(w, "add.u32 %%sl1_s, %%sl1_s, %%sl1_m;");
}

// Before this, %sl1_s is the line's place. Sets %sl1_s to the place of the access's bytes in it, and for stores %sl1_t
// to their offset.
static void locate(Sl1Writer *w, bool store)
{
    uint32_t line = w->options->line;
    if (w->alias) sl1_put(w, "cvt.u32.u64 %%sl1_low, %s;", w->x);
    if (!w->options->banks || store) sl1_put(w, "and.b32 %%sl1_t, %%sl1_low, %u;", line - 1);
    place(w, "%sl1_s", "%sl1_low", (int)line - 4, false);
}

// --- through the lines -----------------------------------------------------------------------------------------------
static bool looks_at(const Sl1Writer *w, int structure, uint32_t k)
{
    return !w->plan->structure[k].barred && (structure == (int)k || structure < 0 || w->alias);
}

static bool only_own(const Sl1Writer *w, int structure) { return structure >= 0 && !w->alias; }

// Moves the words that were loaded early into the line.
static void keep_next(Sl1Writer *w, uint32_t k, const char *values)
{
    uint32_t words = w->options->line / 4;
    if (!sl1_in_registers(w, k) && !w->options->banks) {
        sl1_put(w, "st.shared.v%u.b32 [%%sl1_l%u], %s;", words, k, values);
        return;
    }
    for (uint32_t word = 0; word < words; word++) {
        if (sl1_in_registers(w, k))
            sl1_put(w, "mov.b32 %%sl1_w%u_%u, %%sl1_e%u_%u;", k, word, k, word);
        else
            sl1_put(w, "st.shared.b32 [%%sl1_l%u+%u], %%sl1_e%u_%u;", k, 128 * word, k, word);
    }
}

// Fills the line at %sl1_y, whose tag is %sl1_i: from registers if it was loaded early. Then the next line is loaded
// early, unless it begins on another page, where the allocation may have ended.
static void fill_ahead(Sl1Writer *w, uint32_t k)
{
    uint32_t line = w->options->line, there = ++w->labels, last = ++w->labels;
    char values[100];
    sl1_line_words(w, 'e', k, values);
    sl1_put(w, "setp.eq.u32 %%sl1_p, %%sl1_i, %%sl1_e%u;", k);
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", there);
    sl1_put(w, ".pragma \"" FILL_PRAGMA "\";");
    sl1_put(w, "ld.global.v%u.b32 %s, [%%sl1_y];", line / 4, values);
    sl1_put(w, "$sl1_g%u:", there);
    keep_next(w, k, values);
    sl1_put(w, "add.u32 %%sl1_e%u, %%sl1_i, %u;", k, line);
    sl1_put(w, "and.b32 %%sl1_m, %%sl1_e%u, %u;", k, AHEAD_GRANULE - 1);
    sl1_put(w, "setp.eq.u32 %%sl1_p, %%sl1_m, 0;");
    sl1_put(w, "@%%sl1_p mov.u32 %%sl1_e%u, -1;", k);
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", last);
    sl1_put(w, ".pragma \"" AHEAD_PRAGMA "\";");
    sl1_put(w, "ld.global.v%u.b32 %s, [%%sl1_y+%u];", line / 4, values, line);
    sl1_put(w, "$sl1_g%u:", last);
}

// The structure's line is written back, and the access's line takes its place.
static void fill(Sl1Writer *w, uint32_t k)
{
    sl1_write_back(w, k);
    if (w->options->line == 24) {
        sl1_put(w, "sub.u32 %%sl1_t, %%sl1_low, %%sl1_i;");
        sl1_put(w, "cvt.u64.u32 %%sl1_y, %%sl1_t;");
        sl1_put(w, "sub.u64 %%sl1_y, %s, %%sl1_y;", w->x);
    } else if (!w->alias) {
        sl1_put(w, "and.b64 %%sl1_y, %s, -%u;", w->x, w->options->line);
    }
    if (sl1_has_next(w, k))
        fill_ahead(w, k);
    else
        sl1_move_line(w, k, true, "%sl1_y");
    if (w->alias)
        sl1_put(w, "mov.u64 %%sl1_a%u, %%sl1_y;", k);
    else
        sl1_put(w, "mov.u32 %%sl1_a%u, %%sl1_i;", k);
}

static void mark_written(Sl1Writer *w, const Inst *i, int structure)
{
    sl1_put(w, "mov.b32 %%sl1_m, %u;", (1u << width_of(i)) - 1);
    sl1_put(w, "shl.b32 %%sl1_m, %%sl1_m, %%sl1_t;");
    for (uint32_t k = 0; k < w->plan->structures; k++) {
        if (!looks_at(w, structure, k) || !sl1_has_bitmap(w, k) || (structure < 0 && sl1_in_registers(w, k))) continue;
        bool own = only_own(w, structure);
        if (!own) sl1_put(w, "setp.eq.u32 %%sl1_p, %%sl1_i, %u;", k);
        sl1_put(w, "%sor.b32 %%sl1_b%u, %%sl1_b%u, %%sl1_m;", own ? "" : "@%sl1_p ", k, k);
    }
}

// The whole tag of a structure's line, an address in a 64-bit register. Returns the register's name.
static const char *whole_tag(Sl1Writer *w, uint32_t k, char name[32])
{
    snprintf(name, 32, w->alias ? "%%sl1_a%u" : "%%sl1_z", k);
    if (!w->alias) sl1_put_tag(w, k);
    return name;
}

// If structure k's line holds bytes of the access, it is written back and forgotten.
static void evict(Sl1Writer *w, const Inst *i, uint32_t k)
{
    char tag[32];
    uint32_t apart = ++w->labels, line = w->options->line;
    bool pair = sl1_paired(w, k);
    if (width_of(i) <= line && line != 24 && !pair) {
        const char *a = whole_tag(w, k, tag);
        sl1_put(w, "and.b64 %%sl1_y, %s, -%u;", w->x, line);
        sl1_put(w, "setp.ne.u64 %%sl1_p, %%sl1_y, %s;", a);
    } else if (w->alias) {
        sl1_put(w, "sub.u64 %%sl1_y, %%sl1_a%u, %s;", k, w->x);
        sl1_put(w, "setp.ge.u64 %%sl1_p, %%sl1_y, %u;", width_of(i));
    } else {
        sl1_put(w, "cvt.u32.u64 %%sl1_low, %s;", w->x);
        sl1_put(w, "sub.u32 %%sl1_t, %%sl1_a%u, %%sl1_low;", k);
        sl1_put(w, "setp.ge.u32 %%sl1_p, %%sl1_t, %u;", width_of(i));
        if (line == 24 || pair) sl1_put(w, "sub.u32 %%sl1_t, %%sl1_low, %%sl1_a%u;", k);
        if (line == 24 || pair) sl1_put(w, "setp.ge.and.u32 %%sl1_p, %%sl1_t, %s, %%sl1_p;", pair ? "%sl1_span" : "24");
    }
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", apart);
    sl1_write_back(w, k);
    sl1_forget(w, k);
    sl1_put(w, "$sl1_g%u:", apart);
}

// For an access that is wider than a line, or that must see memory itself: lines with bytes of it are written back
// first.
void sl1_go_past(Sl1Writer *w, const Inst *i, int structure)
{
    for (uint32_t k = 0; k < w->plan->structures; k++)
        if (looks_at(w, structure, k)) evict(w, i, k);
    sl1_put_inst(w, i);
}

// If a line holds the access's bytes, sets %sl1_s to the line's place, and for stores %sl1_i to its structure, and goes
// to `hit`. Whole addresses are compared, since pointers of unknown origin may lead anywhere.
static void look_up(Sl1Writer *w, int structure, bool store, uint32_t hit)
{
    sl1_put(w, "and.b64 %%sl1_y, %s, -%u;", w->x, w->options->line);
    if (!w->alias) sl1_put(w, "cvt.u32.u64 %%sl1_low, %s;", w->x);
    sl1_put(w, "mov.b32 %%sl1_s, -1;");
    for (uint32_t k = 0; k < w->plan->structures; k++) {
        char tag[32];
        if (!looks_at(w, structure, k) || sl1_in_registers(w, k)) continue;
        sl1_put(w, "setp.eq.u64 %%sl1_p, %%sl1_y, %s;", whole_tag(w, k, tag));
        sl1_put(w, "@%%sl1_p mov.b32 %%sl1_s, %%sl1_l%u;", k);
        if (store) sl1_put(w, "@%%sl1_p mov.b32 %%sl1_i, %u;", k);
    }
    sl1_put(w, "setp.ge.s32 %%sl1_p, %%sl1_s, 0;");
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", hit);
}

// Sets %sl1_low, the low half of the address, which is all that a hit needs.
static void put_low(Sl1Writer *w, const Inst *i)
{
    const Operand *a = sl1_address_of(i);
    if (a->reg == NO_REG) sl1_address(w, i);
    sl1_put(w, "%s %%sl1_low, %s;", is_narrow(w, a) ? "mov.b32" : "cvt.u32.u64",
            a->reg == NO_REG ? w->x : reg_name(&w->view, a->reg));
    if (a->reg != NO_REG && a->imm) sl1_put(w, "add.u32 %%sl1_low, %%sl1_low, %d;", (int32_t)a->imm);
}

// Where an access finds its line: registers that are its own if neighbours ask for them (neighbour.c).
typedef struct Find {
    char line[32], place[32], miss[32];  // where the line is; where the access's bytes are; whether they are elsewhere
} Find;
static Find find_of(const Sl1Writer *w, uint32_t k, const Sl1Near *near)
{
    Find f = {.place = "%sl1_s", .miss = "%sl1_p"};
    snprintf(f.line, sizeof f.line, "%%sl1_l%u", k);
    if (sl1_paired(w, k)) snprintf(f.miss, sizeof f.miss, "%%sl1_q");
    if (!near->leads) return f;
    snprintf(f.place, sizeof f.place, "%%sl1_u%u", k), snprintf(f.miss, sizeof f.miss, "%%sl1_f%u", k);
    return f;
}

// Sets f->place. What neighbours ask for lies in one piece.
static void put_place(Sl1Writer *w, const Find *f, const Sl1Near *near, uint32_t k)
{
    if (near->leads)
        sl1_put(w, "add.u32 %s, %s, %%sl1_t;", f->place, f->line);
    else if (!sl1_in_registers(w, k))
        place(w, f->line, "%sl1_t", -4, sl1_paired(w, k));
}

// The access of the line, at `offset` behind the register `at`.
static void put_hit(Sl1Writer *w, const Inst *i, uint32_t k, const char *at, uint32_t offset)
{
    w->place = at;
    if (sl1_in_registers(w, k))
        sl1_access_words(w, i, k);
    else
        sl1_put(w, ".pragma \"" LINE_PRAGMA "\";"), put_shared(w, i, sl1_paired(w, k), offset);
    w->place = "%sl1_s";
}

// If the structure has no line: the access itself, and on to `done`. Else its line becomes that of the access, and
// %sl1_t the offset in it.
static void put_miss(Sl1Writer *w, const Inst *i, uint32_t k, uint32_t done)
{
    uint32_t cached = ++w->labels;
    sl1_put(w, "setp.ge.s32 %%sl1_p, %%sl1_l%u, 0;", k);
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", cached);
    sl1_put_inst(w, i);
    sl1_put(w, "bra $sl1_g%u;", done);
    sl1_put(w, "$sl1_g%u:", cached);
    sl1_address(w, i);
    if (sl1_paired(w, k))
        sl1_move_pair(w, k);
    else
        line_of_low(w, k), fill(w, k);
    sl1_put(w, "sub.u32 %%sl1_t, %%sl1_low, %%sl1_a%u;", k);
}

// An access that only needs to look at its structure's own line. The XOR of address and tag is the offset in the line
// if the address is in the line, and is larger than any offset if not. A leader's miss, %sl1_f, stays set if only a
// neighbour isn't in the line.
static void access_own(Sl1Writer *w, const Inst *i, uint32_t k, const Sl1Near *near)
{
    uint32_t miss = ++w->labels, hit = ++w->labels, done = ++w->labels, line = w->options->line;
    bool pair = sl1_paired(w, k);
    Find f = find_of(w, k, near);
    put_low(w, i);
    sl1_put(w, "%s %%sl1_t, %%sl1_low, %%sl1_a%u;", line == 24 || pair ? "sub.u32" : "xor.b32", k);
    if (pair)
        sl1_put(w, "setp.ge.u32 %%sl1_p, %%sl1_t, %%sl1_span;");
    else
        sl1_put(w, "setp.ge.u32 %s, %%sl1_t, %u;", f.miss, line - near->apart);
    put_place(w, &f, near, k);  // while the comparison is under way
    if (pair) sl1_vote(w, "any", "%sl1_q");
    sl1_put(w, "@%s bra $sl1_g%u;", f.miss, miss);
    sl1_put(w, "$sl1_g%u:", hit);
    put_hit(w, i, k, f.place, 0);
    if (i->op == OP_ST) mark_written(w, i, (int)k);
    sl1_put(w, "$sl1_g%u:", done);
    Text *out = w->out;
    w->out = &w->aside;
    sl1_put(w, "$sl1_g%u:", miss);
    if (near->apart) {
        sl1_put(w, "setp.lt.u32 %%sl1_p, %%sl1_t, %u;", line);
        sl1_put(w, "@%%sl1_p bra $sl1_g%u;", hit);
    }
    put_miss(w, i, k, done);
    if (near->leads) sl1_put(w, "setp.ge.u32 %s, %%sl1_t, %u;", f.miss, line - near->apart);
    put_place(w, &f, near, k);
    sl1_put(w, "bra $sl1_g%u;", hit);
    w->out = out;
}

// Sets %sl1_t, the offset in the line that a store's mark needs.
static void put_offset(Sl1Writer *w, uint32_t k, uint32_t apart)
{
    sl1_put(w, "sub.u32 %%sl1_t, %%sl1_u%u, %%sl1_l%u;", k, k);
    if (apart) sl1_put(w, "add.u32 %%sl1_t, %%sl1_t, %u;", apart);
}

// A leader's neighbour. If the leader didn't find it in the line, it looks for itself.
static void access_near(Sl1Writer *w, const Inst *i, uint32_t k, uint32_t apart)
{
    uint32_t miss = ++w->labels, found = ++w->labels, done = ++w->labels;
    bool store = i->op == OP_ST;
    char leads[32], own[32];
    snprintf(leads, sizeof leads, "%%sl1_u%u", k), snprintf(own, sizeof own, "%%sl1_l%u", k);
    sl1_put(w, "@%%sl1_f%u bra $sl1_g%u;", k, miss);
    if (store) put_offset(w, k, apart);
    put_hit(w, i, k, leads, apart);
    if (store) mark_written(w, i, (int)k);
    sl1_put(w, "$sl1_g%u:", done);
    Text *out = w->out;
    w->out = &w->aside;
    sl1_put(w, "$sl1_g%u:", miss);
    put_low(w, i);
    sl1_put(w, "xor.b32 %%sl1_t, %%sl1_low, %%sl1_a%u;", k);
    sl1_put(w, "setp.lt.u32 %%sl1_p, %%sl1_t, %u;", w->options->line);
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", found);
    put_miss(w, i, k, done);
    sl1_put(w, "$sl1_g%u:", found);
    place(w, own, "%sl1_t", -4, false);
    put_hit(w, i, k, "%sl1_s", 0);
    if (store) mark_written(w, i, (int)k);
    sl1_put(w, "bra $sl1_g%u;", done);
    w->out = out;
}

// These accesses don't go through a line: those that may be part of two lines, and a .b128, which can't be split into
// words, where lines don't lie in one piece.
static bool is_wide(const Sl1Writer *w, const Inst *i, int structure)
{
    uint32_t line = w->options->line;
    bool apart = w->options->banks || sl1_pairs(w) || (structure >= 0 && sl1_in_registers(w, (uint32_t)structure));
    return width_of(i) > line || (line == 24 && width_of(i) == 16) || (type_bytes(i->type) == 16 && apart);
}

bool sl1_through_own(const Sl1Writer *w, const Inst *i, int structure)
{
    return only_own(w, structure) && !w->plan->structure[structure].barred && !sl1_is_poor(w, structure) &&
           !sl1_in_registers(w, (uint32_t)structure) && !is_wide(w, i, structure);
}

void sl1_access(Sl1Writer *w, const Inst *i, int structure, const Sl1Near *near)
{
    bool store = i->op == OP_ST, wide = is_wide(w, i, structure);
    if (near->follows) {
        access_near(w, i, (uint32_t)structure, near->apart);
        return;
    }
    if (only_own(w, structure) && !wide) {
        access_own(w, i, (uint32_t)structure, near);
        return;
    }
    sl1_address(w, i);
    if (wide) {
        sl1_go_past(w, i, structure);
        return;
    }
    uint32_t hit = ++w->labels, direct = ++w->labels, done = ++w->labels;
    // They have no place in shared memory that a look-up could yield.
    for (uint32_t k = 0; k < w->plan->structures; k++)
        if (looks_at(w, structure, k) && sl1_in_registers(w, k)) evict(w, i, k);
    look_up(w, structure, store, hit);
    if (structure >= 0) {
        sl1_put(w, "setp.lt.s32 %%sl1_p, %%sl1_l%d, 0;", structure);
        sl1_put(w, "@%%sl1_p bra $sl1_g%u;", direct);
        fill(w, (uint32_t)structure);
        sl1_put(w, "mov.b32 %%sl1_s, %%sl1_l%d;", structure);
        if (store) sl1_put(w, "mov.b32 %%sl1_i, %d;", structure);
    } else {
        sl1_put(w, "bra $sl1_g%u;", direct);
    }
    sl1_put(w, "$sl1_g%u:", hit);
    locate(w, store);
    sl1_put(w, ".pragma \"" LINE_PRAGMA "\";");
    put_shared(w, i, false, 0);
    if (store) mark_written(w, i, structure);
    sl1_put(w, "bra $sl1_g%u;", done);
    sl1_put(w, "$sl1_g%u:", direct);
    sl1_put_inst(w, i);
    sl1_put(w, "$sl1_g%u:", done);
}
