// The forms of instructions about matrices: each is read, printed, and reads back the same; where there is a ptxas, it
// takes all of them, and makes the same machine code of what is printed, and takes the lowered function. Those of wgmma
// are for sm_90a alone.
#include "check.h"
#include "ptx/ops.h"
#include "ptx/pass.h"
#include "ptx/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Text all;
static int forms;

static int bits_of(const char *type)
{
    int n = atoi(type + strcspn(type, "0123456789"));
    return !strcmp(type, "e4m3") || !strcmp(type, "e5m2") ? 8 : n;
}

static char file_of(const char *type) { return !strcmp(type, "f64") ? 'd' : !strcmp(type, "f32") ? 'f' : 'r'; }

static void put_fragment(const char *type, int elements, int products, int registers)
{
    const int bits = bits_of(type);
    if (!registers) registers = bits == 64 ? elements / 32 : elements * products * bits / 1024;
    text_put(&all, "{");
    for (int k = 0; k < registers; k++) text_printf(&all, "%s%%%c%d", k ? ", " : "", file_of(type), k);
    text_put(&all, "}");
}

typedef struct Shape {
    int m, n, k;
} Shape;

static void put_product(const char *op, Shape s, const char *layouts, const char *before, const char *d, const char *a,
                        const char *b, const char *c, const char *after)
{
    const bool sparse = strstr(op, ".sp"), quads = s.m == 8 && s.k == 4 && !strcmp(a, "f16");
    text_printf(&all, "%s.sync.aligned.m%dn%dk%d.%s%s.%s.%s.%s.%s%s ", op, s.m, s.n, s.k, layouts, before, d, a, b, c,
                after);
    put_fragment(d, s.m * s.n, quads ? 4 : 1, 0), text_put(&all, ", ");
    put_fragment(a, s.m * s.k / (sparse ? 2 : 1), quads ? 4 : 1, 0), text_put(&all, ", ");
    put_fragment(b, s.k * s.n, quads ? 4 : 1, 0), text_put(&all, ", ");
    put_fragment(c, s.m * s.n, quads ? 4 : 1, 0), text_put(&all, sparse ? ", %r0, 0;\n" : ";\n");
    forms++;
}

static const char *const layouts[] = {"row.row", "row.col", "col.row", "col.col"};
static const char *const spaces[] = {"", ".global", ".shared", ".shared::cta"};

static void put_floats(void)
{
    static const char *const f8[] = {"e4m3", "e5m2"}, *const sums[] = {"f16", "f32"};
    for (int l = 0; l < 4; l++) {
        put_product("mma", (Shape){8, 8, 4}, layouts[l], "", "f16", "f16", "f16", "f16", "");
        put_product("mma", (Shape){8, 8, 4}, layouts[l], "", "f32", "f16", "f16", "f16", "");
        put_product("mma", (Shape){8, 8, 4}, layouts[l], "", "f32", "f16", "f16", "f32", "");
    }
    for (int k = 0; k < 2; k++) {
        const char *t = sums[k];
        for (int deep = 8; deep <= 16; deep *= 2)
            put_product("mma", (Shape){16, 8, deep}, "row.col", "", t, "f16", "f16", t, "");
        for (int deep = 16; deep <= 32; deep *= 2) {
            put_product("mma.sp", (Shape){16, 8, deep}, "row.col", "", t, "f16", "f16", t, "");
            put_product("mma.sp::ordered_metadata", (Shape){16, 8, deep}, "row.col", "", t, "f16", "f16", t, "");
            for (int x = 0; x < 4; x++)
                put_product("mma", (Shape){16, 8, deep}, "row.col", "", t, f8[x / 2], f8[x % 2], t, "");
            put_product("mma.sp", (Shape){16, 8, deep}, "row.col", "", "f32", "bf16", "bf16", "f32", "");
        }
        put_product("mma", (Shape){16, 8, 8 << k}, "row.col", "", "f32", "bf16", "bf16", "f32", "");
        put_product("mma", (Shape){16, 8, 4 << k}, "row.col", "", "f32", "tf32", "tf32", "f32", "");
        put_product("mma.sp", (Shape){16, 8, 8 << k}, "row.col", "", "f32", "tf32", "tf32", "f32", "");
        put_product("mma.sp", (Shape){16, 8, 64}, "row.col", "", "f32", f8[k], "e5m2", "f32", "");
    }
    static const char *const how[] = {"", ".rn", ".rz", ".rm", ".rp"};
    for (int k = 0; k < 5; k++) {
        put_product("mma", (Shape){8, 8, 4}, "row.col", "", "f64", "f64", "f64", "f64", how[k]);
        for (int deep = 4; deep <= 16; deep *= 2)
            put_product("mma", (Shape){16, 8, deep}, "row.col", "", "f64", "f64", "f64", "f64", how[k]);
    }
}

static void put_integers(void)
{
    static const char *const s8[] = {"s8", "u8"}, *const s4[] = {"s4", "u4"};
    static const Shape of8[] = {{8, 8, 16}, {16, 8, 16}, {16, 8, 32}}, of4[] = {{8, 8, 32}, {16, 8, 32}, {16, 8, 64}},
                       of1[] = {{8, 8, 128}, {16, 8, 128}, {16, 8, 256}};
    for (int k = 0; k < 8; k++) {
        const char *limit = k / 4 ? ".satfinite" : "", *a = s8[k / 2 % 2], *b = s8[k % 2];
        for (int s = 0; s < 3; s++) {
            put_product("mma", of8[s], "row.col", limit, "s32", a, b, "s32", "");
            put_product("mma", of4[s], "row.col", limit, "s32", s4[k / 2 % 2], s4[k % 2], "s32", "");
            put_product("mma", of1[s], "row.col", "", "s32", "b1", "b1", "s32", k % 2 ? ".and.popc" : ".xor.popc");
        }
        for (int deep = 32; deep <= 64; deep *= 2) {
            put_product("mma.sp", (Shape){16, 8, deep}, "row.col", limit, "s32", a, b, "s32", "");
            put_product("mma.sp", (Shape){16, 8, 2 * deep}, "row.col", limit, "s32", s4[k / 2 % 2], s4[k % 2], "s32",
                        "");
        }
    }
}

static void put_moves(void)
{
    for (int n = 1; n <= 4; n *= 2)
        for (int trans = 0; trans < 2; trans++)
            for (int s = 0; s < 4; s++) {
                if (s == 1) continue;
                text_printf(&all, "ldmatrix.sync.aligned.m8n8.x%d%s%s.b16 ", n, trans ? ".trans" : "", spaces[s]);
                put_fragment("s32", 0, 0, n);
                text_printf(&all, ", [%%rd0+16];\nstmatrix.sync.aligned.m8n8.x%d%s%s.b16 [%%rd0], ", n,
                            trans ? ".trans" : "", spaces[s]);
                put_fragment("s32", 0, 0, n);
                text_put(&all, ";\n");
                forms += 2;
            }
    text_put(&all, "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;\n");
    forms++;
}

// The loads and the store of a product, and it. C and D may be in any order.
static void put_wmma(Shape s, int layout, const char *type, const char *d, const char *c, const char *more)
{
    static const char *const strides[] = {"", ", %r9", ", 64"};
    const bool half = !strcmp(type, "f16"), bits = !strcmp(type, "b1");
    char shape[32];
    snprintf(shape, sizeof shape, "m%dn%dk%d", s.m, s.n, s.k);
    for (int k = 0; k < 4; k++) {
        static const char *const stored[] = {"row", "col"};
        text_printf(&all, "wmma.load.a.sync.aligned.%.3s.%s%s.%s ", layouts[layout], shape, spaces[k], type);
        put_fragment(type, s.m * s.k, 1, half ? 8 : 0);
        text_printf(&all, ", [%%rd0]%s;\n", strides[k % 3]);
        text_printf(&all, "wmma.load.b.sync.aligned.%.3s.%s%s.%s ", layouts[layout] + 4, shape, spaces[k], type);
        put_fragment(type, s.k * s.n, 1, half ? 8 : 0);
        text_printf(&all, ", [%%rd0+64]%s;\n", strides[(k + 1) % 3]);
        text_printf(&all, "wmma.load.c.sync.aligned.%s.%s%s.%s ", stored[k % 2], shape, spaces[k], c);
        put_fragment(c, s.m * s.n, 1, 0);
        text_printf(&all, ", [%%rd0]%s;\n", strides[(k + 2) % 3]);
        text_printf(&all, "wmma.store.d.sync.aligned.%s.%s%s.%s [%%rd0], ", stored[k / 2], shape, spaces[k], d);
        put_fragment(d, s.m * s.n, 1, 0);
        text_printf(&all, "%s;\n", strides[k % 3]);
        forms += 4;
    }
    text_printf(&all, "wmma.mma%s.sync.aligned.%s.%s.", bits ? ".xor.popc" : "", layouts[layout], shape);
    if (half)
        text_printf(&all, "%s.%s%s ", d, c, more);
    else
        text_printf(&all, "%s.%s.%s.%s%s ", d, type, type, c, more);
    put_fragment(d, s.m * s.n, 1, 0), text_put(&all, ", ");
    put_fragment(type, s.m * s.k, 1, half ? 8 : 0), text_put(&all, ", ");
    put_fragment(type, s.k * s.n, 1, half ? 8 : 0), text_put(&all, ", ");
    put_fragment(c, s.m * s.n, 1, 0), text_put(&all, ";\n");
    forms++;
}

static void put_all_wmma(void)
{
    static const Shape three[] = {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};
    static const char *const sums[] = {"f16", "f32"};
    for (int l = 0; l < 4; l++) {
        for (int s = 0; s < 3; s++) {
            put_wmma(three[s], l, "f16", sums[l % 2], sums[l / 2], "");
            put_wmma(three[s], l, "bf16", "f32", "f32", "");
            put_wmma(three[s], l, "s8", "s32", "s32", ".satfinite");
            put_wmma(three[s], l, "u8", "s32", "s32", "");
        }
        put_wmma((Shape){16, 16, 8}, l, "tf32", "f32", "f32", "");
        put_wmma((Shape){8, 8, 4}, l, "f64", "f64", "f64", "");
    }
    put_wmma((Shape){8, 8, 32}, 1, "s4", "s32", "s32", ".satfinite");
    put_wmma((Shape){8, 8, 32}, 1, "u4", "s32", "s32", "");
    put_wmma((Shape){8, 8, 128}, 1, "b1", "s32", "s32", "");
}

// --- wgmma -----------------------------------------------------------------------------------------------------------
// Some widths of a row of types, others for each, with A in memory and in registers in turn. Accumulators are %r: with
// as many %f beside them ptxas would have to spill.
static void put_group(const char *d, const char *a, const char *b, bool sparse, const char *before, const char *more)
{
    static const char *const adds[] = {"1", "0", "%p0", "!%p0"};
    const bool whole = !strcmp(d, "s32");
    const int bits = !strcmp(a, "b1") ? 1 : bits_of(a), deep = 256 / bits * (sparse ? 2 : 1);
    static int number;
    for (int k = 0; k < 2; k++, number++) {
        const int width = 8 * (1 + 11 * number % 32), n = whole && width > 32 ? (width + 15) / 16 * 16 : width;
        const bool here = n / 8 % 2, halves = bits == 16;
        text_printf(&all, "wgmma.mma_async%s.sync.aligned.m64n%dk%d%s.%s.%s.%s%s ", sparse ? ".sp" : "", n, deep,
                    before, d, a, b, more);
        put_fragment("s32", 0, 0, n * bits_of(d) / 64);
        text_put(&all, here ? ", {%r128, %r129, %r130, %r131}" : ", %rd0");
        text_printf(&all, ", %%rd1%s, %s", sparse ? ", %r132, 0" : "", adds[n / 8 % 4]);
        if (!whole) text_put(&all, n % 3 ? ", 1, -1" : ", -1, 1");
        if (halves) text_put(&all, here ? ", 1" : ", 0, 1");
        text_put(&all, ";\n");
        forms++;
    }
    text_put(&all, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nwgmma.fence.sync.aligned;\n");
    forms += 3;
}

static void put_groups(void)
{
    static const char *const sums[] = {"f16", "f32"}, *const f8[] = {"e4m3", "e5m2"}, *const s8[] = {"s8", "u8"};
    for (int sparse = 0; sparse < 2; sparse++) {
        for (int s = 0; s < 2; s++) put_group(sums[s], "f16", "f16", sparse, "", "");
        put_group("f32", "bf16", "bf16", sparse, "", ""), put_group("f32", "tf32", "tf32", sparse, "", "");
        for (int k = 0; k < 8; k++) put_group(sums[k / 4], f8[k / 2 % 2], f8[k % 2], sparse, "", "");
        for (int k = 0; k < 8; k++) put_group("s32", s8[k / 2 % 2], s8[k % 2], sparse, k / 4 ? ".satfinite" : "", "");
    }
    put_group("s32", "b1", "b1", false, "", ".and.popc");
}

// --- what becomes of them --------------------------------------------------------------------------------------------
static char folder[40];

static bool assemble(const Text *text, const char *name, const char *target)
{
    char path[100], command[300];
    snprintf(path, sizeof path, "%s/%s.ptx", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fwrite(text->v, 1, text->n, file);
    fclose(file);
    snprintf(command, sizeof command,
             "PATH=$PATH:/usr/local/cuda/bin ptxas -O0 -arch=%s %s/%s.ptx -o %s/%s.cubin >%s/log 2>&1", target, folder,
             name, folder, name, folder);
    return system(command) == 0;
}

static Module *parse(const Text *text)
{
    Diag diag = {0};
    Module *m = ptx_parse(text->v, text->n, "matrix.ptx", &diag);
    if (!m) fail_msg("%s", diag.text.v);
    return m;
}

static void check_all(const char *target)
{
    Text printed = {0}, again = {0}, lowered = {0};
    Module *m = parse(&all), *n;
    ptx_print(m, &printed);
    n = parse(&printed);
    ptx_print(n, &again);
    assert_string_equal(printed.v, again.v);
    Function *f = m->items.v[0].function, *low = ptx_lower(f, 0);
    for (size_t k = 0; k < low->insts.n; k++) {
        Op op = low->insts.v[k].op;
        assert_true(op != OP_WMMA_LOAD_A && op != OP_WMMA_LOAD_B && op != OP_WMMA_LOAD_C && op != OP_WMMA_STORE);
    }
    m->items.v[0].function = low;
    ptx_print(m, &lowered);
    m->items.v[0].function = f;
    ptx_lowered_free(low);
    ptx_free(m), ptx_free(n);
    strcpy(folder, "/tmp/onchip-matrix-XXXXXX");
    assert_non_null(mkdtemp(folder));
    const bool there = system("PATH=$PATH:/usr/local/cuda/bin; command -v ptxas >/dev/null") == 0;
    if (there) {
        char command[200];
        if (!assemble(&all, "a", target) || !assemble(&printed, "b", target) || !assemble(&lowered, "c", target)) {
            Text log = {0};
            snprintf(command, sizeof command, "%s/log", folder);
            text_read_file(&log, command);
            fail_msg("ptxas refuses them: %.600s", log.v ? log.v : "");
        }
        snprintf(command, sizeof command, "cmp -s %s/a.cubin %s/b.cubin", folder, folder);
        assert_int_equal(system(command), 0);
    }
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    print_message("%d instructions%s\n", forms, there ? ", which ptxas takes too" : "");
    text_free(&all), text_free(&printed), text_free(&again), text_free(&lowered);
    forms = 0;
}

static void all_forms(void **state)
{
    (void)state;
    text_put(&all, ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<10>;\n"
                   ".reg .f32 %f<8>;\n.reg .f64 %d<8>;\n.reg .b64 %rd<2>;\n");
    put_floats(), put_integers(), put_moves(), put_all_wmma();
    text_put(&all, "ret;\n}\n");
    check_all("sm_90");
}

static void group_forms(void **state)
{
    (void)state;
    text_put(&all, ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                   ".reg .b32 %r<133>;\n.reg .b64 %rd<3>;\n.reg .pred %p<1>;\n"
                   "ld.param.u64 %rd2, [out];\nld.global.v2.b64 {%rd0, %rd1}, [%rd2];\n"
                   "ld.global.v4.b32 {%r128, %r129, %r130, %r131}, [%rd2+16];\nld.global.b32 %r132, [%rd2+32];\n"
                   "setp.ne.u32 %p0, %r132, 0;\n");
    for (int k = 0; k < 128; k++) text_printf(&all, "mov.b32 %%r%d, 0;\n", k);
    text_put(&all, "wgmma.fence.sync.aligned;\n");
    put_groups();
    for (int k = 0; k < 128; k++) text_printf(&all, "st.global.b32 [%%rd2+%d], %%r%d;\n", 64 + 4 * k, k);
    text_put(&all, "ret;\n}\n");
    check_all("sm_90a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_forms), cmocka_unit_test(group_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
