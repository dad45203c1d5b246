// store.c: puts runs into a store, and looks them up. All values are bound to parameters; none is pasted into SQL.
#include "store/sql.h"

#include "device/device.h"
#include "say/say.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

// --- statements ------------------------------------------------------------------------------------------------------
// A statement whose parameters are being bound: the number of bound ones, and whether all is well so far.
typedef struct Query {
    Store *s;
    sqlite3_stmt *q;
    int at;
    bool ok;
} Query;
static Query query(Store *s, const char *sql)
{
    Query x = {.s = s};
    x.ok = sqlite3_prepare_v2(s->db, sql, -1, &x.q, NULL) == SQLITE_OK;
    return x;
}
static void put_text(Query *x, const char *v)
{
    x->ok = x->ok && sqlite3_bind_text(x->q, ++x->at, v, -1, SQLITE_TRANSIENT) == SQLITE_OK;
}  // a null pointer binds NULL
static void put_int(Query *x, int64_t v) { x->ok = x->ok && sqlite3_bind_int64(x->q, ++x->at, v) == SQLITE_OK; }
static void put_real(Query *x, double v) { x->ok = x->ok && sqlite3_bind_double(x->q, ++x->at, v) == SQLITE_OK; }
static void run_query(Query *x)
{
    x->ok = x->ok && sqlite3_step(x->q) == SQLITE_DONE && sqlite3_reset(x->q) == SQLITE_OK;
    x->at = 0;
    x->s->spent = 0;  // how many rows a run has is for onchip to say, not for the store
}
static bool finish(Query *x, Diag *diag)
{
    bool ok = x->ok || sql_broken(x->s, diag);
    sqlite3_finalize(x->q);
    return ok;
}

// --- looking up ------------------------------------------------------------------------------------------------------
bool store_find(Store *s, const char *key, Stored *found, Diag *diag)
{
    bool begun = false;
    *found = STORED_NOT;
    bool ok = sql_read(s, &begun, diag) &&
              (s->find || sql_prepare(s, "SELECT id, status = 'done' FROM run WHERE key = ?", &s->find, diag)) &&
              (sqlite3_bind_text(s->find, 1, key, -1, SQLITE_STATIC) == SQLITE_OK || sql_broken(s, diag));
    if (ok && sql_row(s, s->find, diag)) {
        *found = sqlite3_column_int(s->find, 1) ? STORED_DONE : STORED_FAILED;
        checksum_check(s, sqlite3_column_int64(s->find, 0), true, diag);
    }
    sqlite3_reset(s->find);
    sql_end(s, begun);
    return ok && !diag->failed;
}

bool store_estimate(Store *s, const Identity *id, bool *known, double *seconds, double *bytes, Diag *diag)
{
    Query x = query(s, "SELECT avg(wall_seconds), max(memory_bytes) FROM run WHERE program = ? AND params = ? AND "
                       "options = ? AND status = 'done'");
    put_text(&x, id->program), put_text(&x, id->params), put_text(&x, id->options);
    *known = x.ok && sql_row(s, x.q, diag) && sqlite3_column_type(x.q, 0) != SQLITE_NULL;
    *seconds = *known ? sqlite3_column_double(x.q, 0) : 0;
    *bytes = *known ? sqlite3_column_double(x.q, 1) : 0;
    *known = *known && *seconds >= 0 && *bytes >= 0 && isfinite(*seconds) && isfinite(*bytes);
    return finish(&x, diag) && !diag->failed;
}

// --- a run's rows ----------------------------------------------------------------------------------------------------
static uint64_t total(const LaunchSums *sums, Counter c)
{
    uint64_t all = 0;
    for (size_t k = 0; k < sums->n; k++) all += sums->v[k].count[c];
    return all;
}

static bool put_run(Store *s, const Identity *id, const RunOutcome *o, const LaunchSums *sums, Diag *diag)
{
    char now[32], host[256] = "";
    time_t t = time(NULL);
    struct tm utc;
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &utc));
    gethostname(host, sizeof host - 1);
    Query x = query(
        s,
        "INSERT INTO run (key, verb, program, params, gpu, overrides, options, status, error, verified, cycles, "
        "warp_instructions, thread_instructions,"
        " model, version, wall_seconds, memory_bytes, finished, host) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    put_text(&x, id->key), put_text(&x, id->verb), put_text(&x, id->program), put_text(&x, id->params),
        put_text(&x, id->gpu);
    put_text(&x, id->overrides), put_text(&x, id->options), put_text(&x, o->error ? "failed" : "done"),
        put_text(&x, o->error);
    if (id->checked)
        put_int(&x, o->verified);
    else
        put_text(&x, NULL);
    put_int(&x, (int64_t)total(sums, C_CYCLES)), put_int(&x, (int64_t)total(sums, C_WARP_INSTS)),
        put_int(&x, (int64_t)total(sums, C_THREAD_INSTS));
    put_int(&x, MODEL_VERSION), put_text(&x, ONCHIP_VERSION), put_real(&x, o->wall_seconds),
        put_int(&x, (int64_t)o->memory_bytes);
    put_text(&x, now), put_text(&x, host);
    run_query(&x);
    return finish(&x, diag);
}

// Puts a row for each setting of "nx=64 ny=64". Of an override that is given twice the last value counts.
static bool put_settings(Store *s, int64_t run_id, const char *list, Diag *diag)
{
    Query x = query(s, "INSERT OR REPLACE INTO setting (run_id, name, value) VALUES (?,?,?)");
    Text name = {0}, value = {0};
    while (x.ok && setting_next(&list, &name, &value)) {
        put_int(&x, run_id), put_text(&x, name.v), put_text(&x, value.v);
        run_query(&x);
    }
    text_free(&name), text_free(&value);
    return finish(&x, diag);
}

static bool put_counters(Store *s, int64_t kernel, const LaunchSum *sum, const Gpu *g, Diag *diag)
{
    Query x = query(s, "INSERT INTO counter (kernel_id, name, value) VALUES (?,?,?)");
    for (int c = 0; c < C_COUNT; c++)
        put_int(&x, kernel), put_text(&x, counter_info[c].name), put_int(&x, (int64_t)sum->count[c]), run_query(&x);
    OwnCounter own;
    for (size_t c = 0; gpu_own(g, c, &own); c++)
        put_int(&x, kernel), put_text(&x, own.name), put_int(&x, (int64_t)sum->own[own.at]), run_query(&x);
    if (!finish(&x, diag)) return false;
    x = query(s, "INSERT INTO rate (kernel_id, name, value) VALUES (?,?,?)");
    for (size_t r = 0; r < RATES; r++)
        put_int(&x, kernel), put_text(&x, rates[r].name), put_real(&x, rates[r].value(sum->count, g)), run_query(&x);
    double peak[ALL_PEAKS];
    find_peaks(sum->count, g, peak);
    for (size_t k = 0; k < ALL_PEAKS; k++)
        put_int(&x, kernel), put_text(&x, peak_info[k].name), put_real(&x, peak[k]), run_query(&x);
    return finish(&x, diag);
}

static bool put_structures(Store *s, int64_t kernel, const LaunchSum *sum, Diag *diag)
{
    Query x = query(s, "INSERT INTO structure VALUES (?,?,?,?,?,?,?,?,?,?)");
    for (size_t k = 0; k < sum->structures.n; k++) {
        const SumStructure *t = &sum->structures.v[k];
        put_int(&x, kernel), put_text(&x, t->name);
        const StructStat *n = &t->stat;
        const uint64_t v[] = {n->loads,   n->stores,      n->atomics, n->transactions,
                              n->sectors, n->l1_accesses, n->l1_hits, t->dram_bytes};
        for (size_t c = 0; c < COUNT(v); c++) put_int(&x, (int64_t)v[c]);
        run_query(&x);
    }
    return finish(&x, diag);
}

static bool put_samples(Store *s, int64_t kernel, const LaunchSum *sum, Diag *diag)
{
    Query x = query(s, "INSERT INTO sample VALUES (?,?,?,?)");
    for (size_t k = 0; k < sum->samples.n && x.ok; k++) {
        put_int(&x, kernel), put_int(&x, (int64_t)(k / C_COUNT)), put_text(&x, counter_info[k % C_COUNT].name),
            put_int(&x, (int64_t)sum->samples.v[k]);
        run_query(&x);
    }
    return finish(&x, diag);
}

// So many lines and accesses of a kernel are kept at most, the hottest; and so many bytes of a line's text.
enum { MOST_KEPT = 2000, LONGEST_LINE = 400 };

static void put_line(Query *x, int64_t kernel, size_t number, const LineStat *l)
{
    const InstStat *n = &l->stat;
    const uint64_t v[] = {n->issued,      n->lanes,   n->transactions, n->sectors,
                          n->l1_accesses, n->l1_hits, n->stalls,       n->queued};
    put_int(x, kernel), put_int(x, (int64_t)number), put_text(x, l->file), put_int(x, l->line);
    put_text(x, l->at_file), put_int(x, l->at_line), put_text(x, l->array), put_text(x, l->what);
    for (size_t c = 0; c < COUNT(v); c++) put_int(x, (int64_t)v[c]);
    run_query(x);
}

// Puts the text of lines, as far as their files can be read. Bytes that aren't UTF-8 become question marks.
static bool put_source(Store *s, int64_t run_id, const LineStats *lines, Diag *diag)
{
    Query x = query(s, "INSERT OR IGNORE INTO source (run_id, file, line, text) VALUES (?,?,?,?)");
    Text source = {0}, kept = {0};
    const char *file = NULL;
    bool there = false;
    for (size_t k = 0; k < MIN(lines->n, MOST_KEPT) && x.ok; k++) {
        const LineStat *l = &lines->v[k];
        if (!file || strcmp(file, l->file)) file = l->file, there = source_read(file, &source);
        char *text = there ? source_line(&source, l->line) : NULL;
        if (!text) continue;
        kept.n = 0;
        text_put(&kept, "");
        for (const char *p = text; *p && kept.n < LONGEST_LINE;) {
            size_t n = text_sequence(p, strlen(p));
            text_add(&kept, n ? p : "?", n ? n : 1);
            p += n ? n : 1;
        }
        put_int(&x, run_id), put_text(&x, l->file), put_int(&x, l->line), put_text(&x, kept.v);
        run_query(&x);
        mem_free(text);
    }
    text_free(&source), text_free(&kept);
    return finish(&x, diag);
}

static bool put_lines(Store *s, int64_t run_id, int64_t kernel, const LaunchSum *sum, Diag *diag)
{
    Query x = query(s, "INSERT INTO line VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    LineStats lines = {0}, accesses = {0};
    own_lines_of(sum->code, sum->inst, &lines);
    accesses_of(sum->code, sum->inst, sum->names, &accesses);
    for (size_t k = 0; k < MIN(lines.n, MOST_KEPT) && x.ok; k++) put_line(&x, kernel, k, &lines.v[k]);
    for (size_t k = 0; k < MIN(accesses.n, MOST_KEPT) && x.ok; k++)
        put_line(&x, kernel, MIN(lines.n, MOST_KEPT) + k, &accesses.v[k]);
    bool ok = finish(&x, diag) && put_source(s, run_id, &lines, diag);
    vec_free(&lines), vec_free(&accesses);
    return ok;
}

static bool put_why(Store *s, int64_t kernel, const LaunchSum *sum, Diag *diag)
{
    Query x = query(s, "INSERT INTO why VALUES (?,?,?,?,?,?,?)");
    for (size_t k = 0; k < sum->structures.n && sum->why.l1; k++) {
        const WhyStat *w = &sum->structures.v[k].why;
        if (!w->reads) continue;
        put_int(&x, kernel), put_text(&x, sum->structures.v[k].name), put_real(&x, (double)w->served);
        put_real(&x, why_missed(w, WHY_FIRST)), put_real(&x, why_missed(w, WHY_CAPACITY));
        put_real(&x, why_missed(w, WHY_CONFLICT)), put_real(&x, why_missed(w, WHY_DROPPED));
        run_query(&x);
    }
    return finish(&x, diag);
}

static bool put_said(Store *s, int64_t kernel, const LaunchSum *sum, const Gpu *g, Diag *diag)
{
    Text words = {0};
    limits_say(sum, g, &words);
    Query x = query(s, "INSERT INTO said VALUES (?,'limits',?)");
    put_int(&x, kernel), put_text(&x, words.v);
    run_query(&x);
    text_free(&words);
    return finish(&x, diag);
}

static bool put_kernel(Store *s, int64_t run_id, const LaunchSum *sum, const Gpu *g, bool lines, Diag *diag)
{
    char grid[64], block[64];
    snprintf(grid, sizeof grid, "%u,%u,%u", sum->info.grid[0], sum->info.grid[1], sum->info.grid[2]);
    snprintf(block, sizeof block, "%u,%u,%u", sum->info.block[0], sum->info.block[1], sum->info.block[2]);
    Query x = query(s, "INSERT INTO kernel (run_id, name, launches, grid, block, dynamic_shared, functional, partial, "
                       "occupancy_blocks, occupancy_warps, occupancy_limit,"
                       " seconds) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)");
    put_int(&x, run_id), put_text(&x, sum->kernel), put_int(&x, (int64_t)sum->launches), put_text(&x, grid),
        put_text(&x, block), put_int(&x, sum->info.dynamic_shared);
    put_int(&x, sum->functional), put_int(&x, sum->partial), put_int(&x, sum->occupancy_blocks),
        put_int(&x, sum->occupancy_warps);
    put_text(&x, sum->occupancy_limit ? sum->occupancy_limit : ""), put_real(&x, sum->seconds);
    run_query(&x);
    if (!finish(&x, diag)) return false;
    int64_t id = sqlite3_last_insert_rowid(s->db);
    return put_counters(s, id, sum, g, diag) && put_structures(s, id, sum, diag) && put_samples(s, id, sum, diag) &&
           (sum->functional || put_said(s, id, sum, g, diag)) && put_why(s, id, sum, diag) &&
           (!lines || put_lines(s, run_id, id, sum, diag));
}

static bool put_findings(Store *s, int64_t run_id, const Findings *f, Diag *diag)
{
    Query x = query(s, "INSERT INTO measure (run_id, name, value, text) VALUES (?,?,?,?)");
    for (size_t k = 0; k < f->all.n && x.ok; k++) {
        const Finding *one = &f->all.v[k];
        put_int(&x, run_id), put_text(&x, one->name);
        if (one->text)
            put_text(&x, NULL);
        else
            put_real(&x, one->value);
        put_text(&x, one->text);
        run_query(&x);
    }
    return finish(&x, diag);
}

bool store_put(Store *s, const Identity *id, const RunOutcome *o, Diag *diag)
{
    if (!sql_write_runs(s, diag)) return false;
    LaunchSums sums = {0};
    if (o->device) device_sums(o->device, &sums);
    Query x = query(s, "DELETE FROM run WHERE key = ?");
    put_text(&x, id->key);
    run_query(&x);
    bool ok = finish(&x, diag) && put_run(s, id, o, &sums, diag);
    int64_t run_id = sqlite3_last_insert_rowid(s->db);
    ok = ok && put_settings(s, run_id, id->params, diag) && put_settings(s, run_id, id->overrides, diag);
    for (size_t k = 0; k < sums.n && ok; k++)
        ok = put_kernel(s, run_id, &sums.v[k], device_gpu(o->device), o->lines, diag);
    if (ok && o->findings) ok = put_findings(s, run_id, o->findings, diag);
    sums_free(&sums);
    return sql_commit(s, ok && checksum_put(s, run_id, diag), diag);
}
