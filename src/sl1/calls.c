// calls.c: a function that a main loop calls, such as a recursive matcher, gets a copy for the monitoring and one for
// the computing slice. The cache's state consists of registers of the thread. It is passed to the copy in one more
// parameter, and comes back in front of the result: PTX allows one result, so the state and the function's own result
// are one array.
#include "ptx/ops.h"
#include "sl1/unit.h"

#include <string.h>

// --- the state -------------------------------------------------------------------------------------------------------
typedef void Visit(Sl1Writer *w, const char *reg, uint32_t bytes, uint32_t at, const char *where);

static void put_in(Sl1Writer *w, const char *reg, uint32_t bytes, uint32_t at, const char *where)
{
    sl1_put(w, "st.param.b%u [%s+%u], %s;", 8 * bytes, where, at, reg);
}

static void take_out(Sl1Writer *w, const char *reg, uint32_t bytes, uint32_t at, const char *where)
{
    sl1_put(w, "ld.param.b%u %s, [%s+%u];", 8 * bytes, reg, where, at);
}

static bool keeps(const Sl1Writer *w, uint32_t k, char letter)
{
    switch (letter) {
    case 'b': return sl1_has_bitmap(w, k);
    case 'g': return sl1_has_high(w, k);
    case 'e': return sl1_has_next(w, k);
    case 'c': return w->options->clock;
    case 'o': return w->options->line == 24;
    case 'w': return sl1_in_registers(w, k);
    default: return true;
    }
}

// Visits the state's registers, in the order in which they lie in the array; returns how many bytes they take.
static uint32_t visit_state(Sl1Writer *w, Visit *visit, const char *where)
{
    const Sl1Plan *p = w->plan;
    bool monitor = w->slice == SLICE_MONITOR;
    uint32_t at = 0, tag = w->alias ? 8 : 4;
    static const char monitored[] = "ahco", computed[] = "albgeow";
    for (uint32_t k = 0; k < p->structures; k++)
        for (const char *c = monitor ? monitored : computed; *c; c++) {
            if (p->structure[k].barred || !keeps(w, k, *c)) continue;
            char reg[32];
            uint32_t bytes = *c == 'a' ? tag : 4;
            at = (at + bytes - 1) / bytes * bytes;
            snprintf(reg, sizeof reg, "%%sl1_%c%u", *c, k);
            if (*c == 'g' && visit == put_in) sl1_put_high(w, k);
            if (visit && *c != 'w') visit(w, reg, bytes, at, where);
            if (*c != 'w') at += bytes;
            for (uint32_t word = 0; (*c == 'e' || *c == 'w') && word < w->options->line / 4; word++, at += 4) {
                snprintf(reg, sizeof reg, "%%sl1_%c%u_%u", *c, k, word);
                if (visit) visit(w, reg, 4, at, where);
            }
        }
    bool last = !monitor && w->options->pairs;
    if (last && visit) visit(w, "%sl1_span", 4, at, where);
    return at + 4 * last;
}

static uint32_t state_bytes(const Sl1Writer *w)
{
    return (visit_state((Sl1Writer *)(uintptr_t)w, NULL, NULL) + 15) & ~15u;
}

void sl1_state_in(Sl1Writer *w) { visit_state(w, take_out, "sl1_state"); }
void sl1_state_out(Sl1Writer *w) { visit_state(w, put_in, "sl1_result"); }

// --- names -----------------------------------------------------------------------------------------------------------
static void name_function(const Sl1Writer *w, uint32_t body, Text *out)
{
    text_printf(out, "%s$%s%s$%c", w->plan->bodies.v[body]->f->symbol->name, w->plan->f->symbol->name,
                w->alias ? SL1_ALIAS : SL1_APART, w->slice == SLICE_MONITOR ? 'm' : 'c');
}

static uint32_t result_bytes(const Sl1Writer *w, uint32_t body)
{
    const Symbols *rets = &w->plan->bodies.v[body]->f->rets;
    return state_bytes(w) + (rets->n ? (uint32_t)rets->v[0]->bytes : 0);
}

void sl1_write_head(Sl1Writer *w, uint32_t body, Text *out)
{
    const Function *f = w->plan->bodies.v[body]->f;
    Text name = {0}, params = {0};
    Symbol result = {.name = "sl1_result",
                     .space = SP_PARAM,
                     .type = TY_B8,
                     .align = 16,
                     .array = true,
                     .bytes = result_bytes(w, body),
                     .elements = result_bytes(w, body)},
           *list[] = {&result};
    name_function(w, body, &name);
    Symbol symbol = *f->symbol;
    Function view = *f;
    symbol.name = name.v, symbol.linkage = LINK_NONE;
    view.symbol = &symbol;
    memset(&view.rets, 0, sizeof view.rets);
    view.rets.v = list, view.rets.n = 1;
    text_printf(&params, ".param .align 16 .b8 sl1_state[%u]", state_bytes(w));
    ptx_print_head(&view, "", params.v, out);
    text_free(&name), text_free(&params);
}

// --- calls -----------------------------------------------------------------------------------------------------------
static const Symbol result = {.name = "sl1_result", .space = SP_PARAM}, state = {.name = "sl1_in", .space = SP_PARAM};

static const Symbol *variable_of(const Sl1Writer *w, uint32_t body)
{
    return &w->plan->bodies.v[body]->out[w->slice == SLICE_COMPUTE];
}

void sl1_declare_results(Sl1Writer *w)
{
    for (uint32_t k = 1; k < w->plan->bodies.n; k++)
        sl1_put(w, ".param .align 16 .b8 %s[%u];", variable_of(w, k)->name, result_bytes(w, k));
}

// The body whose result this variable gets in calls of w->body; 0: no body's.
static int result_of(const Sl1Writer *w, const Symbol *s)
{
    int64_t body;
    return map_get(&w->body->results, (const char *)&s, sizeof s, &body) ? (int)body : 0;
}

bool sl1_move_result(Sl1Writer *w, const Inst *i)
{
    int at = i->op == OP_LD ? 1 : 0;
    if ((i->op != OP_LD && i->op != OP_ST) || i->space != SP_PARAM || i->opnd[at].kind != O_ADDR || !i->opnd[at].sym)
        return false;
    const Function *f = w->body->f;
    bool own = !f->entry && f->rets.n && i->opnd[at].sym == f->rets.v[0];
    int body = own ? 0 : result_of(w, i->opnd[at].sym);
    if (!own && !body) return false;
    Operand operands[2];
    Inst moved = *i;
    memcpy(operands, i->opnd, sizeof operands);
    operands[at].sym = (Symbol *)(uintptr_t)(own ? &result : variable_of(w, (uint32_t)body));
    operands[at].imm += state_bytes(w);
    moved.opnd = operands;
    sl1_put_inst(w, &moved);
    return true;
}

void sl1_call(Sl1Writer *w, const Inst *i, uint32_t body)
{
    const Operand *given = i->operands > (inst_dest_count(i) ? 2 : 1) ? &i->opnd[inst_dest_count(i) ? 2 : 1] : NULL;
    const Symbol *out = variable_of(w, body);
    Symbol callee = {.space = SP_NONE};
    Operand *args = mem_alloc(sizeof *args * (given ? given->count + 1u : 1u));
    Operand to = {.kind = O_SYM, .sym = (Symbol *)(uintptr_t)out}, operands[3];
    Text name = {0};
    Inst call = *i;
    uint16_t n = 0;
    for (; given && n < given->count; n++) args[n] = given->items[n];
    args[n++] = (Operand){.kind = O_SYM, .sym = (Symbol *)(uintptr_t)&state};
    name_function(w, body, &name);
    callee.name = name.v;
    operands[0] = (Operand){.kind = O_LIST, .count = 1, .items = &to};
    operands[1] = (Operand){.kind = O_SYM, .sym = &callee};
    operands[2] = (Operand){.kind = O_LIST, .count = n, .items = args};
    call.opnd = operands, call.operands = 3;
    sl1_put(w, "{");
    sl1_put(w, ".param .align 16 .b8 sl1_in[%u];", state_bytes(w));
    visit_state(w, put_in, "sl1_in");
    sl1_put_inst(w, &call);
    visit_state(w, take_out, out->name);
    sl1_put(w, "}");
    mem_free(args);
    text_free(&name);
}
