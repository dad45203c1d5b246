// linker.c: modules made one by the program's wish (src/link). What comes out is an object of ours, which the program
// may keep and load in another process.
#include "libcuda/unit.h"

#include "driver/fatbin.h"
#include "link/link.h"

#include <pthread.h>
#include <string.h>

typedef enum Input { CUBIN, PTX, FATBIN, OBJECT, LIBRARY } Input;  // CUjitInputType
typedef struct State {
    struct State *self;  // the key
    Link *link;
    Jit jit;
    Text object;
    UT_hash_handle hh;
} State;
static struct {
    pthread_mutex_t lock;
    State *all;
} states = {.lock = PTHREAD_MUTEX_INITIALIZER};

static State *find(const void *handle)
{
    State *s;
    pthread_mutex_lock(&states.lock);
    HASH_FIND_PTR(states.all, &handle, s);
    pthread_mutex_unlock(&states.lock);
    return s;
}

CUresult cuLinkCreate_v2(unsigned n, int *options, void **values, void **out)
{
    Jit jit;
    CONTEXT();
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = jit_read(n, options, values, &jit);
    if (result != CUDA_SUCCESS) return result;
    State *s = mem_alloc(sizeof *s);
    *s = (State){.self = s, .link = link_new(), .jit = jit};
    pthread_mutex_lock(&states.lock);
    HASH_ADD_PTR(states.all, self, s);
    pthread_mutex_unlock(&states.lock);
    *out = s;
    return CUDA_SUCCESS;
}

CUresult cuLinkCreate(unsigned n, int *options, void **values, void **out)
{
    return cuLinkCreate_v2(n, options, values, out);
}

static CUresult refuse(const State *s, CUresult result, const Diag *why)
{
    jit_refuse(&s->jit, "modules can't be linked", why->text.v);
    return result;
}

// CUDA's own library of what kernels may call to launch others is built in.
static bool is_built_in(const char *name) { return name && strstr(name, "libcudadevrt"); }

static CUresult add(const State *s, int type, const void *data, size_t bytes, const char *name)
{
    Text ptx = {0};
    Diag why = {0};
    CUresult result = CUDA_SUCCESS;
    if (type < CUBIN || type > LIBRARY) return CUDA_ERROR_INVALID_VALUE;
    if (type == LIBRARY) {
        if (is_built_in(name)) return CUDA_SUCCESS;
        diag_error(&why, "%s: libraries of objects aren't linked", name ? name : "a library");
        result = refuse(s, CUDA_ERROR_NOT_SUPPORTED, &why);
    } else if (type == PTX) {
        if (!link_add(s->link, name, data, bytes, &why)) result = refuse(s, CUDA_ERROR_INVALID_PTX, &why);
    } else if (!image_ptx(data, &ptx, &why)) {
        result = refuse(s, CUDA_ERROR_NO_BINARY_FOR_GPU, &why);
    } else if (!link_add(s->link, name, ptx.v, ptx.n, &why)) {
        result = refuse(s, CUDA_ERROR_INVALID_PTX, &why);
    }
    text_free(&ptx), diag_free(&why);
    return result;
}

CUresult cuLinkAddData_v2(void *state, int type, void *data, size_t bytes, const char *name, unsigned n, int *options,
                          void **values)
{
    Jit jit;  // of this input alone: the most registers, which the whole has
    State *s = find(state);
    CONTEXT();
    if (!s) return CUDA_ERROR_INVALID_HANDLE;
    if (!data || !bytes) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = jit_read(n, options, values, &jit);
    if (result == CUDA_SUCCESS && jit.registers) s->jit.registers = jit.registers;
    return result == CUDA_SUCCESS ? add(s, type, data, bytes, name) : result;
}

CUresult cuLinkAddData(void *state, int type, void *data, size_t bytes, const char *name, unsigned n, int *options,
                       void **values)
{
    return cuLinkAddData_v2(state, type, data, bytes, name, n, options, values);
}

CUresult cuLinkAddFile_v2(void *state, int type, const char *path, unsigned n, int *options, void **values)
{
    Text file = {0};
    if (!path) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = text_read_file(&file, path) ? CUDA_SUCCESS : CUDA_ERROR_FILE_NOT_FOUND;
    if (result == CUDA_SUCCESS) result = cuLinkAddData_v2(state, type, file.v, file.n, path, n, options, values);
    text_free(&file);
    return result;
}

CUresult cuLinkAddFile(void *state, int type, const char *path, unsigned n, int *options, void **values)
{
    return cuLinkAddFile_v2(state, type, path, n, options, values);
}

CUresult cuLinkComplete(void *state, void **out, size_t *bytes)
{
    Text ptx = {0}, warnings = {0};
    Diag why = {0};
    State *s = find(state);
    CONTEXT();
    if (!s) return CUDA_ERROR_INVALID_HANDLE;
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_SUCCESS;
    link_bound(s->link, s->jit.registers);
    if (!link_finish(s->link, &ptx, &warnings, &why)) {
        result = refuse(s, CUDA_ERROR_INVALID_IMAGE, &why);
    } else {
        s->object.n = 0;
        object_write(ptx.v, ptx.n, 0, &s->object);
        jit_tell(&s->jit, warnings.v, NULL);
        *out = s->object.v;
        if (bytes) *bytes = s->object.n;
    }
    text_free(&ptx), text_free(&warnings), diag_free(&why);
    return result;
}

CUresult cuLinkDestroy(void *state)
{
    State *s;
    pthread_mutex_lock(&states.lock);
    HASH_FIND_PTR(states.all, &state, s);
    if (s) HASH_DEL(states.all, s);
    pthread_mutex_unlock(&states.lock);
    if (!s) return CUDA_ERROR_INVALID_HANDLE;
    link_free(s->link);
    text_free(&s->object);
    mem_free(s);
    return CUDA_SUCCESS;
}
