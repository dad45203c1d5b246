// wmma: matrices that are loaded, multiplied and stored, of every type, shape, order and state space, with the stride
// in a register, as a constant, or the one that is implied. The fragments' layout is nobody's business: what counts is
// that the stored matrix is A · B + C, and that nothing else is written. Elements are small integers.
#include "bench.h"

#include <math.h>
#include <string.h>

enum { AT_B = 8192, AT_C = 16384, BYTES = 24576 };

typedef struct Types {
    const char *factor, *sum;  // types
    int shapes[4][3];
} Types;
static const Types kinds[] = {
    {"f16", "f16", {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}}},
    {"f16", "f32", {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}}},
    {"bf16", "f32", {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}}},
    {"s8", "s32", {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}}},
    {"u8", "s32", {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}}},
    {"tf32", "f32", {{16, 16, 8}}},
    {"f64", "f64", {{8, 8, 4}}},
    {"s4", "s32", {{8, 8, 32}}},
    {"u4", "s32", {{8, 8, 32}}},
    {"b1", "s32", {{8, 8, 128}}},
};

static int bits_of(const char *type)
{
    if (!strcmp(type, "b1")) return 1;
    int n = atoi(type + strcspn(type, "0123456789"));
    return n;
}

// --- memory ----------------------------------------------------------------------------------------------------------
static void put(uint8_t *memory, const char *type, uint32_t index, int value)
{
    const int bits = bits_of(type);
    uint64_t v = (uint64_t)(int64_t)value;
    double d = value;
    float f = (float)value;
    uint32_t w;
    memcpy(&w, &f, 4);
    if (!strcmp(type, "f64")) memcpy(&v, &d, 8);
    if (!strcmp(type, "f32") || !strcmp(type, "tf32")) v = w;
    if (!strcmp(type, "bf16")) v = w >> 16;
    if (!strcmp(type, "f16")) v = value ? (w >> 16 & 0x8000) | ((w >> 23 & 255) - 112) << 10 | (w >> 13 & 1023) : 0;
    for (int b = 0; b < bits; b++) {
        uint64_t at = (uint64_t)index * (unsigned)bits + (unsigned)b;
        memory[at / 8] = (uint8_t)((memory[at / 8] & ~(1u << at % 8)) | (v >> b & 1) << at % 8);
    }
}

static double get(const uint8_t *memory, const char *type, uint32_t index)
{
    double d;
    float f;
    int32_t s;
    uint16_t h;
    if (!strcmp(type, "f64")) return memcpy(&d, memory + 8 * index, 8), d;
    if (!strcmp(type, "f32")) return memcpy(&f, memory + 4 * index, 4), (double)f;
    if (!strcmp(type, "s32")) return memcpy(&s, memory + 4 * index, 4), s;
    memcpy(&h, memory + 2 * index, 2);
    double v = h & 0x7fff ? ldexp(1024 + (h & 1023), (h >> 10 & 31) - 25) : 0;
    return h & 0x8000 ? -v : v;
}

// --- one case --------------------------------------------------------------------------------------------------------
enum Stride { REGISTER, CONSTANT, IMPLIED };
typedef struct Case {
    const Types *kind;
    const int *shape;
    bool a_rows, b_rows, c_rows, d_rows;
    int space;  // 0 global, 1 shared, 2 generic to global, 3 generic to shared
    enum Stride stride;
} Case;

static uint32_t stride_of(const Case *c, bool rows, int r, int columns, const char *type)
{
    uint32_t own = (uint32_t)(rows ? columns : r);
    return c->stride == IMPLIED ? own : own + 256u / (unsigned)bits_of(type);
}

static void put_access(Text *t, const Case *c, const char *op, bool rows, const char *type, char file, int registers,
                       uint32_t offset, uint32_t stride)
{
    static const char *const spaces[] = {".global", ".shared", "", ""};
    const bool store = *op == 's';
    const char *base = store ? "%out" : c->space == 1 || c->space == 3 ? "%rd1" : "%in";
    char list[200] = "", more[40] = "";
    for (int k = 0; k < registers; k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%%%c%d", k ? ", " : "", file,
                 k + (op[5] == 'b'            ? 10
                      : op[5] == 'c' || store ? 20
                                              : 0));
    if (c->stride == REGISTER) text_printf(t, "mov.u32 %%r40, %u;\n", stride);
    if (c->stride == REGISTER) snprintf(more, sizeof more, ", %%r40");
    if (c->stride == CONSTANT) snprintf(more, sizeof more, ", %u", stride);
    text_printf(t, "wmma.%s.sync.aligned.%s.m%dn%dk%d%s.%s ", op, rows ? "row" : "col", c->shape[0], c->shape[1],
                c->shape[2], store && c->space == 1 ? ".global" : spaces[c->space], type);
    if (store)
        text_printf(t, "[%s+%u], {%s}%s;\n", base, offset, list, more);
    else
        text_printf(t, "{%s}, [%s+%u]%s;\n", list, base, offset, more);
}

static int cases;

static void run_case(Bench *b, const Case *c)
{
    const char *f = c->kind->factor, *s = c->kind->sum;
    const int m = c->shape[0], n = c->shape[1], k = c->shape[2], half = !strcmp(f, "f16");
    const char files[2] = {*f == 'f' && bits_of(f) == 64 ? 'd' : 'r', bits_of(s) == 64    ? 'd'
                                                                      : !strcmp(s, "f32") ? 'f'
                                                                                          : 'r'};
    const int ra = half               ? 8
                   : bits_of(f) == 64 ? 1
                                      : m * k * bits_of(f) / 1024,
              rb = half               ? 8
                   : bits_of(f) == 64 ? 1
                                      : k * n * bits_of(f) / 1024,
              rc = bits_of(s) == 64 ? 2 : m * n * bits_of(s) / 1024;
    const uint32_t la = stride_of(c, c->a_rows, m, k, f), lb = stride_of(c, c->b_rows, k, n, f),
                   lc = stride_of(c, c->c_rows, m, n, s), ld = stride_of(c, c->d_rows, m, n, s);
    static uint8_t memory[BYTES], before[AT_B], got[AT_B];
    int a[32][128], x[128][32], y[32][32];
    const bool negative = *f != 'u' && *f != 'b' ? true : !strcmp(f, "bf16");
    for (int i = 0; i < BYTES; i++) memory[i] = (uint8_t)(i * 37 + cases);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k; j++) {
            a[i][j] = bits_of(f) == 1 ? (i * 5 + j * 3 + i * j / 3) & 1 : (i * 7 + j * 3) % 8 - (negative ? 4 : 0);
            put(memory, f, c->a_rows ? (uint32_t)i * la + (uint32_t)j : (uint32_t)j * la + (uint32_t)i, a[i][j]);
        }
    for (int i = 0; i < k; i++)
        for (int j = 0; j < n; j++) {
            x[i][j] = bits_of(f) == 1 ? (i * 3 + j + i * j / 5) & 1 : (i * 5 + j * 2) % 7 - (negative ? 3 : 0);
            put(memory + AT_B, f, c->b_rows ? (uint32_t)i * lb + (uint32_t)j : (uint32_t)j * lb + (uint32_t)i, x[i][j]);
        }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            y[i][j] = (i * 11 + j * 5) % 64 - 32;
            put(memory + AT_C, s, c->c_rows ? (uint32_t)i * lc + (uint32_t)j : (uint32_t)j * lc + (uint32_t)i, y[i][j]);
        }
    Text t = {0};
    if (c->space == 1 || c->space == 3) {
        text_printf(&t,
                    "shl.b32 %%r41, %%t, 2;\nmov.u32 %%r42, smem;\nadd.u32 %%r42, %%r42, %%r41;\n"
                    "cvt.u64.u32 %%rd2, %%r41;\nadd.u64 %%rd2, %%in, %%rd2;\nmov.u32 %%r43, 0;\n"
                    "COPY:\nld.global.u32 %%r44, [%%rd2];\nst.shared.u32 [%%r42], %%r44;\nadd.u64 %%rd2, %%rd2, 128;\n"
                    "add.u32 %%r42, %%r42, 128;\nadd.u32 %%r43, %%r43, 128;\nsetp.lt.u32 %%p1, %%r43, %d;\n"
                    "@%%p1 bra COPY;\nbar.sync 0;\nmov.u64 %%rd1, smem;\n",
                    BYTES);
        if (c->space == 3) text_put(&t, "cvta.shared.u64 %rd1, %rd1;\n");
    }
    put_access(&t, c, "load.a", c->a_rows, f, files[0], ra, 0, la);
    put_access(&t, c, "load.b", c->b_rows, f, files[0], rb, AT_B, lb);
    put_access(&t, c, "load.c", c->c_rows, s, files[1], rc, AT_C, lc);
    text_printf(&t, "wmma.mma%s.sync.aligned.%s.%s.m%dn%dk%d.%s.", bits_of(f) == 1 ? ".and.popc" : "",
                c->a_rows ? "row" : "col", c->b_rows ? "row" : "col", m, n, k, s);
    if (half)
        text_printf(&t, "%s ", s);
    else
        text_printf(&t, "%s.%s.%s ", f, f, s);
    const struct {
        char file;
        int first, n;
    } of[] = {{files[1], 20, rc}, {files[0], 0, ra}, {files[0], 10, rb}, {files[1], 20, rc}};
    for (int o = 0; o < 4; o++) {
        text_put(&t, o ? ", {" : "{");
        for (int r = 0; r < of[o].n; r++) text_printf(&t, "%s%%%c%d", r ? ", " : "", of[o].file, of[o].first + r);
        text_put(&t, "}");
    }
    text_put(&t, ";\n");
    put_access(&t, c, "store.d", c->d_rows, s, files[1], rc, 64, ld);
    bench_data(b, memory, sizeof memory);
    for (size_t i = 0; i < sizeof before; i++) before[i] = (uint8_t)(i * 11 + 3);
    assert_int_equal(oc_write(b->d, b->out, before, sizeof before, NULL), OC_OK);
    bench_launch(b, bench_load(b, t.v, "sm_80"), (Shape){.shared = BYTES}, 0);
    bench_read(b, got, sizeof got);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double want = y[i][j];
            for (int e = 0; e < k; e++) want += a[i][e] * x[e][j];
            uint32_t at = c->d_rows ? (uint32_t)i * ld + (uint32_t)j : (uint32_t)j * ld + (uint32_t)i;
            double v = get(got + 64, s, at);
            if (v != want) fail_msg("%s\nrow %d, column %d: %g, not %g", t.v, i, j, v, want);
            memcpy(got + 64 + at * (unsigned)bits_of(s) / 8, before + 64 + at * (unsigned)bits_of(s) / 8,
                   (unsigned)bits_of(s) / 8);
        }
    if (memcmp(got, before, sizeof got)) fail_msg("%s\nit writes elsewhere", t.v);
    cases++;
    text_free(&t);
}

static void all(void **state)
{
    (void)state;
    Bench b;
    bench_open(&b, "a100", NULL);
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (int s = 0; s < 4 && kinds[k].shapes[s][0]; s++)
            for (int form = 0; form < 16; form++) {
                const bool narrow = bits_of(kinds[k].factor) < 8;
                Case c = {&kinds[k], kinds[k].shapes[s], narrow || form & 1,      !narrow && form & 2,
                          form & 4,  form & 8,           (form + (int)k + s) % 4, (enum Stride)((form + s) % 3)};
                run_case(&b, &c);
            }
    print_message("%d products\n", cases);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
