// PTX that is near to programs that work: the workloads' with tokens and statements deleted, doubled, swapped and
// replaced. What it prints as reads back and prints the same; what the software L1 makes of it reads; and its kernels
// leave the same memory executed as they are written, lowered, in time, and with the software L1, wherever their
// outcome is defined (reference.h). The text alone decides everything: the launch's shape, the arguments and the
// settings too. With FUZZ_TELL in the environment it says what became of each kernel. seeds: test/lab/golden
// build-fuzz/workloads test/run/data
#include "device/sim.h"
#include "mutate.h"
#include "ptx/unit.h"
#include "reference.h"
#include "sl1/sl1.h"
#include "work/programs.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return mutate_input(data, size, max_size, seed);
}

static void give_up(const char *text, const char *what, const char *a, const char *b)
{
    fprintf(stderr, "%s\n%s: %s\n%s\n", text ? text : "", what, a ? a : "", b ? b : "");
    abort();
}

// --- text ------------------------------------------------------------------------------------------------------------
static void round_trip(const Module *m)
{
    Text once = {0}, twice = {0};
    Diag diag = {0};
    ptx_print(m, &once);
    Module *again = ptx_parse(once.v, once.n, "printed", &diag);
    if (!again) give_up(once.v, "the module as printed isn't read", diag.text.v, NULL);
    ptx_print(again, &twice);
    if (strcmp(once.v, twice.v)) give_up(once.v, "it prints otherwise the second time", twice.v, NULL);
    ptx_free(again);
    text_free(&once), text_free(&twice);
}

static void rewrite(const Module *m, const Sl1Options *options)
{
    Text out = {0};
    Sl1Module made = {0};
    Diag diag = {0};
    sl1_rewrite(m, options, &out, NULL, &made);
    Module *again = ptx_parse(out.v, out.n, "rewritten", &diag);
    if (!again) give_up(out.v, "the module as rewritten isn't read", diag.text.v, NULL);
    ptx_free(again);
    sl1_module_free(&made);
    text_free(&out);
}

// --- runs ------------------------------------------------------------------------------------------------------------
enum { BUFFERS = 12, BYTES = 8192, APART = 3 << 20, LIMIT = 4000, CYCLES = 20000000 };
typedef struct Shape {
    uint32_t blocks;
    oc_dim3 block;
    bool alias;  // two pointers lead to one buffer
    const char *const *sets;
    Sl1Options soft;
} Shape;
typedef struct Mode {
    const char *name;
    bool as_written, functional, soft;
} Mode;
typedef struct Outcome {
    oc_status status;
    char message[400];  // its first line
    Text memory;        // buffers and variables
} Outcome;
typedef struct Bench {  // a device with a module, its buffers filled, and a kernel with its arguments
    oc_device *device;
    SoftL1 *soft;
    oc_module *module;
    oc_kernel *kernel;
    oc_ptr buffer[BUFFERS];
    uint8_t values[BUFFERS][4096];
    const void *args[BUFFERS];
    uint32_t params;
} Bench;

static void fill(oc_device *d, oc_ptr at, uint32_t k)
{
    static const float small[] = {0, 1, -1, 0.5F, 2, 3, 1e-3F, 100};
    uint32_t words[BYTES / 4];
    for (uint32_t n = 0; n < BYTES / 4; n++) {
        if (k % 2)
            memcpy(&words[n], &small[(n * 5 + k) % COUNT(small)], 4);
        else
            words[n] = (n * 7 + k) % 41;
    }
    if (oc_write(d, at, words, BYTES, NULL) != OC_OK) abort();
}

static bool put_arguments(Bench *b, const Shape *s)
{
    oc_kernel_info info = oc_kernel_describe(b->kernel);
    uint32_t pointers = 0;
    if (info.refusal || info.params > BUFFERS) return false;  // a kernel that is refused has nothing to run
    for (uint32_t p = 0; p < info.params; p++) {
        memset(b->values[p], 0, sizeof b->values[p]);
        b->args[p] = b->values[p];
        if (info.sizes[p] > sizeof b->values[p]) return false;
        if (info.sizes[p] == 4) b->values[p][0] = 20;
        if (info.sizes[p] != 8) continue;
        memcpy(b->values[p], &b->buffer[s->alias && pointers == 1 ? 0 : pointers], 8);
        pointers++;
    }
    b->params = info.params;
    return true;
}

static void bench_close(Bench *b)
{
    soft_l1_close(b->soft);
    oc_close(b->device);
    mem_free(b);
}

static Bench *bench_open(const Text *ptx, uint32_t kernel, const Shape *s, const Mode *m)
{
    oc_config config = {.gpu = "titan_black",
                        .sets = s->sets,
                        .functional = m->functional,
                        .no_lowering = m->as_written,
                        .max_cycles = CYCLES};
    Bench *b = mem_alloc(sizeof *b);
    char message[1000];
    if (oc_open(&config, &b->device, message, sizeof message) != OC_OK) give_up(NULL, "no device", message, NULL);
    b->soft = m->soft ? soft_l1_open(b->device, &s->soft) : NULL;
    for (uint32_t k = 0; k < BUFFERS; k++) {
        oc_ptr between;  // so that an address that strays from one buffer hits no other
        if (oc_malloc(b->device, BYTES, NULL, &b->buffer[k]) != OC_OK ||
            oc_malloc(b->device, APART, NULL, &between) != OC_OK || oc_free(b->device, between) != OC_OK)
            abort();
        fill(b->device, b->buffer[k], k);
    }
    if (oc_load(b->device, ptx->v, ptx->n, "k.ptx", &b->module) == OC_OK) {
        // The kernels that the software L1 made stand among those of the text.
        for (size_t k = 0; k < oc_kernel_count(b->module); k++) {
            oc_kernel *it = oc_kernel_at(b->module, k);
            if (!soft_l1_made(oc_kernel_describe(it).name) && kernel-- == 0) b->kernel = it;
        }
    }
    if (b->kernel && put_arguments(b, s)) return b;
    bench_close(b);
    return NULL;
}

static void put_memory(Bench *b, Text *out)
{
    char bytes[BYTES];
    for (uint32_t k = 0; k < BUFFERS; k++) {
        if (oc_read(b->device, bytes, b->buffer[k], BYTES, NULL) != OC_OK) abort();
        text_add(out, bytes, BYTES);
    }
    const Module *m = ((const SimModule *)b->module)->image.module;
    for (size_t k = 0; k < m->symbols.n; k++) {
        const Symbol *s = m->symbols.v[k];
        oc_ptr at;
        size_t n;
        if (s->space != SP_GLOBAL || s->bytes > BYTES || oc_symbol(b->module, s->name, &at, &n) != OC_OK || !n)
            continue;
        if (oc_read(b->device, bytes, at, n, NULL) == OC_OK) text_add(out, bytes, n);
    }
}

static Outcome run(const Text *ptx, uint32_t kernel, const Shape *s, const Mode *m)
{
    Outcome out = {.status = OC_BAD_FILE};
    Bench *b = bench_open(ptx, kernel, s, m);
    if (!b) return out;
    out.status = oc_launch(b->kernel, (oc_dim3){s->blocks, 1, 1}, s->block, 0, NULL, b->args);
    if (out.status != OC_OK)
        snprintf(out.message, sizeof out.message, "%.*s", (int)strcspn(oc_error(b->device), "\n"), oc_error(b->device));
    const Record *r = device_record(b->device, 0);
    Text broken = {0};
    if (r && out.status == OC_OK && !m->functional && counters_broken(r->count, &broken))
        give_up(ptx->v, m->name, "its counters don't add up", broken.v);
    text_free(&broken);
    if (out.status == OC_OK) put_memory(b, &out.memory);
    bench_close(b);
    return out;
}

static void compare(const Text *ptx, const Outcome *first, const char *name, const Outcome *second, const char *as)
{
    if (first->status != second->status || strcmp(first->message, second->message)) {
        fprintf(stderr, "%s: %d %s\n%s: %d %s\n", name, first->status, first->message, as, second->status,
                second->message);
        give_up(ptx->v, as, "ends otherwise than", name);
    }
    if (first->memory.n != second->memory.n ||
        (first->memory.n && memcmp(first->memory.v, second->memory.v, first->memory.n))) {
        size_t k = 0;
        while (k < MIN(first->memory.n, second->memory.n) && first->memory.v[k] == second->memory.v[k]) k++;
        fprintf(stderr, "byte %zu of buffer %zu differs\n", k % BYTES, k / BYTES);
        give_up(ptx->v, as, "leaves other memory than", name);
    }
}

static const Mode as_written = {"as written", true, true, false}, lowered = {"lowered", false, true, false};

// True: this shape's outcome was defined, and all agree.
static bool agree(const Text *ptx, uint32_t kernel, const Shape *s, uint32_t choice)
{
    static const Mode others[] = {{"in time", false, false, false},
                                  {"with the software L1", false, true, true},
                                  {"as written, in time", true, false, false},
                                  {"with the software L1, in time", false, false, true}};
    Bench *b = bench_open(ptx, kernel, s, &as_written);
    if (!b) return true;
    Reference r = reference_run(b->device, b->kernel, s->blocks, s->block, b->args, LIMIT);
    Outcome expected = {.status = OC_OK};
    if (r.ended) put_memory(b, &expected.memory);
    bench_close(b);
    if (getenv("FUZZ_TELL"))
        fprintf(stderr, "kernel %u, %u threads: %s after %llu%s%s\n", kernel, s->block.x,
                r.ended     ? "ended"
                : r.faulted ? "faulted"
                            : "cut short",
                (unsigned long long)r.insts, r.undefined ? ", " : "", r.undefined ? r.undefined : "");
    bool one = s->blocks * s->block.x * s->block.y * s->block.z == 1, compared = true;
    if (r.ended && !r.undefined) {
        Outcome low = run(ptx, kernel, s, &lowered);
        if (low.status == OC_BAD_ARGUMENT) {  // a shape that the kernel or the GPU doesn't take
            text_free(&expected.memory);
            return true;
        }
        compare(ptx, &expected, as_written.name, &low, lowered.name);
        text_free(&low.memory);
        for (uint32_t k = 0; k < COUNT(others); k++) {
            if (k >= 2 && (choice >> k) % 4) continue;  // most of what they could show the others show
            Outcome o = run(ptx, kernel, s, &others[k]);
            compare(ptx, &expected, as_written.name, &o, others[k].name);
            text_free(&o.memory);
        }
    } else if (r.faulted && one) {
        // A load whose value nobody needs may be gone in the lowered kernel, but not in one of its modes alone.
        Outcome low = run(ptx, kernel, s, &lowered), slow = run(ptx, kernel, s, &others[0]);
        if (low.status == OC_FAULT) compare(ptx, &low, lowered.name, &slow, others[0].name);
        text_free(&low.memory), text_free(&slow.memory);
    } else {
        compared = false;
    }
    text_free(&expected.memory);
    return compared;
}

static uint64_t hash(const uint8_t *data, size_t size)
{
    uint64_t h = 14695981039346656037u;
    for (size_t k = 0; k < size; k++) h = (h ^ data[k]) * 1099511628211u;
    return h ^ h >> 32;
}

static Sl1Options options(uint64_t h)
{
    Sl1Options o = {.line = h % 3 ? 16 : 8, .threshold = 1 + (uint32_t)(h >> 2) % 6};
    o.per_warp = h >> 8 & 1, o.banks = h >> 9 & 1, o.prefetch = (h >> 10 & 3) == 0, o.strides = (h >> 12 & 3) == 0;
    o.pairs = h >> 16 & 1;
    o.registers = (h >> 14 & 3) == 0 ? 2 : 0;
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const schedulers[] = {"sched.policy=gto", "sched.policy=lrr", "sched.policy=two-level",
                                             "sched.policy=swl"};
    if (size > 1 << 14) return 0;
    Diag diag = {0};
    Module *m = ptx_parse((const char *)data, size, "fuzz.ptx", &diag);
    if ((m == NULL) != diag.failed) abort();
    diag_free(&diag);
    if (!m) return 0;
    uint64_t h = hash(data, size);
    const char *sets[] = {"gpu.sms=2",
                          "gpu.memory=128MiB",
                          "l2.size=128KiB",
                          "l2.partitions=2",
                          "sm.local=4096",
                          schedulers[h >> 20 & 3],
                          h >> 22 & 1 ? "registers.max=16" : NULL,
                          NULL};
    Shape s = {.alias = (h >> 24 & 3) == 0, .sets = sets, .soft = options(h)};
    round_trip(m);
    rewrite(m, &s.soft);
    Text ptx = {0};
    const char *open = open_ended(m);
    if (getenv("FUZZ_TELL")) fprintf(stderr, "%s\n", open ? open : "comparable");
    if (!open && put_initialised(m, &ptx)) {
        Module *set = ptx_parse(ptx.v, ptx.n, "set.ptx", &diag);
        if (!set) give_up(ptx.v, "with everything set it isn't read", diag.text.v, NULL);
        ptx_free(set);
        for (uint32_t k = 0; k < 2; k++) {
            s.blocks = 2, s.block = (oc_dim3){48, 1, 1};
            if (agree(&ptx, k, &s, (uint32_t)(h >> 28))) continue;
            s.blocks = 1, s.block = (oc_dim3){1, 1, 1};
            agree(&ptx, k, &s, (uint32_t)(h >> 28));
        }
    }
    text_free(&ptx);
    ptx_free(m);
    return 0;
}
