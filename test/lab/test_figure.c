// Figures: their CSV, their scripts and what goes into a page, against texts written by hand from RFC 4180, from
// gnuplot's manual and from HTML's rules of escaping.
#include "check.h"
#include "figure/page.h"
#include "figure/unit.h"
#include "gpu/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_csv(const Figure *f, const char *want)
{
    Text got = {0};
    figure_csv(f, &got);
    assert_string_equal(got.v, want);
    text_free(&got);
}

static void csv(void **state)
{
    (void)state;
    Figure f;
    figure_open(&f, FIGURE_BARS, "A, B!", "A title");
    assert_string_equal(f.name, "a-b");
    figure_axes(&f, "workload", "cycles", "");
    size_t a = figure_series(&f, "8KiB, gto"), b = figure_series(&f, "a \"b\"\n");
    figure_text(&f, b, "atax", 0.1);
    figure_text(&f, a, "x, y", 3);
    figure_text(&f, a, "atax", 1e21);
    // A double quote becomes a typographic one, since gnuplot doesn't read doubled ones; a line's end a blank.
    assert_csv(&f, "workload,\"8KiB, gto\",a ”b” \r\natax,1e+21,0.1\r\n\"x, y\",3,\r\n");
    FigureValue *v = figure_text(&f, a, "atax", 2);
    v->low = 1, v->high = 2.5;
    assert_csv(&f, "workload,\"8KiB, gto\",\"8KiB, gto, low\",\"8KiB, gto, high\",a ”b” \r\natax,2,1,2.5,0.1\r\n\"x, "
                   "y\",3,,,\r\n");
    figure_free(&f);
}

static void numbers_are_sorted(void **state)
{
    (void)state;
    Figure f;
    figure_open(&f, FIGURE_CURVE, "f", "");
    figure_axes(&f, "x", "y", "");
    size_t a = figure_series(&f, "a"), b = figure_series(&f, "b");
    figure_number(&f, a, 16, NULL, 1);
    figure_number(&f, b, 8, NULL, 2);
    figure_number(&f, a, 8, NULL, 3);
    figure_number(&f, b, 32, NULL, 1.0 / 3);
    assert_csv(&f, "x,a,b\r\n8,3,2\r\n16,1,\r\n32,,0.3333333333333333\r\n");
    figure_free(&f);
}

static void means(void **state)
{
    (void)state;
    Figure f;
    figure_open(&f, FIGURE_BARS, "f", "");
    size_t a = figure_series(&f, "a"), b = figure_series(&f, "b");
    figure_text(&f, a, "one", 1), figure_text(&f, b, "one", 2);
    figure_text(&f, a, "two", 4), figure_text(&f, b, "two", 8);
    figure_text(&f, a, "three", 100);  // b has none: it doesn't count for either
    assert_int_equal(figure_means(&f), 2);
    assert_int_equal(f.points.n, 4);
    assert_string_equal(f.points.v[3].name, "geometric mean");
    assert_true(fabs(f.series.v[a].values.v[3].y - 2) < 1e-12);
    assert_true(fabs(f.series.v[b].values.v[3].y - 4) < 1e-12);
    figure_free(&f);
}

static void script(void **state)
{
    (void)state;
    Figure f;
    figure_open(&f, FIGURE_CURVE, "hits", "It's $HOME `id` @x");
    figure_axes(&f, "l1.size", "hits, in %", "sched");
    f.top = 100;
    size_t a = figure_series(&f, "gto"), b = figure_series(&f, "l'rr");
    figure_number(&f, a, 8192, "8KiB", 10), figure_number(&f, b, 8192, "8KiB", 20);
    figure_number(&f, a, 65536, "64KiB", 90);
    Text got = {0};
    figure_script(&f, &got);
    // In single quotes nothing is expanded, and two of them are one. Eightfold: the axis is logarithmic.
    assert_string_equal(
        got.v,
        "# Draws hits.csv: gnuplot hits.gp\n"
        "set terminal svg size 420,346 noenhanced font 'sans-serif,12' background '#ffffff'\n"
        "set encoding utf8\n"
        "set output 'hits.svg'\n"
        "set datafile separator ','\nset datafile commentschars ''\n"
        "set label 'It''s $HOME `id` @x' at screen 0.5, screen 0.9451 center textcolor rgb '#222222'\n"
        "set border 3 lc rgb '#222222'\n"
        "set tics nomirror out scale 0.5 textcolor rgb '#222222'\n"
        "set style fill solid 1 border rgb '#ffffff'\n"
        "set key at screen 0.5, screen 0.0173 center bottom horizontal maxcols 4 Left reverse samplen 1.5 textcolor "
        "rgb '#222222' title 'sched'\n"
        "set tmargin at screen 0.8902\n"
        "set bmargin at screen 0.3121\n"
        "set xlabel 'l1.size' textcolor rgb '#222222'\n"
        "set ylabel 'hits, in %' textcolor rgb '#222222'\n"
        "set grid y lc rgb '#dddddd' lt 1\n"
        "set yrange [0:100]\n"
        "set logscale x 2\n"
        "set xrange [7123.47826086957:75366.4]\n"
        "set xtics ('8KiB' 8192, '64KiB' 65536)\n"
        "plot \\\n"
        "  'hits.csv' skip 1 using ($1/1):($2/1) with linespoints lc rgb '#4477aa' lw 2 pt 7 ps 0.6 title 'gto', \\\n"
        "  'hits.csv' skip 1 using ($1/1):($3/1) with linespoints lc rgb '#ee6677' lw 2 pt 5 ps 0.6 title 'l''rr'\n");
    text_free(&got);
    figure_free(&f);
}

// A heat map of 20 series has a number in each field. With one more it has a scale of colours, and each eighth series
// is named.
static void fields(void **state)
{
    (void)state;
    for (int n = 20; n <= 21; n++) {
        Figure f;
        Text script = {0}, svg = {0};
        Diag diag = {0};
        char name[16];
        figure_open(&f, FIGURE_HEAT, "fields", "fields");
        figure_axes(&f, "x", "y", "of");
        for (int s = 0; s < n; s++) {
            snprintf(name, sizeof name, "s%d", s);
            figure_series(&f, name);
            for (int p = 0; p < 3; p++)
                snprintf(name, sizeof name, "p%d", p), figure_text(&f, (size_t)s, name, s + 1000 * p);
        }
        figure_script(&f, &script);
        bool numbers = strstr(script.v, "with labels"), scale = !strstr(script.v, "unset colorbox");
        assert_true(numbers == (n == 20) && scale == (n == 21));
        assert_true(!strstr(script.v, "'s9'") == (n == 21) && strstr(script.v, "'s8'") && strstr(script.v, "'p0'"));
        if (figure_draw(&f, NULL, &svg, &diag))
            assert_true(!strstr(svg.v, "1.01e+03") == (n == 21));
        else if (!strstr(diag.text.v, "isn't installed"))
            fail_msg("%s", diag.text.v);
        text_free(&script), text_free(&svg);
        diag_free(&diag);
        figure_free(&f);
    }
}

// What gnuplot draws of hostile names is SVG all the same, and every name is in it.
static void drawn(void **state)
{
    (void)state;
    static const FigureKind kinds[] = {FIGURE_BARS, FIGURE_CURVE, FIGURE_HEAT, FIGURE_SERIES, FIGURE_STACK};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        Figure f;
        figure_open(&f, kinds[k], "drawn", "<b> & 'c'");
        figure_axes(&f, "p'oints", "values", "of");
        bool numbers = kinds[k] == FIGURE_CURVE || kinds[k] == FIGURE_SERIES;
        for (int s = 0; s < 3; s++) {
            size_t at = figure_series(&f, s == 1 ? "<i>, x_1" : s ? "\xff\x01" : "plain");
            for (int p = 0; p < 4; p++) {
                FigureValue *v = numbers ? figure_number(&f, at, p + 1, NULL, s + p)
                                         : figure_text(&f, at,
                                                       p == 2 ? "a, <b>_2 & c"
                                                       : p    ? p == 1 ? "1" : "3"
                                                              : "0",
                                                       s + p);
                if (p == 3 && s == 1) v->y = NAN;
                if (p == 2 && s == 2 && kinds[k] != FIGURE_HEAT) v->low = 1, v->high = 8;
            }
        }
        Text svg = {0}, page = {0};
        Diag diag = {0};
        if (!figure_draw(&f, NULL, &svg, &diag)) {
            bool lacks = strstr(diag.text.v, "isn't installed") && strstr(diag.text.v, "hint: ");
            if (!lacks) fail_msg("%s", diag.text.v);
            skip();
        }
        assert_non_null(strstr(svg.v, "</svg>"));
        assert_non_null(strstr(svg.v, "&lt;b> &amp; 'c'"));
        assert_non_null(strstr(svg.v, numbers ? "&lt;i>, x_1" : "a, &lt;b>_2 &amp; c"));
        figure_inline(&f, svg.v, &page);
        assert_non_null(strstr(page.v, "aria-label=\"&lt;b&gt; &amp; &#39;c&#39;\""));
        assert_null(strstr(page.v, "rgb( 68, 119"));  // the first series has the page's colour
        assert_null(strstr(page.v, "rgb(68,119"));
        assert_null(strstr(page.v, "<?xml"));
        if (kinds[k] != FIGURE_HEAT) assert_non_null(strstr(page.v, "var(--s0)"));
        text_free(&svg), text_free(&page);
        figure_free(&f);
    }
}

static void escaped(void **state)
{
    (void)state;
    Text t = {0};
    html_put(&t, "<p title=\"%s\">%r 100 %</p>", "\"<a href='x'>&\x02\xc3", "<b>raw</b>");
    assert_string_equal(
        t.v, "<p title=\"&quot;&lt;a href=&#39;x&#39;&gt;&amp;\xef\xbf\xbd\xef\xbf\xbd\"><b>raw</b> 100 %</p>");
    text_free(&t);
}

static StoredRun run_of(RunSetting *settings, size_t n)
{
    StoredRun r = {.program = "p", .params = "", .overrides = "", .options = "", .params_at = n};
    for (size_t k = 0; k < n; k++) vec_push(&r.settings, settings[k]);
    return r;
}

// Settings that change together are one; values are in the order of their numbers, the one left as described first.
static void swept(void **state)
{
    (void)state;
    RunSetting lists[][4] = {
        {{"nx", "256"}, {"ny", "128"}, {"l1.size", "16KiB"}, {"gpu", "g"}},
        {{"nx", "64"}, {"ny", "64"}, {"l1.size", "16384"}, {"gpu", "g"}},
        {{"nx", "256"}, {"ny", "128"}, {"l1.size", "8KiB"}, {"gpu", "g"}},
        {{"nx", "64"}, {"ny", "64"}, {"l1.size", ""}, {"gpu", "g"}},
    };
    StoredRun runs[4];
    const StoredRun *list[4];
    for (size_t k = 0; k < 4; k++) runs[k] = run_of(lists[k], 4), list[k] = &runs[k];
    RunGroup g;
    group_open(&g, list, 4, true, NULL);
    assert_int_equal(g.swept.n, 2);
    assert_string_equal(g.swept.v[0].name, "nx, ny");
    assert_string_equal(g.swept.v[0].values.v[0], "64, 64");
    assert_string_equal(g.swept.v[0].values.v[1], "256, 128");
    assert_int_equal(g.swept.v[0].base, 1);  // the first that was given
    assert_string_equal(g.swept.v[1].name, "l1.size");
    assert_int_equal(g.swept.v[1].values.n, 3);
    assert_true(g.swept.v[1].numeric && isnan(g.swept.v[1].numbers.v[0]));
    assert_true(group_varies(&g, "ny") && !group_varies(&g, "n") && !group_varies(&g, "gpu"));
    assert_string_equal(group_label(&g, 0, SIZE_MAX), "64, 64, default");
    assert_string_equal(group_label(&g, 3, SIZE_MAX), "256, 128, 16KiB");
    assert_ptr_equal(g.runs.v[2], &runs[2]);
    group_free(&g);
    group_open(&g, list, 4, true, "l1.size=16KiB");
    assert_string_equal(group_label(&g, g.base, SIZE_MAX), "256, 128, 16KiB");
    assert_string_equal(g.swept.v[1].values.v[0], "");  // values stay in their order
    group_free(&g);
    for (size_t k = 0; k < 4; k++) vec_free(&runs[k].settings);
}

// A run that leaves a key as described has its own value: gtx480's L1 has 16 KiB (the white paper on Fermi).
static void own_values(void **state)
{
    (void)state;
    RunSetting lists[][3] = {{{"gpu", "gtx480"}, {"l1.size", "8KiB"}, {"nx", "1"}},
                             {{"gpu", "gtx480"}, {"l1.size", ""}, {"nx", "1"}},
                             {{"gpu", "gtx480"}, {"l1.size", "16384"}, {"nx", "1"}},
                             {{"gpu", "gtx480"}, {"l1.size", ""}, {"nx", "2"}}};
    StoredRun runs[4];
    const StoredRun *list[4];
    for (size_t k = 0; k < 4; k++) runs[k] = run_of(lists[k], 3), list[k] = &runs[k];
    RunGroup g;
    group_open(&g, list, 4, true, NULL);
    assert_int_equal(g.swept.n, 2);
    assert_int_equal(g.swept.v[0].values.n, 2);
    assert_string_equal(group_label(&g, g.base, SIZE_MAX), "16KiB, 1");
    group_free(&g);
    group_open(&g, list + 1, 2, true, NULL);
    assert_int_equal(g.swept.n, 0);
    group_free(&g);
    for (size_t k = 0; k < 4; k++) vec_free(&runs[k].settings);
}

// What others are compared with: the description's own value of a key, which runs that name it have too; else the first
// that was given, and never the first of the alphabet. Clocks are cycles by seconds.
static void baselines(void **state)
{
    (void)state;
    RunSetting lists[][3] = {
        {{"gpu", "titan_black"}, {"l1.size", "48KiB"}, {"kind", "zebra"}},
        {{"gpu", "titan_black"}, {"l1.size", "16KiB"}, {"kind", "ant"}},
        {{"gpu", "gtx480"}, {"l1.size", "8KiB"}, {"kind", "bee"}},
    };
    StoredRun runs[3];
    const StoredRun *list[3];
    uint64_t count[3][C_COUNT] = {{0}};
    for (size_t k = 0; k < 3; k++) {
        runs[k] = run_of(lists[k], 3), list[2 - k] = &runs[k];
        runs[k].order = k, runs[k].count = count[k];
        count[k][C_CYCLES] = 700 * (k + 1), runs[k].seconds = 1e-6 * (double)(k + 1);
    }
    RunGroup g;
    group_open(&g, list, 3, true, NULL);
    assert_int_equal(g.swept.n, 2);  // the size and the kind change together
    assert_string_equal(g.swept.v[0].values.v[g.swept.v[0].base], "titan_black");
    assert_string_equal(g.swept.v[1].values.v[g.swept.v[1].base], "16KiB, ant");  // titan_black's own L1
    assert_ptr_equal(g.runs.v[g.base], &runs[1]);
    assert_false(g.clocks);
    group_free(&g);
    runs[2].seconds = 2e-6;
    group_open(&g, list, 3, true, "kind=bee");
    assert_true(g.clocks);
    group_free(&g);
    for (size_t k = 0; k < 3; k++) vec_free(&runs[k].settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv),       cmocka_unit_test(numbers_are_sorted),
        cmocka_unit_test(means),     cmocka_unit_test(script),
        cmocka_unit_test(fields),    cmocka_unit_test(drawn),
        cmocka_unit_test(escaped),   cmocka_unit_test(swept),
        cmocka_unit_test(baselines), cmocka_unit_test(own_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
