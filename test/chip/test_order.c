// The order of what several SMs do to one place: a block on each of eight SMs, which comes to it in its own cycle. Each
// writes down the clock before its store and its atomic; what must be left follows from those clocks.
#include "bench.h"

#include <string.h>

#define ODD "test/chip/gpus/odd.ini"
enum { SMS = 8, ROUNDS = 12 };

// Rounds of stores to one byte and of tickets; between them block k makes (7 + k · k · n) mod 11 additions.
static void body(Text *t, bool atomic)
{
    t->n = 0;
    text_put(t, "mul.lo.u32 %r1, %r63, %r63;\nmul.lo.u32 %r1, %r1, %n;\nadd.u32 %r1, %r1, 7;\nrem.u32 %r1, %r1, 11;\n"
                "mul.wide.u32 %rd1, %r63, 8;\nadd.u64 %rd1, %rd1, %out;\nadd.u32 %r2, %r63, 1;\n");
    text_put(t, "LOOP:\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra GO;\nsub.u32 %r1, %r1, 1;\nbra LOOP;\nGO:\nmov.u32 %r10, "
                "%clock;\n");
    text_put(t, atomic ? "atom.global.add.u32 %r11, [%in], 1;\n" : "st.global.u8 [%in], %r2;\nmov.u32 %r11, 0;\n");
    text_put(t, "st.global.v2.u32 [%rd1], {%r10, %r11};\n");
}

static void run(bool atomic)
{
    Text t = {0};
    body(&t, atomic);
    uint32_t different = 0;
    for (uint32_t n = 0; n < ROUNDS; n++) {
        Bench b;
        uint32_t got[SMS][2];
        uint8_t left;
        bench_open(&b, ODD, "gpu.sms=8");
        bench_data(&b, NULL, 4);
        bench_run(&b, t.v, (Shape){.grid = SMS, .block = 1}, n);
        bench_read(&b, got, sizeof got);
        assert_int_equal(oc_read(b.d, &left, b.data, 1, NULL), OC_OK);
        uint32_t last = 0;
        for (uint32_t s = 0; s < SMS; s++) {
            if (got[s][0] >= got[last][0]) last = s;  // block s is on SM s
            different += got[s][0] != got[0][0];
            if (!atomic) continue;
            uint32_t before = 0;
            for (uint32_t o = 0; o < SMS; o++) before += got[o][0] < got[s][0] || (got[o][0] == got[s][0] && o < s);
            assert_int_equal(got[s][1], before);
        }
        assert_int_equal(left, atomic ? SMS : last + 1);
        bench_close(&b);
    }
    assert_in_range(different, ROUNDS, SMS * ROUNDS - 2 * SMS);  // rounds in one cycle are among them, and others
    text_free(&t);
}

static void stores(void **state)
{
    (void)state;
    run(false);
}

static void tickets(void **state)
{
    (void)state;
    run(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stores), cmocka_unit_test(tickets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
