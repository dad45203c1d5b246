// onchip/cu_modules.h: modules, libraries, the linker, and what a kernel is and may.
#ifndef ONCHIP_CU_MODULES_H
#define ONCHIP_CU_MODULES_H

#ifdef __cplusplus
extern "C" {
#endif

// --- options of loading and linking ----------------------------------------------------------------------------------
typedef enum CUjit_option_enum {
    CU_JIT_MAX_REGISTERS = 0,
    CU_JIT_THREADS_PER_BLOCK,
    CU_JIT_WALL_TIME,
    CU_JIT_INFO_LOG_BUFFER,
    CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
    CU_JIT_ERROR_LOG_BUFFER,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    CU_JIT_OPTIMIZATION_LEVEL,
    CU_JIT_TARGET_FROM_CUCONTEXT,
    CU_JIT_TARGET,
    CU_JIT_FALLBACK_STRATEGY,
    CU_JIT_GENERATE_DEBUG_INFO,
    CU_JIT_LOG_VERBOSE,
    CU_JIT_GENERATE_LINE_INFO,
    CU_JIT_CACHE_MODE,
    CU_JIT_NEW_SM3X_OPT,
    CU_JIT_FAST_COMPILE,
    CU_JIT_GLOBAL_SYMBOL_NAMES,
    CU_JIT_GLOBAL_SYMBOL_ADDRESSES,
    CU_JIT_GLOBAL_SYMBOL_COUNT,
    CU_JIT_LTO,
    CU_JIT_FTZ,
    CU_JIT_PREC_DIV,
    CU_JIT_PREC_SQRT,
    CU_JIT_FMA,
    CU_JIT_REFERENCED_KERNEL_NAMES,
    CU_JIT_REFERENCED_KERNEL_COUNT,
    CU_JIT_REFERENCED_VARIABLE_NAMES,
    CU_JIT_REFERENCED_VARIABLE_COUNT,
    CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES,
    CU_JIT_POSITION_INDEPENDENT_CODE,
    CU_JIT_MIN_CTA_PER_SM,
    CU_JIT_MAX_THREADS_PER_BLOCK,
    CU_JIT_OVERRIDE_DIRECTIVE_VALUES,
    CU_JIT_NUM_OPTIONS
} CUjit_option;
#define CU_COMPUTE_ACCELERATED_TARGET_BASE 0x10000
typedef enum CUjit_target_enum {
    CU_TARGET_COMPUTE_30 = 30,
    CU_TARGET_COMPUTE_32 = 32,
    CU_TARGET_COMPUTE_35 = 35,
    CU_TARGET_COMPUTE_37 = 37,
    CU_TARGET_COMPUTE_50 = 50,
    CU_TARGET_COMPUTE_52 = 52,
    CU_TARGET_COMPUTE_53 = 53,
    CU_TARGET_COMPUTE_60 = 60,
    CU_TARGET_COMPUTE_61 = 61,
    CU_TARGET_COMPUTE_62 = 62,
    CU_TARGET_COMPUTE_70 = 70,
    CU_TARGET_COMPUTE_72 = 72,
    CU_TARGET_COMPUTE_75 = 75,
    CU_TARGET_COMPUTE_80 = 80,
    CU_TARGET_COMPUTE_86 = 86,
    CU_TARGET_COMPUTE_87 = 87,
    CU_TARGET_COMPUTE_89 = 89,
    CU_TARGET_COMPUTE_90 = 90,
    CU_TARGET_COMPUTE_90A = CU_COMPUTE_ACCELERATED_TARGET_BASE + CU_TARGET_COMPUTE_90
} CUjit_target;
typedef enum CUjit_fallback_enum { CU_PREFER_PTX, CU_PREFER_BINARY } CUjit_fallback;
typedef enum CUjit_cacheMode_enum {
    CU_JIT_CACHE_OPTION_NONE,
    CU_JIT_CACHE_OPTION_CG,
    CU_JIT_CACHE_OPTION_CA
} CUjit_cacheMode;
typedef enum CUjitInputType_enum {
    CU_JIT_INPUT_CUBIN,
    CU_JIT_INPUT_PTX,
    CU_JIT_INPUT_FATBINARY,
    CU_JIT_INPUT_OBJECT,
    CU_JIT_INPUT_LIBRARY,
    CU_JIT_INPUT_NVVM,
    CU_JIT_NUM_INPUT_TYPES
} CUjitInputType;

// --- modules ---------------------------------------------------------------------------------------------------------
typedef enum CUmoduleLoadingMode_enum { CU_MODULE_EAGER_LOADING = 1, CU_MODULE_LAZY_LOADING = 2 } CUmoduleLoadingMode;
CUresult cuModuleLoad(CUmodule *module, const char *path);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values);
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image);
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module);
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned room, CUmodule module);
CUresult cuModuleGetGlobal(CUdeviceptr *at, size_t *bytes, CUmodule module, const char *name);
CUresult cuModuleGetTexRef(CUtexref *texture, CUmodule module, const char *name);
CUresult cuModuleGetSurfRef(CUsurfref *surface, CUmodule module, const char *name);

// --- libraries -------------------------------------------------------------------------------------------------------
typedef enum CUlibraryOption_enum {
    CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE,
    CU_LIBRARY_BINARY_IS_PRESERVED,
    CU_LIBRARY_NUM_OPTIONS
} CUlibraryOption;
CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *jit_options, void **jit_values,
                           unsigned jit_count, CUlibraryOption *options, void **values, unsigned count);
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit_options, void **jit_values,
                               unsigned jit_count, CUlibraryOption *options, void **values, unsigned count);
CUresult cuLibraryUnload(CUlibrary library);
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library);
CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned room, CUlibrary library);
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library);
CUresult cuLibraryGetGlobal(CUdeviceptr *at, size_t *bytes, CUlibrary library, const char *name);
CUresult cuLibraryGetManaged(CUdeviceptr *at, size_t *bytes, CUlibrary library, const char *name);
CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary library, const char *name);

// --- linking ---------------------------------------------------------------------------------------------------------
CUresult cuLinkCreate(unsigned count, CUjit_option *options, void **values, CUlinkState *state);
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
                       unsigned count, CUjit_option *options, void **values);
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned count, CUjit_option *options,
                       void **values);
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes);
CUresult cuLinkDestroy(CUlinkState state);

// --- kernels ---------------------------------------------------------------------------------------------------------
typedef enum CUfunction_attribute_enum {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_NUM_REGS,
    CU_FUNC_ATTRIBUTE_PTX_VERSION,
    CU_FUNC_ATTRIBUTE_BINARY_VERSION,
    CU_FUNC_ATTRIBUTE_CACHE_MODE_CA,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
    CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
    CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
    CU_FUNC_ATTRIBUTE_MAX
} CUfunction_attribute;
typedef enum CUshared_carveout_enum {
    CU_SHAREDMEM_CARVEOUT_DEFAULT = -1,
    CU_SHAREDMEM_CARVEOUT_MAX_L1 = 0,
    CU_SHAREDMEM_CARVEOUT_MAX_SHARED = 100
} CUshared_carveout;
typedef enum CUfunctionLoadingState_enum {
    CU_FUNCTION_LOADING_STATE_UNLOADED,
    CU_FUNCTION_LOADING_STATE_LOADED,
    CU_FUNCTION_LOADING_STATE_MAX
} CUfunctionLoadingState;
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function);
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config);
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config);
CUresult cuFuncGetModule(CUmodule *module, CUfunction function);
CUresult cuFuncGetName(const char **name, CUfunction function);
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes);
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function);
CUresult cuFuncLoad(CUfunction function);
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device);
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device);
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device);
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel);
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel);
CUresult cuKernelGetName(const char **name, CUkernel kernel);
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
