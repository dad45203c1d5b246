// aes: encryption with AES and a key of 128 bits, each 16 bytes on their own. ISPASS 2009's definition (Manavski): a
// thread has a column of four bytes, so that 256 threads encrypt 1024 bytes. A round looks four bytes up in tables of
// 256 words each and adds what it finds to a word of the expanded key. Threads pass their columns on through shared
// memory, from one half of `state` to the other. Shared memory also has copies of the tables, which come from constant
// memory. The expanded key is in a texture, whose floats are taken as words.
#include "cuda.h"

#define BLOCK 256
#define ROUNDS 10

// What a byte of each row adds to the four bytes of its new column: SubBytes and MixColumns in one.
__constant__ uint tables[4][256];

// Words are columns, with row 0 in the lowest byte.
extern "C" __global__ void aes_encrypt(uint words, cudaTextureObject_t key, const uint *text, uint *cipher) {
    __shared__ uint state[2][BLOCK], table0[256], table1[256], table2[256], table3[256];
    uint *table[4];  // An initialiser might become a constant, and constants of PTX have no shared addresses.
    table[0] = table0, table[1] = table1, table[2] = table2, table[3] = table3;
    const uint t = threadIdx.x, column = t % 4, i = BLOCK * blockIdx.x + t;
    const auto key_of = [&](int round) { return __float_as_uint(tex1Dfetch<float>(key, 4 * round + column)); };
    for (int r = 0; r < 4; r++) table[r][t] = tables[r][t];
    state[0][t] = (i < words ? text[i] : 0) ^ key_of(0);
    __syncthreads();

    // ShiftRows takes row r's byte from the column r places on. Here are those bytes, as they are in the first half.
    const unsigned char *from[4];
    for (int r = 0; r < 4; r++) from[r] = (const unsigned char *)&state[0][t - column + (column + r) % 4] + r;
#pragma unroll
    for (int round = 1; round < ROUNDS; round++) {
        const int half = sizeof state[0] * ((round - 1) % 2);
        uint word = key_of(round);
        for (int r = 0; r < 4; r++) word ^= table[r][from[r][half]];
        state[round % 2][t] = word;
        __syncthreads();
    }

    // The last round doesn't mix the columns. It takes the highest byte of table1's word, which is SubBytes' result.
    const int half = sizeof state[0] * ((ROUNDS - 1) % 2);
    uint word = key_of(ROUNDS);
    for (int r = 0; r < 4; r++) word ^= (uint)((const unsigned char *)&table[1][from[r][half]])[3] << 8 * r;
    if (i < words) cipher[i] = word;
}
