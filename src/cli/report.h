// report.h: the report of a run. report.c walks over what was launched, once for all formats; a format is one file
// (report_text.c, report_json.c, metrics.c) with a list of rows: a function, and what a launch must have for it to be
// called.
//
// Text and JSON don't show the same values: the text has sentences, shares and what matters most, the JSON every
// counter. So a format isn't told "a number called cycles": it is given the launch, and words it itself. What all of
// them have in common stands in the walk: which launches are shown, which of them are summed, and what there is to be
// said of each. A row can't ask anything else, so no two formats disagree about that. Another format is another such
// file.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/unit.h"
#include "device/device.h"

// What there is to be said of a launch, and what the caller wants said.
typedef enum Has {
    ALWAYS = 0,
    HAS_TIME = 1 << 0,     // it was timed
    HAS_NO_TIME = 1 << 1,  // it was only executed
    HAS_SAMPLED = 1 << 2,  // a part was timed, and the rest estimated
    HAS_ENERGY = 1 << 3,
    HAS_WHY = 1 << 4,           // why loads missed
    HAS_CHECK = 1 << 5,         // --check looked at it
    HAS_OVERREAD = 1 << 6,      // a lane read behind an allocation
    HAS_UNDEFINED = 1 << 7,     // a shuffle read a lane that took no part; of a single launch
    HAS_SERIES = 1 << 8,        // counters over time
    HAS_INTERFERENCE = 1 << 9,  // which warps took whose lines; of a single launch
    WANTS_LINES = 1 << 10,
    WANTS_SOURCE = 1 << 11,
    WANTS_CHART = 1 << 12
} Has;

typedef struct ReportRun {
    const oc_device *device;  // null: nothing was opened
    const ReportInfo *info;
    // Set by the format, which writes to one of the first two:
    FILE *out;
    Json *json;  // of which the top object is open
    void *own;   // what else it keeps
    // The walk's:
    const Gpu *gpu;
    LaunchSums sums;  // the kernels; none where a format has each launch
    bool timed;       // something that was shown so far
} ReportRun;

typedef struct ReportLaunch {
    const ReportRun *run;
    const LaunchSum *sum;  // of this launch alone, or of all launches of a kernel
    const Record *record;  // null: of several launches
    const char *which;     // "launch 2 of 5"; null: of several launches
    uint32_t has;          // bits of Has
} ReportLaunch;

typedef struct ReportRow {
    uint32_t needs;  // bits of Has: the function is called if the launch has all of them
    void (*put)(const ReportLaunch *l);
} ReportRow;

typedef struct ReportFormat {
    bool each;  // it has each launch; else those that ReportInfo.launches says
    void (*begin)(const ReportRun *r);
    const ReportRow *rows;  // of a launch, in their order
    size_t row_count;
    void (*end)(const ReportRun *r);
} ReportFormat;

// --- report.c --------------------------------------------------------------------------------------------------------
void report_walk(const ReportFormat *f, ReportRun *r);

// --- report_check.c: the text's longer rows --------------------------------------------------------------------------
void overread_text(const ReportLaunch *l);  // the first read behind an allocation
void check_text(const ReportLaunch *l);     // what --check found

#endif
