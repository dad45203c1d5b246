// cmd_reproduce.c: onchip reproduce: reproduces a paper's figures, which are built in from reproduce/<paper>/ or come
// from a folder of the user's. Each figure is a sweep, followed by formulas over its runs. Under mpirun the figures
// have the same order on every rank.
#include "cli/unit.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const Option options[] = {
    {"--list", NULL, "list all figures, or those of PAPER, with their titles"},
    {"--size", "small|medium|paper",
     "how much to run: little, which takes minutes (small, the default); more input (medium); or what the paper did "
     "(paper)"},
    {"--db", "FILE", "the results store (onchip/results.db under $XDG_DATA_HOME or ~/.local/share)"},
    {"--jobs", "N", "how many runs to make at a time (as many as there are processors; under mpirun one on each rank)"},
    {"--csv", NULL, "print the points as CSV"},
    {"--from", "FILE", "take the points from FILE, which --csv wrote, and run nothing"},
    {"--markdown", NULL, "print each figure as a table in markdown, the paper's values in parentheses"},
    {"--only", "X,…", "with --markdown: only these places on the x axis, such as geomean"},
    {"--errors", NULL, "print one table in markdown: how far each figure's cells are from the paper's"},
    {"--plot", "DIR",
     "write every figure into DIR: its points (NAME.csv), the gnuplot script (NAME.gp), and the picture (NAME.svg)"},
    {"--svg", "FILE",
     "of tables of measured times: draw the simulated over the measured times, all cards in a picture"},
    {"--page", "FILE", "also write a page of the figures into FILE"},
    {"--strict", NULL, "end with exit status 1 if a value is farther from the paper's than its tolerance"},
    {"--help", NULL, "this text"},
};
const CommandLine reproduce_line = {options, COUNT(options), NULL};
enum {
    O_LIST,
    O_SIZE,
    O_DB,
    O_JOBS,
    O_CSV,
    O_FROM,
    O_MARKDOWN,
    O_ONLY,
    O_ERRORS,
    O_PLOT,
    O_SVG,
    O_PAGE,
    O_STRICT,
    O_HELP
};

typedef struct Wanted {
    char *name, *text;  // "sl1/fig1"
} Wanted;
typedef struct Request {
    const char *size, *db, *plot, *svg, *only, *page;
    Page *made;               // of --page
    Figure picture;           // of --svg
    VEC(const char *) words;  // the paper, and its figures
    VEC(Wanted) figures;
    SweepOptions sweep;
    bool csv, markdown, errors, strict, list;
    Text from;      // the text of --from
    Source points;  // the same, with its name; without --from it has none
    uint64_t compared, outside;
    size_t shown;  // figures so far
} Request;

// --- which figures ---------------------------------------------------------------------------------------------------
static bool chosen(const Request *r, const char *figure)
{
    if (r->words.n == 1) return true;
    for (size_t k = 1; k < r->words.n; k++)
        if (!strcmp(r->words.v[k], figure)) return true;
    return false;
}

static void want(Request *r, const char *name, const char *text)
{
    Wanted w = {mem_text(name), mem_text(text)};
    vec_push(&r->figures, w);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const Wanted *)a)->name, ((const Wanted *)b)->name);
}

static bool from_folder(Request *r, const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n < 5 || (strcmp(e->d_name + n - 4, ".ini") && strcmp(e->d_name + n - 4, ".tsv"))) continue;
        Text path = {0}, text = {0};
        char *figure = mem_text(e->d_name);
        figure[n - 4] = 0;
        text_printf(&path, "%s/%s", folder, e->d_name);
        if (chosen(r, figure) && text_read_file(&text, path.v)) want(r, path.v, text.v ? text.v : "");
        text_free(&path), text_free(&text);
        mem_free(figure);
    }
    if (d) closedir(d);
    return d != NULL;
}

static void built_in(Request *r, const char *paper)
{
    size_t n = strlen(paper);
    for (size_t k = 0; k < reproduce_file_count; k++) {
        const ReproduceFile *f = &reproduce_files[k];
        if (!strncmp(f->name, paper, n) && f->name[n] == '/' && chosen(r, f->name + n + 1)) want(r, f->name, f->text);
    }
}

static void list_figure(FILE *out, const char *name, size_t paper, const Reproduction *r)
{
    Text left = {0}, title = {0};
    text_printf(&left, "  %-10.*s %-14s", (int)paper, name, name + paper + 1);
    text_printf(&title, "%s%s%s%s", r->title, r->from ? " (" : "", r->from ? r->from : "", r->from ? ")" : "");
    put_row(out, left.v, 28, BREAK_WORDS, title.v);
    text_free(&left), text_free(&title);
}

// Lists the figures of one paper; null: of all papers.
static void list_all(const char *paper, FILE *out)
{
    for (size_t k = 0; k < reproduce_file_count; k++) {
        const ReproduceFile *f = &reproduce_files[k];
        Reproduction r;
        Diag diag = {0};
        const char *slash = strchr(f->name, '/');
        size_t n = (size_t)(slash - f->name);
        if (paper && (strlen(paper) != n || memcmp(paper, f->name, n))) continue;
        if (reproduce_open(&r, f->name, f->text, f->size, "paper", &diag)) list_figure(out, f->name, n, &r);
        reproduce_free(&r);
        diag_free(&diag);
    }
}

// Lists the papers, and how many figures of each there are.
static void list_papers(FILE *out)
{
    for (size_t k = 0, next; k < reproduce_file_count; k = next) {
        const char *name = reproduce_files[k].name;
        size_t n = (size_t)(strchr(name, '/') - name) + 1;
        for (next = k; next < reproduce_file_count && !strncmp(reproduce_files[next].name, name, n); next++) continue;
        fprintf(out, "  %-10.*s %zu figure%s\n", (int)n - 1, name, next - k, next - k == 1 ? "" : "s");
    }
}

// The name that a word is most likely meant to be: of a paper; or, if the paper is given, of one of its figures.
static const char *near_name(const char *paper, const char *word, char out[100])
{
    char names[256][64];
    const char *list[COUNT(names)];
    size_t n = 0;
    for (size_t k = 0; k < reproduce_file_count && n < COUNT(names); k++) {
        const char *name = reproduce_files[k].name, *slash = strchr(name, '/');
        size_t length = (size_t)(slash - name);
        if (paper && (strlen(paper) != length || memcmp(paper, name, length))) continue;
        snprintf(names[n], sizeof names[n], "%.*s", paper ? 63 : (int)MIN(length, 63), paper ? slash + 1 : name);
        list[n] = names[n], n++;
    }
    return did_you_mean(word, list, n, out);
}

// Does every word name something? A figure is named as "sl1/fig1", or by the path of its file.
static bool words_known(const Request *r)
{
    char hint[100];
    const char *paper = r->words.v[0];
    for (size_t k = 1; k < r->words.n; k++) {
        bool found = false;
        for (size_t f = 0; f < r->figures.n && !found; f++) {
            const char *name = strrchr(r->figures.v[f].name, '/') + 1;
            const char *dot = strrchr(name, '.');
            size_t n = dot && (!strcmp(dot, ".ini") || !strcmp(dot, ".tsv")) ? (size_t)(dot - name) : strlen(name);
            found = strlen(r->words.v[k]) == n && !memcmp(r->words.v[k], name, n);
        }
        if (found) continue;
        tell(0, "no figure '%s' in '%s'%s", r->words.v[k], paper, near_name(paper, r->words.v[k], hint));
        list_all(paper, stderr);
        return false;
    }
    if (r->figures.n) return true;
    tell(0, "nothing to reproduce as '%s'%s; there are:", paper, near_name(NULL, paper, hint));
    list_papers(stderr);
    return false;
}

// --- showing ---------------------------------------------------------------------------------------------------------
static void cell_text(char out[32], double v)
{
    if (isnan(v))
        snprintf(out, 32, "–");
    else
        snprintf(out, 32, "%.4g", v);
}

static int width(const char *s) { return (int)text_width(s, strlen(s)); }
static void left(FILE *out, const char *s, int w) { fprintf(out, "%s%*s", s, MAX(w - width(s), 0), ""); }
static void right(FILE *out, const char *s, int w) { fprintf(out, "%*s%s", MAX(w - width(s), 0), "", s); }

// A table without the paper's values: a row for each x, a column for each series.
static void show_grid(const Reproduction *r, FILE *out)
{
    size_t n = r->points.n;
    int wx = width(r->x), ws = 8;
    for (size_t k = 0; k < n; k++) wx = MAX(wx, width(r->points.v[k].x)), ws = MAX(ws, width(r->points.v[k].series));
    left(out, r->x, wx);
    for (size_t k = 0; k < n; k++)
        if (!k || strcmp(r->points.v[k].series, r->points.v[k - 1].series))
            right(out, r->series ? r->points.v[k].series : "ours", ws + 2);
    fputs("\n", out);
    for (size_t k = 0; k < n; k++) {
        bool first = true;
        for (size_t j = 0; j < k; j++) first &= strcmp(r->points.v[j].x, r->points.v[k].x) != 0;
        if (!first) continue;
        left(out, r->points.v[k].x, wx);
        for (size_t s = 0; s < n; s++) {
            if (s && !strcmp(r->points.v[s].series, r->points.v[s - 1].series)) continue;
            double v = NAN;
            for (size_t j = s; j < n; j++)
                if (!strcmp(r->points.v[j].series, r->points.v[s].series) &&
                    !strcmp(r->points.v[j].x, r->points.v[k].x))
                    v = r->points.v[j].ours;
            char text[32];
            cell_text(text, v), right(out, text, ws + 2);
        }
        fputs("\n", out);
    }
}

static void show_beside(Request *req, const Reproduction *r, FILE *out)
{
    int wx = width(r->x), ws = r->series ? width(r->series) : 0;
    for (size_t k = 0; k < r->points.n; k++) {
        wx = MAX(wx, width(r->points.v[k].x));
        if (r->series) ws = MAX(ws, width(r->points.v[k].series));
    }
    left(out, r->series ? r->series : "", ws), fputs(r->series ? "  " : "", out), left(out, r->x, wx),
        right(out, "ours", 12);
    right(out, r->gpu ? "measured" : "theirs", 12), right(out, r->gpu ? "quotient" : "difference", 12);
    fputs("\n", out);
    for (size_t k = 0; k < r->points.n; k++) {
        const Point *p = &r->points.v[k];
        char ours[32], theirs[32], difference[32] = "";
        cell_text(ours, p->ours), cell_text(theirs, p->theirs);
        bool both = !isnan(p->theirs), far = both && !reproduce_within(r, p);
        if (both && !isnan(p->ours) && r->gpu)
            snprintf(difference, sizeof difference, "× %.2f", p->ours / p->theirs);
        else if (both && !isnan(p->ours))
            snprintf(difference, sizeof difference, "%+.3g", p->ours - p->theirs);
        left(out, p->series, ws), fputs(r->series ? "  " : "", out), left(out, p->x, wx), right(out, ours, 12);
        right(out, both ? theirs : "", 12), right(out, difference, 12);
        fputs(!both ? "\n" : far ? "  outside the tolerance\n" : "  within\n", out);
        req->compared += both, req->outside += far;
    }
}

// Where all values are quotients, 1 everywhere is what a model without any effect would give.
static void show_error(const Reproduction *r, FILE *out)
{
    if (r->gpu) {
        Text table = {0};
        measured_summary(r, false, true, &table);
        fprintf(out, "\n%s", table.v);
        text_free(&table);
        return;
    }
    CellError e = reproduce_error(r);
    if (e.cells < 2) return;
    fprintf(out, "error over %zu cells: %.3g (root mean square), %+.3g on average, most %+.3g at %s%s%s", e.cells,
            e.rms, e.mean, e.largest->ours - e.largest->theirs, e.largest->series, *e.largest->series ? ", " : "",
            e.largest->x);
    if (r->baseline) fprintf(out, "; 1 everywhere has %.3g", e.unmoved);
    fputs("\n", out);
}

// left: how many runs weren't made before Ctrl-C.
static void show(Request *req, const Reproduction *r, uint64_t left, FILE *out)
{
    bool any = false;
    for (size_t k = 0; k < r->points.n; k++) any |= !isnan(r->points.v[k].theirs);
    fprintf(out, "%s\n%s%s%s%s%s\n", r->title, r->from ? r->from : "", r->unit ? "; " : "", r->unit ? r->unit : "",
            r->baseline ? ", over " : "", r->baseline ? r->baseline : "");
    if (any)
        show_beside(req, r, out), show_error(r, out);
    else
        show_grid(r, out);
    if (r->note) fprintf(out, "%s\n", r->note);
    if (left)
        fprintf(out, "cut short: %llu runs are left\n", (unsigned long long)left);
    else if (r->missing)
        fprintf(out, "%zu runs failed: onchip db list --failed\n", r->missing);
}

static void csv_text(FILE *out, const char *s)
{
    fputc('"', out);
    for (; *s; s++) fprintf(out, *s == '"' ? "\"\"" : "%c", *s);
    fputc('"', out);
}

static void show_csv(const char *name, const Reproduction *r, FILE *out)
{
    for (size_t k = 0; k < r->points.n; k++) {
        const Point *p = &r->points.v[k];
        csv_text(out, name), fputc(',', out), csv_text(out, p->series), fputc(',', out), csv_text(out, p->x);
        fprintf(out, isnan(p->ours) ? "," : ",%.9g", p->ours);
        if (isnan(p->theirs))
            fprintf(out, ",,\n");
        else
            fprintf(out, ",%.9g,%.9g\n", p->theirs, p->tolerance);
    }
}

static void show_markdown(Request *req, const char *name, const Reproduction *r, FILE *out)
{
    Text text = {0};
    if (req->errors)
        reproduce_error_row(r, name, !req->shown, &text);
    else
        text_put(&text, req->shown ? "\n" : ""), reproduce_table(r, req->only, &text);
    req->shown++;
    fputs(text.v, out);
    text_free(&text);
}

// --- doing -----------------------------------------------------------------------------------------------------------
static void show_points(Request *req, const char *name, const Reproduction *r)
{
    if (req->markdown)
        show_markdown(req, name, r, stdout);
    else if (req->csv)
        show_csv(name, r, stdout);
    else
        show(req, r, 0, stdout);
}

static const char *or_nothing(const char *text) { return text ? text : ""; }

// A figure on the page: its picture, how far it is from the paper's, and every value beside the paper's.
static bool put_on_page(Page *p, const Reproduction *r)
{
    static const char *const columns[] = {"series", "at", "#ours", "#the paper's", "#ours / the paper's", "within"};
    const CellError e = reproduce_error(r);
    Text text = {0};
    Figure f;
    page_heading(p, r->title);
    text_printf(&text, "%s%s%s%s%s", or_nothing(r->from), r->unit ? "; " : "", or_nothing(r->unit),
                r->baseline ? ", over " : "", or_nothing(r->baseline));
    if (text.n) page_note(p, text.v);
    if (e.cells >= 2) {
        text.n = 0;
        text_printf(&text, "Over %zu cells ours are %.3g from the paper's (root mean square), most %+.3g at %s%s%s.",
                    e.cells, e.rms, e.largest->ours - e.largest->theirs, e.largest->series,
                    *e.largest->series ? ", " : "", e.largest->x);
        page_text(p, text.v);
    }
    reproduce_figure(r, &f);
    bool ok = page_figure(p, &f);
    page_table(p, "Our values beside the paper's.", columns, COUNT(columns));
    for (size_t k = 0; k < r->points.n; k++) {
        const Point *one = &r->points.v[k];
        const bool both = !isnan(one->ours) && !isnan(one->theirs);
        page_row(p);
        page_cell(p, one->series), page_cell(p, one->x);
        page_number(p, "%.4g", one->ours), page_number(p, "%.4g", one->theirs);
        page_number(p, "%.3f", both && one->theirs != 0 ? one->ours / one->theirs : NAN);
        page_cell(p, !both ? "–" : reproduce_within(r, one) ? "its tolerance" : "no");
        page_row_end(p);
    }
    page_table_end(p);
    if (r->missing) page_note(p, "Some runs failed or weren't made: their values are missing.");
    text_free(&text);
    return ok;
}

static bool write_page(Request *r, Diag *diag)
{
    Text html = {0};
    page_close(r->made, &html);
    r->made = NULL;
    bool ok = write_out(&html, r->page, diag);
    text_free(&html);
    return ok;
}

// Before anything is run: --svg draws nothing but measured times.
static bool can_draw(const Request *req, const char *name, const Reproduction *r, Diag *diag)
{
    return !req->svg || r->gpu ||
           diag_error(diag, "--svg draws tables of measured times, and %s isn't one\nhint: --plot draws figures", name);
}

// After Ctrl-C the figure is shown with the runs that are done, if there are any.
static int one(Request *req, const Wanted *w, Store *store, Diag *diag)
{
    Reproduction r;
    Sweep s = {0};
    bool ok =
        reproduce_open(&r, w->name, w->text, strlen(w->text), req->size, diag) && can_draw(req, w->name, &r, diag);
    if (ok && req->points.name) {
        if ((ok = reproduce_read(&r, &req->points, diag))) show_points(req, w->name, &r);
        if (ok && req->svg) measured_figure(&r, &req->picture);
        if (ok && req->made) ok = put_on_page(req->made, &r);
        reproduce_free(&r);
        return ok ? EXIT_OK : EXIT_FAILED;
    }
    ok = ok && sweep_shown(&r.matrix, store, &req->sweep, 0, &s, diag);
    uint64_t left = s.to_run - s.done - s.failed;
    bool any = ok && (!interrupted() || s.stored + s.done || !s.to_run);
    if (any && (ok = reproduce_fill(&r, store, diag))) {
        if (req->csv || req->markdown)
            show_points(req, w->name, &r);
        else if (r.absent)
            fprintf(stdout, "%s has no size %s\n\n", w->name, req->size);
        else
            show(req, &r, left, stdout),
                fprintf(stdout, "%llu runs, %llu of them in the store already; %.1f s\n\n",
                        (unsigned long long)s.distinct, (unsigned long long)s.stored, s.seconds);
    }
    if (ok && any && req->svg) measured_figure(&r, &req->picture);
    if (ok && any && !r.absent && req->made) ok = put_on_page(req->made, &r);
    if (ok && any && !r.absent && req->plot) {
        Figure f;
        Text svg = {0};
        reproduce_figure(&r, &f);
        ok = figure_draw(&f, req->plot, &svg, diag);
        text_free(&svg);
        figure_free(&f);
    }
    reproduce_free(&r);
    return !ok ? EXIT_FAILED : interrupted() ? interrupt_status() : EXIT_OK;
}

static bool find_figures(Request *r)
{
    const char *paper = r->words.v[0];
    struct stat st;
    if (strchr(paper, '/') && !stat(paper, &st) && S_ISDIR(st.st_mode))
        from_folder(r, paper);
    else
        built_in(r, paper);
    if (r->figures.n) qsort(r->figures.v, r->figures.n, sizeof *r->figures.v, by_name);
    return r->figures.n > 0;
}

static bool put_picture(Request *r, Diag *diag)
{
    Text svg = {0};
    figure_svg(&r->picture, true, &svg);
    bool ok = write_out(&svg, r->svg, diag);
    text_free(&svg);
    return ok;
}

static int all(Request *r, Diag *diag)
{
    find_figures(r);
    if (!words_known(r)) return EXIT_USAGE;
    Store *store = r->points.name ? NULL : store_open(r->db, diag);
    if (!r->points.name && !store) return EXIT_FAILED;
    if (r->csv) printf("figure,series,x,ours,theirs,tolerance\n");
    if (r->svg) measured_figure_open(&r->picture);
    if (r->page) {
        Text title = {0};
        text_printf(&title, "%s, reproduced", base_name(r->words.v[0]));
        r->made = page_open(title.v, "Our values beside the paper's. Ours are simulated.", true, diag);
        text_free(&title);
    }
    int code = EXIT_OK;
    size_t k = 0;
    for (; k < r->figures.n && code == EXIT_OK; k++) {
        r->sweep.number = k;
        code = one(r, &r->figures.v[k], store, diag);
    }
    if (store) store_close(store);
    if (code == EXIT_OK && r->svg && !put_picture(r, diag)) code = EXIT_FAILED;
    if (r->made && (code == EXIT_OK || interrupted()) && !write_page(r, diag)) code = EXIT_FAILED;
    if (interrupted() && code == interrupt_status()) {
        fflush(stdout);
        tell(code, "interrupted at %s, figure %zu of %zu; the same command goes on", r->figures.v[k - 1].name, k,
             r->figures.n);
    }
    if (code == EXIT_OK && !r->csv && !r->markdown && r->compared)
        printf("%llu of %llu values within their tolerance\n", (unsigned long long)(r->compared - r->outside),
               (unsigned long long)r->compared);
    return code != EXIT_OK ? code : r->strict && r->outside ? EXIT_FAILED : EXIT_OK;
}

static bool is_size(const char *name)
{
    size_t k = 0;
    while (k < COUNT(reproduce_sizes) && strcmp(reproduce_sizes[k], name)) k++;
    return k < COUNT(reproduce_sizes);
}

static int list_wanted(const Request *r)
{
    const char *paper = r->words.n ? r->words.v[0] : NULL;
    char hint[100];
    bool known = !paper;
    for (size_t k = 0; k < reproduce_file_count && !known; k++)
        known =
            !strncmp(reproduce_files[k].name, paper, strlen(paper)) && reproduce_files[k].name[strlen(paper)] == '/';
    if (!known) return tell(EXIT_USAGE, "there is no paper '%s'%s", paper, near_name(NULL, paper, hint));
    list_all(paper, stdout);
    return EXIT_OK;
}

// Returns an exit code, or −1 to go on.
static int read_options(Request *r, int argc, char **argv)
{
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    int o, code = -1;
    while (code < 0 && (o = args_next(&a)) != -2) {
        switch (o) {
        case -3: code = EXIT_USAGE; break;
        case -1: vec_push(&r->words, a.value); break;
        case O_LIST: r->list = true; break;
        case O_SIZE:
            r->size = a.value;
            if (!is_size(r->size)) code = tell(EXIT_USAGE, "--size is small, medium or paper, not '%s'", r->size);
            break;
        case O_DB: r->db = a.value; break;
        case O_JOBS:
            if (!parse_jobs(a.value, &r->sweep.jobs)) code = tell(EXIT_USAGE, JOBS_RANGE, a.value);
            break;
        case O_CSV: r->csv = true; break;
        case O_FROM:
            if (text_read_file(&r->from, a.value))
                r->points = (Source){.name = a.value, .text = r->from.v ? r->from.v : "", .length = r->from.n};
            else
                code = tell(EXIT_FAILED, "can't read %s", a.value);
            break;
        case O_MARKDOWN: r->markdown = true; break;
        case O_ONLY: r->only = a.value; break;
        case O_ERRORS: r->markdown = r->errors = true; break;
        case O_PLOT: r->plot = a.value; break;
        case O_SVG: r->svg = a.value; break;
        case O_PAGE: r->page = a.value; break;
        case O_STRICT: r->strict = true; break;
        case O_HELP:
            printf("usage: onchip reproduce PAPER|FOLDER [FIGURE …] [options]\n\n"
                   "Makes the runs that a paper's figures need and the results store doesn't have,\n"
                   "and prints our values beside the paper's. A FOLDER has figures of your own\n"
                   "(doc/reference/reproduce.md). These are the papers; --list lists their figures:\n\n");
            list_papers(stdout);
            printf("\n");
            print_options(options, COUNT(options));
            code = EXIT_OK;
        }
    }
    if (code < 0 && r->list) return list_wanted(r);
    if (code < 0 && !r->words.n) {
        fprintf(stderr, "onchip: reproduce what? there are, with the figures that --list lists:\n");
        list_papers(stderr);
        code = EXIT_USAGE;
    }
    return code;
}

// The work of a rank other than 0, as in cmd_sweep.c. The number of a sweep is that of its figure.
static int serve(Request *r, int argc, char **argv)
{
    SweepOptions *o = &r->sweep;
    o->stop = interrupt_catch();
    int64_t k = sweep_called(o->ranks);
    if (k >= 0 && (read_options(r, argc, argv) >= 0 || !find_figures(r)))
        return sweep_refuse(o, "the command line can't be read there"), EXIT_OK;
    for (bool more = true; more && k >= 0; k = more ? sweep_called(o->ranks) : -1) {
        Reproduction figure = {0};
        Diag diag = {0};
        const Wanted *w = (size_t)k < r->figures.n ? &r->figures.v[k] : NULL;
        o->number = (uint64_t)k;
        if (!w) diag_error(&diag, "there are other figures than on rank 0");
        more = w && reproduce_open(&figure, w->name, w->text, strlen(w->text), r->size, &diag) &&
               sweep_serve(&figure.matrix, o);
        if (diag.failed) sweep_refuse(o, diag.text.v);
        reproduce_free(&figure);
        diag_free(&diag);
    }
    return EXIT_OK;
}

int cmd_reproduce(int argc, char **argv)
{
    Request r = {.size = "small"};
    Diag diag = {0};
    int code = -1;
    if (!ranks_open(&r.sweep.ranks, &diag))
        code = EXIT_FAILED;
    else if (ranks_rank(r.sweep.ranks))
        code = serve(&r, argc, argv);
    else if ((code = read_options(&r, argc, argv)) < 0)
        code = all(&r, &diag);
    tell_diag(&diag);
    ranks_close(r.sweep.ranks);
    diag_free(&diag);
    for (size_t k = 0; k < r.figures.n; k++) mem_free(r.figures.v[k].name), mem_free(r.figures.v[k].text);
    vec_free(&r.figures), vec_free(&r.words);
    text_free(&r.from);
    figure_free(&r.picture);
    page_close(r.made, NULL);
    return code;
}
