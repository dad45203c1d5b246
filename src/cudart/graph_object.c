// graph_object.c: objects of the program that live as long as graphs need them (CUDA C++ Programming Guide, "CUDA User
// Objects"). References are counted, the program's and each graph's; with the last one the program's function is
// called. An entry of a graph whose count is 0 stands for nothing: its object may be gone.
#include "cudart/graph.h"

typedef struct UserObject {
    struct UserObject *self;  // the key
    void *of;
    void (*destroy)(void *);
    uint64_t references;
    UT_hash_handle hh;
} UserObject;
static UserObject *objects;  // under the graphs' lock

static UserObject *find(const UserObject *handle)
{
    UserObject *o;
    HASH_FIND_PTR(objects, &handle, o);
    return o;
}

static void release(UserObject *o, uint64_t n)
{
    o->references -= n;
    if (o->references) return;
    HASH_DEL(objects, o);
    o->destroy(o->of);
    mem_free(o);
}

void graph_objects_copy(Graph *to, const Graph *from)
{
    for (size_t k = 0; k < from->objects.n; k++) {
        if (!from->objects.v[k].count) continue;  // given back
        vec_push(&to->objects, from->objects.v[k]);
        from->objects.v[k].object->references += from->objects.v[k].count;
    }
}

void graph_objects_free(Graph *g)
{
    for (size_t k = 0; k < g->objects.n; k++)
        if (g->objects.v[k].count) release(g->objects.v[k].object, g->objects.v[k].count);
    vec_free(&g->objects);
}

cudaError_t cudaUserObjectCreate(UserObject **out, void *of, void (*destroy)(void *), unsigned references,
                                 unsigned flags)
{
    enum { NO_SYNC = 1 };  // cudaUserObjectNoDestructorSync, which has to be there
    READY();
    if (!out || !destroy || !references || references > INT32_MAX || flags != NO_SYNC)
        return noted(cudaErrorInvalidValue);
    graphs_enter();
    UserObject *o = mem_alloc(sizeof *o);
    o->self = o, o->of = of, o->destroy = destroy, o->references = references;
    HASH_ADD_PTR(objects, self, o);
    *out = o;
    return graphs_left(cudaSuccess);
}

cudaError_t cudaUserObjectRetain(UserObject *handle, unsigned n)
{
    READY();
    graphs_enter();
    UserObject *o = find(handle);
    if (!o || !n || n > INT32_MAX) return graphs_left(cudaErrorInvalidValue);
    o->references += n;
    return graphs_left(cudaSuccess);
}

cudaError_t cudaUserObjectRelease(UserObject *handle, unsigned n)
{
    READY();
    graphs_enter();
    UserObject *o = find(handle);
    if (!o || !n || n > o->references) return graphs_left(cudaErrorInvalidValue);
    release(o, n);
    return graphs_left(cudaSuccess);
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t handle, UserObject *object, unsigned n, unsigned flags)
{
    enum { MOVE = 1 };  // cudaGraphUserObjectMove: the program's references become the graph's
    READY();
    graphs_enter();
    Graph *g = graph_find(handle);
    UserObject *o = find(object);
    if (!g || !o || !n || n > INT32_MAX || flags > MOVE) return graphs_left(cudaErrorInvalidValue);
    if (!flags) o->references += n;
    vec_push(&g->objects, ((Retained){o, n}));
    return graphs_left(cudaSuccess);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t handle, UserObject *object, unsigned n)
{
    uint64_t has = 0;
    READY();
    graphs_enter();
    Graph *g = graph_find(handle);
    UserObject *o = find(object);
    for (size_t k = 0; g && k < g->objects.n; k++)
        if (g->objects.v[k].object == o) has += g->objects.v[k].count;
    if (!g || !o || !n || n > has) return graphs_left(cudaErrorInvalidValue);
    uint64_t rest = n;
    for (size_t k = 0; rest && k < g->objects.n; k++) {
        if (g->objects.v[k].object != o) continue;
        const uint64_t taken = MIN(rest, g->objects.v[k].count);
        g->objects.v[k].count -= taken, rest -= taken;
    }
    release(o, n);
    return graphs_left(cudaSuccess);
}
