// wrapper.cpp: classes over the driver's functions, in the manner of a binding for another language: errors become
// exceptions, handles are let go by destructors, and modules are linked and loaded with lists of options.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cudaProfiler.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

class error : public std::runtime_error
{
  public:
    const CUresult code;
    error(const char *routine, CUresult code_) : std::runtime_error(text(routine, code_)), code(code_) {}

  private:
    static std::string text(const char *routine, CUresult code)
    {
        const char *what = nullptr;
        cuGetErrorString(code, &what);
        return std::string(routine) + " failed: " + (what ? what : "unknown");
    }
};
#define GUARDED(routine, arguments)                                  \
    do {                                                             \
        const CUresult status_ = routine arguments;                  \
        if (status_ != CUDA_SUCCESS) throw error(#routine, status_); \
    } while (0)
#define CLEANUP(routine, arguments)                                                               \
    do {                                                                                          \
        if (routine arguments != CUDA_SUCCESS) std::fprintf(stderr, "%s in cleanup\n", #routine); \
    } while (0)

class context
{
    CUcontext handle;

  public:
    explicit context(CUdevice device) { GUARDED(cuCtxCreate, (&handle, CU_CTX_SCHED_AUTO | CU_CTX_MAP_HOST, device)); }
    context(const context &) = delete;
    ~context() { CLEANUP(cuCtxDestroy, (handle)); }
};

// Options, with their values in the place of pointers.
class jit_options
{
    std::vector<CUjit_option> names;
    std::vector<void *> values;
    char info[1024] = "", errors[1024] = "";

  public:
    jit_options()
    {
        add(CU_JIT_INFO_LOG_BUFFER, info);
        add(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, reinterpret_cast<void *>(sizeof info));
        add(CU_JIT_ERROR_LOG_BUFFER, errors);
        add(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, reinterpret_cast<void *>(sizeof errors));
    }
    jit_options(const jit_options &) = delete;
    void add(CUjit_option name, void *value) { names.push_back(name), values.push_back(value); }
    unsigned count() const { return static_cast<unsigned>(names.size()); }
    CUjit_option *list() { return names.data(); }
    void **list_of_values() { return values.data(); }
    std::string log() const { return errors; }
};

class module
{
    CUmodule handle;

  public:
    module(const void *image, jit_options &options)
    {
        GUARDED(cuModuleLoadDataEx, (&handle, image, options.count(), options.list(), options.list_of_values()));
    }
    module(const module &) = delete;
    ~module() { CLEANUP(cuModuleUnload, (handle)); }
    CUfunction function(const char *name) const
    {
        CUfunction found;
        GUARDED(cuModuleGetFunction, (&found, handle, name));
        return found;
    }
    std::pair<CUdeviceptr, size_t> global(const char *name) const
    {
        std::pair<CUdeviceptr, size_t> found;
        GUARDED(cuModuleGetGlobal, (&found.first, &found.second, handle, name));
        return found;
    }
};

class linker
{
    CUlinkState state;
    jit_options options;

  public:
    linker() { GUARDED(cuLinkCreate, (options.count(), options.list(), options.list_of_values(), &state)); }
    ~linker() { CLEANUP(cuLinkDestroy, (state)); }
    void add(std::string ptx, const char *name)
    {
        GUARDED(cuLinkAddData, (state, CU_JIT_INPUT_PTX, &ptx[0], ptx.size() + 1, name, 0, nullptr, nullptr));
    }
    std::unique_ptr<module> link()
    {
        void *image;
        size_t size;
        jit_options load;
        load.add(CU_JIT_MAX_REGISTERS, reinterpret_cast<void *>(32));
        GUARDED(cuLinkComplete, (state, &image, &size));
        return std::make_unique<module>(image, load);
    }
    std::string log() const { return options.log(); }
};

class memory
{
  public:
    CUdeviceptr at = 0;
    explicit memory(size_t bytes) { GUARDED(cuMemAlloc, (&at, bytes)); }
    memory(const memory &) = delete;
    ~memory() { CLEANUP(cuMemFree, (at)); }
};

// What a binding gives as a structure with more methods than the driver's.
struct copy_2d : CUDA_MEMCPY2D {
    copy_2d() { std::memset(static_cast<CUDA_MEMCPY2D *>(this), 0, sizeof(CUDA_MEMCPY2D)); }
    void from(const void *host, size_t pitch) { srcMemoryType = CU_MEMORYTYPE_HOST, srcHost = host, srcPitch = pitch; }
    void to(CUarray array) { dstMemoryType = CU_MEMORYTYPE_ARRAY, dstArray = array; }
    void operator()(size_t width, size_t height)
    {
        WidthInBytes = width, Height = height;
        GUARDED(cuMemcpy2D, (this));
    }
};

#define HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"
static const char caller[] =
    HEAD ".extern .func (.param .u32 r) scaled(.param .u32 n);\n.visible .global .u32 factor = 6;\n"
         ".visible .entry all(.param .u64 to) { .reg .u64 %d, %o; .reg .u32 %r, %t; .param .u32 p, q;\n"
         "mov.u32 %t, %tid.x; st.param.u32 [p], %t; call (q), scaled, (p); ld.param.u32 %r, [q];\n"
         "ld.param.u64 %d, [to]; mul.wide.u32 %o, %t, 4; add.u64 %d, %d, %o; st.global.u32 [%d], %r; ret; }\n";
static const char callee[] = HEAD ".extern .global .u32 factor;\n"
                                  ".visible .func (.param .u32 r) scaled(.param .u32 n) { .reg .u32 %r, %f;\n"
                                  "ld.param.u32 %r, [n]; ld.global.u32 %f, [factor]; mul.lo.u32 %r, %r, %f;\n"
                                  "st.param.u32 [r], %r; ret; }\n";

static int wrong;
#define THAT(condition) \
    if (!(condition)) std::printf("line %d: not %s\n", __LINE__, #condition), wrong++

static void scales()
{
    enum { THREADS = 32 };
    linker link;
    link.add(caller, "caller");
    try {
        link.link();
        THAT(!"linked without a function");
    } catch (const error &e) {
        THAT(e.code == CUDA_ERROR_INVALID_IMAGE && link.log().find("scaled") != std::string::npos);
        THAT(std::string(e.what()).find("cuLinkComplete failed: ") == 0);
    }
    link.add(callee, "callee");
    const std::unique_ptr<module> linked = link.link();
    const CUfunction all = linked->function("all");
    int registers;
    GUARDED(cuFuncGetAttribute, (&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, all));
    THAT(registers > 0 && registers <= 32);
    const auto [factor, bytes] = linked->global("factor");
    THAT(bytes == 4);
    GUARDED(cuMemsetD32, (factor, 7, 1));
    memory out(THREADS * sizeof(int));
    CUstream stream;
    CUevent from, to;
    float milliseconds = -1;
    int got[THREADS], called = 0;
    GUARDED(cuStreamCreate, (&stream, CU_STREAM_NON_BLOCKING));
    GUARDED(cuEventCreate, (&from, CU_EVENT_DEFAULT));
    GUARDED(cuEventCreate, (&to, CU_EVENT_BLOCKING_SYNC));
    GUARDED(cuEventRecord, (from, stream));
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY, attribute.value.priority = 0;
    CUlaunchConfig config = {};
    config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = THREADS, config.hStream = stream, config.attrs = &attribute, config.numAttrs = 1;
    void *params[] = {&out.at};
    GUARDED(cuLaunchKernelEx, (&config, all, params, nullptr));
    GUARDED(cuEventRecord, (to, stream));
    GUARDED(cuLaunchHostFunc, (
                                  stream, [](void *user) { ++*static_cast<int *>(user); }, &called));
    GUARDED(cuMemcpyDtoHAsync, (got, out.at, sizeof got, stream));
    GUARDED(cuStreamSynchronize, (stream));
    GUARDED(cuEventElapsedTime, (&milliseconds, from, to));
    THAT(milliseconds >= 0 && called == 1);
    for (int i = 0; i < THREADS; i++) THAT(got[i] == 7 * i);
    CLEANUP(cuEventDestroy, (to));
    CLEANUP(cuEventDestroy, (from));
    CLEANUP(cuStreamDestroy, (stream));
}

static void arrays()
{
    const float texels[3][5] = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}, {11, 12, 13, 14, 15}};
    float back[2] = {};
    CUDA_ARRAY3D_DESCRIPTOR shape = {}, same = {};
    shape.Width = 4, shape.Height = 3, shape.Format = CU_AD_FORMAT_FLOAT, shape.NumChannels = 1;
    shape.Flags = CUDA_ARRAY3D_SURFACE_LDST;
    CUarray array;
    GUARDED(cuArray3DCreate, (&array, &shape));
    GUARDED(cuArray3DGetDescriptor, (&same, array));
    THAT(same.Width == 4 && same.Height == 3 && same.Depth == 0 && same.Format == CU_AD_FORMAT_FLOAT);
    THAT(same.NumChannels == 1 && same.Flags == CUDA_ARRAY3D_SURFACE_LDST);
    copy_2d copy;
    copy.from(texels, sizeof texels[0]);
    copy.srcXInBytes = sizeof(float);
    copy.to(array);
    copy(4 * sizeof(float), 3);
    GUARDED(cuMemcpyAtoH, (back, array, 2 * sizeof(float), sizeof back));
    THAT(back[0] == 4 && back[1] == 5);
    CUDA_RESOURCE_DESC resource = {};
    CUDA_TEXTURE_DESC how = {}, read = {};
    CUtexObject texture;
    resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = array;
    how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP, how.filterMode = CU_TR_FILTER_MODE_LINEAR;
    how.flags = CU_TRSF_NORMALIZED_COORDINATES, how.borderColor[3] = 0.25f;
    GUARDED(cuTexObjectCreate, (&texture, &resource, &how, nullptr));
    GUARDED(cuTexObjectGetTextureDesc, (&read, texture));
    THAT(read.filterMode == CU_TR_FILTER_MODE_LINEAR && read.addressMode[1] == CU_TR_ADDRESS_MODE_CLAMP);
    THAT(read.flags == CU_TRSF_NORMALIZED_COORDINATES && read.borderColor[3] == 0.25f);
    CLEANUP(cuTexObjectDestroy, (texture));
    CLEANUP(cuArrayDestroy, (array));
}

// What isn't there yet compiles, and is an error that can be caught.
static void missing()
{
    CUexternalMemory external;
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle = {};
    handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, handle.handle.fd = -1, handle.size = 4096;
    try {
        GUARDED(cuImportExternalMemory, (&external, &handle));
        THAT(!"imported");
    } catch (const error &e) {
        THAT(e.code == CUDA_ERROR_NOT_SUPPORTED);
    }
}

int main()
{
    try {
        CUdevice device;
        GUARDED(cuInit, (0));
        GUARDED(cuDeviceGet, (&device, 0));
        context own(device);
        GUARDED(cuProfilerStart, ());
        scales();
        arrays();
        missing();
    } catch (const std::exception &e) {
        std::printf("%s\n", e.what());
        return 1;
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
