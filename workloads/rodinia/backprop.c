// backprop: a step of training of a network with n input units, 16 hidden units and one output unit. The device sums up
// the input of the hidden units and moves their weights; the host does the rest, as in Rodinia.
#include "../host.h"

#include <math.h>

#define UNITS 16         // the hidden units, and the input units of a block; Rodinia's
#define ROW (UNITS + 1)  // of weights: that of the threshold first
#define RATE 0.3         // how far weights follow their gradient; Rodinia's
#define MOMENTUM 0.3     // how much of the change before is made again; Rodinia's
#define TARGET 0.1       // what the output should be; Rodinia's

static double squash(double x) { return 1 / (1 + exp(-x)); }

// The hidden units' errors, delta[1] to delta[UNITS], from their inputs. output: weights from the hidden units to the
// output unit.
static void find_errors(const double *sums, const float *output, float *delta)
{
    double hidden[ROW], sum = output[0];
    for (int j = 1; j < ROW; j++) hidden[j] = squash(sums[j]), sum += output[j] * hidden[j];
    const double out = squash(sum), error = out * (1 - out) * (TARGET - out);
    for (int j = 1; j < ROW; j++) delta[j] = (float)(hidden[j] * (1 - hidden[j]) * error * output[j]);
}

// What layerforward should leave in the weights: in each row of a block the sum of as many products, from its own
// downward, as a sum by halves has added by then.
static void sum_by_halves(int64_t n, const float *input, const float *weights, float *want)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = i % UNITS, count = row ? row & -row : UNITS;
        for (int j = 1; j < ROW; j++) {
            double sum = 0;
            for (int64_t r = i + 1; r <= i + count; r++) sum += (double)input[r] * weights[r * ROW + j];
            want[(i + 1) * ROW + j] = (float)sum;
        }
    }
}

static void adjust(int64_t n, const float *delta, const float *input, float *weights, float *change)
{
    for (int64_t i = 0; i <= n; i++)
        for (int j = 1; j < ROW; j++) {
            const double moved = RATE * delta[j] * (i ? input[i] : 1) + MOMENTUM * change[i * ROW + j];
            weights[i * ROW + j] = (float)(weights[i * ROW + j] + moved);
            change[i * ROW + j] = (float)moved;
        }
}

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), blocks = n / UNITS;
    const size_t count = (size_t)(n + 1) * ROW, of_weights = count * sizeof(float);
    const size_t of_input = (size_t)(n + 1) * sizeof(float), of_partial = (size_t)n * sizeof(float);
    if (n % UNITS != 0) work_refuse(work, "n", "a multiple of 16, the block's input units,");
    work_seed(work, work_param(work, "seed"));
    // Weights in the order of 1/√n keep the hidden units out of saturation, where every change would be 0. A change
    // from a step before makes the momentum count; in Rodinia it is 0.
    const float size = 1 / sqrtf((float)n);
    float *input = work_random_floats(work, (size_t)n + 1, 0, 1), *output = work_random_floats(work, ROW, -1, 1);
    float *weights = work_random_floats(work, count, -size, size);
    float *change = work_random_floats(work, count, -size / 4, size / 4);
    float *partial = work_host(work, of_partial), *got = work_host(work, of_weights);
    float *want = work_host(work, of_weights), *partial_want = work_host(work, of_partial);
    WorkBuf dinput = work_upload(work, "input", input, of_input);
    WorkBuf dweights = work_upload(work, "weights", weights, of_weights);
    WorkBuf dpartial = work_device(work, "partial", of_partial);
    WorkBuf dchange = work_upload(work, "change", change, of_weights);

    const oc_dim3 grid = dim2(1, (uint32_t)blocks), block = dim2(UNITS, UNITS);
    work_launch(work, "layerforward", grid, block, 0,
                ARGS(arg_i32(UNITS), arg_buf(dinput), arg_buf(dweights), arg_buf(dpartial)));
    work_read(work, partial, dpartial, of_partial);
    work_read(work, got, dweights, of_weights);
    if (!work_ok(work)) return;
    sum_by_halves(n, input, weights, want);
    for (int64_t i = 0; i <= n; i++) want[i * ROW] = weights[i * ROW];
    for (int j = 0; j < ROW; j++) want[j] = weights[j];
    for (int64_t i = 0; i < n; i++) partial_want[i] = want[(i / UNITS * UNITS + 1) * ROW + i % UNITS + 1];
    work_check_f32(work, "partial", partial, partial_want, (size_t)n, 1e-5);
    work_check_f32(work, "sums", got, want, count, 1e-5);
    double sums[ROW] = {0};
    float delta[ROW] = {0}, delta_wanted[ROW] = {0};
    for (int j = 1; j < ROW; j++) {
        sums[j] = weights[j];
        for (int64_t b = 0; b < blocks; b++) sums[j] += partial[b * UNITS + j - 1];
    }
    find_errors(sums, output, delta);

    WorkBuf ddelta = work_upload(work, "delta", delta, sizeof delta);
    work_write(work, dweights, weights, of_weights);
    work_launch(work, "adjust_weights", grid, block, 0,
                ARGS(arg_i32(UNITS), arg_f32((float)RATE), arg_f32((float)MOMENTUM), arg_buf(ddelta), arg_buf(dinput),
                     arg_buf(dweights), arg_buf(dchange)));
    work_read(work, got, dweights, of_weights);
    work_read(work, want, dchange, of_weights);
    if (!work_ok(work)) return;

    for (int j = 1; j < ROW; j++) {
        sums[j] = weights[j];
        for (int64_t i = 1; i <= n; i++) sums[j] += (double)input[i] * weights[i * ROW + j];
    }
    find_errors(sums, output, delta_wanted);
    work_check_f32(work, "delta", delta, delta_wanted, ROW, 1e-4);
    adjust(n, delta_wanted, input, weights, change);
    work_check_f32(work, "weights", got, weights, count, 1e-5);
    work_check_f32(work, "change", want, change, count, 1e-5);
}

static const WorkParam params[] = {
    {"n", "input units, a multiple of 16 up to 1048560", 512, 16384, UNITS, 65535 * UNITS},
    {"seed", "seed of the inputs and weights, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_rodinia_backprop = {
    "backprop", "rodinia", "A step of training of a neural network, two kernels (Rodinia)", params, run};
