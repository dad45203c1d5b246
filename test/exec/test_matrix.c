// ldmatrix, stmatrix and movmatrix (PTX ISA §9.7.14.5.15–17), lane by lane: which element each half of a register is,
// which rows are read and written, by what addresses, in which order they come to the banks, and what faults.
#include "check.h"

#include "exec/ops_test.h"
#include "mem/mem.h"

#include <string.h>

enum { SHARED = 4096, PAIRS = 4 };  // bytes of the block; lanes that share a row

typedef struct Run {
    Opened o;
    uint32_t d[4], a;
    Frame w;
    uint8_t shared[SHARED];
    Step step;
    Fault fault;
} Run;

static void run_open(Run *r, const char *inst)
{
    if (ptx_open(&r->o, 90, false, "", inst) != ACCEPTED) fail_msg("%s: %s", inst, r->o.diag.text.v);
    static const char *const names[] = {"%d0", "%d1", "%d2", "%d3"};
    for (int k = 0; k < 4; k++) r->d[k] = reg_find(&r->o, names[k]);
    r->a = reg_find(&r->o, "%a");
    frame_fill(&r->o, &r->w);
    for (int k = 0; k < SHARED; k++) r->shared[k] = (uint8_t)any();
}

static void run_it(Run *r, uint32_t mask)
{
    Cta cta = {.shared = r->shared, .shared_bytes = SHARED};
    LaunchInfo launch = {.kernel = r->o.kernel, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    Env env = {.launch = &launch};
    Warp warp = {.l = frame_lanes(&r->o, &r->w), .code = (Code *)r->o.code, .cta = &cta};
    const Dinst *d = &r->o.code->insts[0];
    if (d->kind == X_LDMATRIX)
        exec_load_matrix(&env, &warp, d, mask);
    else if (d->kind == X_STMATRIX)
        exec_store_matrix(&env, &warp, d, mask);
    else
        exec_move_matrix(&env, &warp, d, mask);
    r->step = env.step;
    r->fault = env.fault;
}

static void open_access(Run *r, bool load, int num, bool trans, int bits, const char *space, int offset)
{
    static const char *const list[] = {"%d0", "%d0, %d1", "", "%d0, %d1, %d2, %d3"};
    Text t = {0};
    text_printf(&t, ".reg .b32 %%d0, %%d1, %%d2, %%d3;\n.reg .b%d %%a;\n", bits);
    text_printf(&t, "%s.sync.aligned.m8n8.x%d%s%s.b16 ", load ? "ldmatrix" : "stmatrix", num, trans ? ".trans" : "",
                space);
    if (load)
        text_printf(&t, "{%s}, [%%a+%d];", list[num - 1], offset);
    else
        text_printf(&t, "[%%a+%d], {%s};", offset, list[num - 1]);
    run_open(r, t.v);
    text_free(&t);
}

// The register and its half that hold element (row, column) of a matrix.
static void place_of(int row, int column, bool trans, int *lane, int *half)
{
    if (trans) {
        int swap = row;
        row = column, column = swap;
    }
    *lane = row * PAIRS + column / 2;
    *half = column % 2;
}

static uint32_t get_half(const Run *r, const Frame *w, int matrix, int lane, int half)
{
    return (uint32_t)(reg_get(&r->o, w, r->d[matrix], lane) >> 16 * half & 0xffff);
}

static void set_half(const Run *r, Frame *w, int matrix, int lane, int half, uint32_t v)
{
    uint64_t old = reg_get(&r->o, w, r->d[matrix], lane);
    reg_put(&r->o, w, r->d[matrix], lane, half ? (old & 0xffff) | v << 16 : (old & 0xffff0000u) | v);
}

static uint32_t memory_at(const Run *r, uint64_t at)
{
    return (uint32_t)r->shared[at] | (uint32_t)r->shared[at + 1] << 8;
}

static int cases;

// One access of all forms: rows anywhere, or in one place, or side by side; lanes that give none point outside.
static void check_access(bool load, int num, bool trans, int bits, const char *space, unsigned round)
{
    Run r = {0};
    const int offset = round % 3 ? 0 : 32;
    open_access(&r, load, num, trans, bits, space, offset);
    uint64_t base = bits == 64 && !*space ? SHARED_WINDOW : 0, rows[LANES];
    for (int n = 0; n < LANES; n++) {
        rows[n] = round % 4 == 0 ? 16ull * (unsigned)n : 16 * (any() % (SHARED / 16));
        if (!load && round % 4) rows[n] = 16ull * ((unsigned)n * 5 % 32 + 32 * (round % 3));  // no two the same
        reg_put(&r.o, &r.w, r.a, n, n < 8 * num ? base + rows[n] - (unsigned)offset : any());
    }
    Frame want = r.w;
    uint8_t memory[SHARED];
    memcpy(memory, r.shared, SHARED);
    for (int m = 0; m < num; m++)
        for (int row = 0; row < 8; row++)
            for (int column = 0; column < 8; column++) {
                int lane, half;
                place_of(row, column, trans, &lane, &half);
                uint64_t at = rows[8 * m + row] + 2 * (unsigned)column;
                if (load) {
                    set_half(&r, &want, m, lane, half, memory_at(&r, at));
                } else {
                    memory[at] = (uint8_t)get_half(&r, &r.w, m, lane, half);
                    memory[at + 1] = (uint8_t)(get_half(&r, &r.w, m, lane, half) >> 8);
                }
            }
    run_it(&r, FULL);
    assert_int_equal(r.fault.kind, FAULT_NONE);
    assert_true(frame_same(&r.o, &want, &r.w));
    assert_memory_equal(memory, r.shared, SHARED);
    // The banks see the matrices one after the other, each with its eight rows: as many passes as the most rows of a
    // matrix that lie in one of the eight places of 16 bytes; rows that are the same count once.
    uint32_t passes = 0;
    for (int m = 0; m < num; m++) {
        uint32_t most = 0;
        for (uint32_t place = 0; place < 8; place++) {
            uint64_t seen[8];
            uint32_t n = 0;
            for (int row = 0; row < 8; row++) {
                uint64_t at = rows[8 * m + row];
                bool is_new = at / 16 % 8 == place;
                for (uint32_t k = 0; k < n; k++) is_new &= seen[k] != at;
                if (is_new) seen[n++] = at;
            }
            most = MAX(most, n);
        }
        passes += most;
    }
    const BankCfg banks = {.banks = 32, .width = 4, .mode = 4};
    assert_int_equal(r.step.space, SP_SHARED);
    assert_int_equal(r.step.mask, FULL);
    assert_int_equal(bank_passes(&banks, r.step.addr, r.step.mask, r.step.bytes), passes);
    cases++;
    ptx_close(&r.o);
}

static void accesses(void **state)
{
    (void)state;
    static const char *const spaces[] = {"", ".shared", ".shared::cta"};
    for (int load = 0; load < 2; load++)
        for (int num = 1; num <= 4; num *= 2)
            for (int trans = 0; trans < 2; trans++)
                for (unsigned round = 0; round < 30; round++)
                    check_access(load, num, trans, round % 2 ? 32 : 64, spaces[round % 3], round);
    print_message("%d accesses of matrices\n", cases);
}

static void transposes(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        Run r = {0};
        run_open(&r, ".reg .b32 %d0, %d1, %d2, %d3, %a;\nmovmatrix.sync.aligned.m8n8.trans.b16 %d0, %d1;");
        Frame want = r.w;
        for (int row = 0; row < 8; row++)
            for (int column = 0; column < 8; column++) {
                int to, to_half, from, from_half;
                place_of(column, row, false, &to, &to_half);
                place_of(row, column, false, &from, &from_half);
                set_half(&r, &want, 0, to, to_half, get_half(&r, &r.w, 1, from, from_half));
            }
        run_it(&r, FULL);
        assert_true(frame_same(&r.o, &want, &r.w));
        ptx_close(&r.o);
    }
}

static void faults(void **state)
{
    (void)state;
    static const struct {
        int lane;
        uint64_t at;
        FaultKind kind;
    } bad[] = {{3, 8, FAULT_MISALIGNED_SHARED},
               {15, SHARED, FAULT_SHARED},
               {0, SHARED - 8, FAULT_SHARED},
               {9, UINT64_MAX - 15, FAULT_SHARED},
               {7, SHARED_WINDOW + SHARED, FAULT_SHARED},
               {8, LOCAL_WINDOW, FAULT_SHARED},
               {16, 8, FAULT_NONE},  // of two matrices the upper lanes give no rows
               {31, SHARED, FAULT_NONE}};
    for (int load = 0; load < 2; load++)
        for (size_t k = 0; k < COUNT(bad); k++) {
            Run r = {0};
            open_access(&r, load, 2, false, 64, "", 0);
            for (int n = 0; n < LANES; n++) reg_put(&r.o, &r.w, r.a, n, 16 * (unsigned)n);
            reg_put(&r.o, &r.w, r.a, bad[k].lane, bad[k].at);
            Frame before = r.w;
            uint8_t memory[SHARED];
            memcpy(memory, r.shared, SHARED);
            run_it(&r, FULL);
            assert_int_equal(r.fault.kind, bad[k].kind);
            if (bad[k].kind != FAULT_NONE) {  // nothing has happened
                assert_int_equal(r.fault.lane, bad[k].lane);
                assert_int_equal(r.fault.bytes, 16);
                assert_int_equal(r.fault.write, !load);
                assert_true(frame_same(&r.o, &before, &r.w));
                assert_memory_equal(memory, r.shared, SHARED);
            }
            ptx_close(&r.o);
        }
}

// Without the lanes of some rows: these are zero, and nothing is stored to them.
static void parts(void **state)
{
    (void)state;
    const uint32_t mask = 0xffffff0fu;
    for (int load = 0; load < 2; load++) {
        Run r = {0};
        open_access(&r, load, 1, false, 32, ".shared", 0);
        for (int n = 0; n < LANES; n++) reg_put(&r.o, &r.w, r.a, n, 16 * (unsigned)n);
        Frame want = r.w;
        uint8_t memory[SHARED];
        memcpy(memory, r.shared, SHARED);
        for (int n = 0; n < LANES; n++)
            for (int half = 0; half < 2; half++) {
                int row = n / 4, column = n % 4 * 2 + half;
                uint32_t at = 16 * (unsigned)row + 2 * (unsigned)column, v = row < 4 ? memory_at(&r, at) : 0;
                if (load && mask >> n & 1) set_half(&r, &want, 0, n, half, v);
                if (!load && row < 4) {
                    v = mask >> n & 1 ? get_half(&r, &r.w, 0, n, half) : 0;
                    memory[at] = (uint8_t)v, memory[at + 1] = (uint8_t)(v >> 8);
                }
            }
        run_it(&r, mask);
        assert_int_equal(r.fault.kind, FAULT_NONE);
        assert_true(frame_same(&r.o, &want, &r.w));
        assert_memory_equal(memory, r.shared, SHARED);
        ptx_close(&r.o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses),
        cmocka_unit_test(transposes),
        cmocka_unit_test(faults),
        cmocka_unit_test(parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
