// functional.c: a launch without time: blocks run one after another, their warps in turn, memory is written at once.
// Blocks that wait for others (a spin on a flag) are no deadlock: as many run side by side as the chip would hold, each
// warp for a stretch of instructions.
#include "chip/chip.h"

#include <string.h>

enum { STRETCH = 256 };

static void wake(Env *env, Warp *w) { (void)env, (void)w; }

RunResult chip_execute(Chip *c, const LaunchInfo *info, const Texture *textures, uint32_t texture_count, const RunOptions *o, Record *r, Text *message)
{
    uint64_t blocks = (uint64_t)info->grid[0] * info->grid[1] * info->grid[2], started = 0, finished = 0, insts = 0, threads = 0;
    uint32_t per_block = (info->block[0] * info->block[1] * info->block[2] + LANES - 1) / LANES;
    uint32_t fit = sm_occupancy(&c->gpu.sm, info, &r->occupancy_limit);
    if (!fit) {
        text_printf(message, "no block of this kernel fits an SM: %s", r->occupancy_limit);
        return RUN_TOO_LARGE;
    }
    uint32_t slots = (uint32_t)MIN(blocks, (uint64_t)fit * c->gpu.sms);
    r->info = *info;
    r->functional = true;
    r->occupancy_blocks = fit;
    r->occupancy_warps = fit * per_block;
    Env env = {.gmem = c->gmem, .textures = textures, .texture_count = texture_count, .launch = info, .sm_count = c->gpu.sms,
               .max_warps = c->gpu.sm.max_warps, .ns_per_clock = 1e3 / c->gpu.core_mhz, .nanoseconds = c->clock_ns, .wake = wake};
    Cta *ctas = mem_alloc(sizeof *ctas * slots);
    for (uint32_t k = 0; k < slots; k++) {
        ctas[k].warps = mem_alloc(sizeof(Warp) * per_block);
        ctas[k].warp_count = per_block;
    }
    RunResult result = RUN_OK;
    uint64_t quiet = 0;
    while (finished < blocks && result == RUN_OK) {
        bool moved = false, sleeping = false;
        for (uint32_t k = 0; k < slots && result == RUN_OK; k++) {
            Cta *cta = &ctas[k];
            if (!cta->running) {
                if (started == blocks) continue;
                env.sm = k % c->gpu.sms;
                exec_cta_start(&env, cta, started++);
                for (uint32_t w = 0; w < per_block; w++) cta->warps[w].slot = k / c->gpu.sms * per_block + w;
            }
            env.sm = k % c->gpu.sms;
            // A block that no other waits for runs to its end at one go.
            for (bool again = true; again && cta->running;) {
                again = false;
                for (uint32_t w = 0; w < per_block && cta->running; w++) {
                    Warp *warp = &cta->warps[w];
                    for (int n = 0; n < STRETCH && warp->live; n++) {
                        if (warp->cur < 0 && (exec_wake_time(warp) == UINT64_MAX || !exec_sleepers(&env, warp))) {
                            sleeping |= exec_wake_time(warp) != UINT64_MAX;
                            break;
                        }
                        exec_step(&env, warp);
                        env.clock++;
                        insts++;
                        threads += (uint32_t)__builtin_popcount(env.step.mask);
                        moved = again = true;
                        if (env.step.result == STEP_FAULT) {
                            exec_explain(&env.fault, c->gmem, message);
                            result = RUN_FAULT;
                        }
                        if (env.step.result >= STEP_EXIT) break;
                    }
                    if (result != RUN_OK) break;
                    if (!cta->live_threads) cta->running = false, finished++;
                }
                if (o->max_cycles && env.clock > o->max_cycles) result = RUN_LIMIT, r->partial = true;
                if (slots > 1 && env.clock % 65536 < STRETCH) break;  // others get their turn
                if (result != RUN_OK) break;
            }
        }
        quiet = moved ? quiet : quiet + 1;
        if (sleeping) env.clock += 1000;
        else if (!moved && quiet > 2) {
            text_put(message, "the kernel hangs: no warp can go on\n");
            for (uint32_t k = 0; k < slots && message->n < 20000; k++)
                for (uint32_t w = 0; ctas[k].running && w < per_block; w++) {
                    if (!ctas[k].warps[w].live) continue;
                    text_printf(message, "  block (%u,%u,%u), warp %u\n", ctas[k].x, ctas[k].y, ctas[k].z, w);
                    exec_dump_warp(&ctas[k].warps[w], message);
                }
            result = RUN_HANG;
        }
    }
    if (o->printed && env.printed.n) text_add(o->printed, env.printed.v, env.printed.n);
    text_free(&env.printed);
    for (uint32_t k = 0; k < slots; k++) exec_cta_free(&ctas[k]);
    mem_free(ctas);
    r->count[C_WARP_INSTS] = insts;
    r->count[C_THREAD_INSTS] = threads;
    r->count[C_BLOCKS] = finished;
    return result;
}
