// shares.c: events and values of two processes of a program. Run without arguments it starts itself again, with the
// handles that it gives. Errors are those of the CUDA Driver API reference.
#include "wants.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int R;
typedef uint64_t P;  // CUdeviceptr
typedef struct Thing *H;
typedef struct Handle {  // CUipcMemHandle, CUipcEventHandle
    unsigned char room[64];
} Handle;
R cuInit(unsigned);
R cuCtxCreate_v2(H *, unsigned, int);
R cuDeviceGetAttribute(int *, int, int);
R cuMemAlloc_v2(P *, size_t);
R cuMemHostAlloc(void **, size_t, unsigned);
R cuMemsetD8_v2(P, unsigned char, size_t);
R cuMemcpyHtoDAsync_v2(P, const void *, size_t, H);
R cuMemcpyDtoH_v2(void *, P, size_t);
R cuStreamCreate(H *, unsigned);
R cuStreamSynchronize(H);
R cuStreamWaitEvent(H, H, unsigned);
R cuStreamWaitValue32_v2(H, P, uint32_t, unsigned);
R cuStreamWriteValue32_v2(H, P, uint32_t, unsigned);
R cuEventCreate(H *, unsigned);
R cuEventDestroy_v2(H);
R cuEventRecord(H, H);
R cuEventQuery(H);
R cuEventSynchronize(H);
R cuEventElapsedTime(float *, H, H);
R cuIpcGetMemHandle(Handle *, P);
R cuIpcOpenMemHandle_v2(P *, Handle, unsigned);
R cuIpcGetEventHandle(Handle *, H);
R cuIpcOpenEventHandle(H *, Handle);

enum { INVALID_VALUE = 1, INVALID_CONTEXT = 201, INVALID_HANDLE = 400 };
enum { NO_TIMING = 2, INTERPROCESS = 4 };  // CU_EVENT_*
enum { BYTES = 32 << 20 };                 // which take more than 0.4 ms over any link of 64 GB/s
static H context, stream;

static void to_hex(char *to, const Handle *h)
{
    for (size_t k = 0; k < sizeof h->room; k++) sprintf(to + 2 * k, "%02x", h->room[k]);
}

static Handle of_hex(const char *hex)
{
    Handle h = {0};
    unsigned byte;
    for (size_t k = 0; k < sizeof h.room && sscanf(hex + 2 * k, "%2x", &byte) == 1; k++)
        h.room[k] = (unsigned char)byte;
    return h;
}

// The stream has a long copy, and behind it the event. The other process is in time behind both.
static void gives(const char *self)
{
    char command[600], event_hex[200], memory_hex[200];
    Handle event_handle, memory_handle;
    H event, own, none;
    P memory;
    void *host;
    int value;
    OK(cuDeviceGetAttribute(&value, 125, 0));  // CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED
    THAT(value == 1);
    WANT(INVALID_VALUE, cuEventCreate(&event, INTERPROCESS));
    OK(cuEventCreate(&event, INTERPROCESS | NO_TIMING));
    OK(cuEventCreate(&own, NO_TIMING));
    WANT(INVALID_HANDLE, cuIpcGetEventHandle(&event_handle, own));
    WANT(INVALID_HANDLE, cuIpcGetEventHandle(&event_handle, (H)&own));
    WANT(INVALID_VALUE, cuIpcGetEventHandle(NULL, event));
    OK(cuIpcGetEventHandle(&event_handle, event));
    WANT(INVALID_CONTEXT, cuIpcOpenEventHandle(&none, event_handle));
    WANT(INVALID_VALUE, cuIpcOpenEventHandle(NULL, event_handle));
    OK(cuMemAlloc_v2(&memory, BYTES));
    OK(cuMemHostAlloc(&host, BYTES, 0));
    OK(cuMemsetD8_v2(memory, 0, 64));
    OK(cuIpcGetMemHandle(&memory_handle, memory));
    WANT(INVALID_VALUE, cuIpcOpenEventHandle(&none, memory_handle));
    memset(host, 0, BYTES);
    OK(cuMemcpyHtoDAsync_v2(memory, host, BYTES, stream));
    OK(cuEventRecord(event, stream));
    to_hex(event_hex, &event_handle), to_hex(memory_hex, &memory_handle);
    snprintf(command, sizeof command, "%s %s %s &", self, event_hex, memory_hex);
    THAT(!system(command));
    // The other one writes 1 when it has the event, which then goes here, and 2 at its end.
    OK(cuStreamWaitValue32_v2(stream, memory, 1, 0));
    OK(cuStreamSynchronize(stream));
    OK(cuEventDestroy_v2(event));
    OK(cuStreamWriteValue32_v2(stream, memory + 4, 1, 0));
    OK(cuStreamWaitValue32_v2(stream, memory, 2, 0));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH_v2(&value, memory + 8, 4));
    THAT(value == 77);
}

static float between(H from, H to)
{
    float milliseconds = -1;
    OK(cuEventElapsedTime(&milliseconds, from, to));
    return milliseconds;
}

static void takes(const char *event_hex, const char *memory_hex)
{
    Handle handle = of_hex(event_hex);
    H event, none, at[3];
    P memory;
    float milliseconds;
    OK(cuIpcOpenEventHandle(&event, handle));
    OK(cuIpcOpenMemHandle_v2(&memory, of_hex(memory_hex), 1));
    for (int k = 0; k < 3; k++) OK(cuEventCreate(&at[k], 0));
    OK(cuEventRecord(at[0], stream));
    OK(cuEventRecord(at[1], stream));
    OK(cuStreamWaitEvent(stream, event, 0));
    OK(cuEventRecord(at[2], stream));
    THAT(between(at[0], at[1]) < 0.05f);
    THAT(between(at[0], at[2]) > 0.4f);
    WANT(INVALID_HANDLE, cuEventElapsedTime(&milliseconds, event, event));
    OK(cuStreamWriteValue32_v2(stream, memory, 1, 0));
    OK(cuStreamWaitValue32_v2(stream, memory + 4, 1, 0));
    OK(cuStreamSynchronize(stream));
    // The giver's event is gone, and this one still does.
    OK(cuEventRecord(event, stream));
    OK(cuEventQuery(event));
    OK(cuEventSynchronize(event));
    OK(cuEventDestroy_v2(event));
    WANT(INVALID_HANDLE, cuEventDestroy_v2(event));
    WANT(INVALID_HANDLE, cuIpcOpenEventHandle(&none, handle));  // nobody has it any more
    handle.room[0]++;
    WANT(INVALID_VALUE, cuIpcOpenEventHandle(&none, handle));
    OK(cuStreamWriteValue32_v2(stream, memory + 8, wrong ? 0 : 77, 0));
    OK(cuStreamWriteValue32_v2(stream, memory, 2, 0));  // the giver ends, and then onchip
}

int main(int n, char **words)
{
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuStreamCreate(&stream, 0));
    if (n > 2)
        takes(words[1], words[2]);
    else
        gives(words[0]);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
