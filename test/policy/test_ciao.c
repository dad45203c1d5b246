// CIAO's detector, lists and decisions, access by access, as the paper's Figures 3b, 4c, 5 and 6, Equation 1 and
// Algorithm 1 have them. The policy's file is included, since its lists are nobody else's.
#include "base/base.h"
#include "check.h"

#include "fake.h"
#include "policy/ciao.c"

enum { SLOTS = 48 };

// fake: 48 warps of two schedulers, all of them ready.
static Own *begin(Fake *f, const oc_policy_type *t)
{
    fake_open(f, t, 2, SLOTS);
    for (uint32_t w = 0; w < SLOTS; w++) fake_start(f, w);
    return f->p.own;
}

// `by` pushes a line of `warp` out, and the warp asks for it again.
static void interfere(Fake *f, uint32_t warp, uint32_t by)
{
    static uint64_t line = 1000;
    line++;
    fake_miss(f, by, line + 100000, warp, line);
    fake_miss(f, warp, line, OC_NO_WARP, 0);
}

// --- the detector ----------------------------------------------------------------------------------------------------
// Figure 3b: the entry lies with the warp that brought the line, and holds who pushed it out.
static void victim_tags(void **state)
{
    (void)state;
    Fake f;
    Own *o = begin(&f, &policy_ciao_t);
    fake_miss(&f, 1, 50, 0, 40);  // W1 brings 50 and pushes out 40 of W0
    fake_miss(&f, 1, 40, OC_NO_WARP, 0);
    assert_int_equal(o->hits[0] + o->hits[1], 0);  // it was W0's
    fake_miss(&f, 0, 40, OC_NO_WARP, 0);
    assert_int_equal(o->hits[0], 1);
    assert_int_equal(o->interferer[0], 1);
    fake_miss(&f, 0, 40, OC_NO_WARP, 0);  // the tag was taken: the line is in the cache again
    assert_int_equal(o->hits[0], 1);
    // Eight tags, first in, first out (Table I).
    for (uint64_t k = 0; k < 9; k++) fake_miss(&f, 2, 500 + k, 3, 400 + k);
    fake_miss(&f, 3, 400, OC_NO_WARP, 0);
    assert_int_equal(o->hits[3], 0);
    for (uint64_t k = 1; k < 9; k++) fake_miss(&f, 3, 400 + k, OC_NO_WARP, 0);
    assert_int_equal(o->hits[3], 8);
    assert_int_equal(f.count[VTA_HITS], 9);
    // Stores, hits and merges find no tag and leave none.
    oc_access_event e = {.outcome = OC_MISS, .store = true, .warp = 4, .owner = 5, .line = 7, .victim = 8};
    seen(&f.p, &e);
    fake_miss(&f, 5, 8, OC_NO_WARP, 0);
    fake_miss(&f, 4, 9, 5, 10);
    e = (oc_access_event){.outcome = OC_MERGE, .warp = 5, .line = 10, .owner = 5, .victim = OC_NO_LINE};
    seen(&f.p, &e);
    assert_int_equal(o->hits[5], 0);
    fake_miss(&f, 5, 10, OC_NO_WARP, 0);
    assert_int_equal(o->hits[5], 1);
    fake_close(&f);
}

// Figure 4c: W32 interferes with W34 until the counter is 11; W42 takes it to 10, W32 back to 11. Only at 00 is it
// replaced.
static void interference_list(void **state)
{
    (void)state;
    Fake f;
    Own *o = begin(&f, &policy_ciao_t);
    static const struct {
        uint32_t by, then, counter;
    } steps[] = {{32, 32, 0}, {32, 32, 1}, {32, 32, 2}, {32, 32, 3}, {32, 32, 3}, {42, 32, 2}, {32, 32, 3},
                 {42, 32, 2}, {42, 32, 1}, {42, 32, 0}, {42, 42, 0}, {32, 32, 0}, {34, 34, 0}, {34, 34, 1}};
    for (size_t k = 0; k < COUNT(steps); k++) {
        interfere(&f, 34, steps[k].by);
        assert_int_equal(o->interferer[34], steps[k].then);
        assert_int_equal(o->counter[34], steps[k].counter);
    }
    assert_int_equal(o->hits[34], COUNT(steps));
    fake_close(&f);
}

static bool near(double a, double b) { return a > b * (1 - 1e-12) && a < b * (1 + 1e-12); }

// Equation 1, its literal reading in Algorithm 1, and both over an epoch alone.
static void score(void **state)
{
    (void)state;
    Fake f;
    Own *o = begin(&f, &policy_ciao_t);
    for (int k = 0; k < 3; k++) interfere(&f, 7, 8);
    f.instructions = f.threads = 5000;
    assert_true(near(irs(&f.p, 7, LONG), 3.0 / (5000.0 / 48)));  // 0.0288
    assert_true(irs(&f.p, 8, LONG) == 0);
    oc_set(&f.sm, f.p.issue, 1, false);  // a stalled warp isn't active
    fake_stop(&f, 2);
    assert_true(near(irs(&f.p, 7, LONG), 3.0 / (5000.0 / 46)));
    f.param[LITERAL] = 1;
    assert_true(near(irs(&f.p, 7, LONG), 3.0 / 5000 / 46));
    for (int k = 0; k < 2; k++) interfere(&f, 0, 8);
    f.param[LITERAL] = 0, f.param[PER_EPOCH] = 1;
    o->end[LONG] = 5000, o->end[SHORT] = 1 << 30;
    epoch(&f.p);
    assert_true(near(irs(&f.p, 7, LONG), 3.0 / (5000.0 / 46)));
    assert_true(near(irs(&f.p, 0, LONG), 2.0 / (5000.0 / 46)));
    interfere(&f, 7, 8);
    assert_true(near(irs(&f.p, 7, LONG), 3.0 / (5000.0 / 46)));  // until the next epoch is over
    f.instructions = f.threads = 10100;
    epoch(&f.p);
    assert_true(near(irs(&f.p, 7, LONG), 1.0 / (5100.0 / 46)));
    fake_close(&f);
}

// --- what follows ----------------------------------------------------------------------------------------------------
// Makes a warp suffer from another beyond the high cut-off, and runs a long epoch. W47 issues, which is the youngest:
// all others have their turns before it.
static void long_epoch(Fake *f, uint32_t warp, uint32_t by)
{
    Own *o = f->p.own;
    for (int k = 0; k < 40 && warp != OC_NO_WARP; k++) interfere(f, warp, by);
    fake_issue(f, 46, 1);  // W47's scheduler is another one
    fake_issue(f, 47, o->end[LONG] - f->instructions);
    fake_idle(f, 3);
}
static void short_epochs(Fake *f, uint64_t n) { fake_issue(f, 47, 100 * n), fake_idle(f, 3); }

// The example of §IV-A and Figure 6: W1 is isolated since W0 suffers, then stalled since W3 does. When W3 no longer
// does it is let go, and when W0 no longer does it goes back to the L1.
static void figure_6(void **state)
{
    (void)state;
    Fake f;
    Own *o = begin(&f, &policy_ciao_c);
    long_epoch(&f, 0, 1);
    assert_true(oc_has(&f.sm, f.p.isolated, 1) && !is_stalled(&f.p, 1));
    assert_int_equal(o->isolated_for[1].warp, 0);
    assert_int_equal(o->stalled_for[1].warp, OC_NO_WARP);
    o->interferer[0] = OC_NO_WARP;  // W0 is isolated from it now
    long_epoch(&f, 3, 1);
    assert_true(oc_has(&f.sm, f.p.isolated, 1) && is_stalled(&f.p, 1));
    assert_int_equal(o->stalled_for[1].warp, 3);
    assert_int_equal(f.count[ISOLATIONS], 1);
    assert_int_equal(f.count[STALLS], 1);
    o->interferer[3] = OC_NO_WARP;
    // 40 hits · 47 active warps / instructions ≤ 0.005 from 376,000 instructions on.
    while (f.instructions + 100 < 376000) short_epochs(&f, 1);
    assert_true(is_stalled(&f.p, 1));
    short_epochs(&f, 2);
    assert_false(is_stalled(&f.p, 1));
    assert_int_equal(f.count[RELEASES], 1);
    assert_true(oc_has(&f.sm, f.p.isolated, 1));  // one thing in a turn
    o->hits[0] = 0;
    short_epochs(&f, 2);
    assert_false(oc_has(&f.sm, f.p.isolated, 1));
    assert_int_equal(f.count[RETURNS], 1);
    fake_close(&f);
}

// CIAO-T never isolates, CIAO-P never stalls; nobody acts below the cut-off, on himself, or on a warp that is over.
static void variants(void **state)
{
    (void)state;
    Fake f;
    Own *o = begin(&f, &policy_ciao_t);
    long_epoch(&f, 0, 1);
    assert_true(is_stalled(&f.p, 1) && !oc_has(&f.sm, f.p.isolated, 1));
    fake_close(&f);
    o = begin(&f, &policy_ciao_p);
    long_epoch(&f, 0, 1);
    long_epoch(&f, 3, 1);
    assert_true(oc_has(&f.sm, f.p.isolated, 1) && !is_stalled(&f.p, 1));
    assert_int_equal(o->isolated_for[1].warp, 0);
    long_epoch(&f, 4, 12);
    assert_true(oc_has(&f.sm, f.p.isolated, 12) && !oc_has(&f.sm, f.p.isolated, 4));
    fake_close(&f);
    o = begin(&f, &policy_ciao_c);
    interfere(&f, 6, 9);  // 1 · 48 / 5,000 = 0.0096, between the cut-offs
    long_epoch(&f, OC_NO_WARP, 0);
    assert_int_equal(f.count[ISOLATIONS], 0);
    long_epoch(&f, 5, 5);
    assert_int_equal(f.count[ISOLATIONS], 0);
    for (int k = 0; k < 40; k++) interfere(&f, 10, 11);
    fake_stop(&f, 11);
    long_epoch(&f, OC_NO_WARP, 0);
    assert_int_equal(f.count[ISOLATIONS], 0);
    assert_int_equal(o->interferer[10], 11);
    fake_close(&f);
}

// A stalled warp is let go when whom it was stalled for is over; the newcomer in his slot is another warp. Eager: also
// when he is stalled himself, or at a barrier.
static void let_go(void **state)
{
    (void)state;
    for (int how = 0; how < 6; how++) {
        Fake f;
        Own *o = begin(&f, &policy_ciao_t);
        f.param[EAGER] = how < 4, f.param[REVERSE] = 0;
        long_epoch(&f, 0, 1);
        o->interferer[0] = OC_NO_WARP;
        short_epochs(&f, 1);
        assert_true(is_stalled(&f.p, 1));
        if (how == 0 || how == 1) fake_stop(&f, 0);
        if (how == 1) fake_start(&f, 0), assert_true(o->hits[0] == 40);
        if (how == 2 || how == 4) long_epoch(&f, 4, 0);
        if (how == 3 || how == 5) fake_wait(&f, 0, OC_WAIT_READY, OC_WAIT_BARRIER);
        if (how != 2) assert_true(is_stalled(&f.p, 1));  // at its turn, after an epoch
        short_epochs(&f, 2);
        assert_true(is_stalled(&f.p, 1) == (how >= 4));
        assert_int_equal(f.count[RELEASES], how < 2);
        assert_int_equal(f.count[BLOCKED], how == 2 || how == 3);
        fake_close(&f);
    }
}

// When all warps that may go wait at a barrier the one that was stalled last goes on, and then the one before it.
static void barrier(void **state)
{
    (void)state;
    Fake f;
    Own *o = begin(&f, &policy_ciao_t);
    for (uint32_t w = 6; w < SLOTS - 2; w++) fake_stop(&f, w);
    for (int k = 0; k < 40; k++) interfere(&f, 0, 1), interfere(&f, 2, 3);
    long_epoch(&f, OC_NO_WARP, 0);
    assert_true(is_stalled(&f.p, 1) && is_stalled(&f.p, 3));
    o->interferer[2] = 5;  // W5 is stalled last, and waits at the barrier itself: letting it go would help nobody
    long_epoch(&f, OC_NO_WARP, 0);
    assert_true(is_stalled(&f.p, 5));
    fake_wait(&f, 5, OC_WAIT_READY, OC_WAIT_BARRIER);
    static const uint32_t others[] = {0, 2, 4, 46, 47};
    for (size_t k = 0; k < COUNT(others); k++) {
        assert_int_equal(f.count[UNSTUCK], 0);
        fake_wait(&f, others[k], OC_WAIT_READY, OC_WAIT_BARRIER);
    }
    assert_int_equal(f.count[UNSTUCK], 1);
    uint32_t first = is_stalled(&f.p, 1) ? 3 : 1;
    assert_int_equal(first, 3);  // W2 had its turn after W0
    fake_wait(&f, first, OC_WAIT_READY, OC_WAIT_BARRIER);
    assert_int_equal(f.count[UNSTUCK], 2);
    assert_false(is_stalled(&f.p, 1));
    fake_wait(&f, 1, OC_WAIT_READY, OC_WAIT_BARRIER);  // all wait there
    assert_int_equal(f.count[UNSTUCK], 2);
    fake_wait(&f, 5, OC_WAIT_BARRIER, OC_WAIT_READY);  // W5 is behind it, and the only one that could go
    assert_int_equal(f.count[UNSTUCK], 3);
    assert_false(is_stalled(&f.p, 5));
    fake_close(&f);
}

// The last warp that could go ends: the stalled one goes on at once, and not at its next turn.
static void last_one_ends(void **state)
{
    (void)state;
    Fake f;
    begin(&f, &policy_ciao_t);
    for (uint32_t w = 3; w < SLOTS - 2; w++) fake_stop(&f, w);
    long_epoch(&f, 0, 1);
    assert_true(is_stalled(&f.p, 1));
    fake_wait(&f, 0, OC_WAIT_READY, OC_WAIT_BARRIER);
    fake_stop(&f, 2), fake_stop(&f, 46);
    assert_int_equal(f.count[UNSTUCK], 0);
    fake_stop(&f, 47);
    assert_int_equal(f.count[UNSTUCK], 1);
    assert_false(is_stalled(&f.p, 1));
    fake_close(&f);
}

// §III-C: of the stalled warps the one that was stalled last comes back first, though the others may, too.
static void reverse_order(void **state)
{
    (void)state;
    for (int any = 0; any < 2; any++) {
        Fake f;
        Own *o = begin(&f, &policy_ciao_t);
        f.param[REVERSE] = !any, f.param[EAGER] = 0;
        long_epoch(&f, 0, 1);
        long_epoch(&f, 2, 3);
        assert_true(is_stalled(&f.p, 1) && is_stalled(&f.p, 3));
        o->interferer[0] = o->interferer[2] = OC_NO_WARP;
        o->hits[0] = 0;  // W0, for whom W1 was stalled, suffers no longer; W2 does
        short_epochs(&f, 2);
        assert_true(is_stalled(&f.p, 1) == !any && is_stalled(&f.p, 3));
        o->hits[2] = 0;
        short_epochs(&f, 2);
        short_epochs(&f, 2);  // a turn for each
        assert_false(is_stalled(&f.p, 1) || is_stalled(&f.p, 3));
        assert_int_equal(f.count[RELEASES], 2);
        fake_close(&f);
    }
}

// Epochs and the score count threads or warps, each by itself. An instruction of a warp of 32 lanes is 32 of threads.
static void units(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        int epochs = k & 1 ? THREADS : WARPS, score = k & 2 ? THREADS : WARPS;
        Fake f;
        Own *o = begin(&f, &policy_ciao_t);
        f.param[EPOCHS] = epochs, f.param[SCORE] = score, f.lanes = k & 4 ? 20 : 32;
        o->end[SHORT] = 100, o->end[LONG] = 5000;
        expect_epoch(&f.p);
        for (int n = 0; n < 3; n++) interfere(&f, 7, 8);
        uint64_t last = epochs == THREADS ? (k & 4 ? 250 : 157) : 5000;  // 5,000 / 20, and 5,000 / 32 = 156.25
        fake_issue(&f, 4, last - 1);
        assert_true(o->end[LONG] == 5000);
        fake_issue(&f, 4, 1);
        assert_true(o->end[LONG] > 5000);
        assert_true(near(irs(&f.p, 7, LONG), 3.0 * 48 / (double)(score == THREADS ? last * f.lanes : last)));
        fake_close(&f);
    }
}

// A slot that is used again begins with nothing: no tags, no list, no flag.
static void reused(void **state)
{
    (void)state;
    Fake f;
    Own *o = begin(&f, &policy_ciao_c);
    long_epoch(&f, 0, 1);
    long_epoch(&f, 0, 1);
    interfere(&f, 1, 2);
    fake_miss(&f, 2, 90, 1, 91);
    assert_true(is_stalled(&f.p, 1));
    fake_stop(&f, 1);
    assert_false(is_stalled(&f.p, 1));
    fake_start(&f, 1);
    assert_int_equal(o->interferer[1], OC_NO_WARP);
    assert_int_equal(o->isolated_for[1].warp, OC_NO_WARP);
    assert_int_equal(o->stalled_for[1].warp, OC_NO_WARP);
    assert_false(oc_has(&f.sm, f.p.isolated, 1));
    uint64_t hits = o->hits[1];
    fake_miss(&f, 1, 91, OC_NO_WARP, 0);
    assert_int_equal(o->hits[1], hits);
    fake_close(&f);
}

// A warp's mark waits for its turn: older warps have theirs when a younger one issues, others not before they issue, or
// until a cycle in which nothing does.
static void turns(void **state)
{
    (void)state;
    Fake f;
    Own *o = begin(&f, &policy_ciao_t);
    fake_issue(&f, 4, 100);
    assert_true(oc_has(&f.sm, o->marked[SHORT], 2) && oc_has(&f.sm, o->marked[SHORT], 3));
    fake_issue(&f, 4, 1);  // greedy: nobody else is looked at
    assert_true(oc_has(&f.sm, o->marked[SHORT], 2) && !oc_has(&f.sm, o->marked[SHORT], 4));
    fake_issue(&f, 6, 1);
    assert_true(!oc_has(&f.sm, o->marked[SHORT], 2) && !oc_has(&f.sm, o->marked[SHORT], 6));
    assert_true(oc_has(&f.sm, o->marked[SHORT], 8));
    fake_idle(&f, 2);
    assert_false(any_marked(&f.p));
    // An epoch marks in the middle of a cycle: who issues nothing goes through its list in the next one, and what comes
    // of that holds from the one after it.
    fake_issue(&f, 47, o->end[SHORT] - f.instructions);
    fake_idle(&f, 1);
    assert_true(oc_has(&f.sm, o->marked[SHORT], 0));
    fake_idle(&f, 1);
    assert_false(any_marked(&f.p));
    // One scheduler's marks alone: they have their turns when its youngest issues.
    fake_issue(&f, 45, o->end[SHORT] - f.instructions);
    fake_issue(&f, 47, 1);
    assert_true(!o->marked[SHORT][1] && o->marked[SHORT][0]);
    fake_issue(&f, 46, 1);
    assert_false(any_marked(&f.p));
    // A scheduler that issues nothing goes through its list, though the other one issues in each cycle.
    fake_issue(&f, 44, o->end[SHORT] - f.instructions);
    assert_true(o->marked[SHORT][0] && o->marked[SHORT][1]);
    fake_issue(&f, 44, 3);
    assert_true(o->marked[SHORT][0] && !o->marked[SHORT][1]);
    fake_close(&f);
}

// A scheduler that hasn't issued yet is greedy for nobody: its first instruction is a turn for all that are older.
static void first_turn(void **state)
{
    (void)state;
    Fake f;
    fake_open(&f, &policy_ciao_t, 2, SLOTS);
    Own *o = f.p.own;
    for (uint32_t w = SLOTS; w--;) fake_start(&f, w);  // W0 is the youngest
    fake_issue(&f, 1, 100);
    assert_true(oc_has(&f.sm, o->marked[SHORT], 46));
    fake_issue(&f, 0, 1);
    assert_false(oc_has(&f.sm, o->marked[SHORT], 46));
    fake_close(&f);
}

// Where only the front counts, one warp of each scheduler is looked at, and the others' marks are gone.
static void front_of_the_list(void **state)
{
    (void)state;
    Fake f;
    Own *o = begin(&f, &policy_ciao_t);
    f.param[FRONT] = 1;
    fake_issue(&f, 4, 100);
    assert_true(oc_has(&f.sm, o->marked[SHORT], 2) && oc_has(&f.sm, o->marked[SHORT], 3));
    fake_issue(&f, 4, 1);  // greedy: it is the front of its scheduler's list
    for (uint32_t w = 0; w < SLOTS; w += 2) assert_false(oc_has(&f.sm, o->marked[SHORT], w));
    assert_true(oc_has(&f.sm, o->marked[SHORT], 3));
    fake_issue(&f, 7, 1);  // not the last one that issued: the front is the oldest, W1
    assert_false(any_marked(&f.p));
    fake_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(victim_tags),   cmocka_unit_test(interference_list),
        cmocka_unit_test(score),         cmocka_unit_test(figure_6),
        cmocka_unit_test(variants),      cmocka_unit_test(let_go),
        cmocka_unit_test(barrier),       cmocka_unit_test(reused),
        cmocka_unit_test(turns),         cmocka_unit_test(reverse_order),
        cmocka_unit_test(units),         cmocka_unit_test(front_of_the_list),
        cmocka_unit_test(last_one_ends), cmocka_unit_test(first_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
