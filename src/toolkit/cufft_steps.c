// cufft_steps.c: what launches a transform is made of. One launch transforms lines of up to SHARED bytes. A longer line
// whose factors are small goes by parts (Bailey, FFTs in External or Hierarchical Memory, 1990): transforms over the
// first digit of a position, twiddles, and so on; the last launch writes the digits in reverse order. Any other line is
// a convolution with a chirp (Bluestein, A Linear Filtering Approach to the Computation of the Discrete Fourier
// Transform, 1970), over the next power of two that is long enough.
//
// Invariant: a launch that works in place reads and writes the same elements in a block.
#include "toolkit/cufft_plan.h"

enum { SHARED = 32 << 10, PARTS = LINE_INNER + 1, HIGHEST = 7 };

typedef struct Build {
    FftPlan *plan;
    const FftRun *run;
    bool tables, failed;
    FftSteps *steps;
    size_t base, most;  // of the work area: what the lines' own room begins with, and what is needed
} Build;

bool fft_real_in(cufftType type) { return type == CUFFT_R2C || type == CUFFT_D2Z; }
bool fft_real_out(cufftType type) { return type == CUFFT_C2R || type == CUFFT_Z2D; }
bool fft_wide(cufftType type) { return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D; }

static size_t complex_bytes(const Build *b) { return fft_wide(b->plan->type) ? 16 : 8; }
static long long points_most(const Build *b) { return SHARED / 2 / (long long)complex_bytes(b); }

static unsigned long long table(Build *b, FftTableKind kind, long long n)
{
    const CUdeviceptr at = fft_table(b->plan, kind, n, b->tables);
    if (!at && b->tables) b->failed = true;
    return at;
}

// --- parts of a line -------------------------------------------------------------------------------------------------
// n as a product of so many, each at most `most`: near to each other.
static bool split(long long n, int parts, long long most, long long *part)
{
    if (parts == 1) {
        part[0] = n;
        return n <= most;
    }
    for (long long d = 1; d <= most; d++) {
        long long power = 1;
        for (int j = 0; j < parts && power < n; j++) power *= d;
        if (power < n || n % d) continue;
        part[0] = d;
        if (split(n / d, parts - 1, most, part + 1)) return true;
    }
    return false;
}

// 0: a factor is too large, or there would be too many.
static int parts_of(long long n, long long most, long long *part)
{
    long long rest = n;
    for (int r = 2; r <= HIGHEST; r++)
        while (rest % r == 0) rest /= r;
    for (int parts = 1; rest == 1 && parts <= PARTS; parts++)
        if (split(n, parts, most, part)) return parts;
    return 0;
}

static void stages(Lines *l)
{
    static const unsigned char radix[] = {8, 4, 2, 3, 5, 7};
    int rest = l->points;
    for (size_t j = 0; j < COUNT(radix); j++)
        for (; rest % radix[j] == 0; rest /= radix[j]) l->radix[l->stages++] = radix[j];
}

// --- launches --------------------------------------------------------------------------------------------------------
static long long magnitude(long long x) { return x < 0 ? -x : x; }

static bool across(const Lines *l, const LineSide *s)
{
    for (int d = 0; d < LINE_DIMS; d++) {
        if (l->size[d] == 1) continue;
        const long long next = d < LINE_INNER ? s->inner[d] * s->stride : s->outer[d - LINE_INNER];
        return magnitude(next) < magnitude(s->step * s->stride);
    }
    return false;
}

static void launch(Build *b, Lines *l)
{
    l->lines = 1;
    for (int d = 0; d < LINE_DIMS; d++) l->lines *= l->size[d];
    l->together = (int)MIN(MIN(points_most(b) / l->points, LINE_MOST), l->lines);
    l->in.across = across(l, &l->in);
    l->out.across = across(l, &l->out);
    l->roots = table(b, FFT_ROOTS, l->points);
    stages(l);
    vec_push(b->steps, *l);
}

// So many bytes of the work area, from `at` on.
static unsigned long long room(Build *b, size_t at, size_t bytes)
{
    b->most = MAX(b->most, at + bytes);
    return b->run->area + at;
}

// Lines of n elements, one after the other.
static LineSide packed(unsigned long long at, long long n, const long long *size)
{
    return (LineSide){.at = at, .stride = 1, .outer = {n, n * size[0], n * size[0] * size[1]}, .count = n};
}

typedef struct Line {
    LineSide in, out;
    long long n, size[LINE_OUTER];
} Line;

static size_t line_bytes(const Build *b, const Line *line, long long n)
{
    return (size_t)(n * line->size[0] * line->size[1] * line->size[2]) * complex_bytes(b);
}

// Transforms over part `which`; the parts in front of it, whose product is `done`, have been transformed.
static void part_step(Build *b, const Line *line, const long long *part, int parts, int which, const LineSide *between)
{
    Lines l = {.in = which ? *between : line->in, .points = (int)part[which], .size = {1, 1, 1}};
    const bool last = which == parts - 1;
    long long done = 1, rest = line->n;
    l.out = last ? line->out : *between;
    for (int j = 0; j < which; j++) {
        rest /= part[j];
        if (last) l.size[j] = part[j], l.in.inner[j] = rest, l.out.inner[j] = done;
        done *= part[j];
    }
    if (!last) {
        l.size[1] = done, l.in.inner[1] = l.out.inner[1] = rest;
        rest /= part[which];
        l.size[0] = rest, l.in.inner[0] = l.out.inner[0] = 1, l.turn = done;
        l.low = table(b, FFT_LOW, line->n), l.high = table(b, FFT_HIGH, line->n);
    }
    l.in.step = last ? 1 : rest;
    l.out.step = last ? done : rest;
    for (int d = 0; d < LINE_OUTER; d++) l.size[LINE_INNER + d] = line->size[d];
    launch(b, &l);
}

static void smooth_line(Build *b, const Line *line, const long long *part, int parts, size_t at)
{
    LineSide between = {0};
    if (parts > 1) between = packed(room(b, at, line_bytes(b, line, line->n)), line->n, line->size);
    for (int which = 0; which < parts; which++) part_step(b, line, part, parts, which, &between);
}

static void chirp_line(Build *b, const Line *line)
{
    const long long m = fft_chirp_points(line->n);
    const size_t bytes = line_bytes(b, line, m);
    const LineSide between = packed(room(b, b->base, bytes), m, line->size);
    Line to = {line->in, between, m, {line->size[0], line->size[1], line->size[2]}}, back = to;
    long long part[PARTS];
    const int parts = parts_of(m, points_most(b), part);
    if (!parts) {
        b->failed = true;
        return;
    }
    to.in.factor = table(b, FFT_CHIRP, line->n);
    to.out.factor = table(b, FFT_CHIRPED, line->n);
    back.in = between;
    back.in.conjugate = 1;
    back.out = line->out;
    back.out.factor = to.in.factor;
    back.out.conjugate_last = line->out.conjugate;
    back.out.conjugate = 1;
    smooth_line(b, &to, part, parts, b->base + bytes);
    smooth_line(b, &back, part, parts, b->base + bytes);
}

static void any_line(Build *b, const Line *line)
{
    long long part[PARTS];
    const int parts = parts_of(line->n, points_most(b), part);
    if (parts)
        smooth_line(b, line, part, parts, b->base);
    else
        chirp_line(b, line);
}

// --- dimensions ------------------------------------------------------------------------------------------------------
typedef struct Data {
    CUdeviceptr at;
    FftLayout layout;
} Data;

// Row by row; a row of the last dimension has `last` elements.
static FftLayout usual_layout(const FftPlan *p, long long last)
{
    FftLayout l = {.dist = 1};
    for (int d = p->rank - 1; d >= 0; d--) {
        l.stride[d] = l.dist;
        l.dist *= d == p->rank - 1 ? last : p->n[d];
    }
    return l;
}

// A line goes along dimension d. The others' sizes are those of the spectrum, where there is one.
static Line line_along(const FftPlan *p, int d, const Data *in, const Data *out)
{
    const long long n = p->n[d];
    const bool real = fft_real_in(p->type) || fft_real_out(p->type);
    Line line = {.n = n, .size = {1, 1, 1}};
    int at = 0;
    line.in = (LineSide){.at = in->at, .stride = in->layout.stride[d], .whole = n, .count = n};
    line.out = (LineSide){.at = out->at, .stride = out->layout.stride[d], .whole = n, .count = n};
    for (int other = p->rank - 1; other >= 0; other--) {
        if (other == d) continue;
        line.size[at] = real && other == p->rank - 1 ? p->n[other] / 2 + 1 : p->n[other];
        line.in.outer[at] = in->layout.stride[other];
        line.out.outer[at++] = out->layout.stride[other];
    }
    line.size[at] = p->batch;
    line.in.outer[at] = in->layout.dist, line.out.outer[at] = out->layout.dist;
    return line;
}

static void complex_line(Build *b, int d, const Data *in, const Data *out)
{
    Line line = line_along(b->plan, d, in, out);
    line.in.conjugate = line.out.conjugate = b->run->inverse;
    any_line(b, &line);
}

static void forward(Build *b, const Data *in, const Data *out)
{
    const FftPlan *p = b->plan;
    const int last = p->rank - 1;
    if (fft_real_in(p->type)) {
        Line line = line_along(p, last, in, out);
        line.in.kind = LINE_REAL;
        line.out.count = p->n[last] / 2 + 1;
        any_line(b, &line);
    } else {
        complex_line(b, last, in, out);
    }
    for (int d = last - 1; d >= 0; d--) complex_line(b, d, out, out);
}

// From a half spectrum to reals: the input is left as it was.
static void backward(Build *b, const Data *in, const Data *out)
{
    const FftPlan *p = b->plan;
    const int last = p->rank - 1;
    const long long half = p->n[last] / 2 + 1;
    Data between = {0, usual_layout(p, half)};
    if (last) {
        const size_t bytes = (size_t)(between.layout.dist * p->batch) * complex_bytes(b);
        between.at = room(b, 0, bytes);
        b->base = bytes;
    }
    for (int d = 0; d < last; d++) complex_line(b, d, d ? &between : in, &between);
    Line line = line_along(p, last, last ? &between : in, out);
    line.in.kind = LINE_HALF, line.in.conjugate = 1;
    line.out.kind = LINE_REAL;
    any_line(b, &line);
}

cufftResult fft_steps(FftPlan *p, const FftRun *run, bool tables, FftSteps *steps, size_t *area)
{
    Build b = {.plan = p, .run = run, .tables = tables, .steps = steps};
    const long long n = p->n[p->rank - 1], half = n / 2 + 1;
    const bool to_real = fft_real_out(p->type), from_real = fft_real_in(p->type);
    Data in = {run->in, p->in}, out = {run->out, p->out};
    if (p->usual) {
        const long long real = run->in == run->out ? 2 * half : n;
        in.layout = usual_layout(p, from_real ? real : to_real ? half : n);
        out.layout = usual_layout(p, to_real ? real : from_real ? half : n);
    }
    if (to_real)
        backward(&b, &in, &out);
    else
        forward(&b, &in, &out);
    *area = b.most;
    return b.failed ? CUFFT_ALLOC_FAILED : CUFFT_SUCCESS;
}
