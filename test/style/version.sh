#!/bin/bash
# The version stands in CMakeLists.txt. Everything else that names it agrees: the program, the manual page, the newest
# entry of CHANGELOG.md, include/onchip.h, the Python module, README.md, doc/status.md and CITATION.cff.
set -euo pipefail
[[ -e $ONCHIP ]] || exit 77
cd "$ONCHIP_SOURCE"
version=$(sed -n 's/^project(onchip VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
bad=0
# agrees FILE FOUND WANT
agrees() {
    [[ $2 == "$3" ]] || { echo "$1 says version '$2', not '$3'" >&2; bad=1; }
}
agrees "onchip --version" "$("$ONCHIP" --version | cut -d ' ' -f 2)" "$version"
agrees doc/reference/onchip.1 "$(sed -n '1s/.*"onchip \([^"]*\)".*/\1/p' doc/reference/onchip.1)" "$version"
agrees CHANGELOG.md "$(sed -n '0,/^## /s/^## \([0-9.]*\).*/\1/p' CHANGELOG.md)" "$version"
IFS=. read -r major minor last <<<"$version"
agrees include/onchip.h "$(sed -n 's/^#define OC_VERSION //p' include/onchip.h)" $((10000 * major + 100 * minor + last))
agrees python/onchip/__init__.py "$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' python/onchip/__init__.py)" "$version"
agrees CITATION.cff "$(sed -n 's/^version: //p' CITATION.cff)" "$version"
for file in README.md doc/status.md; do
    agrees $file "$(sed -n 's/^Version \([0-9.]*[0-9]\)[,.].*/\1/p' $file)" "${version%.*}"
done
exit $bad
