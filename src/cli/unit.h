// unit.h: the command line: one cmd_*.c per verb, options declared in tables, output apart from work.
#ifndef CLI_UNIT_H
#define CLI_UNIT_H

#include "compile/compile.h"
#include "reproduce/reproduce.h"
#include "say/say.h"

#include <onchip.h>

// Exit codes: 0 all well; 1 the command failed, a kernel faulted, or a result was wrong; 2 the command line is wrong; 3
// what was compared is worse than was allowed; 130 Ctrl-C, 143 SIGTERM, as shells have it (interrupt_status).
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_ABOVE = 3 };

struct CommandLine;
// cmd_*.c, show_registers.c, show_occupancy.c: the verbs, and how their command lines look
int cmd_run(int argc, char **argv);
int cmd_cc(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_show(int argc, char **argv);
int show_program_registers(const char *name, const char *const *params);
// onchip show occupancy: of a GPU, with needs of a kernel such as "registers=40", ended by null. An exit code.
int show_occupancy(const char *gpu, const char *const *words);
int cmd_sweep(int argc, char **argv);
int cmd_advise(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_db(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_probe(int argc, char **argv);
int cmd_sl1(int argc, char **argv);
int cmd_gpu(int argc, char **argv);
int cmd_course(int argc, char **argv);
int cmd_completion(int argc, char **argv);
extern const struct CommandLine run_line, cc_line, sweep_line, report_line, advise_line, compare_line, db_line,
    reproduce_line, probe_line, sl1_line, list_line, show_line, gpu_line, course_line, completion_line;
extern const char *const show_views[];  // of show ptx --view; a null ends them

// main.c: "onchip: …" on stderr; tell returns code
int tell(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tell_diag(const Diag *diag);                                // if it has an error, which needn't be called one then
bool write_out(const Text *text, const char *path, Diag *diag);  // null or "-": to the standard output

// --- options.c -------------------------------------------------------------------------------------------------------
// An option takes a value (`--gpu NAME` or `--gpu=NAME`; of one capital letter `-DNAME`, too) unless its metavariable
// is null. If the metavariable begins with a bracket ("[=SETTINGS]"), the value may be left out; otherwise it stands
// behind an equals sign. A row without a name is a heading. The options below a heading go only with what its doc
// names, such as "a PTX file"; if the heading has a value (""), they go with anything.
typedef struct Option {
    const char *name;   // "--gpu"
    const char *value;  // metavariable, or null
    const char *doc;
} Option;
typedef struct Args {
    int argc, at;
    char **argv;
    const Option *options;  // at most 64
    size_t option_count;
    const char *value;  // of the option just read; null: it was left out, or the option takes none
    uint64_t given;     // options that were read, a bit each
    Diag *diag;         // gets what is wrong; null: it is told on stderr
    bool commands;      // -- is a plain argument
} Args;
// The next argument: the index of an option, −1 for a plain argument (in value), −2 at the end, −3 on an error (told).
int args_next(Args *a);
// Does every option that was given go with `what` ("a workload")? If not, an error says so, and why (`because`: "atax
// is …").
bool args_fit(Args *a, const char *what, const char *because);
void put_argument(Text *out, const char *word);             // behind a command line, in quotes where a shell needs them
bool args_have(int argc, char **argv, const char *option);  // is it anywhere, as an argument of its own?
void print_options(const Option *options, size_t n);
void print_sl1_settings(void);
// The value of --jobs, how many processes run at once: from 1 to 1024, else false. JOBS_RANGE says so of a text.
bool parse_jobs(const char *text, uint32_t *jobs);
#define JOBS_RANGE "--jobs takes a number from 1 to 1024, not '%s'"

typedef struct CommandLine {
    const Option *options;
    size_t count;
    // The k-th name that the first word may have, with a sentence or null; null: there are no more. Null: it has none.
    const char *(*word)(size_t k, const char **doc);
} CommandLine;
typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *doc;
    const CommandLine *line;
} Command;

// --- main.c: the commands --------------------------------------------------------------------------------------------
extern const Command commands[];
extern const size_t command_count;

// --- manual.c --------------------------------------------------------------------------------------------------------
void manual_options(bool man, Text *out);  // all options, as a page, or as roff for the manual page

// --- fields.c: the fields of the JSON that commands write ----------------------------------------------------------
void fields_manual(Text *out);  // as a page
void list_fields(void);         // a line for each: document, path, type, meaning

// --- words.c: what the field's words mean --------------------------------------------------------------------------
void words_manual(Text *out);
void list_words(void);
void put_plain(const char *text, Text *out);  // without the marks of Markdown: a link's text alone, code as it is

// --- complete.c ------------------------------------------------------------------------------------------------------
// Adds what may stand in place of the last of these words, which is written so far: a line for each.
void complete_words(const char *const *words, size_t n, Text *out);

// --- completion.gen.c: completion/*, the shells' scripts -------------------------------------------------------------
typedef struct ShellFile {
    const char *name, *text;  // "bash"
    size_t size;
} ShellFile;
extern const ShellFile shell_files[];
extern const size_t shell_file_count;

// --- course.gen.c: course/*, the first course's programs -------------------------------------------------------------
typedef struct Lesson {
    const char *name, *text;  // "1-threads"
    size_t size;
} Lesson;
extern const Lesson lessons[];
extern const size_t lesson_count;

// --- interrupt.c -----------------------------------------------------------------------------------------------------
// From now on the first Ctrl-C or SIGTERM sets the flag that is returned. The next one ends the program at once, as
// after a release.
const volatile bool *interrupt_catch(void);
void interrupt_release(void);
bool interrupted(void);      // since interrupt_catch
int interrupt_status(void);  // then the exit status: 128 and the signal's number

// --- axes.c: the options of run as axes of a matrix, of sweep and report run -----------------------------------------
// axes.def has their rows.
#define HEAD(id, goes, doc)
#define OPTION(id, name, takes, kind, of, where, doc)
#define AXIS(id, name, takes, values, kind, of, where, doc) +1
#define MATRIX(name, values, doc) +1
enum {
    AXIS_COUNT = 0
#include "device/run.def"
};
#undef HEAD
#undef OPTION
#undef AXIS
#undef MATRIX
typedef struct Axes {
    Matrix *matrix;
    const char *program;  // as it was given; null: not yet
    Text args;            // all of --arg, between blanks
} Axes;
bool axes_option(Axes *x, const char *option, const char *value,
                 Diag *diag);  // one of axes.def, or of an axis' name
bool axes_program(Axes *x, const char *names, Diag *diag);
// The plain argument just read: a program, a file with a [matrix], or parameter=value,…; of a CUDA program also all
// arguments behind it.
bool axes_word(Axes *x, Args *a, Diag *diag);
bool axes_end(Axes *x, Diag *diag);  // makes their product, if there are any

// --- cmd_sweep.c -----------------------------------------------------------------------------------------------------
// Sweeps with a bar on a terminal, and so that Ctrl-C leaves the store whole: then interrupted() is true.
// seconds: no run is begun later, and those under way are given up; 0: no limit.
bool sweep_shown(const Matrix *m, Store *store, SweepOptions *o, double seconds, Sweep *s, Diag *diag);

// --- cell.c ----------------------------------------------------------------------------------------------------------
void table_add_value(Table *t, const Datum *value);  // reals with four digits

// --- db_list.c -------------------------------------------------------------------------------------------------------
typedef enum ListForm { LIST_READ, LIST_CSV, LIST_JSON } ListForm;  // LIST_READ: a table; not on a terminal, tabs
typedef struct ListRequest {
    const RunIds *ids;
    const ColumnNames *columns;  // behind what tells the runs apart
    bool kernels, errors;        // errors: whole ones
    ListForm form;
} ListRequest;
void db_list(Store *s, const ListRequest *r, Diag *diag);

// --- db_compare.c ----------------------------------------------------------------------------------------------------
typedef struct CompareRequest {
    const char *db, *by, *column, *against;
    const char *const *what;  // two stores or two keys
    size_t count;
    const Filter *filter;
    const struct Gate *gate;  // how much may change; without limits: nothing is judged
    bool json;
} CompareRequest;
int db_compare(const CompareRequest *r, Diag *diag);
// A condition as the store knows it: of "sched=./own.so" the policy's name. It belongs to arena, or is text. Null: it
// isn't a policy, and why.
const char *db_condition(const char *text, Arena *arena, Diag *diag);

// --- tune.c: onchip run --sched best-swl and --autotune, and the searches of onchip sweep ----------------------------
bool tune_wanted(int argc, char **argv);
int tune(int argc, char **argv);
// Prints a line for each search of a swept matrix: what is best. False: there is no best of some, and stderr has why.
bool searches_print(const Matrix *m, Store *store);

// --- report_text.c, report_json.c: the formats of a report -----------------------------------------------------------
typedef enum LaunchView { LAUNCHES_SUM, LAUNCHES_FIRST, LAUNCHES_SLOWEST, LAUNCHES_ALL } LaunchView;
typedef struct ReportInfo {
    const char *what;  // workload or file
    const char *params;
    const char *error;  // null: none
    const char *hint;   // the same
    const char *clock;  // that a program read; null: none, or it is no program
    bool verified, checked;
    bool cut;  // short, by a limit or Ctrl-C, so that there was nothing to check
    bool lines, chart, annotate;
    LaunchView launches;  // which of a kernel the text has
    uint64_t cap;         // warp instructions after which the run was ended; 0: it wasn't
} ReportInfo;
void report_text(const oc_device *d, const ReportInfo *info, FILE *out);
void report_json(const oc_device *d, const ReportInfo *info,
                 Json *json);  // the fields of the top object; d null: nothing was opened

// --- metrics.c: single numbers by their names ------------------------------------------------------------------------
bool metrics_read(const char *list, Diag *diag);  // names between commas; false, and why: one isn't known
void metrics_put(const oc_device *d, const ReportInfo *info, const char *list, bool csv, FILE *out);

struct Gpu;
// --- points.gen.c: doc/results/measurements/measured.csv -------------------------------------------------------------
typedef struct PointsFile {
    const char *name, *text;
    size_t size;
} PointsFile;
extern const PointsFile points_files[];  // of which there is one: what onchip reproduce measured --csv printed
extern const size_t points_file_count;

// --- expect.c: how sure a time is ------------------------------------------------------------------------------------
typedef struct Expected {
    const char *class;  // bandwidth, shared, compute, atomics or latency
    bool card;          // some launch was measured on the card
    size_t launches;    // of that class that were measured on it
    double within;      // of |simulated / measured − 1|, what 90 % of them are within; 0 without any
} Expected;
// peak: by Peak, as find_peaks has it; gpu: the description's name.
void expect_find(const uint64_t *count, const double *peak, const char *gpu, Expected *out);
void expect_words(const Expected *e, Text *out);                                         // as a sentence
void expect_say(const uint64_t *count, const double *peak, const char *gpu, Text *out);  // both
// A row of a text; none of a card before Volta, on which nothing was measured.
void expect_text(const uint64_t *count, const struct Gpu *g, FILE *out);

// --- probe_text.c, probe_json.c, probe_book.c, probe_files.c: what onchip probe found --------------------------------
struct Probe;
struct Found;
struct Gpu;
struct Value;
// gpu: a simulated GPU's description, for the steps of the book; may be null.
void probe_text(const struct Probe *p, const struct Gpu *gpu, FILE *out);
void probe_json(const struct Probe *p, const char *error,
                Json *json);  // the fields of the top object; p null: nothing was opened
void probe_json_value(Json *json, const char *key, const struct Value *v);  // an object: verdict, value, range, reason
void probe_book_text(const struct Probe *p, const struct Gpu *gpu, FILE *out);
void probe_book_json(const struct Probe *p, Json *out);
bool probe_figures(const struct Probe *p, const char *folder, Diag *diag);  // NAME.csv, .gp and .svg each
bool probe_traces(const struct Probe *p, const char *folder, Diag *diag);   // runs.csv, walks.csv, latencies.csv
const char *index_text(const struct Found *f, char out[100]);               // "bits 7 to 8", "one set", …

// --- run_file.c: a bare PTX file with arguments from the command line ------------------------------------------------
// Both run it; dumps go to out as text, or to json. They return an exit code. run_script: its argument file.
int run_file(oc_device *d, const FileRun *run, const TextList *dumps, FILE *out, Json *json, Diag *diag);
int run_script(oc_device *d, const FileRun *run, const TextList *dumps, FILE *out, Json *json, Diag *diag);

// --- run_program.c: a CUDA program -----------------------------------------------------------------------------------
typedef struct ProgramRun {
    const char *const *words;  // the program's file and its arguments; a null ends them
    const char *file;          // the file that is run, if words[0] is its source; may be null
    size_t keep;               // launches that are kept each by itself
    Target target;             // of which PTX is taken; capability 0: of the one that fits best
    const char *clock;         // as ServeOptions has it
    const char **read;         // gets which clock it read: "simulated", "host" or "both"; null: none
    void (*ran)(void *user);   // called after each launch
    void *user;
} ProgramRun;
// Runs it. Returns its exit status; if it couldn't be started, 1. The device's config.print must add to
// *printed.
int run_program(oc_device *d, const ProgramRun *run, Text *printed, Diag *diag);

// --- list_kernels.c --------------------------------------------------------------------------------------------------
int list_kernels(const char *path);  // prints what device code is in a file; returns an exit code

#endif
