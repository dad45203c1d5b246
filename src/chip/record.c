// record.c: the end of a launch's record.
#include "chip/chip.h"

void record_free(Record *r)
{
    mem_free(r->kernel);
    mem_free(r->undefined);
    for (int k = 0; k < MAX_STRUCTURES; k++) mem_free(r->structure_name[k]);
    mem_free(r->inst);
    vec_free(&r->samples);
    *r = (Record){0};
}
