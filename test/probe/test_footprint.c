// Tiles of 2D textures: what pairs of texels say, and what is measured on simulated GPUs, where a texture lies in
// memory row by row, so that a line is part of one: 8 texels on those that mei measured.
#include "check.h"
#include "probe/infer.h"
#include "probe/measure.h"

#include <string.h>

typedef struct Tile {
    int32_t w, h;
} Tile;

// Pairs at all small distances from some positions, as tiles of this size would have them.
static size_t make(Pair *pairs, Tile t)
{
    size_t n = 0;
    for (int32_t p = 0; p < 64; p++)
        for (int32_t d = -32; d <= 32; d++) {
            int32_t x = 256 + p, y = 512 + (p * 7) % 64;
            pairs[n++] = (Pair){x, y, d, 0, x / t.w == (x + d) / t.w};
            pairs[n++] = (Pair){x, y, 0, d, y / t.h == (y + d) / t.h};
            pairs[n++] = (Pair){x, y, d, d / 2, x / t.w == (x + d) / t.w && y / t.h == (y + d / 2) / t.h};
        }
    return n;
}

static void tiles(void **state)
{
    (void)state;
    static Pair pairs[64 * 65 * 3];
    const Tile of[] = {{8, 1}, {1, 1}, {4, 2}, {8, 4}, {32, 1}, {1, 32}, {16, 16}, {2, 8}, {32, 32}};
    for (size_t k = 0; k < COUNT(of); k++) {
        size_t n = make(pairs, of[k]);
        Footprint f = {0};
        footprint_infer(pairs, n, &f);
        if (f.width.verdict != MEASURED || f.width.value != of[k].w || f.height.value != of[k].h)
            fail_msg("%d by %d: found %g by %g", of[k].w, of[k].h, f.width.value, f.height.value);
        assert_int_equal(f.linear.value, of[k].h == 1);
        pairs[n / 2].together = !pairs[n / 2].together;  // one that doesn't fit
        footprint_infer(pairs, n, &f);
        assert_int_equal(f.width.verdict, UNDETERMINED);
        assert_non_null(strstr(f.linear.why, "no rectangle"));
    }
    Footprint f = {0};
    footprint_infer(&(Pair){0, 0, 1, 0, true}, 1, &f);  // leaves a choice
    assert_non_null(strstr(f.width.why, "different sizes"));
}

static Footprint measure(const char *gpu, const char *const *sets)
{
    oc_device *d;
    Chase c;
    Footprint f = {.pairs = 0};
    Diag diag = {0};
    char message[500];
    if (oc_open(&(oc_config){.gpu = gpu, .sets = sets}, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    if (!chase_open(&c, d, 1 << 20, &diag) || !footprint_measure(&c, &f, &diag)) fail_msg("%s", diag.text.v);
    chase_close(&c);
    oc_close(d);
    return f;
}

static void simulated(void **state)
{
    (void)state;
    static const char *const wide[] = {"readonly.line=128", "readonly.sector=32", "readonly.fill=128",
                                       "readonly.ways=24", NULL};
    static const char *const half[] = {"readonly.line=64", "readonly.sector=64", "readonly.fill=64", "readonly.ways=48",
                                       NULL};
    static const struct {
        const char *gpu;
        const char *const *sets;
        uint32_t width, hit, miss;
    } of[] = {{"gtx780", NULL, 8, 110, 220},
              {"gtx560ti", NULL, 8, 240, 470},
              {"gtx780", wide, 32, 110, 224},
              {"gtx780", half, 16, 110, 221}};  // 64 bytes take the SM's port two cycles
    for (size_t k = 0; k < COUNT(of); k++) {
        Footprint f = measure(of[k].gpu, of[k].sets);
        if (f.width.verdict != MEASURED) fail_msg("%s: %s", of[k].gpu, f.width.why);
        assert_int_equal(f.width.value, of[k].width);
        assert_int_equal(f.height.value, 1);
        assert_int_equal(f.linear.value, 1);
        assert_int_equal(f.hit, of[k].hit);
        assert_int_equal(f.miss, of[k].miss);
        assert_true(f.pairs > 4000);
    }
}

// No cache, and one no quicker than what is behind it, can't be told apart: neither has a footprint.
static void nothing_to_see(void **state)
{
    (void)state;
    static const char *const slow[] = {"readonly.latency=220", NULL}, *const gone[] = {"readonly.size=0", "l1.size=0",
                                                                                       NULL};
    const Footprint of[] = {measure("gtx780", slow), measure("gtx780", gone)};
    for (size_t k = 0; k < COUNT(of); k++) {
        assert_int_equal(of[k].width.verdict, ABSENT);
        assert_int_equal(of[k].linear.verdict, ABSENT);
        assert_non_null(strstr(of[k].width.why, "no faster"));
    }
}

// The texture takes some 100 MB; and with little shared memory fewer pairs go into a launch.
static void little_memory(void **state)
{
    (void)state;
    static const char *const small[] = {"gpu.memory=128MiB", NULL}, *const few[] = {"shared.max=1KiB", NULL};
    Footprint f = measure("gtx780", small);
    assert_int_equal(f.width.verdict, UNDETERMINED);
    assert_non_null(strstr(f.width.why, "too little memory"));
    f = measure("gtx780", few);
    assert_int_equal(f.width.verdict, MEASURED);
    assert_int_equal(f.width.value, 8);
    assert_int_equal(f.height.value, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles), cmocka_unit_test(simulated),
                                       cmocka_unit_test(nothing_to_see), cmocka_unit_test(little_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
