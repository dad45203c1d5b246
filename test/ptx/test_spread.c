// Which bank each word lies in. Banks are equally full, whatever the function. Words that are read together lie apart,
// as far as there are banks for them. Over random functions fewer than half as many meet as by number.
#include "check.h"
#include "ptx/strands.h"
#include "ptx/unit.h"
#include "random_ptx.h"

// Reads of an instruction beyond the first to the bank that it asks most of, weighed by loops, over a function.
static double conflicts(const Flow *w, const Files *f, uint32_t banks, bool spread)
{
    double sum = 0;
    for (uint32_t at = 0; at + 1 < w->blocks.n; at++) {
        const Block *k = &w->blocks.v[at];
        double weight = 1;
        for (uint32_t d = k->loop == NO_BLOCK ? 0 : w->loops.v[k->loop].depth; d && weight < 1e6; d--) weight *= 10;
        for (uint32_t i = k->first; i < k->last; i++) {
            uint32_t of[64] = {0}, most = 1;
            for (uint32_t x = f->first[i]; x < f->first[i + 1]; x++) {
                const RegAccess *a = &f->access[x];
                if (a->write || (a->file != FILE_MAIN && !a->main)) continue;
                uint32_t n = ++of[spread ? f->bank[a->slot] : a->slot % banks];
                if (n > most) most = n;
            }
            sum += weight * (most - 1);
        }
    }
    return sum;
}

static double look(const Function *f, uint32_t banks, double *before)
{
    Flow *w = flow_build(f);
    flow_live(w);
    Alloc *a = alloc_colour(w);
    Files *files = files_allocate(w, a, 1, 4, false);
    files_spread(files, w, a->slots, banks);
    uint32_t used[64] = {0}, least = a->slots / banks, most = (a->slots + banks - 1) / banks;
    for (uint32_t s = 0; s < a->slots; s++) {
        assert_true(files->bank[s] < banks);
        used[files->bank[s]]++;
    }
    for (uint32_t b = 0; b < banks; b++) assert_true(used[b] <= most && (used[b] >= least || a->slots < banks));
    double now = conflicts(w, files, banks, true);
    *before = conflicts(w, files, banks, false);
    files_free(files), alloc_free(a), flow_free(w);
    return now;
}

// Four words that fma reads three of at a time, whose numbers are those of one bank among two, and two that wait.
static void apart(void **state)
{
    (void)state;
    static const char text[] =
        ".version 8.8 .target sm_30 .address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b64 %p; .reg .f32 %a<9>; .reg .pred %q;\n ld.param.u64 %p, [p];\n"
        " ld.global.f32 %a0, [%p];\n ld.global.f32 %a1, [%p+4];\n ld.global.f32 %a2, [%p+8];\n"
        " ld.global.f32 %a3, [%p+12];\n ld.global.f32 %a4, [%p+16];\n ld.global.f32 %a5, [%p+20];\n"
        "L: fma.rn.f32 %a6, %a0, %a2, %a4;\n st.global.f32 [%p], %a6;\n"
        " fma.rn.f32 %a7, %a1, %a3, %a5;\n st.global.f32 [%p], %a7;\n"
        " setp.lt.f32 %q, %a7, %a0;\n @%q bra L;\n ret;\n}\n";
    Diag diag = {0};
    Module *m = ptx_parse(text, sizeof text - 1, "apart.ptx", &diag);
    if (!m) fail_msg("%s", diag.text.v);
    double before;
    assert_true(look(m->functions.v[0], 4, &before) == 0);
    assert_true(look(m->functions.v[0], 1, &before) == before && before > 0);
    ptx_free(m);
}

static void any_function(void **state)
{
    (void)state;
    double before = 0, now = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        Module *m = random_module(seed, 1 + (int)(seed % 5));
        for (uint32_t banks = 1; banks <= 64; banks *= 4) {
            double was;
            double is = look(m->functions.v[0], banks, &was);
            if (banks == 4) before += was, now += is;
        }
        ptx_free(m);
    }
    assert_true(now < before / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(apart), cmocka_unit_test(any_function)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
