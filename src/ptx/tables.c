// tables.c: makes arrays of the .def files.
#include "ptx/ops.h"
#include "ptx/pass.h"

#include <string.h>

const TypeInfo type_info[TY_COUNT] = {
    [TY_NONE] = {"", K_OPAQUE, 0},
#define TYPE(id, text, kind, bits) [TY_##id] = {text, kind, bits},
#include "ptx/types.def"
#undef TYPE
};

const ModInfo mod_info[M_COUNT] = {
    [M_NONE] = {"", G_COUNT},
#define GROUP(id)
#define MOD(group, id, text) [M_##id] = {text, G_##group},
#include "ptx/mods.def"
#undef GROUP
#undef MOD
};

const SregInfo sreg_info[SR_COUNT] = {
#define SREG(id, text, type, lane, clock) [SR_##id] = {text, TY_##type, lane, clock},
#include "ptx/sregs.def"
#undef SREG
};

const OpInfo op_info[OP_COUNT] = {
#define OP(id, name, sig, types, types2, groups, properties, class, s32, s64, section, what) \
    [OP_##id] = {name, sig, types, types2, groups, properties, CLASS_##class, s32, s64, section, what},
#define NOOP(name, section, what, state, why)
#include "ptx/ops.def"
#undef OP
#undef NOOP
};

const OpMissing op_missing[] = {
#define OP(id, name, sig, types, types2, groups, properties, class, s32, s64, section, what)
#define NOOP(name, section, what, state, why) {name, section, what, OP_##state, why},
#include "ptx/ops.def"
#undef OP
#undef NOOP
};
const size_t op_missing_count = COUNT(op_missing);

const FormInfo form_info[FORMS] = {
#define FORM(id, op, parts, written, why) [FORM_##id] = {OP_##op, parts, written, why},
#include "ptx/forms.def"
#undef FORM
};

static bool has_part(const char *parts, const char *part, size_t length)
{
    for (size_t n; *parts; parts += n + strspn(parts + n, " ")) {
        n = strcspn(parts, " ");
        if (n == length && !memcmp(parts, part, n)) return true;
    }
    return false;
}

FormId form_of(Op op, const char *part, size_t length)
{
    for (int k = 0; k < FORMS; k++)
        if (form_info[k].op == op && has_part(form_info[k].parts, part, length)) return (FormId)k;
    return FORMS;
}

const char *const space_names[] = {"", "reg", "generic", "global", "const", "shared", "local", "param", "tex"};
