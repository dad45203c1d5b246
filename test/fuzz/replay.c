// replay.c: runs a fuzz target over the files and folders it is given, in place of libFuzzer's own main.
//
// So every input that once found something, and every seed, is tried again by `./dev check` with any compiler. With
// `--rounds FIRST COUNT LAST` in front it tries inputs that come from changing these instead, at full speed: a round's
// number decides the input, which is written to the file LAST before it is tried.
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) __attribute__((weak));

enum { MOST = 1 << 14 };  // bytes of a changed input
typedef struct Input {
    uint8_t *data;
    size_t size;
} Input;
typedef struct Inputs {
    Input *v;
    size_t n, cap;
} Inputs;

static void read_file(const char *path, Inputs *to)
{
    FILE *file = fopen(path, "rb");
    if (!file) return;
    size_t size = 0, cap = 4096;
    uint8_t *data = malloc(cap);
    for (size_t got; data && (got = fread(data + size, 1, cap - size, file)) > 0;) {
        size += got;
        if (size == cap) data = realloc(data, cap *= 2);
    }
    fclose(file);
    // An exact copy, so that a sanitizer sees the first byte read past the end.
    uint8_t *exact = malloc(size ? size : 1);
    if (to->n == to->cap) to->v = realloc(to->v, (to->cap = to->cap * 2 + 64) * sizeof *to->v);
    if (!data || !exact || !to->v) abort();
    memcpy(exact, data, size);
    free(data);
    to->v[to->n++] = (Input){exact, size};
}

static void read_path(const char *path, Inputs *to)
{
    DIR *folder = opendir(path);
    if (!folder) {
        read_file(path, to);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char inner[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        read_path(inner, to);
    }
    closedir(folder);
}

// One byte becomes another, goes, or gets a neighbour.
static size_t change_byte(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint64_t x = seed * 0xbf58476d1ce4e5b9u;
    size_t at = size ? (x >> 33) % size : 0;
    switch (x >> 62) {
    case 0:
        if (size) memmove(data + at, data + at + 1, --size - at);
        break;
    case 1:
        if (size < max_size) memmove(data + at + 1, data + at, size++ - at), data[at] = (uint8_t)(x >> 24);
        break;
    default:
        if (size) data[at] = (uint8_t)(x >> 24);
    }
    return size;
}

// A few changes of one of the inputs, picked by the round's number.
static void change(const Inputs *from, unsigned long round, const char *last)
{
    const Input *seed = &from->v[(round * 0x9e3779b97f4a7c15u >> 32) % from->n];
    if (seed->size > MOST) return;
    static uint8_t data[MOST];
    size_t size = seed->size;
    memcpy(data, seed->data, size);
    for (unsigned long times = 1 + round % 3; times; times--)
        size = (LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator : change_byte)(data, size, MOST,
                                                                                 (unsigned)(round * 8 + times));
    FILE *file = fopen(last, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file)) abort();
    LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv)
{
    Inputs inputs = {0};
    bool changed = argc > 4 && !strcmp(argv[1], "--rounds");
    for (int i = changed ? 5 : 1; i < argc; i++) read_path(argv[i], &inputs);
    for (size_t k = 0; k < inputs.n && !changed; k++) LLVMFuzzerTestOneInput(inputs.v[k].data, inputs.v[k].size);
    if (changed && inputs.n) {
        unsigned long round = strtoul(argv[2], NULL, 10), end = round + strtoul(argv[3], NULL, 10);
        while (round < end) change(&inputs, round++, argv[4]);
    }
    printf("%zu inputs %s\n", inputs.n, changed ? "changed" : "replayed");
    for (size_t k = 0; k < inputs.n; k++) free(inputs.v[k].data);
    free(inputs.v);
    return inputs.n ? 0 : 77;
}
