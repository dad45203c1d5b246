// Whether a cache serves loads of a kind, on latencies made up: with and without noise, near the L2's latency, and
// where nothing can tell.
#include "check.h"
#include "probe/infer.h"

#include <math.h>

typedef struct Model {
    double hit, first, past;  // cycles: of a repeated load, of a line's first load, of a load past the L1
    double page;              // cycles more of the first load of each line, of both kinds
    double sigma;             // noise, as a part of the latency
    uint64_t seed;
} Model;

static double unit(uint64_t *s)
{
    *s = *s * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*s >> 11) / 9007199254740992.0;
}

static double noise(Model *m)  // the sum of twelve is nearly normal
{
    double sum = -6;
    for (int k = 0; k < 12; k++) sum += unit(&m->seed);
    return 1 + m->sigma * sum;
}

static bool run(void *of, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
                uint32_t *latency, Diag *diag)
{
    (void)diag;
    Model *m = of;
    for (uint32_t r = 0; r < rounds; r++)
        for (size_t w = 0; w < n; w++)
            for (uint32_t k = 0; k < walks[w].count; k++) {
                bool fresh = !r && (!k || walks[w].stride);
                double cycles = kind == CHASE_L2 ? m->past : fresh ? m->first : m->hit;
                if (walks[w].timed && r >= first) *latency++ = (uint32_t)((cycles + fresh * m->page) * noise(m) + 0.5);
            }
    return true;
}

static Value ask(Model m)
{
    Subject s = {.of = &m, .run = run, .cold = true};
    Presence p;
    Diag diag = {0};
    s.span[CHASE_GLOBAL] = s.span[CHASE_L2] = 1 << 30;
    assert_true(find_presence(&s, CHASE_GLOBAL, &p, &diag));
    subject_close(&s);
    return p.there;
}

static void answers(void **state)
{
    (void)state;
    static const struct {
        Model model;
        Verdict verdict;
        double there;
    } of[] = {
        {{.hit = 40, .first = 180, .past = 176}, MEASURED, 1},
        {{.hit = 360, .first = 377, .past = 371}, MEASURED, 1},
        {{.hit = 400, .first = 600, .past = 371}, MEASURED, 1},  // slower than past the L1: a texture cache
        {{.hit = 230, .first = 230, .past = 230}, MEASURED, 0},  // no cache
        {{.hit = 240, .first = 240, .past = 230}, MEASURED, 0},  // a longer way
        {{.hit = 230, .first = 230, .past = 230, .page = 50},
         MEASURED,
         0},                                                         // what a page's first load takes is no sign
        {{.hit = 360, .first = 360, .past = 371}, UNDETERMINED, 0},  // a shorter way, or a cache that is kept
        {{.hit = 360, .first = 377, .past = 371, .sigma = 0.08, .seed = 1}, MEASURED, 1},
        {{.hit = 371, .first = 371, .past = 371, .sigma = 0.08, .seed = 2}, MEASURED, 0},
        {{.hit = 100, .first = 160, .past = 160, .sigma = 0.08, .seed = 3}, MEASURED, 1},
        {{.hit = 365, .first = 371, .past = 371, .sigma = 0.25, .seed = 4}, UNDETERMINED, 0},
    };
    for (size_t k = 0; k < COUNT(of); k++) {
        Value v = ask(of[k].model);
        if (v.verdict != of[k].verdict || v.value != of[k].there)
            fail_msg("model %zu: verdict %d, %g", k, (int)v.verdict, v.value);
        assert_true(v.verdict == MEASURED || v.why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
