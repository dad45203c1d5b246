// system.c: the functions that device code calls and doesn't define: vprintf, malloc, free and assert's. In cycle mode
// what they do is deferred to the window's edge like an atomic; printf's text is made when it is issued, since its
// arguments are in the thread's own memory.
#include "exec/unit.h"

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
    for (uint32_t k = 0; k < a->words && k < 2 && !a->dropped; k++) {
        uint32_t word = (uint32_t)(v >> 32 * k);
        uint8_t *p = a->is_param ? frame + (size_t)(a->here + k) * ROW_BYTES + 4 * n
                                 : frame + (a->value & ~(ROW_BYTES - 1)) + (size_t)n * 4 * a->words + 4 * k;
        memcpy(p, &word, 4);
    }
}

// One byte at a generic address of lane n, or −1 where there is none.
static int byte_at(const Env *env, const Warp *w, int n, uint64_t a)
{
    if (a >= LOCAL_WINDOW && a - LOCAL_WINDOW < WINDOW_BYTES) {
        a -= LOCAL_WINDOW;
        return a < w->local_cap ? w->local[(a / 4 * LANES + (unsigned)n) * 4 + (a & 3)] : -1;
    }
    if (a >= SHARED_WINDOW && a < LOCAL_WINDOW)
        return a - SHARED_WINDOW < w->cta->shared_bytes ? w->cta->shared[a - SHARED_WINDOW] : -1;
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

static void add_string(const Env *env, const Warp *w, int n, uint64_t a, Text *out)
{
    int c;
    for (int k = 0; k < 65536 && (c = byte_at(env, w, n, a + (unsigned)k)) > 0; k++) {
        char ch = (char)c;
        text_add(out, &ch, 1);
    }
}

// One conversion as the host's printf knows it, "%08.3f" without its size and letter, and what it takes.
typedef struct Conversion {
    char spec[32], letter;  // letter 0: malformed
    uint32_t length, digits;
    int size;  // bytes of an integer
} Conversion;

static void add_spec(Conversion *v, char c)
{
    bool digit = c >= '0' && c <= '9';
    v->digits = digit ? v->digits + 1 : 0;
    if (v->digits > 4 || v->length > sizeof v->spec - 5) return;  // a width of 9999 is wide enough
    v->spec[v->length++] = c;
}

// Reads the conversion behind the '%' at fmt; returns the address of its last character.
static uint64_t read_conversion(const Env *env, const Warp *w, int n, uint64_t fmt, uint64_t *args, uint32_t *taken,
                                Conversion *v)
{
    int c;
    *v = (Conversion){.spec = "%", .length = 1, .size = 4};
    while ((c = byte_at(env, w, n, ++fmt)) > 0) {
        if (c == '*') {
            char number[16];
            *args = (*args + 3) & ~3ull;
            snprintf(number, sizeof number, "%d", (int)word_at(env, w, n, *args, 4));
            for (char *p = number; *p; p++) add_spec(v, *p);
            *args += 4;
            ++*taken;
        } else if (strchr("-+ #0123456789.", c)) {
            add_spec(v, (char)c);
        } else if (c == 'l' || c == 'j' || c == 'z' || c == 't') {
            v->size = 8;
        } else if (c == 'h') {
            v->size = v->size == 2 ? 1 : 2;
        } else {
            v->letter = (char)c;
            return fmt;
        }
    }
    return fmt - 1;
}

// printf's conversions (CUDA programming guide, "Formatted output"); arguments lie in order in a buffer, each aligned
// to its size of 4 or 8 bytes, a float as a double. Returns how many there were.
static uint32_t format(const Env *env, const Warp *w, int n, uint64_t fmt, uint64_t args, Text *out)
{
    uint32_t taken = 0;
    for (int c; (c = byte_at(env, w, n, fmt)) > 0; fmt++) {
        char ch = (char)c;
        if (ch != '%') {
            text_add(out, &ch, 1);
            continue;
        }
        Conversion v;
        fmt = read_conversion(env, w, n, fmt, &args, &taken, &v);
        if (v.letter == '%') {
            text_put(out, "%");
            continue;
        }
        if (!v.letter || !strchr("diouxXcfFeEgGaAps", v.letter)) {
            text_add(out, v.spec, v.length);
            if (v.letter) text_add(out, &v.letter, 1);
            continue;
        }
        bool integer = strchr("diouxXc", v.letter);
        uint64_t bytes = integer && v.size < 8 ? 4 : 8;
        args = (args + bytes - 1) & ~(bytes - 1);
        uint64_t x = word_at(env, w, n, args, (int)bytes);
        args += bytes;
        taken++;
        char *end = v.spec + v.length;
        if (v.letter == 'p') {
            text_printf(out, "0x%llx", (unsigned long long)x);
        } else if (v.letter == 's') {
            Text s = {0};
            add_string(env, w, n, x, &s);
            memcpy(end, "s", 2);
            text_printf(out, v.spec, s.v ? s.v : "");
            text_free(&s);
        } else if (v.letter == 'c') {
            memcpy(end, "c", 2);
            text_printf(out, v.spec, (int)x);
        } else if (integer) {
            int drop = 64 - 8 * v.size;
            x = v.letter == 'd' || v.letter == 'i' ? (uint64_t)((int64_t)(x << drop) >> drop) : x << drop >> drop;
            memcpy(end, "ll", 2), end[2] = v.letter, end[3] = 0;
            text_printf(out, v.spec, (long long)x);
        } else {
            double d;
            memcpy(&d, &x, 8);
            end[0] = v.letter, end[1] = 0;
            text_printf(out, v.spec, d);
        }
    }
    return taken;
}

// trap, and the function that assert calls: message, file, line, function, …
void exec_trap(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    int n = __builtin_ctz(mask);
    const CallSite *site = d->call;
    const bool asserted = site && site->args.n >= 4;
    exec_fault(env, w, asserted ? FAULT_ASSERT : FAULT_TRAP, (uint32_t)n, 0, 0, false);
    if (!asserted) return;
    Text t = {0};
    add_string(env, w, n, argument(w, &site->args.v[1], n), &t);
    text_printf(&t, ":%u: ", (uint32_t)argument(w, &site->args.v[2], n));
    add_string(env, w, n, argument(w, &site->args.v[3], n), &t);
    text_put(&t, ": assertion '");
    add_string(env, w, n, argument(w, &site->args.v[0], n), &t);
    text_put(&t, "' failed");
    snprintf(env->fault.note, sizeof env->fault.note, "%s", t.v);
    text_free(&t);
}

static const char device_heap[] = "device malloc";  // the label of what malloc gives

// A fault of malloc or free. The warp may have gone on since it called.
static void heap_fault(Env *env, const Deferred *x, FaultKind kind, int n)
{
    exec_fault(env, x->warp, kind, (uint32_t)n, x->x[n], 0, false);
    for (size_t c = 0; c < env->launch->kernel->codes.n; c++) {
        Code *code = env->launch->kernel->codes.v[c];
        if (x->d >= code->insts && x->d <= code->insts + code->n) env->fault.code = code, env->fault.pc = x->d->index;
    }
}

void exec_heap(Env *env, const Deferred *x)
{
    const CallSite *site = x->d->call;
    uint8_t *frame = x->warp->rows + x->base;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        if (x->d->kind == X_MALLOC) {
            uint64_t at = gmem_alloc(env->gmem, x->x[n], device_heap, false);
            if (!at && env->gmem->host_full) heap_fault(env, x, FAULT_HOST, n);
            if (site->rets.n) give(frame, &site->rets.v[0], n, at);
            if (env->check && at) check_written(env->check, at, x->x[n], false);
            continue;
        }
        const Allocation *a = gmem_find(env->gmem, x->x[n]);
        if (x->x[n] && !(a && a->label == device_heap && gmem_free(env->gmem, x->x[n])))
            heap_fault(env, x, FAULT_FREE, n);
        memset(env->near, 0, sizeof env->near);
    }
}

void exec_system(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    const CallSite *site = d->call;
    Deferred x = deferred_begin(env, w, d, mask);
    Text out = {0};
    for (uint32_t m = mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        if (d->kind == X_PRINTF) {
            uint32_t taken = 0;
            if (site->args.n == 2)
                taken = format(env, w, n, argument(w, &site->args.v[0], n), argument(w, &site->args.v[1], n), &out);
            if (site->rets.n) give(w->l.bank[0], &site->rets.v[0], n, taken);
        } else if (site->args.n) {
            x.x[n] = argument(w, &site->args.v[0], n);
        }
    }
    if (d->kind == X_PRINTF) {
        x.more = (uint8_t *)mem_text(out.v ? out.v : "");
        text_free(&out);
    }
    env->changed = env->clock;
    if (env->log) {
        log_defer(env->log, &x, 1);
        env->step.deferred = d->kind != X_PRINTF;
        return;
    }
    exec_deferred(env, &x);
    mem_free(x.more);
}
