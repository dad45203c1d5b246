// cufft_plan.h: a plan of cuFFT.
#ifndef TOOLKIT_CUFFT_PLAN_H
#define TOOLKIT_CUFFT_PLAN_H

#include "toolkit/kernels/cufft/line.h"
#include "toolkit/unit.h"

#include <cufftXt.h>

enum { FFT_RANK = 3 };
// How one side lies in memory, in elements of its type: strides of the dimensions, and of the batch.
typedef struct FftLayout {
    long long stride[FFT_RANK], dist;
} FftLayout;
typedef enum { FFT_ROOTS, FFT_LOW, FFT_HIGH, FFT_CHIRP, FFT_CHIRPED } FftTableKind;
typedef struct FftTable {
    FftTableKind kind;
    long long n;
    CUdeviceptr at;
} FftTable;
typedef struct FftPlan {
    Kernels kernels;
    CUstream stream;
    bool made, own_area;  // own_area: the plan allocates it
    cufftType type;
    int rank;
    long long n[FFT_RANK], batch;
    FftLayout in, out;
    bool usual;  // no layout was given: in place, a real line has the room of its spectrum
    VEC(FftTable) tables;
    CUdeviceptr area;
    size_t area_bytes;
} FftPlan;

// --- cufft_steps.c ---------------------------------------------------------------------------------------------------
// What a plan's transform is made of: launches, one after the other.
typedef VEC(Lines) FftSteps;
typedef struct FftRun {
    CUdeviceptr in, out, area;
    bool inverse;
} FftRun;
// Tables that are missing are made if `tables`; otherwise they are taken to be there. area: the bytes of the work area.
cufftResult fft_steps(FftPlan *p, const FftRun *run, bool tables, FftSteps *steps, size_t *area);
bool fft_real_in(cufftType type);
bool fft_real_out(cufftType type);
bool fft_wide(cufftType type);  // of doubles

// --- cufft_tables.c --------------------------------------------------------------------------------------------------
// The address of a table, in the plan's precision; 0 if there is none, and it isn't made or couldn't be.
//   ROOTS    e^(-2πik/n)
//   LOW      its first 1024; HIGH: each 1024th
//   CHIRP    e^(-πik²/n)
//   CHIRPED  the spectrum of its conjugate's convolution, over fft_chirp_points(n) points, divided by these
CUdeviceptr fft_table(FftPlan *p, FftTableKind kind, long long n, bool make);
long long fft_chirp_points(long long n);
void fft_tables_free(FftPlan *p);

#endif
