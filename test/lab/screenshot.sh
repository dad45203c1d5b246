#!/bin/bash
# The report as a browser shows it: 1280 and 400 pixels wide, light and dark, it isn't blank, it is as bright as it
# should be, and at 400 pixels nothing but tables in their boxes is wider than the page. The short form looks at the
# top of the narrow page in the dark, and at no other. So does a picture alone, on a page as an image.
set -euo pipefail
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || exit 77
command -v gnuplot >/dev/null && command -v python3 >/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
"$ONCHIP" sweep atax nx=64 ny=64 --gpu gtx480 --set l1.size=8KiB,16KiB,32KiB --sched gto,lrr --interval 1000 \
    --db runs.db >/dev/null
# Long names, of a program and of settings.
"$ONCHIP" sweep recursivegaussian --size small --set l1.merges=4,5 --set 'l1.index_bits=7^13 8^14 9^15 10^16' \
    --set sched.policy=two-level,gto --db runs.db >/dev/null || exit 1
"$ONCHIP" report --db runs.db -o page.html >/dev/null

# A window can't be 400 pixels wide, but a frame can. It tells its size to the page around it.
cat >script.html <<'HTML'
<script>addEventListener("load", function () {
    var widths = Array.from(document.querySelectorAll("svg"), function (s) { return s.getBoundingClientRect().width; });
    var sizes = [document.documentElement.scrollWidth, innerWidth, Math.min.apply(null, widths)];
    // Texts that reach out of their figure, or over the bars' names: they are cut, or unreadable.
    var cut = [];
    document.querySelectorAll("svg").forEach(function (s) {
        var box = s.getBoundingClientRect();
        s.querySelectorAll("text").forEach(function (t) {
            var r = t.getBoundingClientRect();
            if (r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 1 || r.bottom > box.bottom + 1 ||
                t.textContent.includes("…"))
                cut.push(t.textContent);
        });
    });
    parent.postMessage("size " + sizes.join(" ") + " cut " + cut.length + ": " + cut.join("; "), "*");
});</script>
HTML
sed -e '/<\/body>/{' -e 'r script.html' -e '}' page.html >inner.html
grep -q postMessage inner.html
cat >look.py <<'PYTHON'
import struct, sys, zlib
path, width, scheme, least = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
data = open(path, "rb").read()
at, pixels = 8, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    if kind == b"IHDR": columns, rows, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
    if kind == b"IDAT": pixels += data[at + 8:at + 8 + size]
    at += size + 12
assert depth == 8 and colour in (2, 6)
pixels, n = zlib.decompress(pixels), 3 if colour == 2 else 4
line, stride, seen, light, count = bytearray(columns * n), columns * n, set(), 0, 0
for row in range(rows):  # PNG's filters
    kind, raw = pixels[row * (stride + 1)], bytearray(pixels[row * (stride + 1) + 1:(row + 1) * (stride + 1)])
    for k in range(stride):
        left, up, corner = raw[k - n] if k >= n else 0, line[k], line[k - n] if k >= n else 0
        if kind == 1: raw[k] = (raw[k] + left) & 255
        elif kind == 2: raw[k] = (raw[k] + up) & 255
        elif kind == 3: raw[k] = (raw[k] + (left + up) // 2) & 255
        elif kind == 4:
            p = left + up - corner
            a, b, c = abs(p - left), abs(p - up), abs(p - corner)
            raw[k] = (raw[k] + (left if a <= b and a <= c else up if b <= c else corner)) & 255
    line = raw
    for x in range(0, width, 4):
        pixel = bytes(raw[x * n:x * n + 3])
        seen.add(pixel)
        light += sum(pixel)
        count += 3
mean = light / count
assert len(seen) > least, f"{scheme} at {width}: {len(seen)} colours"
assert mean > 200 if scheme == "light" else mean < 80, f"{scheme} at {width}: brightness {mean}"
PYTHON
height=500
[[ ! ${ONCHIP_LONG:-} ]] || height=1500
for width in 1280 400; do
    cat >outer.html <<HTML
<!DOCTYPE html><body style="margin: 0">
<iframe src="inner.html" style="border: 0; display: block" width="$width" height="$height"></iframe><p id="said"></p>
<script>addEventListener("message", function (e) { document.getElementById("said").textContent = e.data; });</script>
HTML
    for scheme in dark light; do
        rm -f shot.png
        [[ ${ONCHIP_LONG:-} || $width$scheme == 400dark ]] || continue
        options=(--headless --no-sandbox --disable-gpu --hide-scrollbars --virtual-time-budget=5000
            --user-data-dir="$folder/profile"
            --blink-settings=preferredColorScheme=$([[ $scheme == dark ]] && echo 0 || echo 1))
        timeout 1800 "$browser" "${options[@]}" --dump-dom --screenshot=shot.png \
            --window-size=$((width < 500 ? 500 : width)),$height "file://$folder/outer.html" >dom 2>browser.log ||
            { cat browser.log >&2; exit 77; }
        read -r _ scroll inner figure < <(grep -oE 'size [0-9]+ [0-9]+ [0-9.]+' dom | tail -n 1)
        cut=$(grep -oE 'cut [0-9]+: [^<]*' dom | tail -n 1)
        [[ $cut == 'cut 0: ' ]] || { echo "at $width: texts are $cut" >&2; exit 1; }
        ((scroll <= inner)) || { echo "at $width: $scroll wide in $inner" >&2; exit 1; }
        ((${figure%.*} >= 300)) || { echo "at $width: a figure is $figure wide" >&2; exit 1; }
        python3 look.py shot.png "$width" $scheme 60
    done
done
# A picture that stands alone follows the reader's system.
"$ONCHIP" report run atax nx=32 ny=32 --plot plots -o one.html >/dev/null
printf '<!DOCTYPE html><meta name="color-scheme" content="light dark"><body style="margin: 0">' >pictures.html
for name in plots/*memory-chart.svg plots/*bytes-moved.svg; do
    printf '<img src="%s" style="display: block" width="400">' "$name" >>pictures.html
done
for scheme in dark light; do
    rm -f shot.png
    timeout 1800 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --allow-file-access-from-files \
        --user-data-dir="$folder/profile" --window-size=500,700 --screenshot=shot.png \
        --blink-settings=preferredColorScheme=$([[ $scheme == dark ]] && echo 0 || echo 1) \
        "file://$folder/pictures.html" 2>browser.log || { cat browser.log >&2; exit 77; }
    python3 look.py shot.png 400 $scheme 20
done
