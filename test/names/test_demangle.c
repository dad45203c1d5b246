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
    // A kernel of a closure; a method of one, with its qualifier; a static member of a class's template.
    {"_Z3runIZN1A1fEvEUlPfE_EvT_i", "void run<A::f()::{lambda(float*)#1}>(A::f()::{lambda(float*)#1}, int)",
     "run<A::f()::{lambda(float*)#1}>", "run", "run"},
    {"_ZZ1fvENKUlT_E_clIiEEDaS_", "auto f()::{lambda(auto:1)#1}::operator()<int>(int) const",
     "f()::{lambda(auto:1)#1}::operator()<int>", "f()::{lambda(auto:1)#1}::operator()", "operator()"},
    {"_ZNK1AIDv4_fE1fEi", "A<float __vector(4)>::f(int) const", "A<float __vector(4)>::f", "A<float __vector(4)>::f",
     "f"},
};

// Closures, local names, vectors and values, as c++filt of binutils 2.40 writes them. The names at the end are those of
// kernels that nvcc 13 and cub have made of extended lambdas.
static const struct {
    const char *name, *full;
} more[] = {
    {"_Z1kIZ4mainEUlvE_EvT_", "void k<main::{lambda()#1}>(main::{lambda()#1})"},
    {"_Z1kIZ4mainEUliE0_EvT_S0_", "void k<main::{lambda(int)#2}>(main::{lambda(int)#2}, main::{lambda(int)#2})"},
    {"_Z1kIZ4mainEUlT_T0_DpT1_E_EvT_",
     "void k<main::{lambda(auto:1, auto:2, (auto:3)...)#1}>(main::{lambda(auto:1, auto:2, (auto:3)...)#1})"},
    {"_Z1kIZ4mainEUlOT_RKT0_DpOT1_E_EvT_",
     "void k<main::{lambda(auto:1&&, auto:2 const&, (auto:3&&)...)#1}>(main::{lambda(auto:1&&, auto:2 const&, "
     "(auto:3&&)...)#1})"},
    {"_Z1kIZ4mainEUlTyTniT_RAT0__iE_EvT_",
     "void k<main::{lambda<typename $T0, int $N1>($T0, int (&) [$N1])#1}>(main::{lambda<typename $T0, int $N1>($T0, "
     "int (&) [$N1])#1})"},
    {"_Z1kIZ1fIiEvT_EUlvE_EvT_", "void k<f<int>(int)::{lambda()#1}>(f<int>(int)::{lambda()#1})"},
    {"_Z1kIZZ1fIiEvT_ENKUlS0_E_clES0_EUlvE_EvT_",
     "void k<f<int>(int)::{lambda(f)#1}::operator()(f) "
     "const::{lambda()#1}>(f<int>(int)::{lambda(f)#1}::operator()(f) const::{lambda()#1})"},
    {"_Z1kIZNK1A1fEvEUlvE_EvT_", "void k<A::f() const::{lambda()#1}>(A::f() const::{lambda()#1})"},
    {"_Z1kIZNVKR1A1fEvEUlvE_EvT_",
     "void k<A::f() const volatile &::{lambda()#1}>(A::f() const volatile &::{lambda()#1})"},
    {"_Z1kIZN1AIiEC1EiEUlvE_EvT_", "void k<A<int>::A(int)::{lambda()#1}>(A<int>::A(int)::{lambda()#1})"},
    {"_Z1kIZN1AD1EvEUlvE_EvT_", "void k<A::~A()::{lambda()#1}>(A::~A()::{lambda()#1})"},
    {"_Z1kIZN1AcvbEvEUlvE_EvT_", "void k<A::operator bool()::{lambda()#1}>(A::operator bool()::{lambda()#1})"},
    {"_Z1kIZN1ApLEiEUlvE_EvT_", "void k<A::operator+=(int)::{lambda()#1}>(A::operator+=(int)::{lambda()#1})"},
    {"_Z1kIZ4mainE1A_0EvT_", "void k<main::A>(main::A)"},
    {"_Z1kIZ4mainE1A__12_EvT_", "void k<main::A>(main::A)"},
    {"_Z1kIZ4mainEd0_UlvE_EvT_", "void k<main::{default arg#2}::{lambda()#1}>(main::{default arg#2}::{lambda()#1})"},
    {"_Z1kIN1A1xMUlvE_EEvT_S2_", "void k<A::x::{lambda()#1}>(A::x::{lambda()#1}, A::x::{lambda()#1})"},
    {"_Z1kIZ4mainEUt_EvT_S1_", "void k<main::{unnamed type#1}>(main::{unnamed type#1}, main::{unnamed type#1})"},
    {"_Z1kIN1AUt0_EEvT_", "void k<A::{unnamed type#2}>(A::{unnamed type#2})"},
    {"_ZZ1fvENKUlT_E_clIiEEDaS_", "auto f()::{lambda(auto:1)#1}::operator()<int>(int) const"},
    {"_Z1kIDv4_fEvPT_", "void k<float __vector(4)>(float __vector(4)*)"},
    {"_Z1kIKDv2_DhEvRA3_T_", "void k<half __vector(2) const>(half __vector(2) const (&) [3])"},
    {"_Z1kIDv_Li4E_fEvT_", "void k<float __vector(4)>(float __vector(4))"},
    {"_Z1kIM1AKFvvEEvT_", "void k<void (A::*)() const>(void (A::*)() const)"},
    {"_Z1kIM1AiEvT_", "void k<int A::*>(int A::*)"},
    {"_Z1kIPDoFviEEvT_", "void k<void (*)(int) noexcept>(void (*)(int) noexcept)"},
    {"_Z1kIDF16_EvPDF16b", "void k<_Float16>(std::bfloat16_t*)"},
    {"_Z1kIPU3AS1KfEvT_", "void k<float const AS1*>(float const AS1*)"},
    {"_Z1kILf40000000EEvi", "void k<(float)[40000000]>(int)"},
    {"_Z1kILDnEEvi", "void k<decltype(nullptr)>(int)"},
    {"_Z1kIiENSt9enable_ifIXsr3std11is_integralIT_EE5valueEvE4typeEPS1_",
     "std::enable_if<std::is_integral<int>::value, void>::type k<int>(int*)"},
    {"_Z1kIiENSt9enable_ifIXaasrSt11is_integralIT_E5valuegtstT_Li2EEvE4typeEPS1_",
     "std::enable_if<std::is_integral<int>::value&&(((sizeof (int))>(2))), void>::type k<int>(std::is_integral*)"},
    {"_Z1kIJifEENSt9enable_ifIXeqsZT_Li2EEvE4typeEDpT_",
     "std::enable_if<(2)==(2), void>::type k<int, float>(int, float)"},
    {"_Z1kIJifEEvDpRKT_", "void k<int, float>(int const&, float const&)"},
    {"_Z1kIJEEvDpPT_i", "void k<>(, int)"},
    {"_Z1kIJEiEvT0_", "void k<, int>(int)"},
    {"_Z1kIiEDTcl1fT_EEi", "decltype (f(int)) k<int>(int)"},
    {"_Z1kIiEDTcmcvvdeLi0EcvbLb1EEPT_", "decltype (((void)(*(0))),((bool)(true))) k<int>(int*)"},
    {"_Z1fIJLi1ELi2EEEN1BIXfraaT_EEEv", "B<((1, 2)&&...)> f<1, 2>()"},
    {"_Z1kIiEPFvT_ES0_", "void (*k<int>(int))(int)"},
    {"_Z1kIiEPA4_T_S0_", "int (*k<int>(int)) [4]"},
    {"_Z4makeI7FactoryiET_IT0_Ev", "Factory<int> make<Factory, int>()"},
    {"_Z1kB3abcI1AB5cxx11EvT_", "void k[abi:abc]<A[abi:cxx11]>(A[abi:cxx11])"},
    {"_Z1kISsEvT_",
     "void k<std::basic_string<char, std::char_traits<char>, std::allocator<char> > >(std::basic_string<char, "
     "std::char_traits<char>, std::allocator<char> >)"},
    {"_ZSteqIcEbRKT_S1_", "bool std::operator==<char>(char const&, char const)"},
    {"_Z5applyI17__nv_dl_wrapper_tI11__nv_dl_tagIPFvPiiEXadL_Z4hostS2_iEELj1EEJS2_iEEEvT_i",
     "void apply<__nv_dl_wrapper_t<__nv_dl_tag<void (*)(int*, int), &(host(int*, int)), 1u>, int*, int> "
     ">(__nv_dl_wrapper_t<__nv_dl_tag<void (*)(int*, int), &(host(int*, int)), 1u>, int*, int>, int)"},
    {"_Z5applyI18__nv_hdl_wrapper_tILb0ELb0ELb0E11__nv_dl_tagIM1SKFvvEXadL_ZNKS2_2hdEvEELj1EEFviEJPiEEEvT_i",
     "void apply<__nv_hdl_wrapper_t<false, false, false, __nv_dl_tag<void (S::*)() const, &(S::hd() const), 1u>, "
     "void (int), int*> >(__nv_hdl_wrapper_t<false, false, false, __nv_dl_tag<void (S::*)() const, &(S::hd() const), "
     "1u>, void (int), int*>, int)"},
    {"_Z5applyIZN1S2goIfEEvT_EUliE_EvS2_i",
     "void apply<S::go<float>(float)::{lambda(int)#1}>(S::go<float>(float)::{lambda(int)#1}, int)"},
    {"_Z5applyIZN1SpLEiEUliE_EvT_i",
     "void apply<S::operator+=(int)::{lambda(int)#1}>(S::operator+=(int)::{lambda(int)#1}, int)"},
    {"_ZN3cub17CUB_300001_SM_8006detail8for_each13static_kernelINS2_12policy_hub_t12policy_500_tEiZ4hostPiiEUliE7_EEv"
     "T0_T1_",
     "void cub::CUB_300001_SM_800::detail::for_each::static_kernel<cub::CUB_300001_SM_800::detail::for_each::policy_h"
     "ub_t::policy_500_t, int, host(int*, int)::{lambda(int)#9}>(int, host(int*, int)::{lambda(int)#9})"},
    {"_ZN3cub17CUB_300001_SM_8006detail8for_each13static_kernelINS2_12policy_hub_t12policy_500_tElNS2_12op_wrapper_tI"
     "lZ4hostPiiEUliE4_N6thrust23THRUST_300001_SM_800_NS17counting_iteratorIiNSA_11use_defaultESC_SC_EEEEEEvT0_T1_",
     "void cub::CUB_300001_SM_800::detail::for_each::static_kernel<cub::CUB_300001_SM_800::detail::for_each::policy_h"
     "ub_t::policy_500_t, long, cub::CUB_300001_SM_800::detail::for_each::op_wrapper_t<long, host(int*, "
     "int)::{lambda(int)#6}, thrust::THRUST_300001_SM_800_NS::counting_iterator<int, "
     "thrust::THRUST_300001_SM_800_NS::use_default, thrust::THRUST_300001_SM_800_NS::use_default, "
     "thrust::THRUST_300001_SM_800_NS::use_default> > >(long, "
     "cub::CUB_300001_SM_800::detail::for_each::op_wrapper_t<long, host(int*, int)::{lambda(int)#6}, "
     "thrust::THRUST_300001_SM_800_NS::counting_iterator<int, thrust::THRUST_300001_SM_800_NS::use_default, "
     "thrust::THRUST_300001_SM_800_NS::use_default, thrust::THRUST_300001_SM_800_NS::use_default> >)"},
    {"_Z6applycIZ4hostPiiEUlifE0_JifEEvT_DpPKT0_",
     "void applyc<host(int*, int)::{lambda(int, float)#2}, int, float>(host(int*, int)::{lambda(int, float)#2}, int "
     "const*, float const*)"},
};

static void others(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(more); k++) {
        Text t = {0};
        if (!demangle(more[k].name, NAME_FULL, &t)) fail_msg("%s is refused", more[k].name);
        assert_string_equal(t.v, more[k].full);
        assert_true(name_means(more[k].name, more[k].full));
        text_free(&t);
    }
}

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
    for (size_t k = 0; k < COUNT(more); k++) vec_push(&names, mem_text(more[k].name));
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
    text_printf(&g->text, "%s", (const char *[]){"1a", "2bb", "5vec_t", "L3one", "1aB3tag"}[pick(g, 5)]);
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
        if (pick(g, 5) == 0) {
            text_put(&g->text, "J");
            for (unsigned n = pick(g, 3); n; n--) put_type(g);
            text_put(&g->text, "E");
            if (pick(g, 2)) put_type(g);
        }
        text_put(&g->text, "E");
    }
    if (nested) text_put(&g->text, "E");
    g->depth--;
}

// A closure, or a type that has a name, in a function.
static void put_local(Grammar *g)
{
    const int outer = g->templates;
    const int depth = g->depth;
    const bool template = pick(g, 3) == 0;
    text_put(&g->text, "Z");
    g->templates = 0;
    put_name(g, template);
    g->templates = template;
    text_put(&g->text, template ? "vi" : "i");
    if (pick(g, 3) == 0) put_type(g);
    g->templates = outer;
    if (pick(g, 3)) {
        text_put(&g->text, "EUl");
        g->depth =
            9;  // simple ones: c++filt puts the star of a pointer to a closure among parameters that are functions
        for (unsigned n = 1 + pick(g, 2); n; n--)
            if (pick(g, 4))
                put_type(g);
            else
                text_put(&g->text, (const char *[]){"T_", "OT0_", "PKT_", "DpT_"}[pick(g, 4)]);
        text_put(&g->text, (const char *[]){"E_", "E0_"}[pick(g, 2)]);
        g->depth = depth;
    } else {
        text_put(&g->text, "E5local");
        text_put(&g->text, (const char *[]){"", "__11_"}[pick(g, 2)]);
    }
}

static void put_type(Grammar *g)
{
    static const char *const simple[] = {"i", "f", "d", "b", "j", "m", "x", "Dn", "6__half", "h", "5uint4"};
    g->depth++;
    switch (g->depth > 5 ? 0 : pick(g, 18)) {
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
    case 14: text_put(&g->text, pick(g, 2) ? "Dv4_" : "PDv2_"), text_put(&g->text, simple[pick(g, 6)]); break;
    case 15: put_local(g); break;
    case 16: text_put(&g->text, "M1c"), put_type(g); break;
    case 17: text_put(&g->text, "PDoFv"), put_type(g), text_put(&g->text, "E"); break;
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
        "_Z1fAi", "_Z1fP", "_Z1fKVi", "_Z1fFvE", "_Z1fD", "_Z1fDq", "_Z1fILfEEvv", "_Z1fILiEEvv",
        // Names of closures that don't end; a special name; what names of kernels don't have.
        "_Z1kIZ4mainEUl", "_Z1kIZ4mainEUlvE", "_Z1kIZ4mainEUlE_EvT_", "_Z1kIZ4main", "_Z1kIZ4mainEUtEvT_",
        "_Z1kIDv_fEvT_", "_Z1kIDv4fEvT_", "_Z1kIXsZT_EEvv", "_Z1kIXT_EEvi", "_ZThn8_N1A1fEv", "_Z1fIiEDTnwT__ES0_",
        "_ZTV1A"};
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

// A function of Python's, as Numba 0.56 mangles it: add(x, n, y) of a vector, an integer and a matrix.
static void python(void **state)
{
    (void)state;
    static const char add[] =
        "_ZN6cudapy8__main__3addB2v1B8cw51cXTLE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIdLi2E1A7mutable7alignedE";
    static const struct {
        const char *given, *shown;
    } params[] = {{"param_4", "argument 1"},
                  {"param_0", "param_0"},
                  {"param_7", "argument 2"},
                  {"param_8", "param_8"},
                  {"param_12", "argument 3"},
                  {"param_17", "param_17"},
                  {"x", "x"}};
    char *shown = name_shown(add);
    assert_string_equal(shown, "add(Array<float, 1, C>, long long, Array<double, 2, A>)");
    mem_free(shown);
    assert_true(name_means(add, "add"));
    shown = name_shown("_ZN6cudapy8__main__4main12_3clocals_3e1kB2v1Ei");
    assert_string_equal(shown, "main::<locals>::k(int)");
    mem_free(shown);
    for (size_t k = 0; k < sizeof params / sizeof *params; k++) {
        shown = param_shown(add, params[k].given);
        assert_string_equal(shown, params[k].shown);
        mem_free(shown);
    }
    shown = param_shown("_Z5saxpyifPf", "_Z5saxpyifPf_param_2");
    assert_string_equal(shown, "param_2");
    mem_free(shown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(python), cmocka_unit_test(forms),     cmocka_unit_test(others),
                                       cmocka_unit_test(filter), cmocka_unit_test(generated), cmocka_unit_test(refused),
                                       cmocka_unit_test(hostile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
