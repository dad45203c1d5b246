// unit.h: what the files of figure ask of each other. What other parts call stands in figure.h.
#ifndef FIGURE_UNIT_H
#define FIGURE_UNIT_H

#include "figure/figure.h"

// --- figure.c: a figure as numbers -----------------------------------------------------------------------------------
// Adds a last point: each series' geometric mean over the points at which every series has a positive value. Returns
// how many points these are.
size_t figure_means(Figure *f);
bool figure_ranged(const FigureSeries *s);    // some value has a low or a high
void figure_csv(const Figure *f, Text *out);  // RFC 4180

// --- plot.c: figures drawn by gnuplot --------------------------------------------------------------------------------
void figure_script(const Figure *f, Text *out);  // the script makes NAME.svg from NAME.csv, in the folder it is run in
bool figure_plotted(const Figure *f);            // whether gnuplot draws it; chart.c and match.c draw the others

#endif
