// The options of a run: each sets its field, and no other; oc_config gets what it has; what can't go together is
// refused, in the words of who asks; and the store's text has what changes a result.
#include "check.h"
#include "device/setup.h"

#include <string.h>

// Sets an option by its axis' name.
static void set(Setup *s, const char *axis, const char *value)
{
    Diag why = {0};
    assert_true(setup_set(s, setup_axis(axis), value, NAMES_AXIS, &why));
    diag_free(&why);
}

static void fields(void **state)
{
    (void)state;
    Setup s = {0};
    for (int k = 0; k < OPTIONS; k++) {
        const SetupOption *o = &setup_options[k];
        const char *value = o->kind == SETUP_COUNT ? "7" : o->kind == SETUP_CHOICE ? "small" : o->takes ? "x" : NULL;
        Diag why = {0};
        if (!o->field) continue;
        Setup one = {0};
        assert_true(setup_set(&one, o, value, NAMES_OPTION, &why));
        assert_true(setup_given(&one) == 1ull << k);
        diag_free(&why);
    }
    set(&s, "max-cycles", "4KiB"), set(&s, "cap", "9"), set(&s, "lowering", "no"), set(&s, "why", "yes");
    assert_true(s.max_cycles == 4096 && s.cap == 9 && s.no_lowering && s.why);
    set(&s, "lowering", "yes");
    assert_false(s.no_lowering);
    oc_config config = {.threads = 3};
    setup_config(&s, &config);
    assert_true(config.max_cycles == 4096 && config.cap == 9 && config.why && !config.sample && config.threads == 3);
    const Setup back = setup_of(&config);
    assert_true(setup_given(&back) == setup_given(&s));
}

static void refusals(void **state)
{
    (void)state;
    Setup s = {0};
    Diag why = {0};
    assert_false(setup_set(&s, setup_axis("max-cycles"), "many", NAMES_OPTION, &why));
    assert_string_equal(why.text.v, "--max-cycles takes a whole number, not 'many'");
    diag_free(&why);
    assert_false(setup_set(&s, setup_axis("lowering"), "maybe", NAMES_AXIS, &why));
    assert_string_equal(why.text.v, "lowering is yes or no, not 'maybe'");
    set(&s, "sample", "yes"), set(&s, "max-cycles", "5");
    static const char *const said[] = {"--max-cycles can't go with --sample,", "max-cycles can't go with sample,",
                                       "max_cycles can't go with sample,"};
    for (int names = NAMES_OPTION; names <= NAMES_FIELD; names++) {
        diag_free(&why);
        assert_false(setup_agrees(setup_given(&s), false, (SetupNames)names, &why));
        assert_true(!strncmp(why.text.v, said[names], strlen(said[names])));
    }
    // What has no effect is a mistake of a command line alone.
    const uint64_t idle = 1ull << OPT_FUNCTIONAL | 1ull << OPT_WHY;
    assert_true(setup_agrees(idle, false, NAMES_AXIS, &why));
    assert_false(setup_agrees(idle, true, NAMES_OPTION, &why));
    assert_false(setup_agrees(1ull << OPT_CSV, true, NAMES_OPTION, &why));
    assert_true(setup_agrees(1ull << OPT_CSV | 1ull << OPT_METRICS, true, NAMES_OPTION, &why));
    diag_free(&why);
}

static void stored(void **state)
{
    (void)state;
    Setup s = {.small = true, .check = true, .strict = true};  // no part of what a run is known by
    Text t = {0};
    setup_text(&s, &t);
    assert_int_equal(t.n, 0);
    set(&s, "cap", "9"), set(&s, "functional", "yes"), set(&s, "sl1", "line=8,strides"), set(&s, "ptx", "a,b.ptx");
    setup_text(&s, &t);
    assert_string_equal(t.v, "functional ptx=a,b.ptx cap=9 sl1=line=8+strides");
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fields), cmocka_unit_test(refusals), cmocka_unit_test(stored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
