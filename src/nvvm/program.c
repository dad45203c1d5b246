// program.c: programs, as the caller holds them: modules in, PTX and a log out.
//
// Invariant: a program is in the list from its creation until it is destroyed. A handle is looked up before it is used,
// and never followed if it isn't there.
#include "nvvm/unit.h"

#include <pthread.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    Program *first;
} all = {PTHREAD_MUTEX_INITIALIZER, NULL};

// Where the list points to the program; null: it isn't there. The caller has the lock.
static Program **place_of(nvvmProgram program)
{
    for (Program **p = &all.first; *p; p = &(*p)->next)
        if (*p == program) return p;
    return NULL;
}

static bool is_program(nvvmProgram program)
{
    pthread_mutex_lock(&all.lock);
    const bool is = place_of(program) != NULL;
    pthread_mutex_unlock(&all.lock);
    return is;
}

const char *nvvmGetErrorString(nvvmResult result)
{
    static const char *const texts[] = {
#define RESULT(name, text) text,
#include "nvvm/results.def"
#undef RESULT
    };
    return (size_t)result < COUNT(texts) ? texts[result] : "unknown result";
}

nvvmResult nvvmVersion(int *major, int *minor)
{
    if (!major || !minor) return NVVM_ERROR_INVALID_INPUT;
    *major = 2, *minor = 0;
    return NVVM_SUCCESS;
}

nvvmResult nvvmIRVersion(int *major, int *minor, int *debug_major, int *debug_minor)
{
    if (!major || !minor || !debug_major || !debug_minor) return NVVM_ERROR_INVALID_INPUT;
    *major = 1, *minor = 6, *debug_major = 3, *debug_minor = 0;
    return NVVM_SUCCESS;
}

nvvmResult nvvmCreateProgram(nvvmProgram *program)
{
    if (!program) return NVVM_ERROR_INVALID_PROGRAM;
    Program *p = mem_alloc(sizeof *p);
    pthread_mutex_lock(&all.lock);
    p->next = all.first, all.first = p;
    pthread_mutex_unlock(&all.lock);
    *program = p;
    return NVVM_SUCCESS;
}

nvvmResult nvvmDestroyProgram(nvvmProgram *program)
{
    if (!program) return NVVM_ERROR_INVALID_PROGRAM;
    pthread_mutex_lock(&all.lock);
    Program **at = place_of(*program), *p = at ? *at : NULL;
    if (p) *at = p->next;
    pthread_mutex_unlock(&all.lock);
    if (!p) return NVVM_ERROR_INVALID_PROGRAM;
    for (size_t k = 0; k < p->inputs.n; k++) text_free(&p->inputs.v[k].code), mem_free(p->inputs.v[k].name);
    vec_free(&p->inputs), text_free(&p->ptx), text_free(&p->log), mem_free(p);
    *program = NULL;
    return NVVM_SUCCESS;
}

static nvvmResult add(nvvmProgram p, const char *buffer, size_t size, const char *name, bool lazy)
{
    if (!is_program(p)) return NVVM_ERROR_INVALID_PROGRAM;
    if (!buffer || !size) return NVVM_ERROR_INVALID_INPUT;
    char *copy = mem_try(size, 1);
    if (!copy) return NVVM_ERROR_OUT_OF_MEMORY;
    memcpy(copy, buffer, size);
    const Input input = {{copy, size, size}, mem_text(name ? name : "<unnamed>"), lazy};
    vec_push(&p->inputs, input);
    return NVVM_SUCCESS;
}

nvvmResult nvvmAddModuleToProgram(nvvmProgram program, const char *buffer, size_t size, const char *name)
{
    return add(program, buffer, size, name, false);
}

nvvmResult nvvmLazyAddModuleToProgram(nvvmProgram program, const char *buffer, size_t size, const char *name)
{
    return add(program, buffer, size, name, true);
}

static nvvmResult fail(Program *p, nvvmResult result, Diag *diag)
{
    if (diag->text.n) text_add(&p->log, diag->text.v, diag->text.n), text_put(&p->log, "\n");
    diag_free(diag);
    return result;
}

static nvvmResult work(Program *p, int count, const char **words, bool verify)
{
    Diag diag = {0};
    Options options;
    Llvm llvm;
    Outcome out = {.result = NVVM_ERROR_COMPILATION};
    if (!is_program(p)) return NVVM_ERROR_INVALID_PROGRAM;
    p->log.n = p->ptx.n = 0, p->compiled = false;
    if (!options_read(&options, count, words, &diag)) return fail(p, NVVM_ERROR_INVALID_OPTION, &diag);
    if (!p->inputs.n) return NVVM_ERROR_NO_MODULE_IN_PROGRAM;
    if (!llvm_open(&llvm, &diag)) return fail(p, NVVM_ERROR_COMPILATION, &diag);
    compile_apart(&llvm, p, verify ? NULL : &options, &out);
    text_free(&p->log), text_free(&p->ptx);
    p->log = out.log, p->ptx = out.ptx, p->compiled = !verify && out.result == NVVM_SUCCESS;
    return out.result;
}

nvvmResult nvvmCompileProgram(nvvmProgram program, int count, const char **options)
{
    return work(program, count, options, false);
}

nvvmResult nvvmVerifyProgram(nvvmProgram program, int count, const char **options)
{
    return work(program, count, options, true);
}

nvvmResult nvvmGetCompiledResultSize(nvvmProgram program, size_t *size)
{
    if (!is_program(program) || !program->compiled) return NVVM_ERROR_INVALID_PROGRAM;
    if (!size) return NVVM_ERROR_INVALID_INPUT;
    *size = program->ptx.n + 1;
    return NVVM_SUCCESS;
}

static nvvmResult give(const Text *text, char *buffer)
{
    if (!buffer) return NVVM_ERROR_INVALID_INPUT;
    if (text->n) memcpy(buffer, text->v, text->n);
    buffer[text->n] = '\0';
    return NVVM_SUCCESS;
}

nvvmResult nvvmGetCompiledResult(nvvmProgram program, char *buffer)
{
    if (!is_program(program) || !program->compiled) return NVVM_ERROR_INVALID_PROGRAM;
    return give(&program->ptx, buffer);
}

nvvmResult nvvmGetProgramLogSize(nvvmProgram program, size_t *size)
{
    if (!is_program(program)) return NVVM_ERROR_INVALID_PROGRAM;
    if (!size) return NVVM_ERROR_INVALID_INPUT;
    *size = program->log.n + 1;
    return NVVM_SUCCESS;
}

nvvmResult nvvmGetProgramLog(nvvmProgram program, char *buffer)
{
    return is_program(program) ? give(&program->log, buffer) : NVVM_ERROR_INVALID_PROGRAM;
}
