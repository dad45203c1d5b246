// system.c: the functions that device code calls and doesn't define: vprintf, malloc and free. In cycle mode what they do
// is deferred to the window's edge like an atomic; printf's text is made when it is issued, since its arguments are in
// the thread's own memory.
#include "exec/exec.h"

#include <string.h>

// The value of call argument a for lane n.
static uint64_t argument(const Warp *w, const CallArg *a, int n)
{
    uint64_t v = 0;
    for (uint32_t k = 0; k < a->words && k < 2; k++) {
        uint32_t word;
        const uint8_t *p = a->is_param ? w->l.bank[0] + (size_t)(a->here + k) * ROW_BYTES + 4 * n
                                       : (const uint8_t *)row(&w->l, a->value) + (size_t)n * 4 * a->words + 4 * k;
        memcpy(&word, p, 4);
        v |= (uint64_t)word << 32 * k;
    }
    return v;
}

static void give(uint8_t *frame, const CallArg *a, int n, uint64_t v)
{
    for (uint32_t k = 0; k < a->words && k < 2; k++) {
        uint32_t word = (uint32_t)(v >> 32 * k);
        uint8_t *p = a->is_param ? frame + (size_t)(a->here + k) * ROW_BYTES + 4 * n
                                 : frame + (a->value & ~(ROW_BYTES - 1)) + (size_t)n * 4 * a->words + 4 * k;
        memcpy(p, &word, 4);
    }
}

// One byte at a generic address of lane n, or −1 where there is none.
static int byte_at(const Env *env, const Warp *w, int n, uint64_t a)
{
    if (a >= LOCAL_WINDOW && a < CONST_WINDOW) {
        a -= LOCAL_WINDOW;
        return a < w->local_cap ? w->local[(a / 4 * LANES + (unsigned)n) * 4 + (a & 3)] : -1;
    }
    if (a >= CONST_WINDOW && a < PARAM_WINDOW) {
        a -= CONST_WINDOW;
        const Image *i = env->launch->kernel->image;
        return a < i->const_bytes ? i->constants[a] : -1;
    }
    if (a >= SHARED_WINDOW && a < LOCAL_WINDOW) return a - SHARED_WINDOW < w->cta->shared_bytes ? w->cta->shared[a - SHARED_WINDOW] : -1;
    uint8_t b;
    if (!gmem_find(env->gmem, a)) return -1;
    memcpy(&b, gmem_host(env->gmem, a), 1);
    if (env->log) log_patch(env->log, a, &b, 1);
    return b;
}

static uint64_t word_at(const Env *env, const Warp *w, int n, uint64_t a, int bytes)
{
    uint64_t v = 0;
    for (int k = 0; k < bytes; k++) v |= (uint64_t)(uint8_t)MAX(byte_at(env, w, n, a + (unsigned)k), 0) << 8 * k;
    return v;
}

// printf's conversions; arguments lie in order in a buffer, each aligned to its size (4 or 8 bytes; %f is a double).
static void format(const Env *env, const Warp *w, int n, uint64_t fmt, uint64_t args, Text *out)
{
    for (int c; (c = byte_at(env, w, n, fmt)) > 0; fmt++) {
        char ch = (char)c;
        if (ch != '%') {
            text_add(out, &ch, 1);
            continue;
        }
        char spec[40] = "%", conv = 0;
        size_t len = 1;
        bool wide = false;
        for (fmt++; (c = byte_at(env, w, n, fmt)) > 0 && len < sizeof spec - 4; fmt++) {
            if (c == '*') {
                args = (args + 3) & ~3ull;
                len += (size_t)snprintf(spec + len, sizeof spec - 4 - len, "%d", (int)word_at(env, w, n, args, 4));
                len = MIN(len, sizeof spec - 5);
                args += 4;
            } else if (strchr("-+ #0123456789.", c)) {
                spec[len++] = (char)c;
            } else if (c == 'l' || c == 'j' || c == 'z' || c == 't') {
                wide = true;
            } else if (c != 'h') {
                conv = (char)c;
                break;
            }
        }
        if (conv == '%') {
            text_put(out, "%");
        } else if (conv && strchr("diouxXc", conv)) {
            int bytes = wide ? 8 : 4;
            args = (args + (unsigned)bytes - 1) & ~((uint64_t)bytes - 1);
            uint64_t v = word_at(env, w, n, args, bytes);
            if ((conv == 'd' || conv == 'i') && !wide) v = (uint64_t)(int64_t)(int32_t)v;
            args += (unsigned)bytes;
            if (conv == 'c') {
                spec[len++] = 'c', spec[len] = 0;
                text_printf(out, spec, (int)v);
            } else {
                memcpy(spec + len, "ll", 2), spec[len + 2] = conv, spec[len + 3] = 0;
                text_printf(out, spec, (long long)v);
            }
        } else if (conv && strchr("fFeEgGaA", conv)) {
            args = (args + 7) & ~7ull;
            uint64_t v = word_at(env, w, n, args, 8);
            double d;
            memcpy(&d, &v, 8);
            args += 8;
            spec[len++] = conv, spec[len] = 0;
            text_printf(out, spec, d);
        } else if (conv == 'p' || conv == 's') {
            args = (args + 7) & ~7ull;
            uint64_t v = word_at(env, w, n, args, 8);
            args += 8;
            if (conv == 'p') text_printf(out, "0x%llx", (unsigned long long)v);
            else
                for (int k = 0; k < 65536 && (c = byte_at(env, w, n, v + (unsigned)k)) > 0; k++) ch = (char)c, text_add(out, &ch, 1);
        } else {
            text_add(out, spec, len);
            if (c <= 0) return;
            ch = (char)c;
            text_add(out, &ch, 1);
        }
    }
}

void exec_heap(Env *env, const Deferred *x)
{
    const CallSite *site = x->d->call;
    uint8_t *frame = x->warp->rows + x->base;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        if (x->d->kind == X_FREE) gmem_free(env->gmem, x->x[n]);
        else if (site->rets.n) give(frame, &site->rets.v[0], n, gmem_alloc(env->gmem, x->x[n], "device malloc", false));
    }
}

void exec_system(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    const CallSite *site = d->call;
    Deferred x = {.warp = w, .d = d, .cycle = env->clock, .mask = mask, .base = (uint32_t)(w->l.bank[0] - w->rows), .tracker = env->tracker};
    Text out = {0};
    for (uint32_t m = mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        if (d->kind == X_PRINTF) {
            if (site->args.n == 2) format(env, w, n, argument(w, &site->args.v[0], n), argument(w, &site->args.v[1], n), &out);
            if (site->rets.n) give(w->l.bank[0], &site->rets.v[0], n, 1);
        } else if (site->args.n) {
            x.x[n] = argument(w, &site->args.v[0], n);
        }
    }
    if (d->kind == X_PRINTF) {
        x.more = (uint8_t *)mem_text(out.v ? out.v : "");
        text_free(&out);
    }
    if (env->log) {
        log_defer(env->log, &x, 1);
        env->step.deferred = d->kind != X_PRINTF;
        return;
    }
    exec_deferred(env, &x);
    mem_free(x.more);
}
