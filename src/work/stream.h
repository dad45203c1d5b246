// stream.h: what the files share that run a program whose input is larger than the GPU's memory: copies that are
// counted, lists of what a chunk's threads read, and the parameters of the measurement over it.
#ifndef WORK_STREAM_H
#define WORK_STREAM_H

#include "work/programs.h"

// --- work.c ----------------------------------------------------------------------------------------------------------
uint64_t work_moved(const Work *work, bool to_device);  // bytes copied so far
void work_good(Work *work, oc_status status);           // fails with the device's error unless it is OC_OK

// --- assemble.c ------------------------------------------------------------------------------------------------------
// Of lists of what threads read of a chunk: a thread's is every threads-th word, where it begins, then pairs of bytes
// to skip (high half) and to take, then 0. measure gives the bytes of what will be assembled, and its head; crew may be
// null.
size_t assemble_head(uint32_t threads);  // bytes
size_t assemble_measure(Crew *crew, const uint32_t *lists, uint32_t threads, uint32_t unit, uint32_t *head);
void assemble(Crew *crew, const uint32_t *lists, uint32_t threads, uint32_t unit, const uint8_t *chunk, uint32_t *head,
              uint8_t *feed);

// --- measure_stream.c ------------------------------------------------------------------------------------------------
// A program in a scenario of stream.c. Its parameters' places:
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
