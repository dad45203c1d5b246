// mapreduce.h: MapReduce on a GPU as Mars has it (He et al., PACT 2008): what the suite's kernels share. job.h launches
// them. Data are pairs of a key and a value, both of 32-bit words. Strings aren't copied: a key has the place of its
// string in a text. No kernel uses atomics. Whatever writes does so in two passes: in the first each thread counts what
// it would write, a prefix sum of the counts gives each thread its place, and in the second the threads write.
//
//     map     a thread a pair: count, scan, write. Between map and reduce pairs are grouped:
//     group   a bitonic sort of the pairs' places by key; the pairs are copied in that order; and the first pair of
//             each key is found
//     reduce  a thread a key: count, scan, write
//
// A program is a struct with functions of these names, as far as it has these steps:
//
//     template <class Out> static void map(const Data &data, const Words &key, const Words &value, Out &out);
//     static int compare(const Data &data, const unsigned *a, const unsigned *b);  // of keys, as strcmp
//     template <class Out> static void reduce(const Data &data, const Words &key, const Group &group, Out &out);
//
// MAPREDUCE_MAP(name, Program), MAPREDUCE_GROUP and MAPREDUCE_REDUCE make its kernels.
//
// Shared memory: the scan has 2 KiB in a block of 256 threads, since it sums 512 words there. The sort is in global
// memory, one launch a step, for fewer pairs than the parameter `unit`, which is Mars's 2^18 unless it is chosen. Of
// more, a block sorts units of 256 in shared memory: 16 bytes, a Pair, for each of its 256 threads. An SM of 1536
// threads has room for six such blocks, with 24 KiB: half of the shared memory of a GTX 480, which is what CIAO's
// Table II has for SS. There the registers leave room for four of them, or for two where strings are compared. Map and
// reduce have none: what they emit goes from registers to its place. (Mars puts keys and values together in shared
// memory, 20 bytes a thread, since they would be in local memory otherwise.)
#ifndef WORKLOADS_MAPREDUCE_H
#define WORKLOADS_MAPREDUCE_H

#include "cuda.h"

// What a program has besides pairs. All of its kernels get it.
struct Data {
    const unsigned char *text;
    const void *own;
    unsigned number;
};

struct Words {
    const unsigned *at;
    unsigned count;
    __device__ __forceinline__ unsigned operator[](unsigned i) const { return at[i]; }
};

// Where a pair is among the keys and the values, in words.
struct __align__(16) Pair { unsigned key, key_words, value, value_words; };
#define NO_PAIR 0xFFFFFFFF  // the key of what fills the directory up to a power of two: greater than any

struct Pairs {
    unsigned *keys, *values;
    Pair *directory;

    __device__ __forceinline__ Words key_of(const Pair &pair) const { return {keys + pair.key, pair.key_words}; }
    __device__ __forceinline__ Words value_of(const Pair &pair) const
    {
        return {values + pair.value, pair.value_words};
    }
};

// The values of one key.
struct Group {
    Pairs pairs;
    unsigned begin, count;
    __device__ __forceinline__ Words operator[](unsigned i) const { return pairs.value_of(pairs.directory[begin + i]); }
};

// The grid has two dimensions where there are more blocks than one can have.
__device__ __forceinline__ unsigned my_block() { return blockIdx.y * gridDim.x + blockIdx.x; }
__device__ __forceinline__ unsigned my_thread() { return my_block() * blockDim.x + threadIdx.x; }

// --- Emitting -------------------------------------------------------------------------------------------------------
// out.emit(key words, value words, write): a pair; write(key, value) is called to write it, in the second pass only.

struct Counter {
    unsigned key_words, value_words, pairs;

    template <class Write> __device__ __forceinline__ void emit(unsigned of_key, unsigned of_value, Write)
    {
        key_words += of_key;
        value_words += of_value;
        pairs++;
    }
};

struct Writer {
    Pairs to;
    unsigned key, value, pair;

    template <class Write> __device__ __forceinline__ void emit(unsigned of_key, unsigned of_value, Write write)
    {
        to.directory[pair++] = {key, of_key, value, of_value};
        write(to.keys + key, to.values + value);
        key += of_key;
        value += of_value;
    }
};

// What the threads count, or where each begins. There is one more element than threads: the scan leaves the sum there.
struct Places {
    unsigned *key_words, *value_words, *pairs;

    __device__ __forceinline__ void put(unsigned i, const Counter &counter) const
    {
        key_words[i] = counter.key_words;
        value_words[i] = counter.value_words;
        pairs[i] = counter.pairs;
    }
    __device__ __forceinline__ Writer writer(unsigned i, const Pairs &to) const
    {
        return {to, key_words[i], value_words[i], pairs[i]};
    }
};

// --- Map and reduce -------------------------------------------------------------------------------------------------

template <class Program, class Out>
__device__ __forceinline__ void map_pair(const Data &data, const Pairs &in, unsigned i, Out &out)
{
    const Pair pair = in.directory[i];
    Program::map(data, in.key_of(pair), in.value_of(pair), out);
}

template <class Program>
__device__ __forceinline__ void map_count(const Data &data, unsigned n, const Pairs &in, const Places &counts)
{
    const unsigned i = my_thread();
    Counter counter = {0, 0, 0};
    if (i < n) map_pair<Program>(data, in, i, counter);
    if (i <= n) counts.put(i, counter);
}

template <class Program>
__device__ __forceinline__ void map_write(const Data &data, unsigned n, const Pairs &in, const Places &places,
                                          const Pairs &to)
{
    const unsigned i = my_thread();
    if (i >= n) return;
    Writer writer = places.writer(i, to);
    map_pair<Program>(data, in, i, writer);
}

// starts[g] is the first pair of group g, starts[n] one past the last of all.
template <class Program, class Out>
__device__ __forceinline__ void reduce_group(const Data &data, const Pairs &in, const unsigned *starts, unsigned g,
                                             Out &out)
{
    const unsigned begin = starts[g], count = starts[g + 1] - begin;
    Program::reduce(data, in.key_of(in.directory[begin]), Group{in, begin, count}, out);
}

template <class Program>
__device__ __forceinline__ void reduce_count(const Data &data, unsigned n, const Pairs &in, const unsigned *starts,
                                             const Places &counts)
{
    const unsigned g = my_thread();
    Counter counter = {0, 0, 0};
    if (g < n) reduce_group<Program>(data, in, starts, g, counter);
    if (g <= n) counts.put(g, counter);
}

template <class Program>
__device__ __forceinline__ void reduce_write(const Data &data, unsigned n, const Pairs &in, const unsigned *starts,
                                             const Places &places, const Pairs &to)
{
    const unsigned g = my_thread();
    if (g >= n) return;
    Writer writer = places.writer(g, to);
    reduce_group<Program>(data, in, starts, g, writer);
}

// --- Exclusive prefix sums ------------------------------------------------------------------------------------------

#define SCAN 512  // words that a block sums, two for each of its threads

// Makes each element the sum of those before it in its block's part, and sums[b] that of all of block b's. The sums of
// ever longer stretches are made on the way up, and are handed down again on the way back (Blelloch).
extern "C" __global__ void scan(unsigned n, unsigned *data, unsigned *sums)
{
    __shared__ unsigned part[SCAN];
    const unsigned t = threadIdx.x, first = my_block() * SCAN + t, second = first + SCAN / 2;
    part[t] = first < n ? data[first] : 0;
    part[t + SCAN / 2] = second < n ? data[second] : 0;
    for (unsigned stride = 1; stride < SCAN; stride *= 2) {
        const unsigned last = 2 * stride * (t + 1) - 1;
        __syncthreads();
        if (last < SCAN) part[last] += part[last - stride];
    }
    if (t == 0) {
        if (first < n) sums[my_block()] = part[SCAN - 1];
        part[SCAN - 1] = 0;
    }
    for (unsigned stride = SCAN / 2; stride > 0; stride /= 2) {
        const unsigned last = 2 * stride * (t + 1) - 1;
        __syncthreads();
        if (last < SCAN) {
            const unsigned before = part[last - stride];
            part[last - stride] = part[last];
            part[last] += before;
        }
    }
    __syncthreads();
    if (first < n) data[first] = part[t];
    if (second < n) data[second] = part[t + SCAN / 2];
}

// Adds to each element what is before its block's part.
extern "C" __global__ void scan_add(unsigned n, unsigned *data, const unsigned *sums)
{
    const unsigned i = my_thread();
    if (i < n) data[i] += sums[i / SCAN];
}

// --- Group ----------------------------------------------------------------------------------------------------------

#define UNIT 256  // pairs that a block sorts, one for each of its threads

// Word by word, since clang keeps a pair that is copied as a whole in local memory.
__device__ __forceinline__ Pair copy(const Pair &p) { return {p.key, p.key_words, p.value, p.value_words}; }

template <class Program>
__device__ __forceinline__ int compare_pairs(const Data &data, const unsigned *keys, const Pair &a, const Pair &b)
{
    if (a.key == NO_PAIR || b.key == NO_PAIR) return (a.key == NO_PAIR) - (b.key == NO_PAIR);
    return Program::compare(data, keys + a.key, keys + b.key);
}

template <class Program>
__device__ __forceinline__ void put_in_order(const Data &data, const unsigned *keys, Pair &low, Pair &high, bool rising)
{
    const Pair a = copy(low), b = copy(high);
    const int order = compare_pairs<Program>(data, keys, a, b);
    if (rising ? order > 0 : order < 0) {
        low = b;
        high = a;
    }
}

// The steps of a bitonic sort that stay in a unit: those that merge runs of `from` pairs to those of `to`, which rise
// and fall in turns. Of longer runs it is the end of the merging.
template <class Program>
__device__ __forceinline__ void sort_unit(const Data &data, const unsigned *keys, Pair *directory, unsigned from,
                                          unsigned to)
{
    __shared__ Pair unit[UNIT];
    const unsigned t = threadIdx.x, i = my_block() * UNIT + t;
    unit[t] = copy(directory[i]);
    for (unsigned run = from; run <= to; run *= 2)
        for (unsigned distance = run < UNIT ? run / 2 : UNIT / 2; distance > 0; distance /= 2) {
            const unsigned other = t ^ distance;
            __syncthreads();
            if (other > t) put_in_order<Program>(data, keys, unit[t], unit[other], (i & run) == 0);
        }
    __syncthreads();
    directory[i] = copy(unit[t]);
}

// One step over all pairs, a thread for two of them.
template <class Program>
__device__ __forceinline__ void sort_step(const Data &data, unsigned n, const unsigned *keys, Pair *directory,
                                          unsigned run, unsigned distance)
{
    const unsigned i = my_thread(), low = 2 * i - (i & (distance - 1));
    if (i < n / 2) put_in_order<Program>(data, keys, directory[low], directory[low + distance], (low & run) == 0);
}

extern "C" __global__ void gather_count(unsigned n, const Pair *directory, unsigned *key_words, unsigned *value_words)
{
    const unsigned i = my_thread();
    if (i > n) return;
    key_words[i] = i < n ? directory[i].key_words : 0;
    value_words[i] = i < n ? directory[i].value_words : 0;
}

// Copies the pairs in the directory's order.
extern "C" __global__ void gather(unsigned n, const unsigned *keys, const unsigned *values, const Pair *directory,
                                  const unsigned *key_places, const unsigned *value_places, unsigned *to_keys,
                                  unsigned *to_values, Pair *to_directory)
{
    const unsigned i = my_thread();
    if (i >= n) return;
    const Pair from = directory[i], to = {key_places[i], from.key_words, value_places[i], from.value_words};
    for (unsigned w = 0; w < to.key_words; w++) to_keys[to.key + w] = keys[from.key + w];
    for (unsigned w = 0; w < to.value_words; w++) to_values[to.value + w] = values[from.value + w];
    to_directory[i] = to;
}

// 1 where a group begins.
template <class Program>
__device__ __forceinline__ void find_heads(const Data &data, unsigned n, const unsigned *keys, const Pair *directory,
                                           unsigned *heads)
{
    const unsigned i = my_thread();
    if (i > n) return;
    heads[i] = i < n && (i == 0 || compare_pairs<Program>(data, keys, directory[i - 1], directory[i]) != 0);
}

// groups[i] is how many groups begin before pair i.
extern "C" __global__ void find_starts(unsigned n, const unsigned *groups, unsigned *starts)
{
    const unsigned i = my_thread();
    if (i == n || (i < n && groups[i + 1] != groups[i])) starts[groups[i]] = i;
}

// --- The kernels of a program ---------------------------------------------------------------------------------------

#define DATA_PARAMS const unsigned char *text, const void *own, unsigned number
#define PAIRS_PARAMS(name) unsigned *name##_keys, unsigned *name##_values, Pair *name##_directory
#define PLACES_PARAMS unsigned *key_words, unsigned *value_words, unsigned *pairs
#define DATA \
    Data { text, own, number }
#define PAIRS(name) \
    Pairs { name##_keys, name##_values, name##_directory }
#define PLACES \
    Places { key_words, value_words, pairs }

#define MAPREDUCE_MAP(name, Program)                                                                                  \
    extern "C" __global__ void name##_map_count(DATA_PARAMS, unsigned n, PAIRS_PARAMS(in), PLACES_PARAMS)             \
    {                                                                                                                 \
        map_count<Program>(DATA, n, PAIRS(in), PLACES);                                                               \
    }                                                                                                                 \
    extern "C" __global__ void name##_map(DATA_PARAMS, unsigned n, PAIRS_PARAMS(in), PLACES_PARAMS, PAIRS_PARAMS(to)) \
    {                                                                                                                 \
        map_write<Program>(DATA, n, PAIRS(in), PLACES, PAIRS(to));                                                    \
    }

#define MAPREDUCE_GROUP(name, Program)                                                                                 \
    extern "C" __global__ void name##_sort_unit(DATA_PARAMS, const unsigned *keys, Pair *directory, unsigned from,     \
                                                unsigned to)                                                           \
    {                                                                                                                  \
        sort_unit<Program>(DATA, keys, directory, from, to);                                                           \
    }                                                                                                                  \
    extern "C" __global__ void name##_sort_step(DATA_PARAMS, unsigned n, const unsigned *keys, Pair *directory,        \
                                                unsigned run, unsigned distance)                                       \
    {                                                                                                                  \
        sort_step<Program>(DATA, n, keys, directory, run, distance);                                                   \
    }                                                                                                                  \
    extern "C" __global__ void name##_find_heads(DATA_PARAMS, unsigned n, const unsigned *keys, const Pair *directory, \
                                                 unsigned *heads)                                                      \
    {                                                                                                                  \
        find_heads<Program>(DATA, n, keys, directory, heads);                                                          \
    }

#define MAPREDUCE_REDUCE(name, Program)                                                                               \
    extern "C" __global__ void name##_reduce_count(DATA_PARAMS, unsigned n, PAIRS_PARAMS(in), const unsigned *starts, \
                                                   PLACES_PARAMS)                                                     \
    {                                                                                                                 \
        reduce_count<Program>(DATA, n, PAIRS(in), starts, PLACES);                                                    \
    }                                                                                                                 \
    extern "C" __global__ void name##_reduce(DATA_PARAMS, unsigned n, PAIRS_PARAMS(in), const unsigned *starts,       \
                                             PLACES_PARAMS, PAIRS_PARAMS(to))                                         \
    {                                                                                                                 \
        reduce_write<Program>(DATA, n, PAIRS(in), starts, PLACES, PAIRS(to));                                         \
    }

// --- Strings in the text --------------------------------------------------------------------------------------------

// As memcmp; of two that differ only in length, the shorter comes first.
__device__ __forceinline__ int compare_text(const unsigned char *a, unsigned a_length, const unsigned char *b,
                                            unsigned b_length)
{
    for (unsigned i = 0; i < a_length && i < b_length; i++)
        if (a[i] != b[i]) return (int)a[i] - (int)b[i];
    return (a_length > b_length) - (a_length < b_length);
}

#endif
