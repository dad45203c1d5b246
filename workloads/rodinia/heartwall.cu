// heartwall: follows points of a heart's walls through the frames of an ultrasound film. Szafaryn et al.; Rodinia's
// definition. A launch has a frame, and a block of 512 threads a point. The first frame gives each point its template,
// the pixels around it. In every other frame the block correlates the template with the area around the point, and
// the point goes to where they agree best, near where it was in the frame before. Matrices lie column after column.
#include "cuda.h"

#define THREADS 512
#define POINTS 51       // at most
#define SIDE 51         // rows and columns of a template, at most
#define FULL 131        // and of all its places on the area, at most
#define UPDATE 10       // every so many frames the templates change
#define OLD_PART 0.87f  // of the template, which stays then

// Rows and columns: side, of a template; area, of the area; full, of all places where they overlap, side + area - 1;
// padded, of the area with zeros as wide as a template around it. A point is in the middle: half, search.
typedef struct Setup {
    int side, area, full, padded, half, search;
    int move;  // the window in which a point may go has so many rows and columns
    int frames, rows, columns;
    int *row, *column;          // of each point, where its area is
    int *rows_at, *columns_at;  // of each point, in each frame
} Setup;

// The matrices of a point.
typedef struct Point {
    float *pattern, *area, *convolved, *padded, *strip, *sums, *squares, *square_sums, *mask, *masked;
} Point;

typedef struct Now {
    const float *frame;
    int number;
} Now;

__constant__ Setup setup;
__constant__ Point points[POINTS];
__constant__ Now now;

#define EACH(i, n) (int i = threadIdx.x; i < (n); i += THREADS)  // the thread's part of n elements

// The pixel in row and column `at` of the square of pixels that begins at (row, column).
static __device__ __forceinline__ float pixel(int row, int column, int at, int side) {
    return now.frame[(column + at / side) * setup.rows + row + at % side];
}

static __device__ __forceinline__ void take_area(const Point &p) {
    const int row = setup.row[blockIdx.x] - setup.search, column = setup.column[blockIdx.x] - setup.search;
    for EACH(i, setup.area * setup.area) p.area[i] = pixel(row, column, i, setup.area);
    __syncthreads();
}

// Convolves the area with the template, turned by half a turn: their products' sums at all places where they overlap.
static __device__ __forceinline__ void convolve(const Point &p, float *turned) {
    const int side = setup.side, area = setup.area, full = setup.full;
    for EACH(i, side * side) turned[i] = p.pattern[side * side - 1 - i];
    __syncthreads();
    for EACH(i, full * full) {
        const int row = i % full, column = i / full, top = max(0, row - area + 1), rows = min(side, row + 1) - top;
        float sum = 0;
        for (int c = max(0, column - area + 1); c <= min(side - 1, column); c++) {
            const float *a = turned + side * c + top, *b = p.area + area * (column - c) + row - top;
#pragma unroll 1  // several at once would need more registers
            for (int r = 0; r < rows; r++) sum += a[r] * b[-r];
        }
        p.convolved[i] = sum;
    }
    __syncthreads();
}

// The sums of the elements below the template, at all places: cumulative sums down the columns, whose differences are
// sums of strips, and cumulative sums of those along the rows.
static __device__ __forceinline__ void sum_windows(const Point &p, const float *from, float *sums) {
    const int side = setup.side, area = setup.area, full = setup.full, padded = setup.padded;
    for EACH(i, padded * padded) {
        const int row = i % padded - side, column = i / padded - side;
        const bool inside = row >= 0 && row < area && column >= 0 && column < area;
        p.padded[i] = inside ? from[column * area + row] : 0;
    }
    __syncthreads();
    for EACH(column, padded) {
        float sum = 0;
        for (int i = column * padded; i < (column + 1) * padded; i++) p.padded[i] = sum += p.padded[i];
    }
    __syncthreads();
    for EACH(i, full * padded) {
        const int at = i / full * padded + i % full;
        p.strip[i] = p.padded[at + side] - p.padded[at];
    }
    __syncthreads();
    for EACH(row, full) {
        float sum = 0;
        for (int i = row; i < full * padded; i += full) p.strip[i] = sum += p.strip[i];
    }
    __syncthreads();
    for EACH(i, full * full) sums[i] = p.strip[i + side * full] - p.strip[i];
    __syncthreads();
}

// The correlation at each place, into p.square_sums.
static __device__ __forceinline__ void correlate(const Point &p) {
    __shared__ float column_sum[SIDE], row_squares[SIDE], total, squares, deviation;
    const int side = setup.side, count = side * side;
    for EACH(column, side) {
        float sum = 0;
        for (int i = 0; i < side; i++) sum += p.pattern[column * side + i];
        column_sum[column] = sum;
    }
    for EACH(row, side) {
        float sum = 0;
        for (int i = 0; i < side; i++) sum += p.pattern[i * side + row] * p.pattern[i * side + row];
        row_squares[row] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        total = 0;
        for (int i = 0; i < side; i++) total += column_sum[i];
    } else if (threadIdx.x == 1) {
        squares = 0;
        for (int i = 0; i < side; i++) squares += row_squares[i];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const float mean = total / count;
        deviation = sqrtf(count - 1.0f) * sqrtf(squares / count - mean * mean);
    }
    __syncthreads();
    for EACH(i, setup.full * setup.full) {
        const float sum = p.sums[i], spread = sqrtf(fmaxf(p.square_sums[i] - sum * sum / count, 0));
        p.square_sums[i] = (p.convolved[i] - sum * total / count) / (spread * deviation);
    }
    __syncthreads();
}

// Keeps the correlations in the window around where the point was in the frame before. before: that place.
static __device__ __forceinline__ void mask(const Point &p, int before) {
    const int full = setup.full, above = setup.move - setup.move / 2 - 1, below = setup.move / 2;
    for EACH(i, full * full) p.mask[i] = i == before;
    __syncthreads();
    for EACH(i, full * full) {
        const int row = i % full, column = i / full;
        float sum = 0;
        for (int c = max(0, column - above); c <= min(full - 1, column + below); c++)
            for (int r = max(0, row - above); r <= min(full - 1, row + below); r++) sum += p.mask[c * full + r];
        p.masked[i] = p.square_sums[i] * sum;
    }
    __syncthreads();
}

// The place with the largest correlation; the first thread knows it.
static __device__ __forceinline__ int find_largest(const Point &p) {
    __shared__ float largest[FULL];
    __shared__ int places[FULL];
    const int full = setup.full;
    for EACH(column, full) {
        float most = 0;
        int place = 0;
        for (int i = column * full; i < (column + 1) * full; i++) {
            const float size = fabsf(p.masked[i]);
            if (size > most) most = size, place = i;
        }
        largest[column] = most;
        places[column] = place;
    }
    __syncthreads();
    float most = 0;
    int place = 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < full; i++)
            if (largest[i] > most) most = largest[i], place = places[i];
    return place;
}

// The point's place in the frame `back` frames before this one, as an index of rows_at and columns_at.
static __device__ __forceinline__ int then(int back) { return setup.frames * blockIdx.x + now.number - back; }

static __device__ __forceinline__ void track(const Point &p) {
    __shared__ float turned[SIDE * SIDE];
    const int middle = setup.search + setup.half;
    take_area(p);
    convolve(p, turned);
    sum_windows(p, p.area, p.sums);
    for EACH(i, setup.area * setup.area) p.squares[i] = p.area[i] * p.area[i];
    __syncthreads();
    sum_windows(p, p.squares, p.square_sums);
    correlate(p);
    mask(p, (middle + setup.columns_at[then(1)] - setup.column[blockIdx.x]) * setup.full + middle +
                setup.rows_at[then(1)] - setup.row[blockIdx.x]);
    const int place = find_largest(p);
    if (threadIdx.x == 0) {  // it stays so far from the frame's edge that its area has pixels everywhere
        const int row = setup.row[blockIdx.x] + place % setup.full - middle;
        const int column = setup.column[blockIdx.x] + place / setup.full - middle;
        setup.rows_at[then(0)] = max(setup.search, min(setup.rows - 1 - setup.search, row));
        setup.columns_at[then(0)] = max(setup.search, min(setup.columns - 1 - setup.search, column));
    }
    __syncthreads();
}

// The template becomes the pixels around (row, column), but for the part of it that stays.
static __device__ __forceinline__ void take_template(const Point &p, int row, int column, float stays) {
    const int side = setup.side;
    for EACH(i, side * side) {
        const float there = pixel(row - setup.half, column - setup.half, i, side);
        p.pattern[i] = stays * p.pattern[i] + (1 - stays) * there;
    }
}

extern "C" __global__ void heartwall() {
    const Point &p = points[blockIdx.x];
    if (now.number == 0) {
        const int row = setup.row[blockIdx.x], column = setup.column[blockIdx.x];
        take_template(p, row, column, 0);
        if (threadIdx.x == 0) setup.rows_at[then(0)] = row, setup.columns_at[then(0)] = column;
    } else {
        track(p);
    }
    if (now.number != 0 && now.number % UPDATE == 0) {
        const int row = setup.rows_at[then(0)], column = setup.columns_at[then(0)];
        take_template(p, row, column, OLD_PART);
        if (threadIdx.x == 0) setup.row[blockIdx.x] = row, setup.column[blockIdx.x] = column;
    }
}
