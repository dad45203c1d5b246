// report.c: prints a run in words and tables, or as JSON. doc/reference/json.md describes the JSON's schema. Its
// version goes up when a field is removed or changes its meaning.
#include "cli/unit.h"
#include "device/device.h"

#include <string.h>

enum { JSON_VERSION = 2 };

static double share(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

// A row of the summary: a label, and items separated by commas.
static void print_row(FILE *out, const char *label, const char *format, ...)
{
    char left[32];
    Text t = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    snprintf(left, sizeof left, "  %s", label);
    put_row(out, left, 16, BREAK_ITEMS, t.v);
    text_free(&t);
}

static void slots(const uint64_t *c, FILE *out)
{
    Text t = {0};
    text_printf(&t, "issued %.1f %%", share(c[C_ISSUED], c[C_ISSUE_SLOTS]));
    for (size_t k = 0; k < stall_cause_count; k++)
        if (c[stall_causes[k]])
            text_printf(&t, ", %s %.1f %%", strchr(counter_info[stall_causes[k]].name, '.') + 1,
                        share(c[stall_causes[k]], c[C_ISSUE_SLOTS]));
    print_row(out, "issue slots", "%s", t.v);
    text_free(&t);
}

static const char *name_of(const Record *r, int k) { return r->structure_name[k] ? r->structure_name[k] : "?"; }

static void add_count(Table *t, uint64_t value)
{
    table_add_value(t, &(Datum){.kind = DATUM_INT, .whole = (int64_t)value});
}

// The share as a percentage; "-" if the whole is 0.
static void add_share(Table *t, uint64_t part, uint64_t whole)
{
    char text[16] = "-";
    if (whole) snprintf(text, sizeof text, "%.1f %%", share(part, whole));
    table_add(t, text);
}

static void structures(const LaunchSum *sum, FILE *out)
{
    // DRAM traffic also has the write-backs of lines that earlier launches left dirty, which belong to no structure.
    uint64_t dram = sum->count[C_DRAM_READ_BYTES] + sum->count[C_DRAM_WRITE_BYTES], atomics = 0;
    for (size_t k = 0; k < sum->structures.n; k++) atomics += sum->structures.v[k].stat.atomics;
    const char *const heads[] = {"structure",    "loads",       "stores",  atomics ? "atomics" : NULL,
                                 "sectors/req.", "L1 accesses", "L1 hits", "of DRAM"};
    Table t = {.columns = COUNT(heads) - !atomics, .indent = 2};
    for (size_t k = 0; k < COUNT(heads); k++)
        if (heads[k]) table_add(&t, heads[k]);
    for (size_t k = 0; k < sum->structures.n; k++) {
        const StructStat *s = &sum->structures.v[k].stat;
        char each[32] = "-";
        uint64_t accesses = s->loads + s->stores + s->atomics;
        if (accesses) snprintf(each, sizeof each, "%.2f", (double)s->sectors / (double)accesses);
        table_add(&t, sum->structures.v[k].name);
        add_count(&t, s->loads), add_count(&t, s->stores);
        if (atomics) add_count(&t, s->atomics);
        table_add(&t, each);
        add_count(&t, s->l1_accesses), add_share(&t, s->l1_hits, s->l1_accesses);
        add_share(&t, sum->structures.v[k].dram_bytes, dram);
    }
    if (sum->structures.n) table_print(&t, out);
    table_free(&t);
}

// What data structures cost in the L1's banks and in DRAM.
static void structures_energy(const LaunchSum *sum, FILE *out)
{
    static const char *const heads[] = {"structure", "energy in the L1", "of it", "energy in DRAM", "of it"};
    Table t = {.columns = COUNT(heads), .indent = 2};
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&t, heads[k]);
    for (size_t k = 0; k < sum->structures.n; k++) {
        const StructEnergy *e = &sum->structures.v[k].energy;
        char l1[32], dram[32];
        format_energy(l1, (double)e->l1), format_energy(dram, (double)e->dram);
        table_add(&t, sum->structures.v[k].name);
        table_add(&t, l1), add_share(&t, e->l1, sum->count[C_ENERGY_L1]);
        table_add(&t, dram), add_share(&t, e->dram, sum->count[C_ENERGY_DRAM]);
    }
    if (sum->structures.n) table_print(&t, out);
    table_free(&t);
}

// A file's name without its folders, unless another file has that name, too.
static const char *short_name(const LineStats *all, const char *file)
{
    const char *base = base_name(file);
    for (size_t k = 0; k < all->n; k++) {
        const char *names[] = {all->v[k].file, all->v[k].at_file};
        for (size_t n = 0; n < COUNT(names); n++)
            if (names[n] && !strcmp(base_name(names[n]), base) && strcmp(names[n], file)) return file;
    }
    return base;
}

// "k.cu:9", or "k.cu:9 > math.h:84" for what was inlined there.
static void line_name(const LineStats *all, const LineStat *l, Text *out)
{
    if (l->at_file) text_printf(out, "%s:%u > ", short_name(all, l->at_file), l->at_line);
    text_printf(out, "%s:%u", short_name(all, l->file), l->line);
}

static void hottest(const LaunchSum *sum, FILE *out)
{
    enum { SHOWN = 12 };
    static const char *const heads[] = {"source line", "issued", "stalls", "transactions", "L1 accesses", "L1 hits"};
    Table t = {.columns = COUNT(heads), .indent = 2};
    LineStats lines = {0};
    lines_of(sum->code, sum->inst, &lines);
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&t, heads[k]);
    for (size_t k = 0; k < lines.n && k < SHOWN; k++) {
        const InstStat *s = &lines.v[k].stat;
        Text place = {0};
        line_name(&lines, &lines.v[k], &place);
        table_add(&t, place.v);
        add_count(&t, s->issued), add_count(&t, s->stalls + s->queued), add_count(&t, s->transactions);
        add_count(&t, s->l1_accesses), add_share(&t, s->l1_hits, s->l1_accesses);
        text_free(&place);
    }
    if (lines.n) table_print(&t, out);
    table_free(&t);
    vec_free(&lines);
}

static void memory_text(const uint64_t *c, const Gpu *g, FILE *out)
{
    char a[32], b[32];
    if (c[C_L1_ACCESSES]) {
        format_count(a, (double)c[C_L1_ACCESSES]);
        print_row(out, "L1",
                  "%s accesses, %.2f %% hits (loads %.2f %%), %.2f %% merges, %.2f per 1000 thread instructions", a,
                  100 * rate_of(R_L1_HIT_RATE, c, g), 100 * rate_of(R_L1_READ_HIT_RATE, c, g),
                  share(c[C_L1_MERGES], c[C_L1_ACCESSES]), rate_of(R_APKI, c, g));
    }
    if (c[C_L1_BYPASSES])
        format_count(a, (double)c[C_L1_BYPASSES]), print_row(out, "past the L1", "%s transactions", a);
    if (c[C_SCRATCH_ACCESSES]) {
        format_count(a, (double)c[C_SCRATCH_ACCESSES]);
        format_count(b, (double)c[C_SCRATCH_MIGRATIONS]);
        print_row(out, "scratch cache", "%s accesses, %.2f %% hits, %.2f %% merges, %s lines moved to or from the L1",
                  a, share(c[C_SCRATCH_HITS], c[C_SCRATCH_ACCESSES]), share(c[C_SCRATCH_MERGES], c[C_SCRATCH_ACCESSES]),
                  b);
    }
    if (c[C_RO_ACCESSES]) {
        format_count(a, (double)c[C_RO_ACCESSES]);
        print_row(out, "read-only", "%s accesses, %.2f %% hits, %.2f %% merges", a,
                  share(c[C_RO_HITS], c[C_RO_ACCESSES]), share(c[C_RO_MERGES], c[C_RO_ACCESSES]));
    }
    if (c[C_CONST_ACCESSES]) {
        format_count(a, (double)c[C_CONST_ACCESSES]);
        print_row(out, "constants", "%s accesses, %.2f %% hits, %.2f %% merges", a,
                  share(c[C_CONST_HITS], c[C_CONST_ACCESSES]), share(c[C_CONST_MERGES], c[C_CONST_ACCESSES]));
    }
    if (c[C_LD_SHARED] + c[C_ST_SHARED] + c[C_AT_SHARED]) {
        format_count(a, (double)(c[C_LD_SHARED] + c[C_ST_SHARED] + c[C_AT_SHARED]));
        format_count(b, (double)c[C_SHARED_CONFLICTS]);
        print_row(out, "shared memory", "%s accesses, %.2f passes each, %s bank conflicts", a,
                  rate_of(R_SHARED_PASSES, c, g), b);
    }
    if (c[C_TLB1_ACCESSES]) {
        format_count(a, (double)c[C_TLB1_ACCESSES]);
        format_count(b, (double)c[C_TLB2_ACCESSES]);
        print_row(out, "TLBs", "of SMs %s look-ups, %.2f %% hits; of all %s look-ups, %.2f %% hits, %.2f %% merges", a,
                  share(c[C_TLB1_HITS], c[C_TLB1_ACCESSES]), b, share(c[C_TLB2_HITS], c[C_TLB2_ACCESSES]),
                  share(c[C_TLB2_MERGES], c[C_TLB2_ACCESSES]));
    }
    format_count(a, (double)c[C_L2_ACCESSES]);
    print_row(out, "L2", "%s requests, %.2f %% hits, %.2f %% merges, %.1f GB/s", a, 100 * rate_of(R_L2_HIT_RATE, c, g),
              share(c[C_L2_MERGES], c[C_L2_ACCESSES]), rate_of(R_L2_BANDWIDTH, c, g));
    char rows[32] = "";
    format_bytes(a, (double)c[C_DRAM_READ_BYTES]);
    format_bytes(b, (double)c[C_DRAM_WRITE_BYTES]);
    if (c[C_DRAM_ROW_HITS] + c[C_DRAM_ROW_MISSES])
        snprintf(rows, sizeof rows, ", %.1f %% row hits", 100 * rate_of(R_DRAM_ROW_HIT_RATE, c, g));
    print_row(out, "DRAM", "%s read, %s written, %.1f of %.1f GB/s%s", a, b, rate_of(R_DRAM_BANDWIDTH, c, g),
              g->dram_gbs, rows);
}

// How the SM's storage was shared out: of a kernel's launches on average.
static void storage_text(const uint64_t *c, FILE *out)
{
    static const Counter parts[] = {C_STORAGE_REGISTERS, C_STORAGE_SHARED, C_STORAGE_L1, C_STORAGE_TAGS};
    char bytes[COUNT(parts)][32];
    for (size_t k = 0; k < COUNT(parts); k++) format_bytes(bytes[k], (double)c[parts[k]] / (double)c[C_CYCLES]);
    print_row(out, "storage", "registers %s, shared memory %s, L1 %s and %s of tags", bytes[0], bytes[1], bytes[2],
              bytes[3]);
}

static void energy_text(const uint64_t *c, FILE *out)
{
    Text t = {0};
    char joules[32];
    format_energy(joules, (double)c[C_ENERGY]);
    text_printf(&t, "%s", joules);
    for (size_t k = 0; k < energy_part_count; k++) {
        uint64_t part = c[energy_parts[k].part];
        format_energy(joules, (double)part);
        if (part) text_printf(&t, ", %s %s (%.1f %%)", energy_parts[k].name, joules, share(part, c[C_ENERGY]));
    }
    print_row(out, "energy", "%s", t.v);
    text_free(&t);
}

// What the scheduler counted itself.
static void policy_text(const LaunchSum *sum, const oc_policy_type *t, FILE *out)
{
    Text text = {0};
    char count[32];
    for (size_t k = 0; k < policy_counters(t); k++) {
        format_count(count, (double)sum->own[k]);
        text_printf(&text, "%s%s %s", k ? ", " : "", t->counters[k].name, count);
    }
    if (text.n) print_row(out, t->name, "%s", text.v);
    text_free(&text);
    if (!sum->count[C_FED]) return;
    format_count(count, (double)sum->count[C_FED]);
    print_row(out, "overruled", "%s: the policy held back ready warps for too long", count);
}

// Which data structures l1.past and readonly.take send another way.
static void routes_text(const LaunchSum *sum, const char *names, const char *way, FILE *out)
{
    Text sent = {0}, unknown = {0};
    const char *word;
    for (size_t n; structure_next(&names, &word, &n);) {
        bool found = false;
        for (size_t k = 0; k < sum->structures.n && !found; k++) {
            found = structure_called(sum->structures.v[k].name, word, n);
            if (found) text_printf(&sent, "%s%s", sent.n ? ", " : "", sum->structures.v[k].name);
        }
        if (!found) text_printf(&unknown, "%s%.*s", unknown.n ? ", " : "", (int)n, word);
    }
    if (sent.n) print_row(out, "routes", "loads of %s go %s", sent.v, way);
    if (unknown.n) print_row(out, "routes", "no data structure of this kernel is called %s", unknown.v);
    text_free(&sent), text_free(&unknown);
}

// Half of the interval of a sum's cycles, as " ± 1.2 %"; nothing where they were counted.
static const char *within(const LaunchSum *sum, char out[32])
{
    *out = 0;
    if (!sum->sampled || !sum->count[C_CYCLES]) return out;
    const Interval i = sampled_counter(sum->sampled, sum->count, C_CYCLES);
    snprintf(out, 32, " ± %.1f %%", 50 * (i.high - i.low) / (double)sum->count[C_CYCLES]);
    return out;
}

static void add_interval(Text *t, const LaunchSum *sum, const Gpu *g, RateId id, const char *shown, const char *unit,
                         double times)
{
    const Interval i = sampled_interval(sum->sampled, sum->count, g, rates[id].value);
    text_printf(t, ", %s %.3g to %.3g%s", shown, times * MAX(i.low, 0), times * i.high, unit);
}

// Which part of a kernel was timed, and in which intervals what it came to lies.
static void sampled_text(const LaunchSum *sum, const Gpu *g, FILE *out)
{
    const Sampled *s = sum->sampled;
    const uint64_t *c = sum->count;
    Text t = {0};
    if (!s) return;
    const uint64_t launches = sum->launches - s->launches + s->launches_timed;
    if (sum->launches > 1)
        text_printf(&t, "%llu of %llu launches, ", (unsigned long long)launches, (unsigned long long)sum->launches);
    text_printf(&t, "%llu of %llu blocks were timed", (unsigned long long)(c[C_BLOCKS] - s->blocks + s->blocks_timed),
                (unsigned long long)c[C_BLOCKS]);
    add_interval(&t, sum, g, R_IPC, "IPC", "", 1);
    if (c[C_L1_ACCESSES]) add_interval(&t, sum, g, R_L1_HIT_RATE, "L1 hits", " %", 100);
    if (c[C_L2_ACCESSES]) add_interval(&t, sum, g, R_L2_HIT_RATE, "L2 hits", " %", 100);
    add_interval(&t, sum, g, R_DRAM_BANDWIDTH, "DRAM", " GB/s", 1);
    print_row(out, "sampled", "%s", t.v);
    text_free(&t);
}

// A kernel's name as the report shows it: of two lines at most, and no other kernel's.
static char *kernel_name(const LaunchSums *all, const LaunchSum *sum, FILE *out)
{
    char **full = mem_alloc((all->n + 1) * sizeof *full), **shorter = mem_alloc((all->n + 1) * sizeof *shorter);
    for (size_t k = 0; k < all->n; k++) full[k] = name_shown(all->v[k].kernel);
    names_shorten((const char *const *)full, all->n, 2 * report_width(out), shorter);
    char *name = NULL;
    for (size_t k = 0; k < all->n; k++) {
        if (!name && !strcmp(all->v[k].kernel, sum->kernel))
            name = shorter[k];
        else
            mem_free(shorter[k]);
        mem_free(full[k]);
    }
    mem_free(full), mem_free(shorter);
    return name;
}

// all: the kernels of the report, of which this is one, or a launch. which: said of the launch, where not all are
// summed; or null.
static void kernel_text(const LaunchSums *all, const LaunchSum *sum, const char *which, const Gpu *g,
                        const ReportInfo *info, FILE *out)
{
    const uint64_t *c = sum->count;
    char a[32], b[32], in[32];
    char *name = kernel_name(all, sum, out);
    fprintf(out, "\n%s  grid %u×%u×%u, block %u×%u×%u", name, sum->info.grid[0], sum->info.grid[1], sum->info.grid[2],
            sum->info.block[0], sum->info.block[1], sum->info.block[2]);
    mem_free(name);
    if (which) fprintf(out, ", %s", which);
    if (sum->launches > 1) fprintf(out, ", %llu launches summed", (unsigned long long)sum->launches);
    fprintf(out, "\n");
    format_count(a, (double)c[C_WARP_INSTS]);
    format_count(b, (double)c[C_THREAD_INSTS]);
    if (sum->functional) {
        fprintf(out, "  executed without time: %s warp instructions%s, %s thread instructions\n", a,
                sum->partial ? " so far" : "", b);
        overread_text(sum, out);
        check_text(sum, out);
        return;
    }
    Text limits = {0}, peaks = {0};
    limits_text(sum, g, &limits, &peaks);
    put_head(out, "  limited by", 16, BREAK_WORDS, limits.v);
    double ms = 1e3 * rate_of(R_SECONDS, c, g);
    sampled_text(sum, g, out);
    print_row(out, "cycles", "%llu%s%s (%.3f %s), IPC %.3f, %s warp instructions, %s thread instructions",
              (unsigned long long)c[C_CYCLES], within(sum, in), sum->partial ? " so far" : "", ms < 0.1 ? 1e3 * ms : ms,
              ms < 0.1 ? "µs" : "ms", rate_of(R_IPC, c, g), a, b);
    expect_text(c, g, out);
    print_row(out, "occupancy", "%.1f %%; an SM has room for %u block%s (%u warp%s), limited by %s",
              100 * rate_of(R_OCCUPANCY, c, g), sum->occupancy_blocks, sum->occupancy_blocks == 1 ? "" : "s",
              sum->occupancy_warps, sum->occupancy_warps == 1 ? "" : "s",
              sum->occupancy_limit ? sum->occupancy_limit : "?");
    slots(c, out);
    if (peaks.n) print_row(out, "of the peaks", "%s", peaks.v);
    text_free(&limits), text_free(&peaks);
    policy_text(sum, g->sm.schedule, out);
    routes_text(sum, g->sm.past, "past the L1", out);
    routes_text(sum, g->sm.take, "through the read-only cache", out);
    memory_text(c, g, out);
    if (c[C_CYCLES] && (g->sm.storage != STORAGE_PARTITIONED || c[C_ENERGY])) storage_text(c, out);
    if (c[C_ENERGY]) energy_text(c, out);
    structures(sum, out);
    why_text(sum, out);
    overread_text(sum, out);
    check_text(sum, out);
    if (c[C_ENERGY]) structures_energy(sum, out);
    if (info->lines) hottest(sum, out);
    if (info->annotate) annotate_text(sum, out);
    if (info->chart) chart_text(sum, g, out);
}

typedef struct Launched {  // a kernel
    size_t all, shown, slowest;
} Launched;
typedef VEC(Launched) LaunchedList;

static Launched *launched(Map *places, LaunchedList *all, const Record *r)
{
    Text name = {0};
    int64_t at = (int64_t)all->n;
    text_printf(&name, "%d%s", r->functional, r->kernel);  // timed launches and others are apart
    if (!map_get(places, name.v, name.n, &at)) {
        map_put(places, name.v, name.n, at);
        vec_push(all, (Launched){0});
    }
    text_free(&name);
    return &all->v[at];
}

static void launches_text(const oc_device *d, const LaunchSums *sums, const ReportInfo *info, bool *timed, FILE *out)
{
    Map places = {0};
    LaunchedList all = {0};
    for (size_t k = 0; k < oc_launches(d); k++) {
        const Record *r = device_record(d, k);
        Launched *l = r ? launched(&places, &all, r) : NULL;
        if (l && (!l->all++ || r->count[C_CYCLES] > device_record(d, l->slowest)->count[C_CYCLES])) l->slowest = k;
    }
    for (size_t k = 0; k < oc_launches(d); k++) {
        LaunchSums one = {0};
        char which[100];
        const Record *r = device_record(d, k);
        Launched *l = r ? launched(&places, &all, r) : NULL;
        if (!l) continue;
        l->shown++;
        if (info->launches == LAUNCHES_FIRST ? l->shown > 1 : info->launches == LAUNCHES_SLOWEST && l->slowest != k)
            continue;
        sums_add(&one, r);
        snprintf(which, sizeof which, "launch %zu of %zu", l->shown, l->all);
        kernel_text(sums, one.v, which, device_gpu(d), info, out);
        *timed |= !one.v->functional;
        sums_free(&one);
    }
    map_free(&places), vec_free(&all);
}

static void held_text(const oc_device *d, FILE *out)
{
    double seconds;
    uint64_t n = device_held(d, &seconds);
    if (!n) return;
    Text t = {0};
    text_printf(
        &t,
        "%llu launch%s waited only for work of other streams, %.4g ms in all; a GPU with room for both runs them "
        "side by side, onchip one after the other",
        (unsigned long long)n, n > 1 ? "es" : "", 1e3 * seconds);
    put_row(out, "\nstreams", 9, BREAK_WORDS, t.v);
    text_free(&t);
}

// What was sampled of all that is timed.
static void put_parts(Text *out, const LaunchSums *sums)
{
    uint64_t launches = 0, launches_timed = 0, blocks = 0, blocks_timed = 0;
    for (size_t k = 0; k < sums->n; k++) {
        const LaunchSum *sum = &sums->v[k];
        if (sum->functional) continue;
        launches += sum->launches, launches_timed += sum->launches;
        blocks += sum->count[C_BLOCKS], blocks_timed += sum->count[C_BLOCKS];
        if (!sum->sampled) continue;
        launches_timed -= sum->sampled->launches - sum->sampled->launches_timed;
        blocks_timed -= sum->sampled->blocks - sum->sampled->blocks_timed;
    }
    if (blocks_timed == blocks)
        text_put(out, "; all was timed: there is too little of a kind to be sampled");
    else
        text_printf(out, "; sampled: %llu of %llu launches, %.2g %% of the blocks were timed; intervals are 95 %%",
                    (unsigned long long)launches_timed, (unsigned long long)launches, share(blocks_timed, blocks));
}

void report_text(const oc_device *d, const ReportInfo *info, FILE *out)
{
    const Gpu *g = device_gpu(d);
    bool timed = false;
    Text head = {0};
    text_put(&head, info->what);
    if (info->params && *info->params) text_printf(&head, "  %s", info->params);
    text_printf(&head, "  on %s%s", g->name,
                !info->checked   ? ""
                : info->cut      ? ": cut short"
                : info->verified ? ": the result is right"
                                 : ": FAILED");
    if (info->cap) text_printf(&head, " after %llu warp instructions (--cap)", (unsigned long long)info->cap);
    LaunchSums sums = {0};
    device_sums(d, &sums);
    if (device_samples(d)) put_parts(&head, &sums);
    put_wrapped(out, 0, 2, BREAK_WORDS, head.v);
    text_free(&head);
    if (info->launches) launches_text(d, &sums, info, &timed, out);
    for (size_t k = 0; k < sums.n && !info->launches; k++) {
        kernel_text(&sums, &sums.v[k], NULL, g, info, out);
        timed |= !sums.v[k].functional;
    }
    sums_free(&sums);
    if (info->lines && timed)
        put_row(out, "\nstalls", 8, BREAK_WORDS,
                "of a line: empty issue slots because a warp that stood before an instruction of it waited for memory, "
                "or for a "
                "place in the load-store unit");
    held_text(d, out);
    fprintf(out, "\nsimulated in %.2f s", device_wall_seconds(d));
    if (device_repeated(d)) fprintf(out, "; %llu launches repeat earlier ones", (unsigned long long)device_repeated(d));
    fprintf(out, "\n");
}

static void shape_json(const char *name, const uint32_t shape[3], Json *j)
{
    json_open(j, name, '[');
    for (int k = 0; k < 3; k++) json_uint(j, NULL, shape[k]);
    json_close(j, ']');
}

// sum: of this launch alone.
static void structures_json(const Record *r, const LaunchSum *sum, Json *j)
{
    json_open(j, "structures", '[');
    for (int k = 0; k < MAX_STRUCTURES; k++) {
        const StructStat *s = &r->structure[k];
        if (!structure_used(r, k)) continue;
        json_open(j, NULL, '{');
        json_string(j, "name", name_of(r, k));
        json_uint(j, "loads", s->loads);
        json_uint(j, "stores", s->stores);
        json_uint(j, "atomics", s->atomics);
        json_uint(j, "transactions", s->transactions);
        json_uint(j, "sectors", s->sectors);
        json_uint(j, "l1_accesses", s->l1_accesses);
        json_uint(j, "l1_hits", s->l1_hits);
        json_uint(j, "dram_bytes", r->structure_dram[k]);
        json_uint(j, "l1_energy", r->structure_energy[k].l1);
        json_uint(j, "dram_energy", r->structure_energy[k].dram);
        for (size_t n = 0; r->why && n < sum->structures.n; n++)
            if (!strcmp(sum->structures.v[n].name, name_of(r, k))) why_json(sum, &sum->structures.v[n], j);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void lines_json(const Record *r, Json *j)
{
    LineStats l = {0};
    lines_of(r->code, r->inst, &l);
    json_open(j, "lines", '[');
    for (size_t k = 0; k < l.n; k++) {
        json_open(j, NULL, '{');
        json_string(j, "file", l.v[k].file);
        json_uint(j, "line", l.v[k].line);
        json_uint(j, "issued", l.v[k].stat.issued);
        if (l.v[k].at_file) json_string(j, "at_file", l.v[k].at_file), json_uint(j, "at_line", l.v[k].at_line);
        json_uint(j, "stall_slots", l.v[k].stat.stalls + l.v[k].stat.queued);
        json_uint(j, "queue_slots", l.v[k].stat.queued);
        json_uint(j, "transactions", l.v[k].stat.transactions);
        json_uint(j, "sectors", l.v[k].stat.sectors);
        json_uint(j, "l1_accesses", l.v[k].stat.l1_accesses);
        json_uint(j, "l1_hits", l.v[k].stat.l1_hits);
        json_close(j, '}');
    }
    json_close(j, ']');
    vec_free(&l);
}

static void series_json(const Record *r, Json *j)
{
    json_open(j, "series", '{');
    for (int k = 0; k < C_COUNT; k++) {
        json_open(j, counter_info[k].name, '[');
        for (size_t s = 0; s * C_COUNT < r->samples.n; s++) json_uint(j, NULL, r->samples.v[s * C_COUNT + (size_t)k]);
        json_close(j, ']');
    }
    json_close(j, '}');
}

static void pairs_json(const Record *r, Json *j)
{
    json_open(j, "interference", '[');
    for (size_t k = 0; k < r->pairs.n; k++) {
        json_open(j, NULL, '{');
        json_uint(j, "warp", r->pairs.v[k].warp);
        json_uint(j, "by", r->pairs.v[k].by);
        json_uint(j, "misses", r->pairs.v[k].misses);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void interval_json(const char *name, Interval i, Json *j)
{
    json_open(j, name, '{');
    json_double(j, "low", MAX(i.low, 0)), json_double(j, "high", i.high);
    json_close(j, '}');
}

static void sampled_json(const Record *r, const Gpu *g, Json *j)
{
    const Sampled *s = r->sampled;
    json_open(j, "sampled", '{');
    json_bool(j, "timed", s->launches_timed);
    json_uint(j, "blocks", s->blocks), json_uint(j, "blocks_timed", s->blocks_timed);
    json_open(j, "counters", '{');
    for (int k = 0; k < C_COUNT; k++) interval_json(counter_info[k].name, sampled_counter(s, r->count, (Counter)k), j);
    json_close(j, '}');
    json_open(j, "rates", '{');
    for (size_t k = 0; k < RATES; k++)
        interval_json(rates[k].name, sampled_interval(s, r->count, g, rates[k].value), j);
    json_close(j, '}');
    json_close(j, '}');
}

static void kernel_json(const Record *r, const Gpu *g, bool lines, Json *j)
{
    json_open(j, NULL, '{');
    Text demangled = {0};
    json_string(j, "name", r->kernel);
    if (demangle(r->kernel, NAME_FULL, &demangled)) json_string(j, "demangled", demangled.v);
    text_free(&demangled);
    json_bool(j, "functional", r->functional);
    json_bool(j, "partial", r->partial);
    if (r->sampled) sampled_json(r, g, j);
    if (r->undefined) json_string(j, "undefined_shuffle", r->undefined);
    if (r->overread) json_uint(j, "overreads", r->overreads), json_string(j, "overread", r->overread);
    shape_json("grid", r->info.grid, j);
    shape_json("block", r->info.block, j);
    json_uint(j, "dynamic_shared", r->info.dynamic_shared);
    json_uint(j, "cycles", r->count[C_CYCLES]);
    json_uint(j, "warp_instructions", r->count[C_WARP_INSTS]);
    json_uint(j, "thread_instructions", r->count[C_THREAD_INSTS]);
    json_double(j, "ipc", rate_of(R_IPC, r->count, g));
    json_double(j, "l1_hit_rate", rate_of(R_L1_HIT_RATE, r->count, g));
    json_double(j, "start_seconds", r->start);
    json_double(j, "end_seconds", r->end);
    json_uint(j, "occupancy_blocks", r->occupancy_blocks);
    json_uint(j, "occupancy_warps", r->occupancy_warps);
    json_string(j, "occupancy_limit", r->occupancy_limit ? r->occupancy_limit : "");
    json_open(j, "counters", '{');
    for (int k = 0; k < C_COUNT; k++) json_uint(j, counter_info[k].name, r->count[k]);
    for (size_t k = 0; k < policy_counters(g->sm.schedule); k++) {
        char name[64];
        snprintf(name, sizeof name, "sched.%s", g->sm.schedule->counters[k].name);
        json_uint(j, name, r->own[k]);
    }
    json_close(j, '}');
    json_open(j, "rates", '{');
    for (size_t k = 0; k < RATES; k++) json_double(j, rates[k].name, rates[k].value(r->count, g));
    json_close(j, '}');
    LaunchSums one = {0};
    sums_add(&one, r);
    if (!r->functional) limits_json(one.v, g, j), expect_json(r->count, g, j);
    structures_json(r, one.v, j);
    sums_free(&one);
    check_json(r, j);
    if (lines) lines_json(r, j);
    if (r->samples.n) series_json(r, j);
    if (r->samples.n || r->pairs.n) pairs_json(r, j);
    json_close(j, '}');
}

void report_json(const oc_device *d, const ReportInfo *info, Json *j)
{
    json_string(j, "onchip", ONCHIP_VERSION);
    json_int(j, "schema", JSON_VERSION);
    json_string(j, "program", info->what);
    json_string(j, "parameters", info->params ? info->params : "");
    if (d) json_string(j, "gpu", device_gpu(d)->name);
    if (info->checked) json_bool(j, "verified", info->verified);
    if (info->cap) json_uint(j, "cap", info->cap);
    if (info->error) json_string(j, "error", info->error);
    if (info->hint) json_string(j, "hint", info->hint);
    if (d) json_double(j, "wall_seconds", device_wall_seconds(d));
    if (d) json_uint(j, "device_bytes", device_bytes(d));
    double held = 0;
    uint64_t n = d ? device_held(d, &held) : 0;
    if (n) json_uint(j, "held_launches", n), json_double(j, "held_seconds", held);
    json_open(j, "kernels", '[');
    for (size_t k = 0; d && k < oc_launches(d); k++) kernel_json(device_record(d, k), device_gpu(d), info->lines, j);
    json_close(j, ']');
}
