// unit.h: libcuda.so.1, NVIDIA's driver as a program finds it that `onchip run` has started. It has the runtime's
// functions inside of it (src/cudart), and its own are mostly these under another name: a stream, an event, an array or
// a kernel of the one is one of the other. What only the driver has stands here: contexts, modules, the linker of PTX.
// Names, values and layouts are those of the CUDA Driver API reference.
//
// Invariant: no handle that a program gives is followed before it was found among those that were given out. There is
// one GPU and one address space; a context is a list of what was made in it, which goes with it.
#ifndef LIBCUDA_UNIT_H
#define LIBCUDA_UNIT_H

#include "cudart/cudart.h"
#include "driver/driver.h"

enum {  // CUresult, beside those of driver.h; others are the runtime's, of the same numbers
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_UNSUPPORTED_LIMIT = 215,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_FILE_NOT_FOUND = 301,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE = 708,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_NOT_SUPPORTED = 801
};

typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;

// --- init.c ----------------------------------------------------------------------------------------------------------
enum { VERSION = 13000 };  // of CUDA, whose driver this is
bool initialised(void);    // cuInit was called, by the runtime or by the program
CUresult of_runtime(cudaError_t error);
// A call of the runtime's functions: what it returns isn't the runtime's last error, and is a CUresult.
#define ASKED(call) (errors_hush(true), asked_end(call))
CUresult asked_end(cudaError_t error);
CUresult missing(const char *name);  // isn't built: a line says so, once

// --- context.c -------------------------------------------------------------------------------------------------------
// What a context has, and what goes with it.
typedef enum Kind {
    A_MODULE,
    A_STREAM,
    AN_EVENT,
    SOME_MEMORY,
    HOST_MEMORY,
    AN_ARRAY,
    A_MIPMAP,
    A_TEXTURE,
    A_SURFACE,
    A_REFERENCE  // that isn't a module's
} Kind;
CUresult context_ready(void);  // CUDA_SUCCESS: this thread has a current context
#define CONTEXT()                          \
    IN_CALL();                             \
    do {                                   \
        CUresult r_ = context_ready();     \
        if (r_ != CUDA_SUCCESS) return r_; \
    } while (0)
// What frees something needs none: it belongs to the context in which it was made.
#define STARTED() \
    if (!initialised() && !runtime_used()) return CUDA_ERROR_NOT_INITIALIZED
void context_gets(Kind kind, uint64_t handle);  // the current one
void context_loses(Kind kind, uint64_t handle);
CUcontext context_of(Kind kind, uint64_t handle);  // null: none has it

CUresult cuCtxGetCurrent(CUcontext *out);

// --- module.c --------------------------------------------------------------------------------------------------------
void module_end(uint64_t handle);                       // as cuModuleUnload, of whichever context
bool module_number(CUmodule handle, uint64_t *number);  // onchip's; false: there is no such module
// PTX out of what a program hands over: PTX, a fat binary, an object that the linker made. False, and why.
bool image_ptx(const void *image, Text *ptx, Diag *why);

// --- copy.c ----------------------------------------------------------------------------------------------------------
enum { BY_ADDRESS = 4 };                                                              // cudaMemcpyDefault
typedef enum MemoryType { OF_HOST = 1, OF_DEVICE, OF_ARRAY, BY_POINTER } MemoryType;  // CUmemorytype
typedef struct End3D {
    size_t x, y, z, level;
    int type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    void *context;  // of CUDA_MEMCPY3D_PEER; else reserved
    size_t pitch, height;
} End3D;
typedef struct Copy3D {  // CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER
    End3D from, to;
    size_t width, height, depth;
} Copy3D;
// The boxes that a copy is between.
CUresult boxes_of(const Copy3D *c, Box *to, Box *from);

// --- jit.c: options of loading and linking ---------------------------------------------------------------------------
typedef struct Jit {
    char *info, *error;              // the program's buffers; may be null
    size_t info_room, error_room;    // bytes
    void **info_used, **error_used;  // get the bytes that were written, with the null byte
    unsigned registers;              // of a thread, at most; 0: any number
} Jit;
CUresult jit_read(unsigned n, const int *options, void **values, Jit *jit);
void jit_tell(const Jit *jit, const char *info, const char *error);  // either may be null: nothing
// Why what was asked for can't be: the program's log has it, or a line on stderr, since nobody else would say it.
void jit_refuse(const Jit *jit, const char *what, const char *why);

// --- texture.c -------------------------------------------------------------------------------------------------------
// A CUarray_format and a number of channels, as the runtime describes them. False: there are no such texels.
bool channels_of(int format, unsigned channels, ChannelDesc *desc);
int format_of(const ChannelDesc *d, unsigned *channels);  // the other way; 0: none
typedef struct ArrayShape {                               // CUDA_ARRAY_DESCRIPTOR
    size_t width, height;                                 // elements
    int format;
    unsigned channels;
} ArrayShape;
TextureDesc sampling_of(const TextureSampling *s, const Resource *r);  // as the runtime says it

// --- reference.c -----------------------------------------------------------------------------------------------------
void references_end(uint64_t module);  // it is gone, and its references
void reference_end(uint64_t handle);   // as cuTexRefDestroy, of whichever context

// --- process.c -----------------------------------------------------------------------------------------------
// The driver's function that a name stands for in a version of CUDA (12030: 12.3), or its form that uses the thread's
// own stream in place of stream 0, where there is one.
typedef enum Lookup { FOUND, NO_SUCH, TOO_NEW } Lookup;  // CUdriverProcAddressQueryResult
Lookup driver_function(const char *name, int version, bool own_stream, void **function);

// --- memory.c --------------------------------------------------------------------------------------------------------
static inline void *pointer(CUdeviceptr p) { return (void *)(uintptr_t)p; }

#endif
