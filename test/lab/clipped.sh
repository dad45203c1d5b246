#!/bin/bash
# Pages as a browser lays them out: every text lies inside its figure, no two texts lie on each other, and no two
# figures share a title. No text is cut off: at 1400 and 400 pixels none reaches out of the page or is hidden by what
# holds it, but for what stands in a box that scrolls, and such a box has a bar. Figures stand one below the other.
set -euo pipefail
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || exit 77
command -v gnuplot >/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
{
    "$ONCHIP" sweep --gpu gtx480 --program 'atax nx=64 ny=64,syrk n=32' --set l1.size=8192,16KiB,65536 \
        --sched gto,two-level,lrr \
        --interval 1000 --jobs 1 --db store.db
    "$ONCHIP" sweep --gpu gtx480 --program 'atax nx=32 ny=32' --set l1.size=16KiB --with \
        'a label that is longer than most labels are: l2.latency=300 dram.latency=600,short: l2.latency=250' \
        --db store.db
} >/dev/null
"$ONCHIP" report --db store.db -o page.html >/dev/null
"$ONCHIP" report --db store.db --program syrk -o one.html >/dev/null
# One run, of a kernel with a long name.
name=_ZN5outer5inner30a_kernel_whose_name_has_no_endIfN5other4typeIdEEEEvPT_T0_i
"$ONCHIP" show ptx atax | sed "s/atax_kernel1/$name/g" >mine.ptx
"$ONCHIP" report run --gpu gtx480 mine.ptx kernel=$name --arg i32:64 --arg i32:64 --arg buf:32KiB --arg buf:1KiB \
    --arg buf:1KiB \
    block=64 --lines --interval 100 -o single.html >/dev/null
grep -q 'outer::inner::' single.html
"$ONCHIP" advise --gpu gtx480 atax nx=64 ny=64 --db store.db --page advise.html >/dev/null
# Two versions of it, whose lines, arrays and counters differ; one is a file that lacks counters and fails the limits.
given=(--kernel "$name" --arg i32:64 --arg i32:64 --arg buf:32KiB --arg buf:1KiB --arg buf:1KiB --block 64)
"$ONCHIP" run --gpu gtx480 mine.ptx "${given[@]}" --json --lines | sed '/^ *"l2\./d' \
    >an_old_version_with_a_name_of_many_words.json
sed 's/, 4;/, 8;/' mine.ptx >new.ptx
"$ONCHIP" compare an_old_version_with_a_name_of_many_words.json "new.ptx ${given[*]/32KiB/64KiB}" -o compare.html \
    --fail-above=-40%,cycles=-41%,global.stores=-40% >/dev/null || (($? == 3))
for text in outer::inner:: 'Every counter that differs' 'lines that issued' 'Arrays whose' "lacks aren't" failed; do
    grep -q -- "$text" compare.html || { echo "compare's page has no '$text'" >&2; exit 1; }
done
for page in page one single; do
    # A pixel more or less is the browser's rounding.
    sed '$d' $page.html >looked.html
    cat >>looked.html <<'HTML'
<p id="said"></p>
<script>
var said = [], titles = {};
document.querySelectorAll("figure svg").forEach(function (svg) {
    var box = svg.getBoundingClientRect(), title = svg.querySelector("title").textContent, texts = [];
    if (titles[title]) { said.push("two figures: " + title); }
    titles[title] = true;
    svg.querySelectorAll("text").forEach(function (t) {
        var b = t.getBoundingClientRect();
        if (!b.width) { return; }
        if (b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1) {
            said.push("clipped: " + t.textContent + " in " + title);
        }
        texts.forEach(function (o) {
            if (Math.min(b.right, o.right) - Math.max(b.left, o.left) > 2 &&
                Math.min(b.bottom, o.bottom) - Math.max(b.top, o.top) > b.height / 2) {
                said.push("on each other: " + o.text + " and " + t.textContent + " in " + title);
            }
        });
        texts.push({ left: b.left, right: b.right, top: b.top, bottom: b.bottom, text: t.textContent });
    });
});
document.getElementById("said").textContent =
    "said " + Object.keys(titles).length + " figures; " + said.join("; ") + ".";
</script>
HTML
    timeout 600 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" \
        --window-size=1300,900 --dump-dom "file://$folder/looked.html" >dom 2>browser.log ||
        { cat browser.log >&2; exit 77; }
    said=$(grep -o '<p id="said">[^<]*' dom | tail -n 1)
    [[ $said =~ said\ ([0-9]+)\ figures\;\ \.$ ]] && ((BASH_REMATCH[1] > 5)) || { echo "$page: $said" >&2; exit 1; }
done

# A window can't be 400 pixels wide, but a frame can. It tells the page around it what it found.
cat >look.html <<'HTML'
<script>addEventListener("load", function () {
    var cut = [], seen = 0, wide = document.documentElement.clientWidth;
    function scrolls(e) { return e && e.closest(".box, pre"); }
    document.querySelectorAll("details").forEach(function (d) { d.open = true; });
    document.querySelectorAll(".box").forEach(function (b) {
        if (b.scrollWidth > b.clientWidth + 1 && b.offsetHeight - b.clientHeight < 6) {
            cut.push("no bar to scroll: " + b.textContent.slice(0, 40));
        }
    });
    document.querySelectorAll("body *").forEach(function (e) {
        var style = getComputedStyle(e);
        if (e.closest("svg, script, style") || style.display === "inline") { return; }
        if (/hidden|clip/.test(style.overflowX + style.overflowY) &&
            (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)) {
            cut.push("hidden: " + e.textContent.slice(0, 60));
        }
    });
    // One column: each figure begins where the one before it ends.
    var end = -1;
    document.querySelectorAll("figure").forEach(function (f) {
        var r = f.getBoundingClientRect();
        if (r.top < end - 1) { cut.push("beside another figure: " + f.id); }
        end = r.bottom;
    });
    var walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
    while (walk.nextNode()) {
        var text = walk.currentNode, holder = text.parentElement;
        if (!text.textContent.trim() || holder.closest("script, style, svg") || scrolls(holder)) { continue; }
        range.selectNodeContents(text);
        Array.from(range.getClientRects()).forEach(function (r) {
            seen++;
            if (r.left < -1 || r.right > wide + 1) { cut.push("outside: " + text.textContent.slice(0, 60)); }
        });
    }
    parent.postMessage("saw " + seen + "; " + cut.join("; ") + ".", "*");
});</script>
HTML
for page in page single advise compare; do
    sed -e '/<\/body>/{' -e 'r look.html' -e '}' $page.html >inner.html
    grep -q postMessage inner.html
    for width in 1400 400; do
        cat >outer.html <<HTML
<!DOCTYPE html><body style="margin: 0">
<iframe src="inner.html" style="border: 0; display: block" width="$width" height="900"></iframe><p id="said"></p>
<script>addEventListener("message", function (e) { document.getElementById("said").textContent = e.data; });</script>
HTML
        timeout 600 "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=5000 \
            --user-data-dir="$folder/profile" --window-size=1400,900 --dump-dom "file://$folder/outer.html" \
            >dom 2>browser.log || { cat browser.log >&2; exit 77; }
        said=$(grep -o '<p id="said">[^<]*' dom | tail -n 1)
        [[ $said =~ saw\ ([0-9]+)\;\ \.$ ]] && ((BASH_REMATCH[1] > 8)) ||
            { echo "$page at $width: $said" >&2; exit 1; }
    done
done
