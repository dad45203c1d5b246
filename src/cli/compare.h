// compare.h: onchip compare: what it reads (compare_input.c), and what it says (compare_text.c, compare_json.c).
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "cli/unit.h"
#include "compare/compare.h"

// --- compare_input.c -------------------------------------------------------------------------------------------------
typedef struct Input {
    const char *db;    // the store of runs that are named by their keys; null: the user's
    TextList options;  // of commands, in front of their own words
} Input;
// Reads what v->input names. Returns an exit code; EXIT_OK: v is filled.
int input_read(const Input *in, Version *v, Diag *diag);

// --- compare_text.c, compare_json.c ----------------------------------------------------------------------------------
void compare_text(const Changes *c, const Gate *g, const GateFailures *failures);
void compare_words(const Changes *c);  // the same without a head, and without what failed
// The rows of what failed; and that nothing did. run: of several pairs, which one it is; null: there is one.
void compare_failures(const GateFailures *failures, const char *run);
void compare_passed(void);
void json_failures(const GateFailures *failures, const char *program, const char *run, Json *j);
void compare_json(const Changes *c, const Gate *g, const GateFailures *failures);

#endif
