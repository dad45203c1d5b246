// stream.h: programs whose input is larger than the GPU's memory. Here is what only the files that run them share: a
// count of the copied bytes, the CPU's stage of BigKernel, and the parameters of the measurement `bigkernel`.
#ifndef WORK_STREAM_H
#define WORK_STREAM_H

#include "work/programs.h"

// --- work.c ----------------------------------------------------------------------------------------------------------
uint64_t work_moved(const Work *work, bool to_device);  // bytes copied so far
void work_good(Work *work, oc_status status);           // fails with the device's error unless it is OC_OK

// --- assemble.c ------------------------------------------------------------------------------------------------------
// Each of a chunk's threads has a list of the bytes that it will read. A list's first word is the byte of the chunk at
// which it begins. Each further word is a run: how many bytes to skip (upper 16 bits), then how many to take. A word 0
// ends it. The lists are interleaved: word w of thread t's list is lists[w · threads + t]; threads is a multiple of 32.
// The bytes in the lists are assembled into a feed (assemble.c says how it is laid out), which begins with a head.
size_t assemble_head(uint32_t threads);  // bytes of a head
// Makes the head and returns how many bytes the feed will have. unit: StreamChunk.unit. crew null: this thread alone.
size_t assemble_measure(Crew *crew, const uint32_t *lists, uint32_t threads, uint32_t unit, uint32_t *head);
// Writes the feed: head, as assemble_measure made it, and the listed bytes of chunk.
void assemble(Crew *crew, const uint32_t *lists, uint32_t threads, uint32_t unit, const uint8_t *chunk, uint32_t *head,
              uint8_t *feed);

// --- measure_stream.c ------------------------------------------------------------------------------------------------
// The measurement `bigkernel` runs a program in a scenario. The places of its parameters in params:
enum {
    STREAM_APP,
    STREAM_SCENARIO,
    STREAM_BYTES,
    STREAM_CHUNK,
    STREAM_BLOCKS,
    STREAM_THREADS,
    STREAM_BUFFERS,
    STREAM_UNIT,
    STREAM_THRESHOLD
};
bool measure_bigkernel(oc_device *device, const double *params, Findings *found, Diag *diag);

#endif
