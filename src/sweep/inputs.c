// inputs.c: the files that a CUDA program read belong to what determines its run. They are known when it has run: then
// their hashes go into its key, and, by name, among its measures. A later plan asks the store for a run whose files are
// still the same (store/inputs.c).
//
// Invariant: a file that the program itself wrote before it read it is no input.
#include "driver/wire.h"
#include "sweep/unit.h"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static void put_hash(XXH128_hash_t h, char hash[KEY_DIGITS + 1])
{
    snprintf(hash, KEY_DIGITS + 1, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
}

// Opens a regular file. The names in a store are a stranger's: a pipe or a device would never end.
static FILE *open_regular(const char *name, struct stat *info)
{
    int file = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return NULL;
    FILE *f = !fstat(file, info) && S_ISREG(info->st_mode) ? fdopen(file, "rb") : NULL;
    if (!f) close(file);
    return f;
}

static bool hash_contents(FILE *f, char hash[KEY_DIGITS + 1])
{
    enum { PART = 1 << 16 };
    XXH3_state_t *state = XXH3_createState();
    char *part = mem_alloc(PART);
    size_t n;
    bool ok = state && XXH3_128bits_reset(state) == XXH_OK;
    while (ok && (n = fread(part, 1, PART, f)) > 0) XXH3_128bits_update(state, part, n);
    ok = ok && !ferror(f);
    if (ok) put_hash(XXH3_128bits_digest(state), hash);
    mem_free(part);
    if (state) XXH3_freeState(state);
    return ok;
}

// known: null, or hashes of files as they were by name, size and time of their last change: many cells read the same.
static bool hash_file(const char *name, Hashes *known, char hash[KEY_DIGITS + 1])
{
    struct stat info;
    Text as = {0};
    int64_t at;
    FILE *f = open_regular(name, &info);
    if (!f) return false;
    text_printf(&as, "%s\n%lld %lld.%09ld", name, (long long)info.st_size, (long long)info.st_mtim.tv_sec,
                info.st_mtim.tv_nsec);
    bool ok = known && map_get(&known->at, as.v, as.n, &at);
    if (ok) {
        memcpy(hash, known->v.v[at], KEY_DIGITS + 1);
    } else if ((ok = hash_contents(f, hash)) && known) {
        map_put(&known->at, as.v, as.n, (int64_t)known->v.n);
        vec_push(&known->v, mem_text(hash));
    }
    fclose(f);
    text_free(&as);
    return ok;
}

void hashes_free(Hashes *h)
{
    for (size_t k = 0; k < h->v.n; k++) mem_free(h->v.v[k]);
    vec_free(&h->v), map_free(&h->at);
}

typedef enum Use { READ = 1, WRITTEN = 2, CHANGED = 3 } Use;  // CHANGED: first read, and then written

// The files of "rNAME" and "wNAME", in the order of their first lines.
static void read_names(const Text *lines, Map *uses, Arena *arena, TextList *names)
{
    for (const char *p = lines->v ? lines->v : ""; *p;) {
        size_t n = strcspn(p, "\n");
        const char *name = arena_text(arena, p + 1, n ? n - 1 : 0);
        int64_t use = 0;
        bool known = map_get(uses, name, strlen(name), &use);
        if (!known) vec_push(names, name);
        if (*p == 'w' && use == READ) use = CHANGED;
        if (!known) use = *p == 'w' ? WRITTEN : READ;
        map_put(uses, name, strlen(name), use);
        p += n + (p[n] == '\n');
    }
}

// What a file that was read and then written had in it, nobody knows any more.
void inputs_end(const char *opened, Findings *found, Identity *id)
{
    Text lines = {0}, all = {0};
    Map uses = {0};
    Arena arena = {0};
    TextList names = {0};
    char hash[KEY_DIGITS + 1];
    bool unknown = !text_read_file(&lines, opened) || lines.n >= OPENED_MOST;
    read_names(&lines, &uses, &arena, &names);
    findings_put_text(found, INPUT_BASE, "", id->base);
    text_printf(&all, "%s\n", id->base);
    for (size_t k = 0; k < names.n; k++) {
        int64_t use = 0;
        map_get(&uses, names.v[k], strlen(names.v[k]), &use);
        unknown |= use == CHANGED;
        // A file that is gone was only there for a while.
        if (use != READ || !hash_file(names.v[k], NULL, hash)) continue;
        findings_put_text(found, INPUT_FILE, names.v[k], hash);
        text_printf(&all, "%s %s\n", names.v[k], hash);
    }
    if (unknown) findings_put_text(found, INPUT_MORE, "", "what it read isn't known");
    put_hash(XXH3_128bits(all.v, all.n), id->key);
    text_free(&lines), text_free(&all);
    map_free(&uses), vec_free(&names), arena_free(&arena);
}

bool inputs_same(void *hashes, const char *file, const char *hash)
{
    char now[KEY_DIGITS + 1];
    return hash_file(file, hashes, now) && !strcmp(now, hash);
}
