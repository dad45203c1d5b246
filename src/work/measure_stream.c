// measure_stream.c: the measurement `bigkernel`. It runs a program whose input is larger than the GPU's memory, in one
// of the scenarios of S-L1, §4.3. On a simulated device the device's times are simulated and repeat exactly. Times that
// begin with host_ are real time of this host, and so are all times of the scenario on its CPU.
#include "work/stream.h"

#include <string.h>

static void put(Findings *f, const char *name, double value) { findings_put(f, name, "", value); }

static void put_report(Findings *f, Scenario scenario, const StreamReport *r)
{
    static const char *const stages[STREAM_STAGES] = {"gather", "assemble", "transfer", "compute"};
    char place[32];
    put(f, "bigkernel.input_bytes", (double)r->input);
    put(f, "bigkernel.host_serial_seconds", r->host_serial);
    put(f, "bigkernel.over_host_serial", r->host_serial / r->seconds);
    if (scenario == SCENARIO_CPU) {
        put(f, "bigkernel.host_parallel_seconds", r->host_parallel);
        put(f, "bigkernel.host_processors", r->processors);
        findings_put_text(f, "bigkernel.seconds", "",
                          "on the CPU: real time of this host, bigkernel.host_parallel_seconds");
        put(f, "bigkernel.either_seconds", r->host_parallel);
        return;
    }
    put(f, "bigkernel.seconds", r->seconds);
    put(f, "bigkernel.either_seconds", r->seconds);
    put(f, "bigkernel.to_device_bytes", (double)r->to_device);
    put(f, "bigkernel.to_host_bytes", (double)r->to_host);
    put(f, "bigkernel.buffer_bytes", (double)r->buffers);
    put(f, "bigkernel.chunk_count", (double)r->chunks);
    for (int s = 0; s < STREAM_STAGES; s++) {
        snprintf(place, sizeof place, "stage=%s", stages[s]);
        findings_put(f, "bigkernel.busy_share", place, r->stage[s] / r->seconds);
    }
}

bool measure_bigkernel(oc_device *device, const double *params, Findings *f, Diag *diag)
{
    char size[32], blocks[32], threads[32];
    const uint32_t unit = (uint32_t)params[STREAM_UNIT];
    if (unit & (unit - 1) || unit == 1 || unit == 2)
        return diag_error(diag, "bigkernel: unit=%u is refused: 0, or a power of two from 4 on is expected", unit);
    snprintf(size, sizeof size, "size=%.0f", params[STREAM_BYTES]);
    snprintf(blocks, sizeof blocks, "blocks=%.0f", params[STREAM_BLOCKS]);
    snprintf(threads, sizeof threads, "threads=%.0f", params[STREAM_THREADS]);
    StreamOptions o = {.scenario = (Scenario)params[STREAM_SCENARIO],
                       .chunk = (size_t)params[STREAM_CHUNK],
                       .buffers = (uint32_t)params[STREAM_BUFFERS],
                       .unit = unit,
                       .threshold = (uint32_t)params[STREAM_THRESHOLD],
                       .params = (const char *const[]){size, blocks, threads, NULL}};
    StreamReport report;
    WorkResult result;
    bool ok = stream_run(device, stream_programs[(int)params[STREAM_APP]], &o, &report, &result);
    if (ok)
        put_report(f, o.scenario, &report);
    else
        diag_error(diag, "%s", result.error);
    work_result_free(&result);
    return ok;
}
