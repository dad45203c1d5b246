// Programs that were compiled with another size of a structure than the library's, as onchip.h promises: what an older
// program's lacks is 0 and isn't written; what a newer one's has more is filled with 0, and refused where it is set.
#include "check.h"

#include <onchip.h>
#include <stdlib.h>
#include <string.h>

static const char ptx[] = ".version 7.0\n.target sm_35\n.address_size 64\n"
                          ".visible .entry store(.param .u64 p) {\n"
                          ".reg .b64 %a; ld.param.u64 %a, [p]; st.global.u64 [%a], %a; ret; }\n";

// A structure of theirs, alone in memory, so that AddressSanitizer sees what is touched behind it.
static void *theirs(const void *ours, size_t ours_bytes, size_t bytes)
{
    uint8_t *p = calloc(1, bytes ? bytes : 1);
    if (!p) abort();
    memcpy(p, ours, bytes < ours_bytes ? bytes : ours_bytes);
    return p;
}

static void taken(void **state)
{
    (void)state;
    const volatile bool stop = true;
    const oc_config config = {.gpu = "h200", .functional = true, .stop = &stop};
    char message[300];
    for (size_t bytes = 0; bytes < sizeof config + 100; bytes += 8) {
        oc_device *d;
        void *given = theirs(&config, sizeof config, bytes);
        assert_int_equal(oc_open_sized(given, bytes, &d, message, sizeof message), OC_OK);
        free(given);
        assert_string_equal(oc_describe(d).name, bytes >= offsetof(oc_config, sets) ? "h200" : OC_DEFAULT_GPU);
        oc_module *m;
        oc_kernel *k;
        oc_ptr p;
        const void *const args[] = {&p};
        assert_int_equal(oc_load(d, ptx, sizeof ptx - 1, NULL, &m) | oc_kernel_get(m, "store", &k), OC_OK);
        assert_int_equal(oc_malloc(d, 8, NULL, &p), OC_OK);
        // Nobody who has no field `stop` can have set it.
        const oc_status status = oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){1, 1, 1}, 0, NULL, args);
        assert_int_equal(status, bytes >= offsetof(oc_config, simulate_all) ? OC_STOPPED : OC_OK);
        oc_close(d);
    }
    // What the library doesn't know can't be done, and isn't left out in silence.
    for (size_t at = sizeof config; at < sizeof config + 3; at++) {
        oc_device *d = (oc_device *)1;
        uint8_t *given = theirs(&config, sizeof config, sizeof config + 3);
        given[at] = 1;
        assert_int_equal(oc_open_sized((oc_config *)given, sizeof config + 3, &d, message, sizeof message),
                         OC_BAD_ARGUMENT);
        assert_null(d);
        assert_non_null(strstr(message, "oc_open: the program was compiled for a newer library"));
        free(given);
    }
}

static oc_device *opened(void)
{
    oc_device *d;
    if (oc_open(&(oc_config){.gpu = "h200"}, &d, NULL, 0) != OC_OK) fail();
    return d;
}

static void textures_and_tensors(void **state)
{
    (void)state;
    oc_device *d = opened();
    oc_ptr p;
    uint64_t handle;
    uint8_t map[2][OC_TENSOR_MAP];
    assert_int_equal(oc_malloc(d, 4096, NULL, &p), OC_OK);
    // A texture of one dimension needs nothing after unit_float; a bad border after the end isn't seen.
    const oc_texture t = {.base = p, .width = 16, .channels = 1, .by_axis = true, .address_y = 99};
    const oc_tensor tensor = {.base = p, .type = OC_TENSOR_F32, .rank = 1, .size = {64}, .box = {16}};
    void *small = theirs(&t, sizeof t, offsetof(oc_texture, depth));
    void *large = theirs(&t, sizeof t, sizeof t + 8);
    assert_int_equal(oc_texture_create_sized(d, small, offsetof(oc_texture, depth), &handle), OC_OK);
    assert_int_equal(oc_texture_destroy(d, handle), OC_OK);
    assert_int_equal(oc_surface_create_sized(d, small, offsetof(oc_texture, depth), &handle), OC_OK);
    assert_int_equal(oc_texture_create(d, &t, &handle), OC_BAD_ARGUMENT);
    ((uint8_t *)large)[sizeof t] = 1;
    assert_int_equal(oc_texture_create_sized(d, large, sizeof t + 8, &handle), OC_BAD_ARGUMENT);
    assert_non_null(strstr(oc_error(d), "oc_texture_create: the program was compiled for a newer library"));
    assert_int_equal(oc_surface_create_sized(d, large, sizeof t + 8, &handle), OC_BAD_ARGUMENT);
    assert_non_null(strstr(oc_error(d), "oc_surface_create: the program"));
    free(small);
    free(large);

    small = theirs(&tensor, sizeof tensor, offsetof(oc_tensor, step));
    large = theirs(&tensor, sizeof tensor, sizeof tensor + 1);
    assert_int_equal(oc_tensor_map(d, &tensor, map[0]), OC_OK);
    assert_int_equal(oc_tensor_map_sized(d, small, offsetof(oc_tensor, step), map[1]), OC_OK);
    assert_memory_equal(map[0], map[1], OC_TENSOR_MAP);
    ((uint8_t *)large)[sizeof tensor] = 1;
    assert_int_equal(oc_tensor_map_sized(d, large, sizeof tensor + 1, map[1]), OC_BAD_ARGUMENT);
    free(small);
    free(large);
    oc_close(d);
}

// Calls that fill a structure of `bytes` bytes: each field for which there is room, and zeros behind what we know.
#define FILLED(type, call, ours, last)                                                                        \
    for (size_t bytes = 0; bytes <= sizeof(type) + 24; bytes += 8) {                                          \
        type *out = malloc(bytes ? bytes : 1);                                                                \
        memset(out, 0xee, bytes);                                                                             \
        call;                                                                                                 \
        if (bytes >= 8) assert_memory_equal(out, &ours, 8);                                                   \
        if (bytes >= offsetof(type, last) + 8) assert_memory_equal(&out->last, &ours.last, sizeof ours.last); \
        for (size_t at = sizeof(type); at < bytes; at++) assert_int_equal(((uint8_t *)out)[at], 0);           \
        free(out);                                                                                            \
    }

static void given(void **state)
{
    (void)state;
    oc_device *d = opened();
    oc_module *m;
    oc_kernel *k;
    oc_ptr p;
    const void *const args[] = {&p};
    assert_int_equal(oc_load(d, ptx, sizeof ptx - 1, NULL, &m) | oc_kernel_get(m, "store", &k), OC_OK);
    assert_int_equal(oc_malloc(d, 8, "there", &p), OC_OK);
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){1, 1, 1}, 0, NULL, args), OC_OK);
    const oc_device_info device = oc_describe(d);
    const oc_kernel_info kernel = oc_kernel_describe(k);
    oc_structure structure;
    oc_line line;
    assert_true(oc_launch_structure(d, 0, 0, &structure));
    assert_string_equal(structure.name, "there");
    assert_true(oc_launch_line(d, 0, 0, &line));
    FILLED(oc_device_info, oc_describe_sized(d, out, bytes), device, driver)
    FILLED(oc_kernel_info, oc_kernel_describe_sized(k, out, bytes), kernel, refusal)
    FILLED(oc_structure, assert_true(oc_launch_structure_sized(d, 0, 0, out, bytes)), structure, dram_bytes)
    FILLED(oc_line, assert_true(oc_launch_line_sized(d, 0, 0, out, bytes)), line, l1_hits)
    oc_describe_sized(d, NULL, 100);
    oc_kernel_describe_sized(NULL, NULL, 100);
    assert_int_equal(oc_version(), OC_VERSION);
    oc_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken),
        cmocka_unit_test(textures_and_tensors),
        cmocka_unit_test(given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
