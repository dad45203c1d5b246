// textures.c: texture and surface objects of the simulated device, and the references of modules. All lie in one list,
// and a handle is a place of it. A reference keeps its place as long as its module. Invariant: what is bound lies, when
// it is bound, wholly in an allocation.
#include "device/sim.h"

#include <string.h>

enum { MOST_TEXELS = 1 << 27, MOST_SLICES = 65536 };

// --- descriptions ----------------------------------------------------------------------------------------------------
static bool numbers(const oc_texture *t) { return t->format == OC_TEX_F32 || t->format == OC_TEX_F16 || t->unit_float; }

// Where coordinates aren't normalized, those outside are clamped instead of wrapped or mirrored (CUDA C++ Programming
// Guide, "Texture Object API": these modes are for normalized coordinates alone). On a cube they always are.
static void clamp_whole(Sampler *s, bool cube)
{
    for (int k = 0; k < 3 && !s->normalized && !cube; k++)
        if (s->address[k] == OC_TEX_WRAP || s->address[k] == OC_TEX_MIRROR) s->address[k] = OC_TEX_CLAMP;
}

// How a texture or a sampler reads.
static oc_status sampling(Sim *d, const oc_texture *t, Sampler *s)
{
    const oc_tex_address modes[3] = {t->address, t->by_axis ? t->address_y : t->address,
                                     t->by_axis ? t->address_z : t->address};
    *s = (Sampler){.linear = t->linear,
                   .linear_levels = t->linear_levels,
                   .normalized = t->normalized,
                   .bias = t->level_bias,
                   .least = t->level_min,
                   .most = t->level_max};
    for (int k = 0; k < 3; k++) {
        if (modes[k] > OC_TEX_MIRROR) return fail(d, OC_BAD_ARGUMENT, "a texture's address mode is out of range");
        s->address[k] = (uint8_t)modes[k];
    }
    clamp_whole(s, t->cube);
    memcpy(s->border, t->border, sizeof s->border);
    return OC_OK;
}

static oc_status malformed(Sim *d, const char *what)
{
    return fail(d, OC_BAD_ARGUMENT, "malformed texture description: %s", what);
}

static oc_status check_shape(Sim *d, const oc_texture *t)
{
    if (t->channels != 1 && t->channels != 2 && t->channels != 4)
        return fail(d, OC_BAD_ARGUMENT, "a texel has 1, 2 or 4 channels");
    if (!t->width || t->format > OC_TEX_F16) return malformed(d, "its width or its format");
    if (t->depth && (t->layers || t->cube || !t->height)) return malformed(d, "a depth goes with a height alone");
    if (t->cube && t->height != t->width) return malformed(d, "a cube's faces are as high as wide");
    if (t->depth > MOST_TEXELS || t->layers > MOST_SLICES) return malformed(d, "too many slices");
    if (t->levels > MAX_LEVELS) return malformed(d, "too many levels");
    if (t->levels > 1 && !t->mipmap) return malformed(d, "there are several levels, and mipmap is null");
    if (t->srgb && (!t->unit_float || t->format != OC_TEX_U8)) return malformed(d, "sRGB is of 8 bits and unit_float");
    return OC_OK;
}

static uint32_t half(uint32_t size, uint32_t level) { return MAX(size >> level, 1u); }

// Where level k lies, and whether all of it is there.
static oc_status put_level(Sim *d, const oc_texture *t, const Texture *x, uint32_t k, TexLevel *l)
{
    *l = (TexLevel){.base = k ? t->mipmap[k - 1].base : t->base,
                    .slice = k ? t->mipmap[k - 1].slice : t->slice,
                    .pitch = k ? t->mipmap[k - 1].pitch : t->pitch,
                    .width = half(t->width, k),
                    .height = half(MAX(t->height, 1u), k),
                    .depth = half(MAX(t->depth, 1u), k)};
    uint64_t row = (uint64_t)l->width * texel_bytes(x), slices = (uint64_t)MAX(x->slices, 1u) * l->depth, all;
    if (l->height > 1 || t->height)
        if (l->pitch < row) return fail(d, OC_BAD_ARGUMENT, "the pitch is smaller than a row");
    uint64_t plane = (uint64_t)l->pitch * (l->height - 1) + row;
    if (slices > 1 && l->slice < plane) return fail(d, OC_BAD_ARGUMENT, "a slice is smaller than its rows");
    if (__builtin_mul_overflow(slices - 1, l->slice, &all) || __builtin_add_overflow(all, plane, &all))
        return malformed(d, "it is too large");
    return sim_locate(d, l->base, all) ? OC_OK : OC_BAD_ARGUMENT;
}

static uint32_t most_levels(const oc_texture *t)
{
    uint32_t most = MAX(MAX(t->width, t->height), t->depth), n = 1;
    while (most >>= 1) n++;
    return n;
}

// What is bound to a place of the list; its levels are the place's.
static oc_status describe(Sim *d, const oc_texture *t, ObjectKind kind, Texture *x)
{
    *x = (Texture){.kind = (uint8_t)kind,
                   .bound = true,
                   .channels = (uint8_t)t->channels,
                   .format = (uint8_t)t->format,
                   .dimensions = t->depth    ? 3
                                 : t->height ? 2
                                             : 1,
                   .cube = t->cube,
                   .unit_float = t->unit_float,
                   .srgb = t->srgb,
                   .layers = t->layers,
                   .slices = t->cube ? 6 * MAX(t->layers, 1u) : t->layers};
    oc_status status = sampling(d, t, &x->sampler);
    if (kind == OBJECT_SAMPLER || status != OC_OK) return status;
    status = check_shape(d, t);
    if (status != OC_OK) return status;
    if (kind == OBJECT_SURFACE && x->cube) x->cube = false, x->layers = x->slices;  // faces are layers
    if (kind == OBJECT_TEXTURE && t->linear && !numbers(t))
        return fail(d, OC_BAD_ARGUMENT, "filtering needs texels read as floats");
    x->levels = kind == OBJECT_SURFACE ? 1 : MAX(t->levels, 1u);
    if (x->levels > most_levels(t)) return malformed(d, "more levels than halves of its size");
    if (x->levels > 1 && !t->normalized && !t->cube) return malformed(d, "a mipmap needs normalized coordinates");
    if (t->linear_levels && x->levels > 1 && !numbers(t))
        return fail(d, OC_BAD_ARGUMENT, "filtering needs texels read as floats");
    x->level = mem_alloc(sizeof *x->level * x->levels);
    for (uint32_t k = 0; k < x->levels && status == OC_OK; k++) status = put_level(d, t, x, k, &x->level[k]);
    if (status != OC_OK) mem_free(x->level);
    return status;
}

// --- objects ---------------------------------------------------------------------------------------------------------
// n free places one after the other; the place of one that is gone is taken again.
static size_t take_places(Sim *d, size_t n)
{
    size_t at = 0, free = 0;
    for (; at < d->textures.n && free < n; at++) free = d->textures.v[at].kind == OBJECT_NONE ? free + 1 : 0;
    at -= free;
    while (d->textures.n < at + n) vec_push(&d->textures, ((Texture){0}));
    return at;
}

static void give_back(Texture *t)
{
    mem_free(t->level);
    *t = (Texture){0};
}

static oc_status create(oc_device *base, const oc_texture *t, ObjectKind kind, uint64_t *handle)
{
    Sim *d = sim_of(base);
    Texture x;
    oc_status status = describe(d, t, kind, &x);
    if (status != OC_OK) return status;
    size_t at = take_places(d, 1);
    d->textures.v[at] = x;
    *handle = TEXTURE_TAG + at;
    return OC_OK;
}

static oc_status destroy(oc_device *base, uint64_t handle, ObjectKind kind)
{
    Sim *d = sim_of(base);
    uint64_t at = handle - TEXTURE_TAG;
    if (at >= d->textures.n || d->textures.v[at].kind != kind || d->textures.v[at].reference)
        return fail(d, OC_BAD_ARGUMENT, "not a %s object", kind == OBJECT_TEXTURE ? "texture" : "surface");
    give_back(&d->textures.v[at]);
    return OC_OK;
}

oc_status sim_texture_create(oc_device *d, const oc_texture *t, uint64_t *handle)
{
    return create(d, t, OBJECT_TEXTURE, handle);
}
oc_status sim_texture_destroy(oc_device *d, uint64_t handle) { return destroy(d, handle, OBJECT_TEXTURE); }
oc_status sim_surface_create(oc_device *d, const oc_texture *t, uint64_t *handle)
{
    return create(d, t, OBJECT_SURFACE, handle);
}
oc_status sim_surface_destroy(oc_device *d, uint64_t handle) { return destroy(d, handle, OBJECT_SURFACE); }

void textures_clear(Sim *d, bool all)
{
    size_t n = 0;
    for (size_t k = 0; k < d->textures.n; k++) {
        Texture *t = &d->textures.v[k];
        if (!t->reference || all) {
            give_back(t);
        } else {
            t->bound &= t->kind == OBJECT_SAMPLER;
            n = k + 1;
        }
    }
    d->textures.n = n;
}

// --- references of modules -------------------------------------------------------------------------------------------
static ObjectKind kind_of(const Symbol *s)
{
    return s->type == TY_SURFREF ? OBJECT_SURFACE : s->type == TY_SAMPLERREF ? OBJECT_SAMPLER : OBJECT_TEXTURE;
}

// The word behind 'name =' in an initialiser; "": it isn't there.
static void setting(const char *settings, const char *name, char *to, size_t size)
{
    *to = 0;
    for (const char *p = settings; p && (p = strstr(p, name)); p += strlen(name)) {
        bool begins = p == settings || !strchr("abcdefghijklmnopqrstuvwxyz0123456789_", p[-1]);
        const char *v = p + strlen(name);
        v += strspn(v, " \t\r\n");
        if (!begins || *v != '=') continue;
        v += 1 + strspn(v + 1, " \t\r\n");
        size_t n = MIN(strcspn(v, " \t\r\n,}"), size - 1);
        memcpy(to, v, n);
        to[n] = 0;
        return;
    }
}

static uint8_t address_mode(const char *word)
{
    if (!strcmp(word, "wrap")) return OC_TEX_WRAP;
    if (!strcmp(word, "mirror")) return OC_TEX_MIRROR;
    return !strcmp(word, "clamp_to_border") ? OC_TEX_BORDER : OC_TEX_CLAMP;
}

// What an initialiser says of a sampler (§5.3.2); coordinates are normalized unless it says otherwise.
static void initialise(const Symbol *s, Texture *x)
{
    char word[32], name[] = "addr_mode_0";
    for (int k = 0; k < 3; k++, name[sizeof name - 2]++) {
        setting(s->settings, name, word, sizeof word);
        x->sampler.address[k] = address_mode(word);
    }
    setting(s->settings, "filter_mode", word, sizeof word);
    x->sampler.linear = !strcmp(word, "linear");
    setting(s->settings, "force_unnormalized_coords", word, sizeof word);
    x->sampler.normalized = strcmp(word, "1") != 0;
    clamp_whole(&x->sampler, false);
    if (kind_of(s) == OBJECT_SAMPLER) x->bound = true;
}

bool references_open(Sim *d, Symbol *s, Diag *diag, const Source *source)
{
    uint64_t n = MAX(s->elements, 1u);
    if (s->linkage == LINK_EXTERN) return true;
    if (n > MOST_SLICES) return diag_at(diag, source, s->at, NULL, "'%s' has too many elements", s->name);
    size_t at = take_places(d, n);
    for (size_t k = at; k < at + n; k++) {
        d->textures.v[k] = (Texture){.kind = (uint8_t)kind_of(s), .reference = true};
        initialise(s, &d->textures.v[k]);
    }
    s->address = TEXTURE_TAG + at;
    return true;
}

void references_close(Sim *d, const Symbol *s)
{
    for (size_t k = 0; s->address && k < MAX(s->elements, 1u); k++)
        give_back(&d->textures.v[s->address - TEXTURE_TAG + k]);
}

// The place of a module's variable; null: it isn't a reference.
static Texture *place_of(oc_module *base, const char *name, const Symbol **s)
{
    Sim *d = sim_of(base->device);
    *s = ptx_find(((SimModule *)base)->image.module, name);
    const uint64_t at = *s ? (*s)->address - TEXTURE_TAG : UINT64_MAX;
    return at < d->textures.n && d->textures.v[at].reference ? &d->textures.v[at] : NULL;
}

int device_reference(oc_module *m, const char *name)
{
    const Symbol *s;
    const Texture *place = place_of(m, name, &s);
    return !place ? 0 : place->kind == OBJECT_TEXTURE ? 1 : place->kind == OBJECT_SURFACE ? 2 : 0;
}

oc_status sim_reference_bind(oc_module *base, const char *name, const oc_texture *t, uint64_t *handle)
{
    Sim *d = sim_of(base->device);
    const Symbol *s;
    Texture *place = place_of(base, name, &s);
    if (!place) return fail(d, OC_BAD_ARGUMENT, "no .texref, .samplerref or .surfref variable '%s'", name);
    Texture x = {.kind = place->kind};
    oc_status status = t ? describe(d, t, (ObjectKind)place->kind, &x) : OC_OK;
    if (status != OC_OK) return status;
    give_back(place);
    x.reference = true;
    *place = x;
    *handle = s->address;
    return OC_OK;
}
