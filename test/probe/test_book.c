// The four steps of mei §3.2, on made-up caches and TLBs. Where what the steps suppose holds (equal sets, plain bits,
// whole lines, LRU), they give the configuration's numbers. Where it doesn't, they give what follows from their
// wording, worked out by hand, and say why.
#include "check.h"
#include "machine.h"
#include "mem/replacement.h"

#include <math.h>
#include <string.h>

static const uint64_t KB = 1024, MB = 1 << 20;

// The answers of a cache alone: no TLB is behind it.
static void read_book(Machine *m, Found *f, Book *b)
{
    Diag diag = {0};
    m->seed = 1, m->hit = 116, m->miss = 377;
    machine_open(m);
    if (!infer_cache(&m->subject, CHASE_GLOBAL, 0, f, &diag)) fail_msg("%s", diag.text.v);
    if (!book_cache(&m->subject, CHASE_GLOBAL, f, b, &diag)) fail_msg("%s", diag.text.v);
    assert_true(b->done);
}

static void close_book(Machine *m, Found *f, Book *b)
{
    found_free(f), book_free(b);
    machine_close(m);
}

static void is(const char *what, Value got, double want)
{
    if (got.verdict != MEASURED) fail_msg("%s is unknown: %s", what, got.why);
    if (got.value != want) fail_msg("%s is %g, not %g", what, got.value, want);
}

static void says(const char *got, const char *want)
{
    if (!got || !strstr(got, want)) fail_msg("'%s' doesn't say '%s'", got ? got : "nothing", want);
}

static void gives(const Book *b, double size, double line, double sets, double ways)
{
    is("C", b->step[BOOK_SIZE], size), is("b", b->step[BOOK_LINE], line), is("a", b->step[BOOK_SETS], sets);
    is("C / (a b)", b->ways, ways);
}

static CacheCfg plain(uint64_t size, uint32_t line, uint32_t ways, uint32_t policy)
{
    return (CacheCfg){.size = size,
                      .line = line,
                      .sector = line,
                      .fill = line,
                      .ways = ways,
                      .index = INDEX_BITS,
                      .replacement = policy};
}

// All that the steps suppose holds.
static void holds(void **state)
{
    (void)state;
    static const struct {
        uint32_t size, line, ways;
    } of[] = {{16 << 10, 128, 4}, {12 << 10, 64, 6}, {2 << 10, 32, 64}, {8 << 10, 64, 1}};
    for (size_t k = 0; k < COUNT(of); k++) {
        Machine m = {.cache = plain(of[k].size, of[k].line, of[k].ways, REPLACE_LRU)};
        Found f;
        Book b;
        read_book(&m, &f, &b);
        gives(&b, of[k].size, of[k].line, of[k].size / of[k].line / of[k].ways, of[k].ways);
        is("LRU", b.step[BOOK_POLICY], 1);
        for (int q = 0; q < BOOK_STEPS; q++)
            if (b.odd[q] || (b.cause[q] && of[k].ways > 1)) fail_msg("step %d: %s, %s", q + 1, b.odd[q], b.cause[q]);
        if (of[k].ways == 1) says(b.cause[BOOK_POLICY], "one way");
        // Figure 3: with N = C + k b, k sets miss all of their lines, one more than they have ways.
        for (size_t q = 0; q < b.points.n; q++) assert_int_equal(b.points.v[q].missed, q * (of[k].ways + 1));
        close_book(&m, &f, &b);
    }
}

// mei §4.2: Fermi's L1 isn't LRU, and its ways are replaced with probabilities 1/6, 1/2, 1/6, 1/6.
static void draws(void **state)
{
    (void)state;
    for (int equal = 0; equal < 2; equal++) {
        Machine m = {.cache = plain(16 * KB, 128, 4, equal ? REPLACE_RANDOM : REPLACE_WEIGHTED)};
        const double weights[] = {1, 3, 1, 1};
        memcpy(m.cache.weights, weights, sizeof weights);
        Found f;
        Book b;
        read_book(&m, &f, &b);
        gives(&b, 16 * KB, 128, 32, 4);
        is("LRU", b.step[BOOK_POLICY], 0);
        says(b.odd[BOOK_POLICY], "now hits and now misses");
        for (int w = 0; w < 4; w++) {
            const double want = equal ? 0.25 : weights[w] / 6, half = 0.5 * (b.weight[w].high - b.weight[w].low);
            assert_int_equal(b.weight[w].verdict, MEASURED);
            if (fabs(b.weight[w].value - want) > 2 * half) fail_msg("way %d: %g", w, b.weight[w].value);
        }
        close_book(&m, &f, &b);
    }
}

// FIFO replaces the same lines as LRU where an array is walked round.
static void fifo(void **state)
{
    (void)state;
    Machine m = {.cache = plain(16 * KB, 128, 4, REPLACE_FIFO)};
    Found f;
    Book b;
    read_book(&m, &f, &b);
    gives(&b, 16 * KB, 128, 32, 4);
    is("LRU", b.step[BOOK_POLICY], 1);
    says(b.cause[BOOK_POLICY], "FIFO");
    assert_true(f.rule.value == RULE_FIFO);
    close_book(&m, &f, &b);
}

// mei §4.3: four lines of 32 bytes go to a set (bits 7 and 8). One word behind C the set's 97 lines miss, and three
// more lines are of the same set. The last set overflows with line 3 × 4 + 1 behind C: that is the a of the wording.
// Averages over strides give 32 bytes, those over sizes 128: mei §3.2's "different results of cache line size".
static void blocks(void **state)
{
    (void)state;
    Machine m = {.cache = plain(12 * KB, 32, 96, REPLACE_LRU)};
    m.cache.index_low = 7;
    Found f;
    Book b;
    read_book(&m, &f, &b);
    is("C", b.step[BOOK_SIZE], 12 * KB), is("b", b.step[BOOK_LINE], 32), is("a", b.step[BOOK_SETS], 13);
    assert_int_equal(b.ways.verdict, UNDETERMINED);
    assert_true(b.first == 97 && b.more == 1);
    static const uint64_t want[] = {0, 97, 98, 99, 100, 197, 198, 199, 200, 297};
    for (size_t k = 0; k < COUNT(want); k++) assert_int_equal(b.points.v[k].missed, want[k]);
    says(b.odd[BOOK_LINE], "whole second set"), says(b.odd[BOOK_SETS], "whole further set");
    says(b.cause[BOOK_SETS], "neighbouring lines");
    is("the search's sets", f.sets, 4);
    is("a line over strides", b.saavedra, 32), is("a line over sizes", b.wong, 128);
    is("sets over sizes", b.wong_sets, 4);
    close_book(&m, &f, &b);
}

// A miss brings in a sector of 32 bytes of a line of 128.
static void sectors(void **state)
{
    (void)state;
    Machine m = {.cache = plain(16 * KB, 128, 4, REPLACE_LRU)};
    m.cache.sector = m.cache.fill = 32;
    Found f;
    Book b;
    read_book(&m, &f, &b);
    is("C", b.step[BOOK_SIZE], 16 * KB), is("b", b.step[BOOK_LINE], 32);
    says(b.cause[BOOK_LINE], "a sector");
    assert_true(b.first == 4 * 4 + 1 && b.more == 1);
    is("the search's line", f.line, 128);
    close_book(&m, &f, &b);
}

// Sets of 4, 2, 4 and 4 ways, in turn: the second overflows with its third line, the tenth of all.
static void unequal(void **state)
{
    (void)state;
    Machine m = {.cache = plain(14 * 128, 128, 0, REPLACE_LRU)};
    const uint32_t sets[] = {4, 2, 4, 4};
    memcpy(m.cache.sets, sets, sizeof sets);
    m.cache.set_count = 4, m.cache.index = INDEX_MODULO;
    Found f;
    Book b;
    read_book(&m, &f, &b);
    is("C", b.step[BOOK_SIZE], 9 * 128);
    says(b.cause[BOOK_SIZE], "unequal");
    is("the search's size", f.size, 14 * 128);
    close_book(&m, &f, &b);
}

// A hash gives each set one of the lines in a row as plain bits do, so the numbers are right and the hash doesn't show.
static void hashed(void **state)
{
    (void)state;
    Machine m = {.cache = plain(16 * KB, 128, 4, REPLACE_LRU)};
    m.cache.index = INDEX_XOR;
    Found f;
    Book b;
    read_book(&m, &f, &b);
    gives(&b, 16 * KB, 128, 32, 4);
    says(b.cause[BOOK_SETS], "a hash");
    assert_true(f.shape.form == FORM_LINEAR && !b.odd[BOOK_SETS]);
    close_book(&m, &f, &b);
}

// mei Fig. 10 and 11: 16 pages in one set, and behind them 65 in sets of 17 and six times 8. The 66th page makes the
// large set's 18 miss, each further one 9 of a small set. All miss with the seventh, and 65 / 7 isn't a whole number.
static void tlbs(void **state)
{
    (void)state;
    Machine m = {.cache = plain(16 * KB, 128, 4, REPLACE_LRU), .seed = 1, .hit = 116, .miss = 371};
    m.first = (TlbCfg){.entries = 16, .page = 2 * MB, .ways = 16, .replacement = REPLACE_LRU};
    m.second =
        (TlbCfg){.entries = 65, .page = 2 * MB, .set_count = 7, .index = INDEX_DEALT, .replacement = REPLACE_LRU};
    const uint32_t sets[] = {17, 8, 8, 8, 8, 8, 8};
    memcpy(m.second.sets, sets, sizeof sets);
    m.late = 27, m.walk = 84;
    FoundTlbs f;
    Book b[2];
    Diag diag = {0};
    machine_open(&m);
    if (!infer_tlbs(&m.subject, CHASE_L2, &f, &diag)) fail_msg("%s", diag.text.v);
    for (uint32_t k = 0; k < 2; k++)
        if (!book_tlb(&m.subject, CHASE_L2, &f, k, &b[k], &diag)) fail_msg("%s", diag.text.v);
    gives(&b[0], 32 * MB, 2 * MB, 1, 16);
    is("LRU", b[0].step[BOOK_POLICY], 1);
    assert_true(!b[0].odd[BOOK_LINE] && !b[0].odd[BOOK_SETS]);
    is("C", b[1].step[BOOK_SIZE], 130 * MB), is("b", b[1].step[BOOK_LINE], 2 * MB), is("a", b[1].step[BOOK_SETS], 7);
    assert_int_equal(b[1].ways.verdict, UNDETERMINED);
    for (size_t k = 1; k < b[1].points.n; k++) assert_int_equal(b[1].points.v[k].missed, 18 + 9 * (k - 1));
    says(b[1].odd[BOOK_SETS], "whole further set"), says(b[1].cause[BOOK_SETS], "unequal");
    is("the search's sets", f.level[1].sets, 7);
    for (int k = 0; k < 2; k++) book_free(&b[k]), found_free(&f.level[k]);
    machine_close(&m);
}

// The steps stop at a bound of their own, and fail nothing.
static void bounded(void **state)
{
    (void)state;
    Machine m = {.cache = plain(16 * KB, 128, 4, REPLACE_LRU)};
    Found f;
    Book b, less;
    Diag diag = {0};
    Bound bound = {.most = 30000};
    read_book(&m, &f, &b);
    m.subject.bound = &bound;
    assert_true(book_cache(&m.subject, CHASE_GLOBAL, &f, &less, &diag) && !diag.failed);
    assert_true(bound.spent && less.step[BOOK_SIZE].verdict == UNDETERMINED);
    says(less.step[BOOK_SIZE].why, "more loads than a part may make");
    says(less.step[BOOK_LINE].why, "an earlier step");
    m.subject.bound = NULL;
    book_free(&less);
    close_book(&m, &f, &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds),  cmocka_unit_test(draws),   cmocka_unit_test(fifo),
        cmocka_unit_test(blocks), cmocka_unit_test(sectors), cmocka_unit_test(unequal),
        cmocka_unit_test(hashed), cmocka_unit_test(tlbs),    cmocka_unit_test(bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
