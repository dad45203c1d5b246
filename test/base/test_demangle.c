// Names of C++: the forms of a name against fixed expectations, from the examples of the Itanium C++ ABI (§5.1) and
// from declarations whose names nvcc made; against c++filt where there is one; refused names; and hostile ones.
#include "base/base.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *full, *own, *scoped, *plain;
} table[] = {
    // Examples of the ABI.
    {"_Z1fv", "f()", "f", "f", "f"},
    {"_ZN1N1TIiiE2mfES0_IddE", "N::T<int, int>::mf(N::T<double, double>)", "N::T<int, int>::mf", "N::T<int, int>::mf",
     "mf"},
    {"_ZSt5state", "std::state", "std::state", "std::state", "state"},
    {"_ZNSt3_In4wardE", "std::_In::ward", "std::_In::ward", "std::_In::ward", "ward"},
    {"_ZN5StackIiiE5levelE", "Stack<int, int>::level", "Stack<int, int>::level", "Stack<int, int>::level", "level"},
    {"_Z1fI1XEvPVN1AIT_E1TE", "void f<X>(A<X>::T volatile*)", "f<X>", "f", "f"},
    // __global__ void saxpy(int n, float a, float *x, float *y), and the same as a template in a namespace, with
    // <float, 8> and <double, -8>.
    {"_Z5saxpyifPfS_", "saxpy(int, float, float*, float*)", "saxpy", "saxpy", "saxpy"},
    {"_ZL5saxpyifPfS_", "saxpy(int, float, float*, float*)", "saxpy", "saxpy", "saxpy"},
    {"_ZN4blas5saxpyIfLi8EEEviT_PKS1_PS1_NS_3vecIS1_EE",
     "void blas::saxpy<float, 8>(int, float, float const*, float*, blas::vec<float>)", "blas::saxpy<float, 8>",
     "blas::saxpy", "saxpy"},
    {"_ZN4blas5saxpyIdLin8EEEviT_PKS1_PS1_NS_3vecIS1_EE",
     "void blas::saxpy<double, -8>(int, double, double const*, double*, blas::vec<double>)", "blas::saxpy<double, -8>",
     "blas::saxpy", "saxpy"},
    // Fundamental types, each.
    {"_Z4refsPKy6__halfP7__half26uchar4PdbahcstwPi",
     "refs(unsigned long long const*, __half, __half2*, uchar4, double*, bool, signed char, unsigned char, char, "
     "short, "
     "unsigned short, wchar_t, int*)",
     "refs", "refs", "refs"},
    {"_Z3alljlmxno", "all(unsigned int, long, unsigned long, long long, __int128, unsigned __int128)", "all", "all",
     "all"},
    {"_Z3nulDnDiDsefg", "nul(decltype(nullptr), char32_t, char16_t, long double, float, __float128)", "nul", "nul",
     "nul"},
    // Qualifiers, references, arrays, functions.
    {"_Z2stPKfPViPKS0_", "st(float const*, int volatile*, float const* const*)", "st", "st", "st"},
    {"_Z3refRKiOfRA4_Kf", "ref(int const&, float&&, float const (&) [4])", "ref", "ref", "ref"},
    {"_Z3arrPA4_fPA4_A5_fPFvifEPPFivE", "arr(float (*) [4], float (*) [4][5], void (*)(int, float), int (**)())", "arr",
     "arr", "arr"},
    // Templates: of types, of whole numbers of each kind, of packs; nested ones, and substitutions.
    {"_ZN4blas4litsIPKPKfLb1ELj7ELl9ELc120ELNS_1EE1ELsn3EEEvPT_",
     "void blas::lits<float const* const*, true, 7u, 9l, (char)120, (blas::E)1, (short)-3>(float const* const**)",
     "blas::lits<float const* const*, true, 7u, 9l, (char)120, (blas::E)1, (short)-3>", "blas::lits", "lits"},
    {"_Z3twoP1FS_S0_N4blas3vecIS_E5innerENS1_6holderIiE2opIS_EEPNS7_IfEE",
     "two(F*, F, F*, blas::vec<F>::inner, blas::holder<int>::op<F>, blas::holder<int>::op<float>*)", "two", "two",
     "two"},
    {"_Z2vvIN4blas3vecIiEEEvNS1_INS1_IT_EEEES4_S3_",
     "void vv<blas::vec<int> >(blas::vec<blas::vec<blas::vec<int> > >, blas::vec<blas::vec<int> >, blas::vec<int>)",
     "vv<blas::vec<int> >", "vv", "vv"},
    {"_ZN4blas5applyINS_3vecIiEEiEEvPT0_T_NS5_5innerE",
     "void blas::apply<blas::vec<int>, int>(int*, blas::vec<int>, blas::vec<int>::inner)",
     "blas::apply<blas::vec<int>, int>", "blas::apply", "apply"},
    {"_Z5funcsIPFviEEvT_Pi", "void funcs<void (*)(int)>(void (*)(int), int*)", "funcs<void (*)(int)>", "funcs",
     "funcs"},
    {"_Z5funcsIRiEvOT_Pi", "void funcs<int&>(int&, int*)", "funcs<int&>", "funcs", "funcs"},
    {"_Z5pack3IiJfdEEvT_PfDpT0_", "void pack3<int, float, double>(int, float*, float, double)",
     "pack3<int, float, double>", "pack3", "pack3"},
    {"_ZN4blas4packIJEEEvDpT_", "void blas::pack<>()", "blas::pack<>", "blas::pack", "pack"},
    {"_Z4stdsISt5arrayIfLm4EEEvT_Pi", "void stds<std::array<float, 4ul> >(std::array<float, 4ul>, int*)",
     "stds<std::array<float, 4ul> >", "stds", "stds"},
    {"_ZN4blas36_GLOBAL__N__84188fe3_4_k_cu_0cd90e4b6hiddenEPi", "blas::(anonymous namespace)::hidden(int*)",
     "blas::(anonymous namespace)::hidden", "blas::(anonymous namespace)::hidden", "hidden"},
};

static void forms(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(table); k++) {
        const char *want[] = {table[k].full, table[k].own, table[k].scoped, table[k].plain};
        for (NameForm form = NAME_FULL; form <= NAME_PLAIN; form++) {
            Text t = {0};
            text_put(&t, "before ");
            if (!demangle(table[k].name, form, &t)) fail_msg("%s is refused", table[k].name);
            assert_string_equal(t.v + strlen("before "), want[form]);
            assert_true(name_means(table[k].name, want[form]));
            text_free(&t);
        }
        assert_true(name_means(table[k].name, table[k].name));
        assert_false(name_means(table[k].name, "other"));
    }
    assert_true(name_means("_Z5saxpyifPfS_", "saxpy(int,float,float *,float *)"));
    assert_true(name_means("_ZN4blas5saxpyIfLi8EEEviT_", "blas::saxpy<float,8>(int, float)"));
    assert_false(name_means("_Z5saxpyifPfS_", "saxpy(int)"));
    assert_false(name_means("_Z5saxpyifPfS_", ""));
    assert_false(name_means("saxpy", "saxpy()"));
}

// c++filt's opinion, where there is one.
static void filter(void **state)
{
    (void)state;
    if (system("c++filt --version >/dev/null 2>&1")) skip();
    Text command = {0};
    text_put(&command, "c++filt");
    for (size_t k = 0; k < COUNT(table); k++) text_printf(&command, " '%s'", table[k].name);
    FILE *f = popen(command.v, "r");
    char line[1000];
    assert_non_null(f);
    for (size_t k = 0; k < COUNT(table); k++) {
        assert_non_null(fgets(line, sizeof line, f));
        line[strcspn(line, "\n")] = 0;
        assert_string_equal(line, table[k].full);
    }
    pclose(f);
    text_free(&command);
}

// What isn't a mangled name, or has what kernels' names don't have, stays as it is.
static void refused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "", "_", "_Z", "_Z1", "_Z1f_", "saxpy", "atax_kernel1", "_Z5saxp", "_Z05", "_Z9999999999999999999999f", "_ZN",
        "_ZNE", "_ZNSE", "_ZNS_E", "_ZSt", "_Z1fS_", "_Z1fS0_", "_Z1fT_", "_Z1fIiEvT0_", "_Z1fIE", "_Z1fviv", "_Z1fA_",
        "_Z1fAi", "_Z1fP", "_Z1fKVi", "_Z1fFvE", "_Z1fD", "_Z1fDq", "_Z1fIJiEEvT_", "_Z1fILfEEvv", "_Z1fILiEEvv",
        "_Z1fILdn1EEvv",
        // ABI: an operator, an expression, a special name, a template template parameter, a member pointer, a lambda.
        "_ZngILi42EEvN1AIXplT_Li2EEE1TE", "_Z3fooILi2EEvRAplT_Li1E_i", "_ZTV1A", "_Z4makeI7FactoryiET_IT0_Ev",
        "_Z1fM1AKFvvE", "_Z4stdsIZ3lamvEUliE_EvT_Pi", "_ZN1AC1Ev"};
    for (size_t k = 0; k < COUNT(names); k++) {
        Text t = {0};
        text_put(&t, "before");
        if (demangle(names[k], NAME_FULL, &t)) fail_msg("%s is taken for %s", names[k], t.v);
        assert_string_equal(t.v, "before");
        text_free(&t);
        char *shown = name_shown(names[k]);
        assert_string_equal(shown, names[k]);
        mem_free(shown);
    }
}

static bool taken(const char *name)
{
    Text t = {0};
    bool ok = demangle(name, NAME_FULL, &t);
    assert_true(t.n < 1 << 15);
    text_free(&t);
    return ok;
}

// Repeats `of` n times between two texts.
static Text repeated(const char *before, const char *of, size_t n, const char *behind)
{
    Text t = {0};
    text_put(&t, before);
    while (n--) text_put(&t, of);
    text_put(&t, behind);
    return t;
}

static void hostile(void **state)
{
    (void)state;
    // Every beginning of a name, and every name that lacks one character, ends.
    for (size_t k = 0; k < COUNT(table); k++) {
        char name[256];
        size_t n = strlen(table[k].name);
        for (size_t at = 0; at < n; at++) {
            snprintf(name, sizeof name, "%.*s", (int)at, table[k].name);
            taken(name);
            snprintf(name, sizeof name, "%.*s%s", (int)at, table[k].name, table[k].name + at + 1);
            taken(name);
        }
    }
    // Depth.
    const struct {
        const char *before, *of, *behind;
        size_t good, bad;
    } deep[] = {{"_Z1f", "P", "i", 50, 200000},    {"_Z1f", "K", "i", 1, 2},     {"_Z1f", "A1_", "i", 50, 5000},
                {"_Z1f", "1aI", "i", 0, 5000},     {"_Z1f", "Fv", "i", 0, 5000}, {"_Z1f", "N1aI", "i", 0, 5000},
                {"_Z1fI", "J", "iEEvv", 0, 14000}, {"_Z1f", "Dp", "i", 0, 5000}};
    for (size_t k = 0; k < COUNT(deep); k++) {
        Text good = repeated(deep[k].before, deep[k].of, deep[k].good, deep[k].behind);
        Text bad = repeated(deep[k].before, deep[k].of, deep[k].bad, deep[k].behind);
        if (deep[k].good) assert_true(taken(good.v));
        assert_false(taken(bad.v));
        text_free(&good), text_free(&bad);
    }
    // Length: many parameters, and a function whose parameters are the function before it twice, which doubles the text
    // with every few characters.
    Text many = repeated("_Z1f", "i", 60, ""), more = repeated("_Z1f", "i", 10000, ""), doubling = {0};
    assert_true(taken(many.v));
    assert_false(taken(more.v));
    text_put(&doubling, "_Z1f1aIiiE");  // S_ is a, S0_ a<int, int>
    for (int k = 0; k < 30; k++) {
        text_printf(&doubling, "S_IS%c_S%c_E", k < 10 ? '0' + k : 'A' + k - 10, k < 10 ? '0' + k : 'A' + k - 10);
        if (k < 6) assert_true(taken(doubling.v));
    }
    assert_false(taken(doubling.v));
    text_free(&many), text_free(&more), text_free(&doubling);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms), cmocka_unit_test(filter), cmocka_unit_test(refused),
                                       cmocka_unit_test(hostile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
