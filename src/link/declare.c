// declare.c: what declarations say of types, sizes and parameters (PTX ISA §5.2, §5.4, §11.1.1): what objects have to
// agree on.
#include "link/unit.h"
#include "ptx/tables.h"

#include <string.h>

// type = '.' name. False: there is none here.
static bool take_type(Scan *s, Shape *shape)
{
    const char *from = s->p;
    if (*from != '.') return false;
    scan_word(s);
    const size_t n = (size_t)(s->p - from) - 1;
    for (Type t = TY_NONE + 1; t < TY_COUNT; t++) {
        const TypeInfo *info = &type_info[t];
        if (strncmp(info->name, from + 1, n) || info->name[n]) continue;
        shape->type = scan_slice(s, from, s->p);
        shape->bytes = (uint64_t)type_bytes(t);
        shape->is_float = info->kind == K_FLOAT;
        shape->opaque = info->kind == K_OPAQUE;
        return scan_space(s);
    }
    s->p = from;
    return false;
}

static bool take_align(Scan *s, Shape *shape)
{
    uint64_t n;
    const char *from = s->p, *behind;
    if (!scan_take(s, ".align")) return false;
    const char *number = s->p;
    if (!scan_number(s, &n, NULL)) return false;
    if (!n || n > 1 << 20 || n & (n - 1))
        return scan_fail(s, number, "an alignment is a power of two, at most 1048576");
    for (behind = number; scan_within(*behind); behind++) {
    }
    shape->align = (uint32_t)n;
    shape->align_at = scan_slice(s, from, behind);
    return true;
}

// '(' … ')' behind .attribute
static bool take_attribute(Scan *s, Shape *shape)
{
    const char *from = s->p;
    if (!scan_punct(s, '(')) return scan_fail(s, from, "'(' is expected here");
    for (int deep = 1; deep;) {
        if (s->p == s->end || *s->p == ';') return scan_fail(s, from, ".attribute without end");
        if (scan_is(s, ".managed")) shape->managed = true;
        deep += (*s->p == '(') - (*s->p == ')');
        if (!scan_skip(s) || !scan_space(s)) return false;
    }
    return true;
}

bool declare_type(Scan *s, Shape *shape)
{
    *shape = (Shape){.elements = 1};
    while (!take_type(s, shape)) {
        if (s->diag->failed) return false;
        if (scan_is(s, ".align")) {
            if (!take_align(s, shape)) return false;
        } else if (scan_take(s, ".attribute")) {
            if (!take_attribute(s, shape)) return false;
        } else if (scan_take(s, ".v2")) {
            shape->elements = 2;
        } else if (scan_take(s, ".v4")) {
            shape->elements = 4;
        } else {
            return scan_fail(s, s->p, "a type is expected here");
        }
    }
    if (!shape->align) shape->align = (uint32_t)(shape->bytes * shape->elements);
    return !s->diag->failed;
}

// dims = ('[' [number] ']')*. An expression is no number: the size isn't known then, and nobody compares it.
bool declare_dims(Scan *s, const Shape *shape, uint64_t *bytes, bool *array, bool *open)
{
    *bytes = most_times(shape->bytes, shape->elements);
    *array = *open = false;
    for (bool known = true; scan_punct(s, '['); *array = true) {
        uint64_t n = 0;
        if (scan_punct(s, ']')) {
            *open = true, *bytes = 0;
            continue;
        }
        const char *from = s->p;
        while (scan_within(*s->p)) s->p++;
        if (!scan_space(s)) return false;
        known &= *s->p == ']' && *from >= '0' && *from <= '9';
        if (known) {
            s->p = from;
            if (!scan_number(s, &n, NULL)) return false;
        }
        if (!scan_until(s, ']')) return false;
        *bytes = known ? most_times(*bytes, n) : 0;
    }
    return !s->diag->failed;
}

// .ptr [.space] [.align n]
static bool skip_pointer(Scan *s)
{
    Shape ignored = {.elements = 1};
    if (!scan_take(s, ".ptr")) return !s->diag->failed;
    while (*s->p == '.') {
        if (scan_is(s, ".align")) {
            if (!take_align(s, &ignored)) return false;
            continue;
        }
        scan_word(s);
        if (!scan_space(s)) return false;
    }
    return true;
}

// What nvlink 13.0 was seen to compare: of a value whether it is floating-point, and its size; of an array the size of
// all of it, and of its elements. Neither alignments nor .reg and .param matter.
static uint64_t shape_code(const Shape *shape, uint64_t bytes, bool array)
{
    const uint64_t many = MIN(bytes, (1ull << 48) - 1);
    return (uint64_t)shape->is_float << 63 | (uint64_t)array << 62 | MIN(shape->bytes, 31) << 56 | many;
}

// param = (.param | .reg) attribute* type [.ptr …] [name dims]
static bool declare_param(Scan *s)
{
    Shape shape;
    uint64_t bytes;
    bool array, open;
    Slice name;
    uint32_t hash;
    if (!scan_take(s, ".param") && !scan_take(s, ".reg")) return scan_fail(s, s->p, ".param or .reg is expected here");
    if (!declare_type(s, &shape) || !skip_pointer(s)) return false;
    if (scan_starts(*s->p)) {
        if (!scan_name(s, &name, &hash) || !scan_space(s)) return false;
        vec_push(&s->params, ((Param){name, hash}));
    }
    if (!declare_dims(s, &shape, &bytes, &array, &open)) return false;
    vec_push(&s->o->shapes, shape_code(&shape, bytes, array));
    return true;
}

bool declare_params(Scan *s, uint32_t *count)
{
    const size_t before = s->o->shapes.n;
    *count = 0;
    if (!scan_punct(s, '(')) return scan_fail(s, s->p, "'(' is expected here");
    if (scan_punct(s, ')')) return true;
    do
        if (!declare_param(s)) return false;
    while (scan_punct(s, ','));
    *count = (uint32_t)(s->o->shapes.n - before);
    return scan_punct(s, ')') || scan_fail(s, s->p, "')' is expected here");
}
