// replay.c: runs a fuzz target over the files and folders it is given, in place of libFuzzer's own main.
//
// So every input that once found something, and every seed, is tried again by `./dev check` with any compiler.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    size_t size = 0, cap = 4096;
    uint8_t *data = malloc(cap);
    for (size_t got; data && (got = fread(data + size, 1, cap - size, file)) > 0;) {
        size += got;
        if (size == cap) data = realloc(data, cap *= 2);
    }
    fclose(file);
    // An exact copy, so that a sanitizer sees the first byte read past the end.
    uint8_t *exact = malloc(size ? size : 1);
    if (!data || !exact) abort();
    memcpy(exact, data, size);
    free(data);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 1;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        if (!folder) {
            count += replay_file(argv[i]);
            continue;
        }
        for (struct dirent *entry; (entry = readdir(folder));) {
            char path[4096];
            if (entry->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            count += replay_file(path);
        }
        closedir(folder);
    }
    printf("%d inputs replayed\n", count);
    return count ? 0 : 77;
}
