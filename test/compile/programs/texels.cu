// Textures and surfaces of every type of element: each reads what it was made of, and a surface's bytes come
// back as they were written. Gathers, and surfaces of one and three dimensions, of layers and cubes.
#include "../../programs/check.cuh"

#include <cstring>
#include <type_traits>
#include <vector>

enum { W = 8, H = 4, D = 6 };

template <class T> __global__ void fetch(cudaTextureObject_t t, T *out)
{
    const int x = threadIdx.x, y = threadIdx.y;
    T other;
    tex2D(&other, t, x + 0.5f, y + 0.5f);
    out[y * W + x] = x & 1 ? other : tex2D<T>(t, x + 0.5f, y + 0.5f);
}
template <class T> __global__ void copy(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    const int x = threadIdx.x * (int)sizeof(T), y = threadIdx.y;
    T other;
    surf2Dread(&other, from, x, y);
    surf2Dwrite(threadIdx.x & 1 ? other : surf2Dread<T>(from, x, y, cudaBoundaryModeZero), to, x, y);
}
__global__ void gather(cudaTextureObject_t t, float4 *out)
{
    const float x = (float)threadIdx.x + 1, y = (float)threadIdx.y + 1;
    for (int c = 0; c < 4; c++) out[(threadIdx.y * W + threadIdx.x) * 4 + c] = tex2Dgather<float4>(t, x, y, c);
}
template <class T> __global__ void line(cudaTextureObject_t t, T *out)
{
    out[threadIdx.x] = tex1Dfetch<T>(t, threadIdx.x);
}
__global__ void shares(cudaTextureObject_t t, float4 *out) { out[threadIdx.x] = tex1Dfetch<float4>(t, threadIdx.x); }

static cudaSurfaceObject_t surface(cudaArray_t array)
{
    cudaSurfaceObject_t s;
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = array;
    MUST(cudaCreateSurfaceObject(&s, &r));
    return s;
}
static cudaTextureObject_t texture(const cudaResourceDesc &r, cudaTextureReadMode mode)
{
    cudaTextureObject_t t;
    cudaTextureDesc d = {};
    for (auto &m : d.addressMode) m = cudaAddressModeClamp;
    d.readMode = mode;
    MUST(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

template <class T> static void of_type()
{
    std::vector<T> v(W * H), back(W * H);
    unsigned char *bytes = (unsigned char *)v.data();
    for (size_t k = 0; k < W * H * sizeof(T); k++) bytes[k] = (unsigned char)(k * 37 + k / 16 * 5);
    if (std::is_same<T, float>::value || std::is_same<T, float2>::value || std::is_same<T, float4>::value)
        for (size_t k = 0; k < W * H * sizeof(T) / 4; k++) ((float *)bytes)[k] = (float)k * -1.5f;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
    cudaArray_t a, b;
    MUST(cudaMallocArray(&a, &desc, W, H, cudaArraySurfaceLoadStore));
    MUST(cudaMallocArray(&b, &desc, W, H, cudaArraySurfaceLoadStore));
    MUST(cudaMemcpy2DToArray(a, 0, 0, v.data(), W * sizeof(T), W * sizeof(T), H, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = a;
    T *out;
    MUST(cudaMallocManaged(&out, W * H * sizeof(T)));
    fetch<T><<<1, dim3(W, H)>>>(texture(r, cudaReadModeElementType), out);
    copy<T><<<1, dim3(W, H)>>>(surface(a), surface(b));
    MUST(cudaDeviceSynchronize());
    CHECK(!std::memcmp(out, v.data(), W * H * sizeof(T)));
    MUST(cudaMemcpy2DFromArray(back.data(), W * sizeof(T), b, 0, 0, W * sizeof(T), H, cudaMemcpyDeviceToHost));
    CHECK(!std::memcmp(back.data(), v.data(), W * H * sizeof(T)));
    MUST(cudaFreeArray(a)), MUST(cudaFreeArray(b));
    T *from;  // and of linear memory
    MUST(cudaMallocManaged(&from, W * H * sizeof(T)));
    std::memcpy(from, v.data(), W * H * sizeof(T));
    r = {};
    r.resType = cudaResourceTypeLinear, r.res.linear.devPtr = from, r.res.linear.desc = desc;
    r.res.linear.sizeInBytes = W * H * sizeof(T);
    line<T><<<1, W * H>>>(texture(r, cudaReadModeElementType), out);
    MUST(cudaDeviceSynchronize());
    CHECK(!std::memcmp(out, v.data(), W * H * sizeof(T)));
}

// Integers read as shares of their largest.
static void normalized()
{
    uchar4 *from = shared_array<uchar4>(32);
    float4 *out = shared_array<float4>(32);
    for (int k = 0; k < 32; k++) from[k] = make_uchar4(k * 8, 255 - k, k, 3 * k);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear, r.res.linear.devPtr = from, r.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    r.res.linear.sizeInBytes = 32 * sizeof *from;
    shares<<<1, 32>>>(texture(r, cudaReadModeNormalizedFloat), out);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < 32; k++)
        CHECK(out[k].x == k * 8 / 255.0f && out[k].y == (255 - k) / 255.0f && out[k].w == 3 * k / 255.0f);
}

// A gather's order: lower left, lower right, upper right, upper left, counter-clockwise with y upward from row to row.
static void gathers()
{
    std::vector<float4> v(W * H);
    for (int k = 0; k < W * H; k++) v[k] = make_float4((float)k, (float)k + 100, (float)k + 200, (float)k + 300);
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float4>();
    cudaArray_t a;
    MUST(cudaMallocArray(&a, &desc, W, H, cudaArrayTextureGather));
    MUST(cudaMemcpy2DToArray(a, 0, 0, v.data(), W * 16, W * 16, H, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = a;
    float4 *out = shared_array<float4>(W * H * 4);
    gather<<<1, dim3(W - 1, H - 1)>>>(texture(r, cudaReadModeElementType), out);
    MUST(cudaDeviceSynchronize());
    for (int y = 0; y < H - 1; y++)
        for (int x = 0; x < W - 1; x++)
            for (int c = 0; c < 4; c++) {
                const float4 g = out[(y * W + x) * 4 + c];
                const float first = (float)(y * W + x + 100 * c);
                CHECK(g.x == first + W && g.y == first + W + 1 && g.z == first + 1 && g.w == first);
            }
}

// --- other shapes of surfaces ----------------------------------------------------------------------------------------
__global__ void shapes(cudaSurfaceObject_t one, cudaSurfaceObject_t three, cudaSurfaceObject_t rows,
                       cudaSurfaceObject_t cube, int *bad)
{
    const int x = threadIdx.x, at = x * 4;
    surf1Dwrite(x * x, one, at);
    surf1Dwrite(99, one, -4, cudaBoundaryModeZero);
    for (int z = 0; z < D; z++) surf3Dwrite(x + 10 * z, three, at, 1, z);
    for (int l = 0; l < D; l++) surf1DLayeredwrite(x - 7 * l, rows, at, l), surfCubemapwrite(x + 5 * l, cube, at, 2, l);
    __syncthreads();
    const int o = (x + 1) % W;
    bool right = surf1Dread<int>(one, o * 4) == o * o && surf1Dread<int>(one, -40, cudaBoundaryModeClamp) == 0;
    for (int z = 0; z < D; z++) {
        right &= surf3Dread<int>(three, o * 4, 1, z) == o + 10 * z;
        right &= surf1DLayeredread<int>(rows, o * 4, z) == o - 7 * z;
        right &= surfCubemapread<int>(cube, o * 4, 2, z) == o + 5 * z;
    }
    if (!right) atomicAdd(bad, 1);
}
static void other_shapes()
{
    cudaArray_t one, three, rows, cube;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
    int *bad = shared_array<int>(1);
    MUST(cudaMallocArray(&one, &desc, W, 0, cudaArraySurfaceLoadStore));
    MUST(cudaMalloc3DArray(&three, &desc, make_cudaExtent(W, H, D), cudaArraySurfaceLoadStore));
    MUST(cudaMalloc3DArray(&rows, &desc, make_cudaExtent(W, 0, D), cudaArraySurfaceLoadStore | cudaArrayLayered));
    MUST(cudaMalloc3DArray(&cube, &desc, make_cudaExtent(W, W, 6), cudaArraySurfaceLoadStore | cudaArrayCubemap));
    shapes<<<1, W>>>(surface(one), surface(three), surface(rows), surface(cube), bad);
    MUST(cudaDeviceSynchronize());
    CHECK(*bad == 0);
}

int main()
{
    of_type<char>(), of_type<signed char>(), of_type<char1>(), of_type<char2>(), of_type<char4>();
    of_type<unsigned char>(), of_type<uchar1>(), of_type<uchar2>(), of_type<uchar4>();
    of_type<short>(), of_type<short1>(), of_type<short2>(), of_type<short4>();
    of_type<unsigned short>(), of_type<ushort1>(), of_type<ushort2>(), of_type<ushort4>();
    of_type<int>(), of_type<int1>(), of_type<int2>(), of_type<int4>();
    of_type<unsigned>(), of_type<uint1>(), of_type<uint2>(), of_type<uint4>();
    of_type<float>(), of_type<float1>(), of_type<float2>(), of_type<float4>();
    normalized(), gathers(), other_shapes();
    return verdict();
}
