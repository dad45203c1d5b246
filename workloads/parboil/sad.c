// sad: sums of absolute differences of a frame's blocks and the frame before, for all positions of a search.
#include "../host.h"

#include <stdlib.h>

#define SIDE 16  // of a macroblock, pixels
#define RANGE 16
#define ACROSS (2 * RANGE + 1)  // positions in a row, and rows
#define POSITIONS (ACROSS * ACROSS)
#define PADDED 1096  // room for a block's SADs; Parboil's
#define THREADS 61   // of a block of sad_4x4; Parboil's

// The blocks that a macroblock is cut into, in the order of the SADs: H.264's. `of` is how many blocks there are.
static const struct {
    int width, height, of;
} cuts[] = {{16, 16, 1}, {16, 8, 2}, {8, 16, 2}, {8, 8, 4}, {8, 4, 8}, {4, 8, 8}, {4, 4, 16}};
enum { CUTS = sizeof cuts / sizeof *cuts, BLOCKS = 1 + 2 + 2 + 4 + 8 + 8 + 16 };

typedef struct Frames {
    int64_t width, height;
    uint16_t *now, *last;
} Frames;

static int64_t within(int64_t i, int64_t count) { return i < 0 ? 0 : i < count ? i : count - 1; }

// The frame is the one before, moved by 5 pixels to the left and 3 down, and with noise.
static void make_frames(Work *work, const Frames *f)
{
    for (int64_t i = 0; i < f->width * f->height; i++) f->last[i] = work_random(work) % 256;
    for (int64_t y = 0; y < f->height; y++)
        for (int64_t x = 0; x < f->width; x++) {
            const uint16_t pixel = f->last[within(y - 3, f->height) * f->width + within(x + 5, f->width)];
            f->now[y * f->width + x] = pixel ^ (work_random(work) % 8);
        }
}

// The SAD of width x height pixels from (x, y) on, which the frame before has dx to the right and dy down. Pixels
// beyond its edges are those at the edges.
static uint16_t sad(const Frames *f, int64_t x, int64_t y, int width, int height, int64_t dx, int64_t dy)
{
    int sum = 0;
    for (int64_t v = y; v < y + height; v++) {
        const uint16_t *last = f->last + within(v + dy, f->height) * f->width;
        for (int64_t u = x; u < x + width; u++) sum += abs(f->now[v * f->width + u] - last[within(u + dx, f->width)]);
    }
    return (uint16_t)sum;
}

// All SADs of the blocks of one cut; want is where they begin. Blocks are in the order of their rows, positions too.
static void search(const Frames *f, int cut, uint16_t *want)
{
    const int width = cuts[cut].width, height = cuts[cut].height;
    for (int64_t top = 0; top < f->height; top += SIDE)
        for (int64_t left = 0; left < f->width; left += SIDE)
            for (int b = 0; b < cuts[cut].of; b++, want += PADDED) {
                const int64_t x = left + b % (SIDE / width) * width, y = top + b / (SIDE / width) * height;
                for (int p = 0; p < POSITIONS; p++)
                    want[p] = sad(f, x, y, width, height, p % ACROSS - RANGE, p / ACROSS - RANGE);
            }
}

static void run(Work *work)
{
    Frames f = {.width = work_param(work, "width"), .height = work_param(work, "height")};
    const int64_t across = f.width / SIDE, down = f.height / SIDE;  // macroblocks
    const size_t of_frame = (size_t)(f.width * f.height) * sizeof(uint16_t);
    const size_t of_sads = (size_t)(across * down) * BLOCKS * PADDED * sizeof(uint16_t);
    if (f.width % SIDE != 0) work_refuse(work, "width", "a multiple of 16, the macroblock's side,");
    if (f.height % SIDE != 0) work_refuse(work, "height", "a multiple of 16, the macroblock's side,");
    work_seed(work, work_param(work, "seed"));
    f.now = work_host(work, of_frame);
    f.last = work_host(work, of_frame);
    uint16_t *got = work_host(work, of_sads), *want = work_host(work, of_sads);
    if (!work_ok(work)) return;
    make_frames(work, &f);
    WorkBuf dnow = work_upload(work, "frame", f.now, of_frame), dlast = work_upload(work, "last", f.last, of_frame);
    WorkBuf dsads = work_device(work, "sads", of_sads);
    const oc_texture last = {.base = dlast.ptr,
                             .width = (uint32_t)f.width,
                             .height = (uint32_t)f.height,
                             .pitch = (uint32_t)(f.width * (int64_t)sizeof(uint16_t)),
                             .channels = 1,
                             .format = OC_TEX_U16,
                             .address = OC_TEX_CLAMP};

    const oc_dim3 macroblocks = dim2((uint32_t)across, (uint32_t)down);
    work_launch(work, "sad_4x4", dim2(4 * (uint32_t)across, 4 * (uint32_t)down), dim1(THREADS), 0,
                ARGS(arg_buf(dnow), arg_u64(work_texture_of(work, &last)), arg_buf(dsads)));
    work_launch(work, "sad_8x8", macroblocks, dim2(32, 4), 0, ARGS(arg_buf(dsads)));
    work_launch(work, "sad_16x16", macroblocks, dim1(32), 0, ARGS(arg_buf(dsads)));
    work_read(work, got, dsads, of_sads);
    if (!work_ok(work)) return;

    size_t at = 0;  // the SADs are compared two at a time; PADDED is even
    for (int cut = 0; cut < CUTS; cut++) {
        search(&f, cut, want + at);
        at += (size_t)(across * down * cuts[cut].of) * PADDED;
    }
    work_check_u32(work, "pairs of SADs", (const uint32_t *)got, (const uint32_t *)want, at / 2);
}

static const WorkParam params[] = {
    {"width", "width of the frames in pixels, a multiple of 16 up to 2048", 48, 176, SIDE, 2048},
    {"height", "height of the frames in pixels, a multiple of 16 up to 2048", 32, 144, SIDE, 2048},
    {"seed", "seed of the frames, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_parboil_sad = {
    "sad", "parboil", "Sums of absolute differences for H.264's search for motion, through a texture (Parboil)", params,
    run};
