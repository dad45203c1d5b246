// Constant expressions (PTX ISA §4.5). What each is worth was worked out by hand from §4.5.5 and table 5. ptxas must
// make the same of them, where there is one.
#include "check.h"
#include "ptx/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Worth {
    const char *text;
    uint64_t value;
} Worth;

static const Worth integers[] = {
    // precedence and grouping (table 4)
    {"3+4*2", 11},
    {"(3+4)*2", 14},
    {"7-3-2", 2},
    {"100/10/2", 5},
    {"1<<2<<3", 32},
    {"8>>1+1", 2},
    {"1+1<<3", 16},
    {"1|2^3&4", 3},
    {"5&3|8^1", 9},
    {"1==1<2", 1},
    {"1<2==1", 1},
    {"0||1&&0", 0},
    {"3>2?1:0", 1},
    {"1?2?3:4:5", 3},
    {"0?2:0?4:5", 5},
    // unary operators: + and - keep the type, ~ gives .u64, ! gives .s64
    {"-(5)", (uint64_t)-5},
    {"- -5", 5},
    {"+5", 5},
    {"-~5", 6},
    {"!5", 0},
    {"!0", 1},
    {"~0>>60", 15},
    {"-1U/2", 0x7fffffffffffffff},
    {"!5U-1<0", 1},
    {"0x1F & ~0x3", 0x1c},
    // literals are signed where they can be
    {"-7/2", (uint64_t)-3},
    {"-7/2U", 0x7ffffffffffffffc},
    {"0xffffffffffffffff/2", 0x7fffffffffffffff},
    {"-1>>63", (uint64_t)-1},
    {"(.u64)-1>>63", 1},
    {"9223372036854775808/2", 0x4000000000000000},
    {"-4U<0", 0},
    // casts
    {"(.s64)5", 5},
    {"( .s64 ) 5", 5},
    {"(.s64)-4U/2", (uint64_t)-2},
    {"(.s64)5U/-3", (uint64_t)-1},
    {"((.u64)-4)/2", 0x7ffffffffffffffe},
    // binary operators: the usual conversions; % is unsigned; a shift has the type of what is shifted
    {"-1<0U", 0},
    {"-1>0U", 1},
    {"-1<0", 1},
    {"-7 % 3", 0},  // 2^64 - 7 = 3·6148914691236517203
    {"7 % -3", 7},
    {"(-4<<0)/2", (uint64_t)-2},
    {"-8>>1U", (uint64_t)-4},
    {"(0|-1)/2", 0},
    {"(0U|-1)/2", 0x7fffffffffffffff},
    {"(-5&-3)>>63", (uint64_t)-1},
    {"9223372036854775807+1", 0x8000000000000000},
    {"0x7fffffffffffffff*2", (uint64_t)-2},
    {"5&&0", 0},
    {"0||-3", 1},
    // floating-point comparisons are integers
    {"1.5<2.5", 1},
    {"1.0-0.9==0.1", 0},
    // names and bases
    {"WARP_SZ", 32},
    {"WARP_SZ-1", 31},
    {"-WARP_SZ/2", (uint64_t)-16},
    {"0b101<<017", 5 << 15},
};

// ptxas doesn't convert the two sides of ?: (§4.5.5 does), refuses floating-point ones, and its host's division traps.
static const Worth only_isa[] = {
    {"(1?-1:1U)>>63", 1}, {"(0?1U:-2)<0", 0}, {"(1?1.5:2.5)<2.0", 1}, {"(.s64)0x8000000000000000/-1", 1ull << 63}};

static const struct {
    const char *text, *message;
} wrong[] = {
    {"5/0", "constant.ptx:2:27: error: a constant is divided by zero"},
    {"5 % (1-1)", "constant.ptx:2:28: error: a constant is divided by zero"},
    {"0 ? 1/0 : 2", "divided by zero"},
    {"1.0/0.0 < 2.0", "divided by zero"},
    {"1<<64", "constant.ptx:2:29: error: a shift is from 0 to 63 bits"},
    {"1>>-1", "a shift is from 0 to 63 bits"},
    {"1+2.0", "an integer and a floating-point constant can't be mixed"},
    {"1?2:3.0", "both sides of ?: must be integers"},
    {"1.5?2:3", "an integer is expected here"},
    {"1.5&2.5", "operator & takes integers"},
    {"!1.5", "an integer is expected here"},
    {"(.s32)5", "casts are (.s64) and (.u64)"},
    {"7%3", "the operator % needs a space behind it"},
    {"(1+2", "')' expected"},
    {"1+", "a number is expected here"},
    {"1?2", "':' expected"},
    {"1.5+1.5", "doesn't fit type .u64"},
    {"0f3F800000+1.0 < 2.0", "a 0f… constant can't be computed with"},
    {"((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))))))))"
     "))))))"
     "))))))))))))))",
     "nested too deeply"},
    {"----------------------------------------------------------------------------------------------------------------"
     "1",
     "nested too deeply"},
};

static Module *read_constant(const char *type, const char *text, Diag *diag)
{
    Text module = {0};
    text_printf(&module, ".version 8.8 .target sm_90 .address_size 64\n.const .align 8 .%s v = %s;\n", type, text);
    Module *m = ptx_parse(module.v, module.n, "constant.ptx", diag);
    text_free(&module);
    return m;
}

static uint64_t worth(const char *type, const char *text)
{
    Diag diag = {0};
    Module *m = read_constant(type, text, &diag);
    if (!m) fail_msg("%s", diag.text.v);
    uint64_t v = 0;
    memcpy(&v, ptx_find(m, "v")->init, ptx_find(m, "v")->bytes);
    ptx_free(m);
    return v;
}

static void values(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(integers) + COUNT(only_isa); k++) {
        const Worth *w = k < COUNT(integers) ? &integers[k] : &only_isa[k - COUNT(integers)];
        uint64_t v = worth("u64", w->text);
        if (v != w->value)
            fail_msg("%s is %llx, not %llx", w->text, (unsigned long long)w->value, (unsigned long long)v);
    }
    double d = 1.5 * 2.0 / 0.5 - 1.0, third = 1.0 / 3.0;
    uint64_t bits;
    memcpy(&bits, &d, 8);
    assert_int_equal(worth("f64", "1.5*2.0/0.5-1.0"), bits);
    memcpy(&bits, &third, 8);
    assert_int_equal(worth("f64", "0 ? 2.0 : 0d3FF0000000000000/+3.0"), bits);
    assert_int_equal(worth("f32", "-(1.0+0.5)"), 0xbfc00000);
}

static void refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(wrong); k++) {
        Diag diag = {0};
        Module *m = read_constant("u64", wrong[k].text, &diag);
        if (m) fail_msg("%s is taken", wrong[k].text);
        if (!strstr(diag.text.v, wrong[k].message)) fail_msg("%s: %s", wrong[k].text, diag.text.v);
        diag_free(&diag);
    }
}

static char folder[] = "/tmp/onchip-constants-XXXXXX";

static void assemble(const char *name, bool values)
{
    char path[100], command[300];
    snprintf(path, sizeof path, "%s/a.ptx", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, ".version 8.3\n.target sm_90\n.address_size 64\n.visible .const .u64 v[] = {");
    for (size_t k = 0; k < COUNT(integers); k++)
        if (values)
            fprintf(file, "%s0x%llx", k ? ", " : "", (unsigned long long)integers[k].value);
        else
            fprintf(file, "%s%s", k ? ", " : "", integers[k].text);
    fprintf(file, "};\n.visible .entry k() { ret; }\n");
    fclose(file);
    snprintf(command, sizeof command, "cd %s && PATH=$PATH:/usr/local/cuda/bin ptxas -arch=sm_90 a.ptx -o %s", folder,
             name);
    assert_int_equal(system(command), 0);
}

static void by_ptxas(void **state)
{
    (void)state;
    if (system("PATH=$PATH:/usr/local/cuda/bin; command -v ptxas >/dev/null")) skip();
    assert_non_null(mkdtemp(folder));
    assemble("a.cubin", false);
    assemble("b.cubin", true);
    char command[200];
    snprintf(command, sizeof command, "cmp %s/a.cubin %s/b.cubin; status=$?; rm -r %s; exit $status", folder, folder,
             folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(refused), cmocka_unit_test(by_ptxas)};
    return cmocka_run_group_tests_name("ptx/constants", tests, NULL, NULL);
}
