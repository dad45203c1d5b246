// options.c: the options of nvvmCompileProgram, as its manual has them: -name, or -name=value. Of several with a name
// the last one counts.
#include "nvvm/unit.h"

#include <stdlib.h>
#include <string.h>

// Capabilities that LLVM 14 has, and after them those that its code runs on all the same.
static const uint32_t known[] = {20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86};
static const uint32_t later[] = {87, 89, 90, 100, 101, 103, 110, 120, 121};

static bool listed(const uint32_t *list, size_t n, uint32_t x)
{
    for (size_t k = 0; k < n; k++)
        if (list[k] == x) return true;
    return false;
}

static bool read_arch(const char *value, uint32_t *arch)
{
    char *end;
    if (strncmp(value, "compute_", 8) || value[8] < '0' || value[8] > '9') return false;
    const unsigned long n = strtoul(value + 8, &end, 10);
    if (*end || n > 999) return false;  // 90a has instructions that nothing here writes
    *arch = (uint32_t)n;
    return listed(known, COUNT(known), *arch) || listed(later, COUNT(later), *arch);
}

static bool read_switch(const char *value, bool *is)
{
    *is = *value == '1';
    return (*value == '0' || *value == '1') && !value[1];
}

static bool read_one(Options *o, const char *word)
{
    const char *equals = strchr(word, '=');
    if (!equals) {
        if (!strcmp(word, "-g")) return o->debug = true;
        return !strcmp(word, "-generate-line-info") && (o->lines = true);
    }
    const size_t n = (size_t)(equals - word);
    const char *value = equals + 1;
    const struct {
        const char *name;
        bool *is;
    } switches[] = {{"-ftz", &o->ftz}, {"-prec-div", &o->prec_div}, {"-prec-sqrt", &o->prec_sqrt}, {"-fma", &o->fma}};
    for (size_t k = 0; k < COUNT(switches); k++)
        if (strlen(switches[k].name) == n && !memcmp(switches[k].name, word, n))
            return read_switch(value, switches[k].is);
    if (n == 5 && !memcmp(word, "-arch", n)) return read_arch(value, &o->arch);
    if (n != 4 || memcmp(word, "-opt", n) || value[0] < '0' || value[0] > '3' || value[1]) return false;
    o->optimise = *value != '0';
    return true;
}

bool options_read(Options *o, int count, const char *const *words, Diag *diag)
{
    // The manual's defaults, and the oldest capability of CUDA 12.
    *o = (Options){.arch = 52, .optimise = true, .prec_div = true, .prec_sqrt = true, .fma = true};
    if (count < 0 || (count && !words)) return diag_error(diag, "libnvvm: error: %d options without a list", count);
    for (int k = 0; k < count; k++)
        if (!words[k] || !read_one(o, words[k]))
            return diag_error(diag, "libnvvm : error: %s is an unsupported option", words[k] ? words[k] : "null");
    return true;
}

uint32_t options_target(const Options *o)
{
    uint32_t target = known[0];
    for (size_t k = 0; k < COUNT(known); k++)
        if (known[k] <= o->arch) target = known[k];
    return target;
}
