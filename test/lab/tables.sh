#!/bin/bash
# onchip reproduce --markdown, --errors and --from: tables of figures whose values are known by hand, from the store and
# from a file of points, where nothing is run.
set -euo pipefail
source "$ONCHIP_SOURCE/test/lab/figure.bash"

figure plain <<'INI'
[figure]
title = n over n
from = nobody, Figure 1
x = n
series = l1.size
y = n * l1.size / 1024
unit = ×
baseline = l1.size=16KiB
summary = geometric
[matrix]
program = vectoradd
n = 64, 128
gpu = gtx480
l1.size = 16KiB, 32KiB, 64KiB
[theirs 32KiB]
64 = 2
128 = 4 ± 50 %
[theirs 64KiB]
64 = 5 ± 1
128 = 5
INI
figure values <<'INI'
[figure]
title = a | number
series = n
[matrix]
program = vectoradd
n = 64, 100
[values]
twice = 2 * n
third = n / 3
[theirs 100]
third = 33
INI

# Differences of 0, −2, −1 and −1: √(6/4) = 1.225, −4/4. The paper's values minus 1 are 1, 3, 4 and 4: √(42/4) = 3.240.
# The baseline's own series, which is 1 everywhere, isn't shown.
cat >"$work/plain" <<'END'
n over n (nobody, Figure 1; ×, over l1.size=16KiB); in parentheses the paper's values:

| n | 32KiB | 64KiB |
|---|--:|--:|
| 64 | 2 (2) | 4 (5) |
| 128 | 2 (4) | 4 (5) |
| geomean | 2 | 4 |

Error over 4 cells: 1.225 (root mean square), -1.000 on average; most -2.00 at 32KiB, 128. UNMOVED

3 of 4 values are within their tolerance.
END
sed -i 's/UNMOVED/A model in which nothing changes, 1 in every cell, has 3.240./' "$work/plain"
reproduce plain --markdown | diff "$work/plain" - >&2 || complain "plain: another table"

# More series than places: the series are the rows. A bar in a name doesn't end its cell.
cat >"$work/one" <<'END'
| l1.size | geomean |
|---|--:|
| 32KiB | 2 |
| 64KiB | 4 |
END
reproduce plain --markdown --only geomean,nothing | sed -n '3,6p' | diff "$work/one" - >&2 || complain "--only"
grep -qxF "| twice | 128 | 200 |" <<<"$(reproduce values --markdown)" || complain "three digits at most"
grep -qxF '| third | 21.3 | 33.3 (33.0) |' <<<"$(reproduce values --markdown)" || complain "three digits"

cat >"$work/errors" <<'END'
| figure | within tolerance | cells | error | on average | farthest | 1 in every cell |
|---|--:|--:|--:|--:|--:|--:|
| `plain`: n over n | 3 of 4 | 4 | 1.225 | -1.000 | -2.00 at 32KiB, 128 | 3.240 |
| `values`: a \| number | 1 of 1 | 1 | 0.333 | +0.333 | +0.33 at 100, third | |
END
reproduce plain values --errors | sed "s,\`$work/paper/\([a-z]*\).ini\`,\`\1\`," | diff "$work/errors" - >&2 ||
    complain "another table of errors"

# The same from a file, and without a store. The paper's values come from the figure, not from the file.
reproduce plain values --csv >"$work/points.csv"
sed 's/,5,1$/,7,1/' "$work/points.csv" >"$work/theirs.csv"
from() { "$ONCHIP" reproduce "$work/paper" plain --from "$1" --db "$work/none" --markdown; }
for file in points theirs; do
    from "$work/$file.csv" | diff "$work/plain" - >&2 || complain "another table of $file"
done
[[ ! -e $work/none ]] || complain "--from opens a store"
sed 's/^\(.*"64KiB","128"\),4,/\1,4.5,/' "$work/points.csv" >"$work/other.csv"
grep -qF '| 128 | 2.00 (4.00) | 4.50 (5.00) |' <<<"$(from "$work/other.csv")" ||
    complain "--from shows something else"

bad_points() { # TEXT SED: the file is refused
    sed "$2" "$work/points.csv" >"$work/bad.csv"
    if from "$work/bad.csv" >/dev/null 2>"$work/error"; then complain "$2 isn't refused"; fi
    grep -qF -e "$1" "$work/error" || complain "$2: '$1' isn't in: $(<"$work/error")"
}
bad_points 'bad.csv:1:1: error: a file of points begins with' '1s/figure/picture/'
bad_points 'bad.csv:3:1: error: a line is' '3s/"//'
bad_points 'bad.csv:3:1: error: a line is' '3s/,[0-9.]*,,*$/,x,,/'
bad_points 'has no points of' 's/plain.ini/other.ini/'
if from "$work/missing.csv" 2>"$work/error"; then complain "there is no such file"; fi
grep -qF "can't read" "$work/error" || complain "missing.csv: $(<"$work/error")"
exit $bad
