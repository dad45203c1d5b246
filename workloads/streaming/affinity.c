// affinity: which merchants the customers of a target merchant go to.
#include "stream.h"

#include <stdlib.h>

#define MERCHANTS 4095

typedef struct Payment {
    uint32_t card, merchant;
} Payment;

static void run(Work *work) {
    const Shape shape = work_shape(work);
    const uint32_t target = (uint32_t)work_param(work, "target");
    const int64_t cards = 1 + work_param(work, "size") / 256;  // some eight payments each
    Lines log = lines_in(work, work_param(work, "size"));
    for (bool room = true; room;) {
        const uint32_t r = work_random(work), card = work_random(work) % (uint32_t)cards, merchant = zipf(work, 12);
        room = add_line(&log, "%u,%u,2013-%02u-%02u,%u.%02u\n", card, merchant, 1 + r % 12, 1 + (r >> 8) % 28,
                        (r >> 16) % 300, (r >> 24) % 100);
    }
    const int64_t size = (int64_t)log.used, chunk = chunk_of(shape, size);
    WorkBuf dlog = work_upload(work, "log", log.text, log.used);
    WorkBuf dcustomers = work_device(work, "customers", (size_t)cards);
    WorkBuf dvisits = work_device(work, "visits", MERCHANTS * sizeof(uint32_t));
    work_launch(work, "affinity_customers", shape.grid, shape.block, 0,
                ARGS(arg_i32(size), arg_i32(chunk), arg_buf(dlog), arg_i32(target), arg_buf(dcustomers)));
    work_launch(work, "affinity_merchants", shape.grid, shape.block, 0,
                ARGS(arg_i32(size), arg_i32(chunk), arg_buf(dlog), arg_buf(dcustomers), arg_buf(dvisits)));
    uint32_t got[MERCHANTS], want[MERCHANTS] = {0};
    work_read(work, got, dvisits, sizeof got);

    bool *customer = work_host(work, (size_t)cards * sizeof *customer);
    Payment *payments = work_host(work, log.count * sizeof *payments);
    if (!work_ok(work)) return;
    const char *line = log.text;
    for (uint32_t n = 0; n < log.count; n++, line = strchr(line, '\n') + 1) {
        char *comma;
        payments[n].card = (uint32_t)strtoul(line, &comma, 10);
        payments[n].merchant = (uint32_t)strtoul(comma + 1, NULL, 10);
        if (payments[n].merchant == target) customer[payments[n].card] = true;
    }
    for (uint32_t n = 0; n < log.count; n++) want[payments[n].merchant] += customer[payments[n].card];
    work_check_u32(work, "visits", got, want, MERCHANTS);
}

static const WorkParam params[] = {
    SHAPE_PARAMS,
    {"size", "bytes of the log at most, 1024 to 2^30", 10000, 4 << 20, 1024, 1 << 30},
    {"target", "the merchant whose customers count, 0 to 4094; low numbers have many", 5, 5, 0, MERCHANTS - 1},
    {.name = NULL},
};

const Workload workload_streaming_affinity = {
    "affinity", "streaming", "Where the customers of a merchant go (S-L1, Table 1: MasterCard Affinity)", params, run};
