// nn: a neural network that recognises handwritten digits.
#include "../host.h"

#include <math.h>

#define INPUT_SIDE 29
#define MOST 1250  // the largest count of one image's neurons in a layer, or of its pixels
#define WINDOW 5   // rows and columns

// A layer has `maps` maps of side² neurons.
typedef struct Layer {
    const char *kernel, *weights, *neurons;  // names
    int64_t maps, side;
    int64_t weights_of_map;  // a bias first
} Layer;

static const Layer layers[] = {
    {"nn_layer1", "weights1", "neurons1", 6, 13, 26},
    {"nn_layer2", "weights2", "neurons2", 50, 5, 156},
    {"nn_layer3", "weights3", "neurons3", 100, 1, 1251},
    {"nn_layer4", "weights4", "neurons4", 10, 1, 101},
};
enum { LAYERS = sizeof layers / sizeof *layers };

static double squash(double sum) { return 1.7159 * tanh(2 * sum / 3); }

// A neuron of the convolution at row y and column x: its window of 5x5 begins at twice its place in each map before it.
static double convolve(const Layer *before, const double *from, const float *w, int64_t y, int64_t x)
{
    const int64_t maps = before ? before->maps : 1, side = before ? before->side : INPUT_SIDE;
    double sum = w[0];
    for (int64_t m = 0; m < maps; m++)
        for (int64_t i = 0; i < WINDOW; i++)
            for (int64_t j = 0; j < WINDOW; j++)
                sum += from[(m * side + 2 * y + i) * side + 2 * x + j] * w[1 + (i * WINDOW + j) * maps + m];
    return squash(sum);
}

static double see_all(const Layer *before, const double *from, const float *w)
{
    double sum = w[0];
    for (int64_t i = 0; i < before->maps * before->side * before->side; i++) sum += from[i] * w[1 + i];
    return squash(sum);
}

// One image through layer k.
static void think(int k, const double *from, const float *weights, double *to)
{
    const Layer *l = &layers[k], *before = k > 0 ? l - 1 : NULL;
    for (int64_t map = 0; map < l->maps; map++)
        for (int64_t i = 0; i < l->side * l->side; i++) {
            const float *w = weights + map * l->weights_of_map;
            *to++ = l->side > 1 ? convolve(before, from, w, i / l->side, i % l->side) : see_all(before, from, w);
        }
}

// All images through layer k; from and to hold every image's neurons. The check is of float values.
static void check(Work *work, int k, int64_t images, const double *from, double *to, const float *weights,
                  WorkBuf device)
{
    const Layer *l = &layers[k], *before = k > 0 ? l - 1 : NULL;
    const int64_t inputs = before ? before->maps * before->side * before->side : INPUT_SIDE * INPUT_SIDE;
    const int64_t outputs = l->maps * l->side * l->side;
    const size_t count = (size_t)(images * outputs);
    float *got = work_host(work, count * sizeof(float)), *want = work_host(work, count * sizeof(float));
    work_read(work, got, device, count * sizeof(float));
    if (!work_ok(work)) return;
    for (int64_t i = 0; i < images; i++) think(k, from + i * inputs, weights, to + i * outputs);
    for (size_t i = 0; i < count; i++) want[i] = (float)to[i];
    work_check_f32(work, l->neurons, got, want, count, 1e-5);
}

static void run(Work *work)
{
    const int64_t images = work_param(work, "images");
    const size_t pixels = (size_t)(images * INPUT_SIDE * INPUT_SIDE);
    float *input = work_random_floats(work, pixels, -1, 1), *weights[LAYERS];
    double *from = work_host(work, (size_t)images * MOST * sizeof(double));
    double *to = work_host(work, (size_t)images * MOST * sizeof(double));
    WorkBuf neurons[LAYERS + 1] = {work_upload(work, "images", input, pixels * sizeof(float))};
    for (int k = 0; k < LAYERS; k++) {
        const Layer *l = &layers[k];
        const float most = sqrtf(3.0f / (float)(l->weights_of_map - 1));  // sums stay of about the same size
        const size_t count = (size_t)(l->maps * l->weights_of_map);
        weights[k] = work_random_floats(work, count, -most, most);
        const WorkBuf dweights = work_upload(work, l->weights, weights[k], count * sizeof(float));
        neurons[k + 1] = work_device(work, l->neurons, (size_t)(images * l->maps * l->side * l->side) * sizeof(float));
        const uint32_t side = (uint32_t)l->side;
        work_launch(work, l->kernel, dim2((uint32_t)l->maps, (uint32_t)images), dim2(side, side), 0,
                    ARGS(arg_buf(neurons[k]), arg_buf(dweights), arg_buf(neurons[k + 1])));
    }
    if (!work_ok(work)) return;

    for (size_t i = 0; i < pixels; i++) from[i] = input[i];
    for (int k = 0; k < LAYERS; k++) {
        check(work, k, images, from, to, weights[k], neurons[k + 1]);
        double *older = from;
        from = to;
        to = older;
    }
}

static const WorkParam params[] = {
    {"images", "images of digits, 1 to 4096; their pixels and the weights are random", 2, 28, 1, 4096},
    {.name = NULL},
};

const Workload workload_ispass_nn = {
    "nn", "ispass", "A neural network that recognises handwritten digits, a kernel a layer (ISPASS 2009)", params, run};
