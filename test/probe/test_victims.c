// What drawn victims can and can't explain; draws that alternate are told from independent ones.
#include "check.h"
#include "probe/infer.h"

#include <string.h>

// --- assignments -----------------------------------------------------------------------------------------------------
// A text of loads: a letter is a line, a capital one missed, a small one hit, one after '?' wasn't looked at.
static uint64_t wrong_in(const char *text, uint32_t ways, uint32_t strangers)
{
    Seen seen[100];
    size_t n = 0;
    for (const char *c = text; *c; c++) {
        bool open = *c == '?';
        c += open;
        seen[n++] = (Seen){(uint64_t)((*c | 32) - 'a'), open ? OUTCOME_OPEN : *c & 32 ? OUTCOME_HIT : OUTCOME_MISS};
    }
    Shape one = {.form = FORM_ONE, .sets = 1, .ways = &ways, .lines = ways};
    return explain_victims(&one, seen, n, strangers);
}

static void assignments(void **state)
{
    (void)state;
    assert_int_equal(wrong_in("ABabab", 2, 0), 0);
    assert_int_equal(wrong_in("ABA", 2, 0), 1);     // nothing went yet
    assert_int_equal(wrong_in("ABCab", 2, 0), 1);   // C took no one's place
    assert_int_equal(wrong_in("ABCAB", 2, 0), 0);   // C took A's place, A then B's or C's
    assert_int_equal(wrong_in("ABCBac", 2, 0), 1);  // C took B's, B's return then A's or C's, and both hit
    assert_int_equal(wrong_in("ABCaBA", 2, 0), 0);  // C took B's, B A's
    assert_int_equal(wrong_in("ABDaBC", 3, 0), 1);  // B wasn't a victim: the set isn't full before D
    assert_int_equal(wrong_in("ABab", 2, 1), 0);    // a stranger may be the first to go
    assert_int_equal(wrong_in("ABA", 2, 1), 0);     // or may not
    assert_int_equal(wrong_in("ABABA", 2, 1), 0);
}

// Whether a line was there isn't known of the loads that weren't looked at.
static void unseen_loads(void **state)
{
    (void)state;
    assert_int_equal(wrong_in("ABC?a?bab", 2, 0), 0);    // C took A's place, and A C's
    assert_int_equal(wrong_in("ABC?a?b?cab", 2, 0), 1);  // three in two ways
    assert_int_equal(wrong_in("ABC?a?babc", 2, 0), 1);
    // V took U's place, U then Y's, and Y X's: had V taken X's, nothing would have taken Y's in time.
    assert_int_equal(wrong_in("XUYVy?uYX", 3, 0), 0);
}

// --- draws -----------------------------------------------------------------------------------------------------------
// A set of four ways. Way 1 is every second victim, strictly; the others are drawn.
typedef struct Alternating {
    Subject subject;
    uint64_t seed;
    bool strict, heavy;
} Alternating;

static uint32_t draw(Alternating *a, uint32_t n)
{
    a->seed = a->seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((a->seed >> 33) % n);
}

static bool answer(void *of, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
                   uint32_t *latency, Diag *diag)
{
    (void)kind, (void)diag;
    Alternating *a = of;
    uint64_t tag[4] = {~0ull, ~0ull, ~0ull, ~0ull};
    static const uint32_t others[] = {0, 2, 3};
    for (uint32_t r = 0; r < rounds; r++)
        for (size_t w = 0; w < n; w++)
            for (uint32_t k = 0; k < walks[w].count; k++) {
                uint64_t line = (walks[w].start + (uint64_t)walks[w].stride * k) / 128;
                uint32_t way = 0;
                while (way < 4 && tag[way] != line) way++;
                bool hit = way < 4;
                for (way = hit ? way : 0; !hit && way < 4 && tag[way] != ~0ull;) way++;
                if (way == 4) a->heavy = a->strict ? !a->heavy : draw(a, 2), way = a->heavy ? 1 : others[draw(a, 3)];
                tag[way] = line;
                if (walks[w].timed && r >= first) *latency++ = hit ? 20 : 100;
            }
    return true;
}

static void follow(bool strict, Found *f)
{
    uint32_t ways = 4;
    Alternating a = {.subject = {.run = answer, .cold = true}, .seed = 7, .strict = strict};
    a.subject.of = &a, a.subject.span[CHASE_GLOBAL] = 1 << 20;
    Level l = {
        .subject = &a.subject, .unit = 128, .low = 20, .high = 100, .low_sd = 0.5, .high_sd = 0.5, .outliers = 1e-4};
    Shape one = {.form = FORM_ONE, .rule = RULE_WEIGHTED, .sets = 1, .ways = &ways, .lines = ways};
    level_learn(&l, NULL, 0);
    *f = (Found){0};
    for (uint32_t w = 0; w < 4; w++) f->weight[w] = counted(w == 1 ? 0.5 : 1.0 / 6);
    test_draws(&l, &one, 0, f);
    level_close(&l);
    subject_close(&a.subject);
    assert_int_equal(f->heavy, 1);
}

static void independence(void **state)
{
    (void)state;
    Found f;
    follow(false, &f);
    assert_true(f.again.low < 0.5 && f.again.high > 0.5 && f.draws_p > 0.01);
    follow(true, &f);
    assert_true(f.again.value == 0 && f.draws_p < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(assignments), cmocka_unit_test(unseen_loads),
                                       cmocka_unit_test(independence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
