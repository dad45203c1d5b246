// wc: word count. Each map gets a piece of a text that ends between words, and emits each word of it with a 1. The
// reduce adds up the ones of a word. Words are of letters, and capitals count as small letters.
#include "mapreduce.h"

// The piece, the value of an input pair, is where it begins and how long it is. An emitted key is the word's hash, its
// place and its length. By the hash most words are told apart at once.
struct Wc {
    static __device__ __forceinline__ unsigned letter(unsigned c) {  // 0 if it is none
        c |= 'a' - 'A';
        return c - 'a' < 26 ? c : 0;
    }

    template <class Out>
    static __device__ __forceinline__ void map(const Data &data, const Words &, const Words &piece, Out &out) {
        const unsigned end = piece[0] + piece[1];
        unsigned i = piece[0];
        while (i < end) {
            const unsigned begin = i;
            unsigned hash = 0x811C9DC5, c = 0;  // FNV-1a
            for (; i < end && (c = letter(data.text[i])); i++) hash = (hash ^ c) * 0x01000193;
            if (i > begin)
                out.emit(3, 1, [&](unsigned *key, unsigned *value) {
                    key[0] = hash;
                    key[1] = begin;
                    key[2] = i - begin;
                    value[0] = 1;
                });
            i++;
        }
    }

    static __device__ __forceinline__ int compare(const Data &data, const unsigned *a, const unsigned *b) {
        if (a[0] != b[0]) return a[0] > b[0] ? 1 : -1;
        for (unsigned i = 0; i < a[2] && i < b[2]; i++) {
            const int by = (int)letter(data.text[a[1] + i]) - (int)letter(data.text[b[1] + i]);
            if (by != 0) return by;
        }
        return (a[2] > b[2]) - (a[2] < b[2]);
    }

    template <class Out>
    static __device__ __forceinline__ void reduce(const Data &, const Words &word, const Group &ones, Out &out) {
        out.emit(2, 1, [&](unsigned *key, unsigned *value) {
            unsigned sum = 0;
            for (unsigned i = 0; i < ones.count; i++) sum += ones[i][0];
            key[0] = word[1];
            key[1] = word[2];
            value[0] = sum;
        });
    }
};

MAPREDUCE_MAP(wc, Wc)
MAPREDUCE_GROUP(wc, Wc)
MAPREDUCE_REDUCE(wc, Wc)
