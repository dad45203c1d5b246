// Descriptions with any values. An input is lines as they stand behind --set, and one `base=NAME`, the description that
// they change; `*.*=VALUE` tries every key with that value, one after the other. What is accepted runs a small kernel
// that uses every kind of memory, and it leaves what it leaves without time: a description says how long things take,
// never what they do. What isn't accepted gives a reason.
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

// --- what is tried ---------------------------------------------------------------------------------------------------
static uint32_t draw(uint64_t *state, size_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % (uint32_t)n;
}

static void put_value(uint64_t *state, const Key *k, Text *out)
{
    static const char *const odd[] = {"nan",
                                      "-nan",
                                      "inf",
                                      "-inf",
                                      "-0",
                                      "0",
                                      "-1",
                                      "1",
                                      "2",
                                      "3",
                                      "1e400",
                                      "1e-400",
                                      "0x10",
                                      "2147483647",
                                      "2147483648",
                                      "4294967295",
                                      "4294967296",
                                      "9223372036854775807",
                                      "9223372036854775808",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "",
                                      " ",
                                      "1,2",
                                      "1,nan",
                                      ",",
                                      "1e9",
                                      "16777216GiB",
                                      "0.5",
                                      "99999999999999999999999999999999",
                                      "yes"};
    static const char *const names[] = {"bits",   "modulo", "xor",       "dealt", "partitioned", "fermi",  "unified",
                                        "carved", "yes",    "no",        "lru",   "plru",        "random", "weighted",
                                        "gto",    "lrr",    "two-level", "swl",   "ptx"};
    switch (draw(state, 8)) {
    case 0: text_put(out, odd[draw(state, COUNT(odd))]); break;
    case 1: text_printf(out, "%.15g", k->min); break;
    case 2: text_printf(out, "%.15g", k->max); break;
    case 3: text_printf(out, "%.15g", k->min - 1); break;
    case 4: text_printf(out, "%.15g", k->max + 1); break;
    case 5: text_put(out, names[draw(state, COUNT(names))]); break;
    case 6: text_printf(out, "%llu", 1ull << draw(state, 20)); break;
    default:
        for (uint32_t n = 1 + draw(state, 5); n; n--) text_printf(out, "%u%s", draw(state, 70), n > 1 ? "," : "");
    }
}

static void put_line(uint64_t *state, Text *out)
{
    const Key *k = &gpu_keys[draw(state, gpu_key_count)];
    text_printf(out, "%s.%s=", k->section, k->key);
    put_value(state, k, out);
    text_put(out, "\n");
}

// A line more, a line less, a line in another's place, or another description.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint64_t state = seed;
    Text out = {0};
    uint32_t lines = 0, chosen, kind = draw(&state, 4);
    for (size_t k = 0; k < size; k++) lines += data[k] == '\n';
    chosen = lines ? draw(&state, lines) : 0;
    for (size_t at = 0, line = 0; at < size; line++) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t n = end ? (size_t)(end - (data + at)) + 1 : size - at;
        if (line == chosen && kind == 0 && lines < 6) put_line(&state, &out);
        if (line == chosen && kind == 1) put_line(&state, &out);
        if (line != chosen || kind == 0 || kind == 3) text_add(&out, (const char *)data + at, n);
        at += n;
    }
    if (!lines) put_line(&state, &out);
    if (kind == 3) text_printf(&out, "base=%s\n", gpu_files[draw(&state, gpu_file_count)].name);
    size_t n = MIN(out.n, max_size);
    if (n) memcpy(data, out.v, n);
    text_free(&out);
    return n;
}

// --- the kernel ------------------------------------------------------------------------------------------------------
enum { THREADS = 64, BLOCKS = 2, WORDS = THREADS * BLOCKS };
static const char ptx[] =
    ".version 7.0\n.target sm_35\n.address_size 64\n.const .u32 c[4] = {1, 2, 3, 4};\n"
    ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n"
    ".reg .b32 %r<12>; .reg .b64 %d<8>; .reg .pred %p; .reg .f32 %f<3>; .reg .f64 %g; .local .align 8 .b8 l[64]; "
    ".shared .u32 s[64];\n"
    "ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, "
    "64, %r1;\n"
    "mul.wide.u32 %d3, %r3, 4; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3; ld.global.u32 %r4, [%d4]; "
    "ld.global.nc.u32 %r5, [%d5];\n"
    "add.u32 %r4, %r4, %r5; st.local.u32 [l+8], %r4; mul.wide.u32 %d6, %r1, 4; mov.u64 %d7, s; add.u64 %d7, %d7, %d6;\n"
    "st.shared.u32 [%d7], %r4; bar.sync 0; ld.shared.u32 %r6, [%d7]; ld.local.u32 %r7, [l+8]; ld.const.u32 %r8, "
    "[c+8];\n"
    "cvt.rn.f32.u32 %f1, %r6; sqrt.approx.f32 %f2, %f1; fma.rn.f32 %f1, %f1, %f1, %f2; cvt.f64.f32 %g, %f1; add.f64 "
    "%g, %g, %g; cvt.rzi.u32.f64 %r6, %g;\n"
    "mul.lo.u32 %r7, %r7, %r8; add.u32 %r6, %r6, %r7; setp.lt.u32 %p, %r1, 20; mov.u32 %r9, 0;\n"
    "LOOP: add.u32 %r9, %r9, 1; add.u32 %r6, %r6, %r9; setp.lt.u32 %p, %r9, %r1; and.b32 %r10, %r1, 7; setp.lt.and.u32 "
    "%p, %r9, %r10, %p;\n"
    "@%p bra LOOP; atom.global.add.u32 %r11, [%d4], %r6; add.u32 %r11, %r11, %r6; membar.gl; st.global.u32 [%d5], "
    "%r11; ret;\n}\n";

// What the kernel leaves, in words; the status otherwise.
static oc_status run(const char *base, const char *const *sets, bool functional, uint32_t words[2 * WORDS])
{
    oc_config config = {.gpu = base, .sets = sets, .functional = functional, .max_cycles = 2000000000};
    oc_device *d;
    oc_module *m;
    oc_kernel *k;
    oc_ptr p, q;
    char message[2000] = "";
    oc_status status = oc_open(&config, &d, message, sizeof message);
    if (status != OC_OK) {
        if (!*message || d) abort();
        return status;
    }
    for (uint32_t n = 0; n < 2 * WORDS; n++) words[n] = n * 3 % 50;
    const void *args[] = {&p, &q};
    if ((status = oc_malloc(d, 4 * WORDS, "p", &p)) == OC_OK && (status = oc_malloc(d, 4 * WORDS, "q", &q)) == OC_OK &&
        (status = oc_write(d, p, words, 4 * WORDS, NULL)) == OC_OK &&
        (status = oc_write(d, q, words + WORDS, 4 * WORDS, NULL)) == OC_OK &&
        (status = oc_load(d, ptx, sizeof ptx - 1, "k.ptx", &m)) == OC_OK &&
        (status = oc_kernel_get(m, "k", &k)) == OC_OK &&
        (status = oc_launch(k, (oc_dim3){BLOCKS, 1, 1}, (oc_dim3){THREADS, 1, 1}, 0, NULL, args)) == OC_OK &&
        (status = oc_read(d, words, p, 4 * WORDS, NULL)) == OC_OK)
        status = oc_read(d, words + WORDS, q, 4 * WORDS, NULL);
    if (status != OC_OK && !*oc_error(d)) abort();
    if (status != OC_OK && status != OC_BAD_ARGUMENT && status != OC_OUT_OF_MEMORY) {
        fprintf(stderr, "%s\n", oc_error(d));
        abort();
    }
    const Record *r = oc_launches(d) ? device_record(d, 0) : NULL;
    Text broken = {0};
    if (r && status == OC_OK && !functional && counters_broken(r->count, &broken)) {
        fprintf(stderr, "%s\n", broken.v);
        abort();
    }
    for (size_t n = 0; n < RATES && r; n++) oc_launch_rate(d, 0, rates[n].name);
    text_free(&broken);
    oc_close(d);
    return status;
}

static uint64_t lines(const CacheCfg *c)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < c->set_count; k++) n += c->sets[k];
    return !c->size ? 0 : n ? n : c->size / c->line;
}

// Tables so large that nothing would be found in the time that they take are left alone.
static bool is_large(const char *base, const char *const *sets)
{
    Gpu g;
    Diag diag = {0};
    bool large = gpu_load(&g, base, sets, &diag) && g.sms * (lines(&g.sm.l1) + lines(&g.sm.ro) + lines(&g.sm.cst)) +
                                                            g.part.partitions * lines(&g.part.l2) >
                                                        1 << 20;
    diag_free(&diag);
    return large;
}

static void try(const char *base, const char *const *sets)
{
    static uint32_t expected[2 * WORDS];
    static bool known;
    uint32_t words[2 * WORDS];
    Diag diag = {0};
    Text shown = {0}, canonical = {0};
    bool good = gpu_show(base, sets, false, &shown, &diag);
    if (good == diag.failed || (good && !gpu_canonical(NULL, base, sets, &canonical, &diag))) abort();
    diag_free(&diag);
    text_free(&shown), text_free(&canonical);
    if (is_large(base, sets)) return;
    if (!known && run(NULL, NULL, true, expected) != OC_OK) abort();
    known = true;
    if (run(base, sets, false, words) == OC_OK && memcmp(words, expected, sizeof words) != 0) abort();
    if (run(base, sets, true, words) == OC_OK && memcmp(words, expected, sizeof words) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LINES = 8 };
    // A small GPU to begin with, which is quickly made.
    const char *sets[LINES + 6] = {"gpu.sms=2", "gpu.memory=8MiB", "l2.size=128KiB", "l2.partitions=2"};
    const char *base = "gtx480", *all = NULL;
    uint32_t n = 4;
    if (size > 1000) return 0;
    char text[1001];
    memcpy(text, data, size);
    text[size] = 0;
    for (char *line = text, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end) *end++ = 0;
        if (!strncmp(line, "base=", 5)) {
            for (size_t k = 0; k < gpu_file_count; k++)
                if (!strcmp(gpu_files[k].name, line + 5)) base = gpu_files[k].name;
        } else if (!strncmp(line, "*.*=", 4)) {
            all = line + 4;
        } else if (n < LINES + 4) {
            sets[n++] = line;
        }
    }
    for (size_t k = 0; k < gpu_key_count && all; k++) {
        Text line = {0};
        text_printf(&line, "%s.%s=%s", gpu_keys[k].section, gpu_keys[k].key, all);
        sets[n] = line.v;
        try(base, sets);
        text_free(&line);
    }
    if (!all) try(base, sets);
    return 0;
}
