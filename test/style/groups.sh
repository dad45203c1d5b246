#!/bin/bash
# A header is grouped by the files that define what it declares (CONTRIBUTING.md). A group begins with a comment that
# begins with their names: `// x.c`, `// x.c, y.c: …`, `// --- x_*.c: … ---`. It ends where the next one begins, or at a
# line `// --- … ---` that names none. Each function and each table that a header declares stands in the group of the
# file that defines it, which is of the header's own folder. Object files say which file that is.
set -euo pipefail
cd "$ONCHIP_SOURCE"
objects=$ONCHIP_BUILD/CMakeFiles
[[ -e $objects/onchip_cli.dir ]] || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# NAME FILE of what objects define. An object may be of a file that there isn't any more. A file that is built for
# several instruction sets has names that end with the set.
{
    find src -name '*.c'
    find "$objects" \( -name '*.c.o' -path '*.dir/src/*' -o -name '*.gen.c.o' \) -print0 |
        xargs -0 nm -A --defined-only --extern-only 2>/dev/null
} | awk '
    NF == 1 { is[$1] = 1; next }
    NF == 3 && $2 ~ /[A-Z]/ {
        file = $1
        sub(/.*[.]dir\//, "", file)
        sub(/[.]o:.*/, "", file)
        sub(/_(sse2|avx2|avx512|generic)$/, "", $3)
        if (is[file] || file ~ /[.]gen[.]c$/) print $3, file
    }' | sort -u >"$folder/defined"
(($(wc -l <"$folder/defined") > 500)) || { echo "no definitions are found" >&2; exit 1; }

# Prints what stands in another group than in its file's, and how many declarations there are.
check() {
    awk '
        function names(text) {  # of files at the beginning of a comment; "": none
            sub(/^\/\/ (--- )?/, "", text)
            if (!match(text, /^[a-z0-9_*]+(\.gen)?\.c(, [a-z0-9_*]+(\.gen)?\.c)*($|:| -+$)/)) return ""
            text = substr(text, 1, RLENGTH)
            sub(/[: -]+$/, "", text)
            return text
        }
        # Is the file one of those that the group names?
        function named(file, group,    list, n, k) {
            sub(/.*\//, "", file)
            n = split(group, list, ", ")
            for (k = 1; k <= n; k++) {
                gsub(/\./, "[.]", list[k])
                gsub(/\*/, ".*", list[k])
                if (file ~ "^" list[k] "$") return 1
            }
            return 0
        }
        function declared(text,    name, own, k, files, n, good) {
            gsub(/[A-Z_]+\([a-z_0-9]+\)\(/, "&(", text)  # MACRO(name)(…): the name is the macro'"'"'s argument
            gsub(/[A-Z]+_NAME\(/, "", text)
            sub(/\)\(\(/, "(", text)
            sub(/^extern /, "", text)
            if (!match(text, /[ *][a-z_][a-z0-9_]*(\(|\[|;)/)) return
            name = substr(text, RSTART + 1, RLENGTH - 2)
            count++
            own = FILENAME
            sub(/[^\/]*$/, "", own)
            n = split(where[name], files, " ")
            for (k = 1; k <= n; k++)
                if (named(files[k], group) && (index(files[k], own) == 1 || files[k] !~ /\//)) good = 1
            if (good) return
            print FILENAME ":" FNR ": " name " is defined in " (n ? where[name] : "no file") ", its group is " \
                (group == "" ? "none" : group)
        }
        FNR == NR { where[$1] = where[$1] == "" ? $2 : where[$1] " " $2; next }
        FNR == 1 { group = statement = ""; depth = 0; directive = 0 }
        /^\/\/ / && (/^\/\/ --- / || names($0) != "") { group = names($0); next }
        directive || /^#/ { directive = /\\$/; next }
        {
            sub(/\/\/.*/, "")
            gsub(/"([^"\\]|\\.)*"/, "")
            n = split($0, c, "")
            for (k = 1; k <= n; k++) {
                if (c[k] == "{") depth++
                if (!depth) statement = statement c[k]
                if (c[k] == "}" && !--depth && statement !~ /^ *(typedef|struct|union|enum)/) statement = ""
                if (c[k] == ";" && !depth) {
                    sub(/^ +/, "", statement)
                    if (statement !~ /^(typedef|static|struct [A-Za-z]+;|_Static_assert|enum|union|$)/ && \
                        statement ~ /\(|^extern/) declared(statement)
                    statement = ""
                }
            }
            statement = statement " "
        }
        END { print count + 0 }' "$folder/defined" "$@"
}

mapfile -t headers < <(find src -name '*.h' | sort)
check "${headers[@]}" >"$folder/found"
(($(tail -n 1 "$folder/found") > 500)) || { echo "no declarations are found" >&2; exit 1; }
if (($(wc -l <"$folder/found") > 1)); then
    sed '$d' "$folder/found" >&2
    exit 1
fi
