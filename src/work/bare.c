// bare.c: runs a kernel of a bare PTX file. Its arguments and buffers are made from texts. Everything is checked before
// the launch.
#include "device/device.h"
#include "driver/fatbin.h"
#include "names/names.h"
#include "work/programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

oc_status file_fail(Diag *diag, oc_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_verror(diag, format, args);
    va_end(args);
    return status;
}

// Reads a decimal number of 32 bits. *end is where reading stopped.
static bool parse_dim(const char *text, uint32_t *value, const char **end)
{
    uint64_t x = 0;
    for (*end = text; **end >= '0' && **end <= '9' && x <= UINT32_MAX; ++*end) x = x * 10 + (uint64_t)(**end - '0');
    *value = (uint32_t)x;
    return *end > text && x <= UINT32_MAX;
}

static bool parse_dims(const char *text, oc_dim3 *out)
{
    uint32_t v[3] = {1, 1, 1};
    for (int n = 0; n < 3; n++) {
        if (!parse_dim(text, &v[n], &text)) return false;
        if (!*text) break;
        if (*text++ != ',' || n == 2) return false;
    }
    *out = (oc_dim3){v[0], v[1], v[2]};
    return true;
}

FileRun file_run(const char *path) { return (FileRun){.path = path, .grid = {1, 1, 1}, .block = {32, 1, 1}}; }

bool file_set(FileRun *r, const char *name, const char *value, Diag *diag)
{
    uint64_t smem = 0;
    if (!strcmp(name, "kernel")) return r->kernel = value, true;
    if (!strcmp(name, "grid") && !parse_dims(value, &r->grid))
        return diag_error(diag, "grid %s: X, X,Y or X,Y,Z is expected: blocks, such as 16 or 4,4", value);
    if (!strcmp(name, "block") && !parse_dims(value, &r->block))
        return diag_error(diag, "block %s: X, X,Y or X,Y,Z is expected: threads, such as 256 or 16,16", value);
    if (strcmp(name, "smem")) return true;
    if (!parse_size(value, &smem) || smem > UINT32_MAX)
        return diag_error(diag, "smem %s: a number of bytes is expected, such as 4096 or 4KiB", value);
    return r->smem = (uint32_t)smem, true;
}

// The kernels that the file itself has, without those that the software L1 added.
typedef struct Kernels {
    VEC(oc_kernel *) v;
    VEC(char *) names, plain;  // names as they are shown in full, and without namespaces and parameters
} Kernels;

static void list_kernels(const FileRun *r, oc_module *m, Kernels *all)
{
    for (size_t i = 0; i < oc_kernel_count(m); i++) {
        const char *name = device_kernel_name(oc_kernel_at(m, i));
        if (r->rewritten && soft_l1_made(name)) continue;
        vec_push(&all->v, oc_kernel_at(m, i));
        vec_push(&all->names, name_shown(name));
        Text plain = {0};
        vec_push(&all->plain, demangle(name, NAME_PLAIN, &plain) ? plain.v : mem_text(name));
    }
}

// Chooses the kernel that has a name. The name may be the PTX's, which one kernel has, or the C++ one, which several
// may have: the instances of a template.
static oc_status choose_entry(const FileRun *r, const Kernels *all, oc_kernel **k, Diag *diag)
{
    Text names = {0}, means = {0};
    size_t n = 0;
    char hint[100];
    oc_status status = OC_OK;
    for (size_t i = 0; i < all->v.n; i++) {
        const char *name = device_kernel_name(all->v.v[i]);
        bool exact = r->kernel && !strcmp(name, r->kernel);
        text_printf(&names, "\n  %s", all->names.v[i]);
        if (r->kernel && !name_means(name, r->kernel)) continue;
        if (exact) n = 0;
        if (!n++) *k = all->v.v[i];
        text_printf(&means, "\n  %s", all->names.v[i]);
        if (exact) break;
    }
    if (!all->v.n)
        status = file_fail(diag, OC_BAD_ARGUMENT, "%s has no kernel", r->path);
    else if (n > 1 && !r->kernel)
        status =
            file_fail(diag, OC_BAD_ARGUMENT, "%s has %zu kernels; choose one with --kernel:%s", r->path, n, names.v);
    else if (n > 1)
        status = file_fail(diag, OC_BAD_ARGUMENT, "%s has %zu kernels '%s'; write which one in full:%s", r->path, n,
                           r->kernel, means.v);
    else if (!n)
        status = file_fail(diag, OC_BAD_ARGUMENT, "no kernel '%s' in %s%s; its kernels are:%s", r->kernel, r->path,
                           did_you_mean(r->kernel, (const char *const *)all->plain.v, all->plain.n, hint), names.v);
    text_free(&names), text_free(&means);
    return status;
}

// The file's PTX, or, of a program or a library, that of the module in it that has the kernel.
static oc_status ptx_in(const oc_device *d, const FileRun *r, const Text *file, Text *ptx, Diag *diag)
{
    const Wish wish = {.capability = oc_describe(d).capability, .only = r->target};
    Diag why = {0};
    ImageKind kind = file->n ? image_kind(file->v) : IMAGE_UNKNOWN;
    oc_status status = OC_OK;
    if (kind != IMAGE_CUBIN && kind != IMAGE_FATBIN)
        text_add(ptx, file->v ? file->v : "", file->n);
    else if (!binary_ptx(file, r->kernel, &wish, ptx, &why))
        status = file_fail(diag, OC_BAD_FILE, "%s: %s", r->path, why.text.v);
    diag_free(&why);
    return status;
}

oc_status file_ptx(const oc_device *d, const FileRun *r, Text *ptx, Diag *diag)
{
    Text file = {0};
    if (r->text) return ptx_in(d, r, r->text, ptx, diag);
    if (!text_read_file(&file, r->path))
        return file_fail(diag, OC_BAD_FILE, "can't read %s: %s", r->path, strerror(errno));
    oc_status status = ptx_in(d, r, &file, ptx, diag);
    text_free(&file);
    return status;
}

oc_status file_load(oc_device *d, const FileRun *r, const Text *ptx, oc_module **m, Diag *diag)
{
    oc_status status = oc_load(d, ptx->v ? ptx->v : "", ptx->n, r->path, m);
    if (status == OC_OK) return status;
    return file_fail(diag, status == OC_BAD_ARGUMENT ? OC_BAD_FILE : status, "%s", oc_error(d));
}

oc_status file_choose(const FileRun *r, oc_module *m, oc_kernel **k, Diag *diag)
{
    Kernels all = {.v = {0}};
    list_kernels(r, m, &all);
    oc_status status = choose_entry(r, &all, k, diag);
    for (size_t i = 0; i < all.names.n; i++) mem_free(all.names.v[i]), mem_free(all.plain.v[i]);
    vec_free(&all.v), vec_free(&all.names), vec_free(&all.plain);
    const char *refusal = status == OC_OK ? oc_kernel_describe(*k).refusal : NULL;
    return refusal ? file_fail(diag, OC_UNSUPPORTED, "%s", refusal) : status;
}

// A kernel that can't be run is refused before its arguments are looked at.
static oc_status find_kernel(oc_device *d, const FileRun *r, oc_kernel **k, Diag *diag)
{
    Text ptx = {0};
    oc_module *m;
    oc_status status = file_ptx(d, r, &ptx, diag);
    if (status == OC_OK) status = file_load(d, r, &ptx, &m, diag);
    text_free(&ptx);
    return status == OC_OK ? file_choose(r, m, k, diag) : status;
}

// The first parameters get the names that the user gives, as nvcc's PTX has none.
static oc_status give_names(const FileRun *r, FileLaunch *l, Diag *diag)
{
    const uint32_t n = l->info.params;
    if (!r->names.n) return OC_OK;
    if (r->names.n > n)
        return file_fail(diag, OC_BAD_ARGUMENT, "%zu names are given, and the kernel has %u parameter%s", r->names.n, n,
                         n == 1 ? "" : "s");
    const char **names = arena_alloc(&l->arena, sizeof *names * (n + 1));
    for (uint32_t k = 0; k < n; k++) names[k] = k < r->names.n ? r->names.v[k] : l->info.names[k];
    l->info.names = names;
    return OC_OK;
}

// What the compiler of CUDA source wrote below its PTX (cli/signature.c): "// arguments of NAME: pointer integer".
// Returns the words; null: there are none.
static const char *kinds_of(const FileRun *r, const char *kernel)
{
    Text line = {0};
    text_printf(&line, "\n// arguments of %s: ", kernel);
    const char *at = r->text && r->text->v ? strstr(r->text->v, line.v) : NULL;
    if (at) at += line.n;
    text_free(&line);
    return at;
}

oc_status file_arguments(const FileRun *r, oc_kernel *kernel, FileLaunch *l, Diag *diag)
{
    l->kernel = kernel, l->info = oc_kernel_describe(kernel);
    oc_status status = give_names(r, l, diag);
    if (status == OC_OK) status = argument_count(&l->info, r->args.v, r->args.n, diag);
    if (status != OC_OK) return status;
    l->values = mem_alloc(sizeof *l->values * (r->args.n + 1));
    l->buffers = mem_alloc(sizeof *l->buffers * (r->args.n + 1));
    const char *kinds = kinds_of(r, l->info.name);
    for (size_t a = 0; a < r->args.n && status == OC_OK; a++) {
        l->values[a] = arena_alloc(&l->arena, l->info.sizes[a]);
        status = argument_make(l->device, r->args.v[a], &l->info, a, kinds ? argument_kind(kinds) : ARGUMENT_UNKNOWN,
                               l->values[a], &l->buffers[a], &l->smem, diag);
        if (kinds) kinds += strcspn(kinds, " \n"), kinds += *kinds == ' ';
    }
    return status;
}

oc_status file_prepare(oc_device *d, const FileRun *r, FileLaunch *l, Diag *diag)
{
    oc_kernel *kernel;
    *l = (FileLaunch){.device = d, .grid = r->grid, .block = r->block, .smem = r->smem};
    oc_status status = find_kernel(d, r, &kernel, diag);
    return status == OC_OK ? file_arguments(r, kernel, l, diag) : status;
}

oc_status file_launch(FileLaunch *l, Diag *diag)
{
    oc_status status = oc_launch(l->kernel, l->grid, l->block, l->smem, NULL, (const void *const *)l->values);
    return status == OC_OK ? status : file_fail(diag, status, "%s", oc_error(l->device));
}

void file_free(FileLaunch *l)
{
    mem_free(l->values), mem_free(l->buffers);
    arena_free(&l->arena);
    *l = (FileLaunch){.values = NULL};
}

bool file_options(FileRun *r, const char *path, const char *const *params, Arena *arena, Diag *diag)
{
    bool others = false;
    *r = file_run(path);
    for (; params && *params; params++) {
        const char *equals = strchr(*params, '=');
        size_t n = equals ? (size_t)(equals - *params) : strlen(*params);
        static const char *const names[] = {"kernel", "grid", "block", "smem", "args"};
        size_t k = 0;
        while (k < COUNT(names) && (strlen(names[k]) != n || memcmp(names[k], *params, n))) k++;
        if (!equals || k == COUNT(names))
            return diag_error(diag, "a PTX file has no parameter '%.*s'; it has kernel, grid, block, smem and args",
                              (int)n, *params),
                   false;
        if (strcmp(names[k], "args") && !file_set(r, names[k], equals + 1, diag)) return false;
        Text plain = {0};
        const char *line = equals + 1;
        while (!strcmp(names[k], "args") && word_next(&line, &plain)) vec_push(&r->args, arena_copy(arena, plain.v));
        text_free(&plain);
        others |= strcmp(names[k], "args") != 0;
    }
    if (!r->args.n || *r->args.v[0] != '@') return true;
    if (r->args.n > 1)
        return diag_error(diag, "%s is an argument file, and no argument stands beside it", r->args.v[0]);
    if (others)
        return diag_error(diag, "%s is an argument file, which says kernel, grid, block and smem for each launch",
                          r->args.v[0]);
    r->script = r->args.v[0] + 1;
    r->args.n = 0;
    return true;
}
