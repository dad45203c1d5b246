// Arrays and texture objects as a program with nvcc uses them. Expected values are the CUDA C++ Programming Guide's
// ("Texture Fetching"): weights with 8 bits behind the point, texels at half-odd places, addressing modes.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <vector>

#define MUST(call) must(__LINE__, call)
static void must(int line, cudaError_t error)
{
    if (error == cudaSuccess) return;
    std::printf("line %d: %s\n", line, cudaGetErrorString(error));
    std::exit(99);
}

enum { W = 16, H = 8, N = 256 };

template <typename T> __global__ void plane(cudaTextureObject_t t, const float2 *at, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<T>(t, at[i].x, at[i].y);
}

__global__ void items(cudaTextureObject_t t, int4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<int4>(t, n - 1 - i);
}

__global__ void line(cudaTextureObject_t t, const float2 *at, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<float>(t, at[i].x);
}

__global__ void around(cudaTextureObject_t t, const float2 *at, float4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2Dgather<float4>(t, at[i].x, at[i].y, 0);
}

// --- the reference ---------------------------------------------------------------------------------------------------
static float image[H][W];

static int place(int i, int n, cudaTextureAddressMode mode)
{
    if (mode == cudaAddressModeWrap) return (i % n + n) % n;
    if (mode == cudaAddressModeMirror)
        return (i % (2 * n) + 2 * n) % (2 * n) < n ? (i % n + n) % n : n - 1 - (i % n + n) % n;
    if (mode == cudaAddressModeBorder) return i < 0 || i >= n ? -1 : i;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double texel(int i, int j, cudaTextureAddressMode mode)
{
    i = place(i, W, mode), j = place(j, H, mode);
    return i < 0 || j < 0 ? 0 : image[j][i];
}

static double filtered(double x, double y, cudaTextureAddressMode mode)
{
    double i = std::floor(x - 0.5), j = std::floor(y - 0.5), a = x - 0.5 - i, b = y - 0.5 - j;
    int p = (int)i, q = (int)j;
    return (1 - a) * (1 - b) * texel(p, q, mode) + a * (1 - b) * texel(p + 1, q, mode) +
           (1 - a) * b * texel(p, q + 1, mode) + a * b * texel(p + 1, q + 1, mode);
}

// Places in and around the image, at multiples of 1/64: weights of 8 bits are exact.
static std::vector<float2> places()
{
    std::vector<float2> at(N);
    for (int k = 0; k < N; k++) {
        at[k].x = (float)(k * 37 % (3 * W * 64)) / 64 - W;
        at[k].y = (float)(k * 101 % (3 * H * 64)) / 64 - H;
    }
    return at;
}

template <typename T> static T *on_device(const std::vector<T> &v)
{
    T *p;
    MUST(cudaMalloc(&p, v.size() * sizeof(T)));
    MUST(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

template <typename T, typename K, typename A> static std::vector<T> read(K kernel, cudaTextureObject_t t, A at, int n)
{
    std::vector<T> got(n);
    T *out = on_device(got);
    kernel<<<(n + 63) / 64, 64>>>(t, at, out, n);
    MUST(cudaMemcpy(got.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost));
    MUST(cudaFree(out));
    return got;
}

static cudaTextureObject_t texture(cudaArray_t array, cudaTextureAddressMode mode, bool linear, bool normalized,
                                   cudaTextureReadMode as = cudaReadModeElementType)
{
    cudaTextureObject_t t;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = array;
    d.addressMode[0] = d.addressMode[1] = mode, d.readMode = as, d.normalizedCoords = normalized;
    d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    MUST(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

// --- what it does ----------------------------------------------------------------------------------------------------
static void floats()
{
    static const char *const names[] = {"wrap", "clamp", "mirror", "border"};
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    std::vector<float2> at = places(), scaled = at;
    MUST(cudaMallocArray(&array, &desc, W, H));
    MUST(cudaMemcpy2DToArray(array, 0, 0, image, sizeof *image, sizeof *image, H, cudaMemcpyHostToDevice));
    for (float2 &p : scaled) p.x /= W, p.y /= H;
    float2 *plain = on_device(at), *normal = on_device(scaled);
    for (int mode = 0; mode < 4; mode++)
        for (int linear = 0; linear < 2; linear++)
            for (int normalized = mode % 2 == 0; normalized < 2; normalized++) {
                cudaTextureAddressMode m = (cudaTextureAddressMode)mode;
                cudaTextureObject_t t = texture(array, m, linear, normalized);
                std::vector<float> got = read<float>(plane<float>, t, (const float2 *)(normalized ? normal : plain), N);
                int wrong = 0;
                for (int k = 0; k < N; k++) {
                    double want = linear ? filtered(at[k].x, at[k].y, m)
                                         : texel((int)std::floor(at[k].x), (int)std::floor(at[k].y), m);
                    wrong += std::fabs(got[k] - want) > 1e-5 * std::fabs(want);
                }
                std::printf("%s%s%s: %d wrong\n", names[mode], linear ? ", filtered" : "",
                            normalized ? ", normalized" : "", wrong);
                MUST(cudaDestroyTextureObject(t));
            }
    cudaTextureObject_t t = texture(array, cudaAddressModeClamp, true, false);
    float2 corner[1] = {{3.0f, 2.0f}};
    float2 *there = on_device(std::vector<float2>(corner, corner + 1));
    float4 four = read<float4>(around, t, (const float2 *)there, 1)[0];
    std::printf("gathered: %d\n",
                four.x == image[2][2] && four.y == image[2][3] && four.z == image[1][3] && four.w == image[1][2]);
    MUST(cudaFree(plain)), MUST(cudaFree(normal)), MUST(cudaFreeArray(array));
}

// Colors of 8 bits, halves, and a line with cudaMemcpy3D.
static void formats()
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array;
    std::vector<uchar4> colors(W * H);
    std::vector<float2> at(W * H);
    for (int k = 0; k < W * H; k++) {
        colors[k] = make_uchar4(k, 255 - k, 3 * k, 7);
        at[k] = make_float2(k % W + 0.5f, k / W + 0.5f);
    }
    float2 *where = on_device(at);
    MUST(cudaMallocArray(&array, &desc, W, H));
    MUST(cudaMemcpy2DToArray(array, 0, 0, colors.data(), 4 * W, 4 * W, H, cudaMemcpyHostToDevice));
    cudaTextureObject_t t = texture(array, cudaAddressModeClamp, false, false);
    std::vector<uchar4> same = read<uchar4>(plane<uchar4>, t, (const float2 *)where, W * H);
    t = texture(array, cudaAddressModeClamp, false, false, cudaReadModeNormalizedFloat);
    std::vector<float4> shares = read<float4>(plane<float4>, t, (const float2 *)where, W * H);
    int wrong = 0, off = 0;
    for (int k = 0; k < W * H; k++) {
        uchar4 c = colors[k];
        wrong += same[k].x != c.x || same[k].y != c.y || same[k].z != c.z || same[k].w != c.w;
        off += std::fabs(shares[k].x - c.x / 255.0f) > 1e-6f || std::fabs(shares[k].z - c.z / 255.0f) > 1e-6f;
    }
    std::printf("colors: %d wrong, as floats %d wrong\n", wrong, off);
    MUST(cudaFreeArray(array));

    std::vector<__half> halves(W * H);
    for (int k = 0; k < W * H; k++) halves[k] = __float2half(k * 0.25f - 5);
    desc = cudaCreateChannelDescHalf();
    MUST(cudaMallocArray(&array, &desc, W, H));
    MUST(cudaMemcpy2DToArray(array, 0, 0, halves.data(), 2 * W, 2 * W, H, cudaMemcpyHostToDevice));
    t = texture(array, cudaAddressModeClamp, false, false);
    std::vector<float> got = read<float>(plane<float>, t, (const float2 *)where, W * H);
    wrong = 0;
    for (int k = 0; k < W * H; k++) wrong += got[k] != k * 0.25f - 5;
    std::printf("halves: %d wrong\n", wrong);
    MUST(cudaFreeArray(array));

    desc = cudaCreateChannelDesc<float>();
    MUST(cudaMallocArray(&array, &desc, W * H));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(image, sizeof image, W * H, 1);
    copy.dstArray = array, copy.extent = make_cudaExtent(W * H, 1, 1), copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    for (int k = 0; k < W * H; k++) at[k].x = k + 1.0f;
    MUST(cudaMemcpy(where, at.data(), W * H * sizeof(float2), cudaMemcpyHostToDevice));
    t = texture(array, cudaAddressModeClamp, true, false);
    got = read<float>(line, t, (const float2 *)where, W * H);
    wrong = 0;
    const float *all = &image[0][0];
    for (int k = 0; k < W * H; k++) wrong += got[k] != (all[k] + all[k + 1 < W * H ? k + 1 : k]) / 2;
    std::printf("a line: %d wrong\n", wrong);
    MUST(cudaFreeArray(array)), MUST(cudaFree(where));
}

static void memory()
{
    std::vector<int4> v(N), got(N);
    for (int k = 0; k < N; k++) v[k] = make_int4(k, -k, k * k, 1 << k % 31);
    int4 *p = on_device(v), *out = on_device(got);
    cudaTextureObject_t t;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeLinear, r.res.linear.devPtr = p, r.res.linear.desc = cudaCreateChannelDesc<int4>();
    r.res.linear.sizeInBytes = N * sizeof(int4);
    MUST(cudaCreateTextureObject(&t, &r, &d, NULL));
    items<<<N / 64, 64>>>(t, out, N);
    MUST(cudaMemcpy(got.data(), out, N * sizeof(int4), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int k = 0; k < N; k++) {
        int4 a = got[k], b = v[N - 1 - k];
        wrong += a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w;
    }
    std::printf("items: %d wrong\n", wrong);
}

int main()
{
    for (int k = 0; k < W * H; k++) image[k / W][k % W] = (float)(k * k % 101) - 40;
    floats();
    formats();
    memory();
    return 5;
}
