// gpt2.cu: the forward pass of GPT-2 (Radford et al., 2019) in f32: embeddings, layers of attention and of a
// perceptron, each behind a norm and beside a residual, and logits by the tied embedding. Products are cuBLAS's and
// cuBLASLt's. The weights are random. It runs as calls, and as a graph with other tokens; the host does the same in
// doubles. It prints the largest difference of a logit.
#include "check.cuh"

#include <algorithm>
#include <cublasLt.h>
#include <cublas_v2.h>

enum { B = 2, C = 64, HEADS = 4, SIZE = C / HEADS, V = 128 };

// --- the device ------------------------------------------------------------------------------------------------------
__global__ void embed(float *x, const int *tokens, const float *wte, const float *wpe, int t)
{
    const int row = blockIdx.x;
    for (int c = threadIdx.x; c < C; c += blockDim.x) x[row * C + c] = wte[tokens[row] * C + c] + wpe[row % t * C + c];
}

__device__ static float sum_of_warp(float x)
{
    for (int by = 16; by; by /= 2) x += __shfl_xor_sync(~0u, x, by);
    return x;
}

// A warp for each row.
__global__ void layernorm(float *out, const float *x, const float *weight, const float *bias, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0, squares = 0;
    for (int c = lane; c < C; c += 32) sum += x[row * C + c];
    const float mean = sum_of_warp(sum) / C;
    for (int c = lane; c < C; c += 32) squares += (x[row * C + c] - mean) * (x[row * C + c] - mean);
    const float by = rsqrtf(sum_of_warp(squares) / C + 1e-5f);
    for (int c = lane; c < C; c += 32) out[row * C + c] = (x[row * C + c] - mean) * by * weight[c] + bias[c];
}

__global__ void add_bias(float *x, const float *bias, int width, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += bias[i % width];
}

__global__ void add_residual(float *x, const float *y, const float *bias, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += y[i] + bias[i % C];
}

// (batch, time, 3, head, size) to three of (batch, head, time, size)
__global__ void part(float *qkv, const float *in, int t)
{
    const int n = B * t * C, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int s = i % SIZE, time = i / SIZE % t, head = i / SIZE / t % HEADS, batch = i / SIZE / t / HEADS;
    for (int k = 0; k < 3; k++) qkv[k * n + i] = in[((batch * t + time) * 3 + k) * C + head * SIZE + s];
}

__global__ void join(float *out, const float *in, int t)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * t * C) return;
    const int s = i % SIZE, time = i / SIZE % t, head = i / SIZE / t % HEADS, batch = i / SIZE / t / HEADS;
    out[(batch * t + time) * C + head * SIZE + s] = in[i];
}

// A warp for each row of scores; what comes later than the row gets 0.
__global__ void causal_softmax(float *scores, int t, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, last = row % t;
    if (row >= rows) return;
    float *s = scores + row * t, most = -INFINITY, sum = 0;
    for (int k = lane; k <= last; k += 32) most = fmaxf(most, s[k]);
    for (int by = 16; by; by /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, by));
    for (int k = lane; k <= last; k += 32) sum += expf(s[k] - most);
    sum = sum_of_warp(sum);
    for (int k = lane; k < t; k += 32) s[k] = k <= last ? expf(s[k] - most) / sum : 0;
}

// --- the model -------------------------------------------------------------------------------------------------------
struct Layer {
    size_t ln1w, ln1b, qkvw, qkvb, projw, projb, ln2w, ln2b, fcw, fcb, outw, outb;
};
struct Model {
    std::vector<float> weights;
    size_t wte, wpe, lnfw, lnfb;
    std::vector<Layer> layers;
    size_t some(size_t n, double scale, double around = 0)
    {
        const size_t at = weights.size();
        for (size_t k = 0; k < n; k++) weights.push_back((float)(around + scale * random_part()));
        return at;
    }
    Model(int many, int t) : layers(many)
    {
        wte = some(V * C, 0.6), wpe = some(t * C, 0.4);
        for (Layer &l : layers) {
            l.ln1w = some(C, 0.3, 1), l.ln1b = some(C, 0.2), l.qkvw = some(3 * C * C, 0.25), l.qkvb = some(3 * C, 0.1);
            l.projw = some(C * C, 0.2), l.projb = some(C, 0.1), l.ln2w = some(C, 0.3, 1), l.ln2b = some(C, 0.2);
            l.fcw = some(4 * C * C, 0.25), l.fcb = some(4 * C, 0.1), l.outw = some(4 * C * C, 0.1);
            l.outb = some(C, 0.1);
        }
        lnfw = some(C, 0.3, 1), lnfb = some(C, 0.2);
    }
};

struct Gpu {
    const Model &m;
    const int t, rows;
    Array<float> w, x, normed, wide, qkv, scores, mixed, joined, logits;
    Array<int> tokens;
    cublasHandle_t blas;
    cublasLtHandle_t lt;
    cudaStream_t stream;
    Array<char> workspace;

    Gpu(const Model &m, int t)
        : m(m), t(t), rows(B * t), w(m.weights), x(rows * C), normed(rows * C), wide(rows * 4 * C), qkv(rows * 3 * C),
          scores(B * HEADS * t * t), mixed(rows * C), joined(rows * C), logits(rows * V), tokens(rows),
          workspace(1 << 20)
    {
        MUST(cudaStreamCreate(&stream));
        MUST(cublasCreate(&blas));
        MUST(cublasSetStream(blas, stream));
        MUST(cublasLtCreate(&lt));
    }
    ~Gpu()
    {
        MUST(cublasLtDestroy(lt));
        MUST(cublasDestroy(blas));
        MUST(cudaStreamDestroy(stream));
    }

    static int blocks(int n) { return (n + 127) / 128; }
    // Rows of `to` values from rows of `from` values: out = in wᵀ, by columns outᵀ = w inᵀ.
    void product(float *out, const float *in, size_t weight, int from, int to)
    {
        const float one = 1, zero = 0;
        MUST(cublasSgemm(blas, CUBLAS_OP_T, CUBLAS_OP_N, to, rows, from, &one, w + weight, from, in, from, &zero, out,
                         to));
    }
    void product_gelu(float *out, const float *in, size_t weight, size_t bias, int from, int to)
    {
        cublasLtMatmulDesc_t desc;
        cublasLtMatrixLayout_t a, b, d;
        const cublasOperation_t turned = CUBLAS_OP_T;
        const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_GELU_BIAS;
        const float one = 1, zero = 0, *add = w + bias;
        MUST(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
        MUST(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned));
        MUST(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
        MUST(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &add, sizeof add));
        MUST(cublasLtMatrixLayoutCreate(&a, CUDA_R_32F, from, to, from));
        MUST(cublasLtMatrixLayoutCreate(&b, CUDA_R_32F, from, rows, from));
        MUST(cublasLtMatrixLayoutCreate(&d, CUDA_R_32F, to, rows, to));
        MUST(cublasLtMatmul(lt, desc, &one, w + weight, a, in, b, &zero, out, d, out, d, nullptr, workspace.at,
                            workspace.n, stream));
        MUST(cublasLtMatrixLayoutDestroy(a));
        MUST(cublasLtMatrixLayoutDestroy(b));
        MUST(cublasLtMatrixLayoutDestroy(d));
        MUST(cublasLtMatmulDescDestroy(desc));
    }
    void norm(size_t weight, size_t bias)
    {
        layernorm<<<blocks(32 * rows), 128, 0, stream>>>(normed, x, w + weight, w + bias, rows);
    }
    void attend()
    {
        const float scale = 1 / std::sqrt((float)SIZE), one = 1, zero = 0;
        const float *q = qkv, *k = q + rows * C, *v = k + rows * C;
        part<<<blocks(rows * C), 128, 0, stream>>>(qkv, wide, t);
        MUST(cublasSgemmStridedBatched(blas, CUBLAS_OP_T, CUBLAS_OP_N, t, t, SIZE, &scale, k, SIZE, t * SIZE, q, SIZE,
                                       t * SIZE, &zero, scores, t, t * t, B * HEADS));
        causal_softmax<<<blocks(32 * HEADS * rows), 128, 0, stream>>>(scores, t, HEADS * rows);
        MUST(cublasSgemmStridedBatched(blas, CUBLAS_OP_N, CUBLAS_OP_N, SIZE, t, t, &one, v, SIZE, t * SIZE, scores, t,
                                       t * t, &zero, mixed, SIZE, t * SIZE, B * HEADS));
        join<<<blocks(rows * C), 128, 0, stream>>>(joined, mixed, t);
    }
    void forward()
    {
        embed<<<rows, 32, 0, stream>>>(x, tokens, w + m.wte, w + m.wpe, t);
        for (const Layer &l : m.layers) {
            norm(l.ln1w, l.ln1b);
            product(wide, normed, l.qkvw, C, 3 * C);
            add_bias<<<blocks(rows * 3 * C), 128, 0, stream>>>(wide, w + l.qkvb, 3 * C, rows * 3 * C);
            attend();
            product(mixed, joined, l.projw, C, C);
            add_residual<<<blocks(rows * C), 128, 0, stream>>>(x, mixed, w + l.projb, rows * C);
            norm(l.ln2w, l.ln2b);
            product_gelu(wide, normed, l.fcw, l.fcb, C, 4 * C);
            product(mixed, wide, l.outw, 4 * C, C);
            add_residual<<<blocks(rows * C), 128, 0, stream>>>(x, mixed, w + l.outb, rows * C);
        }
        norm(m.lnfw, m.lnfb);
        product(logits, normed, m.wte, C, V);
        MUST(cudaGetLastError());
    }
};

// --- the host --------------------------------------------------------------------------------------------------------
typedef std::vector<double> Row;

static Row normal(const Row &x, const float *weight, const float *bias)
{
    double mean = 0, variance = 0;
    Row y(C);
    for (double v : x) mean += v / C;
    for (double v : x) variance += (v - mean) * (v - mean) / C;
    for (int c = 0; c < C; c++) y[c] = (x[c] - mean) / std::sqrt(variance + 1e-5) * weight[c] + bias[c];
    return y;
}

static Row linear(const Row &x, const float *weight, const float *bias, int to)
{
    Row y(to);
    for (int o = 0; o < to; o++) {
        y[o] = bias ? bias[o] : 0;
        for (size_t i = 0; i < x.size(); i++) y[o] += x[i] * weight[o * x.size() + i];
    }
    return y;
}

static void add_to(Row &x, const Row &y)
{
    for (size_t i = 0; i < x.size(); i++) x[i] += y[i];
}

// The logits of one sequence.
static std::vector<Row> sequence(const Model &m, const int *tokens, int t)
{
    const float *w = m.weights.data();
    std::vector<Row> x(t, Row(C)), qkv(t), logits;
    for (int i = 0; i < t; i++)
        for (int c = 0; c < C; c++) x[i][c] = (double)w[m.wte + tokens[i] * C + c] + w[m.wpe + i * C + c];
    for (const Layer &l : m.layers) {
        for (int i = 0; i < t; i++) {
            qkv[i] = linear(normal(x[i], w + l.ln1w, w + l.ln1b), w + l.qkvw, w + l.qkvb, 3 * C);
            Row out(C);
            for (int h = 0; h < C; h += SIZE) {
                Row p(i + 1);
                double sum = 0;
                for (int j = 0; j <= i; j++) {
                    double dot = 0;
                    for (int s = h; s < h + SIZE; s++) dot += qkv[i][s] * qkv[j][C + s];
                    sum += p[j] = std::exp(dot / std::sqrt((double)SIZE));
                }
                for (int j = 0; j <= i; j++)
                    for (int s = h; s < h + SIZE; s++) out[s] += p[j] / sum * qkv[j][2 * C + s];
            }
            add_to(x[i], linear(out, w + l.projw, w + l.projb, C));
        }
        for (Row &row : x) {
            Row h = linear(normal(row, w + l.ln2w, w + l.ln2b), w + l.fcw, w + l.fcb, 4 * C);
            for (double &v : h) v *= 0.5 * (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)));
            add_to(row, linear(h, w + l.outw, w + l.outb, C));
        }
    }
    for (const Row &row : x) logits.push_back(linear(normal(row, w + m.lnfw, w + m.lnfb), w + m.wte, nullptr, V));
    return logits;
}

int main(int argc, char **argv)
{
    // The forms: two layers over 32 tokens, or one over 8.
    const bool small = argc > 1;
    const int t = small ? 8 : 32;
    const Model model(small ? 1 : 2, t);
    Gpu gpu(model, t);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    double worst = 0, least = 0, most = 0;
    int same = 0;
    MUST(cudaStreamBeginCapture(gpu.stream, cudaStreamCaptureModeThreadLocal));
    gpu.forward();
    MUST(cudaStreamEndCapture(gpu.stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int round = 0; round < 2; round++) {
        std::vector<int> tokens(B * t);
        for (int &token : tokens) token = (int)(random_bits() % V);
        gpu.tokens.put(tokens);
        if (round == 0)
            gpu.forward();
        else
            MUST(cudaGraphLaunch(exec, gpu.stream));
        const std::vector<float> got = gpu.logits.get();
        for (int b = 0; b < B; b++) {
            const std::vector<Row> want = sequence(model, tokens.data() + b * t, t);
            for (int i = 0; i < t; i++) {
                const float *row = got.data() + (b * t + i) * V;
                for (int v = 0; v < V; v++) {
                    worst = std::max(worst, std::fabs(row[v] - want[i][v]));
                    least = std::min(least, want[i][v]), most = std::max(most, want[i][v]);
                    NEAR(row[v], want[i][v], 5e-5);
                }
                same += std::max_element(row, row + V) - row ==
                        std::max_element(want[i].begin(), want[i].end()) - want[i].begin();
            }
        }
    }
    CHECK(same >= 2 * B * t - 1 && most - least > 4);
    std::printf("the largest difference: %.2g, of logits from %.2f to %.2f\n", worst, least, most);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    return verdict();
}
