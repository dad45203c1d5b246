// What a CUDA program asks of onchip, call by call: the bytes say which question comes next and with what numbers,
// among them those that earlier answers gave, sizes and addresses at the edges, and texts of the right or of any
// length. A program may ask anything in any order. Whatever it asks, the answer is an error of CUDA's or what was asked
// for.
#include "serve/unit.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CALLS = 80, GIVEN = 16, TEXT_MOST = 600 };
typedef struct Input {
    const uint8_t *at, *end;
    uint64_t given[GIVEN];  // what earlier answers gave
    size_t n;
} Input;

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 there[16];\n.visible .global .texref image;\n"
    ".visible .entry none() { ret; }\n"
    ".visible .entry two(.param .u64 a, .param .u32 b) { .reg .b64 %d; .reg .b32 %r; .reg .pred %p;\n"
    "ld.param.u64 %d, [a]; ld.param.u32 %r, [b]; L: st.global.u32 [%d], %r; add.u32 %r, %r, 1;\n"
    "setp.lt.u32 %p, %r, 9; @%p bra L; bar.sync 0; ret; }\n"
    ".visible .entry stops() { trap; }\n";

static uint8_t byte(Input *in) { return in->at < in->end ? *in->at++ : 0; }

static uint64_t number(Input *in)
{
    static const uint64_t edges[] = {0,          1ull << 7,  1ull << 8,  1ull << 16, 1ull << 20, 1ull << 31,
                                     1ull << 32, 1ull << 40, 1ull << 62, 1ull << 63, WIRE_TEXT};
    const uint8_t kind = byte(in);
    if (kind < 64) return kind % 8;
    if (kind < 160) return in->n ? in->given[kind % MIN(in->n, (size_t)GIVEN)] : 0;
    if (kind < 192) return (in->n ? in->given[kind % MIN(in->n, (size_t)GIVEN)] : 0) + number(in);
    if (kind < 224) return (uint64_t)byte(in) << 8 | byte(in);
    return edges[kind % COUNT(edges)] + byte(in) % 9 - 4;
}

static void put(Text *t, const void *of, size_t bytes) { text_add(t, of, bytes); }

// A texture whose fields are mostly possible.
static void put_texture(Input *in, Text *t)
{
    WireTexture w = {.width = byte(in) % 40, .height = byte(in) % 20, .depth = byte(in) % 4, .layers = byte(in) % 3};
    w.first = (WireLevel){number(in), number(in), number(in)};
    w.levels = 1 + byte(in) % 3, w.channels = 1u << byte(in) % 4, w.bits = 8u << byte(in) % 4, w.kind = byte(in) % 4;
    for (int k = 0; k < 3; k++) w.address[k] = byte(in) % 5;
    w.cube = byte(in) % 2, w.linear = byte(in) % 2, w.normalized = byte(in) % 2, w.unit = byte(in) % 2;
    w.srgb = byte(in) % 2, w.linear_levels = byte(in) % 2, w.bias = (float)number(in);
    const char *const names[] = {"image", "there", "", "none"};
    const char *name = names[byte(in) % 4];
    w.name = (uint32_t)strlen(name) + byte(in) / 250;
    put(t, &w, sizeof w);
    for (uint32_t k = 1; k < w.levels; k++) {
        const WireLevel l = {number(in), number(in), number(in)};
        put(t, &l, sizeof l);
    }
    text_put(t, name);
}

static void put_launch(Input *in, Text *t)
{
    WireLaunch l = {{1, 1, 1}, {1, 1, 1}, 0, byte(in) % 2, {0, 0, 0}, 0};
    for (int k = 0; k < 3; k++) l.grid[k] = byte(in) < 200 ? 1u + byte(in) % 3 : (uint32_t)number(in);
    for (int k = 0; k < 3; k++) l.block[k] = byte(in) < 200 ? 1u + byte(in) % 8 : (uint32_t)number(in);
    for (int k = 0; k < 3; k++) l.cluster[k] = byte(in) < 200 ? 0u : (uint32_t)number(in);
    l.large = l.cooperative;
    if (byte(in) > 200) l.shared = (uint32_t)number(in);
    const uint64_t a = number(in);
    put(t, &l, sizeof l), put(t, &a, sizeof a), put(t, &a, sizeof(uint32_t));
}

static void put_text(Input *in, uint32_t ask, Text *t)
{
    static const char *const names[] = {"none", "two", "stops", "there", "image", "nowhere", ""};
    const uint8_t kind = byte(in);
    if (kind < 16) {  // any bytes
        const size_t most = byte(in), left = (size_t)(in->end - in->at), n = MIN(left, most);
        put(t, in->at, n);
        in->at += n;
    } else if (ask == ASK_LOAD) {
        put(t, ptx, sizeof ptx - 1);
        if (kind > 200) t->v[number(in) % t->n] = (char)byte(in);
    } else if (ask == ASK_LAUNCH || ask == ASK_CLUSTERS) {
        put_launch(in, t);
    } else if (ask == ASK_TEXTURE || ask == ASK_SURFACE || ask == ASK_REFERENCE) {
        put_texture(in, t);
    } else if (ask == ASK_WRITE || ask == ASK_ALLOC) {
        for (size_t k = 0; k < kind; k++) text_add(t, (const char *)&kind, 1);
    } else {
        text_put(t, names[kind % COUNT(names)]);
    }
    if (kind > 240 && t->n) t->n -= MIN(t->n, (size_t)(kind - 240));  // cut short
}

static void tell(void *user, const char *line) { (void)user, assert(*line); }
static void keep_text(void *user, const char *text, size_t length) { text_add(user, text, length); }
static void name_it(void *user, const char *calls, bool (*taken)(const void *of, const char *name), const void *of,
                    Text *name)
{
    (void)user;
    if (!taken(of, calls)) text_put(name, calls);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Input in = {data, data + size, {0}, 0};
    Text printed = {0};
    const uint8_t kind = byte(&in);
    const oc_config config = {
        .gpu = kind & 1 ? "h200" : "titan_v",
        .functional = !(kind & 2),
        .max_cycles = kind & 2 ? 3000 : 20000,
        .cap = 20000,
        .sets = (const char *const[]){"gpu.memory=4MiB", kind & 1 ? "gpu.slice=4" : "gpu.slice=8", NULL},
        .print = keep_text,
        .user = &printed};
    oc_device *d;
    char message[300];
    if (oc_open(&config, &d, message, sizeof message) != OC_OK) assert(!message[0]);
    const ServeOptions o = {.keep = 8, .tell = tell, .site = name_it};
    Served served = {0};
    Serving s = {.device = d, .o = &o, .served = &served, .printed = &printed};
    for (int k = 0; k < 2; k++) {
        Guest *g = mem_alloc(sizeof *g);
        g->socket = -1;
        vec_push(&s.guests, g);
    }
    for (int k = 0; k < CALLS && in.at < in.end; k++) {
        const uint8_t which = byte(&in);
        WireCall c = {.ask = which % (ASKS + 1)};
        s.guest = s.guests.v[which >= ASKS + 1 && which % 2];
        WireAnswer a = {0};
        Text out = {0};
        c.a = number(&in), c.b = number(&in), c.c = number(&in), c.d = number(&in);
        c.flags = c.d >> 32 & (WIRE_WAITS | WIRE_MORE | WIRE_GIVES_UP);
        s.text.n = 0;
        put_text(&in, c.ask, &s.text);
        // As serve_call has it: a text ends with a null byte.
        if (s.text.v) s.text.v[s.text.n] = '\0';
        a.error = answer(&s, &c, &a, &out);
        assert((a.error >= 0 && a.error < 1000) || (a.error == WIRE_HELD && s.guest->held));
        if (!a.error) in.given[in.n++ % GIVEN] = a.a;
        text_free(&out);
    }
    for (int k = 0; k < 2; k++) {
        s.guest = s.guests.v[k];
        queue_run(&s);
        guest_free(s.guest);
    }
    vec_free(&s.guests);
    answers_free(&s);
    oc_close(d);
    text_free(&printed);
    return 0;
}
