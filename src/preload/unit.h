// unit.h: libonchip-sl1.so, the software L1 for an application that knows nothing of it. The library is loaded
// before CUDA's driver, and intercepts the driver's functions that load modules and launch kernels. When a module is
// loaded, it rewrites the PTX. When a kernel is launched, it launches a rewritten kernel.
//
// The application's handles are those of its own kernels: the originals stay in the rewritten module, and only a launch
// exchanges one for another. Whatever fails on our side, the call is made as the application made it. symbols.c
// intercepts the functions, load.c rewrites, handles.c finds kernels by their handles, launch.c launches,
// settings.c reads the environment and writes the log.
#ifndef PRELOAD_UNIT_H
#define PRELOAD_UNIT_H

#include "driver/driver.h"
#include "driver/fatbin.h"
#include "sl1/sl1.h"

#include <pthread.h>
#include <stdlib.h>

#define uthash_malloc(bytes) mem_alloc(bytes)  // never fails; uthash's own would exit()
#define uthash_free(p, bytes) mem_free(p)
#define uthash_fatal(message) abort()
#include <uthash.h>

// --- symbols.c: in front of the driver -------------------------------------------------------------------------------
typedef struct Driver {  // null where this driver lacks a function
#define NONE(name)
#define CALL(name) name##_fn *name;
#define FRONT(name) CALL(name)
#define DRIVER(name, device, preload, parameters) preload(name)
#include "driver/driver.def"
#undef DRIVER
#undef FRONT
#undef CALL
#undef NONE
} Driver;
// The real functions; all null where there is no driver.
const Driver *driver(void);
// Calls the driver's function, or returns the driver's error for a function that it lacks.
#define REAL(name, ...) (driver()->name ? driver()->name(__VA_ARGS__) : CUDA_ERROR_SYMBOL_NOT_FOUND)

// --- handles.c: modules and kernels by their handles -----------------------------------------------------------------
// A module's rewritten text and its kernels. It lives until the last of its handles is unloaded.
typedef struct Image {
    char *name;  // for the log
    Text text;   // of a library, which the driver may go on reading (CU_LIBRARY_BINARY_IS_PRESERVED)
    Sl1Module of;
} Image;
// How the blocks of a launch of one shape share a multiprocessor; the driver is asked once.
typedef struct Shape {
    CUdevice device;
    bool apart;
    uint32_t threads, smem;
    uint64_t blocks;
    Sl1Share share;
} Shape;
typedef struct Kernel {    // a handle of an original kernel that has rewritten ones beside it
    void *handle, *owner;  // CUfunction or CUkernel; the CUmodule or CUlibrary it was asked of
    Image *image;
    const Sl1Kernel *of;
    bool is_kernel;                   // the handle is a CUkernel
    bool library;                     // the owner is a library, and so the rewritten ones' handles are CUkernels
    _Atomic bool clusters;            // the application asks for clusters of blocks
    CUfunction _Atomic rewritten[2];  // of SL1_ALIAS and SL1_APART; null until asked for
    VEC(Shape) shapes;
    uint32_t told;  // which lines of the log were written, a bit each
    UT_hash_handle hh;
} Kernel;
void handles_add_image(void *owner, bool library, Image *image);  // the image becomes theirs
void handles_add_module(CUmodule module, CUlibrary of);           // a library's module in a context
// Forgets the handle; returns the image if it was the last one.
Image *handles_take(void *owner, bool library);
void handles_remove(void *owner, bool library);  // and frees the image
// Tell that the application got this handle: of a kernel of the owner; or, second, of a library's kernel.
void handles_add_kernel(void *handle, void *owner, bool library, const char *name);
void handles_add_function(CUfunction f, CUkernel of);
Kernel *handles_find(void *handle);  // or null
void image_free(Image *image);

// --- settings.c: the environment, and the log ------------------------------------------------------------------------
typedef struct Owner {  // a handle of a module or library whose text was rewritten
    void *handle;
    bool library;
    Image *image;
} Owner;
// Everything that is kept between calls. It is a variable at file scope, since no caller could hold it for us. The lock
// is never held during a call of the driver.
typedef struct Preload {
    pthread_once_t once;  // reads the environment
    Sl1Options options;
    int log;                                       // a file descriptor, or −1
    _Atomic uint32_t loads;                        // modules so far: they are numbered in the log
    void *(*_Atomic dlsym)(void *, const char *);  // the C library's
    Driver *_Atomic driver;
    pthread_mutex_t lock;  // of what follows, and of kernels' shapes and told
    VEC(Owner) owners;
    Kernel *kernels;  // a hash table, by their handles
} Preload;
extern Preload preload;
const Sl1Options *settings(void);
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *error_name(CUresult r);

#endif
