// Fat binaries that are written: their bytes are those of the toolkit's fatbinary, and what reads fat binaries finds in
// them what was put in.
#include "base/base.h"
#include "driver/fatbin.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// No comments, and no space at the beginning of a line: fatbinary leaves them out. With their null bytes they have 8 n,
// 8 n + 1 and 8 n - 1 bytes.
static const FatbinText modules[] = {
    {".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\nret;\n}\n.", {75, 0}},
    {".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\nret;\n}\n\n\n", {90, 0}},
    {".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\nret;\n}", {90, 'a'}},
    {"\n\n.version 8.8\n.target sm_100f\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n", {100, 'f'}},
};

static Text written(const FatbinText *list, size_t n)
{
    Text out = {0};
    Diag diag = {0};
    if (!fatbin_write(list, n, &out, &diag)) fail_msg("%s", diag.text.v);
    return out;
}

// fatbinary 13.0 wrote this: fatbinary --64 --create=f --compress=false --image3=kind=ptx,sm=90a,file=a.ptx
static void bytes_are_those_that_were_seen(void **state)
{
    (void)state;
    static const uint8_t seen[] = {
        0x50, 0xed, 0x55, 0xba, 1,    0,   16,  0,   0x68, 0,   0,    0,   0,    0,   0,   0,  // magic, version, bytes
        1,    0,    1,    1,    0x50, 0,   0,   0,   24,   0,   0,    0,   0,    0,   0,   0,  // PTX; header, contents
        0,    0,    0,    0,    0x40, 0,   0,   0,   8,    0,   7,    0,   90,   0,   0,   0,  // options; 7.8; sm_90
        0,    0,    0,    0,    0,    0,   0,   0,   0x11, 0,   0x10, 0,   0,    0,   0,   0,  // flags: kind a
        0,    0,    0,    0,    0,    0,   0,   0,   0,    0,   0,    0,   0,    0,   0,   0,  //
        0x48, 0,    0,    0,    0,    0,   0,   0,   0,    0,   0,    0,   0,    0,   0,   0,  // the options: no text
        '.',  'v',  'e',  'r',  's',  'i', 'o', 'n', ' ',  '7', '.',  '8', '\n', '.', 'b', '8',
        ' ',  'v',  ';',  0,    0,    0,   0,   0,
    };
    Text out = written(&(FatbinText){".version 7.8\n.b8 v;", {90, 'a'}}, 1);
    assert_int_equal(out.n, sizeof seen);
    assert_memory_equal(out.v, seen, sizeof seen);
    text_free(&out);
    Text empty = written(NULL, 0);
    assert_int_equal(empty.n, 16);
    assert_memory_equal(empty.v, seen, 8);
    assert_memory_equal(empty.v + 8, "\0\0\0\0\0\0\0", 8);
    text_free(&empty);
}

// Runs fatbinary on the modules from `from` on, and compares its container with ours.
static void compare(const char *folder, size_t from, size_t n)
{
    char path[100], command[1000];
    Text theirs = {0}, ours = written(modules + from, n);
    int end =
        snprintf(command, sizeof command, "cd %s && PATH=$PATH:/usr/local/cuda/bin fatbinary --64 --create=f", folder);
    for (size_t k = from; k < from + n; k++) {
        Text ptx = {0}, target = {0};
        snprintf(path, sizeof path, "%s/%zu.ptx", folder, k);
        text_put(&ptx, modules[k].ptx), target_put(modules[k].of, &target);
        assert_true(text_write_file(&ptx, path));
        end +=
            snprintf(command + end, sizeof command - (size_t)end, " --image3=kind=ptx,sm=%s,file=%zu.ptx", target.v, k);
        text_free(&ptx), text_free(&target);
    }
    snprintf(command + end, sizeof command - (size_t)end, " --compress=false");
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/f", folder);
    assert_true(text_read_file(&theirs, path));
    assert_int_equal(ours.n, theirs.n);
    assert_memory_equal(ours.v, theirs.v, theirs.n);
    text_free(&theirs), text_free(&ours);
}

static void bytes_are_those_of_fatbinary(void **state)
{
    (void)state;
    Diag diag = {0};
    Text folder = {0};
    char command[200];
    // 13.0 is the first that takes all these targets, and writes this layout.
    if (system("PATH=$PATH:/usr/local/cuda/bin; fatbinary --version 2>/dev/null | grep -q 'release 1[3-9]'")) skip();
    assert_true(folder_for_a_while(&folder, &diag));
    for (size_t k = 0; k < COUNT(modules); k++) compare(folder.v, k, 1);
    compare(folder.v, 0, COUNT(modules));
    snprintf(command, sizeof command, "rm -r %s", folder.v);
    assert_int_equal(system(command), 0);
    text_free(&folder);
}

static void all_is_found_again(void **state)
{
    (void)state;
    Diag diag = {0};
    for (size_t n = 1; n <= COUNT(modules); n++) {
        BinaryModules all = {0};
        Text out = written(modules, n);
        if (!binary_modules(out.v, out.n, &all, &diag)) fail_msg("%s", diag.text.v);
        assert_int_equal(all.n, n);
        for (size_t k = 0; k < n; k++) {
            Text ptx = {0};
            const FatbinPart *of = &all.v[k].of;
            assert_true(of->ptx);
            assert_int_equal(of->of.capability, modules[k].of.capability);
            assert_int_equal(of->of.kind, modules[k].of.kind);
            assert_true(binary_text(&all.v[k], &ptx, &diag));
            assert_string_equal(ptx.v, modules[k].ptx);
            text_free(&ptx);
        }
        vec_free(&all), text_free(&out);
    }
}

// As the runtime does it, through the wrapper that a program has.
static void each_is_chosen(void **state)
{
    (void)state;
    Text out = written(modules, COUNT(modules));
    const struct {
        uint32_t magic, version;
        const void *container, *list;
    } wrapper = {0x466243b1, 1, out.v, NULL};
    for (size_t k = 0; k < COUNT(modules); k++) {
        Text ptx = {0};
        Diag diag = {0};
        const Wish wish = {.only = modules[k].of};
        if (!fatbin_ptx(&wrapper, &wish, &ptx, &diag)) fail_msg("%s", diag.text.v);
        assert_string_equal(ptx.v, modules[k].ptx);
        text_free(&ptx);
    }
    text_free(&out);
}

// What is in the text before is kept, and the container's size is its own.
static void several_follow_one_another(void **state)
{
    (void)state;
    Text out = written(&modules[0], 1);
    Diag diag = {0};
    BinaryModules all = {0};
    assert_true(fatbin_write(&modules[1], 2, &out, &diag));
    assert_true(binary_modules(out.v, out.n, &all, &diag));
    assert_int_equal(all.n, 3);
    for (size_t k = 0; k < all.n; k++) assert_int_equal(all.v[k].container, k ? 2 : 1);
    vec_free(&all), text_free(&out);
}

static void what_is_no_ptx_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "", "ret;", ".version", ".version x", ".version 7", ".version 65536.0", ".version 7.65536", "/* .version 7.0"};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        Text out = {0};
        Diag diag = {0};
        const FatbinText list[] = {modules[0], {wrong[k], {75, 0}}};
        if (fatbin_write(list, 2, &out, &diag)) fail_msg("'%s' is taken", wrong[k]);
        assert_non_null(strstr(diag.text.v, "isn't PTX"));
        text_free(&out), diag_free(&diag);
    }
    Text out = written(&(FatbinText){"// a comment\n/* .version 1.0 */ .version\t65535.65535\n", {75, 0}}, 1);
    assert_memory_equal(out.v + 16 + 0x18, "\xff\xff\xff\xff", 4);
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_that_were_seen),
        cmocka_unit_test(bytes_are_those_of_fatbinary),
        cmocka_unit_test(all_is_found_again),
        cmocka_unit_test(each_is_chosen),
        cmocka_unit_test(several_follow_one_another),
        cmocka_unit_test(what_is_no_ptx_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
