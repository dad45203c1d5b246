// sto: the MD5 of every window of a text.
#include "../host.h"

#include <math.h>
#include <string.h>

#define BLOCK 128

// The first word of the MD5 of a message, as RFC 1321 defines it. room has count + 72 bytes.
static uint32_t md5(const uint8_t *message, int64_t count, const uint32_t sines[64], uint8_t *room)
{
    static const int turns[] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
    const int64_t padded = (count + 8) / 64 * 64 + 64;
    uint32_t hash[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    memcpy(room, message, (size_t)count);
    memset(room + count, 0, (size_t)(padded - count));
    room[count] = 0x80;
    for (int k = 0; k < 8; k++) room[padded - 8 + k] = (uint8_t)((uint64_t)count * 8 >> 8 * k);

    for (const uint8_t *unit = room; unit < room + padded; unit += 64) {
        uint32_t a = hash[0], b = hash[1], c = hash[2], d = hash[3];
        for (int i = 0; i < 64; i++) {
            uint32_t f;
            int from;
            switch (i / 16) {
            case 0: f = (b & c) | (~b & d), from = i; break;
            case 1: f = (b & d) | (c & ~d), from = 5 * i + 1; break;
            case 2: f = b ^ c ^ d, from = 3 * i + 5; break;
            default: f = c ^ (b | ~d), from = 7 * i; break;
            }
            const uint8_t *bytes = unit + 4 * (from % 16);
            const uint32_t word = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
            const uint32_t sum = a + f + word + sines[i];
            const int turn = turns[i / 16 * 4 + i % 4];
            a = d, d = c, c = b;
            b += sum << turn | sum >> (32 - turn);
        }
        hash[0] += a, hash[1] += b, hash[2] += c, hash[3] += d;
    }
    return hash[0];
}

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), window = work_param(work, "window"), offset = work_param(work, "offset");
    if (window % 4 != 0) work_refuse(work, "window", "a multiple of 4");
    if (offset % 4 != 0) work_refuse(work, "offset", "a multiple of 4");
    const size_t size = (size_t)((n - 1) * offset + window), bytes = (size_t)n * sizeof(uint32_t);
    uint32_t *text = work_host(work, size), *got = work_host(work, bytes), *want = work_host(work, bytes), sines[64];
    uint8_t *room = work_host(work, (size_t)window + 72);
    if (!work_ok(work)) return;
    for (size_t i = 0; i < size / 4; i++) text[i] = work_random(work);
    WorkBuf dtext = work_upload(work, "text", text, size), dhashes = work_device(work, "hashes", bytes);

    work_launch(work, "sto_md5", dim1(ceil_div(n, BLOCK)), dim1(BLOCK), 0,
                ARGS(arg_i32(n), arg_i32(window / 4), arg_i32(offset / 4), arg_buf(dtext), arg_buf(dhashes)));
    work_read(work, got, dhashes, bytes);
    if (!work_ok(work)) return;

    for (int i = 0; i < 64; i++) sines[i] = (uint32_t)(fabs(sin(i + 1)) * 4294967296.0);
    for (int64_t i = 0; i < n; i++) want[i] = md5((const uint8_t *)text + i * offset, window, sines, room);
    work_check_u32(work, "hashes", got, want, (size_t)n);
}

static const WorkParam params[] = {
    {"n", "windows, 1 to 2^22", 1000, 49152, 1, 1 << 22},
    {"window", "bytes of a window, a multiple of 4 up to 4096", 120, 52, 4, 4096},
    {"offset", "bytes from a window to the next, a multiple of 4 up to 256", 4, 4, 4, 256},
    {.name = NULL},
};

const Workload workload_ispass_sto = {
    "sto", "ispass", "The MD5 of every window of a text, in shared memory: StoreGPU (ISPASS 2009)", params, run};
