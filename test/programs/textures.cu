// Textures and surfaces of all shapes over arrays: a volume, layers, a cube, a mipmap whose levels the program makes
// through surfaces, views. What they read is computed here by the formulas of the programming guide ("Texture
// Fetching").
#include "check.cuh"

#include <cmath>
#include <vector>

enum { W = 16, H = 8, D = 4, LAYERS = 5, LEVELS = 4 };

// --- what a kernel reads ---------------------------------------------------------------------------------------------
enum Shape { VOLUME, LAYERED_LINE, LAYERED_PLANE, CUBE, CUBES, LEVEL, GRADIENT, LAYERED_LEVEL };

__global__ void read(int shape, cudaTextureObject_t t, const float4 *at, float *out, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    float4 p = at[k];
    switch (shape) {
    case VOLUME: out[k] = tex3D<float>(t, p.x, p.y, p.z); break;
    case LAYERED_LINE: out[k] = tex1DLayered<float>(t, p.x, (int)p.w); break;
    case LAYERED_PLANE: out[k] = tex2DLayered<float>(t, p.x, p.y, (int)p.w); break;
    case CUBE: out[k] = texCubemap<float>(t, p.x, p.y, p.z); break;
    case CUBES: out[k] = texCubemapLayered<float>(t, p.x, p.y, p.z, (int)p.w); break;
    case LEVEL: out[k] = tex2DLod<float>(t, p.x, p.y, p.w); break;
    case GRADIENT: out[k] = tex2DGrad<float>(t, p.x, p.y, make_float2(p.z, 0), make_float2(0, p.w)); break;
    default: out[k] = tex2DLayeredLod<float>(t, p.x, p.y, (int)p.z, p.w);
    }
}

static std::vector<float> fetch(Shape shape, cudaTextureObject_t t, const std::vector<float4> &at)
{
    int n = (int)at.size();
    float4 *from = shared_array<float4>(n);
    float *to = shared_array<float>(n);
    for (int k = 0; k < n; k++) from[k] = at[k];
    read<<<(n + 63) / 64, 64>>>(shape, t, from, to, n);
    MUST(cudaDeviceSynchronize());
    return std::vector<float>(to, to + n);
}

static unsigned state = 1;
static int draw(int n) { return (int)((state = state * 1664525u + 1013904223u) >> 8) % n; }

static bool near(double a, double b) { return std::fabs(a - b) <= 1e-4 * (1 + std::fabs(b)); }

static cudaArray_t array_of(const std::vector<float> &v, int w, int h, int d, unsigned flags)
{
    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    MUST(cudaMalloc3DArray(&array, &desc, make_cudaExtent(w, h, d), flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void *)v.data(), w * sizeof(float), w, h ? h : 1);
    copy.dstArray = array, copy.extent = make_cudaExtent(w, h ? h : 1, d), copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    return array;
}

static cudaTextureObject_t texture(cudaArray_t array, bool linear, bool normalized)
{
    cudaTextureObject_t t;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = array;
    for (auto &mode : d.addressMode) mode = cudaAddressModeClamp;
    d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint, d.normalizedCoords = normalized;
    MUST(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

static std::vector<float> numbers(int n)
{
    std::vector<float> v(n);
    for (float &x : v) x = (float)(draw(2001) - 1000);
    return v;
}

static int clamp(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }

// Linear filtering in a volume whose slices have w by h elements; places are at multiples of 1/64, so that weights of 8
// bits are exact.
static double filtered(const float *v, int w, int h, int d, double x, double y, double z)
{
    int i = (int)std::floor(x - 0.5), j = (int)std::floor(y - 0.5), k = (int)std::floor(z - 0.5);
    double a = x - 0.5 - i, b = y - 0.5 - j, c = z - 0.5 - k, sum = 0;
    for (int n = 0; n < 8; n++) {
        int p = n & 1, q = n >> 1 & 1, r = n >> 2;
        sum += (p ? a : 1 - a) * (q ? b : 1 - b) * (r ? c : 1 - c) *
               v[clamp(i + p, w) + w * (clamp(j + q, h) + h * clamp(k + r, d))];
    }
    return sum;
}

static void volumes()
{
    std::vector<float> v = numbers(W * H * D), back(W * H * D);
    cudaArray_t array = array_of(v, W, H, D, cudaArrayDefault);
    std::vector<float4> at(500);
    for (float4 &p : at)
        p = make_float4(draw(W * 64 + 128) / 64.0f - 1, draw(H * 64 + 128) / 64.0f - 1, draw(D * 64 + 128) / 64.0f - 1,
                        0);
    std::vector<float> got = fetch(VOLUME, texture(array, true, false), at);
    for (size_t k = 0; k < at.size(); k++) CHECK(near(got[k], filtered(v.data(), W, H, D, at[k].x, at[k].y, at[k].z)));
    got = fetch(VOLUME, texture(array, false, false), at);
    for (size_t k = 0; k < at.size(); k++) {
        int x = clamp((int)std::floor(at[k].x), W), y = clamp((int)std::floor(at[k].y), H);
        CHECK(got[k] == v[x + W * (y + H * clamp((int)std::floor(at[k].z), D))]);
    }
    cudaMemcpy3DParms copy = {};  // a box from its middle
    copy.srcArray = array, copy.srcPos = make_cudaPos(3, 2, 1), copy.extent = make_cudaExtent(5, 4, 2);
    copy.dstPtr = make_cudaPitchedPtr(back.data(), W * sizeof(float), W, H), copy.kind = cudaMemcpyDeviceToHost;
    MUST(cudaMemcpy3D(&copy));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 5; x++) CHECK(back[x + W * (y + H * z)] == v[x + 3 + W * (y + 2 + H * (z + 1))]);
    cudaExtent e;
    unsigned flags;
    MUST(cudaArrayGetInfo(NULL, &e, &flags, array));
    CHECK(e.width == W && e.height == H && e.depth == D && !flags);
    MUST(cudaFreeArray(array));
}

static void layers()
{
    std::vector<float> v = numbers(W * H * LAYERS);
    std::vector<float4> at(300);
    for (float4 &p : at) p = make_float4(draw(W * 64) / 64.0f, draw(H * 64) / 64.0f, 0, (float)draw(LAYERS));
    cudaArray_t plane = array_of(v, W, H, LAYERS, cudaArrayLayered), line = array_of(v, W, 0, LAYERS, cudaArrayLayered);
    std::vector<float> got = fetch(LAYERED_PLANE, texture(plane, true, false), at);
    for (size_t k = 0; k < at.size(); k++)
        CHECK(near(got[k], filtered(&v[W * H * (int)at[k].w], W, H, 1, at[k].x, at[k].y, 0.5)));
    got = fetch(LAYERED_LINE, texture(line, true, false), at);
    for (size_t k = 0; k < at.size(); k++)
        CHECK(near(got[k], filtered(&v[W * (int)at[k].w], W, 1, 1, at[k].x, 0.5, 0.5)));
    MUST(cudaFreeArray(plane)), MUST(cudaFreeArray(line));
}

// The guide's table of faces
static double on_cube(const float *v, double x, double y, double z)
{
    double ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z), s, t, m;
    int face;
    if (ax > ay && ax > az)
        face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
    else if (ay > ax && ay > az)
        face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
    else
        face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
    return v[(int)std::floor((s / m + 1) / 2 * H) + H * ((int)std::floor((t / m + 1) / 2 * H) + H * face)];
}

static void cubes()
{
    std::vector<float> v = numbers(H * H * 6 * 2);
    std::vector<float4> at(300);
    for (float4 &p : at) {
        float c[3] = {(draw(255) - 127) / 128.0f, (draw(255) - 127) / 128.0f, (draw(255) - 127) / 128.0f};
        c[draw(3)] = draw(2) ? 1.0f : -1.0f;
        p = make_float4(c[0], c[1], c[2], (float)draw(2));
    }
    cudaArray_t one = array_of(v, H, H, 6, cudaArrayCubemap);
    cudaArray_t two = array_of(v, H, H, 12, cudaArrayCubemap | cudaArrayLayered);
    std::vector<float> got = fetch(CUBE, texture(one, false, true), at);
    for (size_t k = 0; k < at.size(); k++) CHECK(got[k] == on_cube(v.data(), at[k].x, at[k].y, at[k].z));
    got = fetch(CUBES, texture(two, false, true), at);
    for (size_t k = 0; k < at.size(); k++)
        CHECK(got[k] == on_cube(&v[H * H * 6 * (int)at[k].w], at[k].x, at[k].y, at[k].z));
    MUST(cudaFreeArray(one)), MUST(cudaFreeArray(two));
}

// --- surfaces --------------------------------------------------------------------------------------------------------
// Each element is the mean of four of the level before.
__global__ void halve(cudaSurfaceObject_t to, cudaSurfaceObject_t from, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0;
    for (int k = 0; k < 4; k++) sum += surf2Dread<float>(from, (2 * x + k % 2) * sizeof(float), 2 * y + k / 2);
    surf2Dwrite(sum / 4, to, x * sizeof(float), y);
}

static cudaSurfaceObject_t surface(cudaArray_t array)
{
    cudaSurfaceObject_t s;
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = array;
    MUST(cudaCreateSurfaceObject(&s, &r));
    return s;
}

static void levels()
{
    cudaMipmappedArray_t mipmap;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t level[LEVELS];
    std::vector<float> v[LEVELS];
    v[0] = numbers(W * H);
    MUST(cudaMallocMipmappedArray(&mipmap, &desc, make_cudaExtent(W, H, 0), LEVELS, cudaArraySurfaceLoadStore));
    for (int k = 0; k < LEVELS; k++) MUST(cudaGetMipmappedArrayLevel(&level[k], mipmap, k));
    MUST(cudaMemcpy2DToArray(level[0], 0, 0, v[0].data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    for (int k = 1; k < LEVELS; k++) {
        int w = W >> k, h = H >> k;
        cudaSurfaceObject_t from = surface(level[k - 1]), to = surface(level[k]);
        halve<<<dim3(1, 1), dim3(8, 8)>>>(to, from, w, h);
        MUST(cudaDeviceSynchronize());
        MUST(cudaDestroySurfaceObject(from)), MUST(cudaDestroySurfaceObject(to));
        v[k].resize(w * h);
        std::vector<float> got(w * h);
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                const float *p = &v[k - 1][2 * x + 2 * w * 2 * y];
                v[k][x + w * y] = (p[0] + p[1] + p[2 * w] + p[2 * w + 1]) / 4;
            }
        MUST(cudaMemcpy2DFromArray(got.data(), w * 4, level[k], 0, 0, w * 4, h, cudaMemcpyDeviceToHost));
        CHECK(got == v[k]);
    }
    cudaTextureObject_t t;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = mipmap;
    for (auto &mode : d.addressMode) mode = cudaAddressModeClamp;
    d.normalizedCoords = 1, d.filterMode = d.mipmapFilterMode = cudaFilterModeLinear, d.maxMipmapLevelClamp = 10;
    MUST(cudaCreateTextureObject(&t, &r, &d, NULL));
    std::vector<float4> at(300);
    for (float4 &p : at) p = make_float4(draw(512) / 512.0f, draw(256) / 256.0f, 0, draw(4 * 256) / 256.0f);
    std::vector<float> got = fetch(LEVEL, t, at);
    for (size_t k = 0; k < at.size(); k++) {
        double l = std::fmin(at[k].w, LEVELS - 1.0), w = l - std::floor(l);
        int a = (int)l, b = clamp(a + 1, LEVELS);
        double x = at[k].x, y = at[k].y;
        double want = (1 - w) * filtered(v[a].data(), W >> a, H >> a, 1, x * (W >> a), y * (H >> a), 0.5) +
                      w * filtered(v[b].data(), W >> b, H >> b, 1, x * (W >> b), y * (H >> b), 0.5);
        CHECK(near(got[k], want));
    }
    MUST(cudaDestroyTextureObject(t));
    d.filterMode = d.mipmapFilterMode = cudaFilterModePoint;
    cudaResourceViewDesc view = {};  // without the first level
    view.width = W, view.height = H, view.firstMipmapLevel = 1, view.lastMipmapLevel = LEVELS - 1;
    MUST(cudaCreateTextureObject(&t, &r, &d, &view));
    for (float4 &p : at) p.z = 1.0f / W, p.w = 1.0f / H;  // two texels of the first level are one of the view's
    got = fetch(GRADIENT, t, at);
    for (size_t k = 0; k < at.size(); k++)
        CHECK(got[k] == v[1][(int)(at[k].x * W / 2) + W / 2 * (int)(at[k].y * H / 2)]);
    MUST(cudaDestroyTextureObject(t)), MUST(cudaFreeMipmappedArray(mipmap));
}

// What lies outside of a surface: zero, nothing, or the nearest.
__global__ void edges(cudaSurfaceObject_t s, cudaSurfaceObject_t layered, int *out)
{
    int x = (int)threadIdx.x - 4;
    out[threadIdx.x] = surf2Dread<int>(s, x * 4, 1, cudaBoundaryModeZero);
    out[threadIdx.x + 32] = surf2Dread<int>(s, x * 4, -5, cudaBoundaryModeClamp);
    __syncthreads();
    surf2Dwrite(1000 + x, s, x * 4, 2, cudaBoundaryModeZero);
    surf2DLayeredwrite(make_short2(x, -x), layered, x * 4, 1, 2, cudaBoundaryModeZero);
    short2 p = surf2DLayeredread<short2>(layered, (x & 7) * 4, 1, 1, cudaBoundaryModeTrap);
    out[threadIdx.x + 64] = p.x + 100 * p.y;
}

static void outside()
{
    cudaArray_t a, b;
    cudaChannelFormatDesc one = cudaCreateChannelDesc<int>(), two = cudaCreateChannelDesc<short2>();
    std::vector<int> v(W * H), got(W * H);
    std::vector<short2> pairs(W * H * LAYERS), after(W * H * LAYERS);
    for (int k = 0; k < W * H; k++) v[k] = draw(1 << 20);
    for (auto &p : pairs) p = make_short2(draw(50), draw(50));
    MUST(cudaMallocArray(&a, &one, W, H, cudaArraySurfaceLoadStore));
    MUST(cudaMalloc3DArray(&b, &two, make_cudaExtent(W, H, LAYERS), cudaArraySurfaceLoadStore | cudaArrayLayered));
    MUST(cudaMemcpy2DToArray(a, 0, 0, v.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(pairs.data(), W * 4, W, H), copy.dstArray = b;
    copy.extent = make_cudaExtent(W, H, LAYERS), copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    int *out = shared_array<int>(96);
    edges<<<1, 32>>>(surface(a), surface(b), out);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < 32; k++) {
        int x = k - 4;
        CHECK(out[k] == (x >= 0 && x < W ? v[x + W] : 0));
        CHECK(out[k + 32] == v[clamp(x, W)]);
        short2 p = pairs[(x & 7) + W * (1 + H)];
        CHECK(out[k + 64] == p.x + 100 * p.y);
    }
    MUST(cudaMemcpy2DFromArray(got.data(), W * 4, a, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
    for (int x = 0; x < W; x++) v[x + 2 * W] = 1000 + x;
    CHECK(got == v);
    cudaMemcpy3DParms back = {};
    back.dstPtr = make_cudaPitchedPtr(after.data(), W * 4, W, H), back.srcArray = b;
    back.extent = copy.extent, back.kind = cudaMemcpyDeviceToHost;
    MUST(cudaMemcpy3D(&back));
    for (int x = 0; x < W; x++) pairs[x + W * (1 + H * 2)] = make_short2(x, -x);
    for (int k = 0; k < W * H * LAYERS; k++) CHECK(after[k].x == pairs[k].x && after[k].y == pairs[k].y);
    cudaSurfaceObject_t s;
    cudaResourceDesc r = {};
    cudaArray_t plain;
    MUST(cudaMallocArray(&plain, &one, W, H));
    r.resType = cudaResourceTypeArray, r.res.array.array = plain;
    CHECK(cudaCreateSurfaceObject(&s, &r) == cudaErrorInvalidValue);  // it wasn't made for surfaces
}

int main()
{
    volumes(), layers(), cubes(), levels(), outside();
    return verdict();
}
