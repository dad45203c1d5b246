// matrix.c: the registers that an instruction about matrices (PTX ISA §9.7.14) has for a lane's part of each.
#include "ptx/ptx.h"

Fragment ptx_fragment(const Inst *i, int n)
{
    (void)n;
    return (Fragment){i->mod[G_NUM] == M_X4 ? 4 : i->mod[G_NUM] == M_X2 ? 2 : 1, TY_B32};
}
