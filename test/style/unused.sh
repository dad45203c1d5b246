#!/bin/bash
# Every function of the library, and of what the program adds, is used: its name stands somewhere else than in its
# definition and its declarations, in the sources, the workloads or the tools. Tests don't count: what they alone use
# stands in a list. Static functions of a .c file are the compiler's to find; here are those with external linkage (as
# object files have them) and those that headers define.
for_tests='ptx_parse'
set -euo pipefail
cd "$ONCHIP_SOURCE"
library=$ONCHIP_BUILD/libonchip.a program=$ONCHIP_BUILD/libonchip_program.a
[[ -e $library && -e $program && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

nm --defined-only "$library" "$program" 2>/dev/null | awk '$2 == "T" { print $3 }' >"$folder/names"
find src include -name '*.h' -exec sed -nE 's/^static inline .*[ *]([a-z_][a-z0-9_]*)\(.*/\1/p' {} + >>"$folder/names"
grep -q . "$folder/names"

# Without comments and strings. A line that begins with a type and goes on with NAME( defines or declares NAME, and so
# does MACRO(NAME at its beginning.
find src include workloads tools \( -name '*.c' -o -name '*.h' -o -name '*.def' -o -name '*.cu' \) -exec cat {} + |
    sed -E 's,//.*,,; s/"([^"\\]|\\.)*"//g' | awk -v for_tests="$for_tests" '
    BEGIN { n = split(for_tests, words, " "); for (k = 1; k <= n; k++) listed[words[k]] = 1 }
    FNR == NR { wanted[$1] = 1; next }
    {
        declared = ""
        if (match($0, /^[a-zA-Z_][a-zA-Z0-9_ ]*[ *]+[a-z_][a-z0-9_]*\(/)) {
            declared = substr($0, 1, RLENGTH - 1)
            sub(/.*[ *]/, "", declared)
        } else if (match($0, /^[A-Z][A-Z0-9_]*\([a-z_][a-z0-9_]*/)) {
            declared = substr($0, 1, RLENGTH)
            sub(/.*\(/, "", declared)
        }
        if (declared in wanted) seen[declared] = 1
        if (match($0, /[a-z][a-z0-9_]*_##/)) pasted[substr($0, RSTART, RLENGTH - 2)] = 1
        gsub(/[^a-zA-Z0-9_]+/, " ")
        n = split($0, words, " ")
        for (k = 1; k <= n; k++)
            if (words[k] == declared) declared = ""  # once a line
            else if (words[k] in wanted) used[words[k]] = 1
    }
    END {
        # A name that is nowhere declared as such is made by a macro; one that begins as names that a macro makes
        # (load_##T) is used there.
        for (name in seen) {
            if (name in used) continue
            made = 0
            for (prefix in pasted) if (index(name, prefix) == 1) made = 1
            if (!made && !(name in listed)) { print "nothing but tests calls " name; bad = 1 }
        }
        for (name in listed) if (name in used || !(name in seen)) { print "take " name " out of the list"; bad = 1 }
        exit bad
    }' "$folder/names" - | sort
