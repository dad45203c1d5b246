// print.c: prints the IR as PTX. The text parses back to the same IR: the parser has made names unique within a
// function, and modifiers keep their order. Scopes, comments and debug sections are lost.
#include "ptx/origin.h"

#include <string.h>

static void print_imm(const Operand *o, Text *out)
{
    if (o->imm_kind == IMM_F32)
        text_printf(out, "0f%08llX", (unsigned long long)o->imm);
    else if (o->imm_kind == IMM_F64)
        text_printf(out, "0d%016llX", (unsigned long long)o->imm);
    else
        text_printf(out, "%lld", (long long)o->imm);
}

static void print_operand(const Function *f, const Operand *o, Text *out);

static void print_items(const Function *f, const Operand *items, int n, const char *open, const char *close, Text *out)
{
    text_put(out, open);
    for (int k = 0; k < n; k++) {
        if (k) text_put(out, ", ");
        print_operand(f, &items[k], out);
    }
    text_put(out, close);
}

static void print_offset(uint64_t imm, Text *out)
{
    if (imm) text_printf(out, "+%lld", (long long)imm);  // [%rd1+-4]: ptxas takes nothing else
}

static void print_operand(const Function *f, const Operand *o, Text *out)
{
    if (o->negated) text_put(out, "!");
    switch ((OperandKind)o->kind) {
    case O_SINK: text_put(out, "_"); break;
    case O_REG:
        text_printf(out, "%s%s", o->minus ? "-" : "", reg_name(f, o->reg));
        if (o->select) text_put(out, o->select & SELECT_HALVES ? ".h" : ".b");
        for (int k = SELECT_COUNT(o->select); k-- > 0;) text_printf(out, "%d", SELECT_DIGIT(o->select, k));
        break;
    case O_IMM: print_imm(o, out); break;
    case O_SREG: text_put(out, sreg_info[o->reg].name); break;
    case O_SYM:
        text_put(out, o->sym->name);
        print_offset(o->imm, out);
        break;
    case O_ADDR:
        text_put(out, "[");
        if (o->reg != NO_REG)
            text_put(out, reg_name(f, o->reg));
        else if (o->sym)
            text_put(out, o->sym->name);
        else
            text_printf(out, "%lld", (long long)o->imm);
        if (o->reg != NO_REG || o->sym) print_offset(o->imm, out);
        text_put(out, "]");
        break;
    case O_VEC: print_items(f, o->items, o->count, "{", "}", out); break;
    case O_LIST: print_items(f, o->items, o->count, "(", ")", out); break;
    case O_TEX: print_items(f, o->items, o->count, "[", "]", out); break;
    case O_PAIR:
        print_operand(f, &o->items[0], out);
        text_put(out, "|");
        print_operand(f, &o->items[1], out);
        break;
    case O_LABEL: text_put(out, f->labels.v[o->reg].name); break;
    case O_LABELS: text_put(out, f->table_names.v[o->reg]); break;
    case O_PROTO: text_put(out, f->protos.v[o->reg]->name); break;
    }
}

void ptx_print_inst(const Function *f, const Inst *i, Text *out)
{
    if (i->guarded) text_printf(out, "@%s%s ", i->guard_negated ? "!" : "", reg_name(f, i->guard));
    text_put(out, op_info[i->op].name);
    for (int k = 0; k < i->suffixes; k++)
        text_printf(out, ".%s",
                    i->suffix[k] >= M_COUNT ? type_info[i->suffix[k] - M_COUNT].name : mod_info[i->suffix[k]].name);
    for (int k = 0; k < i->operands; k++) {
        text_put(out, k ? ", " : " ");
        print_operand(f, &i->opnd[k], out);
    }
    text_put(out, ";");
}

// Zeros at the end are left out, since what an initialiser leaves out is zero.
static void print_init(const Symbol *s, Text *out)
{
    size_t size = (size_t)type_bytes(s->type);
    const Reloc *r = s->relocs;
    bool list = s->array || s->elements > 1;
    uint64_t end = s->bytes;
    for (const Reloc *last = r; last; last = last->next)
        if (!last->next) end = last->at + size;
    if (!r) end = size;
    uint64_t bytes = s->bytes;
    while (bytes > end && !s->init[bytes - 1]) bytes--;
    if (!s->array) bytes = s->bytes;
    text_put(out, list ? " = {" : " = ");
    for (uint64_t at = 0; at < bytes; at += size) {
        if (at) text_put(out, ", ");
        if (r && r->at == at) {
            bool byte = size == 1;
            if (byte) text_printf(out, "0x%llX(", (unsigned long long)(0xffull << r->shift));
            text_printf(out, r->generic ? "generic(%s)" : "%s", r->sym->name);
            print_offset((uint64_t)r->offset, out);
            if (byte) text_put(out, ")");
            r = r->next;
            continue;
        }
        uint64_t v = 0;
        memcpy(&v, s->init + at, MIN(size, 8));
        if (s->type == TY_F32)
            text_printf(out, "0f%08llX", (unsigned long long)v);
        else if (s->type == TY_F64)
            text_printf(out, "0d%016llX", (unsigned long long)v);
        else if (type_info[s->type].kind == K_SINT)
            text_printf(out, "%lld", (long long)(v << (64 - 8 * size)) >> (64 - 8 * size));
        else
            text_printf(out, "%llu", (unsigned long long)v);
    }
    if (list) text_put(out, "}");
}

static void print_declarator(const Symbol *s, Text *out)
{
    text_printf(out, ".%s ", space_names[s->space]);
    if (s->attributes && !s->ptr) text_printf(out, "%s ", s->attributes);
    if (type_info[s->type].kind != K_OPAQUE) text_printf(out, ".align %u ", s->align);
    uint64_t vec = !s->array && s->elements > 1 ? s->elements : 1;
    if (vec > 1) text_printf(out, ".v%llu ", (unsigned long long)vec);
    text_printf(out, ".%s ", type_info[s->type].name);
    if (s->ptr) text_printf(out, "%s ", s->attributes);
    text_put(out, s->name);
    if (s->array && s->elements)
        text_printf(out, "[%llu]", (unsigned long long)s->elements);
    else if (s->array)
        text_put(out, "[]");
}

static const char *const linkage[] = {"", ".extern ", ".visible ", ".weak ", ".common "};

static void print_variable(const Symbol *s, bool declares, Text *out)
{
    text_put(out, linkage[declares ? LINK_EXTERN : s->linkage]);
    print_declarator(s, out);
    if (s->init && !declares) print_init(s, out);
    if (s->settings && !declares) text_printf(out, " = %s", s->settings);
    text_put(out, ";\n");
}

static void print_params(const Symbols *list, Text *out)
{
    text_put(out, "(");
    for (size_t i = 0; i < list->n; i++) {
        if (i) text_put(out, ", ");
        print_declarator(list->v[i], out);
    }
    text_put(out, ")");
}

void ptx_print_head(const Function *f, const char *suffix, const char *params, Text *out)
{
    text_printf(out, "%s%s ", linkage[f->symbol->linkage], f->entry ? ".entry" : ".func");
    if (f->symbol->attributes) text_printf(out, "%s ", f->symbol->attributes);
    if (f->rets.n) print_params(&f->rets, out), text_put(out, " ");
    text_printf(out, "%s%s", f->symbol->name, suffix);
    print_params(&f->params, out);
    if (*params) out->n--, text_printf(out, "%s%s)", f->params.n ? ", " : "", params);
    for (size_t i = 0; i < f->directives.n; i++) text_printf(out, "\n%s", f->directives.v[i]);
}

// In the order of their numbers, which reading them again gives.
static void print_regs(const Function *f, Text *out)
{
    size_t start = 0;
    for (size_t r = 0; r < f->regs.n; r++) {
        bool more = r && f->regs.v[r].type == f->regs.v[r - 1].type && out->n - start < 110;
        if (r) text_put(out, more ? ", " : ";\n");
        if (!more) start = out->n, text_printf(out, "    .reg .%s ", type_info[f->regs.v[r].type].name);
        text_put(out, f->regs.v[r].name);
    }
    if (f->regs.n) text_put(out, ";\n");
}

static void print_tables(const Function *f, Text *out)
{
    for (size_t i = 0; i < f->tables.n; i++) {
        text_printf(out, "%s: .branchtargets ", f->table_names.v[i]);
        print_items(f, f->tables.v[i]->items, f->tables.v[i]->count, "", ";\n", out);
    }
    for (size_t i = 0; i < f->protos.n; i++) {
        const Proto *p = f->protos.v[i];
        if (p->targets.n) {
            text_printf(out, "%s: .calltargets ", p->name);
            for (size_t k = 0; k < p->targets.n; k++) text_printf(out, "%s%s", k ? ", " : "", p->targets.v[k]->name);
        } else {
            text_printf(out, "%s: .callprototype ", p->name);
            if (p->rets.n) print_params(&p->rets, out), text_put(out, " ");
            text_put(out, "_ ");
            print_params(&p->params, out);
            if (p->noreturn) text_put(out, " .noreturn");
        }
        text_put(out, ";\n");
    }
}

// Labels by the instruction that they stand before: first[i], then next[], 0 being none and label l being l + 1.
typedef struct LabelIndex {
    uint32_t *first, *next;
} LabelIndex;

static LabelIndex index_labels(const Function *f)
{
    LabelIndex x = {mem_alloc(sizeof *x.first * (f->insts.n + 1)), mem_alloc(sizeof *x.next * (f->labels.n + 1))};
    for (uint32_t l = (uint32_t)f->labels.n; l-- > 0;) {
        const Label *label = &f->labels.v[l];
        if (!label->defined) continue;
        uint32_t *link = &x.first[label->inst];  // in the order of the source
        while (*link && f->labels.v[*link - 1].at < label->at) link = &x.next[*link - 1];
        x.next[l] = *link;
        *link = l + 1;
    }
    return x;
}

void ptx_print_declarations(const Function *f, Text *out)
{
    print_regs(f, out);
    for (size_t i = 0; i < f->locals.n; i++) text_put(out, "    "), print_variable(f->locals.v[i], false, out);
    print_tables(f, out);
}

// As it was written, without line marks: what stands behind it is elsewhere now.
static void print_source(const Function *f, Text *out, LineOrigins *origins)
{
    const char *text = f->module->source.text;
    for (size_t at = f->text_at, end; at < f->text_end; at = end) {
        const char *newline = memchr(text + at, '\n', f->text_end - at);
        end = newline ? (size_t)(newline - text) + 1 : f->text_end;
        if (text[at] == '#') continue;
        origin_put(origins, out, (uint32_t)at, 0);
        text_add(out, text + at, end - at);
    }
    text_put(out, "\n");
}

static void print_function(const Function *f, Text *out, LineOrigins *origins)
{
    if (f->refusal) {
        print_source(f, out, origins);
        return;
    }
    origin_put(origins, out, f->symbol->at, 0);
    ptx_print_head(f, "", "", out);
    if (!f->has_body) {
        text_put(out, ";\n");
        return;
    }
    text_put(out, "\n{\n");
    ptx_print_declarations(f, out);
    LabelIndex labels = index_labels(f);
    uint32_t loc = 0;
    size_t pragma = 0;
    for (uint32_t n = 0; n <= f->insts.n; n++) {
        for (uint32_t l = labels.first[n], first = l; l; l = labels.next[l - 1]) {
            const Label *label = &f->labels.v[l - 1];
            for (; l != first && pragma < f->pragmas.n && f->pragmas.v[pragma].inst == n &&
                   f->pragmas.v[pragma].at < label->at;
                 pragma++)
                text_printf(out, "    %s\n", f->pragmas.v[pragma].text);
            text_printf(out, "%s:\n", label->name);
        }
        for (; pragma < f->pragmas.n && f->pragmas.v[pragma].inst == n; pragma++)
            text_printf(out, "    %s\n", f->pragmas.v[pragma].text);
        if (n == f->insts.n) break;
        const Inst *i = &f->insts.v[n];
        origin_put(origins, out, i->at, 0);  // its .loc stands in the text
        if (i->loc && i->loc != loc) {
            const Loc *at = &f->module->locs.v[i->loc - 1];
            text_printf(out, "    .loc %u %u %u\n", at->file, at->line, at->column);
        }
        loc = i->loc;
        text_put(out, "    ");
        ptx_print_inst(f, i, out);
        text_put(out, "\n");
    }
    mem_free(labels.first), mem_free(labels.next);
    text_put(out, "}\n");
}

void ptx_print_function(const Function *f, Text *out) { print_function(f, out, NULL); }

static bool has_registers(const Symbols *list)
{
    bool found = false;
    for (size_t k = 0; k < list->n; k++) found |= list->v[k]->in_reg;
    return found;
}

// Is it printed otherwise than it was written, so that what calls it must be?
static bool is_changed(const Symbols *list)
{
    bool changed = false;
    for (size_t k = 0; k < list->n; k++)
        changed |= list->v[k]->part_count || list->v[k]->reg_count > 1 || list->v[k]->reg_type == TY_PRED;
    return changed;
}

void ptx_print_from(const Module *m, Text *out, LineOrigins *origins)
{
    origin_put(origins, out, 0, 0);
    int version = m->version_major * 10 + m->version_minor;
    text_printf(out, ".version %d.%d\n.target %s\n", m->version_major, m->version_minor, m->target);
    if (version >= 23) text_printf(out, ".address_size %d\n", m->address_bits);  // a directive since then
    for (size_t i = 0; i < m->files.n; i++)
        text_printf(out, ".file %u \"%s\"\n", m->files.v[i].index, m->files.v[i].name);
    // What was left out stands there as it was written. Where what is passed is printed otherwise, its calls fit
    // functions only as these were written. Functions have .param parameters since PTX 2.0 and sm_20, so that older
    // ones stand there as they were written, too.
    bool refused = false, changed = false, registers = false;
    for (size_t k = 0; k < m->functions.n; k++) {
        const Function *f = m->functions.v[k];
        refused |= f->refusal != NULL;
        changed |= is_changed(&f->rets) || is_changed(&f->params);
        registers |= has_registers(&f->rets) || has_registers(&f->params);
    }
    bool as_written = (refused && changed) || (registers && (version < 20 || m->sm < 20));
    for (size_t i = 0; i < m->items.n; i++) {
        const Item *item = &m->items.v[i];
        text_put(out, "\n");
        if (item->aliasee)
            origin_put(origins, out, item->at, 0),
                text_printf(out, ".alias %s, %s;\n", item->symbol->name, item->aliasee->name);
        else if (item->function && as_written)
            print_source(item->function, out, origins);
        else if (item->function)
            print_function(item->function, out, origins);
        else
            origin_put(origins, out, item->symbol->at, 0), print_variable(item->symbol, item->declares, out);
    }
}

void ptx_print(const Module *m, Text *out) { ptx_print_from(m, out, NULL); }
