// build.c: onchip cc: objects, PTX, fat binaries and programs out of sources, as nvcc makes them.
#include "compile/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum Kind { CUDA, OTHER, LINKED } Kind;
static Kind kind_of(const BuildInput *i)
{
    static const char *const sources[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".c++"};
    const char *dot = strrchr(base_name(i->path), '.');
    if (dot && (!strcmp(dot, ".o") || !strcmp(dot, ".obj") || !strcmp(dot, ".a") || strstr(dot, ".so"))) return LINKED;
    if (i->language == LANGUAGE_CUDA) return CUDA;
    if (i->language == LANGUAGE_OTHER) return OTHER;
    if (is_cuda_source(i->path)) return CUDA;
    for (size_t k = 0; dot && k < COUNT(sources); k++)
        if (!strcmp(dot, sources[k])) return OTHER;
    return LINKED;
}

const char *work_file(Work *w, const char *name)
{
    const char *path = arena_printf(&w->arena, "%s/%zu-%s", w->folder.v, w->made.n, name);
    vec_push(&w->made, path);
    return path;
}

static bool same_target(Target a, Target b) { return a.capability == b.capability && a.kind == b.kind; }

// What CMake reads of nvcc -v: where the toolkit lies, and how its headers and libraries are named.
static void show_places(const Work *w, Text *said)
{
    const char *path = getenv("PATH");
    const int root = (int)(w->headers.n - strlen("/include"));
    text_printf(said, "#$ TOP=%.*s\n#$ PATH=%.*s/bin:%s\n", root, w->headers.v, root, w->headers.v, path ? path : "");
    text_printf(said, "#$ NVVMIR_LIBRARY_DIR=%.*s/nvvm/libdevice\n", root, w->headers.v);  // nothing is there
    for (size_t k = 0; k < w->targets.n; k++)
        text_printf(said, "#$ TARGET=-arch compute_%u\n", w->targets.v[k].capability);
    text_printf(said, "#$ INCLUDES=\"-I%s\"\n#$ LIBRARIES=-L%.*s/lib64\n", w->headers.v, root, w->headers.v);
}

bool work_open(Work *w, const Build *b, Text *said, Diag *diag)
{
    const Target usual = {70, 0};
    *w = (Work){.b = b, .diag = diag};
    const Target *wanted = b->targets.n ? b->targets.v : &usual;
    const size_t n = b->targets.n ? b->targets.n : 1;
    if (!b->toolkit && !clang_find(b->clang, wanted, n, &w->clang, diag)) return false;
    if (!own_folder("cuda/include", &w->headers, diag) || !folder_for_a_while(&w->folder, diag)) return false;
    for (size_t k = 0; k < n; k++) {
        const Target t = b->toolkit ? wanted[k] : clang_target(&w->clang, wanted[k]);
        bool there = false;
        for (size_t j = 0; j < w->targets.n; j++) there |= same_target(w->targets.v[j], t);
        if (!there) vec_push(&w->targets, t);
    }
    w->tool = (Tool){.build = b, .clang = &w->clang, .headers = w->headers.v, .folder = w->folder.v, .said = said};
    return true;
}

// Which of the targets that are asked for are made for an older one.
static void tell_targets(const Work *w, Text *said)
{
    for (size_t k = 0; k < w->b->targets.n; k++) {
        const Target wanted = w->b->targets.v[k], t = clang_target(&w->clang, wanted);
        Text is = {0}, asked = {0};
        target_put(t, &is), target_put(wanted, &asked);
        if (!same_target(t, wanted) && wanted.capability >= 35)
            text_printf(said,
                        "clang %u doesn't know sm_%s, so code is made for sm_%s; a later one is looked for, too "
                        "(apt install clang-16 or clang-19), or named by -ccbin\n",
                        w->clang.release, asked.v, is.v);
        text_free(&is), text_free(&asked);
    }
}

void work_close(Work *w)
{
    for (size_t k = 0; k < w->made.n; k++) unlink(w->made.v[k]);
    if (w->folder.n) rmdir(w->folder.v);
    vec_free(&w->made), vec_free(&w->targets);
    text_free(&w->headers), text_free(&w->folder), arena_free(&w->arena);
}

bool write_file(const Text *text, const char *path, Diag *diag)
{
    return text_write_file(text, path) || diag_error(diag, "can't write %s: %s", path, strerror(errno));
}

// --- device code ---------------------------------------------------------------------------------------------------
Target work_target(const Work *w)
{
    Target best = w->targets.v[0];
    for (size_t k = 1; k < w->targets.n; k++)
        if (w->targets.v[k].capability > best.capability) best = w->targets.v[k];
    return best;
}

bool make_ptx(Work *w, const char *source, Target t, Text *ptx)
{
    const char *ir = work_file(w, "device.ll");
    return pass_ir(&w->tool, source, t, ir, w->device_rules, w->diag) &&
           pass_ptx(&w->tool, source, t, ir, !w->b->parts, ptx, w->diag);
}

static bool make_fatbin(Work *w, const char *source, const char *path)
{
    VEC(FatbinText) texts = {0};
    Text *ptx = mem_alloc(sizeof *ptx * w->targets.n), fatbin = {0};
    bool ok = true;
    for (size_t k = 0; k < w->targets.n && ok; k++) {
        ok = make_ptx(w, source, w->targets.v[k], &ptx[k]);
        vec_push(&texts, ((FatbinText){ptx[k].v, w->targets.v[k]}));
    }
    if (ok && !w->b->dry) ok = fatbin_write(texts.v, texts.n, &fatbin, w->diag) && write_file(&fatbin, path, w->diag);
    for (size_t k = 0; k < w->targets.n; k++) text_free(&ptx[k]);
    vec_free(&texts), mem_free(ptx), text_free(&fatbin);
    return ok;
}

bool make_object(Work *w, const BuildInput *i, const char *object)
{
    if (kind_of(i) == OTHER) return pass_host(&w->tool, i->path, NULL, object, NULL, w->diag);
    if (w->b->parts) return make_part(w, i->path, object) && managed_put(w, i->path, NULL, object);
    const char *device = work_file(w, "device.fatbin");
    return make_fatbin(w, i->path, device) && pass_host(&w->tool, i->path, device, object, w->host_rules, w->diag) &&
           managed_put(w, i->path, device, object);
}

static bool write_ptx(Work *w, const char *source, const char *output)
{
    Text ptx = {0};
    if (!strcmp(output, "-")) output = "/dev/stdout";
    const bool ok = make_ptx(w, source, work_target(w), &ptx) && (w->b->dry || write_file(&ptx, output, w->diag));
    text_free(&ptx);
    return ok;
}

// --- what is asked for ---------------------------------------------------------------------------------------------
// What is compiled, and what is linked with it, in their order.
static bool make_objects(Work *w, WordList *objects)
{
    bool ok = true;
    for (size_t k = 0; k < w->b->inputs.n && ok; k++) {
        const BuildInput *i = &w->b->inputs.v[k];
        if (kind_of(i) == LINKED) {
            vec_push(objects, i->path);
            continue;
        }
        const char *object = work_file(w, "host.o");
        ok = make_object(w, i, object);
        vec_push(objects, object);
    }
    return ok;
}

static bool make_program(Work *w)
{
    WordList objects = {0};
    bool ok = make_objects(w, &objects);
    ok = ok && (w->b->dry || link_device(w, &objects, false, NULL));
    ok = ok && pass_link(&w->tool, &objects, w->b->output ? w->b->output : w->b->shared ? "a.so" : "a.out", w->diag);
    vec_free(&objects);
    return ok;
}

// The device code stays in its parts, until a program is linked with them.
static bool make_library(Work *w)
{
    WordList objects = {0}, words = {0};
    const char *output = w->b->output ? w->b->output : "a.a";
    const bool ok = make_objects(w, &objects);
    words_add(&words, "rcs", output, NULL), words_join(&words, &objects);
    if (ok && !w->b->dry) unlink(output);  // ar adds to one that is there
    const bool made = ok && tool_run(&w->tool, "the library can't be made", "ar", &words, w->diag);
    vec_free(&objects), vec_free(&words);
    return made;
}

// Makes the object that registers the objects' device code. Without any it is empty, as nvcc's is.
static bool make_device_link(Work *w)
{
    WordList objects = {0};
    for (size_t k = 0; k < w->b->inputs.n; k++) vec_push(&objects, w->b->inputs.v[k].path);
    const char *output = w->b->output ? w->b->output : "a_dlink.o";
    const bool ok = w->b->dry || link_device(w, &objects, true, output);
    vec_free(&objects);
    return ok;
}

// The file's name without its folders, with another ending.
static const char *renamed(Work *w, const char *path, const char *ending)
{
    const char *name = base_name(path), *dot = strrchr(name, '.');
    return arena_printf(&w->arena, "%.*s%s", (int)(dot ? dot - name : (long)strlen(name)), name, ending);
}

static bool make_each(Work *w)
{
    static const char *const endings[] = {[BUILD_OBJECT] = ".o", [BUILD_PTX] = ".ptx", [BUILD_FATBIN] = ".fatbin"};
    bool ok = true;
    for (size_t k = 0; k < w->b->inputs.n && ok; k++) {
        const BuildInput *i = &w->b->inputs.v[k];
        if (kind_of(i) == LINKED) continue;
        if (w->b->step == BUILD_PREPROCESS || w->b->step == BUILD_RULES) {
            ok = pass_read(&w->tool, i->path, kind_of(i) == CUDA, w->diag);
            continue;
        }
        const char *output = w->b->output ? w->b->output : renamed(w, i->path, endings[w->b->step]);
        ok = w->b->step == BUILD_OBJECT ? make_object(w, i, output)
             : w->b->step == BUILD_PTX  ? write_ptx(w, i->path, output)
                                        : make_fatbin(w, i->path, output);
    }
    return ok;
}

static bool check(const Build *b, Diag *diag)
{
    size_t sources = 0;
    for (size_t k = 0; k < b->inputs.n; k++) {
        const BuildInput *i = &b->inputs.v[k];
        const Kind kind = kind_of(i);
        if (access(i->path, R_OK)) return diag_error(diag, "can't read %s: %s", i->path, strerror(errno));
        if (kind == OTHER && (b->step == BUILD_PTX || b->step == BUILD_FATBIN))
            return diag_error(diag, "%s isn't CUDA source: it has no device code", i->path);
        sources += kind != LINKED;
    }
    if (!b->inputs.n) return diag_error(diag, "nothing to compile: a .cu file is missing");
    const bool whole = b->step == BUILD_PROGRAM || b->step == BUILD_LIBRARY;
    if (!sources && !whole && b->step != BUILD_DEVICE_LINK)
        return diag_error(diag, "nothing to compile: %s is no source", b->inputs.v[0].path);
    if (sources > 1 && b->output && !whole)
        return diag_error(diag, "-o %s: %zu sources give as many files", b->output, sources);
    return true;
}

bool build_run(const Build *b, Text *said, Diag *diag)
{
    Work w;
    if (!b->show && !check(b, diag)) return false;
    bool ok = work_open(&w, b, said, diag);
    if (ok && b->show) {
        show_places(&w, said);  // also where the source isn't there: CMake asks so
        ok = check(b, diag);
    }
    if (ok) {
        tell_targets(&w, said);
        ok = b->step == BUILD_PROGRAM       ? make_program(&w)
             : b->step == BUILD_LIBRARY     ? make_library(&w)
             : b->step == BUILD_DEVICE_LINK ? make_device_link(&w)
                                            : make_each(&w);
    }
    work_close(&w);
    return ok;
}

void build_free(Build *b)
{
    vec_free(&b->inputs), vec_free(&b->both), vec_free(&b->device), vec_free(&b->codegen), vec_free(&b->host);
    vec_free(&b->link), vec_free(&b->targets);
    arena_free(&b->arena);
}
