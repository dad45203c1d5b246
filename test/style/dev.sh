#!/bin/bash
# `./dev demo` prints what README.md shows: its first command, without what cuts its output, and every line of that.
# Nothing is installed or built for this: what ./dev calls for that is stand-ins.
set -uo pipefail
[[ -e $ONCHIP && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
cd "$ONCHIP_SOURCE"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/build" "$folder/bin"
cp dev "$folder"
ln -s "$ONCHIP" "$folder/build/onchip"
for command in cmake ninja cc; do printf '#!/bin/sh\n' >"$folder/bin/$command"; done
printf '#!/bin/sh\nprintf installed\n' >"$folder/bin/dpkg-query"
chmod +x "$folder"/bin/*
PATH="$folder/bin:$PATH" CC=cc "$folder/dev" demo >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
# README's block that begins with the demonstration's command, and a pipe behind it.
command=$(head -n 1 "$folder/log") awk '
    /^```/ { on = 0 }
    on
    index($0, ENVIRON["command"] " |") == 1 { on = 1 }' README.md >"$folder/readme"
(($(wc -l <"$folder/readme") >= 8)) || { echo "README.md doesn't show '$(head -n 1 "$folder/log")'" >&2; exit 1; }
missing=$(grep -vxF -f "$folder/log" "$folder/readme") && { echo "./dev demo doesn't print: $missing" >&2; exit 1; }
exit 0
