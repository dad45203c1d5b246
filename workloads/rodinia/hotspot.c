// hotspot: the temperature of a chip's grid cells over time.
#include "../host.h"

#define BLOCK 16

// The chip, in metres, watts, kelvin and joules; the constants are Rodinia's.
typedef struct Chip {
    double step_by_cap, rx1, ry1, rz1, ambient;
} Chip;

static Chip chip_of(int64_t n)
{
    const double thickness = 0.0005, side = 0.016, specific_heat = 1.75e6, conductivity = 100;
    const double max_power = 3.0e6, precision = 0.001, fraction = 0.5;
    const double cell = side / (double)n;
    const double cap = fraction * specific_heat * thickness * cell * cell;
    const double max_slope = max_power / (fraction * thickness * specific_heat);
    const double r = cell / (2.0 * conductivity * thickness * cell);  // between cells, which are square
    const double rz = thickness / (conductivity * cell * cell);
    return (Chip){precision / max_slope / cap, 1 / r, 1 / r, 1 / rz, 80};
}

static void step(const Chip *chip, int64_t n, const float *power, const float *from, float *to)
{
    for (int64_t y = 0; y < n; y++) {
        const float *row = from + y * n, *north = y > 0 ? row - n : row, *south = y + 1 < n ? row + n : row;
        for (int64_t x = 0; x < n; x++) {
            const double t = row[x], west = row[x > 0 ? x - 1 : x], east = row[x + 1 < n ? x + 1 : x];
            const double flow = power[y * n + x] + (north[x] + south[x] - 2 * t) * chip->ry1 +
                                (west + east - 2 * t) * chip->rx1 + (chip->ambient - t) * chip->rz1;
            to[y * n + x] = (float)(t + chip->step_by_cap * flow);
        }
    }
}

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), steps = work_param(work, "steps"), pyramid = work_param(work, "pyramid");
    const size_t count = (size_t)(n * n), bytes = count * sizeof(float);
    const Chip chip = chip_of(n);
    float *temp = work_random_floats(work, count, 320, 340), *power = work_random_floats(work, count, 0, 0.064f);
    float *got = work_host(work, bytes), *want = work_host(work, bytes);
    // Hot spots: 1 cell in 64 has the power, some 130 W for the whole of 512x512.
    for (size_t i = 0; power && i < count; i++)
        if (work_random(work) % 64 != 0) power[i] = 0;
    WorkBuf dpower = work_upload(work, "power", power, bytes), dtemp = work_upload(work, "temp", temp, bytes);
    WorkBuf dnext = work_device(work, "next", bytes);

    for (int64_t done = 0; done < steps && work_ok(work);) {
        const int64_t now = steps - done < pyramid ? steps - done : pyramid;
        const uint32_t blocks = ceil_div(n, BLOCK - 2 * now);
        work_launch(work, "hotspot", dim2(blocks, blocks), dim2(BLOCK, BLOCK), 0,
                    ARGS(arg_i32(now), arg_i32(n), arg_buf(dpower), arg_buf(dtemp), arg_buf(dnext),
                         arg_f32((float)chip.step_by_cap), arg_f32((float)chip.rx1), arg_f32((float)chip.ry1),
                         arg_f32((float)chip.rz1), arg_f32((float)chip.ambient)));
        const WorkBuf newer = dnext;
        dnext = dtemp;
        dtemp = newer;
        done += now;
    }
    work_read(work, got, dtemp, bytes);
    if (!work_ok(work)) return;

    for (int64_t s = 0; s < steps; s++) {
        step(&chip, n, power, temp, want);
        float *older = temp;
        temp = want;
        want = older;
    }
    work_check_f32(work, "temp", got, temp, count, 1e-6);
}

static const WorkParam params[] = {
    {"n", "rows and columns of the grid, 1 to 16384", 50, 512, 1, 16384},
    {"steps", "time steps, 1 to 100000", 3, 2, 1, 100000},
    {"pyramid", "time steps in one launch, 1 to 7", 2, 2, 1, 7},
    {.name = NULL},
};

const Workload workload_rodinia_hotspot = {
    "hotspot", "rodinia", "Temperatures of a chip's cells over time, tiled in shared memory (Rodinia)", params, run};
