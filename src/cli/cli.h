// cli.h: the command line: one cmd_*.c per verb, options declared in tables, output apart from work.
#ifndef CLI_H
#define CLI_H

#include "device/device.h"
#include "lab/lab.h"

// Exit codes: 0 all well; 1 the command failed, a kernel faulted, or a result was wrong; 2 the command line is wrong.
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

int cmd_run(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);

// --- options.c ----------------------------------------------------------------------------------------------------------
// An option takes a value (`--gpu NAME` or `--gpu=NAME`) unless its metavariable is null.
typedef struct Option {
    const char *name;          // "--gpu"
    const char *value;         // metavariable, or null
    const char *doc;
} Option;
typedef struct Args {
    int argc, at;
    char **argv;
    const Option *options;
    size_t option_count;
    const char *value;         // of the option just read
} Args;
// The next argument: the index of an option, −1 for a plain argument (in value), −2 at the end, −3 on an error (told).
int args_next(Args *a);
void print_options(const Option *options, size_t n);

// --- cmd_sweep.c --------------------------------------------------------------------------------------------------------
// Sweeps with a bar on a terminal, and so that Ctrl-C leaves the store whole. *interrupted: it was pressed.
bool sweep_shown(const Matrix *m, Store *store, SweepOptions *o, Sweep *s, bool *interrupted, Diag *diag);

// --- report.c -----------------------------------------------------------------------------------------------------------
typedef struct ReportInfo {
    const char *what;          // workload or file
    const char *params;
    const char *error;         // null: none
    bool verified, checked;
    bool lines;
} ReportInfo;
void report_text(const oc_device *d, const ReportInfo *info, FILE *out);
void report_json(const oc_device *d, const ReportInfo *info, Json *json);   // the fields of the top object

// --- run_file.c: a bare PTX file with arguments from the command line -------------------------------------------------------
typedef struct FileRun {
    const char *path, *kernel, *grid, *block, *smem;
    VEC(const char *) args, dumps;
} FileRun;
// Runs it; dumps go to out as text, or to json. Returns an exit code; errors are told on stderr or given in *error.
int run_file(oc_device *d, const FileRun *run, FILE *out, Json *json, char **error);

#endif
