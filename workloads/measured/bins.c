// bins: histograms, by atomics in global memory, or in shared memory first.
#include "measured.h"

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), way = work_param(work, "way"), block = work_param(work, "block");
    static const char *const kernels[] = {"hist_global", "hist_private", "hist_256"};
    const uint32_t count = way == 3 ? 256 : 512, blocks = measured_blocks(work, ceil_div(n, block));
    const int64_t some = blocks * block < n ? blocks * block : n;
    uint32_t *x = measured_words(work, some, count), got[512] = {0}, want[512] = {0};
    // The first block of hist_global sets the bins to zero while others may have counted, as it was measured. So all
    // elements fall into the first bin there, whose count isn't sure.
    const bool race = way == 1 && blocks > 1;
    for (int64_t k = 0; x && race && k < some; k++) x[k] = 0;
    WorkBuf dx = work_upload(work, "in", x, (size_t)some * sizeof *x);
    WorkBuf dbins = work_device(work, "bins", count * sizeof *got);
    const WorkArg ours[] = {arg_buf(dx), arg_buf(dbins), arg_i32(some), arg_i32(count)};
    const WorkArg other[] = {arg_buf(dx), arg_i32(some), arg_buf(dbins)};
    measured_launch(work, kernels[way - 1], dim1(blocks), dim1((uint32_t)block), way == 1 ? 0 : count * 4,
                    way == 3 ? other : ours, way == 3 ? 3 : 4);
    work_read(work, got, dbins, count * sizeof *got);
    if (!work_ok(work)) return;
    for (int64_t k = 0; k < some; k++) want[x[k]] += way == 1 ? 1 : (uint32_t)work_param(work, "launches");
    work_check_u32(work, "bins", got + race, want + race, count - race);
}

static const WorkParam params[] = {
    {"n", "elements, 1 to 2^28", 900, 524288, 1, 1 << 28},
    {"way", "1: 512 bins in global memory; 2: a copy for each block in shared memory; 3: the same with 256 bins", 1, 1,
     1, 3},
    {"block", "threads of a block, 32 to 1024", 1024, 512, 32, 1024},
    MEASURED_PARAMS,
};

const Workload workload_measured_bins = {
    "bins", "measured",
    "Histograms by atomics (Programming Massively Parallel Processors; Kernel Performance Prediction)", params, run};
