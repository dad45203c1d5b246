// What NVVM IR has and LLVM 14 doesn't, or has otherwise: each in a kernel of 64 threads that libnvvm compiles, with
// and without optimisation. The values are compared with what the NVVM IR Specification and the PTX ISA say, done here
// in C for all lanes.
#include "check.h"

#include <dlfcn.h>
#include <nvvm/libnvvm.h>
#include <onchip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, WORDS = 128 };
typedef struct Fixture {
    oc_device *d;
    oc_ptr in, out;
    uint32_t from[N], got[WORDS];
#define CALL(name) __typeof__(&nvvm##name) name;
    CALL(CreateProgram)
    CALL(DestroyProgram)
    CALL(AddModuleToProgram)
    CALL(CompileProgram)
    CALL(GetCompiledResultSize)
    CALL(GetCompiledResult)
    CALL(GetProgramLogSize)
    CALL(GetProgramLog)
#undef CALL
} Fixture;

// Thread t has %t, %a = in[t], and stores %r to out[t]. @out64 is out + 64, which holds zeros.
static const char head[] =
    "target triple = \"nvptx64-nvidia-cuda\"\n"
    "target datalayout = \"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-"
    "v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "@s = internal addrspace(3) global [64 x i32] undef\n"
    "@name = internal addrspace(4) constant [11 x i8] c\"__CUDA_FTZ\\00\"\n"
    "!nvvm.annotations = !{!0}\n!0 = !{void (i32*, i32*)* @k, !\"kernel\", i32 1}\n"
    "!nvvmir.version = !{!1}\n!1 = !{i32 1, i32 6, i32 3, i32 0}\n";
static const char begin[] = "define void @k(i32* %in, i32* %out) {\nentry:\n"
                            "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                            "  %ip = getelementptr i32, i32* %in, i32 %t\n"
                            "  %op = getelementptr i32, i32* %out, i32 %t\n"
                            "  %o64 = getelementptr i32, i32* %out, i32 64\n"
                            "  %a = load i32, i32* %ip\n";
static const char end[] = "  store i32 %r, i32* %op\n  ret void\n}\n";

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    char path[4096];
    const oc_config config = {.functional = true, .gpu = "rtx2060"};
    snprintf(path, sizeof path, "%s/cuda/nvvm/lib64/libnvvm.so.4", getenv("ONCHIP_BUILD"));
    void *library = dlopen(path, RTLD_NOW);
    if (!library || !dlopen("libLLVM-14.so.1", RTLD_NOW)) exit(77);
#define CALL(name) *(void **)&f->name = dlsym(library, "nvvm" #name);
    CALL(CreateProgram)
    CALL(DestroyProgram)
    CALL(AddModuleToProgram)
    CALL(CompileProgram)
    CALL(GetCompiledResultSize)
    CALL(GetCompiledResult)
    CALL(GetProgramLogSize)
    CALL(GetProgramLog)
#undef CALL
    if (oc_open(&config, &f->d, NULL, 0) != OC_OK) return -1;
    oc_malloc(f->d, sizeof f->from, "in", &f->in), oc_malloc(f->d, sizeof f->got, "out", &f->out);
    // The second warp's are all odd.
    for (uint32_t k = 0; k < N; k++) f->from[k] = (k * 2654435761u >> 7) | (k >= 32);
    oc_write(f->d, f->in, f->from, sizeof f->from, NULL);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    oc_close(f->d), free(f);
    return 0;
}

static char *compile(Fixture *f, const char *declared, const char *body, int n, const char **options)
{
    char *ir = calloc(1, 1 << 16), *ptx = NULL;
    nvvmProgram p = NULL;
    size_t size = 0;
    strcat(strcat(strcat(strcat(strcat(ir, head), declared), begin), body), end);
    assert_int_equal(f->CreateProgram(&p), NVVM_SUCCESS);
    assert_int_equal(f->AddModuleToProgram(p, ir, strlen(ir), "test"), NVVM_SUCCESS);
    const nvvmResult result = f->CompileProgram(p, n, options);
    if (result) {
        assert_int_equal(f->GetProgramLogSize(p, &size), NVVM_SUCCESS);
        char *log = calloc(1, size);
        f->GetProgramLog(p, log);
        fail_msg("%s:\n%s", body, log);
    }
    assert_int_equal(f->GetCompiledResultSize(p, &size), NVVM_SUCCESS);
    ptx = calloc(1, size);
    assert_int_equal(f->GetCompiledResult(p, ptx), NVVM_SUCCESS);
    assert_int_equal(strlen(ptx) + 1, size);
    assert_int_equal(f->DestroyProgram(&p), NVVM_SUCCESS);
    free(ir);
    return ptx;
}

static void run(Fixture *f, const char *ptx)
{
    oc_module *m;
    oc_kernel *k;
    const void *args[] = {&f->in, &f->out};
    oc_fill(f->d, f->out, 0, sizeof f->got, NULL);
    if (oc_load(f->d, ptx, strlen(ptx), "test", &m) != OC_OK || oc_kernel_get(m, "k", &k) != OC_OK ||
        oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){N, 1, 1}, 0, NULL, args) != OC_OK)
        fail_msg("%s\n%s", oc_error(f->d), ptx);
    oc_read(f->d, f->got, f->out, sizeof f->got, NULL);
    oc_unload(m);
}

static const char *levels[][2] = {{"-arch=compute_75", "-opt=3"}, {"-arch=compute_75", "-opt=0"}};
// Runs the body at each level; `each` says what thread t stores.
static void check(Fixture *f, const char *declared, const char *body, uint32_t (*each)(const uint32_t *in, uint32_t t))
{
    for (size_t level = 0; level < 2; level++) {
        char *ptx = compile(f, declared, body, 2, levels[level]);
        run(f, ptx);
        for (uint32_t t = 0; t < N; t++)
            if (f->got[t] != each(f->from, t))
                fail_msg("%s: thread %u has %#x, not %#x\n%s", body, t, f->got[t], each(f->from, t), ptx);
        free(ptx);
    }
}

// --- shuffles, votes, matches ----------------------------------------------------------------------------------------
#define SHFL "declare {i32, i1} @llvm.nvvm.shfl.sync.i32(i32, i32, i32, i32, i32)\n"
#define SHFL_OF(mode, b, c)                                                                                \
    "  %x = call {i32, i1} @llvm.nvvm.shfl.sync.i32(i32 -1, i32 " mode ", i32 %a, i32 " b ", i32 " c ")\n" \
    "  %v = extractvalue {i32, i1} %x, 0\n  %p = extractvalue {i32, i1} %x, 1\n"                           \
    "  %q = zext i1 %p to i32\n  %w = shl i32 %v, 1\n  %r = or i32 %w, %q\n"
static uint32_t lane_of(const uint32_t *in, uint32_t t, uint32_t lane, bool inside)
{
    return in[(t & ~31u) | (inside ? lane : t & 31)] << 1 | inside;
}
static uint32_t idx(const uint32_t *in, uint32_t t) { return lane_of(in, t, 5, true); }
static uint32_t up(const uint32_t *in, uint32_t t) { return lane_of(in, t, (t & 31) - 3, (t & 31) >= 3); }
static uint32_t down(const uint32_t *in, uint32_t t) { return lane_of(in, t, (t & 31) + 4, (t & 31) + 4 < 32); }
static uint32_t bfly(const uint32_t *in, uint32_t t) { return lane_of(in, t, (t & 31) ^ 7, true); }
static void test_shuffles(void **state)
{
    check(*state, SHFL, SHFL_OF("0", "5", "31"), idx);
    check(*state, SHFL, SHFL_OF("1", "3", "0"), up);
    check(*state, SHFL, SHFL_OF("2", "4", "31"), down);
    check(*state, SHFL, SHFL_OF("3", "7", "31"), bfly);
    // The mode needn't be a constant.
    check(*state, SHFL, "  %m = lshr i32 %t, 6\n  %n = add i32 %m, 3\n" SHFL_OF("%n", "7", "31"), bfly);
}

#define VOTE "declare {i32, i1} @llvm.nvvm.vote.sync(i32, i32, i1)\n"
#define VOTE_OF(mode)                                                           \
    "  %b = trunc i32 %a to i1\n"                                               \
    "  %x = call {i32, i1} @llvm.nvvm.vote.sync(i32 -1, i32 " mode ", i1 %b)\n" \
    "  %v = extractvalue {i32, i1} %x, 0\n  %p = extractvalue {i32, i1} %x, 1\n"
#define TAKE_P "  %r = zext i1 %p to i32\n"
static uint32_t odd(const uint32_t *in, uint32_t t)
{
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < 32; lane++) mask |= (in[(t & ~31u) | lane] & 1) << lane;
    return mask;
}
static uint32_t all(const uint32_t *in, uint32_t t) { return odd(in, t) == ~0u; }
static uint32_t any(const uint32_t *in, uint32_t t) { return odd(in, t) != 0; }
static uint32_t eq(const uint32_t *in, uint32_t t) { return odd(in, t) == ~0u || !odd(in, t); }
static void test_votes(void **state)
{
    check(*state, VOTE, VOTE_OF("0") TAKE_P, all);
    check(*state, VOTE, VOTE_OF("1") TAKE_P, any);
    check(*state, VOTE, VOTE_OF("2") TAKE_P, eq);
    check(*state, VOTE, VOTE_OF("3") "  %r = add i32 %v, 0\n", odd);
}

static uint32_t same(const uint32_t *in, uint32_t t)
{
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < 32; lane++) mask |= (uint32_t) !((in[(t & ~31u) | lane] ^ in[t]) & 3) << lane;
    return mask;
}
static uint32_t all_odd(const uint32_t *in, uint32_t t) { return all(in, t) ? ~0u : 0; }
static void test_matches(void **state)
{
    check(*state, "declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)\n",
          "  %v = and i32 %a, 3\n  %r = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %v)\n", same);
    check(*state, "declare i32 @llvm.nvvm.match.any.sync.i64(i32, i64)\n",
          "  %v = and i32 %a, 3\n  %w = zext i32 %v to i64\n  %x = shl i64 %w, 40\n"
          "  %r = call i32 @llvm.nvvm.match.any.sync.i64(i32 -1, i64 %x)\n",
          same);
#define MATCH_ALL(type)                                                               \
    "  %x = call {i32, i1} @llvm.nvvm.match.all.sync." type "(i32 -1, " type " %v)\n" \
    "  %l = extractvalue {i32, i1} %x, 0\n  %p = extractvalue {i32, i1} %x, 1\n"      \
    "  %r = select i1 %p, i32 %l, i32 0\n"
    check(*state, "declare {i32, i1} @llvm.nvvm.match.all.sync.i32(i32, i32)\n",
          "  %v = and i32 %a, 1\n" MATCH_ALL("i32"), all_odd);
    check(*state, "declare {i32, i1} @llvm.nvvm.match.all.sync.i64(i32, i64)\n",
          "  %u = and i32 %a, 1\n  %w = zext i32 %u to i64\n  %v = shl i64 %w, 50\n" MATCH_ALL("i64"), all_odd);
}

static uint32_t ones(const uint32_t *in, uint32_t t) { return (void)in, (void)t, ~0u; }
static uint32_t one(const uint32_t *in, uint32_t t) { return (void)in, (void)t, 1; }
static uint32_t itself(const uint32_t *in, uint32_t t) { return in[t]; }
static uint32_t even_lanes(const uint32_t *in, uint32_t t) { return t & 1 ? 0 : in[t]; }
static uint32_t side(const uint32_t *in, uint32_t t) { return (void)in, t & 1 ? 0xaaaaaaaa : 0x55555555; }
static void test_others(void **state)
{
    check(*state, "declare i32 @llvm.nvvm.activemask()\n", "  %r = call i32 @llvm.nvvm.activemask()\n", ones);
    // Calls that are alike on both sides of a branch aren't one call before it.
    static const char sides[] = "  %odd = trunc i32 %t to i1\n  br i1 %odd, label %one, label %two\n"
                                "one:\n  %x = call i32 WHAT\n  br label %both\n"
                                "two:\n  %y = call i32 WHAT\n  br label %both\n"
                                "both:\n  %r = phi i32 [%x, %one], [%y, %two]\n";
    static const char *const whats[] = {"@llvm.nvvm.activemask()", "asm sideeffect \"activemask.b32 $0;\", \"=r\"()"};
    for (size_t k = 0; k < 2; k++) {
        char body[1024], *to = body;
        for (const char *p = sides; *p;)
            if (!strncmp(p, "WHAT", 4))
                to += sprintf(to, "%s", whats[k]), p += 4;
            else
                *to++ = *p++;
        *to = '\0';
        check(*state, "declare i32 @llvm.nvvm.activemask()\n", body, side);
    }
    check(*state, "declare i64 @llvm.nvvm.read.ptx.sreg.globaltimer()\ndeclare void @llvm.nvvm.nanosleep(i32)\n",
          "  %x = call i64 @llvm.nvvm.read.ptx.sreg.globaltimer()\n  call void @llvm.nvvm.nanosleep(i32 100)\n"
          "  %y = call i64 @llvm.nvvm.read.ptx.sreg.globaltimer()\n  %c = icmp ule i64 %x, %y\n"
          "  %r = zext i1 %c to i32\n",
          one);
    check(*state, "declare void @llvm.nvvm.exit()\n",
          "  %l = trunc i32 %t to i1\n  br i1 %l, label %e, label %go\n"
          "e:\n  call void @llvm.nvvm.exit()\n  br label %go\ngo:\n  %r = add i32 %a, 0\n",
          even_lanes);
}

// --- barriers --------------------------------------------------------------------------------------------------------
static uint32_t mirrored(const uint32_t *in, uint32_t t) { return in[N - 1 - t]; }
static uint32_t odd_count(const uint32_t *in, uint32_t t)
{
    uint32_t n = 0;
    (void)t;
    for (uint32_t k = 0; k < N; k++) n += in[k] & 1;
    return n;
}
static uint32_t and_of(const uint32_t *in, uint32_t t) { return odd_count(in, t) == N; }
static uint32_t or_of(const uint32_t *in, uint32_t t) { return odd_count(in, t) != 0; }
static void test_barriers(void **state)
{
    static const char fences[] = "declare void @llvm.nvvm.barrier0()\ndeclare void @llvm.nvvm.membar.cta()\n"
                                 "declare void @llvm.nvvm.membar.gl()\ndeclare void @llvm.nvvm.membar.sys()\n"
                                 "declare void @llvm.nvvm.bar.warp.sync(i32)\n";
    check(*state, fences,
          "  %x = getelementptr [64 x i32], [64 x i32] addrspace(3)* @s, i32 0, i32 %t\n"
          "  store i32 %a, i32 addrspace(3)* %x\n  call void @llvm.nvvm.membar.cta()\n"
          "  call void @llvm.nvvm.membar.gl()\n  call void @llvm.nvvm.membar.sys()\n"
          "  call void @llvm.nvvm.bar.warp.sync(i32 -1)\n  call void @llvm.nvvm.barrier0()\n  %m = sub i32 63, %t\n"
          "  %y = getelementptr [64 x i32], [64 x i32] addrspace(3)* @s, i32 0, i32 %m\n"
          "  %r = load i32, i32 addrspace(3)* %y\n",
          mirrored);
#define BARRIER(op)                                  \
    "declare i32 @llvm.nvvm.barrier0." op "(i32)\n", \
        "  %l = and i32 %a, 1\n  %r = call i32 @llvm.nvvm.barrier0." op "(i32 %l)\n"
    check(*state, BARRIER("popc"), odd_count);
    // Any number but 0 is true.
    check(*state, "declare i32 @llvm.nvvm.barrier0.and(i32)\n",
          "  %l = and i32 %a, 1\n  %c = call i32 @llvm.nvvm.barrier0.and(i32 %l)\n  %d = icmp ne i32 %c, 0\n"
          "  %r = zext i1 %d to i32\n",
          and_of);
    check(*state, "declare i32 @llvm.nvvm.barrier0.or(i32)\n",
          "  %l = and i32 %a, 1\n  %c = call i32 @llvm.nvvm.barrier0.or(i32 %l)\n  %d = icmp ne i32 %c, 0\n"
          "  %r = zext i1 %d to i32\n",
          or_of);
}

// --- atomics: out[64] at the end -------------------------------------------------------------------------------------
static void atomic_gives(Fixture *f, const char *declared, const char *body, const void *value, size_t bytes)
{
    for (size_t level = 0; level < 2; level++) {
        char *ptx = compile(f, declared, body, 2, levels[level]);
        run(f, ptx);
        if (memcmp(f->got + 64, value, bytes)) fail_msg("%s: %#x\n%s", body, f->got[64], ptx);
        free(ptx);
    }
}

#define ADD(space, p, T, n) "declare " T " @llvm.nvvm.atomic.load.add." n ".p" p n "(" T space "*, " T ")\n"
static void test_atomics(void **state)
{
    const float sum = 64 * 1.5f;
    const double sum2 = 64 * 0.25;
    const uint32_t inc = 64 % 11, count = 64;
    uint32_t dec = 0;
    for (int k = 0; k < N; k++) dec = !dec || dec > 10 ? 10 : dec - 1;
    atomic_gives(*state, ADD("", "0", "float", "f32"),
                 "  %f = bitcast i32* %o64 to float*\n"
                 "  %r.f = call float @llvm.nvvm.atomic.load.add.f32.p0f32(float* %f, float 1.5)\n"
                 "  %r = fptosi float %r.f to i32\n",
                 &sum, 4);
    atomic_gives(*state, ADD(" addrspace(1)", "1", "float", "f32"),
                 "  %f = bitcast i32* %o64 to float*\n  %g = addrspacecast float* %f to float addrspace(1)*\n"
                 "  %r.f = call float @llvm.nvvm.atomic.load.add.f32.p1f32(float addrspace(1)* %g, float 1.5)\n"
                 "  %r = fptosi float %r.f to i32\n",
                 &sum, 4);
    atomic_gives(*state, ADD("", "0", "double", "f64"),
                 "  %f = bitcast i32* %o64 to double*\n"
                 "  %r.f = call double @llvm.nvvm.atomic.load.add.f64.p0f64(double* %f, double 0.25)\n"
                 "  %r = fptosi double %r.f to i32\n",
                 &sum2, 8);
    atomic_gives(*state, "declare i32 @llvm.nvvm.atomic.load.inc.32.p0i32(i32*, i32)\n",
                 "  %r = call i32 @llvm.nvvm.atomic.load.inc.32.p0i32(i32* %o64, i32 10)\n", &inc, 4);
    atomic_gives(*state, "declare i32 @llvm.nvvm.atomic.load.dec.32.p0i32(i32*, i32)\n",
                 "  %r = call i32 @llvm.nvvm.atomic.load.dec.32.p0i32(i32* %o64, i32 10)\n", &dec, 4);
    atomic_gives(*state, "",
                 "  %first = load volatile i32, i32* %o64\n  br label %try\ntry:\n"
                 "  %old = phi i32 [%first, %entry], [%was, %try]\n  %new = add i32 %old, 1\n"
                 "  %x = cmpxchg volatile i32* %o64, i32 %old, i32 %new monotonic monotonic\n"
                 "  %was = extractvalue {i32, i1} %x, 0\n  %again = icmp ne i32 %was, %old\n"
                 "  br i1 %again, label %try, label %done\ndone:\n  %r = add i32 %old, 0\n",
                 &count, 4);
}

// --- types and loads -------------------------------------------------------------------------------------------------
static uint32_t high(const uint32_t *in, uint32_t t)
{
    return (uint32_t)((((unsigned __int128)in[t] << 60) * (((unsigned __int128)in[t] << 40) | 77)) >> 90);
}
static uint32_t halved(const uint32_t *in, uint32_t t) { return (in[t] & 63) * 2 + 1; }
static void test_types(void **state)
{
    check(*state, "",
          "  %w = zext i32 %a to i128\n  %x = shl i128 %w, 60\n  %y = shl i128 %w, 40\n  %z = or i128 %y, 77\n"
          "  %p = mul i128 %x, %z\n  %q = lshr i128 %p, 90\n  %r = trunc i128 %q to i32\n",
          high);
    check(*state, "",
          "  %l = and i32 %a, 63\n  %h = uitofp i32 %l to half\n  %x = fadd half %h, %h\n"
          "  %y = fadd half %x, 0xH3C00\n  %r = fptosi half %y to i32\n",
          halved);
    check(*state, "declare i32 @llvm.nvvm.ldg.global.i.i32.p1i32(i32 addrspace(1)*, i32)\n",
          "  %g = addrspacecast i32* %ip to i32 addrspace(1)*\n"
          "  %r = call i32 @llvm.nvvm.ldg.global.i.i32.p1i32(i32 addrspace(1)* %g, i32 4)\n",
          itself);
}

// --- options ---------------------------------------------------------------------------------------------------------
static void option_gives(Fixture *f, const char *option, const char *declared, const char *body, float value,
                         const char *has)
{
    const char *words[] = {"-arch=compute_75", option};
    float got;
    char *ptx = compile(f, declared, body, 2, words);
    run(f, ptx);
    memcpy(&got, f->got, sizeof got);
    if (got != value || (has && !strstr(ptx, has))) fail_msg("%s: %a, not %a\n%s", option, got, value, ptx);
    free(ptx);
}

// The values come by way of memory, so that they aren't known when it is compiled.
#define FLOATS(x, y)                                                              \
    "  store volatile i32 " x ", i32* %op\n  %xi = load volatile i32, i32* %op\n" \
    "  store volatile i32 " y ", i32* %op\n  %yi = load volatile i32, i32* %op\n" \
    "  %x = bitcast i32 %xi to float\n  %y = bitcast i32 %yi to float\n"
#define BACK "  %r = bitcast float %f to i32\n"
static void test_options(void **state)
{
    // (1 + 2^-12)² is 1 + 2^-11 + 2^-24, of which a float has no room for the last.
    static const char product[] =
        FLOATS("1065355264", "-1082126336") "  %p = fmul float %x, %x\n  %f = fadd float %p, %y\n" BACK;
    option_gives(*state, "-fma=1", "", product, 0x1p-24f, NULL);
    option_gives(*state, "-fma=0", "", product, 0, NULL);
    // A subnormal number, 2^-130, doubled.
    static const char small[] = FLOATS("524288", "0") "  %f = fadd float %x, %x\n" BACK;
    option_gives(*state, "-ftz=0", "", small, 0x1p-129f, NULL);
    option_gives(*state, "-ftz=1", "", small, 0, "add.rn.ftz.f32");
    static const char quotient[] = FLOATS("1086324736", "1073741824") "  %f = fdiv float %x, %y\n" BACK;
    option_gives(*state, "-prec-div=1", "", quotient, 3, "div.rn.f32");
    option_gives(*state, "-prec-div=0", "", quotient, 3, "div.full.f32");
    static const char fast[] = FLOATS("1086324736", "1073741824") "  %f = fdiv fast float %x, %y\n" BACK;
    option_gives(*state, "-prec-div=0", "", fast, 3, "div.approx.f32");
    static const char sqrt[] = "declare float @llvm.sqrt.f32(float)\ndeclare float @llvm.nvvm.sqrt.f(float)\n";
    static const char root[] = FLOATS("1082130432", "0") "  %f = call float @llvm.sqrt.f32(float %x)\n" BACK;
    static const char root2[] = FLOATS("1082130432", "0") "  %f = call float @llvm.nvvm.sqrt.f(float %x)\n" BACK;
    option_gives(*state, "-prec-sqrt=1", sqrt, root, 2, "sqrt.rn.f32");
    option_gives(*state, "-prec-sqrt=0", sqrt, root, 2, "sqrt.approx.f32");
    option_gives(*state, "-prec-sqrt=0", sqrt, root2, 2, "sqrt.approx.f32");
    static const char reflect[] =
        "  %v = call i32 @__nvvm_reflect(i8* getelementptr ([11 x i8], [11 x i8]* addrspacecast "
        "([11 x i8] addrspace(4)* @name to [11 x i8]*), i64 0, i64 0))\n  %f = sitofp i32 %v to float\n" BACK;
    option_gives(*state, "-ftz=1", "declare i32 @__nvvm_reflect(i8*)\n", reflect, 1, NULL);
    option_gives(*state, "-ftz=0", "declare i32 @__nvvm_reflect(i8*)\n", reflect, 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shuffles), cmocka_unit_test(test_votes),    cmocka_unit_test(test_matches),
        cmocka_unit_test(test_others),   cmocka_unit_test(test_barriers), cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_types),    cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
