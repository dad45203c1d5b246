// How storage is shared out, over random sizes and kernels: nothing is lost and nothing is there twice. What isn't used
// is less than a set of the L1. As many blocks fit as dividing by hand gives (unified-memory §4.5).
#include "check.h"
#include "sm/sm.h"

static uint64_t state = 1;
static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

typedef struct Draw {
    SmCfg cfg;
    Kernel kernel;
    LaunchInfo launch;
} Draw;

static void draw_case(Draw *d, Storage kind)
{
    *d = (Draw){.cfg = {.storage = kind,
                        .storage_size = 1024 * (32 + draw(600)),
                        .registers = 65536,
                        .shared_size = 65536,
                        .max_warps = 32,
                        .max_blocks = 1 + draw(32),
                        .max_threads = 1024,
                        .reg_unit = 1u << draw(9),
                        .shared_unit = 4u << draw(8),
                        .shared_reserved = draw(2) * 1024,
                        .l1 = {.line = 128, .ways = 1 + draw(8)}}};
    d->kernel.registers = 1 + draw(80);
    d->kernel.static_shared = draw(3) ? draw(20000) : 0;
    d->launch =
        (LaunchInfo){.kernel = &d->kernel, .block = {1 + draw(400), 1, 1}, .dynamic_shared = draw(2) * draw(9000)};
}

static uint64_t up(uint64_t x, uint64_t unit) { return (x + unit - 1) / unit * unit; }

static void unified(void **unused)
{
    (void)unused;
    for (int k = 0; k < 20000; k++) {
        Draw d;
        const char *limit;
        draw_case(&d, STORAGE_UNIFIED);
        const SmCfg before = d.cfg;
        uint64_t warps = up(d.launch.block[0], 32) / 32;
        uint64_t registers = up(d.kernel.registers * 32ull, before.reg_unit) * warps * 4;
        uint64_t shared =
            up(d.kernel.static_shared + d.launch.dynamic_shared + before.shared_reserved, before.shared_unit);
        uint64_t blocks = MIN(before.storage_size / (registers + shared), before.max_blocks);
        blocks = MIN(MIN(blocks, 1024 / d.launch.block[0]), 32 / warps);
        sm_organise(&d.cfg, &d.launch);
        assert_int_equal(sm_occupancy(&d.cfg, &d.launch, &limit), blocks);
        assert_int_equal(d.cfg.registers * 4ull, blocks * registers);
        assert_int_equal(d.cfg.shared_size, blocks * shared);
        uint64_t used = d.cfg.registers * 4ull + d.cfg.shared_size + d.cfg.l1.size;
        assert_true(used <= before.storage_size && before.storage_size - used < 128ull * before.l1.ways);
    }
}

static void fermi(void **unused)
{
    (void)unused;
    for (int k = 0; k < 20000; k++) {
        Draw d;
        const char *limit;
        draw_case(&d, STORAGE_FERMI);
        const SmCfg before = d.cfg;
        uint32_t most = 0;
        for (uint32_t part = 1; part <= 3; part += 2) {  // a quarter, and three
            SmCfg tried = before;
            tried.shared_size = part == 1 ? before.storage_size / 4 : before.storage_size - before.storage_size / 4;
            most = MAX(most, sm_occupancy(&tried, &d.launch, &limit));
        }
        sm_organise(&d.cfg, &d.launch);
        assert_int_equal(sm_occupancy(&d.cfg, &d.launch, &limit), most);
        assert_int_equal(d.cfg.registers, before.registers);
        uint64_t used = d.cfg.shared_size + d.cfg.l1.size;
        assert_true(used <= before.storage_size && before.storage_size - used < 128ull * before.l1.ways);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unified), cmocka_unit_test(fermi)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
