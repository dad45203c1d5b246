// base.h: what every folder stands on: arenas, growing arrays, string maps, diagnostics, INI files, sizes, JSON text.
//
// Memory of small structures is assumed to be there: mem_alloc aborts when the host has none left, since no caller
// could go on. Anything whose size the user chooses (caches, device memory, files) is allocated with a checked call
// instead; before many small pieces, as of a module, mem_room asks for all of it at once (doc/reference/memory.md).
#ifndef BASE_H
#define BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ALWAYS_INLINE static inline __attribute__((always_inline))  // where calls would cost a good part of the time
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

// --- arena.c: memory tied to a lifetime ------------------------------------------------------------------------------
void *mem_alloc(size_t bytes);              // zeroed; aborts when out of memory
enum { HOST_LINE = 64 };                    // bytes of a line of the host's cache
void *mem_lines(size_t bytes);              // the same, from the beginning of a line on
void *mem_resize(void *old, size_t bytes);  // as realloc; aborts when out of memory
char *mem_text(const char *text);           // a copy
void mem_free(void *p);
void *mem_try(size_t n, size_t bytes);          // n zeroed elements; null when out of memory
void *mem_try_resize(void *old, size_t bytes);  // as realloc; null when out of memory, and old is as it was
// The same for tables of which a run may touch little: a page takes none of the host's memory before it is used.
void *mem_map(size_t n, size_t bytes);
void mem_unmap(void *p, size_t n, size_t bytes);  // with the sizes that mem_map got; p may be null
bool mem_room(uint64_t bytes);                    // whether the host would give so much at this moment, and MEM_SPARE
bool mem_maps(uint64_t bytes);                    // the same for who has asked mem_left: there are addresses for it
enum { MEM_SPARE = 16 << 20 };                    // what small structures may take unasked
extern const char mem_none[];                     // "the host has no memory for it", where a reason is given as a text

// --- room.c: what the host gives -------------------------------------------------------------------------------------
typedef struct HostRoom {
    uint64_t bytes;
    const char *limit;  // what sets the limit, as words
} HostRoom;
HostRoom mem_left(const char *root);  // root: "", or a folder that stands for /, for tests

// --- arena.c ---------------------------------------------------------------------------------------------------------
typedef struct ArenaChunk ArenaChunk;
typedef struct Arena {
    ArenaChunk *head;
} Arena;
void *arena_alloc(Arena *arena, size_t bytes);                    // zeroed, 16-byte aligned
char *arena_text(Arena *arena, const char *text, size_t length);  // a null-terminated copy
char *arena_copy(Arena *arena, const char *text);                 // of a whole text
void arena_free(Arena *arena);

// --- growing arrays: struct { T *v; size_t n, cap; } ----------------------------------------------------------------
#define VEC(T)         \
    struct {           \
        T *v;          \
        size_t n, cap; \
    }
#define vec_push(a, x)                                              \
    do {                                                            \
        if ((a)->n == (a)->cap) {                                   \
            (a)->cap = (a)->cap ? (a)->cap * 2 : 16;                \
            (a)->v = mem_resize((a)->v, (a)->cap * sizeof *(a)->v); \
        }                                                           \
        (a)->v[(a)->n++] = (x);                                     \
    } while (0)
// Takes the first element that is x out; the last one comes to its place.
#define vec_drop(a, x)                                    \
    do {                                                  \
        size_t at_ = 0;                                   \
        while (at_ < (a)->n && (a)->v[at_] != (x)) at_++; \
        if (at_ < (a)->n) (a)->v[at_] = (a)->v[--(a)->n]; \
    } while (0)
#define vec_free(a) (mem_free((a)->v), (a)->v = NULL, (a)->n = (a)->cap = 0)

// --- map.c: names to numbers -----------------------------------------------------------------------------------------
typedef struct MapEntry MapEntry;
typedef struct Map {
    MapEntry *table;
} Map;
bool map_get(const Map *map, const char *key, size_t length, int64_t *value);
void map_put(Map *map, const char *key, size_t length, int64_t value);  // replaces an older value
void map_free(Map *map);

// --- text.c: text that grows -----------------------------------------------------------------------------------------
typedef struct Text {
    char *v;  // null-terminated once anything was added
    size_t n, cap;
} Text;
void text_add(Text *text, const char *s, size_t length);
void text_put(Text *text, const char *s);
void text_printf(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(Text *text, const char *format, va_list args);
void text_number(Text *text, double value);  // finite; as few digits as give back the same
void text_free(Text *text);
char *arena_printf(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Returns the length of the well-formed UTF-8 sequence at s (Unicode 15, table 3-7) that can be shown, 0 if there is
// none: for a control character, an overlong form, a surrogate or a stray byte. left: how many bytes there are, 1 or
// more.
size_t text_sequence(const char *s, size_t left);

// --- shorten.c: texts made narrower ----------------------------------------------------------------------------------
size_t text_width(const char *text, size_t bytes);  // letters of UTF-8
// Gives each name at most `width` letters, 1 or more, by leaving out its middle; names that differ stay apart. Each of
// out is released with mem_free.
void names_shorten(const char *const *names, size_t n, size_t width, char **out);
char *name_shorten(const char *name, size_t width);  // one alone

// --- diag.c: diagnostics that point at the place ---------------------------------------------------------------------
// How everything behind onchip.h fails: a function returns false or null (device and work: an oc_status), and leaves
// why in a Diag. (mem and sm, which know no names, give the rule that a configuration breaks, a constant; gpu makes the
// error of it. What a kernel did wrong isn't an error of a call but a launch's end, and has a text.) device.c is where
// this meets the public interface: device_fail keeps the text that oc_error gives.
// A Diag is at most one error (the first wins): a sentence; or, of a Source, a named text,
//   name:line:col: error: message
//      12 | the line
//         |     ^
//   hint: …
// Where a text came from that a program wrote from others: its lines from byte `at` on are those from `line` on of the
// named one.
typedef struct LineMark {
    size_t at;
    const char *name;
    uint32_t line;
} LineMark;
typedef struct Source {
    const char *name, *text;
    size_t length;
    const LineMark *marks;  // in the order of the text; before the first one the text is its own
    size_t mark_count;
} Source;
typedef struct Diag {
    Text text;
    bool failed;
    bool unsupported;  // the input is legal, but asks for something that isn't implemented
    bool memory;       // the host has no memory for what it asks for
} Diag;
bool diag_error(Diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));  // always false
bool diag_verror(Diag *diag, const char *format, va_list args);                              // the same
bool diag_at(Diag *diag, const Source *source, size_t offset, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));  // always false; hint may be null
bool diag_vat(Diag *diag, const Source *source, size_t offset, const char *hint, const char *format, va_list args);
void diag_free(Diag *diag);
typedef struct SourcePlace {
    const char *name;
    int line, column;  // from 1 on
} SourcePlace;
SourcePlace source_place(const Source *source, size_t offset);  // where the text says that this byte came from
// The name of candidates[0..n) nearest to word (edit distance at most 3), or null: for "did you mean".
const char *nearest_name(const char *word, const char *const *candidates, size_t n);
// The same as the end of a message: "; did you mean 'x'?", or nothing where no name is near.
const char *did_you_mean(const char *word, const char *const *candidates, size_t n, char out[100]);

// --- file.c: whole files as text, and a folder for a while -----------------------------------------------------------
// Adds a whole file, of 256 MiB at most. False, with errno set and the text as it was, when it can't.
bool text_read_file(Text *text, const char *path);
// Makes the file, or replaces what it holds. False, with errno set, when it can't.
bool text_write_file(const Text *text, const char *path);
// Makes an empty folder, in TMPDIR or /tmp, and adds its name to path. The caller removes the folder.
bool folder_for_a_while(Text *path, Diag *diag);
// Adds the path of a file or folder that belongs to this program: beside the executable, where a build leaves it, or
// where an installation puts it. Whether it is there isn't looked at.
void own_path(Text *path, const char *name, bool installed);
// The same of one that is there: path becomes the first that can be read. False: neither can.
bool own_find(Text *path, const char *name);
const char *base_name(const char *path);  // a file's name without its folders

// --- program.c: another program's run, and what it says --------------------------------------------------------------
// Runs the program words[0], which is looked for in PATH, in folder; a null ends its words. said gets its standard
// output and its errors; status is what waitpid gives. False, with errno set, when it can't be begun.
bool program_run(const char *const *words, const char *folder, Text *said, int *status);
// Looks for a program as a shell does: in PATH, where its name has no slash. False: it isn't there.
bool program_find(const char *name, char *path, size_t size);

// --- ini.c: sections, keys, values, and the comments behind them -----------------------------------------------------
typedef struct IniEntry {
    const char *section, *key, *value, *comment;  // comment: the text behind # or ;, or the empty string
    size_t key_at, value_at;                      // byte offsets, for diagnostics
} IniEntry;
typedef struct Ini {
    Source source;  // owned
    Arena arena;
    VEC(IniEntry) entries;
} Ini;
bool ini_parse(Ini *ini, const char *name, const char *text, size_t length, Diag *diag);
void ini_free(Ini *ini);
bool ini_within(const IniEntry *e, const char *kind);  // in a section [kind] or [kind NAME]

// --- clock.c ---------------------------------------------------------------------------------------------------------
double seconds_now(void);  // of a clock that never goes back; its zero means nothing

// --- number.c: numbers with units ------------------------------------------------------------------------------------
// "48KiB", "1.5MiB", "64", "0x40": a count of bytes or a plain number. False on anything else or on overflow.
bool parse_size(const char *text, uint64_t *value);
// A finite number: a setting. Neither "nan" nor "inf" nor 1e400 is one, and −0 is 0.
bool parse_double(const char *text, double *value);
bool parse_float(const char *text, double *value);  // an operand: also "nan", "inf" and −0
// The next word of a list between blanks or commas; false: none is left, or it is too long to be a number.
bool list_word(const char **list, char item[64]);
// Arithmetic that stays at the largest number where the result is larger.
static inline uint64_t most_times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}
static inline uint64_t most_plus(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}
void format_count(char out[32], double value);  // 1234567 → "1.23 M"
void format_bytes(char out[32], double bytes);  // 49152 → "48 KiB"
void format_energy(char out[32], double fj);    // 1500 femtojoules → "1.5 pJ"
typedef struct Unit {
    const char *name;
    double per;  // how many of it are a second, or a byte
} Unit;
// The largest unit in which a value is 1 or more, else the smallest.
Unit time_unit(double seconds);  // of s, ms, µs and ns
Unit byte_unit(double bytes);    // of GB, MB, kB and bytes

// --- student.c: confidence -------------------------------------------------------------------------------------------
// The t that |t| stays below with this probability (0 < confidence < 1), with n ≥ 1 degrees of freedom.
double student_t(double confidence, uint32_t n);

// --- json.c: JSON, written as it comes -------------------------------------------------------------------------------
typedef struct Json {
    Text text;
    int depth;
    bool comma;
} Json;
void json_open(Json *json, const char *key, char bracket);  // '{' or '['; key null inside an array or at the top
void json_close(Json *json, char bracket);                  // '}' or ']'
void json_string(Json *json, const char *key, const char *value);
void json_int(Json *json, const char *key, int64_t value);
void json_uint(Json *json, const char *key, uint64_t value);
void json_double(Json *json, const char *key, double value);  // NaN and infinities become null
void json_bool(Json *json, const char *key, bool value);
void json_free(Json *json);

// --- json_read.c: JSON, read into a tree -----------------------------------------------------------------------------
typedef enum JsonKind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT } JsonKind;
typedef struct JsonNode {
    JsonKind kind;
    bool is_whole;           // of a number: it is written as one from 0 to 2^64 - 1, which whole has
    const char *key, *text;  // key: of an object's member; text: of a JSON_TEXT
    double number;
    uint64_t whole;
    struct JsonNode *first, *next;  // what is in an array or an object, in its order
    size_t at;                      // where it stands, for diag_at
} JsonNode;
typedef struct JsonDocument {
    Source source;
    char *text, *strings;
    JsonNode *nodes;  // the first is the whole
} JsonDocument;
// Reads a text. False, and why, where it isn't JSON, or the host has no memory for it. Whatever it returns,
// json_close_document releases d.
bool json_read(JsonDocument *d, const char *name, const char *text, size_t size, Diag *diag);
void json_close_document(JsonDocument *d);
const JsonNode *json_member(const JsonNode *object, const char *key);  // null: it isn't there

// --- crew.c: host threads that share a phase's tasks -----------------------------------------------------------------
typedef struct Crew Crew;
Crew *crew_open(uint32_t threads);  // 0 or 1: the caller alone
void crew_close(Crew *c);
// Before a launch, and after a call of the user's code: in a forked process the threads are begun anew.
void crew_muster(Crew *c);
// Calls task(user, k) for k in [0, first + n), spread over the threads; returns when all are done. The last n begin
// once task 0 is done and the other first ones are under way or done; they don't wait if first is 0. Without a crew the
// caller does all of them in their order.
void crew_run(Crew *c, uint32_t first, uint32_t n, void (*task)(void *user, uint32_t k), void *user);

#endif
