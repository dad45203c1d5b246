// The public interface given null, absent and absurd arguments: each gives an error that says which, or does nothing,
// as the head of onchip.h says, and leaves the device as it was.
#include "check.h"

#include <onchip.h>
#include <string.h>

static const char ptx[] = ".version 7.0\n.target sm_35\n.address_size 64\n"
                          ".visible .global .align 4 .u32 there;\n"
                          ".visible .entry none() { ret; }\n"
                          ".visible .entry two(.param .u64 a, .param .u32 b) { ret; }\n";
static oc_dim3 one = {1, 1, 1};

static oc_device *opened(void)
{
    oc_device *d;
    char message[200];
    if (oc_open(&(oc_config){.gpu = NULL}, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    return d;
}

// The call is refused, and the message names what is null.
#define REFUSED(d, call, word)                                                                     \
    do {                                                                                           \
        assert_int_equal(call, OC_BAD_ARGUMENT);                                                   \
        if (!strstr(oc_error(d), word)) fail_msg("%s: '%s' lacks '%s'", #call, oc_error(d), word); \
    } while (0)

static void opening(void **state)
{
    (void)state;
    oc_device *d = (oc_device *)1;
    char message[200] = "";
    assert_int_equal(oc_open(NULL, &d, message, sizeof message), OC_BAD_ARGUMENT);
    assert_null(d);
    assert_non_null(strstr(message, "config is null"));
    assert_int_equal(oc_open(&(oc_config){.gpu = NULL}, NULL, message, sizeof message), OC_BAD_ARGUMENT);
    assert_non_null(strstr(message, "device is null"));
    assert_int_equal(oc_open(NULL, NULL, NULL, 0), OC_BAD_ARGUMENT);
    assert_int_equal(oc_open(NULL, NULL, NULL, 100), OC_BAD_ARGUMENT);
    assert_int_equal(oc_open(NULL, NULL, message, 0), OC_BAD_ARGUMENT);
    static const char *const gpus[] = {"", "/", ".", "./", "/dev/null/x", "gtx480 ", "%s%n"};
    for (size_t k = 0; k < sizeof gpus / sizeof *gpus; k++) {
        d = (oc_device *)1;
        assert_int_not_equal(oc_open(&(oc_config){.gpu = gpus[k]}, &d, message, sizeof message), OC_OK);
        assert_null(d);
    }
    static const char *const devices[] = {"",     "cuda", "cuda:", "cuda:-1", "cuda:x", "cuda:99999999999999999999",
                                          "gpu:0"};
    for (size_t k = 0; k < sizeof devices / sizeof *devices; k++) {
        assert_int_not_equal(oc_open(&(oc_config){.device = devices[k]}, &d, message, sizeof message), OC_OK);
        assert_null(d);
    }
    static const char *const sets[] = {"", "=", ".=", "a.b", "=.", "l1.size", "l1.size=", ".size=1"};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        const char *list[] = {sets[k], NULL};
        assert_int_equal(oc_open(&(oc_config){.sets = list}, &d, message, sizeof message), OC_BAD_ARGUMENT);
    }
    assert_int_equal(oc_open(&(oc_config){.threads = UINT32_MAX}, &d, message, sizeof message), OC_OK);
    oc_close(d);
    oc_close(NULL);
}

// Nothing at all.
static void null_handles(void **state)
{
    (void)state;
    char byte = 0;
    oc_ptr p = 1;
    size_t bytes;
    double seconds = 1;
    uint64_t handle = 1;
    uint8_t map[OC_TENSOR_MAP];
    oc_module *m = (oc_module *)1;
    oc_kernel *k = (oc_kernel *)1;
    oc_stream *s = (oc_stream *)1;
    oc_event *e = (oc_event *)1;
    assert_non_null(oc_error(NULL));
    assert_string_equal(oc_describe(NULL).name, "");
    assert_string_equal(oc_kernel_describe(NULL).name, "");
    assert_int_equal(oc_malloc(NULL, 1, NULL, &p), OC_BAD_ARGUMENT);
    assert_int_equal(p, 0);
    assert_int_equal(oc_free(NULL, 1), OC_BAD_ARGUMENT);
    assert_int_equal(oc_write(NULL, 1, &byte, 1, NULL), OC_BAD_ARGUMENT);
    assert_int_equal(oc_read(NULL, &byte, 1, 1, NULL), OC_BAD_ARGUMENT);
    assert_int_equal(oc_copy(NULL, 1, 1, 1, NULL), OC_BAD_ARGUMENT);
    assert_int_equal(oc_fill(NULL, 1, 0, 1, NULL), OC_BAD_ARGUMENT);
    assert_int_equal(oc_load(NULL, ptx, sizeof ptx - 1, NULL, &m), OC_BAD_ARGUMENT);
    assert_null(m);
    assert_int_equal(oc_load_file(NULL, "/dev/null", &m), OC_BAD_ARGUMENT);
    assert_int_equal(oc_kernel_get(NULL, "k", &k), OC_BAD_ARGUMENT);
    assert_null(k);
    assert_int_equal(oc_kernel_count(NULL), 0);
    assert_null(oc_kernel_at(NULL, 0));
    assert_int_equal(oc_symbol(NULL, "there", &p, &bytes), OC_BAD_ARGUMENT);
    oc_unload(NULL);
    assert_int_equal(oc_kernel_carveout(NULL, 50), OC_BAD_ARGUMENT);
    assert_int_equal(oc_cluster(NULL, (oc_dim3){1, 1, 1}), OC_BAD_ARGUMENT);
    assert_int_equal(oc_tensor_map(NULL, &(oc_tensor){.rank = 1}, map), OC_BAD_ARGUMENT);
    assert_int_equal(oc_texture_create(NULL, &(oc_texture){.width = 1}, &handle), OC_BAD_ARGUMENT);
    assert_int_equal(handle, 0);
    assert_int_equal(oc_texture_destroy(NULL, 1), OC_BAD_ARGUMENT);
    assert_int_equal(oc_surface_create(NULL, &(oc_texture){.width = 1}, &handle), OC_BAD_ARGUMENT);
    assert_int_equal(oc_surface_destroy(NULL, 1), OC_BAD_ARGUMENT);
    assert_int_equal(oc_reference_bind(NULL, "t", &(oc_texture){.width = 1}, &handle), OC_BAD_ARGUMENT);
    assert_int_equal(oc_stream_create(NULL, &s), OC_BAD_ARGUMENT);
    assert_null(s);
    oc_stream_destroy(NULL);
    assert_true(oc_stream_time(NULL) == 0);
    assert_int_equal(oc_event_create(NULL, &e), OC_BAD_ARGUMENT);
    assert_null(e);
    oc_event_destroy(NULL);
    assert_int_equal(oc_event_record(NULL, NULL), OC_BAD_ARGUMENT);
    assert_int_equal(oc_event_synchronize(NULL), OC_BAD_ARGUMENT);
    assert_int_equal(oc_synchronize(NULL, NULL), OC_BAD_ARGUMENT);
    assert_int_equal(oc_event_seconds(NULL, NULL, &seconds), OC_BAD_ARGUMENT);
    assert_int_equal(oc_event_seconds(NULL, NULL, NULL), OC_BAD_ARGUMENT);
    assert_int_equal(oc_launch(NULL, one, one, 0, NULL, NULL), OC_BAD_ARGUMENT);
    assert_int_equal(oc_launches(NULL), 0);
    assert_string_equal(oc_launch_kernel(NULL, 0), "");
    assert_int_equal(oc_launch_counter(NULL, 0, "cycles"), 0);
    assert_true(oc_launch_rate(NULL, 0, "ipc") == 0);
}

// A device, and everything else null or absurd.
static void null_arguments(void **state)
{
    (void)state;
    oc_device *d = opened();
    oc_ptr p, q;
    char byte = 7;
    assert_int_equal(oc_malloc(d, 16, NULL, &p), OC_OK);
    REFUSED(d, oc_malloc(d, 16, NULL, NULL), "ptr is null");
    assert_int_equal(oc_malloc(d, 0, NULL, &q), OC_BAD_ARGUMENT);
    static const size_t absurd[] = {SIZE_MAX, SIZE_MAX - 255, SIZE_MAX / 2, (size_t)1 << 63, (size_t)1 << 40};
    for (size_t k = 0; k < sizeof absurd / sizeof *absurd; k++) {
        assert_int_equal(oc_malloc(d, absurd[k], "absurd", &q), OC_OUT_OF_MEMORY);
        assert_int_equal(q, 0);
        REFUSED(d, oc_write(d, p, &byte, absurd[k], NULL), "not inside one allocation");
        REFUSED(d, oc_read(d, &byte, p, absurd[k], NULL), "not inside one allocation");
        REFUSED(d, oc_copy(d, p, p, absurd[k], NULL), "not inside one allocation");
        REFUSED(d, oc_fill(d, p, 0, absurd[k], NULL), "not inside one allocation");
    }
    REFUSED(d, oc_write(d, p, NULL, 1, NULL), "from is null");
    REFUSED(d, oc_read(d, NULL, p, 1, NULL), "to is null");
    assert_int_equal(oc_write(d, p, NULL, 0, NULL), OC_OK);
    assert_int_equal(oc_read(d, NULL, p, 0, NULL), OC_OK);
    assert_int_equal(oc_copy(d, p, p, 0, NULL), OC_OK);
    assert_int_equal(oc_fill(d, p, 0, 0, NULL), OC_OK);
    REFUSED(d, oc_write(d, 0, &byte, 1, NULL), "not inside one allocation");
    REFUSED(d, oc_read(d, &byte, UINT64_MAX, 1, NULL), "not inside one allocation");
    REFUSED(d, oc_copy(d, p, UINT64_MAX, 1, NULL), "not inside one allocation");
    assert_int_equal(oc_free(d, 0), OC_OK);
    REFUSED(d, oc_free(d, p + 1), "not the start");
    REFUSED(d, oc_free(d, UINT64_MAX), "not the start");

    oc_texture t = {.base = p, .width = 4, .channels = 1};
    uint64_t handle;
    REFUSED(d, oc_texture_create(d, NULL, &handle), "texture is null");
    REFUSED(d, oc_texture_create(d, &t, NULL), "handle is null");
    t.channels = 257;
    assert_int_equal(oc_texture_create(d, &t, &handle), OC_BAD_ARGUMENT);
    // A row of 2^28 texels of 16 bytes is 2^32 bytes, not 0.
    t = (oc_texture){.base = p, .width = 1u << 28, .height = 1, .channels = 4, .pitch = 0};
    REFUSED(d, oc_texture_create(d, &t, &handle), "pitch is smaller than a row");
    REFUSED(d, oc_texture_destroy(d, 0), "not a texture");
    REFUSED(d, oc_texture_destroy(d, UINT64_MAX), "not a texture");
    REFUSED(d, oc_surface_create(d, NULL, &handle), "surface is null");
    REFUSED(d, oc_surface_create(d, &t, NULL), "handle is null");
    REFUSED(d, oc_surface_destroy(d, 0), "not a surface");
    t = (oc_texture){.base = p, .width = 4, .channels = 1};
    assert_int_equal(oc_texture_create(d, &t, &handle), OC_OK);
    REFUSED(d, oc_surface_destroy(d, handle), "not a surface");

    uint8_t map[OC_TENSOR_MAP];
    oc_tensor tensor = {.base = p, .type = OC_TENSOR_F32, .rank = 1, .size = {64}, .box = {64}};
    REFUSED(d, oc_tensor_map(d, NULL, map), "tensor is null");
    REFUSED(d, oc_tensor_map(d, &tensor, NULL), "map is null");
    assert_int_equal(oc_tensor_map(d, &tensor, map), OC_OK);
    tensor.rank = 6;
    REFUSED(d, oc_tensor_map(d, &tensor, map), "1 to 5 dimensions");
    tensor.rank = 1, tensor.swizzle = 48;
    REFUSED(d, oc_tensor_map(d, &tensor, map), "no such swizzle");
    tensor.swizzle = 32;
    REFUSED(d, oc_tensor_map(d, &tensor, map), "as long as the swizzle");
    tensor.swizzle = 0, tensor.box[0] = 257;
    REFUSED(d, oc_tensor_map(d, &tensor, map), "1 to 256 elements");

    oc_event *e;
    double seconds;
    assert_int_equal(oc_event_create(d, &e), OC_OK);
    REFUSED(d, oc_stream_create(d, NULL), "stream is null");
    REFUSED(d, oc_event_create(d, NULL), "event is null");
    REFUSED(d, oc_event_seconds(e, NULL, &seconds), "to is null");
    REFUSED(d, oc_event_seconds(NULL, e, &seconds), "from is null");
    REFUSED(d, oc_event_seconds(e, e, NULL), "seconds is null");
    assert_int_equal(oc_free(d, p), OC_OK);
    oc_close(d);
}

static void modules(void **state)
{
    (void)state;
    oc_device *d = opened();
    oc_module *m = (oc_module *)1;
    oc_kernel *none, *two;
    oc_ptr p;
    REFUSED(d, oc_load(d, NULL, 0, NULL, &m), "ptx is null");
    assert_null(m);
    REFUSED(d, oc_load(d, ptx, sizeof ptx - 1, NULL, NULL), "module is null");
    REFUSED(d, oc_load_file(d, NULL, &m), "path is null");
    REFUSED(d, oc_load_file(d, "/dev/null", NULL), "module is null");
    assert_int_equal(oc_load_file(d, "", &m), OC_BAD_FILE);
    assert_int_equal(oc_load_file(d, "/", &m), OC_BAD_FILE);
    assert_int_equal(oc_load(d, ptx, 0, NULL, &m), OC_BAD_FILE);  // no .version
    assert_non_null(strstr(oc_error(d), "module.ptx"));
    assert_int_equal(oc_load(d, ptx, sizeof ptx - 1, NULL, &m), OC_OK);
    REFUSED(d, oc_kernel_get(m, NULL, &none), "name is null");
    REFUSED(d, oc_kernel_get(m, "none", NULL), "kernel is null");
    assert_null(oc_kernel_at(m, SIZE_MAX));
    REFUSED(d, oc_symbol(m, NULL, &p, NULL), "name is null");
    REFUSED(d, oc_symbol(m, "there", NULL, NULL), "ptr is null");
    assert_int_equal(oc_symbol(m, "there", &p, NULL), OC_OK);

    const uint32_t x = 0;
    const void *missing[] = {&p, NULL}, *all[] = {&p, &x};
    assert_int_equal(oc_kernel_get(m, "none", &none), OC_OK);
    assert_int_equal(oc_kernel_get(m, "two", &two), OC_OK);
    assert_int_equal(oc_launch(none, one, one, 0, NULL, NULL), OC_OK);
    REFUSED(d, oc_launch(two, one, one, 0, NULL, NULL), "args is null");
    REFUSED(d, oc_launch(two, one, one, 0, NULL, missing), "args[1] is null");
    assert_int_equal(oc_launch(two, one, one, 0, NULL, all), OC_OK);
    static const oc_dim3 absurd[] = {
        {0, 1, 1},        {1, 0, 1},     {1, 1, 0},          {UINT32_MAX, 1, 1},
        {1u << 31, 2, 1}, {1, 65536, 1}, {1, 1, UINT32_MAX}, {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    for (size_t k = 0; k < sizeof absurd / sizeof *absurd; k++) {
        assert_int_equal(oc_launch(none, absurd[k], one, 0, NULL, NULL), OC_BAD_ARGUMENT);
        assert_int_equal(oc_launch(none, one, absurd[k], 0, NULL, NULL), OC_BAD_ARGUMENT);
    }
    REFUSED(d, oc_launch(none, one, one, UINT32_MAX, NULL, NULL), "shared");
    assert_int_equal(oc_kernel_carveout(none, -1), OC_BAD_ARGUMENT);
    assert_int_equal(oc_kernel_carveout(none, 101), OC_BAD_ARGUMENT);
    REFUSED(d, oc_cluster(none, (oc_dim3){0, 1, 1}), "1 to 16 blocks");
    REFUSED(d, oc_cluster(none, (oc_dim3){UINT32_MAX, UINT32_MAX, UINT32_MAX}), "1 to 16 blocks");
    assert_int_equal(oc_cluster(none, (oc_dim3){2, 1, 1}), OC_OK);
    REFUSED(d, oc_launch(none, (oc_dim3){3, 1, 1}, one, 0, NULL, NULL), "don't divide the grid");
    assert_int_equal(oc_cluster(none, (oc_dim3){0, 0, 0}), OC_OK);

    assert_int_equal(oc_launches(d), 2);
    assert_string_equal(oc_launch_kernel(d, SIZE_MAX), "");
    assert_int_equal(oc_launch_counter(d, 0, NULL), 0);
    assert_int_equal(oc_launch_counter(d, 2, "cycles"), 0);
    assert_true(oc_launch_rate(d, 0, NULL) == 0 && oc_launch_rate(d, SIZE_MAX, "ipc") == 0);
    oc_unload(m);
    oc_close(d);
}

// Handles of one device given to another.
static void strangers(void **state)
{
    (void)state;
    oc_device *d = opened(), *other = opened();
    oc_stream *s;
    oc_event *e, *f;
    oc_module *m;
    oc_kernel *none;
    oc_ptr p;
    char byte = 1;
    double seconds;
    assert_int_equal(oc_stream_create(other, &s), OC_OK);
    assert_int_equal(oc_event_create(other, &e), OC_OK);
    assert_int_equal(oc_event_create(d, &f), OC_OK);
    assert_int_equal(oc_malloc(d, 1, NULL, &p), OC_OK);
    assert_int_equal(oc_load(d, ptx, sizeof ptx - 1, NULL, &m), OC_OK);
    assert_int_equal(oc_kernel_get(m, "none", &none), OC_OK);
    REFUSED(d, oc_write(d, p, &byte, 1, s), "another device");
    REFUSED(d, oc_read(d, &byte, p, 1, s), "another device");
    REFUSED(d, oc_copy(d, p, p, 1, s), "another device");
    REFUSED(d, oc_fill(d, p, 1, 1, s), "another device");
    REFUSED(d, oc_launch(none, one, one, 0, s, NULL), "another device");
    REFUSED(d, oc_event_record(f, s), "another device");
    REFUSED(d, oc_synchronize(d, s), "another device");
    REFUSED(d, oc_event_seconds(f, e, &seconds), "different devices");
    oc_close(d), oc_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening), cmocka_unit_test(null_handles), cmocka_unit_test(null_arguments),
        cmocka_unit_test(modules), cmocka_unit_test(strangers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
