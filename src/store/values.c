// values.c: a stored run as named numbers. Rates are computed anew from the summed counters, since the rate of a sum
// isn't the sum of the rates. A row of a figure's [data] is treated alike; it has only the numbers that the row gives.
#include "store/query.h"
#include "store/sql.h"

#include "gpu/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Named {
    char *name;
    double value;
} Named;
struct Values {
    uint64_t count[C_COUNT];
    Gpu gpu;
    VEC(Named) others;
    bool given;               // values_given made it: the numbers aren't a run's
    Arena texts;              // of the places that values_places gave
    const char *place;        // the place at which curves are looked up; null: none
    VEC(uint64_t) grown;      // C_COUNT for each time that values_times gave: how much the counters grew until then
    VEC(const char *) times;  // their places
    const uint64_t *now;      // those of the place; null: it isn't a time
};

static void add(Values *v, const char *name, double value)
{
    Named n = {mem_text(name), value};
    vec_push(&v->others, n);
}

// Prepares a statement for rows of a name and a value, of the run with this key. Null when the store failed.
static sqlite3_stmt *rows(Store *s, const char *sql, const char *key, Diag *diag)
{
    sqlite3_stmt *q = NULL;
    if (sql_prepare(s, sql, &q, diag)) sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
    return q;
}

static void load_counters(Values *v, Store *s, const char *key, Diag *diag)
{
    sqlite3_stmt *q = rows(s,
                           "SELECT c.name, sum(c.value) FROM run r JOIN kernel k ON k.run_id = r.id JOIN counter c ON "
                           "c.kernel_id = k.id WHERE r.key = ? GROUP BY c.name",
                           key, diag);
    while (q && sql_row(s, q, diag)) {
        const char *name = (const char *)sqlite3_column_text(q, 0);
        int c = 0;
        while (c < C_COUNT && strcmp(counter_info[c].name, name)) c++;
        if (c < C_COUNT)
            v->count[c] = (uint64_t)sqlite3_column_int64(q, 1);
        else  // a policy's own
            add(v, name, (double)sqlite3_column_int64(q, 1));
    }
    sqlite3_finalize(q);
}

static void load_others(Values *v, Store *s, const char *key, Diag *diag)
{
    static const char *const of[] = {
        "SELECT 'launches', sum(k.launches) FROM run r JOIN kernel k ON k.run_id = r.id WHERE r.key = ?",
        "SELECT 'seconds', sum(k.seconds) FROM run r JOIN kernel k ON k.run_id = r.id WHERE r.key = ?",
        "SELECT 'occupancy.warps', min(k.occupancy_warps) FROM run r JOIN kernel k ON k.run_id = r.id WHERE r.key = ?",
        "SELECT 'wall_seconds', wall_seconds FROM run WHERE key = ?",
        "SELECT m.name, m.value FROM run r JOIN measure m ON m.run_id = r.id WHERE r.key = ?",
    };
    for (size_t k = 0; k < COUNT(of); k++) {
        sqlite3_stmt *q = rows(s, of[k], key, diag);
        while (q && sql_row(s, q, diag))
            add(v, (const char *)sqlite3_column_text(q, 0),
                sqlite3_column_type(q, 1) == SQLITE_NULL ? NAN : sqlite3_column_double(q, 1));
        sqlite3_finalize(q);
    }
}

// Takes the parameters from the identity's text, "nx=64 ny=64". The store may lack them as settings: what is given here
// may have been the default where the run was stored.
static void load_params(Values *v, const char *list)
{
    Text name = {0}, text = {0};
    uint64_t value;
    while (setting_next(&list, &name, &text))
        if (parse_size(text.v, &value)) add(v, name.v, (double)value);
    text_free(&name), text_free(&text);
}

Values *values_load(Store *s, const Identity *id, const char *const *sets, Diag *diag)
{
    Stored found;
    bool begun = false, ok = sql_read(s, &begun, diag) && store_find(s, id->key, &found, diag) && found == STORED_DONE;
    Values *v = ok ? mem_alloc(sizeof *v) : NULL;
    if (v && gpu_load(&v->gpu, id->gpu, sets, diag)) {
        load_counters(v, s, id->key, diag);
        load_others(v, s, id->key, diag);
        load_params(v, id->params);
    }
    sql_end(s, begun);
    if (!diag->failed) return v;
    values_free(v);
    return NULL;
}

Values *values_given(const char *list)
{
    Values *v = mem_alloc(sizeof *v);
    Text name = {0}, text = {0};
    double value;
    v->given = true;
    while (setting_next(&list, &name, &text))
        if (parse_double(text.v, &value)) add(v, name.v, value);
    text_free(&name), text_free(&text);
    return v;
}

// If the stored name is a point of the curve, returns the end of it with the place, "stride=2]"; else null.
static const char *point_of(const char *stored, const char *curve)
{
    size_t n = strlen(curve);
    return !strncmp(stored, curve, n) && stored[n] == '[' ? stored + n + 1 : NULL;
}

static bool at_place(const Values *v, const char *name, double *value)
{
    size_t n = strlen(v->place);
    bool curve = false;
    for (size_t k = 0; k < v->others.n; k++) {
        const char *place = point_of(v->others.v[k].name, name);
        curve |= place != NULL;
        if (place && !strncmp(place, v->place, n) && !strcmp(place + n, "]"))
            return *value = v->others.v[k].value, true;
    }
    *value = NAN;  // a curve without this point
    return curve;
}

void values_at(Values *v, const char *place)
{
    v->place = place, v->now = NULL;
    for (size_t k = 0; k < v->times.n && place; k++)
        if (v->times.v[k] == place) v->now = v->grown.v + k * C_COUNT;
}

bool values_times(Values *v, Store *s, const Identity *id, uint64_t interval, Places *places, Diag *diag)
{
    Stored found;
    bool begun = false, ok = sql_read(s, &begun, diag) && store_find(s, id->key, &found, diag);
    sqlite3_stmt *q =
        !ok ? NULL
            : rows(s,
                   "SELECT p.kernel_id, p.number, p.name, p.value FROM run r JOIN kernel k ON k.run_id = r.id JOIN "
                   "sample p ON p.kernel_id = k.id WHERE r.key = ? ORDER BY p.kernel_id, p.number",
                   id->key, diag);
    uint64_t count[C_COUNT] = {0}, before[C_COUNT] = {0}, elapsed = 0;
    int64_t kernel = -1, number = -1;
    for (bool more = q, any = false; more; any = true) {
        more = sql_row(s, q, diag);
        int64_t k = more ? sqlite3_column_int64(q, 0) : -1, n = more ? sqlite3_column_int64(q, 1) : -1;
        if (any && (k != kernel || n != number)) {           // a sample is complete
            bool anew = count[C_CYCLES] < before[C_CYCLES];  // of another launch, which counts from 0
            if (anew) memset(before, 0, sizeof before);
            elapsed += count[C_CYCLES] - before[C_CYCLES];
            for (int c = 0; c < C_COUNT; c++) vec_push(&v->grown, count[c] - before[c]);
            uint64_t time = interval ? (elapsed + interval / 2) / interval * interval : elapsed;
            const char *place = arena_printf(&v->texts, "time=%llu", (unsigned long long)time);
            vec_push(&v->times, place);
            vec_push(places, place);
            memcpy(before, count, sizeof before);
            if (k != kernel) memset(before, 0, sizeof before);
        }
        kernel = k, number = n;
        for (int c = 0; c < C_COUNT && more; c++)
            if (!strcmp(counter_info[c].name, (const char *)sqlite3_column_text(q, 2)))
                count[c] = (uint64_t)sqlite3_column_int64(q, 3);
    }
    sqlite3_finalize(q);
    sql_end(s, begun);
    return !diag->failed;
}

bool values_get(void *values, const char *name, double *value)
{
    const Values *v = values;
    const uint64_t *count = v->now ? v->now : v->count;
    if (v->place && at_place(v, name, value)) return true;
    if (!v->given && !strcmp(name, "cycles")) return *value = (double)count[C_CYCLES], true;
    for (int c = 0; c < C_COUNT && !v->given; c++)
        if (!strcmp(counter_info[c].name, name)) return *value = (double)count[c], true;
    const Rate *rate = v->given ? NULL : rate_called(name);
    if (rate) return *value = rate->value(count, &v->gpu), true;
    for (size_t k = 0; k < v->others.n; k++)
        if (!strcmp(v->others.v[k].name, name)) return *value = v->others.v[k].value, true;
    return !v->given && gpu_number(&v->gpu, name, value);
}

// The user of a FormulaName that looks for the name of a curve.
typedef struct Seeker {
    Values *values;
    Places *places;
} Seeker;
static bool seek(void *user, const char *name, double *value)
{
    Seeker *s = user;
    bool found = s->places->n > 0;
    *value = 1;
    for (size_t k = 0; k < s->values->others.n && !found; k++) {
        const char *place = point_of(s->values->others.v[k].name, name);
        if (place) vec_push(s->places, arena_text(&s->values->texts, place, strlen(place) - 1));
    }
    return true;
}

// Orders places by their numbers, "stride=2" before "stride=10". The store has them in the order of their letters.
static int by_number(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

void values_places(Values *v, const char *text, Places *places)
{
    double ignored;
    Diag diag = {0};
    Seeker s = {v, places};
    formula(text, seek, &s, &ignored, &diag);
    diag_free(&diag);
    if (places->n) qsort(places->v, places->n, sizeof *places->v, by_number);
}

void values_free(Values *v)
{
    if (!v) return;
    for (size_t k = 0; k < v->others.n; k++) mem_free(v->others.v[k].name);
    vec_free(&v->others), vec_free(&v->grown), vec_free(&v->times);
    arena_free(&v->texts);
    gpu_free(&v->gpu);
    mem_free(v);
}
