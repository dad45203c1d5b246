// advise.h: what cmd_advise.c, which says its advice, and page_advise.c, which makes a page of it, share.
#ifndef CLI_ADVISE_H
#define CLI_ADVISE_H

#include "advise/advise.h"
#include "cli/unit.h"

// --- cmd_advise.c ----------------------------------------------------------------------------------------------------
void explain_trial(const StoredRun *base, const StoredRun *run, Text *out);  // why a trial takes another time

// --- page_advise.c ---------------------------------------------------------------------------------------------------
// Writes the page. command: what shows the best change. False: a figure can't be drawn, or the file can't be written.
bool advice_page(const Advice *a, const char *command, const char *file, Diag *diag);

#endif
