// Prints what the device tells of its memory's bus and of arrays in layers, and makes such arrays.
#include <stdio.h>

typedef struct {
    int x, y, z, w, f;
} Desc;
typedef struct {
    size_t width, height, depth;
} Extent;
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaMalloc3DArray(void **array, const Desc *desc, Extent extent, unsigned flags);
int cudaFreeArray(void *array);

static int told(int attribute)
{
    int value = -1;
    return cudaDeviceGetAttribute(&value, attribute, 0) ? -1 : value;
}

static int made(size_t width, size_t height, size_t depth, unsigned flags)
{
    void *array;
    const Desc byte = {.x = 8, .f = 1};
    if (cudaMalloc3DArray(&array, &byte, (Extent){width, height, depth}, flags)) return 0;
    return !cudaFreeArray(array);
}

int main(void)
{
    enum { LAYERED = 1, CUBE = 4 };
    printf("%d kHz, %d bits, L2 %d %d\n", told(36), told(37), told(108), told(109));
    printf("textures:");
    for (int k = 27; k < 30; k++) printf(" %d", told(k));
    const int textures[] = {42, 43, 52, 53, 54}, surfaces[] = {55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68};
    for (size_t k = 0; k < sizeof textures / sizeof *textures; k++) printf(" %d", told(textures[k]));
    printf("\nsurfaces:");
    for (size_t k = 0; k < sizeof surfaces / sizeof *surfaces; k++) printf(" %d", told(surfaces[k]));
    printf("\nmade: %d %d %d, more: %d\n", made((size_t)told(42), 0, (size_t)told(43), LAYERED),
           made((size_t)told(27), 1, (size_t)told(29), LAYERED), made(64, 64, (size_t)told(54), LAYERED | CUBE),
           made(1, 0, (size_t)told(43) + 1, LAYERED));
}
