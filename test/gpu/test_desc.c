// Descriptions: what contradicts itself is refused with a reason, and what is derived adds up to what is described.
#include "check.h"
#include "gpu/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Writes the texts one after another.
#define write_text(path, ...) write_texts(path, (const char *[]){__VA_ARGS__, NULL})
static void write_texts(const char *path, const char *const *texts)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (; *texts; texts++) fputs(*texts, f);
    fclose(f);
}

static bool load(Gpu *g, const char *name, const char *sets, Diag *diag)
{
    const char *list[32] = {0};
    char copy[512];
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", sets);
    for (char *save, *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) list[n++] = word;
    return gpu_load(g, name, list, diag);
}

#define ODD "test/chip/gpus/odd.ini"

static void refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "l1.size=4000",
        "registers.hierarchy=strands registers.lrf=2",
        "storage.kind=unified registers.banks=8",
        "l1.line=96",
        "l1.fill=64",
        "l1.ways=5",
        "l1.replacement=plru l1.ways=3 l1.size=3KiB",
        "l2.partitions=3 l2.size=64KiB",
        "l2.chunk=300",
        "l2.far=10",
        "l2.far=10 l2.partitions=3 l2.size=768KiB",
        "l2.far=-1",
        "l2.latency=4",
        "dram.latency=110",
        "dram.latency=101",
        "shared.width=4 shared.mode=8",
        "shared.width=6",
        "shared.mode=5 shared.width=8",
        "sm.warps=64 sm.schedulers=5",
        "l1.polcy=lru",
        "l1.replacement=mru",
        "gpu.sms=0",
        "gpu.sms=many",
        "link.credits=0",
        "link.credits=1",
        "link.credits=1 l1.line=32 l1.fill=32 readonly.line=32 readonly.fill=32 const.line=32 const.fill=32",
        "link.credits=3 l1.line=256 l1.fill=256",
        "dram.queue=1",
        "lsu.queue=1",
        "tlb1.entries=6 tlb1.ways=4",
        "tlb2.entries=16 tlb2.ways=16",
        "tlb1.entries=4 tlb1.ways=4 tlb1.page=3000",
        "tlb1.entries=4 tlb1.sets=3,2",
        "tlb1.sets=3,2 tlb1.entries=4",
        "tlb1.entries=5 tlb1.sets=3,2 tlb2.sets=5,5 tlb2.entries=9",
        "sched.policy=fifo",
        "l1.index=hash",
        "l1.global=maybe",
        "storage.kind=carved",
        "storage.kind=carved storage.carveouts=8,64",
        "storage.carveouts=8,2000",
        "storage.kind=fermi storage.kernels=scale:8",
        "storage.kernels=scale:8,axpy",
        "nothing",
        "l1=3",
        "l1.weights=a,b",
        "gpu.clock=nan",
        "gpu.clock=-nan",
        "gpu.clock=inf",
        "gpu.clock=1e400",
        "gpu.clock=0x1p1024",
        "gpu.clock=-0",
        "shared.conflict=nan",
        "shared.conflict=inf",
        "l2.size=nan",
        "l1.sets=nan",
        "l1.sets=1,nan",
        "l1.sets=inf",
        "l1.sets=1.5",
        "l1.sets=-0",
        "l1.sets=0",
        "l1.sets=1e400",
        "l1.sets=18446744073709551617",
        "l2.sets=nan",
        "tlb1.sets=nan",
        "tlb1.entries=16 tlb1.sets=nan",
        "storage.carveouts=nan",
        "l1.weights=nan",
        "l1.weights=1,inf",
        "l1.weights=-1",
        "l1.weights=1e300",
        "l1.weights=,",
    };
    Text accepted = {0};
    for (size_t k = 0; k < COUNT(bad); k++) {
        Gpu g;
        Diag diag = {0};
        if (load(&g, ODD, bad[k], &diag))
            text_printf(&accepted, "  %s\n", bad[k]);
        else
            assert_true(diag.text.n > 20);
        diag_free(&diag);
    }
    if (accepted.n) fail_msg("accepted:\n%s", accepted.v);
}

// Any number of sets goes with every index function, at every level.
static void any_sets(void **state)
{
    (void)state;
    static const char *const names[] = {"bits", "modulo", "xor", "dealt"};
    static const char *const level[] = {"l1.size=3KiB l1.ways=4", "readonly.size=3KiB readonly.ways=4",
                                        "const.size=3KiB const.ways=4", "l2.size=3KiB l2.ways=4",
                                        "tlb1.entries=12 tlb1.ways=4"};
    for (size_t l = 0; l < COUNT(level); l++)
        for (size_t k = 0; k < COUNT(names); k++) {
            Gpu g;
            Diag diag = {0};
            char sets[200];
            snprintf(sets, sizeof sets, "%s %.*s.index=%s", level[l], (int)strcspn(level[l], "."), level[l], names[k]);
            if (!load(&g, ODD, sets, &diag)) fail_msg("%s: %s", sets, diag.text.v);
            diag_free(&diag);
        }
}

// Sizes of unequal sets settle the capacity: lines times their length, in every slice. gtx780 has an L2 TLB of 65
// entries in 7 sets. odd.ini has an L1 of 4 KiB in lines of 128 bytes, and neither TLBs nor a read-only cache.
static void capacities(void **state)
{
    (void)state;
    static const struct {
        const char *gpu, *sets, *key;
        uint32_t capacity;
        const char *error;  // null: it is taken
    } cases[] = {
        {"gtx780", "", "tlb2.entries", 65, NULL},
        {"gtx780", "tlb2.sets=24,17,17", "tlb2.entries", 58, NULL},
        {"gtx780", "tlb2.sets=24,17,17 tlb2.entries=58", "tlb2.entries", 58, NULL},
        {"gtx780", "tlb2.entries=65", "tlb2.entries", 65, NULL},
        {"gtx780", "tlb2.entries=0", "tlb2.entries", 0, NULL},
        {"gtx780", "tlb2.entries=0 tlb2.sets=24,17,17", "tlb2.entries", 0, NULL},
        {"gtx780", "tlb2.entries=64", NULL, 0, "tlb2.entries is 64, and tlb2.sets add up to 65"},
        {"gtx780", "tlb2.entries=65 tlb2.sets=24,17,17", NULL, 0, "tlb2.entries is 65, and tlb2.sets add up to 58"},
        {"gtx780", "tlb2.sets=65536,1", NULL, 0, "tlb2.entries: '65537' is out of range"},
        {ODD, "tlb1.sets=3,2", "tlb1.entries", 5, NULL},
        {ODD, "tlb1.sets=3,2 tlb2.sets=6,5,4", "tlb2.entries", 15, NULL},
        {ODD, "tlb1.entries=0 tlb1.sets=3,2", "tlb1.entries", 0, NULL},
        {ODD, "tlb2.sets=3,2", NULL, 0, "an L2 TLB needs L1 TLBs"},
        {ODD, "readonly.sets=5,6", "readonly.size", 11 * 128, NULL},
        {ODD, "const.sets=5,6,7 const.line=64", "const.size", 18 * 64, NULL},
        {ODD, "readonly.sets=5,6 readonly.size=0", "readonly.size", 0, NULL},
        {ODD, "l1.sets=5,6", "l1.size", 11 * 128, NULL},
        {ODD, "l1.sets=20,12 l1.size=4KiB", "l1.size", 4096, NULL},
        {ODD, "l1.line=64 l1.fill=64 l1.sets=20,12", "l1.size", 2048, NULL},
        {ODD, "l1.sets=5,6 l1.size=4KiB", NULL, 0,
         "l1.size is 4096 bytes, and l1.sets add up to 11 lines of 128 bytes: 1408"},
        {ODD, "l2.sets=5,6", "l2.size", 11 * 128, NULL},
        {ODD, "l2.sets=5,6 l2.partitions=2", "l2.size", 2 * 11 * 128, NULL},
        {ODD, "l2.sets=5,6 l2.partitions=2 l2.size=1408", NULL, 0,
         "l2.size is 1408 bytes, and l2.sets add up to 11 lines of 128 bytes in each of 2 partitions: 2816"},
        {ODD, "l1.sets=65536,65536,65536,65536,1 l1.line=4096 l1.sector=128 l1.fill=128", NULL, 0,
         "l1.size: '1073745920' is out of range"},
        // One number may be meant as the number of sets; the capacity tells.
        {ODD, "readonly.sets=64", NULL, 0, "readonly.sets: one set of 64 lines, and readonly.size isn't given"},
        {ODD, "tlb1.sets=16", NULL, 0, "tlb1.sets: one set of 16 entries, and tlb1.entries isn't given"},
        {ODD, "readonly.sets=64 readonly.size=8KiB", "readonly.size", 8192, NULL},
        {ODD, "l1.sets=32", "l1.size", 4096, NULL},
        {ODD, "l1.sets=16", NULL, 0, "l1.sets: one set of 16 lines"},
        // Each launch chooses the L1's size.
        {ODD, "l1.sets=5,6 storage.kind=fermi", NULL, 0, "l1.sets"},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        Gpu g;
        Diag diag = {0};
        double value = -1;
        bool ok = load(&g, cases[k].gpu, cases[k].sets, &diag);
        if (ok != !cases[k].error || (!ok && !strstr(diag.text.v, cases[k].error)))
            fail_msg("%s: %s", cases[k].sets, ok ? "taken" : diag.text.v);
        if (ok && (!gpu_number(&g, cases[k].key, &value) || value != cases[k].capacity))
            fail_msg("%s: %s is %g", cases[k].sets, cases[k].key, value);
        diag_free(&diag);
    }
}

// Values of the command line that leave each other without effect are refused, and both are named. Alike, or with the
// other one in the description, they are taken.
static void conflicts(void **state)
{
    (void)state;
    static const struct {
        const char *sets, *error;  // null: they are taken
    } cases[] = {
        {"l1.ways=4 l1.sets=5,6", "l1.ways=4 has no effect beside l1.sets=5,6"},
        {"l1.sets=5,6 l1.ways=4", "l1.ways=4 has no effect beside l1.sets=5,6"},
        {"l1.ways=4 l1.sets=4,4", NULL},
        {"tlb2.ways=4 tlb1.sets=3,2 tlb2.sets=6,5", "tlb2.ways=4 has no effect beside tlb2.sets=6,5"},
        {"l1.sets=5,6", NULL},
        {"storage.kind=unified l1.size=8KiB", "l1.size=8KiB has no effect beside storage.kind=unified"},
        {"storage.kind=partitioned l1.size=8KiB", NULL},
        {"storage.kind=unified l1.size=8KiB storage.kind=partitioned", NULL},
        {"storage.kind=fermi shared.size=16KiB", "shared.size=16KiB has no effect beside storage.kind=fermi"},
        {"l1.index=xor l1.index_bits=7,8,9", "l1.index_bits=7,8,9 has no effect beside l1.index=xor"},
        {"l1.index_bits=7,8,9", NULL},
        {"l1.index_bits=7,8,9 l2.index=xor", NULL},
        {"l2.weights=1,3,1,1 l2.replacement=lru", "l2.weights=1,3,1,1 has no effect beside l2.replacement=lru"},
        {"l2.weights=1,3,1,1 l2.replacement=weighted", NULL},
        {"dram.simple=yes dram.rcd=20", "dram.rcd=20 has no effect beside dram.simple=yes"},
        {"dram.simple=no dram.rcd=20", NULL},
        {"registers.hierarchy=none registers.orf=3", "registers.orf=3 has no effect beside registers.hierarchy=none"},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        Gpu g;
        Diag diag = {0};
        bool ok = load(&g, ODD, cases[k].sets, &diag);
        if (ok != !cases[k].error || (!ok && !strstr(diag.text.v, cases[k].error)))
            fail_msg("%s: %s", cases[k].sets, ok ? "taken" : diag.text.v);
        if (ok) gpu_free(&g);
        diag_free(&diag);
    }
}

// In files, one above the other: what is given at each place, and what stays of the one below.
static void capacities_of_files(void **state)
{
    (void)state;
    static const struct {
        const char *below, *above, *set, *key;
        uint32_t capacity;
        const char *error;
    } cases[] = {
        {"[tlb1]\nsets = 3, 2\n", "", NULL, "tlb1.entries", 5, NULL},
        {"[tlb1]\nsets = 3, 2\n", "[tlb1]\nentries = 0\n", NULL, "tlb1.entries", 0, NULL},
        {"[tlb1]\nsets = 3, 2\n", "[tlb1]\nentries = 0\n", "l1.latency=38", "tlb1.entries", 0, NULL},
        {"[tlb1]\nsets = 3, 2\n", "[tlb1]\nentries = 0\n", "tlb1.sets=4,4", "tlb1.entries", 8, NULL},
        {"[tlb1]\nentries = 4\nways = 4\n", "[tlb1]\nsets = 3, 2\n", NULL, "tlb1.entries", 5, NULL},
        {"[readonly]\nsets = 3, 2\n", "[readonly]\nline = 64\n", NULL, "readonly.size", 320, NULL},
        {"[l2]\nsets = 3, 2\n", "[l2]\npartitions = 4\n", NULL, "l2.size", 4 * 640, NULL},
        {"[l2]\nsets = 3, 2\n", "[l2]\npartitions = 4\nsize = 640\n", NULL, NULL, 0,
         "above.ini:5:8: error: l2.size is 640 bytes"},
        {"[readonly]\nways = 4\nsets = 8\n", "", NULL, NULL, 0, "below.ini:5:8: error: readonly.sets: one set of 8"},
        {"[const]\nline = 4096\nsector=128\nsets = 65536,65536,65536,65536,1\n", "", NULL, NULL, 0,
         "below.ini:6:8: error: const.size: '1073745920' is out of range"},
    };
    char folder[] = "/tmp/onchip-sets-XXXXXX", below[100], above[100];
    assert_non_null(mkdtemp(folder));
    snprintf(below, sizeof below, "%s/below.ini", folder);
    snprintf(above, sizeof above, "%s/above.ini", folder);
    for (size_t k = 0; k < COUNT(cases); k++) {
        Gpu g;
        Diag diag = {0};
        double value = -1;
        const char *sets[] = {cases[k].set, NULL};
        write_text(below, "[gpu]\nbase = " ODD "\n", cases[k].below);
        write_text(above, "[gpu]\nbase = ", below, "\n", cases[k].above);
        bool ok = gpu_load(&g, above, sets, &diag);
        if (ok != !cases[k].error || (!ok && !strstr(diag.text.v, cases[k].error)))
            fail_msg("%s%s: %s", cases[k].below, cases[k].above, ok ? "taken" : diag.text.v);
        if (ok && (!gpu_number(&g, cases[k].key, &value) || value != cases[k].capacity))
            fail_msg("%s%s: %s is %g", cases[k].below, cases[k].above, cases[k].key, value);
        diag_free(&diag);
    }
    unlink(below), unlink(above), rmdir(folder);
}

static bool canonical(const char *set, char *out)
{
    const char *sets[] = {set, NULL};
    Text text = {0};
    Diag diag = {0};
    bool ok = gpu_canonical(NULL, ODD, sets, &text, &diag);
    if (ok) strcpy(out, text.v);
    text_free(&text), diag_free(&diag);
    return ok;
}

// Every key has a field of its own that holds the largest value of its range, and no field beside it changes. (That the
// values don't go together is found later than this.)
static void largest(void **state)
{
    (void)state;
    Text before = {0};
    Diag diag = {0};
    assert_true(gpu_canonical(NULL, ODD, NULL, &before, &diag));
    for (size_t k = 0; k < gpu_key_count; k++) {
        const Key *key = &gpu_keys[k];
        if (key->kind != KEY_UINT && key->kind != KEY_SIZE && key->kind != KEY_REAL && key->kind != KEY_FIXED) continue;
        char set[200], name[100];
        const char *sets[] = {set, NULL};
        Text after = {0};
        snprintf(name, sizeof name, "%s.%s=", key->section, key->key);
        snprintf(set, sizeof set, "%s%.17g", name, key->max);
        gpu_canonical(NULL, ODD, sets, &after, &diag);
        for (const char *a = after.v, *b = before.v; *a || *b;) {
            size_t n = strcspn(a, "\n"), m = strcspn(b, "\n"), own = strlen(name);
            if (!strncmp(a, name, own)) {
                if (strtod(a + own, NULL) != key->max) fail_msg("%s becomes %.*s", set, (int)n, a);
            } else if (n != m || memcmp(a, b, n)) {
                fail_msg("%s changes %.*s to %.*s", set, (int)m, b, (int)n, a);
            }
            a += n + !!a[n], b += m + !!b[m];
        }
        text_free(&after), diag_free(&diag);
    }
    text_free(&before);
}

// The same of lists, as long as they may be: none of a list's values gets anywhere else, the count behind it included.
// (What its sets hold in all is the capacity.) One value more is refused.
static void lists(void **state)
{
    (void)state;
    Text before = {0};
    Diag diag = {0};
    assert_true(gpu_canonical(NULL, ODD, NULL, &before, &diag));
    for (size_t i = 0; i < gpu_key_count; i++) {
        const Key *key = &gpu_keys[i];
        if (key->kind < KEY_WEIGHTS || key->kind == KEY_NAMES) continue;
        Text set = {0}, after = {0};
        size_t most = key->width / (key->kind == KEY_SETS ? 4 : 8);
        const char *sets[] = {NULL, NULL};
        text_printf(&set, "%s.%s=", key->section, key->key);
        size_t name = set.n;
        // Address bits differ, and those of a bank's number lie within the channel's addresses.
        for (size_t n = 0; n < most; n++) text_printf(&set, "%zu,", key->kind == KEY_MASKS ? 20 + n : 1);
        sets[0] = set.v;
        gpu_canonical(NULL, ODD, sets, &after, &diag);  // that it doesn't go with the rest is found later
        for (const char *a = after.v, *b = before.v; a && (*a || *b);) {
            size_t n = strcspn(a, "\n"), m = strcspn(b, "\n"), section = strlen(key->section) + 1;
            bool same = n == m && !memcmp(a, b, n), own = !strncmp(a, set.v, name);
            bool capacity = key->kind == KEY_SETS && !strncmp(a, set.v, section) &&
                            (!strncmp(a + section, "size=", 5) || !strncmp(a + section, "entries=", 8));
            if (own ? same : !same && !capacity) fail_msg("%s changes %.*s to %.*s", set.v, (int)m, b, (int)n, a);
            a += n + !!a[n], b += m + !!b[m];
        }
        text_printf(&set, "%d", key->kind == KEY_MASKS ? 50 : 1);
        sets[0] = set.v;
        diag_free(&diag);
        assert_false(gpu_canonical(NULL, ODD, sets, &after, &diag));
        if (!strstr(diag.text.v, "at most")) fail_msg("%s: %s", set.v, diag.text.v);
        text_free(&after), diag_free(&diag), text_free(&set);
    }
    text_free(&before);
}

// One value has one form, however it is written.
static void one_form(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        {"host.latency=-0", "host.latency=0"},     {"gpu.clock=0x400", "gpu.clock=1024"},
        {"gpu.clock=0x1p10", "gpu.clock=1.024e3"}, {"l1.weights=-0, 0x1p1", "l1.weights=0,2.0"},
        {"l1.weights=1 2", "l1.weights=1, 2,"},    {"storage.carveouts=0x10", "storage.carveouts=16"}};
    enum { ROOM = 1 << 20 };
    char *a = mem_alloc(ROOM), *b = mem_alloc(ROOM);
    for (size_t k = 0; k < COUNT(same); k++) {
        if (!canonical(same[k][0], a) || !canonical(same[k][1], b)) fail_msg("%s is refused", same[k][0]);
        if (strcmp(a, b)) fail_msg("%s isn't %s", same[k][0], same[k][1]);
    }
    mem_free(a), mem_free(b);
}

static void write_base(const char *folder, int n, const char *base)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%d.ini", folder, n);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "[gpu]\nbase = %s\nsms = %d\n", base, n % 200 + 1);
    fclose(f);
}

// Descriptions may stand on each other for long; only a circle is one.
static void bases(void **state)
{
    (void)state;
    enum { MOST = 1000, FILES = MOST + 3 };
    char folder[] = "/tmp/onchip-bases-XXXXXX", base[200], path[200];
    assert_non_null(mkdtemp(folder));
    write_base(folder, 0, "gtx480");
    for (int n = 1; n < FILES; n++) {
        snprintf(base, sizeof base, "%s/%d.ini", folder, n - 1);
        write_base(folder, n, base);
    }
    const struct {
        int file;
        const char *want;
    } cases[] = {{0, NULL}, {10, NULL}, {MOST - 1, NULL}, {MOST + 1, "more than 1000"}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        Gpu g;
        Diag diag = {0};
        snprintf(path, sizeof path, "%s/%d.ini", folder, cases[k].file);
        bool ok = gpu_load(&g, path, NULL, &diag);
        if (ok != !cases[k].want || (!ok && !strstr(diag.text.v, cases[k].want)))
            fail_msg("%d: %s", cases[k].file, ok ? "accepted" : diag.text.v);
        if (ok) assert_int_equal(g.sms, cases[k].file % 200 + 1);
        diag_free(&diag);
    }
    // 5 → 4 → 3 → 5, met from 7.
    snprintf(base, sizeof base, "%s/5.ini", folder);
    write_base(folder, 3, base);
    Gpu g;
    Diag diag = {0};
    Text want = {0};
    text_printf(&want, "%s/3.ini:2:8: error: GPU descriptions base on each other in a circle: ", folder);
    for (int n = 5; n >= 3; n--) text_printf(&want, "%s/%d.ini, ", folder, n);
    text_printf(&want, "%s/5.ini\n", folder);
    snprintf(path, sizeof path, "%s/7.ini", folder);
    assert_false(gpu_load(&g, path, NULL, &diag));
    if (strncmp(diag.text.v, want.v, want.n)) fail_msg("%s, not %s", diag.text.v, want.v);
    diag_free(&diag), text_free(&want);
    for (int n = 0; n < FILES; n++) {
        snprintf(path, sizeof path, "%s/%d.ini", folder, n);
        unlink(path);
    }
    rmdir(folder);
}

// An unloaded hit in the L2 is a look-up of the L1 after its issue, three ports and two ways; one from an open row of
// DRAM a column command, the burst and the controller more.
static void derived(void **state)
{
    (void)state;
    static const char *const of[] = {"",
                                     "l2.latency=64",
                                     "l2.latency=65",
                                     "link.sm_in=16 link.header=24",
                                     "link.partition_out=7.5",
                                     "l1.fill=32",
                                     "l1.global=no",
                                     "l2.partitions=3 dram.slices=1 l2.size=768KiB l2.ways=8",
                                     "dram.clock=750 dram.bandwidth=55"};
    static const char *const gpus[] = {"gtx480", "titan_black", ODD};
    for (size_t n = 0; n < COUNT(gpus); n++)
        for (size_t k = 0; k < COUNT(of); k++) {
            Gpu g;
            Diag diag = {0};
            if (!load(&g, gpus[n], of[k], &diag)) fail_msg("%s %s: %s", gpus[n], of[k], diag.text.v);
            uint32_t fill = g.sm.l1.size && g.sm.l1_global ? g.sm.l1.fill : 32, header = g.part.header;
            double flit = g.part.flit, request = ceil(header / flit) * flit,
                   reply = ceil((header + fill) / flit) * flit;
            double ports[] = {request / g.sm.bytes_out, reply / g.part.bytes_out, reply / g.sm.bytes_in};
            uint32_t sum = 1;
            for (int p = 0; p < 3; p++) sum += (uint32_t)ports[p] + (ports[p] > (double)(uint32_t)ports[p]);
            assert_int_equal(g.to_partition + g.to_sm + sum, g.part.l2.latency);
            assert_int_equal(g.window, MIN(g.to_partition, g.to_sm));
            assert_true(g.to_sm - g.to_partition <= 1);
            // A miss: its reads, each of whole bursts, over the bus, or as far apart as one bank group's must be.
            const DramCfg *d = &g.part.dram;
            double bytes = fill > g.part.l2.fill ? fill : g.part.l2.fill, reads = d->request ? bytes / d->request : 1,
                   bursts = d->burst ? reads * ceil(bytes / reads / d->burst) : reads;
            if (d->burst && !d->simple) bytes = bursts * d->burst;
            double far = bytes / d->bytes_per_cycle, apart = (bursts - 1) * d->ccdl / d->clock_ratio + far / bursts;
            if (!d->simple) far = (apart > far ? apart : far) + d->cl / d->clock_ratio;
            double rest = g.dram_latency - g.part.l2.latency - g.part.dram.latency;
            assert_true(rest >= far - 0.1 && rest < far + 1.02);
            diag_free(&diag);
        }
}

static void overrides(void **state)
{
    (void)state;
    Gpu g;
    Diag diag = {0};
    assert_true(load(&g, "gtx480",
                     "l1.size=32KiB l1.mshrs=7 gpu.clock=1.5 sched.policy=lrr shared.conflict=37.4 l1.weights=1,3,1,1 "
                     "l1.replacement=weighted",
                     &diag));
    assert_int_equal(g.sm.l1.size, 32768);
    assert_int_equal(g.sm.l1.mshrs, 7);
    assert_true(g.core_mhz == 1.5);
    assert_ptr_equal(g.sm.schedule, policy_named("lrr"));
    assert_int_equal(g.sm.shared_conflict, 9574);  // in 1/256 cycle
    assert_true(g.sm.l1.weights[0] == 1 && g.sm.l1.weights[1] == 3);
    assert_true(load(&g, "test/chip/gpus/stream.ini", "", &diag));  // a base, and what differs
    assert_int_equal(g.sms, 4);
    assert_int_equal(g.sm.unit[CLASS_ALU].latency, 7);
    assert_true(load(&g, "gtx480", "l1.size=1KiB l1.size=2KiB", &diag));  // the last one counts
    assert_int_equal(g.sm.l1.size, 2048);
    diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),
        cmocka_unit_test(any_sets),
        cmocka_unit_test(largest),
        cmocka_unit_test(capacities),
        cmocka_unit_test(one_form),
        cmocka_unit_test(bases),
        cmocka_unit_test(derived),
        cmocka_unit_test(overrides),
        cmocka_unit_test(conflicts),
        cmocka_unit_test(lists),
        cmocka_unit_test(capacities_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
