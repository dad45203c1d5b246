#!/bin/bash
# A program that needs a library of NVIDIA's which isn't there isn't started: the error names the library, and says what
# to do. One that the dynamic linker finds is the program's own affair.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
mkdir own
echo 'int other(void) { return 5; }' >other.c
echo 'int other(void); int main(void) { return other(); }' >main.c
# program NAME [OPTION…]: ./app, which needs the library NAME, out of the folder own; without its name it needs none.
program() {
    cc -shared -Wl,-soname,"$1" other.c -o "own/$1" && cc main.c "own/$1" "${@:2}" -o app || exit 1
}
# refused NAME TEXT: ./app isn't started, and the error has the text
refused() {
    told=$("$ONCHIP" run ./app 2>&1)
    [[ $? == 1 && $told == *"./app needs $1, which isn't there: "*"$2"*'hint: '*LD_LIBRARY_PATH* ]] ||
        complain "$1: $told"
}
for case in libcublas.so.10:'libcublas.so.11, libcublas.so.12, libcublas.so.13' libcufft.so.9:libcufft.so.11 \
    libcurand.so.9:libcurand.so.10 libnvrtc.so.10.2:libnvrtc.so.13 libcuda.so.7:libcuda.so.1 \
    libcudnn.so.8:'has none in its place'; do
    program "${case%%:*}"
    refused "${case%%:*}" "${case#*:}"
done
program libcublas.so.10
# It is there by the environment, beside the program, or where the file itself says.
LD_LIBRARY_PATH=$PWD/own "$ONCHIP" run ./app >log 2>&1
[[ $? == 5 ]] || complain "with LD_LIBRARY_PATH: $(<log)"
for place in '$ORIGIN/own' "$PWD/own" "/nowhere:$PWD/own"; do
    program libcublas.so.10 -Wl,-rpath,"$place"
    "$ONCHIP" run ./app >log 2>&1
    [[ $? == 5 ]] || complain "with the path $place: $(<log)"
done
program libcublas.so.10 -Wl,-rpath,/nowhere
refused libcublas.so.10 libcublas.so.13
# Others' libraries are none of onchip's affair: the dynamic linker says that one isn't there.
program libcurious.so.4
told=$("$ONCHIP" run ./app 2>&1)
[[ $told == *libcurious.so.4* && $told != *"which isn't there"* ]] || complain "libcurious: $told"
exit $bad
