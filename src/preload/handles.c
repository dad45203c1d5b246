// handles.c: finds our data by the handles that the application holds. The driver may give out the same handle again,
// for example after a context was destroyed together with its modules; the new meaning then replaces the old one.
// Kernels stay until their module is unloaded. Launching one during that is a mistake of the application in any case.
#include "preload/unit.h"

#include <string.h>

static Kernel *get(const void *handle)
{
    Kernel *k;
    HASH_FIND_PTR(preload.kernels, &handle, k);
    return k;
}

void image_free(Image *image)
{
    if (!image) return;
    mem_free(image->name), text_free(&image->text), sl1_module_free(&image->of);
    mem_free(image);
}

static void remove_kernel(Kernel *k)
{
    HASH_DEL(preload.kernels, k);
    vec_free(&k->shapes);
    mem_free(k);
}

static Owner *find_owner(const void *handle, bool library)
{
    for (size_t n = 0; n < preload.owners.n; n++)
        if (preload.owners.v[n].handle == handle && preload.owners.v[n].library == library) return &preload.owners.v[n];
    return NULL;
}

static void remove_kernels(const Image *image, const void *owner)
{
    Kernel *k, *next;
    HASH_ITER(hh, preload.kernels, k, next)
    {
        if (k->image == image && (!owner || k->owner == owner)) remove_kernel(k);
    }
}

// Removing a library removes its modules, too; a module of a library is removed alone. Returns the image if no handle
// refers to it any more.
static Image *remove_owner(void *handle, bool library)
{
    const Owner *o = find_owner(handle, library);
    if (!o) return NULL;
    Image *image = o->image;
    bool others = false;
    for (size_t n = 0; n < preload.owners.n; n++)
        others |= preload.owners.v[n].image == image && &preload.owners.v[n] != o;
    bool all = library || !others;
    remove_kernels(image, all ? NULL : handle);
    for (size_t n = preload.owners.n; n-- > 0;) {
        const Owner *x = &preload.owners.v[n];
        if (x->image == image && (all || x->handle == handle))
            preload.owners.v[n] = preload.owners.v[--preload.owners.n];
    }
    return all ? image : NULL;
}

Image *handles_take(void *owner, bool library)
{
    pthread_mutex_lock(&preload.lock);
    Image *image = remove_owner(owner, library);
    pthread_mutex_unlock(&preload.lock);
    return image;
}

void handles_remove(void *owner, bool library) { image_free(handles_take(owner, library)); }

void handles_add_image(void *owner, bool library, Image *image)
{
    handles_remove(owner, library);
    pthread_mutex_lock(&preload.lock);
    vec_push(&preload.owners, ((Owner){owner, library, image}));
    pthread_mutex_unlock(&preload.lock);
}

// Adds a library's module in a context. The application may ask for it repeatedly.
void handles_add_module(CUmodule module, CUlibrary of)
{
    Image *old = NULL;
    pthread_mutex_lock(&preload.lock);
    const Owner *library = find_owner(of, true), *known = find_owner(module, false);
    Image *image = library ? library->image : NULL;
    if (known && known->image != image) old = remove_owner(module, false), known = NULL;
    if (!known && image) vec_push(&preload.owners, ((Owner){module, false, image}));
    pthread_mutex_unlock(&preload.lock);
    image_free(old);
}

static void add(void *handle, bool is_kernel, const Owner *o, const Sl1Kernel *of)
{
    Kernel *k = get(handle);
    if (k && o && k->of == of && k->owner == o->handle && k->library == o->library) return;  // asked for again
    if (k) remove_kernel(k);
    if (!o || !of || of->left) return;
    k = mem_alloc(sizeof *k);
    *k = (Kernel){.handle = handle,
                  .owner = o->handle,
                  .image = o->image,
                  .of = of,
                  .library = o->library,
                  .is_kernel = is_kernel};
    HASH_ADD_PTR(preload.kernels, handle, k);
}

void handles_add_kernel(void *handle, void *owner, bool library, const char *name)
{
    pthread_mutex_lock(&preload.lock);
    const Owner *o = find_owner(owner, library);
    add(handle, library, o, o ? sl1_find(&o->image->of, name) : NULL);
    pthread_mutex_unlock(&preload.lock);
}

void handles_add_function(CUfunction f, CUkernel of)
{
    pthread_mutex_lock(&preload.lock);
    const Kernel *k = get(of);
    if ((void *)f != (void *)of) add(f, false, k ? find_owner(k->owner, k->library) : NULL, k ? k->of : NULL);
    pthread_mutex_unlock(&preload.lock);
}

Kernel *handles_find(void *handle)
{
    pthread_mutex_lock(&preload.lock);
    Kernel *k = get(handle);
    pthread_mutex_unlock(&preload.lock);
    return k;
}
