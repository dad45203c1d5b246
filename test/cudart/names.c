// names.c: memory that is asked for in several ways, for the names that it gets (names.sh). The comment behind a line
// is the name. Kernels and launches are those of app.c.
#define main app_main
#include "app.c"
#undef main

struct Rows {
    void *row[2];
};

static void *make(size_t bytes)
{
    void *p = NULL;
    if (cudaMalloc(&p, bytes)) return NULL;
    return p;
}

static int take(void **p, size_t bytes) { return cudaMalloc(p, bytes); }

static void use(void *x)
{
    int n = 32;
    char add = 0;
    void *args[] = {&x, &n, &add};
    MUST(launch(&fill, 1, 32, 0, NULL, args));
}

int main(int argc, char **argv)
{
    struct Rows rows, *of = &rows;
    void *a, *b, *taken, *unused;
    if (argc > 1) return app_main(argc, argv);
    if (cudaMalloc(&a, 128) || cudaMalloc(&b, 128)) return 1;  // a, b
    MUST(cudaMalloc(&of->row[1],
                    (size_t)128));    // of->row[1]
    if (take(&taken, 128)) return 1;  // taken
    void *made = make(128);           // made
    if (cudaMalloc(&unused, 128)) return 1;
    use(a), use(b), use(of->row[1]), use(taken), use(made);
    MUST(cudaDeviceSynchronize());
    return 0;
}
