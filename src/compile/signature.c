// signature.c: what the source of a .cu file says of its kernels' parameters, and clang's PTX doesn't: their names, and
// which are pointers. LLVM's intermediate form has both, in a line for each function that it defines:
//
//   define … void @_Z5scalePffi(float* noundef %data, float noundef %factor, i32 noundef %count) #0 {
//
// In the PTX the parameter _Z5scalePffi_param_0 becomes _Z5scalePffi_data, and a comment at its end says
// "// arguments of _Z5scalePffi: pointer float integer", which work/bare.c reads.
#include "compile/unit.h"

#include <ctype.h>
#include <string.h>

typedef struct Signature {
    const char *kernel;
    VEC(const char *) names, kinds;  // a name that clang made up is ""
} Signature;
typedef VEC(Signature) Signatures;

bool in_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.'; }

// The end of a parameter, or of them all: a comma or a parenthesis that isn't within others.
static const char *param_end(const char *p)
{
    int depth = 0;
    bool quoted = false;
    for (; *p && *p != '\n'; p++) {
        if (*p == '"') quoted = !quoted;
        if (quoted) continue;
        if (!depth && (*p == ',' || *p == ')')) break;
        depth += (strchr("([{<", *p) != NULL) - (strchr(")]}>", *p) != NULL);
    }
    return p;
}

// "float* noundef %data": the last word is the name, the type stands in front. A structure's is its address, by value.
static void read_param(const char *p, const char *end, Signature *s, Arena *arena)
{
    const char *text = arena_text(arena, p, (size_t)(end - p)), *name = strrchr(text, '%');
    const size_t type = strcspn(text, " ");
    const bool value = strstr(text, " byval(") != NULL;
    const char *kind = value                                                             ? "bytes"
                       : !strncmp(text, "ptr", 3) || memchr(text, '*', type)             ? "pointer"
                       : *text == 'i'                                                    ? "integer"
                       : !strncmp(text, "float", type) || !strncmp(text, "double", type) ? "float"
                                                                                         : "bytes";
    name = name && name > text ? name + 1 : "";
    size_t n = 0;
    while (in_name(name[n]) && name[n] != '.' && name[n] != '$') n++;
    // Numbers are names that clang makes up. PTX has made up the others, and no name may be one of these.
    const bool own = !name[n] && !isdigit((unsigned char)*name) && strncmp(name, "param_", 6) != 0;
    vec_push(&s->names, own ? name : "");
    vec_push(&s->kinds, kind);
}

static void read_signatures(const char *ir, Signatures *all, Arena *arena)
{
    for (const char *line = ir; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        if (strncmp(line, "define ", 7)) continue;
        const char *at = line + strcspn(line, "@\n"), *p = at + 1;
        if (*at != '@') continue;
        while (in_name(*p)) p++;
        if (*p != '(' || p == at + 1) continue;
        Signature s = {.kernel = arena_text(arena, at + 1, (size_t)(p - at - 1))};
        for (p++; *p && *p != ')' && *p != '\n';) {
            p += strspn(p, " ");
            const char *end = param_end(p);
            read_param(p, end, &s, arena);
            p = end + (*end == ',');
        }
        vec_push(all, s);
    }
}

static bool has_word(const char *text, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || !in_name(at[-1])) && !in_name(at[n])) return true;
    return false;
}

// A name that something else in the module has is none for a parameter.
static void drop_taken(const char *ptx, Signatures *all)
{
    Text word = {0};
    for (size_t k = 0; k < all->n; k++)
        for (size_t p = 0; p < all->v[k].names.n; p++) {
            word.n = 0;
            text_printf(&word, "%s_%s", all->v[k].kernel, all->v[k].names.v[p]);
            if (has_word(ptx, word.v)) all->v[k].names.v[p] = "";
        }
    text_free(&word);
}

// Copies the PTX, with other names for what is called NAME_param_K.
static void rename_params(const Text *ptx, const Map *places, const Signatures *all, Text *out)
{
    static const char mark[] = "_param_";
    const char *done = ptx->v;
    for (const char *at = ptx->v; (at = strstr(at, mark)); at++) {
        const char *name = at, *digits = at + sizeof mark - 1;
        while (name > ptx->v && in_name(name[-1])) name--;
        const size_t n = strspn(digits, "0123456789");
        int64_t place;
        if (!n || n > 4 || in_name(digits[n]) || !map_get(places, name, (size_t)(at - name), &place)) continue;
        const Signature *s = &all->v[place];
        size_t k = 0;
        for (size_t d = 0; d < n; d++) k = 10 * k + (size_t)(digits[d] - '0');
        if (k >= s->names.n || !*s->names.v[k]) continue;
        text_add(out, done, (size_t)(at + 1 - done));
        text_put(out, s->names.v[k]);
        done = digits + n;
    }
    text_put(out, done);
}

void signatures_put(const char *ir, Text *ptx)
{
    Arena arena = {0};
    Signatures all = {0};
    Map places = {0};
    Text out = {0};
    read_signatures(ir, &all, &arena);
    for (size_t k = 0; k < all.n; k++) map_put(&places, all.v[k].kernel, strlen(all.v[k].kernel), (int64_t)k);
    if (ptx->n) drop_taken(ptx->v, &all);
    if (ptx->n) rename_params(ptx, &places, &all, &out);
    for (size_t k = 0; k < all.n; k++) {
        Text entry = {0};
        text_printf(&entry, ".entry %s(", all.v[k].kernel);
        if (all.v[k].kinds.n && out.n && strstr(out.v, entry.v)) {
            text_printf(&out, "// arguments of %s:", all.v[k].kernel);
            for (size_t p = 0; p < all.v[k].kinds.n; p++) text_printf(&out, " %s", all.v[k].kinds.v[p]);
            text_put(&out, "\n");
        }
        text_free(&entry);
        vec_free(&all.v[k].names), vec_free(&all.v[k].kinds);
    }
    text_free(ptx);
    *ptx = out;
    vec_free(&all), map_free(&places);
    arena_free(&arena);
}
