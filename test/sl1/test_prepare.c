// Kernels with calls and local variables: what inlining and forwarding leave of them, which structures the plan then
// sees, and what they compute, as they are, prepared and rewritten. Without ONCHIP_LONG each
// machine has a sixth of the settings.
#include "called.h"
#include "check.h"
#include "equal.h"
#include "ptx/ops.h"
#include "ptx/unit.h"
#include "sl1/unit.h"
#include "work/programs.h"

#include <string.h>

// --- what is left ----------------------------------------------------------------------------------------------------
static void mark(void *user, uint32_t reg, bool def)
{
    uint8_t *is = user;
    is[reg] |= def ? 1 : 2;
}

// Registers that are read and never written.
static uint32_t undefined(const Function *f)
{
    uint8_t *is = mem_alloc(f->regs.n + 1);
    uint32_t n = 0;
    for (size_t i = 0; i < f->insts.n; i++) inst_regs(&f->insts.v[i], mark, is);
    for (size_t r = 0; r < f->regs.n; r++) n += is[r] == 2;
    mem_free(is);
    return n;
}

static bool as_planned(const Called *c, const Text *ptx)
{
    Diag diag = {0};
    Module *m = ptx_parse(ptx->v, ptx->n, c->name, &diag);
    if (!m) fail_msg("%s: %s", c->name, diag.text.v);
    Text before = {0}, after = {0};
    ptx_print(m, &before);
    const Function *kernel = ptx_find(m, "k")->function;
    Function *f = sl1_prepare(kernel);
    Sl1Plan *p = sl1_plan(f, false);
    uint32_t calls = 0, variables = (uint32_t)f->locals.n;
    for (size_t n = 0; n < f->insts.n; n++) calls += f->insts.v[n].op == OP_CALL;
    bool right =
        calls == c->calls && variables == c->variables && p->structures == c->structures && p->unknown == c->unknown;
    right &= !calls || f->insts.n <= kernel->insts.n;  // a call that stays doesn't do so behind some that didn't
    if (!right)
        printf("%s: %u calls, %u variables, %u structures%s\n", c->name, calls, variables, p->structures,
               p->unknown ? ", unknown accesses" : "");
    if (undefined(f)) printf("%s: %u registers without definition\n", c->name, undefined(f)), right = false;
    sl1_plan_free(p), sl1_prepared_free(f);
    ptx_print(m, &after);
    right &= !strcmp(before.v, after.v);  // the kernel stays as it is
    text_free(&before), text_free(&after);
    ptx_free(m), diag_free(&diag);
    return right;
}

// --- what it computes ------------------------------------------------------------------------------------------------
static void fill(uint8_t data[2][BYTES])
{
    for (int b = 0; b < 2; b++)
        for (uint32_t k = 0; k < BYTES; k++) data[b][k] = called_byte(b, k);
}

static bool computes(const Called *c, const char *gpu, const char *how, const Text *ptx, bool rewritten)
{
    oc_device *d;
    oc_module *m;
    oc_kernel *k;
    oc_ptr p[2];
    char message[500];
    uint8_t data[2][BYTES], out[BYTES] = {0};
    fill(data);
    if (oc_open(&(oc_config){.gpu = gpu, .functional = true}, &d, message, sizeof message) != OC_OK)
        fail_msg("%s", message);
    SoftL1 *s = rewritten ? soft_l1_open(d, &(Sl1Options){.line = 16, .threshold = 3}) : NULL;
    bool ok = oc_load(d, ptx->v, ptx->n, "k.ptx", &m) == OC_OK && oc_kernel_get(m, "k", &k) == OC_OK;
    for (int b = 0; b < 2 && ok; b++)
        ok = oc_malloc(d, BYTES, NULL, &p[b]) == OC_OK && oc_write(d, p[b], data[b], BYTES, NULL) == OC_OK;
    const void *args[] = {&p[0], &p[1]};
    ok = ok && oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){THREADS, 1, 1}, 0, NULL, args) == OC_OK &&
         oc_read(d, out, p[1], BYTES, NULL) == OC_OK;
    if (!ok) printf("%s on %s, %s: %s\n", c->name, gpu, how, oc_error(d));
    for (uint32_t t = 0; t < THREADS && ok; t++) {
        uint32_t is, want = c->want(t);
        memcpy(&is, &out[t * OWN + 56], 4);
        if (is != want) printf("%s on %s, %s: thread %u has %x, not %x\n", c->name, gpu, how, t, is, want), ok = false;
    }
    soft_l1_close(s);
    oc_close(d);
    return ok;
}

static void all(void **state)
{
    (void)state;
    Tally tally = {.out = stdout};
    uint32_t wrong = 0;
    uint8_t data[2][BYTES];
    fill(data);
    for (size_t k = 0; k < called_count; k++) {
        const Called *c = &called[k];
        for (size_t g = 0; g < COUNT(machines); g++) {
            if (machines[g].sm < c->sm) continue;
            Text ptx = {0}, prepared = {0};
            Launch l = {.grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .apart = true};
            put_called(c, machines[g].sm, &ptx);
            prepared_text(&ptx, &prepared);
            wrong += !as_planned(c, &ptx);
            wrong += !computes(c, machines[g].gpu, "as it is", &ptx, false);
            wrong += !computes(c, machines[g].gpu, "prepared", &prepared, false);
            wrong += !computes(c, machines[g].gpu, "rewritten", &ptx, true);
            for (int b = 0; b < 2; b++) vec_push(&l.buffers, ((Buffer){data[b], BYTES, NULL}));
            for (int b = 0; b < 2; b++) vec_push(&l.args, ((Argument){8, b, 0}));
            compare_kernel(c->name, &machines[g], case_settings(k, g), &ptx, &l, &tally);
            vec_free(&l.buffers), vec_free(&l.args);
            text_free(&ptx), text_free(&prepared);
        }
    }
    printf("%u of %u kernels rewritten\n", tally.changed, tally.kernels);
    assert_int_equal(wrong + tally.different, 0);
}

// f<k> calls f<k − 1> twice and adds up what comes back: 2^k, and as many calls; those that there is no room for stay.
static uint32_t want_power(uint32_t t) { return 10 * (1u << 13) + 0 * t; }

static void large(void **state)
{
    (void)state;
    Text functions = {0}, ptx = {0}, prepared = {0};
    text_put(&functions, FUNCTION("f0", "    st.param.b32 [r], 1;\n    ret;\n"));
    for (int k = 1; k <= 13; k++)
        text_printf(&functions,
                    ".func (.param .b32 r) f%d(.param .b64 p, .param .b32 n)\n{\n    .reg .b32 %%r<3>;\n    call "
                    "(%%r1), f%d, (0, 1);\n    call (%%r2), f%d, (0, 2);\n"
                    "    add.u32 %%r1, %%r1, %%r2;\n    st.param.b32 [r], %%r1;\n    ret;\n}\n",
                    k, k - 1, k - 1);
    Called c = {.name = "a tower of calls",
                .functions = functions.v,
                .body = LOOP(10, "    call (%r2), f13, (%a, %r0);\n    add.u32 %r1, %r1, %r2;\n"),
                .want = want_power};
    put_called(&c, 35, &ptx);
    prepared_text(&ptx, &prepared);
    Diag diag = {0};
    Module *m = ptx_parse(prepared.v, prepared.n, c.name, &diag);
    assert_non_null(m);
    const Function *f = ptx_find(m, "k")->function;
    uint32_t calls = 0;
    for (size_t n = 0; n < f->insts.n; n++) calls += f->insts.v[n].op == OP_CALL;
    assert_in_range(f->insts.n, 2000, 4096);
    assert_in_range(calls, 1, 1000);
    assert_true(computes(&c, "titan_black", "as it is", &ptx, false));
    assert_true(computes(&c, "titan_black", "prepared", &prepared, false));
    ptx_free(m);
    text_free(&functions), text_free(&ptx), text_free(&prepared);
}

// A copy of the kernel would have a variable of its own, and launches may alternate.
static const struct Left {
    Called called;
    const char *why;
} kept[] = {
    {{.name = "own",
      .functions = "",
      .body = "    .global .u32 launches;\n    red.global.add.u32 [launches], 1;\n" LOOP(
          10, "    ld.global.u32 %r2, [%a];\n")},
     "it has a variable of its own in global memory"},
    {{.name = "together",
      .functions = ".func wait()\n{\n    .shared .b32 once;\n    bar.sync 0;\n    ret;\n}\n.func stay()\n{\n    "
                   ".shared .b32 once;\n    call wait;\n    ret;\n}\n",
      .body = LOOP(10, "    ld.global.u32 %r2, [%a];\n    call stay;\n")},
     "a warp must stay together in a function that it calls"},
};

static void left_alone(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(kept); k++) {
        Text ptx = {0}, out = {0};
        Diag diag = {0};
        Sl1Module of;
        put_called(&kept[k].called, 35, &ptx);
        bool read = sl1_rewrite_text(ptx.v, ptx.n, kept[k].called.name, &sl1_defaults, false, &out, &of, &diag);
        if (!read) fail_msg("%s", diag.text.v);
        assert_string_equal(of.kernels.v[0].left, kept[k].why);
        sl1_module_free(&of);
        text_free(&ptx), text_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all), cmocka_unit_test(large), cmocka_unit_test(left_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
