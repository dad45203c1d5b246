// pair.c: pairs of lines. A warp waits for its slowest lane. If its lanes left their lines one by one, it would wait
// for memory each time. So each data structure has two neighbouring lines, if there is room for two of each. When a
// lane leaves its two lines, it calls the other lanes of its warp (access.c), and each lane that is in its upper line
// moves on by one line. Then the warp waits once while each lane goes through a line.
//
// The one or two lines together are the *window* of the data structure, %sl1_span bytes. Its address in global memory
// is the tag. A window never reaches into another page than that of its first line, since the allocation may end there.
//
// A window's place in shared memory is a multiple of the window's size. Word j of the window lies at place XOR 4j. The
// place's lower bits hold the number of windows before it, with 128 bytes counted as one. So lanes that access the same
// word of their windows use different banks.
#include "sl1/unit.h"

// Where pointers may alias, or one is of unknown origin, lines are looked up one by one.
bool sl1_pairs(const Sl1Writer *w)
{
    return w->options->pairs && w->options->line != 24 && !w->alias && !w->plan->unknown;
}

bool sl1_paired(const Sl1Writer *w, uint32_t structure) { return sl1_pairs(w) && !sl1_in_registers(w, structure); }

// --- one line --------------------------------------------------------------------------------------------------------
static const char *const words[2][4] = {{"%sl1_v0", "%sl1_v1", "%sl1_v2", "%sl1_v3"},
                                        {"%sl1_v4", "%sl1_v5", "%sl1_z0", "%sl1_z1"}};

// Loads the line at %sl1_y into words[half]. The upper line may lie behind the allocation.
static void load_line(Sl1Writer *w, uint32_t half)
{
    const char *const *to = words[half];
    sl1_put(w, ".pragma \"%s\";", half ? AHEAD_PRAGMA : FILL_PRAGMA);
    if (w->options->line == 16)
        sl1_put(w, "ld.global.v4.b32 {%s, %s, %s, %s}, [%%sl1_y];", to[0], to[1], to[2], to[3]);
    else
        sl1_put(w, "ld.global.v2.b32 {%s, %s}, [%%sl1_y];", to[0], to[1]);
}

// Sets %sl1_s to the place of a word of the window.
static void find_word(Sl1Writer *w, uint32_t k, uint32_t half, uint32_t word)
{
    sl1_put(w, "xor.b32 %%sl1_s, %%sl1_l%u, %u;", k, half * w->options->line + 4 * word);
}

static void keep_line(Sl1Writer *w, uint32_t k, uint32_t half)
{
    for (uint32_t j = 0; j < w->options->line / 4; j++)
        find_word(w, k, half, j), sl1_put(w, "st.shared.b32 [%%sl1_s], %s;", words[half][j]);
}

void sl1_take_line(Sl1Writer *w, uint32_t k, uint32_t half)
{
    for (uint32_t j = 0; j < w->options->line / 4; j++)
        find_word(w, k, half, j), sl1_put(w, "ld.shared.b32 %s, [%%sl1_s];", words[0][j]);
}

// Sets %sl1_span by p: are there two lines for each structure? Behind sl1_find_region, which left the lane's number in
// %sl1_t. %sl1_lines becomes the lane's first window.
void sl1_put_span(Sl1Writer *w)
{
    uint32_t line = w->options->line;
    sl1_put(w, "selp.b32 %%sl1_span, %u, %u, %%sl1_p;", 2 * line, line);
    sl1_put(w, "mul.lo.u32 %%sl1_v0, %%sl1_t, %%sl1_span;");
    sl1_put(w, "add.u32 %%sl1_lines, %%sl1_lines, %%sl1_v0;");
    sl1_put(w, "shr.u32 %%sl1_v0, %%sl1_v0, 7;");
    sl1_put(w, "mad.lo.u32 %%sl1_lines, %%sl1_v0, 4, %%sl1_lines;");
}

// --- the window ------------------------------------------------------------------------------------------------------
// %sl1_i becomes where the window begins that an access of %sl1_low needs, and %sl1_y the whole address of that place.
static void put_window(Sl1Writer *w)
{
    uint32_t line = w->options->line;
    sl1_put(w, "and.b32 %%sl1_i, %%sl1_low, -%u;", line);
    sl1_put(w, "and.b32 %%sl1_m, %%sl1_i, %u;", AHEAD_GRANULE - line);
    sl1_put(w, "setp.eq.u32 %%sl1_p, %%sl1_m, %u;", AHEAD_GRANULE - line);
    sl1_put(w, "sub.u32 %%sl1_m, %%sl1_span, %u;", line);
    sl1_put(w, "@%%sl1_p sub.u32 %%sl1_i, %%sl1_i, %%sl1_m;");
    sl1_put(w, "sub.u32 %%sl1_t, %%sl1_low, %%sl1_i;");
    sl1_put(w, "cvt.u64.u32 %%sl1_y, %%sl1_t;");
    sl1_put(w, "sub.u64 %%sl1_y, %s, %%sl1_y;", w->x);
}

// Moves the window to where the access needs it, if it isn't there. Both lines are loaded before either is kept, so
// that a lane that needs both waits once. A structure that the main loops only store to isn't loaded: all that is
// looked at in its lines is what was written.
void sl1_move_pair(Sl1Writer *w, uint32_t k)
{
    uint32_t line = w->options->line, two = ++w->labels, jump = ++w->labels, upper = ++w->labels, there = ++w->labels;
    bool loaded = w->plan->structure[k].loaded;
    put_window(w);
    sl1_put(w, "sub.u32 %%sl1_t, %%sl1_i, %%sl1_a%u;", k);
    sl1_put(w, "setp.eq.u32 %%sl1_p, %%sl1_t, 0;");
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", there);
    sl1_put(w, "setp.ne.u32 %%sl1_p, %%sl1_span, %u;", line);
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", two);
    sl1_write_back(w, k);
    if (loaded) load_line(w, 0), keep_line(w, k, 0);
    sl1_put(w, "mov.u32 %%sl1_a%u, %%sl1_i;", k);
    sl1_put(w, "bra $sl1_g%u;", there);
    sl1_put(w, "$sl1_g%u:", two);
    sl1_put(w, "setp.ne.u32 %%sl1_p, %%sl1_t, %u;", line);
    sl1_put(w, "@%%sl1_p bra $sl1_g%u;", jump);
    sl1_write_half(w, k, 0);
    if (sl1_has_bitmap(w, k)) sl1_put(w, "shr.u32 %%sl1_b%u, %%sl1_b%u, %u;", k, k, line);
    sl1_take_line(w, k, 1);
    if (!loaded) keep_line(w, k, 0);
    sl1_put(w, "bra $sl1_g%u;", upper);
    sl1_put(w, "$sl1_g%u:", jump);
    sl1_write_back(w, k);
    if (loaded) load_line(w, 0);
    sl1_put(w, "$sl1_g%u:", upper);
    if (loaded)
        sl1_put(w, "add.s64 %%sl1_y, %%sl1_y, %u;", line), load_line(w, 1), keep_line(w, k, 0), keep_line(w, k, 1);
    sl1_put(w, "mov.u32 %%sl1_a%u, %%sl1_i;", k);
    sl1_put(w, "$sl1_g%u:", there);
}
