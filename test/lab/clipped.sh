#!/bin/bash
# The figures of a page, as a browser lays them out: every text lies inside its figure, no two texts lie on each other,
# and no two figures share a title.
set -euo pipefail
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || exit 77
command -v gnuplot >/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
{
    "$ONCHIP" sweep --program 'atax nx=64 ny=64,syrk n=32' --set l1.size=8192,16KiB,65536 --sched gto,two-level,lrr \
        --interval 1000 --jobs 1 --db store.db
    "$ONCHIP" sweep --program 'atax nx=32 ny=32' --set l1.size=16KiB --with \
        'a label that is longer than most labels are: l2.latency=300 dram.latency=600,short: l2.latency=250' \
        --db store.db
} >/dev/null
"$ONCHIP" report --db store.db -o page.html >/dev/null
"$ONCHIP" report --db store.db --program syrk -o one.html >/dev/null
for page in page one; do
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
