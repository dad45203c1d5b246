// number.c: numbers with units.
//
// Reading is strict: the whole text must be the number, and a size must come out as a whole number of bytes. Units are
// the binary ones only, since "KB" means 1000 in one datasheet and 1024 in the next. Nothing depends on the locale.
#include "base/base.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static int hex_digit(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool parse_hex(const char *s, uint64_t *value)
{
    uint64_t x = 0;
    if (!*s) return false;
    for (; *s; s++) {
        int digit = hex_digit(*s);
        if (digit < 0 || x >> 60) return false;
        x = x << 4 | (uint64_t)digit;
    }
    *value = x;
    return true;
}

// The power of two that a unit stands for, or -1.
static int unit_shift(const char *s)
{
    const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    if (!*s) return 0;
    for (size_t i = 0; i < COUNT(units); i++)
        if (strcmp(s, units[i]) == 0) return (int)i * 10;
    return -1;
}

// size = "0x" hex | digits [ "." digits ] [ " " ] [ unit ]. Done in integers, so that it is exact: "0.1MiB", which is
// no whole number of bytes, is refused rather than rounded.
bool parse_size(const char *text, uint64_t *value)
{
    const char *s = text;
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) return parse_hex(s + 2, value);
    if (!is_digit(*s)) return false;
    uint64_t whole = 0, fraction = 0, scale = 1;
    for (; is_digit(*s); s++)
        if (__builtin_mul_overflow(whole, 10u, &whole) || __builtin_add_overflow(whole, (uint64_t)(*s - '0'), &whole))
            return false;
    if (*s == '.') {
        if (!is_digit(*++s)) return false;
        for (; is_digit(*s); s++) {
            // Beyond 2^-40 a digit other than 0 can't be part of a whole number of bytes; 18 digits fit.
            if (scale < 1000000000000000000u) {
                fraction = fraction * 10 + (uint64_t)(*s - '0');
                scale *= 10;
            } else if (*s != '0') {
                return false;
            }
        }
    }
    if (*s == ' ') {
        if (!*++s) return false;
    }
    int shift = unit_shift(s);
    if (shift < 0 || (shift && whole >> (64 - shift))) return false;
    // fraction · 2^shift / scale, with scale = 10^k: a factor of two at a time keeps it in 64 bits.
    uint64_t part = 0;
    for (int i = 0; i < shift; i++) {
        fraction *= 2;
        part = part * 2 + (fraction >= scale);
        if (fraction >= scale) fraction -= scale;
    }
    if (fraction) return false;
    return !__builtin_add_overflow(whole << shift, part, value);
}

// strtod takes more than we want: leading space, "nan(…)" and, elsewhere than in the C locale, a comma.
static bool read_double(const char *text, bool word, double *value)
{
    const char *digits = text + (*text == '-' || *text == '+');
    if (!word && !is_digit(*digits) && !(*digits == '.' && is_digit(digits[1]))) return false;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) return false;
    char *end;
    double x = strtod_l(text, &end, c);
    freelocale(c);
    if (*end || (!word && !isfinite(x))) return false;
    *value = x;
    return true;
}

bool parse_double(const char *text, double *value)
{
    if (!read_double(text, false, value)) return false;
    if (*value == 0) *value = 0;  // no sign: −0 and 0 are one setting
    return true;
}

bool parse_float(const char *text, double *value)
{
    const char *digits = text + (*text == '-' || *text == '+');
    return read_double(text, !strcmp(digits, "inf") || !strcmp(digits, "nan"), value);
}

bool list_word(const char **list, char item[64])
{
    const char *s = *list + strspn(*list, " ,");
    size_t n = strcspn(s, " ,");
    if (!*s || n >= 64) return false;
    memcpy(item, s, n);
    item[n] = 0;
    *list = s + n + strspn(s + n, " ,");
    return true;
}

// Three digits that mean something, without zeros behind the point: 1.23, 12.3, 123, 1023.
static void format_scaled(char out[32], double value, double step, const char *const *units, size_t n)
{
    if (!isfinite(value)) {
        snprintf(out, 32, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    const char *sign = value < 0 ? "-" : "";
    double x = fabs(value);
    size_t unit = 0;
    // Compared as it will be printed: 999,999 is 1 M, not 1000 k.
    while (unit + 1 < n && (x >= 100 ? round(x) : x) >= step) {
        x /= step;
        unit++;
    }
    Text text = {0};
    if (x >= 1e15)
        text_printf(&text, "%.3g", x);
    else
        text_printf(&text, "%.*f", x < 9.995 ? 2 : x < 99.95 ? 1 : 0, x);
    if (strchr(text.v, '.')) {
        while (text.v[text.n - 1] == '0') text.v[--text.n] = 0;
        if (text.v[text.n - 1] == '.') text.v[--text.n] = 0;
    }
    if (strcmp(text.v, "0") == 0) sign = "";
    snprintf(out, 32, "%s%.20s%s%s", sign, text.v, *units[unit] ? " " : "", units[unit]);
    text_free(&text);
}

void format_count(char out[32], double value)
{
    const char *const units[] = {"", "k", "M", "G", "T", "P"};
    format_scaled(out, value, 1000, units, COUNT(units));
}

void format_bytes(char out[32], double bytes)
{
    const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    format_scaled(out, bytes, 1024, units, COUNT(units));
}

void format_energy(char out[32], double fj)
{
    const char *const units[] = {"fJ", "pJ", "nJ", "µJ", "mJ", "J", "kJ"};
    format_scaled(out, fj, 1000, units, COUNT(units));
}

static Unit largest_unit(const Unit units[4], double value)
{
    size_t u = 0;
    while (u < 3 && value * units[u].per < 1) u++;
    return units[u];
}

Unit time_unit(double seconds)
{
    return largest_unit((const Unit[]){{"s", 1}, {"ms", 1e3}, {"µs", 1e6}, {"ns", 1e9}}, seconds);
}

Unit byte_unit(double bytes)
{
    return largest_unit((const Unit[]){{"GB", 1e-9}, {"MB", 1e-6}, {"kB", 1e-3}, {"bytes", 1}}, bytes);
}
