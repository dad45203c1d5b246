// ops.h: the names of operations, OP_…, apart from tables.h: a row more in ops.def makes those files anew that name
// some.
#ifndef PTX_OPS_H
#define PTX_OPS_H

enum {
#define OP(id, name, sig, types, types2, groups, properties, class, s32, s64, section, what) OP_##id,
#define NOOP(name, section, what, state, why)
#include "ptx/ops.def"
#undef OP
#undef NOOP
    OP_COUNT
};

#endif
