// How storage is shared out, over random sizes and kernels: nothing is lost and nothing is there twice. What isn't used
// is less than a set of the L1. As many blocks fit as dividing by hand gives (unified-memory §4.5).
#include "check.h"
#include "sm/unit.h"

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

static void draw_case(Draw *d, StorageKind kind)
{
    *d = (Draw){.cfg = {.storage = kind,
                        .storage_size = 1024 * (32 + draw(600)),
                        .registers = 65536,
                        .shared_size = 65536,
                        .max_warps = 32,
                        .max_blocks = 1 + draw(32),
                        .max_threads = 1024,
                        .reg_unit = 1u << draw(9),
                        .reg_partitions = 1 + draw(4),
                        .shared_unit = 4u << draw(8),
                        .shared_reserved = draw(2) * 1024,
                        .l1 = {.line = 128, .ways = 1 + draw(8)}}};
    d->kernel.registers = 1 + draw(80);
    d->kernel.static_shared = draw(3) ? draw(20000) : 0;
    d->launch = (LaunchInfo){.kernel = &d->kernel,
                             .grid = {1 + draw(draw(2) ? 4 : 70000), 1 + draw(3), 1},
                             .block = {1 + draw(400), 1, 1},
                             .dynamic_shared = draw(2) * draw(9000)};
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
        sm_organise(&d.cfg, &d.launch, NULL);
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
        uint32_t most = 0, smaller = 0;
        for (uint32_t part = 1; part <= 3; part += 2) {  // a quarter, and three
            SmCfg tried = before;
            tried.shared_size = part == 1 ? before.storage_size / 4 : before.storage_size - before.storage_size / 4;
            most = MAX(most, sm_occupancy(&tried, &d.launch, &limit));
            if (part == 1) smaller = most;
        }
        sm_organise(&d.cfg, &d.launch, NULL);
        assert_int_equal(sm_occupancy(&d.cfg, &d.launch, &limit), most);
        assert_int_equal(d.cfg.registers, before.registers);
        // Three quarters only where more blocks run with them: else the L1 has these (unified-memory §2.2).
        uint32_t quarter = before.storage_size / 4;
        assert_int_equal(d.cfg.shared_size, smaller == most ? quarter : before.storage_size - quarter);
        uint64_t used = d.cfg.shared_size + d.cfg.l1.size;
        assert_true(used <= before.storage_size && before.storage_size - used < 128ull * before.l1.ways);
    }
}

static bool same(const SmCfg *cfg, const Division *d)
{
    return cfg->registers == d->registers && cfg->shared_size == d->shared_size && cfg->l1.size == d->l1_size;
}

// Several launches on one SM: with per = program each has the sizes of the launch before, unless it would have more
// blocks with those that it would have as the first; with per = kernel, and where the sizes are described, always the
// latter.
static void launches(void **unused)
{
    (void)unused;
    uint32_t stayed = 0, anew = 0;
    for (int k = 0; k < 5000; k++) {
        Draw first, d;
        const char *limit;
        StorageKind kind = (StorageKind)draw(4);
        draw_case(&first, kind);
        first.cfg.per = draw(4) ? PER_PROGRAM : PER_KERNEL;
        for (uint32_t c = 0; c < 4; c++) first.cfg.carveouts[first.cfg.carveout_count++] = draw(32);
        Division before = {0};
        for (int launch = 0; launch < 6; launch++) {
            draw_case(&d, kind);
            SmCfg alone = first.cfg, kept = first.cfg, now = first.cfg;
            kept.registers = before.registers, kept.shared_size = before.shared_size, kept.l1.size = before.l1_size;
            sm_organise(&alone, &d.launch, NULL);
            sm_organise(&now, &d.launch, &before);
            bool stays = launch && kind != STORAGE_PARTITIONED && first.cfg.per == PER_PROGRAM &&
                         sm_occupancy(&kept, &d.launch, &limit) > 0 &&
                         sm_occupancy(&kept, &d.launch, &limit) >=
                             MIN(sm_occupancy(&alone, &d.launch, &limit), d.launch.grid[0] * d.launch.grid[1]);
            Division want = stays ? before : sm_division(&alone);
            assert_true(same(&now, &want));
            uint64_t used = now.shared_size + now.l1.size + (kind == STORAGE_UNIFIED ? 4ull * now.registers : 0);
            if (kind != STORAGE_PARTITIONED) assert_true(used <= first.cfg.storage_size);
            if (!sm_occupancy(&now, &d.launch, &limit)) break;  // it isn't launched
            before = sm_division(&now);
            stayed += stays, anew += launch && !stays;
        }
    }
    assert_true(stayed > 1000 && anew > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unified), cmocka_unit_test(fermi), cmocka_unit_test(launches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
