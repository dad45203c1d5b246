// upper: a text in capitals. With wordcount the least that a streaming program can do for a character (S-L1, §4.2).
#include "kernel.h"

extern "C" __global__ void upper(unsigned size, unsigned chunk, const unsigned char *text, unsigned char *capitals) {
    const Chunk mine = my_chunk(size, chunk);
    for (unsigned i = mine.begin; i < mine.end; i++) {
        const unsigned c = text[i];
        capitals[i] = c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
    }
}
