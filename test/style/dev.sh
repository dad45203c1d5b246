#!/bin/bash
# `./dev demo` prints what README.md shows: the command, and all that stands below it. Nothing is installed or built for
# this: what ./dev calls for that is stand-ins.
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
# README's block that begins with the demonstration's command.
command=$(head -n 1 "$folder/log") awk '
    /^```/ { on = 0 }
    $0 == ENVIRON["command"] { on = 1 }
    on' README.md | sed -E -f tools/times.sed >"$folder/readme"
sed -E -f tools/times.sed "$folder/log" | diff -u --label README.md --label './dev demo' "$folder/readme" -
