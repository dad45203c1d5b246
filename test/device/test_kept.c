// What blocks leave for later launches: a program that launches often takes no new pages of the host for it, whatever
// the shapes of its launches, and a launch finds nothing of what an earlier one left.
#include "check.h"

#include <onchip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

// fill leaves ones in all of its shared memory, in local memory and in the frame of a function; look reads such memory
// without having written to it, and adds what it finds to *out.
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".func leave(.param .b32 v)\n"
    "{\n"
    "    .reg .b32 %r<4>;\n    .local .align 4 .b8 room[256];\n    .reg .b64 %rd<4>;\n"
    "    ld.param.b32 %r1, [v];\n    mov.u64 %rd1, room;\n    st.local.u32 [%rd1+128], %r1;\n    ret;\n"
    "}\n"
    ".visible .entry fill(.param .u64 out)\n"
    "{\n"
    "    .reg .b32 %r<4>;\n    .reg .b64 %rd<4>;\n    .reg .pred %p1;\n"
    "    .shared .align 4 .b8 tile[8192];\n    .local .align 4 .b8 room[1024];\n"
    "    mov.u32 %r1, %tid.x;\n    shl.b32 %r1, %r1, 2;\n    mov.u32 %r2, 0xffffffff;\n"
    "    cvt.u64.u32 %rd1, %r1;\n    mov.u64 %rd2, tile;\n    add.u64 %rd1, %rd1, %rd2;\n    mov.u64 %rd3, room;\n"
    "AGAIN:\n"
    "    st.shared.u32 [%rd1], %r2;\n    st.local.u32 [%rd3], %r2;\n"
    "    add.u64 %rd1, %rd1, 1024;\n    add.u64 %rd3, %rd3, 128;\n    add.u32 %r1, %r1, 1024;\n"
    "    setp.lt.u32 %p1, %r1, 8192;\n    @%p1 bra AGAIN;\n"
    "    {\n        .param .b32 v;\n        st.param.b32 [v], %r2;\n        call leave, (v);\n    }\n"
    "    ret;\n"
    "}\n"
    ".visible .entry look(.param .u64 out)\n"
    "{\n"
    "    .reg .b32 %r<8>;\n    .reg .b64 %rd<4>;\n"
    "    .shared .align 4 .b8 tile[512];\n    .local .align 4 .b8 room[512];\n"
    "    mov.u32 %r1, %tid.x;\n    shl.b32 %r1, %r1, 2;\n    cvt.u64.u32 %rd1, %r1;\n    mov.u64 %rd2, tile;\n"
    "    add.u64 %rd1, %rd1, %rd2;\n    ld.shared.u32 %r2, [%rd1];\n    mov.u64 %rd3, room;\n"
    "    ld.local.u32 %r3, [%rd3+128];\n    or.b32 %r2, %r2, %r3;\n    ld.param.u64 %rd1, [out];\n"
    "    red.global.add.u32 [%rd1], %r2;\n    ret;\n"
    "}\n";

enum { THREADS = 256 };

typedef struct Work {
    oc_device *device;
    oc_kernel *fill, *look;
    oc_ptr out;
} Work;

static Work begin(bool functional)
{
    char message[1000];
    Work w;
    oc_module *m;
    oc_config config = {.gpu = "h200", .functional = functional, .simulate_all = true};  // not what repeats take
    if (oc_open(&config, &w.device, message, sizeof message) != OC_OK) fail_msg("%s", message);
    if (oc_load(w.device, ptx, strlen(ptx), "kept.ptx", &m) != OC_OK || oc_kernel_get(m, "fill", &w.fill) != OC_OK ||
        oc_kernel_get(m, "look", &w.look) != OC_OK || oc_malloc(w.device, 4, "out", &w.out) != OC_OK)
        fail_msg("%s", oc_error(w.device));
    return w;
}

// One launch of each kernel, the second one with smaller blocks.
static void launch_both(Work *w, uint32_t blocks)
{
    const void *args[] = {&w->out};
    if (oc_launch(w->fill, (oc_dim3){blocks, 1, 1}, (oc_dim3){THREADS, 1, 1}, 0, NULL, args) != OC_OK ||
        oc_launch(w->look, (oc_dim3){blocks, 1, 1}, (oc_dim3){64, 1, 1}, 0, NULL, args) != OC_OK)
        fail_msg("%s", oc_error(w->device));
    oc_forget(w->device, 1);
}

static long faults(void)
{
    struct rusage u;
    assert_int_equal(getrusage(RUSAGE_SELF, &u), 0);
    return u.ru_minflt;
}

// An SM of h200 holds 8 such blocks: with 400 blocks most SMs hold 3 or 4, and without time 400 are under way at most.
static void few_faults(bool functional, uint32_t blocks, uint32_t pairs)
{
    Work w = begin(functional);
    for (int k = 0; k < 3; k++) launch_both(&w, blocks);
    long before = faults();
    for (uint32_t k = 0; k < pairs; k++) launch_both(&w, blocks);
    long each = (faults() - before) / (2 * (long)pairs);
    oc_close(w.device);
    if (each > 2) fail_msg("%ld page faults a launch%s", each, functional ? " without time" : "");
}

static void pages(void **state)
{
    (void)state;
    if (getenv("ONCHIP_SANITIZED")) skip();  // AddressSanitizer puts what is freed aside
    few_faults(true, 400, 20);
    few_faults(false, 400, 4);
}

static void nothing_is_left(void **state)
{
    (void)state;
    for (int functional = 0; functional < 2; functional++) {
        uint32_t found = 0;
        Work w = begin(functional);
        assert_int_equal(oc_write(w.device, w.out, &found, sizeof found, NULL), OC_OK);
        launch_both(&w, 300), launch_both(&w, 2);
        assert_int_equal(oc_read(w.device, &found, w.out, sizeof found, NULL), OC_OK);
        assert_int_equal(found, 0);
        oc_close(w.device);
    }
}

// Under check, a block with an mbarrier, and then one of more shared memory, of which nothing is asynchronous.
static void more_is_checked(void **state)
{
    (void)state;
    static const char text[] =
        ".version 7.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 tile[];\n"
        ".visible .entry k(.param .u32 bytes)\n"
        "{\n"
        "    .reg .b32 %r<4>;\n    .reg .pred %p<3>;\n"
        "    ld.param.u32 %r1, [bytes];\n    setp.eq.u32 %p1, %r1, 0;\n    mov.u32 %r2, tile;\n"
        "    @%p1 mbarrier.init.shared.b64 [%r2], 1;\n    @%p1 ret;\n"
        "    add.u32 %r1, %r1, %r2;\n"
        "AGAIN:\n"
        "    st.shared.u32 [%r2], %r2;\n    add.u32 %r2, %r2, 4;\n    setp.lt.u32 %p2, %r2, %r1;\n    @%p2 bra AGAIN;\n"
        "    ret;\n"
        "}\n";
    oc_config config = {.gpu = "h200", .functional = true, .check = true};
    oc_device *d;
    oc_module *m;
    oc_kernel *k;
    assert_int_equal(oc_open(&config, &d, NULL, 0), OC_OK);
    if (oc_load(d, text, strlen(text), "more.ptx", &m) != OC_OK || oc_kernel_get(m, "k", &k) != OC_OK)
        fail_msg("%s", oc_error(d));
    for (uint32_t n = 0; n < 5; n++) {
        const uint32_t room = 64u << 2 * n, bytes = n % 2 ? room : 0;
        const void *args[] = {&bytes};
        oc_finding f;
        if (oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){1, 1, 1}, room, NULL, args) != OC_OK)
            fail_msg("%s", oc_error(d));
        if (oc_launch_finding(d, n, 0, &f)) fail_msg("%s at %s", f.kind, f.at[1].where);
    }
    oc_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pages), cmocka_unit_test(nothing_is_left),
                                       cmocka_unit_test(more_is_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
