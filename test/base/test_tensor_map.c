// Every field of a tensor map, beyond each end of its range: the map isn't used, and what is said names the field. The
// ranges are those of the CUDA driver API (cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col).
#include "base/tensor_map.h"
#include "check.h"

#include <string.h>

enum { FLOAT = 7, U8 = 0 };  // CUtensorMapDataType

static TensorMap tiled(void)
{
    TensorMap t = {.base = 0x200000000, .rank = 5, .type = FLOAT, .swizzle = 0};
    for (int k = 0; k < MAX_RANK; k++) t.size[k] = 64, t.stride[k] = 16u << k, t.box[k] = 8, t.step[k] = 1;
    return t;
}

static TensorMap pixels(uint8_t rank)
{
    TensorMap t = tiled();
    t.rank = rank, t.im2col = true, t.channels = 8, t.pixels = 16;
    return t;
}

// What is said of a map, and of the bytes that it is written as: the same.
static const char *said(const TensorMap *t)
{
    uint8_t bytes[TENSOR_MAP_BYTES];
    TensorMap back;
    const char *flaw = tensor_map_flaw(t);
    if (t->rank > MAX_RANK) return flaw;  // it can't be written
    tensor_map_write(t, bytes);
    const char *read = tensor_map_read(&back, bytes);
    if (!flaw != !read || (flaw && strcmp(flaw, read))) fail_msg("'%s' and '%s'", flaw ? flaw : "", read ? read : "");
    return flaw;
}

static void names(int line, const TensorMap *t, const char *field)
{
    const char *flaw = said(t);
    if (!flaw || strncmp(flaw, field, strlen(field))) fail_msg("line %d: '%s' of %s", line, flaw ? flaw : "", field);
}

// Changes a field of a good map, once to values that it can have, and once to some that it can't.
#define GOOD(make, field, ...)                                                                    \
    do {                                                                                          \
        const int64_t all_[] = {__VA_ARGS__};                                                     \
        for (size_t k_ = 0; k_ < COUNT(all_); k_++) {                                             \
            TensorMap t = make;                                                                   \
            t.field = (__typeof__(t.field))all_[k_];                                              \
            if (said(&t)) fail_msg("line %d: %lld: %s", __LINE__, (long long)all_[k_], said(&t)); \
        }                                                                                         \
    } while (0)
#define BAD(make, field, name, ...)                   \
    do {                                              \
        const int64_t all_[] = {__VA_ARGS__};         \
        for (size_t k_ = 0; k_ < COUNT(all_); k_++) { \
            TensorMap t = make;                       \
            t.field = (__typeof__(t.field))all_[k_];  \
            names(__LINE__, &t, name);                \
        }                                             \
    } while (0)

static void tiles(void **state)
{
    (void)state;
    GOOD(tiled(), rank, 1, 2, 5);
    BAD(tiled(), rank, "rank", 0, 6, 255);
    GOOD(tiled(), type, 6, FLOAT, 12);
    BAD(tiled(), type, "elemtype", 13, 255);
    BAD(tiled(), swizzle, "swizzle_mode", 4, 255);
    GOOD(tiled(), swizzle, 0, 1, 2, 3);  // the box is 32 bytes wide
    GOOD(tiled(), base, 0, 16, 1ll << 56);
    BAD(tiled(), base, "global_address", 1, 8, 15, 0x200000001);
    for (int k = 0; k < MAX_RANK; k++) {
        GOOD(tiled(), step[k], 1, 2);
        BAD(tiled(), step[k], "element_stride", 0, 9, 65535);
        BAD(tiled(), box[k], "box_dim", 0, 257, 65535);
        GOOD(tiled(), size[k], 1, 1ll << 32);
        if (k) {
            GOOD(tiled(), box[k], 1, 256);
            GOOD(tiled(), stride[k], 0, 16, (1ll << 40) - 16);
            BAD(tiled(), stride[k], "global_stride", 1, 8, 1ll << 40, -16);
        }
    }
    BAD(tiled(), box[0], "box_dim", 1, 3, 255);  // of 4 bytes each: no multiple of 16
    TensorMap t = tiled();
    t.size[2] = 0;
    assert_non_null(strstr(tensor_map_flaw(&t), "global_dim"));  // a map's bytes can't hold such a size
    t.size[2] = (1ull << 32) + 1;
    assert_non_null(strstr(tensor_map_flaw(&t), "global_dim"));
    t = tiled(), t.nan = true;
    assert_null(said(&t));
    t.type = U8, t.box[0] = 16;
    names(__LINE__, &t, "fill_mode");
    t = tiled(), t.swizzle = 1, t.box[0] = 12;  // 48 bytes
    names(__LINE__, &t, "swizzle_mode");
}

static void im2col(void **state)
{
    (void)state;
    static const int most[] = {[3] = 32768, [4] = 128, [5] = 16};
    GOOD(pixels(4), channels, 4, 256);
    BAD(pixels(4), channels, "channels", 0, 257);
    BAD(pixels(4), channels, "box_dim", 3);
    GOOD(pixels(4), pixels, 1, 1024);
    BAD(pixels(4), pixels, "pixels", 0, 1025);
    BAD(pixels(4), rank, "rank", 1, 2, 6);
    BAD(pixels(4), step[1], "element_stride", 0, 9);
    for (uint8_t rank = 3; rank <= 5; rank++)
        for (int k = 0; k < rank - 2; k++) {
            GOOD(pixels(rank), lower[k], -most[rank], 0);
            GOOD(pixels(rank), upper[k], most[rank] - 1, 0);
            if (rank > 3) BAD(pixels(rank), lower[k], "lower corner", -most[rank] - 1, most[rank], -32768, 32767);
            if (rank > 3) BAD(pixels(rank), upper[k], "upper corner", -most[rank] - 1, most[rank], -32768, 32767);
        }
    BAD(pixels(3), lower[0], "corners", 64, 32767);
    BAD(pixels(3), upper[0], "corners", -64, -32768);
    GOOD(pixels(3), lower[0], 63);
}

// tensormap.replace stores one field. What no map can have is refused at once; the rest when the map is read.
static void replaced(void **state)
{
    (void)state;
    static const struct {
        TensorField field;
        uint32_t k;
        uint64_t value;
        const char *names;  // null: it is good
    } all[] = {{TENSOR_ADDRESS, 0, 0x1000, NULL},
               {TENSOR_ADDRESS, 0, 0x1008, "global_address"},
               {TENSOR_RANK, 0, 4, NULL},
               {TENSOR_RANK, 0, 5, "rank"},
               {TENSOR_RANK, 0, UINT32_MAX, "rank"},
               {TENSOR_BOX, 1, 256, NULL},
               {TENSOR_BOX, 1, 0, "box_dim"},
               {TENSOR_BOX, 4, 257, "box_dim"},
               {TENSOR_BOX, 4, 65536 + 8, "box_dim"},
               {TENSOR_SIZE, 4, 1, NULL},
               {TENSOR_SIZE, 4, 0, "global_dim"},
               {TENSOR_STRIDE, 3, 4096, NULL},
               {TENSOR_STRIDE, 3, 4095, "global_stride"},
               {TENSOR_STRIDE, 0, 1ull << 40, "global_stride"},
               {TENSOR_STRIDE, 4, 16, "global_stride"},
               {TENSOR_STEP, 0, 8, "box_dim"},  // one element of 4 bytes is left
               {TENSOR_STEP, 0, 0, "element_stride"},
               {TENSOR_STEP, 1, 8, NULL},
               {TENSOR_STEP, 1, 0, "element_stride"},
               {TENSOR_STEP, 1, 9, "element_stride"},
               {TENSOR_STEP, 1, 65536 + 1, "element_stride"},
               {TENSOR_TYPE, 0, 7, NULL},
               {TENSOR_TYPE, 0, 13, "elemtype"},
               {TENSOR_TYPE, 0, UINT32_MAX, "elemtype"},
               {TENSOR_INTERLEAVE, 0, 0, NULL},
               {TENSOR_INTERLEAVE, 0, 1, "interleave_layout"},
               {TENSOR_SWIZZLE, 0, 3, NULL},
               {TENSOR_SWIZZLE, 0, 4, "swizzle_mode"},
               {TENSOR_SWIZZLE, 0, 256, "swizzle_mode"},
               {TENSOR_FILL, 0, 1, NULL},
               {TENSOR_BOX, 5, 8, "a tensor has no such dimension"}};
    for (size_t n = 0; n < COUNT(all); n++) {
        uint8_t map[TENSOR_MAP_BYTES];
        TensorMap t = tiled();
        tensor_map_write(&t, map);
        const char *flaw = tensor_map_set(map, all[n].field, all[n].k, all[n].value);
        if (!flaw) flaw = tensor_map_read(&t, map);
        if (all[n].names ? !flaw || strncmp(flaw, all[n].names, strlen(all[n].names)) : flaw != NULL)
            fail_msg("row %zu: '%s'", n, flaw ? flaw : "");
    }
}

// Any other bytes are no map.
static void strange(void **state)
{
    (void)state;
    uint8_t map[TENSOR_MAP_BYTES] = {0}, good[TENSOR_MAP_BYTES];
    TensorMap t = tiled();
    assert_non_null(tensor_map_read(&t, map));
    assert_non_null(tensor_map_set(map, TENSOR_ADDRESS, 0, 0));
    t = tiled();
    tensor_map_write(&t, good);
    uint32_t seed = 1;
    for (int n = 0; n < 200000; n++) {  // whatever is read without a flaw is a map
        memcpy(map, good, sizeof map);
        for (int k = 0; k < 3; k++)
            seed = seed * 1664525u + 1013904223u, map[8 + (seed >> 8) % 120] = (uint8_t)(seed >> 24);
        if (!tensor_map_read(&t, map)) assert_null(tensor_map_flaw(&t));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles), cmocka_unit_test(im2col), cmocka_unit_test(replaced),
                                       cmocka_unit_test(strange)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
