// Names of C++: the forms of a name against fixed expectations, from the examples of the Itanium C++ ABI (§5.1) and
// from declarations whose names nvcc made; against c++filt where there is one; refused names; and hostile ones.
#include "names/names.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    // Functions and variables as template arguments (ABI §5.1.6.1), void alone, and nothing.
    {"_Z2unIXadL_Z1ffEEfEvPT0_", "void un<&(f(float)), float>(float*)", "un<&(f(float)), float>", "un", "un"},
    {"_Z2unIL_Z1ffEfEvPT0_", "void un<f(float), float>(float*)", "un<f(float), float>", "un", "un"},
    {"_Z2unIXadL_ZN1a1b1gIiEEfT_EEdEvPT0_", "void un<&(float a::b::g<int>(int)), double>(double*)",
     "un<&(float a::b::g<int>(int)), double>", "un", "un"},
    {"_Z2unIXadL_ZN1a1bEiEEEvv", "void un<&a::b>()", "un<&a::b>", "un", "un"},
    {"_Z2unIXadL_ZL5tableEELm4EEvv", "void un<&table, 4ul>()", "un<&table, 4ul>", "un", "un"},
    {"_Z1eIvEvv", "void e<void>()", "e<void>", "e", "e"},
    {"_Z1eIJvEEvv", "void e<void>()", "e<void>", "e", "e"},
    {"_Z1eIJEEvv", "void e<>()", "e<>", "e", "e"},
    {"_Z1eI1aIvEEvT_", "void e<a<void> >(a<void>)", "e<a<void> >", "e", "e"},
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

// --- against c++filt, where there is one -----------------------------------------------------------------------------
typedef VEC(char *) Names;

// Each name is c++filt's or refused. How many are refused.
static size_t compare(const Names *names)
{
    char path[] = "/tmp/onchip-names-XXXXXX", command[100], line[1 << 16];
    FILE *f = fdopen(mkstemp(path), "w");
    assert_non_null(f);
    for (size_t k = 0; k < names->n; k++) fprintf(f, "%s\n", names->v[k]);
    fclose(f);
    snprintf(command, sizeof command, "c++filt <%s", path);
    assert_non_null(f = popen(command, "r"));
    size_t refusals = 0;
    for (size_t k = 0; k < names->n; k++) {
        Text t = {0};
        assert_non_null(fgets(line, sizeof line, f));
        line[strcspn(line, "\n")] = 0;
        if (!demangle(names->v[k], NAME_FULL, &t))
            refusals++;
        else if (strcmp(t.v, line))
            fail_msg("%s is\n%s and not\n%s", names->v[k], t.v, line);
        text_free(&t);
    }
    pclose(f);
    unlink(path);
    return refusals;
}

static void filter(void **state)
{
    (void)state;
    if (system("c++filt --version >/dev/null 2>&1")) skip();
    Names names = {0};
    for (size_t k = 0; k < COUNT(table); k++) vec_push(&names, mem_text(table[k].name));
    assert_int_equal(compare(&names), 0);
    // All that stand in the tests and the workloads; but for this file's, many of which are refused on purpose.
    FILE *f = popen("grep -rhoE '\\b_Z[A-Za-z0-9_]{3,}' test workloads --exclude=test_demangle.c | sort -u", "r");
    char line[4000];
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        vec_push(&names, mem_text(line));
    }
    pclose(f);
    size_t refusals = compare(&names);
    print_message("%zu names, %zu refused\n", names.n, refusals);
    for (size_t k = 0; k < names.n; k++) mem_free(names.v[k]);
    vec_free(&names);
}

// Names of templates from the grammar of the ABI (§5.1): what a compiler may write, and more.
typedef struct Grammar {
    Text text;
    uint64_t seed;
    int depth, templates;  // templates: in which T_ means something
} Grammar;

static unsigned pick(Grammar *g, unsigned n)
{
    g->seed = g->seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(g->seed >> 33) % n;
}

static void put_type(Grammar *g);

static void put_own(Grammar *g)
{
    text_printf(&g->text, "%s", (const char *[]){"1a", "2bb", "5vec_t", "L3one"}[pick(g, 4)]);
}

static void put_name(Grammar *g, bool template);

static void put_encoded(Grammar *g)
{
    bool template = pick(g, 3) == 0;
    int outer = g->templates;
    text_put(&g->text, "L_Z");
    g->templates = 0;
    put_name(g, template);
    g->templates = template;
    if (template || pick(g, 3)) {
        if (template) text_put(&g->text, "v");
        if (pick(g, 3) == 0)
            text_put(&g->text, "v");
        else
            for (unsigned n = 1 + pick(g, 2); n; n--) put_type(g);
    }
    g->templates = outer;
    text_put(&g->text, "E");
}

static void put_arg(Grammar *g, bool first)
{
    static const char *const literals[] = {"Li8E", "Lin3E", "Lb1E", "Lm64E", "Lj0E", "LPi0E", "Lc65E", "Lx5E"};
    switch (pick(g, 8)) {
    case 0:
    case 1: text_put(&g->text, literals[pick(g, COUNT(literals))]); break;
    case 3:
        if (g->depth < 4) {
            text_put(&g->text, "Xad");
            put_encoded(g);
            text_put(&g->text, "E");
            break;
        }  // fall through
    case 4:
        if (g->depth < 4) {
            put_encoded(g);
            break;
        }                                                  // fall through
    case 5: text_put(&g->text, first ? "i" : "v"); break;  // T_ isn't void, of which nothing can be
    default: put_type(g);
    }
}

static void put_name(Grammar *g, bool template)
{
    g->depth++;
    bool nested = pick(g, 3) == 0;
    if (nested) text_put(&g->text, "N"), put_own(g);
    put_own(g);
    if (template) {
        text_put(&g->text, "I");
        for (unsigned n = 1 + pick(g, 3), k = 0; k < n; k++) put_arg(g, !k);
        if (pick(g, 5) == 0) {  // a pack: the last, since c++filt writes <, int> where an empty one is the first
            text_put(&g->text, "J");
            for (unsigned n = pick(g, 3); n; n--) put_type(g);
            text_put(&g->text, "E");
        }
        text_put(&g->text, "E");
    }
    if (nested) text_put(&g->text, "E");
    g->depth--;
}

static void put_type(Grammar *g)
{
    static const char *const simple[] = {"i", "f", "d", "b", "j", "m", "x", "Dn", "6__half", "h", "5uint4"};
    g->depth++;
    switch (g->depth > 5 ? 0 : pick(g, 14)) {
    default: text_put(&g->text, simple[pick(g, COUNT(simple))]); break;
    case 5:
    case 6: text_put(&g->text, "P"), put_type(g); break;
    case 7: text_put(&g->text, "PK"), text_put(&g->text, simple[pick(g, COUNT(simple))]); break;
    case 8: text_put(&g->text, pick(g, 2) ? "R" : "RK"), text_put(&g->text, simple[pick(g, COUNT(simple))]); break;
    case 9: text_put(&g->text, "PF"), put_type(g), put_type(g), text_put(&g->text, "E"); break;
    case 10: text_put(&g->text, "RA4_"), text_put(&g->text, simple[pick(g, 7)]); break;
    case 11: put_name(g, true); break;
    case 12: text_put(&g->text, g->templates ? "PT_" : "i"); break;
    case 13: text_put(&g->text, pick(g, 2) ? "S_" : "S0_"); break;
    }
    g->depth--;
}

static void generated(void **state)
{
    (void)state;
    if (system("c++filt --version >/dev/null 2>&1")) skip();
    Names names = {0};
    Grammar g = {.seed = 7};
    for (int k = 0; k < 20000; k++) {
        g.text.n = 0;
        text_put(&g.text, "_Z");
        g.depth = g.templates = 0;
        put_name(&g, true);
        g.templates = 1;
        text_put(&g.text, "v");
        if (pick(&g, 4) == 0)
            text_put(&g.text, "v");
        else
            for (unsigned n = 1 + pick(&g, 3); n; n--) put_type(&g);
        vec_push(&names, mem_text(g.text.v));
    }
    size_t refusals = compare(&names);
    print_message("%zu generated names, %zu refused\n", names.n, refusals);
    assert_true(refusals < names.n / 2);
    for (size_t k = 0; k < names.n; k++) mem_free(names.v[k]);
    vec_free(&names);
    text_free(&g.text);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms), cmocka_unit_test(filter), cmocka_unit_test(generated),
                                       cmocka_unit_test(refused), cmocka_unit_test(hostile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
