// Every form of every instruction that `onchip list ops` calls implemented goes from PTX text through a launch, and its
// result is stored: each type, with each two modifiers of the groups that its row in ops.def names, and with modifiers
// drawn at random. Which of them are PTX, src/ptx/legal.c says, which other tests hold to the ISA; of what it takes
// nothing may be missing. A form must leave the same in memory however it is compiled: lowered or as written. In the
// short form it is each fourth of those with two modifiers and more.
#include "check.h"
#include "ptx/ops.h"
#include "ptx/unit.h"

#include <onchip.h>
#include <string.h>

enum { RESULT = 16, DRAWN = 8 };  // bytes of a thread; random forms of each type and number of operands

typedef struct Form {
    Op op;
    const char *letters;
    size_t operands;
    Type type[3];
    uint32_t mod[G_COUNT];
    bool pair;  // its result is r|p or p|q
} Form;
typedef struct Bench {
    oc_device *d[2];  // lowered; as written
    oc_ptr data[2];
    uint64_t texture[2], surface[2];
    uint64_t forms, modified, state;
    bool all;
    uint32_t bad;
    bool bad_op;  // something of this operation was complained of: once is enough
} Bench;

static void complain(Bench *b, const char *why)
{
    b->bad++;
    if (!b->bad_op) print_error("%s\n", why);
    b->bad_op = true;
}

static uint32_t draw(Bench *b, uint32_t n)
{
    b->state = b->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(b->state >> 33) % n;
}

static bool has(const Form *f, Group g, uint32_t mod) { return f->mod[g] == mod; }

// The letter that registers of so many bits begin with.
static char letter(int bits) { return bits == 1 ? 'p' : bits <= 16 ? 'h' : bits <= 32 ? 'r' : bits <= 64 ? 'd' : 'q'; }

// The bits of operand k; 0: it isn't a register of a type.
static int bits_of(const Form *f, size_t k)
{
    int first = type_info[f->type[0]].bits, second = f->type[1] ? type_info[f->type[1]].bits : first;
    switch (f->letters[k]) {
    case 'D':
    case 'A': return has(f, G_MUL, M_WIDE) ? 2 * first : first;
    case 'b': return second;
    case 'u':
    case 'h':
    case 'H':
    case 'f':
    case 'k': return 32;
    case 'w': return 64;
    case 'x': return f->type[0] == TY_PRED ? 1 : 32;
    case 'p':
    case 'P':
    case 'q': return 1;
    case 's': return f->op == OP_CVTA ? 64 : first;
    case 'd':
    case 'a':
    case 'e':
    case 'V':
    case 'v': return first;
    default: return 0;
    }
}

static const char *immediate(const Form *f, size_t k)
{
    bool last = k + 1 == f->operands;
    switch (f->op) {
    case OP_BAR:
    case OP_BARRIER: return has(f, G_WARP, M_WARP) ? "-1" : k && f->letters[k - 1] == 'u' ? "32" : "0";
    case OP_SHFL:
    case OP_VOTE:
    case OP_MATCH:
    case OP_ELECT:
    case OP_REDUX: return last && f->letters[k] == 'u' ? "-1" : NULL;
    case OP_NANOSLEEP: return "20";
    case OP_BRX: return "%r0";
    case OP_POLICY_RANGE: return "128";
    default: return NULL;
    }
}

static void put_memory(const Form *f, size_t k, Text *t)
{
    bool param = f->op == OP_LD && (has(f, G_SPACE, M_PARAM) || has(f, G_SPACE, M_PARAM_ENTRY));
    bool second = f->op == OP_CP_ASYNC && k == 1;
    text_put(t, param ? "[out]" : second ? "[%d6]" : "[%d8]");
}

static bool of_surfaces(const Form *f) { return f->op >= OP_SULD && f->op <= OP_SUQ; }

// Coordinates of surfaces are 0, since others trap.
static void put_where(const Form *f, Text *t)
{
    static const char *const texture[] = {"", "%r7", "%r7, %r6", "", "%r7, %r6, %r5, %r4"};
    static const char *const surface[] = {"", "%r0", "%r0, %r0", "", "%r0, %r0, %r0, %r0"};
    int n = tex_shape((uint16_t)f->mod[G_GEOM]).items;
    text_printf(t, "[%%d7, {%s}]", (of_surfaces(f) ? surface : texture)[n]);
}

static void put_operand(const Form *f, size_t k, Text *t)
{
    const char *value = immediate(f, k);
    uint32_t vec = has(f, G_VEC, M_V2) ? 2 : has(f, G_VEC, M_V4) ? 4 : has(f, G_VEC, M_V8) ? 8 : 1;
    int bits = bits_of(f, k);
    char c = f->letters[k];
    bool atom = (f->op == OP_ATOM || f->op == OP_RED) && vec > 1;
    if (k) text_put(t, ", ");
    if (value && c == 'u')
        text_put(t, value);
    else if (c == 'm')
        put_memory(f, k, t);
    else if (c == 't')
        put_where(f, t);
    else if (c == 'T')
        text_put(t, has(f, G_MIP, M_AT_LEVEL) && k == 2               ? "%r2"
                    : has(f, G_GEOM, M_G1D) || has(f, G_GEOM, M_GA1D) ? "{%r3}"
                    : has(f, G_GEOM, M_G2D) || has(f, G_GEOM, M_GA2D) ? "{%r3, %r4}"
                                                                      : "{%r3, %r4, %r5, %r5}");
    else if (c == 'o')
        text_put(t, "[%d7]");
    else if (c == 'l')
        text_put(t, "NEXT");
    else if (c == 'L')
        text_put(t, "TABLE");
    else if (c == 'i')
        text_put(t, f->op == OP_CP_ASYNC                               ? "16"
                    : f->op == OP_DISCARD || f->op == OP_APPLYPRIORITY ? "128"
                    : f->op == OP_SETMAXNREG                           ? "24"
                    : f->op == OP_ALLOCA                               ? "16"
                                                                       : "1");
    else if (f->op == OP_ALLOCA && c == 'a')
        text_put(t, "64");
    else if (f->op == OP_ISSPACEP && c == 'w')
        text_put(t, "%d8");
    else if (((c == 'V' || c == 'v') && vec > 1) || (atom && (c == 'd' || c == 'a'))) {
        uint32_t from = c == 'V' || c == 'd' ? 10 : 20;
        for (uint32_t e = 0; e < vec; e++) text_printf(t, "%s%%%c%u", e ? ", " : "{", letter(bits), from + e);
        text_put(t, "}");
    } else if (c == 'f')
        text_printf(t, "%%r%zu", k + 1);
    else
        text_printf(t, "%%%c%zu%s", letter(bits), k ? k + 1 : 10, !k && f->pair ? "|%p11" : "");
}

static void put_form(const Form *f, Text *t)
{
    text_put(t, op_info[f->op].name);
    for (Group g = 0; g < G_COUNT; g++)
        if (f->mod[g]) text_printf(t, ".%s", mod_info[f->mod[g]].name);
    if (f->op == OP_CP_ASYNC) text_put(t, ".global");
    for (int k = 0; k < 3; k++)
        if (f->type[k]) text_printf(t, ".%s", type_info[f->type[k]].name);
    for (size_t k = 0; k < f->operands; k++) text_put(t, k ? "" : " "), put_operand(f, k, t);
    text_put(t, ";");
}

static const char *address(const Form *f)
{
    switch (f->mod[G_SPACE]) {
    case M_CONST: return "mov.u64 %d8, constants;";
    case M_LOCAL: return "mov.u64 %d8, own;";
    case M_SHARED:
    case M_SHARED_CTA:
    case M_SHARED_CLUSTER: return "mov.u64 %d8, tile;";
    default: return f->op == OP_CP_ASYNC ? "mov.u64 %d8, tile;" : "add.u64 %d8, %d9, 4096;";
    }
}

static const char declarations[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n.const .align 16 .b8 constants[256] = {1, 2, 3};\n"
    ".visible .entry k(.param .u64 out, .param .u64 texture, .param .u64 surface)\n{\n.shared .align 16 .b8 "
    "tile[1024];\n"
    ".local .align 16 .b8 own[256];\n.reg .pred %p<30>;\n.reg .b16 %h<30>;\n.reg .b32 %r<30>;\n.reg .b64 %d<30>;\n"
    ".reg .b128 %q<30>;\nTABLE: .branchtargets NEXT, NEXT;\n";

// Is it PTX? What is, but isn't implemented, comes out when it is loaded.
static bool is_ptx(const Form *f)
{
    Text t = {0};
    Diag diag = {0};
    text_put(&t, declarations);
    put_form(f, &t);
    text_put(&t, "\nNEXT:\nret;\n}\n");
    Module *m = ptx_parse(t.v, t.n, "form.ptx", &diag);
    bool good = m || strstr(diag.text.v, "not implemented");
    for (int k = 0; k < FORMS && !m; k++)  // refused by name
        if (strstr(diag.text.v, form_info[k].why) && form_info[k].op == f->op) good = false;
    ptx_free(m);
    diag_free(&diag);
    text_free(&t);
    return good;
}

static void put_kernel(const Form *f, Text *t)
{
    static const char start[] = "ld.param.u64 %d9, [out];\nmov.u32 %r29, %tid.x;\n"
                                "mad.wide.u32 %d6, %r29, 16, %d9;\nst.global.v4.b32 [%d6], {-1, -1, -1, -1};\n";
    text_put(t, declarations);
    text_put(t, start);
    text_printf(t, "ld.param.u64 %%d7, [%s];\n", of_surfaces(f) ? "surface" : "texture");
    for (int k = 0; k < 8; k++)
        text_printf(t, "mad.lo.u32 %%r%d, %%r29, %u, %d;\ncvt.u16.u32 %%h%d, %%r%d;\nsetp.gt.u32 %%p%d, %%r29, %d;\n",
                    k, k ? 0x9e3779b9u : 0, k, k, k, k, 4 * k);
    text_put(
        t, "mov.b64 %d1, {%r2, %r3};\nmov.b64 %d2, {%r3, %r4};\nmov.b64 %d3, {%r4, %r5};\nmov.b64 %d4, {%r5, %r6};\n"
           "mov.b64 %d5, {%r6, %r7};\nmov.b128 %q2, {%d2, %d3};\nmov.b128 %q3, {%d3, %d4};\nmov.b128 %q4, {%d4, %d5};\n"
           "mov.b128 %q20, %q2;\nmov.b128 %q21, %q3;\n");
    for (int k = 0; k < 8; k++)
        text_printf(t, "mov.b32 %%r2%d, %%r%d;\nmov.b16 %%h2%d, %%h%d;\nmov.b64 %%d2%d, %%d%d;\n", k, k, k, k, k,
                    k % 5 + 1);
    text_printf(t, "%s\n", address(f));
    if (f->op == OP_STACKRESTORE) text_put(t, "stacksave.u64 %d10;\ncvt.u32.u64 %r10, %d10;\n");
    put_form(f, t);
    text_put(t, "\nNEXT:\n");
    int bits = f->operands ? bits_of(f, 0) : 0;
    bool result = strchr("dDhHpPxeV", f->operands ? f->letters[0] : ' ') && bits;
    if (result && bits == 1)
        text_put(t, "selp.u32 %r28, 1, 0, %p10;\nst.global.u32 [%d6], %r28;\n");
    else if (result)
        text_printf(t, "st.global.b%d [%%d6], %%%c10;\n", bits <= 16 ? 16 : bits, letter(bits));
    text_put(t, "ret;\n}\n");
}

static uint32_t modifiers(const Form *f)
{
    uint32_t n = 0;
    for (Group g = 0; g < G_COUNT; g++) n += f->mod[g] != 0;
    return n;
}

// Runs it on both devices, unless that is left to the long form; true: it is PTX.
static bool run_form(Bench *b, const Form *f)
{
    Text t = {0};
    uint8_t got[2][32 * RESULT];
    if (!is_ptx(f)) return false;
    if (!b->all && modifiers(f) > 1 && b->modified++ % 4) return true;
    put_kernel(f, &t);
    for (int k = 0; k < 2; k++) {
        oc_device *d = b->d[k];
        oc_module *m;
        oc_kernel *kernel;
        if (oc_load(d, t.v, t.n, "form.ptx", &m) != OC_OK) return complain(b, oc_error(d)), text_free(&t), true;
        const void *args[] = {&b->data[k], &b->texture[k], &b->surface[k]};
        if (oc_kernel_get(m, "k", &kernel) != OC_OK ||
            oc_launch(kernel, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 0, NULL, args) != OC_OK ||
            oc_read(d, got[k], b->data[k], sizeof got[k], NULL) != OC_OK)
            return complain(b, oc_error(d)), oc_unload(m), text_free(&t), true;
        oc_forget(d, 0);
        oc_unload(m);
    }
    if (memcmp(got[0], got[1], sizeof got[0])) {
        Text form = {0};
        text_put(&form, "lowered this gives something else: ");
        put_form(f, &form);
        complain(b, form.v);
        text_free(&form);
    }
    b->forms++;
    text_free(&t);
    return true;
}

// The modifiers of a group. Parameters of functions are called for elsewhere (call_*), and a kernel only reads its own.
static uint32_t mods_of(Op op, Group g, uint32_t *mods)
{
    uint32_t n = 0;
    for (uint32_t m = 1; m < M_COUNT; m++)
        if (mod_info[m].group == g && m != M_PARAM_FUNC && (op == OP_LD || m != M_PARAM)) mods[n++] = m;
    return n;
}

// The form with each two modifiers of two groups, with one, and with none; then with some of all groups.
static uint32_t each_modifier(Bench *b, Form f)
{
    uint32_t good = 0, mods[2][64], drawn[G_COUNT][64], counts[G_COUNT];
    uint64_t groups = op_info[f.op].groups;
    good += run_form(b, &f);
    for (Group g = 0; g < G_COUNT; g++) {
        counts[g] = groups >> g & 1 ? mods_of(f.op, g, drawn[g]) : 0;
        for (uint32_t k = 0; k < counts[g]; k++) {
            Form one = f;
            one.mod[g] = drawn[g][k];
            good += run_form(b, &one);
            for (Group h = 0; h < g; h++) {
                uint32_t n = groups >> h & 1 ? mods_of(f.op, h, mods[1]) : 0;
                for (uint32_t j = 0; j < n; j++) {
                    Form two = one;
                    two.mod[h] = mods[1][j];
                    good += run_form(b, &two);
                }
            }
        }
    }
    if (__builtin_popcountll(groups) > 2)
        for (uint32_t n = 0; n < DRAWN; n++) {
            Form any = f;
            for (Group g = 0; g < G_COUNT; g++) any.mod[g] = counts[g] && draw(b, 2) ? drawn[g][draw(b, counts[g])] : 0;
            good += run_form(b, &any);
        }
    return good;
}

static uint32_t each_type(Bench *b, Form f)
{
    const OpInfo *o = &op_info[f.op];
    uint32_t good = 0;
    for (Type t = 0; t < TY_COUNT; t++) {
        if (o->types ? !(o->types >> t & 1) : t) continue;
        f.type[0] = o->types ? t : 0;
        for (Type u = 0; u < TY_COUNT; u++) {
            if (o->types2 ? !(o->types2 >> u & 1) : u) continue;
            f.type[1] = o->types2 ? u : 0;
            f.type[2] = op_has(f.op, P_THREE) ? u : 0;
            good += each_modifier(b, f);
        }
    }
    return good;
}

// Those that need a barrier or a tensor map in memory, or an arrival: test/programs/bulk.cu and clusters.cu,
// test/ptx/data/inst/async_*.
static bool needs_object(Op op)
{
    const char *name = op_info[op].name;
    return op_info[op].class == CLASS_BULK || strstr(name, "mbarrier.") == name || strstr(name, "tensormap") == name ||
           op == OP_MBAR_COPIES || op == OP_CLUSTER_WAIT;
}

static void all_forms(void **unused)
{
    (void)unused;
    Bench b = {.state = 1, .all = getenv("ONCHIP_LONG")};
    for (int k = 0; k < 2; k++) {
        char message[1000];
        oc_config config = {.gpu = "h200", .functional = true, .no_lowering = k};
        if (oc_open(&config, &b.d[k], message, sizeof message) != OC_OK) fail_msg("%s", message);
        assert_int_equal(oc_malloc(b.d[k], 65536, "data", &b.data[k]), OC_OK);
        // Away from what kernels store: a fetch may go ahead of a store before it.
        oc_texture texture = {.base = b.data[k] + 16384, .width = 16, .height = 16, .pitch = 64, .channels = 1};
        uint32_t texels[256];
        for (uint32_t n = 0; n < COUNT(texels); n++) texels[n] = n * 0x9e3779b9u;
        assert_int_equal(oc_write(b.d[k], texture.base, texels, sizeof texels, NULL), OC_OK);
        assert_int_equal(oc_texture_create(b.d[k], &texture, &b.texture[k]), OC_OK);
        texture.base += 16384;
        assert_int_equal(oc_surface_create(b.d[k], &texture, &b.surface[k]), OC_OK);
    }
    for (Op op = 0; op < OP_COUNT; op++) {
        // Calls need a callee (test/run/data/call_*), and a trap or a breakpoint ends the launch (fault_trap).
        if (op == OP_CALL || op == OP_TRAP || op == OP_BRKPT) continue;
        if (needs_object(op)) continue;
        if (op_has(op, P_ALIGNED)) continue;  // of matrices: test/ptx/test_matrix.c, test/chip/test_wmma.c
        uint32_t good = 0;
        b.bad_op = false;
        const char *at = op_info[op].operands;
        for (;;) {
            size_t n = strcspn(at, ";");
            good += each_type(&b, (Form){.op = op, .letters = at, .operands = n});
            if (op_info[op].groups & G(ALIGNED)) {
                Form synced = {.op = op, .letters = at, .operands = n, .mod[G_ALIGNED] = M_ALIGNED};
                if (op_info[op].groups & G(SYNC)) synced.mod[G_SYNC] = M_SYNC;
                good += each_type(&b, synced);
            }
            if (op_info[op].class == CLASS_TEX && op_info[op].groups & G(GEOM)) {  // texels come in fours, or in pairs
                good += each_type(&b, (Form){.op = op, .letters = at, .operands = n, .mod[G_VEC] = M_V4});
                good += each_type(&b, (Form){.op = op, .letters = at, .operands = n, .mod[G_VEC] = M_V2});
            }
            if (op_info[op].groups & G(OUTSIDE))  // surfaces need both, and reductions an operation besides
                good += each_type(
                    &b,
                    (Form){.op = op, .letters = at, .operands = n, .mod[G_GEOM] = M_G2D, .mod[G_OUTSIDE] = M_O_TRAP});
            if (*at == 'H' || *at == 'P') good += each_type(&b, (Form){op, at, n, .pair = true});
            if (!at[n]) break;
            at += n + 1;
        }
        if (!good) fail_msg("no form of %s is PTX", op_info[op].name);
    }
    if (b.bad) fail_msg("%u of %llu forms", b.bad, (unsigned long long)b.forms);
    assert_true(b.forms > (b.all ? 3000 : 1000));
    for (int k = 0; k < 2; k++) oc_close(b.d[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
