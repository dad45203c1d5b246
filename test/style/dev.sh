#!/bin/bash
# What is missing is named with its package before anything is compiled: by CMake what the build needs, by ./dev what
# CMake needs. `./dev build` builds what is installed, and no test. `./dev demo` prints what README.md shows. Nothing is
# uninstalled or installed for this: CMake is told not to look where the headers are, and the commands that ./dev calls
# are stand-ins.
set -uo pipefail
[[ -e $ONCHIP && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
cd "$ONCHIP_SOURCE"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0
complain() {
    echo "$1" >&2
    bad=1
}

# --- CMake ------------------------------------------------------------------------------------------------------------
cached() { sed -n "s/^$1:[A-Z]*=//p" "$ONCHIP_BUILD/CMakeCache.txt"; }

# configures STATUS OPTION …: CMake's exit status; what it prints is in $folder/log.
configures() {
    local want=$1 status=0
    rm -rf "$folder/build"
    cmake -G Ninja -S . -B "$folder/build" -DCMAKE_C_COMPILER="$(cached CMAKE_C_COMPILER)" \
        -DCMAKE_MAKE_PROGRAM="$(cached CMAKE_MAKE_PROGRAM)" "${@:2}" >"$folder/log" 2>&1 || status=$?
    ((status == want)) || complain "cmake ${*:2}: exit status $status, not $want: $(<"$folder/log")"
}
# names TEXT …: the log has each.
names() {
    local text
    for text in "$@"; do
        grep -qF -e "$text" "$folder/log" || complain "CMake doesn't name $text: $(<"$folder/log")"
    done
}
headers=$(cached ONCHIP_UTHASH)\;$(cached ONCHIP_XXHASH)\;$(cached SQLite3_INCLUDE_DIR)\;$(cached ONCHIP_PCRE2)
configures 1 -DCMAKE_IGNORE_PATH="$headers"
names uthash.h uthash-dev xxhash.h libxxhash-dev libsqlite3-dev libpcre2-dev './dev setup' \
    'apt install uthash-dev libxxhash-dev libsqlite3-dev libpcre2-dev'
configures 1 -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON
names 'apt install libsqlite3-dev'
configures 1 -DONCHIP_CUDA_CLANG=0
names 'apt install clang'
configures 0 -DCMOCKA_H=0 -DMPFR_H=0 -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON
names "libcmocka-dev isn't installed" "libmpfr-dev isn't installed" './dev setup'
grep -q '^ONCHIP_MISSING:INTERNAL=libopenmpi-dev;libcmocka-dev;libmpfr-dev$' "$folder/build/CMakeCache.txt" ||
    complain "the cache has no list of what is missing"

# What Ninja calls `installed` needs each file of the build folder that CMake installs, and no test.
tool() { "$(cached CMAKE_MAKE_PROGRAM)" -C "$ONCHIP_BUILD" -t "$1" installed; }
tool query >"$folder/built" || complain "there is no target \`installed\`"
for file in $(grep -oE 'FILES "[^"]*"' "$ONCHIP_BUILD/cmake_install.cmake" | cut -d'"' -f2); do
    [[ $file == "$ONCHIP_BUILD"/* ]] || continue
    grep -q "^ *${file#"$ONCHIP_BUILD"/}\$" "$folder/built" || complain "\`installed\` doesn't build $file"
done
tool inputs | tee "$folder/inputs" | grep '^test/' >&2 && complain "\`installed\` builds tests"
[[ -s $folder/inputs ]] || complain "\`installed\` needs nothing"

# --- ./dev ------------------------------------------------------------------------------------------------------------
# A tree of its own in which there is nothing to build, and a PATH with what ./dev may use.
mkdir -p "$folder/tree/build" "$folder/bin"
cp dev "$folder/tree"
ln -s "$ONCHIP" "$folder/tree/build/onchip"
for command in bash cat dirname env grep mktemp rm sed; do ln -s "$(command -v $command)" "$folder/bin/"; done
# stand_in NAME COMMAND
stand_in() {
    printf '#!%s\n%s\n' "$BASH" "$2" >"$folder/bin/$1"
    chmod +x "$folder/bin/$1"
}
dev() { env -u CC PATH="$folder/bin" "$folder/tree/dev" "$@" >"$folder/log" 2>&1; }

! dev build || complain "./dev build works without cmake, ninja and a compiler"
names 'packages are missing: cmake ninja-build gcc libc6-dev' './dev setup' \
    'apt install cmake ninja-build gcc libc6-dev'
stand_in cmake "echo configured"
stand_in cc true
! dev build || complain "./dev build works without ninja"
names 'packages are missing: ninja-build' 'apt install ninja-build'
stand_in ninja "echo \"\$*\" >>'$folder/ninja'"
stand_in cc false
! dev build || complain "./dev build works without the C library's headers"
names 'packages are missing: libc6-dev'
stand_in cc true

# Where tests' packages were missing it looks for them again, otherwise CMake isn't called.
stand_in cmake "echo configured >&2"
: >"$folder/tree/build/build.ninja"
echo 'ONCHIP_MISSING:INTERNAL=' >"$folder/tree/build/CMakeCache.txt"
dev build && [[ ! -s $folder/log ]] || complain "./dev build calls CMake, or fails: $(<"$folder/log")"
echo 'ONCHIP_MISSING:INTERNAL=libcmocka-dev' >"$folder/tree/build/CMakeCache.txt"
dev build || complain "./dev build: $(<"$folder/log")"
names configured
echo 'ONCHIP_MISSING:INTERNAL=' >"$folder/tree/build/CMakeCache.txt"

# What needs the program alone builds that alone; what runs tests builds them, too.
# builds COMMAND ARGUMENT …: what ./dev COMMAND calls Ninja with.
builds() {
    : >"$folder/ninja"
    dev "$1" || complain "./dev $1: $(<"$folder/log")"
    [[ $(<"$folder/ninja") == "${*:2}" ]] || complain "./dev $1 builds '$(<"$folder/ninja")', not '${*:2}'"
}
stand_in dpkg-query "printf installed"
stand_in apt-get false
stand_in nproc "echo 2"
stand_in ctest true
mkdir "$folder/tree/tools"
echo true >"$folder/tree/tools/bench.sh"
for command in build demo bench; do builds $command -C build installed; done
for command in check check-long; do builds $command -C build; done

# The demonstration is README's: the command and all that stands below it.
dev demo || complain "./dev demo: $(<"$folder/log")"
awk '/^## A workload$/ { here = 1 } here && /^```console$/ { on = 1; next } /^```$/ { if (on) exit } on' README.md |
    sed -E -f tools/times.sed >"$folder/readme"
sed -E -f tools/times.sed "$folder/log" | diff -u --label README.md --label './dev demo' "$folder/readme" - ||
    complain "./dev demo prints something else than README.md"
exit $bad
