// work.c: what nodes of graphs do. A node keeps its own copy of all that it needs; a kernel's parameters are kept as
// the bytes that a launch has.
#include "cudart/graph.h"

cudaError_t work_kernel(const void *f, const Config *c, const Values *v, Work *w)
{
    Entry *e;
    cudaError_t error = kernel_of(f, &e);
    if (!error) error = launch_check(c, e);
    if (!error && e->info.params && !v->args && !v->packed) error = cudaErrorInvalidValue;
    if (error) return error;
    *w = (Work){.kind = NODE_KERNEL, .kernel = {.f = f, .config = *c, .bytes = e->info.param_bytes}};
    w->kernel.values = mem_alloc(w->kernel.bytes + 1);
    launch_values(e, v, w->kernel.values);
    return cudaSuccess;
}

cudaError_t work_check(const Work *w)
{
    const FillWork *f = &w->fill;
    size_t bytes;
    switch (w->kind) {
    case NODE_COPY:
        if (!w->copy.to.ptr == !w->copy.to_array || !w->copy.from.ptr == !w->copy.from_array)
            return cudaErrorInvalidValue;
        return w->copy.kind < 0 || w->copy.kind > 4 ? cudaErrorInvalidMemcpyDirection : cudaSuccess;
    case NODE_FILL:
        if (!f->at || (f->element != 1 && f->element != 2 && f->element != 4) || !f->width || !f->height)
            return cudaErrorInvalidValue;
        if ((uintptr_t)f->at % f->element || __builtin_mul_overflow(f->width, f->element, &bytes))
            return cudaErrorInvalidValue;
        return f->height > 1 && bytes > f->pitch ? cudaErrorInvalidValue : cudaSuccess;
    case NODE_HOST: return w->host.function ? cudaSuccess : cudaErrorInvalidValue;
    case NODE_FREE: return w->memory ? cudaSuccess : cudaErrorInvalidValue;
    default: return cudaSuccess;
    }
}

Work work_copy(const Work *w)
{
    Work to = *w;
    switch (w->kind) {
    case NODE_KERNEL:
        to.kernel.values = mem_alloc(w->kernel.bytes + 1), to.kernel.args = NULL;
        memcpy(to.kernel.values, w->kernel.values, w->kernel.bytes);
        break;
    case NODE_CHILD: to.child = graph_copy(w->child); break;
    case NODE_ALLOC:
    case NODE_FREE: graph_holds(w->memory, true); break;
    case NODE_CONDITIONAL:
        to.conditional.bodies = mem_alloc(sizeof *to.conditional.bodies * w->conditional.n);
        for (unsigned k = 0; k < w->conditional.n; k++) to.conditional.bodies[k] = graph_copy(w->conditional.bodies[k]);
        break;
    default: break;
    }
    return to;
}

void work_free(Work *w)
{
    switch (w->kind) {
    case NODE_KERNEL: mem_free(w->kernel.values), mem_free(w->kernel.args); break;
    case NODE_CHILD: graph_end(w->child); break;
    case NODE_ALLOC:
    case NODE_FREE: graph_holds(w->memory, false); break;
    case NODE_CONDITIONAL:
        for (unsigned k = 0; k < w->conditional.n; k++) graph_end(w->conditional.bodies[k]);
        mem_free(w->conditional.bodies);
        break;
    default: break;
    }
    *w = (Work){.kind = NODE_EMPTY};
}

cudaError_t work_run(const Work *w, cudaStream_t s)
{
    Config config;
    switch (w->kind) {
    case NODE_KERNEL:
        config = w->kernel.config;
        config.stream = s;
        return launch_run(w->kernel.f, &config, &(Values){.packed = w->kernel.values, .bytes = w->kernel.bytes});
    case NODE_COPY: return cudaMemcpy3DAsync(&w->copy, s);
    case NODE_FILL:
        return rows_fill(w->fill.at, w->fill.pitch, w->fill.value, w->fill.element, w->fill.width, w->fill.height, s);
    case NODE_HOST: return cudaLaunchHostFunc(s, w->host.function, w->host.data);
    case NODE_WAIT: return cudaStreamWaitEvent(s, w->event, 0);
    case NODE_RECORD: return cudaEventRecord(w->event, s);
    case NODE_ALLOC:
    case NODE_FREE: return graph_memory_run(w->memory, w->kind == NODE_ALLOC);
    default: return cudaSuccess;
    }
}
