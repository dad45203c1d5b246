// aes: encryption with AES and a key of 128 bits (FIPS 197).
#include "../host.h"

#include <string.h>

#define BLOCK 256
enum { UNIT = 16, ROUNDS = 10, KEY_BYTES = UNIT * (ROUNDS + 1) };

// The example of FIPS 197, appendix B. Its text is the first unit of the input.
static const uint8_t example_key[UNIT] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                          0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
static const uint8_t example_text[UNIT] = {0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d,
                                           0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34};
static const uint8_t example_cipher[UNIT] = {0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb,
                                             0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32};

// The product in the field of 256 elements, modulo x^8 + x^4 + x^3 + x + 1.
static uint8_t times(uint8_t a, uint8_t b)
{
    uint8_t product = 0;
    for (; b; b >>= 1) {
        if (b & 1) product ^= a;
        a = (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
    }
    return product;
}

// SubBytes: the inverse in the field, then an affine map of its bits.
static void make_sbox(uint8_t sbox[256])
{
    for (int x = 0; x < 256; x++) {
        uint8_t inverse = 0;
        for (int y = 1; y < 256 && !inverse; y++)
            if (times((uint8_t)x, (uint8_t)y) == 1) inverse = (uint8_t)y;
        uint8_t s = 0x63;
        for (int turn = 0; turn < 5; turn++) s ^= (uint8_t)(inverse << turn | inverse >> (8 - turn));
        sbox[x] = s;
    }
}

static void expand_key(const uint8_t sbox[256], const uint8_t key[UNIT], uint8_t expanded[KEY_BYTES])
{
    uint8_t rcon = 1;
    memcpy(expanded, key, UNIT);
    for (int i = UNIT; i < KEY_BYTES; i += 4) {
        uint8_t w[4];
        memcpy(w, expanded + i - 4, 4);
        if (i % UNIT == 0) {
            const uint8_t first = w[0];
            w[0] = sbox[w[1]] ^ rcon, w[1] = sbox[w[2]], w[2] = sbox[w[3]], w[3] = sbox[first];
            rcon = times(rcon, 2);
        }
        for (int k = 0; k < 4; k++) expanded[i + k] = expanded[i + k - UNIT] ^ w[k];
    }
}

// The kernel's table for row r: what a byte adds to each row of its new column.
static void make_table(const uint8_t sbox[256], int r, uint32_t table[256])
{
    static const uint8_t mix[4] = {2, 1, 1, 3};
    for (int x = 0; x < 256; x++) {
        table[x] = 0;
        for (int row = 0; row < 4; row++) table[x] |= (uint32_t)times(sbox[x], mix[(row - r + 4) % 4]) << 8 * row;
    }
}

// One unit, step by step as FIPS 197 has it. Byte 4·column + row of s is the state's.
static void encrypt(const uint8_t sbox[256], const uint8_t key[KEY_BYTES], const uint8_t text[UNIT], uint8_t s[UNIT])
{
    for (int i = 0; i < UNIT; i++) s[i] = text[i] ^ key[i];
    for (int round = 1; round <= ROUNDS; round++) {
        uint8_t shifted[UNIT];
        for (int i = 0; i < UNIT; i++) shifted[i] = sbox[s[(i + 4 * (i % 4)) % UNIT]];
        for (int c = 0; c < UNIT; c += 4)
            for (int r = 0; r < 4; r++) {
                const uint8_t *column = shifted + c;
                const uint8_t mixed =
                    times(column[r], 2) ^ times(column[(r + 1) % 4], 3) ^ column[(r + 2) % 4] ^ column[(r + 3) % 4];
                s[c + r] = (round < ROUNDS ? mixed : column[r]) ^ key[UNIT * round + c + r];
            }
    }
}

static void run(Work *work)
{
    const int64_t size = work_param(work, "size"), words = size / 4;
    if (size % UNIT != 0) work_refuse(work, "size", "a multiple of 16");
    uint8_t sbox[256], key[KEY_BYTES];
    uint32_t tables[4][256];
    uint32_t *text = work_host(work, (size_t)size), *got = work_host(work, (size_t)size);
    uint8_t *want = work_host(work, (size_t)size);
    if (!work_ok(work)) return;
    for (int64_t i = 0; i < words; i++) text[i] = work_random(work);
    memcpy(text, example_text, UNIT);
    make_sbox(sbox);
    expand_key(sbox, example_key, key);
    for (int r = 0; r < 4; r++) make_table(sbox, r, tables[r]);
    work_write(work, work_symbol(work, "tables"), tables, sizeof tables);
    WorkBuf dkey = work_upload(work, "key", key, sizeof key), dtext = work_upload(work, "text", text, (size_t)size);
    WorkBuf dcipher = work_device(work, "cipher", (size_t)size);

    work_launch(work, "aes_encrypt", dim1(ceil_div(words, BLOCK)), dim1(BLOCK), 0,
                ARGS(arg_i32(words), arg_u64(work_texture(work, dkey)), arg_buf(dtext), arg_buf(dcipher)));
    work_read(work, got, dcipher, (size_t)size);
    if (!work_ok(work)) return;

    for (int64_t i = 0; i < size; i += UNIT) encrypt(sbox, key, (const uint8_t *)text + i, want + i);
    work_check_u32(work, "FIPS 197's example", got, (const uint32_t *)example_cipher, UNIT / 4);
    work_check_u32(work, "cipher", got, (const uint32_t *)want, (size_t)words);
}

static const WorkParam params[] = {
    {"size", "bytes of the text, a multiple of 16 up to 2^28", 5008, 263168, UNIT, 1 << 28},
    {.name = NULL},
};

const Workload workload_ispass_aes = {
    "aes", "ispass", "AES with a key of 128 bits, its tables in shared memory (ISPASS 2009)", params, run};
