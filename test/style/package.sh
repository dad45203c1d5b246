#!/bin/bash
# What cpack packs: every file is where it belongs, in the package that it belongs to, and nothing else is. The Debian
# package needs libc, and PCRE2 and SQLite where they weren't linked from archives; Open MPI is needed by
# onchip-mpi alone. What is unpacked runs.
set -euo pipefail
[[ -e $ONCHIP && -e $ONCHIP_BUILD/libonchip.so && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
for command in cpack dpkg-deb dpkg-shlibdeps file; do command -v $command >/dev/null || exit 77; done
source "$ONCHIP_SOURCE/test/test.bash"
cd "$work"
version=$(sed -n 's/^project(onchip VERSION \([0-9.]*\) .*/\1/p' "$ONCHIP_SOURCE/CMakeLists.txt")

# The files of the documentation, which the tree has under the same names. Measurements stay behind.
documents() {
    (cd "$ONCHIP_SOURCE" && find README.md CHANGELOG.md CITATION.cff doc -type f ! -path '*/measurements/*') |
        sed 's,^,share/doc/onchip/,'
}
completions() {
    printf 'share/%s\n' bash-completion/completions/onchip zsh/vendor-completions/_onchip \
        fish/vendor_completions.d/onchip.fish
}
# packed NAME FOLDER <EXPECTED: the files below the folder are those that the standard input has.
packed() {
    sort >expected
    (cd "$2" && find . ! -type d | sed 's,^\./,,' | sort) | diff expected - >difference ||
        complain "$1 has other files (<: expected, >: found): $(<difference)"
}
pack() { cpack --config "$ONCHIP_BUILD/CPackConfig.cmake" "$@" >log 2>&1 || complain "cpack $*: $(<log)"; }

# --- Debian -----------------------------------------------------------------------------------------------------------
pack -G DEB -B deb
main=$(echo deb/onchip_"$version"_*.deb)
[[ -e $main ]] || { complain "no package onchip: $(<log)"; exit 1; }
dpkg-deb -x "$main" main
{
    documents
    completions
    echo bin/onchip include/onchip{,_policy,_cache}.h share/man/man1/onchip.1 lib/libonchip-sl1.so \
        lib/libonchip.a lib/libonchip.so lib/libonchip.so.1 lib/libonchip.so."$version" lib/pkgconfig/onchip.pc \
        lib/cmake/onchip/onchip-config{,-version}.cmake \
        lib/onchip/cuda/libcud{a.so.1,art.so.{11.0,12,13}} \
        lib/python3/dist-packages/onchip/_{_init__,device,html,kernel,launch,library,memory,program,stream,texture}.py \
        lib/python3/dist-packages/onchip/py.typed |
        tr ' ' '\n' | sed "s,^lib/,$(sed -n 's/^CMAKE_INSTALL_LIBDIR:[A-Z]*=//p' "$ONCHIP_BUILD/CMakeCache.txt")/,"
} | packed "$main" main/usr
[[ $(ls main) == usr ]] || complain "$main has files outside of /usr: $(ls main)"
depends=$(dpkg-deb -f "$main" Depends | sed 's/ ([^)]*)//g; s/, /\n/g' | sort | tr '\n' ' ')
needs='libc6 '
for library in pcre2-8:ONCHIP_PCRE2_LIBRARY sqlite3:SQLite3_LIBRARY; do
    grep -q "^${library#*:}:.*\.a$" "$ONCHIP_BUILD/CMakeCache.txt" || needs+="lib${library%:*}-0 "
done
[[ $depends == "$needs" ]] || complain "$main needs $depends"
[[ $(dpkg-deb -f "$main" Version) == "$version" ]] || complain "$main has version $(dpkg-deb -f "$main" Version)"
main/usr/bin/onchip run vectoradd --size small >out 2>&1 || complain "$main: onchip run: $(<out)"
grep -q '^prefix=/usr$' "$(find main -name onchip.pc)" || complain "onchip.pc names another prefix than /usr"

if [[ -e $ONCHIP_BUILD/libonchip-mpi.so ]]; then
    mpi=$(echo deb/onchip-mpi_"$version"_*.deb)
    dpkg-deb -x "$mpi" mpi
    [[ $(find mpi ! -type d) == mpi/usr/lib*/onchip/libonchip-mpi.so ]] || complain "$mpi has $(find mpi ! -type d)"
    [[ $(dpkg-deb -f "$mpi" Depends) == "onchip (= $version)"*libopenmpi* ]] ||
        complain "$mpi needs $(dpkg-deb -f "$mpi" Depends)"
fi

# --- the archive, with what a static build packs ----------------------------------------------------------------------
pack -G TGZ -B tgz
archive=$(echo tgz/onchip-"$version"-*.tar.gz)
[[ -e $archive ]] || { complain "no archive: $(<log)"; exit 1; }
tar xf "$archive"
top=$(basename "$archive" .tar.gz)
{
    documents
    completions
    printf '%s\n' bin/onchip lib/libonchip-sl1.so lib/onchip/cuda/libcud{a.so.1,art.so.{11.0,12,13}} \
        share/man/man1/onchip.1 |
        sed "s,^lib/,$(sed -n 's/^CMAKE_INSTALL_LIBDIR:[A-Z]*=//p' "$ONCHIP_BUILD/CMakeCache.txt")/,"
} | packed "$archive" "$top"
"$top/bin/onchip" run vectoradd --size small >out 2>&1 || complain "$archive: onchip run: $(<out)"
exit $bad
