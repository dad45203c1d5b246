// suffix.c: the modifiers and types behind an operation's name, sorted into the slots of their groups, as its row in
// ops.def takes them. In an Inst that passed, type, type2 and mod[] are filled. What no row takes may be a form that is
// refused by name (forms.def).
#include "ptx/ops.h"
#include "ptx/parse.h"
#include "ptx/pass.h"

#include <string.h>

#define fail(c, ...) check_fail(c, (c)->i->at, __VA_ARGS__)

size_t suffix_at(const Module *m, const Inst *i, int k)
{
    const Source *s = &m->source;
    size_t at = i->at;
    for (const char *c = op_info[i->op].name; *c; at++)  // blanks may stand before its dots
        if (at >= s->length || s->text[at] == *c) c++;
    for (int n = 0; at < s->length; n++) {
        while (at < s->length && s->text[at] != '.' && s->text[at] != ';') at++;
        if (at >= s->length || s->text[at++] == ';') break;
        if (n == k) return at;
    }
    return MIN(i->at, s->length);
}

// Suffix k isn't one that the operation takes: it may make one of the forms that are refused by name.
static bool is_refused(const Check *c, int k, const char *name)
{
    FormId id = form_of((Op)c->i->op, name, strlen(name));
    if (id == FORMS) return false;
    check_refuse(c, suffix_at(c->m, c->i, k), id);
    return true;
}

// Video instructions have three types, the result's first: type and type2 are those of the sources.
static bool sort_type(Check *c, int k, int *types)
{
    Inst *i = c->i;
    const OpInfo *op = &op_info[i->op];
    uint8_t t = (uint8_t)(i->suffix[k] - M_COUNT);
    int most = !op->types ? 0 : !op->types2 ? 1 : 2;
    if (*types == most && op_has(i->op, P_THREE) && c->three++ == 0) i->type = i->type2, *types = 1;
    if (*types == most && i->op == OP_CVT_PACK && t == TY_B32 && c->three++ == 0) return true;  // the fourth operand's
    if (*types == most && op_has(i->op, P_FOUR) && c->three < 2 &&
        (c->three ? op->types : op->types2) >> t & 1) {  // B's, then C's
        c->three++;
        return true;
    }
    bool takes = *types < most && (*types ? op->types2 : op->types) >> t & 1;
    if (!takes && is_refused(c, k, type_info[t].name)) return false;
    if (*types == most)
        return check_fail(c, suffix_at(c->m, c->i, k), NULL, "'%s' takes no further type .%s", op->name,
                          type_info[t].name);
    if (!((*types ? op->types2 : op->types) >> t & 1))
        return check_fail(c, suffix_at(c->m, c->i, k), NULL, "type .%s is not allowed for '%s'", type_info[t].name,
                          op->name);
    *((*types)++ ? &i->type2 : &i->type) = t;
    return true;
}

static bool sort_all(Check *c)
{
    Inst *i = c->i;
    const OpInfo *op = &op_info[i->op];
    int types = 0;
    for (int k = 0; k < i->suffixes; k++) {
        if (i->suffix[k] >= M_COUNT) {
            if (!sort_type(c, k, &types)) return false;
            continue;
        }
        const char *name = mod_info[i->suffix[k]].name;
        int m = i->suffix[k];
        for (; m < M_COUNT; m++) {
            Group g = mod_info[m].group;
            if (!strcmp(mod_info[m].name, name) && op->groups & 1ull << g &&
                (!i->mod[g] || (g == G_SPACE && op_has(i->op, P_COPIES))))
                break;
        }
        if (m == M_COUNT && is_refused(c, k, name)) return false;
        if (m == M_COUNT)
            return check_fail(c, suffix_at(c->m, c->i, k), NULL, "modifier .%s does not apply to '%s' here", name,
                              op->name);
        i->suffix[k] = (uint16_t)m;
        if (!i->mod[mod_info[m].group]) i->mod[mod_info[m].group] = (uint16_t)m;
    }
    bool optional = i->op == OP_BAR || i->op == OP_BARRIER;
    if (op->types && !types && !optional) return fail(c, NULL, "'%s' needs a type", op->name);
    if (op->types2 && types < 2) return fail(c, NULL, "'%s' needs two types", op->name);
    if (op_has(i->op, P_THREE) && !c->three) return fail(c, NULL, "'%s' needs three types", op->name);
    return true;
}

// What the operation doesn't take may be a form that isn't implemented.
bool sort_suffixes(Check *c)
{
    bool good = sort_all(c);
    if (!good) c->diag->unsupported = true;
    return good;
}

bool check_form(const Module *m, Inst *i, Diag *diag)
{
    Check c = {m, NULL, i, diag, 0};
    bool vectors = i->op == OP_MOV && i->suffixes == 2 && (i->suffix[0] == M_V2 || i->suffix[0] == M_V4);
    if (vectors) i->suffix[0] = i->suffix[--i->suffixes];  // parse_expand.c makes several mov of it
    return sort_suffixes(&c);
}

Type inst_source_type(const Module *m, const Inst *i, int n)
{
    Diag unused = {0};
    Inst sorted = *i;
    Check c = {m, NULL, &sorted, &unused, 0};
    bool value = sort_suffixes(&c) && n >= inst_dest_count(&sorted);
    const char *sig = value ? inst_signature(&sorted) : NULL;
    diag_free(&unused);
    return sig && (sig[n] != 's' || inst_has(&sorted, G_TO)) ? inst_operand_type(&sorted, n) : TY_NONE;
}
