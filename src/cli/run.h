// run.h: what onchip run's command line asks for (cmd_run.c), how it is carried out (run_once.c), how far it has come
// (run_meter.c), and what makes it fail beside its result (run_judge.c).
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/unit.h"
#include "device/device.h"
#include "device/setup.h"
#include "sl1/sl1.h"

// --- cmd_run.c -------------------------------------------------------------------------------------------------------
extern const Option run_options[];  // those of run.def, in its order: an index is OPT_…
typedef struct Run {
    Args args;
    oc_config config;
    Setup how;
    VEC(const char *) sets, params;
    VEC(char *) owned;
    const char *what, *trace, *lanes, *out_path;
    const char *clock;         // that a program reads; null: it depends on the program
    const char *const *words;  // of a CUDA program, whose file is the first; null: it is none
    bool command;              // that is a command instead
    FILE *out;                 // gets the report
    FILE *into;                // gets the JSON, for another command; null: out is the user's
    Regex *regex;              // of kernels
    const char *metrics;       // null: the report
    bool toolkit;              // CUDA source is compiled by NVIDIA's compiler
    TextList compiler;         // its options, "-DN=4"
    bool json, csv, chart, annotate, laws, software;
    LaunchView launches;
    Sl1Options sl1;
    bool reported;  // the JSON has been written
    FileRun file;
    TextList dumps;
    Diag error;  // why the command failed, for stderr and the JSON
} Run;

// Runs a command line of onchip run's, and writes its JSON into out. Returns an exit code; stderr has what went wrong.
int run_into(int argc, char **argv, FILE *out);

// Keeps the first reason why the command failed. Returns code, an exit code.
int run_refuse(Run *r, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

// --- run_once.c ------------------------------------------------------------------------------------------------------
int run_once(Run *r);                                                     // returns an exit code
void run_json(const oc_device *d, Run *r, ReportInfo *info, Json *json);  // ends what is printed of it

// --- run_judge.c -----------------------------------------------------------------------------------------------------
// The exit code of a run whose own is code: it fails where nothing was timed, a law is broken or a fault was found.
int run_judge(const oc_device *d, Run *r, int code);

// --- run_meter.c -----------------------------------------------------------------------------------------------------
// One bar over the whole program. Times are seconds of the host's clock.
typedef struct Meter {
    FILE *out;                // where printf's text goes
    Text printed;             // of a program's kernels
    const oc_device *device;  // whose launches are counted; null: it isn't known yet
    bool terminal;       // stderr is one: a line is written again and again there; elsewhere now and then a new one
    double shown, next;  // when progress was last shown, and from when it may be again
    double seen;         // when something was last heard of the program
    double from;         // when the running launch began
    size_t launch;       // how many were over then
    uint64_t cycles;     // of the running launch, so far
    bool line;           // the terminal has a line of progress
} Meter;
void meter_begin(Meter *m);  // the program begins
void meter_clear(void *m);   // takes the line of progress away
// For oc_config, with a Meter: progress, what kernels print, and the same where it waits for the program to ask for it.
void meter_show(void *m, const char *kernel, uint64_t cycles, uint64_t insts, uint64_t done, uint64_t blocks);
void meter_print(void *m, const char *text, size_t length);
void meter_keep(void *m, const char *text, size_t length);

#endif
