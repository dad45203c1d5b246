#!/bin/bash
# python/wheel.sh BUILD FOLDER: makes a wheel of a build, FOLDER/onchip-VERSION-py3-none-PLATFORM.whl, and prints its
# name. It has the module, and beside it what an installation has that runs: the library, the program and what stands in
# for the toolkit. It needs Debian's python3-setuptools and python3-wheel, and no network.
set -euo pipefail
build=$(realpath "$1")
mkdir -p "$2"
to=$(realpath "$2")
source=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for component in library program; do
    cmake --install "$build" --prefix "$work/all" --component $component --strip >/dev/null
done
cp -r "$source/onchip" "$source/pyproject.toml" "$source/setup.py" "$work"
rm -rf "$work/onchip/__pycache__"
lib=$(dirname "$(find "$work/all" -name libonchip.so.1)")
files=$work/onchip/_files
mkdir -p "$files/bin" "$files/${lib#"$work/all/"}"
cp "$work/all/bin/onchip" "$files/bin"
# A wheel has no links: each name is a file of its own.
cp -L "$lib/libonchip.so.1" "$lib/libonchip-sl1.so" "$files/${lib#"$work/all/"}"
cp -rL "$lib/onchip" "$files/${lib#"$work/all/"}"
cd "$work"
python3 - "$to" <<'PYTHON' >log 2>&1 || { cat log >&2; exit 1; }
import sys
from setuptools import build_meta
name = build_meta.build_wheel(sys.argv[1])
open("name", "w").write(name)
PYTHON
echo "$to/$(cat name)"
