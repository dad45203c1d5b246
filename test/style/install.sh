#!/bin/bash
# What `cmake --install` leaves works for somebody else, from any prefix, without ldconfig and without LD_LIBRARY_PATH:
# doc/use/library.md's example, built with pkg-config and with CMake's find_package, and the same with the static
# library.
set -euo pipefail
[[ -e $ONCHIP && -e $ONCHIP_BUILD/libonchip.so && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
command -v pkg-config >/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$ONCHIP_BUILD" --prefix "$folder/first" >/dev/null
for file in bin/onchip include/onchip.h share/doc/onchip/'doc/use/run.md' share/man/man1/onchip.1; do
    [[ -s $folder/first/$file ]]
done
"$folder/first/bin/onchip" list gpus >/dev/null
# The help speaks of doc/…, and says where that is.
grep -qF "doc/ is $folder/first/share/doc/onchip/doc" <<<"$("$folder/first/bin/onchip" run --help)"
lib=$(dirname "$(find "$folder" -name libonchip.a)")
[[ -s $lib/libonchip.so && -s $lib/libonchip-sl1.so ]]
# A CUDA program finds the library that is installed for it (test/cudart/app.sh has more of this).
cc -std=gnu17 "$ONCHIP_SOURCE/test/cudart/app.c" -o "$folder/app" "$lib/onchip/cuda/libcudart.so.13"
[[ $("$folder/first/bin/onchip" run "$folder/app" fill 2>/dev/null || (($? == 7))) == '0 wrong' ]]
# One that calls the driver finds its header there, too.
cc -std=gnu17 -I "$lib/onchip/cuda/include" "$ONCHIP_SOURCE/test/libcuda/app.c" -o "$folder/driver" -pthread \
    -L "$lib/onchip/cuda" -lcuda
[[ $("$folder/first/bin/onchip" run --functional -- "$folder/driver" launches 2>/dev/null) == '0 wrong' ]]

# block LANGUAGE PATTERN: doc/use/library.md's first block in it that has a line with this.
block() {
    awk -v fence="\`\`\`$1" -v pattern="$2" '
        $0 == fence { on = 1; text = ""; next }
        $0 == "```" { if (on && text ~ pattern) { printf "%s", text; exit } on = 0 }
        on { text = text $0 "\n" }' "$ONCHIP_SOURCE/doc/use/library.md"
}
cd "$folder"
"$ONCHIP" show ptx saxpy >saxpy.ptx
block c 'onchip.h' >saxpy.c
block console '[$] ./saxpy' | sed '0,/^\$ .\/saxpy$/d' >expected
[[ -s saxpy.ptx && -s saxpy.c && -s expected ]]
unset LD_LIBRARY_PATH LD_RUN_PATH
export PKG_CONFIG_PATH=$lib/pkgconfig
cc -Wall -Werror saxpy.c $(pkg-config --cflags --libs onchip) -o saxpy
./saxpy | diff expected -
grep -qF "=> $lib/libonchip.so" <<<"$(ldd ./saxpy)"
cc -Wall -Werror saxpy.c $(pkg-config --cflags onchip) "$lib/libonchip.a" -pthread -lm -o static
./static | diff expected -

# CMake's find_package, with both libraries.
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(uses_onchip C)
find_package(onchip 0.8 REQUIRED)
add_executable(shared saxpy.c)
target_link_libraries(shared onchip::onchip)
add_executable(whole saxpy.c)
target_link_libraries(whole onchip::static)
END
cmake -S . -B cmake-build -DCMAKE_PREFIX_PATH="$folder/first" >/dev/null
cmake --build cmake-build >/dev/null
for program in shared whole; do cmake-build/$program | diff expected -; done
grep -qF "=> $lib/libonchip.so" <<<"$(ldd cmake-build/shared)"

# Python's module finds the library and the program that were installed with it.
if command -v python3 >/dev/null; then
    cat >both.py <<'END'
import onchip
with onchip.Device(functional=True) as d:
    print(list(d.load("saxpy.ptx")))
print(onchip.run("vectoradd", options={"size": "small"})["verified"])
END
    [[ $(env -u ONCHIP PYTHONPATH="$folder/first/lib/python3/dist-packages" python3 -S both.py) == \
        "['saxpy']"$'\n'True ]]
fi

# Another prefix gets its own onchip.pc, given as a relative path too; in a package ($DESTDIR) it names the prefix.
cmake --install "$ONCHIP_BUILD" --prefix second >/dev/null
second=$folder/second/${lib#"$folder/first/"}
[[ $(PKG_CONFIG_PATH=$second/pkgconfig pkg-config --variable=prefix onchip) == "$folder/second" ]]
DESTDIR=$folder/package cmake --install "$ONCHIP_BUILD" --prefix /opt/onchip >/dev/null
[[ $(sed -n 's/^prefix=//p' package/opt/onchip/*/pkgconfig/onchip.pc) == /opt/onchip ]]
