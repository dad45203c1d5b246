// affinity: which merchants the customers of a target merchant go to.
#include "stream.h"

#include <stdlib.h>

#define MERCHANTS 4095

typedef struct Payment {
    uint32_t card, merchant;
} Payment;

// Some eight payments each.
static int64_t cards_of(Work *work) { return 1 + work_shared(work, "size") / 256; }

static void write_log(Work *work, Lines *log)
{
    const uint32_t cards = (uint32_t)cards_of(work);
    for (bool room = true; room;) {
        const uint32_t r = work_random(work), card = work_random(work) % cards, merchant = zipf(work, 12);
        room = add_line(log, "%u,%u,2013-%02u-%02u,%u.%02u\n", card, merchant, 1 + r % 12, 1 + (r >> 8) % 28,
                        (r >> 16) % 300, (r >> 24) % 100);
    }
}

static void run(Work *work)
{
    const Shape shape = work_shape(work);
    const uint32_t target = (uint32_t)work_param(work, "target");
    const int64_t cards = cards_of(work);
    Lines log = lines_in(work, work_shared(work, "size"));
    write_log(work, &log);
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

// --- In chunks (S-L1, §4.3) -----------------------------------------------------------------------------------------

typedef struct Visits {
    uint32_t counts[MERCHANTS];
    uint8_t customers[];  // of each card; the CPU's
} Visits;

typedef struct DeviceVisits {
    uint32_t target;
    WorkBuf customers, counts;
} DeviceVisits;

static Needed card_and_merchant(const char *line) { return (Needed){line, strchr(strchr(line, ',') + 1, ',') + 1}; }

static void make_stream(Work *work, StreamInput *in)
{
    const size_t cards = (size_t)cards_of(work);
    DeviceVisits *own = work_host(work, sizeof *own);
    Lines log = lines_in(work, work_shared(work, "size"));
    write_log(work, &log);
    if (!work_ok(work)) return;
    *own = (DeviceVisits){(uint32_t)work_param(work, "target"), work_device(work, "customers", cards),
                          work_device(work, "visits", sizeof(uint32_t[MERCHANTS]))};
    work_fill(work, own->customers, 0);
    work_fill(work, own->counts, 0);
    *in = stream_lines(work, &log, card_and_merchant, own);
    in->result_bytes = in->partial_bytes = sizeof(Visits) + cards;
}

static void plain(Work *work, const StreamInput *in, const StreamChunk *c)
{
    const DeviceVisits *own = in->own;
    const WorkArg size = arg_i32((int64_t)c->bytes), each = arg_i32(c->each), log = arg_buf(c->data);
    if (c->pass == 0)
        work_launch(work, "affinity_customers", c->grid, c->block, 0,
                    ARGS(size, each, log, arg_i32(own->target), arg_buf(own->customers)));
    else
        work_launch(work, "affinity_merchants", c->grid, c->block, 0,
                    ARGS(size, each, log, arg_buf(own->customers), arg_buf(own->counts)));
}

static void compute(Work *work, const StreamInput *in, const StreamChunk *c)
{
    const DeviceVisits *own = in->own;
    const WorkArg data = arg_buf(c->data), unit = arg_i32(c->unit);
    if (c->pass == 0)
        work_launch(work, "affinity_customers_compute", c->grid, c->block, 0,
                    ARGS(data, unit, arg_i32(own->target), arg_buf(own->customers)));
    else
        work_launch(work, "affinity_merchants_compute", c->grid, c->block, 0,
                    ARGS(data, unit, arg_buf(own->customers), arg_buf(own->counts)));
}

static void finish(Work *work, const StreamInput *in, void *got)
{
    const DeviceVisits *own = in->own;
    work_read(work, ((Visits *)got)->counts, own->counts, sizeof(uint32_t[MERCHANTS]));
}

static const uint8_t *number(const uint8_t *c, uint32_t *value)
{
    for (*value = 0; *c != ','; c++) *value = *value * 10 + *c - '0';
    return c + 1;
}

static void on_cpu(const StreamInput *in, int pass, size_t from, size_t to, void *result, void *partial)
{
    const uint32_t target = ((const DeviceVisits *)in->own)->target;
    const Visits *marked = result;
    Visits *mine = partial;
    for (const uint8_t *c = in->bytes + from, *end = in->bytes + to; c < end; c++) {
        uint32_t card, merchant;
        c = number(number(c, &card), &merchant);
        while (*c != '\n') c++;
        if (pass > 0)
            mine->counts[merchant] += marked->customers[card];
        else if (merchant == target)
            mine->customers[card] = 1;
    }
}

static void merge(const StreamInput *in, int pass, const void *partial, void *result)
{
    const Visits *part = partial;
    Visits *all = result;
    const size_t cards = in->result_bytes - sizeof(Visits);
    for (size_t k = 0; pass == 0 && k < cards; k++) all->customers[k] |= part->customers[k];
    for (size_t k = 0; pass > 0 && k < MERCHANTS; k++) all->counts[k] += part->counts[k];
}

static void check(Work *work, const StreamInput *in, const void *got, const void *want)
{
    (void)in;
    work_check_u32(work, "visits", ((const Visits *)got)->counts, ((const Visits *)want)->counts, MERCHANTS);
}

const StreamProgram streamed_affinity = {.workload = "streaming/affinity",
                                         .passes = 2,
                                         .gather = "affinity_gather",
                                         .make = make_stream,
                                         .plain = plain,
                                         .compute = compute,
                                         .finish = finish,
                                         .cpu = on_cpu,
                                         .merge = merge,
                                         .check = check};

static const WorkParam params[] = {
    SHAPE_PARAMS,
    {"size", "bytes of the log at most, 1024 to 2^30", 10000, 4 << 20, 1024, 1 << 30},
    {"target", "the merchant whose customers count, 0 to 4094; low numbers have many", 5, 5, 0, MERCHANTS - 1},
    {.name = NULL},
};

const Workload workload_streaming_affinity = {
    "affinity", "streaming", "Where the customers of a merchant go (S-L1, Table 1: MasterCard Affinity)", params, run};
