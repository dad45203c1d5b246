#!/bin/bash
# What is read in one go is short: a function of src/ has at most 60 lines, from its opening to its closing brace, a
# header at most 400 and a file at most 700. What is longer for now stands in this list, a function behind its file;
# nothing needs to stay there for ever, and what has become short enough must leave it.
longer=()
set -euo pipefail
cd "$ONCHIP_SOURCE"
most_function=60 most_header=400 most_file=700

# Prints what is too long: its lines, and the file, with the function in it. A function's braces stand alone at the
# beginning of a line, and the line with its name and its parameters begins in the first column, too.
too_long() {
    local file n most
    while read -r file; do
        n=$(wc -l <"$file")
        most=$most_file
        [[ $file != *.h ]] || most=$most_header
        ((n <= most)) || echo "$n $file"
    done < <(find src \( -name '*.c' -o -name '*.h' -o -name '*.def' \) | sort)
    find src \( -name '*.c' -o -name '*.h' \) | sort | xargs awk -v most=$most_function '
        /^[a-zA-Z_].*\(/ {
            name = $0
            sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name)
        }
        /^\{$/ { from = FNR }
        /^\}$/ && from {
            if (FNR - from + 1 > most) print FNR - from + 1, FILENAME, name
            from = 0
        }'
}

# The test itself: the tree must have functions, or the braces stand elsewhere by now.
(($(find src -name '*.c' -print0 | xargs -0 grep -cx '{' | awk -F: '{ n += $2 } END { print n }') > 1000))

bad=0
mapfile -t found < <(too_long)
for entry in "${found[@]}"; do
    for known in "${longer[@]}"; do
        [[ ${entry#* } != "$known" ]] || continue 2
    done
    echo "${entry#* } has ${entry%% *} lines" >&2
    bad=1
done
for known in "${longer[@]}"; do
    for entry in "${found[@]}"; do
        [[ ${entry#* } != "$known" ]] || continue 2
    done
    echo "$known is short enough: take it out of the list of test/style/length.sh" >&2
    bad=1
done
exit $bad
