#include "bench.h"

#include <stdlib.h>
#include <string.h>

void bench_open_config(Bench *b, oc_config config, const char *gpu, const char *sets)
{
    const char *list[64] = {0};
    char copy[2048] = "", message[2048] = "";
    size_t n = 0;
    *b = (Bench){0};
    if (sets) snprintf(copy, sizeof copy, "%s", sets);
    for (char *save, *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) list[n++] = word;
    if (!strstr(copy, "icache.")) list[n++] = "icache.size=0";  // what is run once here isn't what is timed
    config.gpu = gpu;
    config.sets = list;
    if (oc_open(&config, &b->d, message, sizeof message) != OC_OK)
        fail_msg("%s %s: %s", gpu, sets ? sets : "", message);
    b->gpu = device_gpu(b->d);
    assert_int_equal(oc_malloc(b->d, 65536, "out", &b->out), OC_OK);
}

void bench_open(Bench *b, const char *gpu, const char *sets) { bench_open_config(b, (oc_config){0}, gpu, sets); }

void bench_close(Bench *b)
{
    oc_close(b->d);
    *b = (Bench){0};
}

void bench_data(Bench *b, const void *data, size_t bytes)
{
    if (b->data) oc_free(b->d, b->data);
    b->data_bytes = bytes;
    if (oc_malloc(b->d, bytes, "data", &b->data) != OC_OK) fail_msg("%s", oc_error(b->d));
    if (data) assert_int_equal(oc_write(b->d, b->data, data, bytes, NULL), OC_OK);
}

void bench_read(Bench *b, void *to, size_t bytes) { assert_int_equal(oc_read(b->d, to, b->out, bytes, NULL), OC_OK); }

oc_kernel *bench_load(Bench *b, const char *body, const char *target)
{
    return bench_load_bounded(b, body, target, "");
}

oc_kernel *bench_load_bounded(Bench *b, const char *body, const char *target, const char *bounds)
{
    Text t = {0};
    oc_module *m;
    oc_kernel *k;
    const char *mark = strstr(body, "---\n");  // before it: variables of the module
    text_printf(&t, ".version %s\n.target %s\n.address_size 64\n.extern .shared .align 16 .b8 smem[];\n",
                strcmp(target, "sm_90a") ? "7.1" : "8.4", target);
    if (mark) text_add(&t, body, (size_t)(mark - body));
    text_printf(&t, ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n%s\n{\n", bounds);
    text_put(&t, ".reg .b64 %out, %in, %rd<64>;\n.reg .b32 %n, %t, %g, %r<64>;\n.reg .f32 %f<64>;\n.reg .f64 "
                 "%d<32>;\n.reg .pred %p<8>;\n"
                 "ld.param.u64 %out, [out];\nld.param.u64 %in, [in];\nld.param.u32 %n, [n];\nmov.u32 %t, %tid.x;\n"
                 "mov.u32 %r62, %ntid.x;\nmov.u32 %r63, %ctaid.x;\nmad.lo.u32 %g, %r62, %r63, %t;\n");
    text_put(&t, mark ? mark + 4 : body);
    text_put(&t, "\nret;\n}\n");
    if (oc_load(b->d, t.v, t.n, "bench.ptx", &m) != OC_OK) fail_msg("%s", oc_error(b->d));
    assert_int_equal(oc_kernel_get(m, "k", &k), OC_OK);
    text_free(&t);
    return k;
}

const Record *bench_launch(Bench *b, oc_kernel *k, Shape s, uint32_t n)
{
    const void *args[] = {&b->out, &b->data, &n};
    if (!b->data) b->data = b->out;
    oc_dim3 grid = {s.grid ? s.grid : 1, 1, 1}, block = {s.block ? s.block : 32, 1, 1};
    if (oc_launch(k, grid, block, s.shared, NULL, args) != OC_OK) fail_msg("%s", oc_error(b->d));
    const Record *r = device_record(b->d, oc_launches(b->d) - 1);
    Text broken = {0};
    if (counters_broken(r->count, &broken)) fail_msg("%s", broken.v);
    text_free(&broken);
    InstStat all = {0};
    for (uint32_t k = 0; k < r->insts; k++) add_inst(&all, &r->inst[k]);
    assert_int_equal(all.stalls, COUNT_OF(r, STALL_MEMORY));
    assert_int_equal(all.queued, COUNT_OF(r, STALL_LSU));
    return r;
}

const Record *bench_run(Bench *b, const char *body, Shape s, uint32_t n)
{
    return bench_launch(b, bench_load(b, body, "sm_35"), s, n);
}
const Record *bench_run_sm70(Bench *b, const char *body, Shape s, uint32_t n)
{
    return bench_launch(b, bench_load(b, body, "sm_70"), s, n);
}

void repeat(Text *t, uint32_t n, uint32_t mod, const char *line)
{
    for (uint32_t k = 0; k < n; k++) {
        for (const char *c = line; *c; c++) {
            if (c[0] == '%' && c[1] == 'k')
                text_printf(t, "%u", k % mod), c++;
            else
                text_add(t, c, 1);
        }
        text_put(t, "\n");
    }
}

void assert_within(double got, double want, double part, const char *what)
{
    if (got < want * (1 - part) || got > want * (1 + part)) fail_msg("%s: %g, described %g", what, got, want);
}
