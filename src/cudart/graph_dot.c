// graph_dot.c: a graph as a picture's description, in the language of Graphviz.
#include "cudart/graph.h"

#include <stdio.h>

static void put_name(const Node *n, Text *out) { text_printf(out, "\"%p\"", (const void *)n); }

static void put_label(const Node *n, bool verbose, Text *out)
{
    static const char *const kinds[] = {
        [NODE_KERNEL] = "kernel",
        [NODE_COPY] = "copy",
        [NODE_FILL] = "fill",
        [NODE_HOST] = "host",
        [NODE_CHILD] = "child graph",
        [NODE_EMPTY] = "empty",
        [NODE_WAIT] = "wait",
        [NODE_RECORD] = "record",
        [NODE_ALLOC] = "allocate",
        [NODE_FREE] = "free",
        [NODE_CONDITIONAL] = "conditional",
    };
    const Work *w = &n->work;
    Entry *e;
    text_printf(out, "label=\"%s", kinds[w->kind]);
    if (w->kind == NODE_KERNEL) text_printf(out, " %s", kernel_of(w->kernel.f, &e) ? "?" : e->name);
    if (verbose && w->kind == NODE_KERNEL) {
        const Config *c = &w->kernel.config;
        text_printf(out, "\\ngrid %ux%ux%u\\nblock %ux%ux%u\\nshared %zu", c->grid.x, c->grid.y, c->grid.z, c->block.x,
                    c->block.y, c->block.z, c->shared);
    }
    if (verbose && w->kind == NODE_COPY)
        text_printf(out, "\\n%zu x %zu x %zu", w->copy.extent.width, w->copy.extent.height, w->copy.extent.depth);
    if (verbose && w->kind == NODE_FILL)
        text_printf(out, "\\n%p, %zu x %zu of %u bytes: %u", w->fill.at, w->fill.width, w->fill.height, w->fill.element,
                    w->fill.value);
    text_put(out, "\"");
}

// Graphs inside of nodes stand in boxes of their own.
static void put_graph(const Graph *g, bool verbose, Text *out)
{
    for (size_t k = 0; k < g->nodes.n; k++) {
        const Node *n = g->nodes.v[k];
        const Work *w = &n->work;
        const unsigned inside = w->kind == NODE_CONDITIONAL ? w->conditional.n : w->kind == NODE_CHILD;
        put_name(n, out), text_put(out, " ["), put_label(n, verbose, out), text_put(out, "];\n");
        for (size_t j = 0; j < n->after.n; j++) {
            put_name(n->after.v[j], out), text_put(out, " -> "), put_name(n, out);
            text_put(out, ";\n");
        }
        for (unsigned j = 0; j < inside; j++) {
            text_printf(out, "subgraph \"cluster_%p_%u\" {\nlabel=\"of ", (const void *)n, j);
            text_printf(out, "%p\";\n", (const void *)n);
            put_graph(w->kind == NODE_CHILD ? w->child : w->conditional.bodies[j], verbose, out);
            text_put(out, "}\n");
        }
    }
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char *path, unsigned flags)
{
    Text out = {0};
    READY();
    if (!path) return noted(cudaErrorInvalidValue);
    graphs_enter();
    const Graph *g = graph_find(handle);
    text_put(&out, "digraph onchip {\nnode [shape=box];\n");
    if (g) put_graph(g, flags & 1, &out);  // cudaGraphDebugDotFlagsVerbose
    text_put(&out, "}\n");
    graphs_leave();
    const bool ok = g && text_write_file(&out, path);
    text_free(&out);
    return noted(ok ? cudaSuccess : g ? cudaErrorOperatingSystem : cudaErrorInvalidValue);
}
