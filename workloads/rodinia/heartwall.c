// heartwall: follows points of a heart's walls through the frames of an ultrasound film. The film is made here: a
// smooth random texture that beats around its middle, and noise, which is new in each frame.
#include "../host.h"

#include <math.h>
#include <stdlib.h>

#define THREADS 512
#define POINTS 51  // Rodinia's, the first INNER of them of the inner wall
#define INNER 20
#define MOVE 10         // a point may go to a window of so many rows and columns; Rodinia's
#define UPDATE 10       // every so many frames the templates change; Rodinia's
#define OLD_PART 0.87f  // of the template, which stays then; Rodinia's
#define COARSE 4        // pixels from one random point of the texture to the next
#define BEAT 28         // frames of a heart beat
#define SWING 6.0       // pixels by which the outer wall moves outwards, and inwards
#define PI 3.14159265358979

// As in the device code.
typedef struct Setup {
    int32_t side, area, full, padded, half, search, move, frames, rows, columns;
    oc_ptr row, column, rows_at, columns_at;
} Setup;

enum { PATTERN, AREA, CONVOLVED, PADDED, STRIP, SUMS, SQUARES, SQUARE_SUMS, MASK, MASKED, MATRICES };
typedef struct Point {
    oc_ptr matrices[MATRICES];
} Point;

typedef struct Now {
    oc_ptr frame;
    int32_t number;
} Now;

static Setup setup_of(Work *work)
{
    const int32_t half = (int32_t)work_param(work, "template"), search = (int32_t)work_param(work, "search");
    const int32_t side = 2 * half + 1, area = 2 * search + 1;
    if (search < half) work_refuse(work, "search", "no less than template");
    return (Setup){.side = side,
                   .area = area,
                   .full = side + area - 1,
                   .padded = area + 2 * side,
                   .half = half,
                   .search = search,
                   .move = MOVE,
                   .frames = (int32_t)work_param(work, "frames"),
                   .rows = (int32_t)work_param(work, "rows"),
                   .columns = (int32_t)work_param(work, "columns")};
}

static const float *frame_of(const Setup *s, const float *film, int64_t n) { return film + n * s->rows * s->columns; }

// Frame after frame; a frame lies column after column.
static void make_film(Work *work, const Setup *s, float *film)
{
    const double middle_row = s->rows / 2.0, middle_column = s->columns / 2.0, border = 3 * SWING;
    const double outer = (s->rows > s->columns ? s->rows : s->columns) / 4.0;
    const int64_t down = (s->rows + (int64_t)(2 * border)) / COARSE + 2;
    const int64_t across = (s->columns + (int64_t)(2 * border)) / COARSE + 2;
    const float *coarse = work_random_floats(work, (size_t)(down * across), 0, 1);
    for (int64_t n = 0; n < s->frames && work_ok(work); n++) {
        const double stretch = 1 + SWING / outer * sin(2 * PI * (double)(n % BEAT) / BEAT);
        for (int64_t c = 0; c < s->columns; c++)
            for (int64_t r = 0; r < s->rows; r++) {
                const double y = (border + middle_row + ((double)r - middle_row) * stretch) / COARSE;
                const double x = (border + middle_column + ((double)c - middle_column) * stretch) / COARSE;
                const double v = y - floor(y), u = x - floor(x);
                const float *at = coarse + (int64_t)x * down + (int64_t)y, *right = at + down;
                const double texture =
                    (at[0] * (1 - v) + at[1] * v) * (1 - u) + (right[0] * (1 - v) + right[1] * v) * u;
                *film++ = (float)(0.8 * texture + 0.2 * work_random_float(work));
            }
    }
}

static int32_t within(double at, int64_t low, int64_t high)
{
    const int64_t whole = (int64_t)at;
    return (int32_t)(whole < low ? low : whole > high ? high : whole);
}

// Two rings, about as large in the frame as Rodinia's; and each area within the frame.
static void place_points(const Setup *s, int32_t *row, int32_t *column)
{
    for (int64_t p = 0; p < POINTS; p++) {
        const double angle = p < INNER ? 2 * PI * (double)p / INNER : 2 * PI * (double)(p - INNER) / (POINTS - INNER);
        const double down = p < INNER ? 0.18 : 0.24, across = p < INNER ? 0.15 : 0.25;
        row[p] = within(s->rows * (0.5 + down * cos(angle)), s->search, s->rows - 1 - s->search);
        column[p] = within(s->columns * (0.5 + across * sin(angle)), s->search, s->columns - 1 - s->search);
    }
}

// Device memory for each kind of matrix, for all points together, and where each point's matrices begin there.
static void allot(Work *work, const Setup *s, int64_t count, Point *points, WorkBuf *all)
{
    static const char *const labels[MATRICES] = {"template", "area",    "convolved",   "padded", "strip",
                                                 "sums",     "squares", "square sums", "mask",   "masked"};
    const int32_t full = s->full * s->full, area = s->area * s->area;
    const int32_t elements[MATRICES] = {
        s->side * s->side, area, full, s->padded * s->padded, s->full * s->padded, full, area, full, full, full};
    for (int k = 0; k < MATRICES; k++) {
        const size_t bytes = (size_t)elements[k] * sizeof(float);
        all[k] = work_device(work, labels[k], bytes * (size_t)count);
        for (int64_t p = 0; p < count; p++) points[p].matrices[k] = all[k].ptr + (uint64_t)p * bytes;
    }
}

// Mixes into the template the given part of the frame's pixels around (row, column).
static void mix(const Setup *s, const float *frame, int32_t row, int32_t column, double part, double *pattern)
{
    for (int32_t c = 0; c < s->side; c++)
        for (int32_t r = 0; r < s->side; r++) {
            const int64_t there = (int64_t)(column - s->half + c) * s->rows + row - s->half + r;
            pattern[c * s->side + r] = (1 - part) * pattern[c * s->side + r] + part * frame[there];
        }
}

// The normalised correlation of the template with the pixels around (row, column), of which those beyond the area
// around the point count as zeros. Rodinia's is larger than the textbook's by √(n / (n - 1)).
static double correlation(const Setup *s, const double *pattern, const float *frame, int32_t point_row,
                          int32_t point_column, int32_t row, int32_t column)
{
    const double n = (double)s->side * s->side;
    double a = 0, aa = 0, b = 0, bb = 0, ab = 0;
    for (int32_t c = -s->half; c <= s->half; c++)
        for (int32_t r = -s->half; r <= s->half; r++) {
            const int64_t y = row + r, x = column + c;
            const bool inside = llabs(y - point_row) <= s->search && llabs(x - point_column) <= s->search;
            const double of = pattern[(c + s->half) * s->side + r + s->half], at = inside ? frame[x * s->rows + y] : 0;
            a += of, aa += of * of, b += at, bb += at * at, ab += of * at;
        }
    return (ab - a * b / n) / sqrt((aa - a * a / n) * (bb - b * b / n)) * sqrt(n / (n - 1));
}

// What is compared, of a point: in each frame the correlation where the device's point went with the largest one of the
// window in which it may go; in the last frame all correlations of the window. row, column: where the point begins.
// rows_at, columns_at: where the device's went. masked: the device's correlations in the last frame.
static void follow(const Setup *s, const float *film, int32_t row, int32_t column, const int32_t *rows_at,
                   const int32_t *columns_at, const float *masked, double *pattern, float *got, float *want)
{
    const int32_t last_row = s->rows - 1 - s->search, last_column = s->columns - 1 - s->search;
    const int32_t middle = s->search + s->half;
    mix(s, film, row, column, 1, pattern);
    got[0] = rows_at[0] == row && columns_at[0] == column;
    want[0] = 1;
    for (int64_t n = 1; n < s->frames; n++) {
        const float *frame = frame_of(s, film, n);
        got[n] = 0, want[n] = 1;
        if (rows_at[n] < s->search || rows_at[n] > last_row) return;
        if (columns_at[n] < s->search || columns_at[n] > last_column) return;
        want[n] = 0;
        for (int32_t k = 0; k < MOVE * MOVE; k++) {
            const int32_t to_row = rows_at[n - 1] + k % MOVE - MOVE / 2, y = to_row - row + middle;
            const int32_t to_column = columns_at[n - 1] + k / MOVE - MOVE / 2, x = to_column - column + middle;
            got[s->frames + k] = want[s->frames + k] = 0;
            if (y < 0 || y >= s->full || x < 0 || x >= s->full) continue;
            const float found = (float)correlation(s, pattern, frame, row, column, to_row, to_column);
            const bool went = rows_at[n] == within(to_row, s->search, last_row) &&
                              columns_at[n] == within(to_column, s->search, last_column);
            want[n] = fmaxf(want[n], fabsf(found));
            if (went) got[n] = fmaxf(got[n], fabsf(found));
            want[s->frames + k] = found;
            got[s->frames + k] = masked[x * s->full + y];
        }
        if (n % UPDATE != 0) continue;
        row = rows_at[n], column = columns_at[n];
        mix(s, frame, row, column, 1 - OLD_PART, pattern);
    }
}

static void check(Work *work, const Setup *s, int64_t points, const float *film, const int32_t *row,
                  const int32_t *column, const int32_t *rows_at, const int32_t *columns_at, const float *masked)
{
    const size_t each = (size_t)s->frames + MOVE * MOVE, count = (size_t)points * each;
    float *got = work_host(work, count * sizeof(float)), *want = work_host(work, count * sizeof(float));
    double *pattern = work_host(work, (size_t)(s->side * s->side) * sizeof(double));
    if (!work_ok(work)) return;
    for (int64_t p = 0; p < points; p++)
        follow(s, film, row[p], column[p], rows_at + p * s->frames, columns_at + p * s->frames,
               masked + p * s->full * s->full, pattern, got + (size_t)p * each, want + (size_t)p * each);
    work_check_f32(work, "correlations", got, want, count, 2e-3);
}

static void run(Work *work)
{
    const int64_t count = work_param(work, "points");
    Setup s = setup_of(work);
    const size_t of_frame = (size_t)s.rows * (size_t)s.columns * sizeof(float), of_ints = sizeof(int32_t[POINTS]);
    const size_t of_places = (size_t)count * (size_t)s.frames * sizeof(int32_t);
    work_seed(work, work_param(work, "seed"));
    float *film = work_host(work, of_frame * (size_t)s.frames);
    int32_t row[POINTS], column[POINTS];
    if (!work_ok(work)) return;
    make_film(work, &s, film);
    place_points(&s, row, column);
    WorkBuf drow = work_upload(work, "row", row, of_ints), dcolumn = work_upload(work, "column", column, of_ints);
    WorkBuf drows = work_device(work, "rows", of_places), dcolumns = work_device(work, "columns", of_places);
    WorkBuf dframe = work_device(work, "frame", of_frame), matrices[MATRICES];
    Point points[POINTS] = {{{0}}};
    allot(work, &s, count, points, matrices);
    s.row = drow.ptr, s.column = dcolumn.ptr, s.rows_at = drows.ptr, s.columns_at = dcolumns.ptr;
    work_write(work, work_symbol(work, "setup"), &s, sizeof s);
    work_write(work, work_symbol(work, "points"), points, sizeof points);

    for (int32_t n = 0; n < s.frames && work_ok(work); n++) {
        const Now now = {dframe.ptr, n};
        work_write(work, dframe, frame_of(&s, film, n), of_frame);
        work_write(work, work_symbol(work, "now"), &now, sizeof now);
        work_launch(work, "heartwall", dim1((uint32_t)count), dim1(THREADS), 0, NULL, 0);
    }
    int32_t *rows_at = work_host(work, of_places), *columns_at = work_host(work, of_places);
    float *masked = work_host(work, matrices[MASKED].bytes);
    work_read(work, rows_at, drows, of_places);
    work_read(work, columns_at, dcolumns, of_places);
    work_read(work, masked, matrices[MASKED], matrices[MASKED].bytes);
    check(work, &s, count, film, row, column, rows_at, columns_at, masked);
}

static const WorkParam params[] = {
    {"points", "points that are followed, 1 to 51", 4, INNER, 1, POINTS},
    {"frames", "frames of the film, 2 to 104", 4, 2, 2, 104},
    {"rows", "rows of a frame, 128 to 1024", 128, 609, 128, 1024},
    {"columns", "columns of a frame, 128 to 1024", 140, 590, 128, 1024},
    {"template", "pixels of a template on each side of its point, 4 to 25", 4, 25, 4, 25},
    {"search", "pixels of an area on each side of its point, template to 40", 10, 40, 4, 40},
    {"seed", "seed of the film, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_rodinia_heartwall = {
    "heartwall", "rodinia", "Points of a heart's walls, followed through a film by correlation (Rodinia)", params, run};
