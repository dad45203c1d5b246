// distance.c: how far the cells of a figure are from the paper's. Means can agree while their cells don't: one program
// gains too much, and another one too little. So means and other summaries don't count here.
#include "reproduce/reproduce.h"

#include <math.h>

bool reproduce_within(const Reproduction *r, const Point *p)
{
    if (r->gpu) return p->ours <= 1.5 * p->theirs && p->theirs <= 1.5 * p->ours;
    return fabs(p->ours - p->theirs) <= p->tolerance;
}

CellError reproduce_error(const Reproduction *r)
{
    CellError e = {0};
    double sum = 0, squares = 0, from_one = 0, most = -1;
    for (size_t k = 0; k < r->points.n; k++) {
        const Point *p = &r->points.v[k];
        double d = p->ours - p->theirs;
        if (p->summary || isnan(d)) continue;
        e.cells++, sum += d, squares += d * d, from_one += (p->theirs - 1) * (p->theirs - 1);
        if (fabs(d) > most) most = fabs(d), e.largest = p;
    }
    double n = (double)(e.cells ? e.cells : 1);
    e.mean = sum / n, e.rms = sqrt(squares / n), e.unmoved = sqrt(from_one / n);
    return e;
}
