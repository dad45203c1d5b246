// report_text.c: a run in words and tables, of 80 columns: what matters of each kernel, the longest rows in files of
// their own. A row without a number is left out.
#include "cli/report.h"
#include "exec/code.h"
#include "names/names.h"

#include <string.h>

static double share(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

// A row of the summary: a label, and items separated by commas.
static void print_row(const ReportLaunch *l, const char *label, const char *format, ...)
{
    char left[32];
    Text t = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    snprintf(left, sizeof left, "  %s", label);
    put_row(l->run->out, left, 16, BREAK_ITEMS, t.v);
    text_free(&t);
}

static void slots(const ReportLaunch *l)
{
    const uint64_t *c = l->sum->count;
    Text t = {0};
    text_printf(&t, "issued %.1f %%", share(c[C_ISSUED], c[C_ISSUE_SLOTS]));
    for (size_t k = 0; k < stall_cause_count; k++)
        if (c[stall_causes[k]])
            text_printf(&t, ", %s %.1f %%", strchr(counter_info[stall_causes[k]].name, '.') + 1,
                        share(c[stall_causes[k]], c[C_ISSUE_SLOTS]));
    print_row(l, "issue slots", "%s", t.v);
    text_free(&t);
}

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

static void structures(const ReportLaunch *l)
{
    const LaunchSum *sum = l->sum;
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
    if (sum->structures.n) table_print(&t, l->run->out);
    table_free(&t);
}

// What data structures cost in the L1's banks and in DRAM.
static void structures_energy(const ReportLaunch *l)
{
    const LaunchSum *sum = l->sum;
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
    if (sum->structures.n) table_print(&t, l->run->out);
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

static void hottest(const ReportLaunch *l)
{
    enum { SHOWN = 12 };
    static const char *const heads[] = {"source line", "issued", "stalls", "transactions", "L1 accesses", "L1 hits"};
    Table t = {.columns = COUNT(heads), .indent = 2};
    LineStats lines = {0};
    lines_of(l->sum->code, l->sum->inst, &lines);
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
    if (lines.n) table_print(&t, l->run->out);
    table_free(&t);
    vec_free(&lines);
}

static void memory(const ReportLaunch *l)
{
    const uint64_t *c = l->sum->count;
    const Gpu *g = l->run->gpu;
    char a[32], b[32];
    if (c[C_L1_ACCESSES]) {
        format_count(a, (double)c[C_L1_ACCESSES]);
        print_row(l, "L1",
                  "%s accesses, %.2f %% hits (loads %.2f %%), %.2f %% merges, %.2f per 1000 thread instructions", a,
                  100 * rate_of(R_L1_HIT_RATE, c, g), 100 * rate_of(R_L1_READ_HIT_RATE, c, g),
                  share(c[C_L1_MERGES], c[C_L1_ACCESSES]), rate_of(R_APKI, c, g));
    }
    if (c[C_L1_BYPASSES]) format_count(a, (double)c[C_L1_BYPASSES]), print_row(l, "past the L1", "%s transactions", a);
    if (c[C_SCRATCH_ACCESSES]) {
        format_count(a, (double)c[C_SCRATCH_ACCESSES]);
        format_count(b, (double)c[C_SCRATCH_MIGRATIONS]);
        print_row(l, "scratch cache", "%s accesses, %.2f %% hits, %.2f %% merges, %s lines moved to or from the L1", a,
                  share(c[C_SCRATCH_HITS], c[C_SCRATCH_ACCESSES]), share(c[C_SCRATCH_MERGES], c[C_SCRATCH_ACCESSES]),
                  b);
    }
    if (c[C_RO_ACCESSES]) {
        format_count(a, (double)c[C_RO_ACCESSES]);
        print_row(l, "read-only", "%s accesses, %.2f %% hits, %.2f %% merges", a, share(c[C_RO_HITS], c[C_RO_ACCESSES]),
                  share(c[C_RO_MERGES], c[C_RO_ACCESSES]));
    }
    if (c[C_CONST_ACCESSES]) {
        format_count(a, (double)c[C_CONST_ACCESSES]);
        print_row(l, "constants", "%s accesses, %.2f %% hits, %.2f %% merges", a,
                  share(c[C_CONST_HITS], c[C_CONST_ACCESSES]), share(c[C_CONST_MERGES], c[C_CONST_ACCESSES]));
    }
    if (c[C_LD_SHARED] + c[C_ST_SHARED] + c[C_AT_SHARED]) {
        format_count(a, (double)(c[C_LD_SHARED] + c[C_ST_SHARED] + c[C_AT_SHARED]));
        format_count(b, bank_conflicts(c));
        print_row(l, "shared memory", "%s accesses, %.2f passes each, %s bank conflicts", a,
                  rate_of(R_SHARED_PASSES, c, g), b);
    }
    if (c[C_TLB1_ACCESSES]) {
        format_count(a, (double)c[C_TLB1_ACCESSES]);
        format_count(b, (double)c[C_TLB2_ACCESSES]);
        print_row(l, "TLBs", "of SMs %s look-ups, %.2f %% hits; of all %s look-ups, %.2f %% hits, %.2f %% merges", a,
                  share(c[C_TLB1_HITS], c[C_TLB1_ACCESSES]), b, share(c[C_TLB2_HITS], c[C_TLB2_ACCESSES]),
                  share(c[C_TLB2_MERGES], c[C_TLB2_ACCESSES]));
    }
    format_count(a, (double)c[C_L2_ACCESSES]);
    print_row(l, "L2", "%s requests, %.2f %% hits, %.2f %% merges, %.1f GB/s", a, 100 * rate_of(R_L2_HIT_RATE, c, g),
              share(c[C_L2_MERGES], c[C_L2_ACCESSES]), rate_of(R_L2_BANDWIDTH, c, g));
    char rows[32] = "";
    format_bytes(a, (double)c[C_DRAM_READ_BYTES]);
    format_bytes(b, (double)c[C_DRAM_WRITE_BYTES]);
    if (c[C_DRAM_ROW_HITS] + c[C_DRAM_ROW_MISSES])
        snprintf(rows, sizeof rows, ", %.1f %% row hits", 100 * rate_of(R_DRAM_ROW_HIT_RATE, c, g));
    print_row(l, "DRAM", "%s read, %s written, %.1f of %.1f GB/s%s", a, b, rate_of(R_DRAM_BANDWIDTH, c, g), g->dram_gbs,
              rows);
}

// How the SM's storage was shared out: of a kernel's launches on average.
static void storage(const ReportLaunch *l)
{
    static const Counter parts[] = {C_STORAGE_REGISTERS, C_STORAGE_SHARED, C_STORAGE_L1, C_STORAGE_TAGS};
    const uint64_t *c = l->sum->count;
    char bytes[COUNT(parts)][32];
    if (!c[C_CYCLES] || (l->run->gpu->sm.storage == STORAGE_PARTITIONED && !c[C_ENERGY])) return;
    for (size_t k = 0; k < COUNT(parts); k++) format_bytes(bytes[k], (double)c[parts[k]] / (double)c[C_CYCLES]);
    print_row(l, "storage", "registers %s, shared memory %s, L1 %s and %s of tags", bytes[0], bytes[1], bytes[2],
              bytes[3]);
}

static void energy(const ReportLaunch *l)
{
    const uint64_t *c = l->sum->count;
    Text t = {0};
    char joules[32];
    format_energy(joules, (double)c[C_ENERGY]);
    text_printf(&t, "%s", joules);
    for (size_t k = 0; k < energy_part_count; k++) {
        uint64_t part = c[energy_parts[k].part];
        format_energy(joules, (double)part);
        if (part) text_printf(&t, ", %s %s (%.1f %%)", energy_parts[k].name, joules, share(part, c[C_ENERGY]));
    }
    print_row(l, "energy", "%s", t.v);
    text_free(&t);
}

// What the scheduler, a replacement policy and the prefetcher counted themselves: a row for each.
static void policy(const ReportLaunch *l)
{
    const LaunchSum *sum = l->sum;
    char count[32];
    for (PlugPlace place = 0; place < PLUGS; place++) {
        Text text = {0};
        OwnCounter own;
        for (size_t k = 0; gpu_own(l->run->gpu, k, &own); k++) {
            if (own.place != place) continue;
            format_count(count, (double)sum->own[own.at]);
            text_printf(&text, "%s%s %s", text.n ? ", " : "", own.counter->name, count);
        }
        if (text.n) print_row(l, plug_chosen(l->run->gpu, place).name, "%s", text.v);
        text_free(&text);
    }
    if (!sum->count[C_FED]) return;
    format_count(count, (double)sum->count[C_FED]);
    print_row(l, "overruled", "%s: the policy held back ready warps for too long", count);
}

static void route(const ReportLaunch *l, const char *names, const char *way)
{
    const LaunchSum *sum = l->sum;
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
    if (sent.n) print_row(l, "routes", "loads of %s go %s", sent.v, way);
    if (unknown.n) print_row(l, "routes", "no data structure of this kernel is called %s", unknown.v);
    text_free(&sent), text_free(&unknown);
}

// Which data structures l1.past and readonly.take send another way.
static void routes(const ReportLaunch *l)
{
    route(l, l->run->gpu->sm.past, "past the L1");
    route(l, l->run->gpu->sm.take, "through the read-only cache");
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
static void sampled(const ReportLaunch *l)
{
    const LaunchSum *sum = l->sum;
    const Gpu *g = l->run->gpu;
    const Sampled *s = sum->sampled;
    const uint64_t *c = sum->count;
    Text t = {0};
    const uint64_t launches = sum->launches - s->launches + s->launches_timed;
    if (sum->launches > 1)
        text_printf(&t, "%llu of %llu launches, ", (unsigned long long)launches, (unsigned long long)sum->launches);
    text_printf(&t, "%llu of %llu blocks were timed", (unsigned long long)(c[C_BLOCKS] - s->blocks + s->blocks_timed),
                (unsigned long long)c[C_BLOCKS]);
    add_interval(&t, sum, g, R_IPC, "IPC", "", 1);
    if (c[C_L1_ACCESSES]) add_interval(&t, sum, g, R_L1_HIT_RATE, "L1 hits", " %", 100);
    if (c[C_L2_ACCESSES]) add_interval(&t, sum, g, R_L2_HIT_RATE, "L2 hits", " %", 100);
    add_interval(&t, sum, g, R_DRAM_BANDWIDTH, "DRAM", " GB/s", 1);
    print_row(l, "sampled", "%s", t.v);
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

static void title(const ReportLaunch *l)
{
    const LaunchSum *sum = l->sum;
    FILE *out = l->run->out;
    char *name = kernel_name(&l->run->sums, sum, out);
    fprintf(out, "\n%s  grid %u×%u×%u, block %u×%u×%u", name, sum->info.grid[0], sum->info.grid[1], sum->info.grid[2],
            sum->info.block[0], sum->info.block[1], sum->info.block[2]);
    mem_free(name);
    if (l->which) fprintf(out, ", %s", l->which);
    if (sum->launches > 1) fprintf(out, ", %llu launches summed", (unsigned long long)sum->launches);
    fprintf(out, "\n");
}

static void executed(const ReportLaunch *l)
{
    char warps[32], threads[32];
    format_count(warps, (double)l->sum->count[C_WARP_INSTS]);
    format_count(threads, (double)l->sum->count[C_THREAD_INSTS]);
    fprintf(l->run->out, "  executed without time: %s warp instructions%s, %s thread instructions\n", warps,
            l->sum->partial ? " so far" : "", threads);
}

static void limits(const ReportLaunch *l)
{
    Text t = {0};
    limits_say(l->sum, l->run->gpu, &t);
    put_head(l->run->out, "  limited by", 16, BREAK_WORDS, t.v);
    text_free(&t);
}

static void cycles(const ReportLaunch *l)
{
    const uint64_t *c = l->sum->count;
    const Gpu *g = l->run->gpu;
    char warps[32], threads[32], in[32];
    const double ms = 1e3 * rate_of(R_SECONDS, c, g);
    format_count(warps, (double)c[C_WARP_INSTS]);
    format_count(threads, (double)c[C_THREAD_INSTS]);
    print_row(l, "cycles", "%llu%s%s (%.3f %s), IPC %.3f, %s warp instructions, %s thread instructions",
              (unsigned long long)c[C_CYCLES], within(l->sum, in), l->sum->partial ? " so far" : "",
              ms < 0.1 ? 1e3 * ms : ms, ms < 0.1 ? "µs" : "ms", rate_of(R_IPC, c, g), warps, threads);
}

static void expected(const ReportLaunch *l) { expect_text(l->sum->count, l->run->gpu, l->run->out); }

static void occupancy(const ReportLaunch *l)
{
    const LaunchSum *sum = l->sum;
    char registers[48] = "";
    if (sum->code) snprintf(registers, sizeof registers, "; %u registers a thread", sum->code->registers);
    print_row(l, "occupancy", "%.1f %%; an SM has room for %u block%s (%u warp%s), limited by %s%s",
              100 * rate_of(R_OCCUPANCY, sum->count, l->run->gpu), sum->occupancy_blocks,
              sum->occupancy_blocks == 1 ? "" : "s", sum->occupancy_warps, sum->occupancy_warps == 1 ? "" : "s",
              sum->occupancy_limit ? sum->occupancy_limit : "?", registers);
}

static void peaks(const ReportLaunch *l)
{
    Text t = {0};
    peaks_say(l->sum->count, l->run->gpu, &t);
    if (t.n) print_row(l, "of the peaks", "%s", t.v);
    text_free(&t);
}

static void units(const ReportLaunch *l)
{
    Units u;
    Text t = {0};
    units_find(l->sum, l->run->gpu, &u);
    units_say(&u, &t);
    if (t.n) print_row(l, "units", "%s", t.v);
    t.n = 0;
    flops_say(&u, &t);
    if (t.n) print_row(l, "operations", "%s", t.v);
    text_free(&t);
}

static void waits(const ReportLaunch *l)
{
    Text t = {0};
    waits_say(l->sum, &t);
    if (t.n) print_row(l, "waits", "%s of the issue slots", t.v);
    text_free(&t);
}

static void why(const ReportLaunch *l) { why_say(l->sum, l->run->out); }
static void annotate(const ReportLaunch *l) { annotate_say(l->sum, l->run->out); }
static void chart(const ReportLaunch *l) { chart_say(l->sum->count, l->run->gpu, l->run->out); }

static const ReportRow rows[] = {
    {ALWAYS, title},
    {HAS_NO_TIME, executed},
    {HAS_TIME, limits},
    {HAS_TIME | HAS_SAMPLED, sampled},
    {HAS_TIME, cycles},
    {HAS_TIME, expected},
    {HAS_TIME, occupancy},
    {HAS_TIME, slots},
    {HAS_TIME, peaks},
    {HAS_TIME, units},
    {HAS_TIME, waits},
    {HAS_TIME, policy},
    {HAS_TIME, routes},
    {HAS_TIME, memory},
    {HAS_TIME, storage},
    {HAS_TIME | HAS_ENERGY, energy},
    {HAS_TIME, structures},
    {HAS_TIME | HAS_WHY, why},
    {HAS_OVERREAD, overread_text},
    {HAS_CHECK, check_text},
    {HAS_TIME | HAS_ENERGY, structures_energy},
    {HAS_TIME | WANTS_LINES, hottest},
    {HAS_TIME | WANTS_SOURCE, annotate},
    {HAS_TIME | WANTS_CHART, chart},
};

// --- the run ---------------------------------------------------------------------------------------------------------
static void held(const oc_device *d, FILE *out)
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

static void begin(const ReportRun *r)
{
    const ReportInfo *info = r->info;
    Text head = {0};
    text_put(&head, info->what);
    if (info->params && *info->params) text_printf(&head, "  %s", info->params);
    text_printf(&head, "  on %s%s", r->gpu->name,
                !info->checked   ? ""
                : info->cut      ? ": cut short"
                : info->verified ? ": the result is right"
                                 : ": FAILED");
    if (info->cap) text_printf(&head, " after %llu warp instructions (--cap)", (unsigned long long)info->cap);
    if (device_samples(r->device)) put_parts(&head, &r->sums);
    put_wrapped(r->out, 0, 2, BREAK_WORDS, head.v);
    text_free(&head);
}

// Whoever compares what a program printed with the report needs to know whose time it was.
static void clock_read(const char *which, FILE *out)
{
    if (!which) return;
    Text t = {0};
    text_printf(&t, "the program read %s%s",
                !strcmp(which, "host")   ? "the host's time, which isn't the GPU's"
                : !strcmp(which, "both") ? "simulated time, and in part the host's"
                                         : "simulated time",
                !strcmp(which, "host") ? " (--clock simulated)" : "");
    put_row(out, "\nclock", 9, BREAK_WORDS, t.v);
    text_free(&t);
}

// Parameters that have only numbers: how they get names.
static void unnamed(const ReportRun *r)
{
    bool any = false;
    for (size_t k = 0; k < r->sums.n; k++)
        for (size_t s = 0; s < r->sums.v[k].structures.n; s++) {
            const char *name = r->sums.v[k].structures.v[s].name;
            any |= !strncmp(name, "param_", 6) && name[6] && !name[6 + strspn(name + 6, "0123456789")];
        }
    if (!any) return;
    const size_t n = strlen(r->info->what);
    const bool ptx = n > 4 && !strcmp(r->info->what + n - 4, ".ptx");
    put_row(
        r->out, "\nparam_N", 10, BREAK_WORDS,
        ptx ? "a parameter by its place, from 0 on: --name x,y,… names them, and nvcc -lineinfo leads to the source's "
              "names"
            : "a parameter by its place, from 0 on: nvcc -g names arrays by their cudaMalloc, and nvcc -lineinfo "
              "leads to the source's names (doc/use/programs.md)");
}

static void end(const ReportRun *r)
{
    const oc_device *d = r->device;
    FILE *out = r->out;
    unnamed(r);
    if (r->info->lines && r->timed)
        put_row(out, "\nstalls", 8, BREAK_WORDS,
                "of a line: empty issue slots because a warp that stood before an instruction of it waited for memory, "
                "or for a place in the load-store unit");
    held(d, out);
    clock_read(r->info->clock, out);
    fprintf(out, "\nsimulated in %.2f s", device_wall_seconds(d));
    if (device_repeated(d)) fprintf(out, "; %llu launches repeat earlier ones", (unsigned long long)device_repeated(d));
    fprintf(out, "\n");
}

void report_text(const oc_device *d, const ReportInfo *info, FILE *out)
{
    static const ReportFormat text = {.begin = begin, .rows = rows, .row_count = COUNT(rows), .end = end};
    report_walk(&text, &(ReportRun){.device = d, .info = info, .out = out});
}
