// Arenas, growing arrays and maps: zeroed, aligned, kept apart, and whole after many growths.
#include "base/base.h"

#include "check.h"

#include <string.h>

static void pieces_are_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    Arena arena = {0};
    enum { PIECES = 3000 };
    unsigned char *pieces[PIECES];
    size_t sizes[PIECES];
    for (int i = 0; i < PIECES; i++) {
        sizes[i] = i % 500 == 499 ? 300000 : (size_t)(i * 7 % 261);  // some larger than any chunk, some empty
        pieces[i] = arena_alloc(&arena, sizes[i]);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        for (size_t j = 0; j < sizes[i]; j++) assert_int_equal(pieces[i][j], 0);
        memset(pieces[i], i % 255 + 1, sizes[i]);
    }
    for (int i = 0; i < PIECES; i++)
        for (size_t j = 0; j < sizes[i]; j++) assert_int_equal(pieces[i][j], i % 255 + 1);
    arena_free(&arena);
    assert_null(arena.head);
    arena_free(&arena);  // twice does no harm
}

static void arena_texts(void **state)
{
    (void)state;
    Arena arena = {0};
    assert_string_equal(arena_text(&arena, "warp 17", 4), "warp");
    assert_string_equal(arena_text(&arena, NULL, 0), "");
    assert_string_equal(arena_printf(&arena, "%s %d", "lane", 31), "lane 31");
    char *wide = arena_printf(&arena, "%1000d|", 5);
    assert_int_equal(strlen(wide), 1001);
    assert_string_equal(wide + 998, " 5|");
    arena_free(&arena);
}

static void plain_memory(void **state)
{
    (void)state;
    char *p = mem_alloc(100);
    for (int i = 0; i < 100; i++) assert_int_equal(p[i], 0);
    p = mem_resize(p, 1000);
    for (int i = 0; i < 100; i++) assert_int_equal(p[i], 0);
    mem_free(p);
    mem_free(NULL);
    char *text = mem_text("sector");
    assert_string_equal(text, "sector");
    mem_free(text);
}

static void arrays_grow(void **state)
{
    (void)state;
    VEC(int64_t) squares = {0};
    for (int64_t i = 0; i < 1000; i++) vec_push(&squares, i * i);
    assert_int_equal(squares.n, 1000);
    assert_true(squares.cap >= 1000);
    for (int64_t i = 0; i < 1000; i++) assert_int_equal(squares.v[i], i * i);
    vec_free(&squares);
    assert_null(squares.v);
    assert_int_equal(squares.n, 0);
    assert_int_equal(squares.cap, 0);
}

static void maps_keep_the_newest_value(void **state)
{
    (void)state;
    Map map = {0};
    int64_t value = -1;
    assert_false(map_get(&map, "a", 1, &value));
    assert_int_equal(value, -1);
    map_put(&map, "abc", 2, 7);  // the key is "ab": lengths count, not a zero byte
    assert_false(map_get(&map, "abc", 3, &value));
    assert_true(map_get(&map, "ab", 2, &value));
    assert_int_equal(value, 7);
    map_put(&map, "ab", 2, INT64_MIN);
    assert_true(map_get(&map, "ab", 2, &value));
    assert_true(value == INT64_MIN);
    assert_true(map_get(&map, "ab", 2, NULL));
    map_put(&map, "", 0, 5);
    assert_true(map_get(&map, "", 0, &value));
    assert_int_equal(value, 5);
    map_put(&map, "a\0b", 3, 6);
    assert_false(map_get(&map, "a\0c", 3, &value));
    assert_true(map_get(&map, "a\0b", 3, &value));
    assert_int_equal(value, 6);
    map_free(&map);
    assert_false(map_get(&map, "ab", 2, &value));
}

static void maps_grow(void **state)
{
    (void)state;
    Map map = {0};
    char key[16];
    for (int i = 0; i < 5000; i++) map_put(&map, key, (size_t)snprintf(key, sizeof key, "%%r%d", i), i * 3);
    for (int i = 0; i < 5000; i++) {
        int64_t value = -1;
        assert_true(map_get(&map, key, (size_t)snprintf(key, sizeof key, "%%r%d", i), &value));
        assert_int_equal(value, i * 3);
    }
    assert_false(map_get(&map, "%r5000", 6, NULL));
    map_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
        cmocka_unit_test(arena_texts),
        cmocka_unit_test(plain_memory),
        cmocka_unit_test(arrays_grow),
        cmocka_unit_test(maps_keep_the_newest_value),
        cmocka_unit_test(maps_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
