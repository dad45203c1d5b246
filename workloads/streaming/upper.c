// upper: a text in capitals.
#include "stream.h"

#include <ctype.h>

static void run(Work *work)
{
    const Shape shape = work_shape(work);
    const int64_t size = work_shared(work, "size");
    char *text = work_host(work, (size_t)size), *got = work_host(work, (size_t)size);
    write_prose(work, text, (size_t)size, WORD_BITS);
    WorkBuf dtext = work_upload(work, "text", text, (size_t)size);
    WorkBuf dcapitals = work_device(work, "capitals", (size_t)size);

    work_launch(work, "upper", shape.grid, shape.block, 0,
                ARGS(arg_i32(size), arg_i32(chunk_of(shape, size)), arg_buf(dtext), arg_buf(dcapitals)));
    work_read(work, got, dcapitals, (size_t)size);
    if (!work_ok(work)) return;

    for (int64_t i = 0; i < size; i++) text[i] = (char)toupper((unsigned char)text[i]);
    check_bytes(work, "capitals, four a word", got, text, (size_t)size);
}

static const WorkParam params[] = {
    SHAPE_PARAMS,
    {"size", "characters of the text, 1 to 2^30", 5000, 4 << 20, 1, 1 << 30},
    {.name = NULL},
};

const Workload workload_streaming_upper = {"upper", "streaming", "A text in capitals, a thread a chunk (S-L1, Table 1)",
                                           params, run};
