// ray: an image of spheres over a plane, by ray tracing. The host traces the same rays in double, by recursion. In
// single precision a ray near an edge may miss what it should meet, so that a few pixels have another colour.
#include "../host.h"

#include <math.h>
#include <stdlib.h>

#define LEVELS 5
#define OBJECTS 256
#define FAR 10000
#define NEAR 1e-4
#define STEP 0.015  // spheres move so far from frame to frame
#define SURE 50000  // one in so many pixels may have another colour, for each sphere; and four more
#define NONE (-1)

typedef struct Object {  // as on the device
    float centre[3], radius, colour[4];
    uint32_t plane, unused;
} Object;

typedef struct Scene {
    int64_t n;
    Object objects[OBJECTS];
    float camera[3][4];  // to the right, up, ahead; the fourth elements are the eye's place
    float focus;         // from the eye to the image, which is 2 high or wide
    float shift;         // all objects are so far to the right
} Scene;

typedef struct Vector {
    double v[3];
} Vector;

// a + s b
static Vector add(Vector a, double s, Vector b)
{
    return (Vector){{a.v[0] + s * b.v[0], a.v[1] + s * b.v[1], a.v[2] + s * b.v[2]}};
}

static double dot3(Vector a, Vector b) { return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2]; }

static Vector unit(Vector a) { return add((Vector){{0}}, 1 / sqrt(dot3(a, a)), a); }

static Vector cross(Vector a, Vector b)
{
    return (Vector){
        {a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2], a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}

static Vector vector(const float *v) { return (Vector){{v[0], v[1], v[2]}}; }

// --- The scene ------------------------------------------------------------------------------------------------------

// The plane, three spheres, the eye and its angle are the published program's. Further spheres are anywhere in front.
static void make_scene(Work *work, Scene *scene, int64_t spheres, int64_t frame)
{
    static const Object published[] = {
        {{0, -1.5f, 0}, 0.5f, {0, 1, 1, 1}, 1, 2},
        {{-1, 0, -1}, 0.5f, {1, 0, 0, 1}, 0, 0},
        {{1, 0, -1}, 0.5f, {0, 0, 1, 1}, 0, 0},
        {{0, 0, -2}, 0.75f, {0, 1, 0, 1}, 0, 0},
    };
    scene->n = spheres + 1;
    for (int64_t k = 0; k <= spheres; k++) {
        Object *o = &scene->objects[k];
        if (k < (int64_t)(sizeof published / sizeof published[0])) {
            *o = published[k];
            continue;
        }
        for (int j = 0; j < 3; j++) {
            o->colour[j] = work_random_float(work);
            o->centre[j] = j < 2 ? 5 * o->colour[j] - 2.5f : -5 * o->colour[j];
        }
        o->colour[3] = 1;
        o->radius = work_random_float(work);
    }
    const Vector eye = {{0, 0.5, 2}};
    const Vector ahead = unit(add((Vector){{0}}, -1, eye)), right = unit(cross(ahead, (Vector){{0, 1, 0}}));
    const Vector axes[3] = {right, cross(right, ahead), ahead};
    for (int r = 0; r < 3; r++)
        for (int j = 0; j < 4; j++) scene->camera[r][j] = (float)(j < 3 ? axes[r].v[j] : eye.v[r]);
    scene->focus = (float)(1 / tan(65 * 3.14159265358979 / 360));
    scene->shift = (float)(STEP * (double)frame);
}

// --- The CPU's image ------------------------------------------------------------------------------------------------

// Where the ray meets the object first, in units of its direction, which has length 1; 0: nowhere.
static double meet(const Scene *scene, const Object *o, Vector from, Vector direction)
{
    const Vector rest = add(add(from, -1, vector(o->centre)), -1, (Vector){{scene->shift}});
    if (o->plane) {
        const double t = fabs(direction.v[1]) < 1e-4 ? 0 : -rest.v[1] / direction.v[1];
        return t > 0 ? t : 0;
    }
    // |from + t direction - centre|² = radius² is t² + 2 b t + c = 0; c is negative inside of the sphere.
    const double b = dot3(rest, direction), c = dot3(rest, rest) - (double)o->radius * o->radius, d = b * b - c;
    if (d < 0 || (b > 0 && c > 0)) return 0;
    return c > 0 ? -b - sqrt(d) : -b + sqrt(d);
}

static int64_t nearest(const Scene *scene, Vector from, Vector direction, double *distance)
{
    int64_t found = NONE;
    for (int64_t k = 0; k < scene->n; k++) {
        const double t = meet(scene, &scene->objects[k], from, direction);
        if (t > 0 && t < *distance) *distance = t, found = k;
    }
    return found;
}

// Adds to colour what a ray brings, weighted. It is reflected levels - 1 times. True: the ray meets an object.
static bool trace(const Scene *scene, Vector from, Vector direction, int levels, double weight, double *colour)
{
    double distance = FAR;
    const int64_t k = levels ? nearest(scene, from, direction, &distance) : NONE;
    if (k == NONE) return false;
    const Object *o = &scene->objects[k];
    const Vector place = add(from, distance, direction), up = {{0, 1, 0}}, light = {{10, 10, 10}};
    const Vector centre = add(vector(o->centre), 1, (Vector){{scene->shift}});
    const Vector normal = o->plane ? up : unit(add(place, -1, centre));
    const double side = dot3(normal, direction) > 0 ? -1 : 1;  // -1: the ray comes from inside
    const Vector to_light = add(light, -1, place), shine = unit(to_light);
    const double facing = side * dot3(normal, shine);
    double away = sqrt(dot3(to_light, to_light)), diffuse = 0.05, gloss = 0;
    if (facing > 0 && nearest(scene, add(place, NEAR, shine), shine, &away) == NONE) {
        diffuse += 0.3 * facing;
        gloss = 0.8 * pow(fmax(side * dot3(normal, unit(add(shine, -1, direction))), 0), 50);
    }
    for (int j = 0; j < 4; j++) colour[j] += weight * (diffuse * o->colour[j] + (j < 3 ? gloss : 0));
    const Vector mirrored = add(direction, -2 * dot3(normal, direction), normal);
    trace(scene, add(place, NEAR, mirrored), mirrored, levels - 1, 0.8 * weight, colour);
    return true;
}

static void pixel_of(const Scene *scene, int64_t width, int64_t height, int64_t x, int64_t y, uint8_t *pixel)
{
    const double size = 2.0 / (double)(width < height ? width : height);
    const double across = size * ((double)x - (double)width / 2), up = size * ((double)y - (double)height / 2);
    Vector eye, direction = {{0}};
    for (int r = 0; r < 3; r++) {
        eye.v[r] = scene->camera[r][3];
        direction = add(direction, r == 0 ? across : r == 1 ? up : (double)scene->focus, vector(scene->camera[r]));
    }
    double colour[4] = {0};
    if (!trace(scene, eye, unit(direction), LEVELS, 1, colour)) colour[3] = 1;
    for (int j = 0; j < 4; j++) pixel[j] = (uint8_t)(255 * (colour[j] < 1 ? colour[j] : 1));
}

static void check(Work *work, const Scene *scene, int64_t width, int64_t height, const uint8_t *got)
{
    const uint32_t most = 4 + (uint32_t)(width * height * (scene->n - 1) / SURE), none = 0;
    uint32_t others = 0;
    for (int64_t i = 0; i < width * height; i++) {
        uint8_t want[4];
        bool same = true;
        pixel_of(scene, width, height, i % width, i / width, want);
        for (int j = 0; j < 4; j++) same = same && abs(got[4 * i + j] - want[j]) <= 1;
        others += !same;
    }
    const uint32_t beyond = others > most ? others - most : 0;
    work_check_u32(work, "pixels beyond the tolerance", &beyond, &none, 1);
}

static void run(Work *work)
{
    const int64_t width = work_param(work, "width"), height = work_param(work, "height");
    const size_t bytes = (size_t)(width * height) * 4;
    work_seed(work, work_param(work, "seed"));
    Scene *scene = work_host(work, sizeof *scene);
    uint8_t *got = work_host(work, bytes);
    if (!work_ok(work)) return;
    make_scene(work, scene, work_param(work, "spheres"), work_param(work, "frame"));
    WorkBuf dobjects = work_symbol(work, "objects"), dcamera = work_symbol(work, "camera");
    WorkBuf dimage = work_device(work, "image", bytes);
    work_write(work, dobjects, scene->objects, (size_t)scene->n * sizeof *scene->objects);
    work_write(work, dcamera, scene->camera, sizeof scene->camera);

    work_launch(work, "render", dim2(ceil_div(width, 16), ceil_div(height, 8)), dim2(16, 8), 0,
                ARGS(arg_i32(scene->n), arg_i32(width), arg_i32(height), arg_f32(scene->focus), arg_f32(scene->shift),
                     arg_buf(dimage)));
    work_read(work, got, dimage, bytes);
    if (work_ok(work)) check(work, scene, width, height, got);
}

static const WorkParam params[] = {
    {"width", "width of the image in pixels, 1 to 4096", 50, 256, 1, 4096},
    {"height", "height of the image in pixels, 1 to 4096", 35, 256, 1, 4096},
    {"spheres", "spheres beside the plane, 1 to 255", 3, 3, 1, OBJECTS - 1},
    {"frame", "frame of the film, in which objects move to the right, 0 to 66", 0, 0, 0, 66},
    {"seed", "seed of the spheres beyond three, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_ispass_ray = {
    "ray", "ispass", "Ray tracing of spheres over a plane, with reflections and shadows (ISPASS 2009)", params, run};
