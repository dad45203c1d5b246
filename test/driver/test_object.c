// Objects of ours: what is put into one is read from it, tools take it for a cubin, its header tells its size, and one
// that is damaged or of another format is refused.
#include "base/base.h"
#include "driver/fatbin.h"

#include "check.h"

#include <elf.h>
#include <string.h>

static const char ptx[] =
    "// a comment\n.version 6.0\n.target sm_75, debug\n.address_size 64\n.visible .entry k() {}\n";

static Text written(void)
{
    Text out = {0};
    object_write(ptx, strlen(ptx), 0, &out);
    return out;
}

static void what_is_put_in_is_read(void **state)
{
    (void)state;
    for (size_t n = 0; n <= sizeof ptx; n++) {  // any length, also with the null byte
        Text out = {0};
        Diag diag = {0};
        const char *text;
        size_t length;
        text_put(&out, "12345678");  // what stands before is kept
        object_write(ptx, n, 0, &out);
        assert_memory_equal(out.v, "12345678", 8);
        assert_int_equal(out.n % 8, 0);
        assert_true(object_is(out.v + 8));
        assert_int_equal(object_bytes(out.v + 8), out.n - 8);
        if (!object_read(out.v + 8, out.n - 8, &text, &length, &diag)) fail_msg("%s", diag.text.v);
        assert_int_equal(length, MIN(n, strlen(ptx)));
        assert_memory_equal(text, ptx, length);
        assert_int_equal(text[length], 0);
        text_free(&out);
    }
}

// EM_CUDA is 190 (the System V ABI's list), and LLVM's ELF.h has the flags: the architecture in bits 0 to 7, that of
// PTX in 16 to 23, and 0x400 for addresses of 64 bits.
static void tools_take_it_for_a_cubin(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        uint32_t flags;
    } of[] = {{"sm_75, debug", 0x4b044b}, {"sm_90a", 0x5a045a}, {"sm_30", 0x1e041e},
              {"compute_75", 0x000400},   {"", 0x000400},       {"sm_256", 0x000400},
              {"\n sm_255\n", 0xff04ff},  {"sm_", 0x000400}};
    for (size_t k = 0; k < COUNT(of); k++) {
        Text text = {0}, out = {0};
        Elf64_Ehdr h;
        text_printf(&text, ".version 7.0\n.target %s\n.address_size 64\n", of[k].target);
        object_write(text.v, text.n, 0, &out);
        memcpy(&h, out.v, sizeof h);
        assert_memory_equal(h.e_ident, "\x7f\x45\x4c\x46\x02\x01\x01\x33\x07onchip\x01", 16);
        assert_int_equal(h.e_machine, 190);
        assert_int_equal(h.e_flags, of[k].flags);
        text_free(&text), text_free(&out);
    }
}

static void it_is_a_file_with_device_code(void **state)
{
    (void)state;
    Text out = written(), text = {0};
    Diag diag = {0};
    BinaryModules all = {0};
    if (!binary_modules(out.v, out.n, &all, &diag)) fail_msg("%s", diag.text.v);
    assert_int_equal(all.n, 1);
    assert_true(all.v[0].of.ptx);
    assert_true(binary_text(&all.v[0], &text, &diag));
    assert_string_equal(text.v, ptx);
    text_free(&text);
    if (!binary_ptx(&out, "k", &(Wish){.capability = 0}, &text, &diag)) fail_msg("%s", diag.text.v);
    assert_string_equal(text.v, ptx);
    text_free(&text), text_free(&out), vec_free(&all);
}

static void refuse(const void *bytes, size_t n, const char *why)
{
    Diag diag = {0};
    const char *text;
    size_t length;
    assert_false(object_read(bytes, n, &text, &length, &diag));
    if (!strstr(diag.text.v, why)) fail_msg("'%s' isn't '%s'", diag.text.v, why);
    diag_free(&diag);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    Text out = written();
    for (size_t n = 0; n < out.n; n++) {  // every beginning of one
        char *copy = mem_alloc(n + 1);
        memcpy(copy, out.v, n);
        refuse(copy, n, n < OBJECT_HEAD ? "no object that onchip wrote" : "its end is missing");
        mem_free(copy);
    }
    refuse(ptx, sizeof ptx, "no object that onchip wrote");
    out.v[9] = 'O';
    assert_false(object_is(out.v));
    assert_int_equal(object_bytes(out.v), 0);
    refuse(out.v, out.n, "no object that onchip wrote");
    text_free(&out);
}

static void another_format_is_refused_by_name(void **state)
{
    (void)state;
    Text out = written();
    out.v[15] = 2;
    refuse(out.v, out.n, "onchip " ONCHIP_VERSION " wrote it, in format 2");
    assert_true(object_is(out.v));
    assert_int_equal(object_bytes(out.v), out.n);
    out.v[15] = 1;
    char *section = memmem(out.v, out.n, ".onchip.ptx", 11);
    section[8] = 'q';
    refuse(out.v, out.n, "no PTX in it");
    out.v[15] = 9;
    refuse(out.v, out.n, "onchip of another version wrote it, in format 9");
    text_free(&out);
}

// A byte that is another one leads nowhere outside of the file.
static void damage_does_no_harm(void **state)
{
    (void)state;
    Text out = written();
    for (size_t k = 0; k < out.n; k++)
        for (uint32_t bit = 0; bit < 8; bit++) {
            Diag diag = {0};
            const char *text;
            size_t length;
            out.v[k] ^= (char)(1u << bit);
            if (object_read(out.v, out.n, &text, &length, &diag)) {
                assert_true(text >= out.v && text + length < out.v + out.n);
                assert_int_equal(text[length], 0);
            } else {
                assert_true(diag.failed);
            }
            diag_free(&diag);
            out.v[k] ^= (char)(1u << bit);
        }
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_in_is_read),
        cmocka_unit_test(tools_take_it_for_a_cubin),
        cmocka_unit_test(it_is_a_file_with_device_code),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(another_format_is_refused_by_name),
        cmocka_unit_test(damage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
