// unit.h: what the files of link share. A module is an Object: its text, which nothing changes; the Items that stand at
// module scope; the Symbols that these define or declare; and Marks, the places in the text that may have to change.
// A place is a Slice of the text. A link's Names are what several objects say of one name.
#ifndef LINK_UNIT_H
#define LINK_UNIT_H

#include "link/link.h"

#include <string.h>

#define NONE UINT32_MAX

typedef struct Slice {
    uint32_t at, n;
} Slice;

typedef enum Linkage { LOCAL, EXTERN, COMMON, WEAK, STRONG } Linkage;  // of definitions the later ones come first
typedef enum SymbolKind { FUNCTION, ENTRY, VARIABLE } SymbolKind;

// A name that an object has at module scope.
typedef struct Symbol {
    const char *name;
    uint32_t length, hash;
    uint8_t kind, linkage;
    bool defined, alias;        // alias: .alias defines it, and aliasee is the symbol behind it
    bool managed, initialised;  // of a variable
    bool open;                  // its size: an array declared with []
    Slice space;                // of a variable: .global
    uint64_t bytes;             // of a variable; 0: not known
    uint32_t align;             // that is written, or its type's
    uint32_t params, count;     // of a function: its results and parameters among Object.shapes
    uint32_t item;              // that defines it, or the first that declares it
    uint32_t aliasee;
    // While it is linked: its Name; its name in the result is another one; it is in the result, or what it stands for
    // is; its definition is being written, or has been; it can be named: a declaration of it, or itself, stands there.
    uint32_t of;
    bool renamed, reached, begun, told;
} Symbol;

typedef enum MarkKind { MARK_NOTHING, MARK_SYMBOL, MARK_FILE, MARK_LABEL, MARK_LINE } MarkKind;
// In the order of the text. A symbol's name; the number of a .file; a label of .debug_str; a line that begins with #.
typedef struct Mark {
    Slice text;
    uint8_t kind;
    uint32_t what;  // the symbol, or the file's number
} Mark;

typedef enum ItemKind { ITEM_FUNCTION, ITEM_VARIABLE } ItemKind;
typedef struct Item {
    uint8_t kind;
    bool defines;
    uint32_t symbol;
    uint32_t mark, marks;  // from the first mark on, so many
    // A function has a head, from .func or .entry to its parameters' end; a rest, up to the body; and a body. A
    // variable has a head, from its space to its type; in that its align; a rest, its dimensions; and a body, '=' and
    // its value.
    Slice head, align, rest, body;
} Item;

typedef struct FileName {
    uint32_t index;
    Slice rest;   // "name", and what follows
    uint32_t to;  // its number in the result
} FileName;

// Names of an object or a link: open addressing, with at most half of the places taken.
typedef struct Table {
    uint32_t *place;  // index + 1; 0: free
    uint32_t mask, n;
} Table;

typedef struct Object {
    const char *name;
    Source source;  // its text, with a null byte behind it
    uint32_t version[2];
    uint32_t sm;
    char kind;      // of the target: 'a', 'f' or 0
    Slice options;  // behind the architecture
    bool percent;   // a symbol's name begins with %
    bool labels;    // a .loc names a label of .debug_str
    VEC(Symbol) symbols;
    Table table;  // of symbols
    VEC(Item) items;
    VEC(Mark) marks;
    VEC(uint64_t) shapes;  // of functions' results and parameters
    VEC(FileName) files;
    VEC(Slice) pragmas;  // at module scope
    VEC(Item) strings;   // what .section .debug_str has between its braces, as body
} Object;

typedef struct Place {  // a symbol of an object
    uint32_t object, symbol;
} Place;

typedef struct Name {
    const char *v;
    uint32_t length, hash;
    bool local;         // no object shows it to the others
    Place first;        // who names it first
    Place definition;   // that is taken, or NONE
    Place declaration;  // that stands for it where there is no definition
    Place sized;        // who says its size: the first, or the definition or the largest .common; or NONE
    uint32_t align;     // the largest alignment of those that are .common
} Name;

struct Link {
    Arena arena;            // names, texts
    VEC(Object *) objects;  // in the order in which they were added
    uint32_t inputs;        // calls of link_add
    uint32_t bound;         // registers of a thread; 0: any number
    bool open;              // what nothing defines stays declared
    // While it is linked:
    VEC(Name) names;
    Table table;             // of names
    Text mark;               // what comes between a name and an object's number in a new name
    uint32_t no_file;        // a number that no .file has
    uint32_t first_strings;  // the first object that has .debug_str
};

// --- table.c: names by their text ------------------------------------------------------------------------------------
uint32_t hash_begin(void);
static inline uint32_t hash_more(uint32_t h, char c) { return (h ^ (uint8_t)c) * 16777619u; }  // FNV-1a
uint32_t hash_text(const char *text, uint32_t n);
// Whether the entry at an index has the text.
typedef bool TableSame(const void *user, uint32_t index, const char *text, uint32_t n, uint32_t hash);
typedef uint32_t TableHash(const void *user, uint32_t index);
uint32_t lookup_find(const Table *t, const char *text, uint32_t n, uint32_t hash, TableSame *same, const void *user);
void lookup_add(Table *t, uint32_t index, uint32_t hash, TableHash *of, const void *user);  // one that isn't there
void lookup_free(Table *t);

// --- object.c: what stands at module scope ---------------------------------------------------------------------------
uint32_t symbol_find(const Object *o, const char *text, uint32_t n, uint32_t hash);  // a symbol, or NONE
bool module_scan(Object *o, Arena *arena, Diag *diag);
void module_free(Object *o);

// --- scan.c: tokens --------------------------------------------------------------------------------------------------
// A symbol that a name of a body hides, from a place in the text on, in a scope.
typedef struct Shadow {
    uint32_t symbol, from, scope;
} Shadow;
typedef struct Param {
    Slice name;
    uint32_t hash;
} Param;
typedef struct Scan {
    Object *o;
    Arena *arena;
    Diag *diag;
    const char *p, *begin, *end;  // where it is; the whole text. *end is a null byte
    // body.c: in the order of their scopes; the first mark of each open scope; per symbol, while one ends
    VEC(Shadow) shadows;
    VEC(uint32_t) scopes, covered;
    VEC(Param) params;  // of the function that is scanned: its parameters' and results' names
} Scan;
bool scan_fail(const Scan *s, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
// What a character may be.
enum { C_LETTER = 1, C_DIGIT = 2, C_OTHER = 4, C_BEGIN = 8, C_SPACE = 16 };
extern const uint8_t scan_class[256];
static inline bool scan_starts(char c) { return scan_class[(uint8_t)c] & (C_LETTER | C_OTHER | C_BEGIN); }
static inline bool scan_within(char c) { return scan_class[(uint8_t)c] & (C_LETTER | C_OTHER | C_DIGIT); }
bool scan_space(Scan *s);  // moves behind space and comments; false: a comment has no end
bool scan_name(Scan *s, Slice *name, uint32_t *hash);
bool scan_string(Scan *s);                                        // moves behind the string that begins here
void scan_word(Scan *s);                                          // moves behind a directive or number that begins here
bool scan_skip(Scan *s);                                          // moves behind the token that begins here
static inline bool scan_is(const Scan *s, const char *directive)  // the directive stands here
{
    size_t n = strlen(directive);
    return *s->p == '.' && s->p[1] == directive[1] && !strncmp(s->p, directive, n) && !scan_within(s->p[n]);
}
bool scan_take(Scan *s, const char *directive);         // moves behind it and the space that follows
bool scan_punct(Scan *s, char c);                       // the same of a character
bool scan_number(Scan *s, uint64_t *value, Slice *at);  // at may be null; the same
bool scan_until(Scan *s, char last);                    // moves behind that, outside of strings and comments
Slice scan_slice(const Scan *s, const char *from, const char *to);  // without space at its end
void scan_mark(Scan *s, const char *at, uint32_t n, MarkKind kind, uint32_t what);

// --- declare.c: types, sizes and parameters --------------------------------------------------------------------------
typedef struct Shape {
    Slice type, align_at;  // align_at: .align and its number
    uint64_t bytes;        // of an element
    uint64_t elements;     // of .v2, .v4
    uint32_t align;
    bool is_float, opaque, managed;
} Shape;
bool declare_type(Scan *s, Shape *shape);                                                  // attributes, and the type
bool declare_dims(Scan *s, const Shape *shape, uint64_t *bytes, bool *array, bool *open);  // open: the first one is
bool declare_params(Scan *s, uint32_t *count);  // ( … ); adds to the object's shapes

// --- body.c: what stands between a function's braces -----------------------------------------------------------------
void body_open(Scan *s);   // a scope begins
void body_close(Scan *s);  // names that it declares are no symbols in it
void body_hide(Scan *s, const char *at, uint32_t n, uint32_t hash,
               const char *from);                                    // declared here; seen from there on
void body_name(Scan *s, const char *at, uint32_t n, uint32_t hash);  // marks a symbol's name
bool body_value(Scan *s);                                            // up to ',' or ';' outside of all braces
bool body_scan(Scan *s);                                             // '{' … '}'
bool body_loc(Scan *s);                                              // behind .loc

// --- resolve.c: of each name the definition that is taken ------------------------------------------------------------
bool link_resolve(Link *l, Text *warnings, Diag *diag);
static inline Symbol *symbol_at(const Link *l, Place p) { return &l->objects.v[p.object]->symbols.v[p.symbol]; }
// What a symbol of an object stands for: itself, or the definition or declaration that is taken of its name.
Place link_meaning(const Link *l, Place p);
static inline bool same_place(Place a, Place b) { return a.object == b.object && a.symbol == b.symbol; }

// --- reach.c: what is needed, and not there --------------------------------------------------------------------------
bool link_reach(Link *l, Diag *diag);

// --- compare.c: bodies of one function from several objects ----------------------------------------------------------
bool bodies_differ(const Object *a, const Symbol *x, const Object *b, const Symbol *y);

// --- head.c: what the objects say of the whole module ----------------------------------------------------------------
bool head_write(Link *l, Text *out, Text *warnings, Diag *diag);  // .version, .target, .file; numbers the files
uint32_t file_number(const Link *l, const Object *o, uint32_t index);

// --- write.c: the linked text ----------------------------------------------------------------------------------------
void link_write(Link *l, Text *out);

#endif
