// error.c: the runtime's errors. Each thread has a last one, which stays until it is asked for.
#include "cudart/unit.h"

static _Thread_local cudaError_t last;
static _Thread_local bool hushed, used;
static atomic_bool ever;

cudaError_t noted(cudaError_t error)
{
    if (error && !hushed) last = error;
    return error;
}

void errors_hush(bool on) { hushed = on; }

cudaError_t runtime_ready(void)
{
    if (!hushed) used = true;
    return runtime_begin();
}

cudaError_t runtime_begin(void)
{
    if (!hushed) atomic_store(&ever, true);
    return client_connect();
}

bool runtime_used(void) { return used; }
bool runtime_begun(void) { return atomic_load(&ever); }

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last;
    last = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void) { return last; }

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
#define ERROR(number, name, text) {number, #name, text},
#include "cudart/errors.def"
#undef ERROR
};

static const char *find(cudaError_t error, bool name)
{
    for (size_t k = 0; k < COUNT(errors); k++)
        if (errors[k].number == error) return name ? errors[k].name : errors[k].text;
    return "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t error) { return find(error, true); }
const char *cudaGetErrorString(cudaError_t error) { return find(error, false); }
