// banks.c: how many passes a shared-memory access takes. A bank gives one row of `width` bytes a pass; consecutive
// `mode` bytes lie in consecutive banks. With 8-byte banks in 4-byte mode, words w and w + banks lie in the same row
// (Kepler: strides 2, 4 and 6 take 1, 2 and 2 passes; in 8-byte mode 1, 2 and 1; mei §V-C). Lanes are served together;
// accesses wider than the lanes' share of a pass (8 or 16 bytes) are split into half and quarter warps.
#include "mem/mem.h"

#include <string.h>

static uint32_t passes_of(const BankCfg *cfg, const uint64_t *addr, uint32_t lanes, uint32_t bytes)
{
    uint64_t row[64][32];
    uint8_t rows[64] = {0};
    uint32_t most = 1, group = cfg->width / cfg->mode;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t a = addr[__builtin_ctz(lanes)];
        for (uint64_t w = a / cfg->mode; w <= (a + bytes - 1) / cfg->mode; w++) {
            uint32_t bank = (uint32_t)(w % cfg->banks), k = 0;
            uint64_t r = w / cfg->banks / group;
            while (k < rows[bank] && row[bank][k] != r) k++;
            if (k < rows[bank] || k == 32) continue;
            row[bank][rows[bank]++] = r;
            if (rows[bank] > most) most = rows[bank];
        }
    }
    return most;
}

void bank_lay_out(const BankCfg *cfg, const uint64_t *addr, uint32_t lanes, uint64_t *laid)
{
    const uint64_t all = cfg->banks * cfg->mode, row = cfg->pad_row ? cfg->pad_row : all;
    const uint64_t by = cfg->pad_by ? cfg->pad_by : cfg->mode;
    for (; lanes; lanes &= lanes - 1) {
        const int k = __builtin_ctz(lanes);
        laid[k] = cfg->pad ? addr[k] + addr[k] / row * by : addr[k];
        if (cfg->swizzle) laid[k] ^= laid[k] / all * cfg->swizzle % all;
    }
}

bool banks_free_of_runs(const uint64_t *addr, uint32_t run, uint32_t stride)
{
    uint32_t length = stride ? run : 1, used = 0;
    uint64_t differ = 0;
    bool apart = true;  // no bank serves two runs, unless they are the same
    for (uint32_t g = 0; g < 32; g += run) {
        uint64_t w = addr[g] / 4, banks = ((1ull << length) - 1) << (w & 31);
        uint32_t mask = (uint32_t)(banks | banks >> 32), same = 0;
        differ |= (w ^ addr[0] / 4) | ((w + length - 1) ^ addr[0] / 4);
        while (addr[same] != addr[g]) same += run;
        if (same < g) continue;
        apart &= !(used & mask);
        used |= mask;
    }
    return apart || differ < 32;  // or all in one row
}

// Every g-th of the words that a row of all banks has room for is touched. So lanes share banks as far as g is a
// multiple of a power of two.
uint32_t bank_passes_of_run(uint32_t stride, uint32_t bytes)
{
    const uint32_t g = stride / bytes, room = 128 / bytes;
    return (g ? MIN(g & -g, room) : 1) * (bytes / 4);
}

// The same of lanes' words of 8 or 16 bytes, of which each has 2 or 4 of 32 banks to itself. False, too: one lies
// athwart.
static bool wide_ones_free(const uint64_t *addr, uint32_t lanes, uint32_t bytes)
{
    uint64_t row[16];
    uint32_t seen = 0;
    for (; lanes; lanes &= lanes - 1) {
        const uint64_t a = addr[__builtin_ctz(lanes)];
        const uint32_t banks = (uint32_t)(a % 128 / bytes);
        if (a % bytes || (seen >> banks & 1 && row[banks] != a / 128)) return false;
        row[banks] = a / 128, seen |= 1u << banks;
    }
    return true;
}

uint32_t bank_passes(const BankCfg *cfg, const uint64_t *addr, uint32_t lanes, uint32_t bytes)
{
    // No two lanes on different rows of a bank: one pass. Most accesses are such, and this finds it out quickly.
    if (bytes == 4 && cfg->mode == 4 && cfg->width == 4 && cfg->banks == 32) {
        uint64_t row[32], first = addr[__builtin_ctz(lanes)], differ = 0;
        for (uint32_t m = lanes; m; m &= m - 1) differ |= addr[__builtin_ctz(m)] ^ first;
        if (differ < 128) return 1;  // all in one row
        uint32_t seen = 0;
        bool clean = true;
        for (uint32_t m = lanes; m; m &= m - 1) {
            uint64_t w = addr[__builtin_ctz(m)] / 4;
            uint32_t bank = w & 31;
            if (!(seen >> bank & 1))
                row[bank] = w, seen |= 1u << bank;
            else
                clean &= row[bank] == w;
        }
        if (clean) return 1;
    }
    const bool wide = (bytes == 8 || bytes == 16) && cfg->mode == 4 && cfg->width == 4 && cfg->banks == 32;
    uint32_t per = MAX(cfg->width, 4u), parts = bytes > per ? bytes / per : 1, sum = 0, size = 32 / parts;
    for (uint32_t p = 0; p < parts; p++) {
        uint32_t part = lanes & (size == 32 ? ~0u : ((1u << size) - 1) << p * size);
        if (part) sum += wide && wide_ones_free(addr, part, bytes) ? 1 : passes_of(cfg, addr, part, bytes);
    }
    return sum;
}

uint32_t cluster_passes(const uint64_t *addr, uint32_t lanes, uint32_t bytes, bool scatters, uint8_t *rows)
{
    uint64_t row[CLUSTERS][64], word[CLUSTERS][128];  // distinct ones; a lane has 16 bytes at most, in two rows
    uint32_t n[CLUSTERS] = {0}, words[CLUSTERS] = {0}, most = 1;
    memset(rows, 0, CLUSTER_BANKS);
    for (; lanes; lanes &= lanes - 1) {
        uint64_t from = addr[__builtin_ctz(lanes)];
        for (uint64_t w = from / 4; w <= (from + bytes - 1) / 4; w++) {
            uint32_t c = w / 4 % CLUSTERS, k = 0;
            while (k < words[c] && word[c][k] != w) k++;
            if (k < words[c]) continue;
            word[c][words[c]++] = w;
            for (k = 0; k < n[c] && row[c][k] != w / 4;) k++;
            if (k < n[c]) continue;
            row[c][n[c]++] = w / 4;
            rows[c * CLUSTER_WAYS + w / 32 % CLUSTER_WAYS]++;
        }
    }
    for (uint32_t c = 0; c < CLUSTERS; c++) most = MAX(most, scatters ? (words[c] + 3) / 4 : n[c]);
    for (uint32_t k = 0; k < CLUSTER_BANKS; k++) most = MAX(most, rows[k]);
    return most;
}

uint32_t bank_words(const uint64_t *addr, uint32_t lanes, uint32_t bytes, uint32_t width)
{
    uint64_t seen[32 * 9], most = 0;  // a lane has 32 bytes at most, which may lie athwart
    uint32_t n = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t from = addr[__builtin_ctz(lanes)];
        for (uint64_t w = from / width; w <= (from + bytes - 1) / width; w++) {
            uint32_t k = 0;
            if (n && w <= most)
                while (k < n && seen[k] != w) k++;
            else
                k = n, most = w;
            if (k == n) seen[n++] = w;
        }
    }
    return n;
}

uint32_t bank_passes_atomic(const BankCfg *cfg, const uint64_t *addr, uint32_t lanes)
{
    uint8_t lanes_of[64] = {0}, most = 1;
    for (; lanes; lanes &= lanes - 1) {
        uint8_t n = ++lanes_of[addr[__builtin_ctz(lanes)] / cfg->mode % cfg->banks];
        most = MAX(most, n);
    }
    return most;
}
