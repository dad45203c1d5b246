#!/bin/bash
# docs.sh: writes what is generated in the documentation: doc/gpu.md, doc/counters.md, the schema in doc/results.md, and the
# transcripts of README.md, which are run anew. `docs.sh FOLDER` does it to the README.md and doc/ of that folder
# (test/style/docs.sh).
#
# In a ```console block of README.md, lines "$ build/onchip …" and "$ ./saxpy" are run, and their output replaces what
# stood below them; other lines stay. They find README.md's first ```ptx block as saxpy.ptx, and ./saxpy is its first
# ```c block, compiled.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
build=${ONCHIP_BUILD:-$source/build}
onchip=${ONCHIP:-$build/onchip}
target=$(cd "${1:-$source}" && pwd)
[[ -x $onchip ]] || { echo "docs: no $onchip; run ./dev build" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$onchip" show keys >"$target/doc/gpu.md"
"$onchip" show counters >"$target/doc/counters.md"

awk -f "$source/tools/schema.awk" "$source"/src/lab/schema/*.sql >"$scratch/schema.md"
awk -v schema="$scratch/schema.md" '
    /^<!-- end -->$/ { on = 0 }
    !on
    /^<!-- made by tools\/docs.sh/ { on = 1; print ""; while ((getline line <schema) > 0) print line; print "" }
' "$target/doc/results.md" >"$scratch/results.md"
cp "$scratch/results.md" "$target/doc/results.md"

# block LANGUAGE: README.md's first block in it.
block() { awk -v fence="\`\`\`$1" '$0 == fence { on = 1; next } $0 == "```" { if (on) exit } on' "$target/README.md"; }
block ptx >"$scratch/saxpy.ptx"
block c >"$scratch/saxpy.c"
cc -Wall -Wextra -Werror -I "$source/include" "$scratch/saxpy.c" "$build/libonchip.a" -pthread -lm -o "$scratch/saxpy"

in_console=0 drop=0
while IFS= read -r line; do
    if [[ $line == '```'* ]]; then
        [[ $line == '```console' ]] && in_console=1 || in_console=0
        drop=0
    elif ((in_console)) && [[ $line == '$ '* ]]; then
        drop=0
        printf '%s\n' "$line"
        command=${line#'$ '}
        [[ $command == 'build/onchip '* || $command == ./saxpy ]] || continue
        drop=1
        (cd "$scratch" && eval "${command/#build\/onchip/\"\$onchip\"}") 2>&1 || true
        continue
    fi
    ((drop)) || printf '%s\n' "$line"
done <"$target/README.md" >"$scratch/README.md"
cp "$scratch/README.md" "$target/README.md"
