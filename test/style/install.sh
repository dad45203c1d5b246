#!/bin/bash
# What `cmake --install` leaves works for somebody else: the header and the library, found as pkg-config would.
set -euo pipefail
[[ -e $ONCHIP && -e $ONCHIP_BUILD/libonchip.so && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$ONCHIP_BUILD" --prefix "$folder" >/dev/null
for file in bin/onchip include/onchip.h share/man/man1/onchip.1; do [[ -s $folder/$file ]]; done
lib=$(dirname "$(find "$folder" -name libonchip.a)")
[[ -s $lib/pkgconfig/onchip.pc && -s $lib/libonchip.so && -s $lib/libonchip-sl1.so ]]
cat >"$folder/a.c" <<'C'
#include <onchip.h>
#include <stdio.h>
int main(void) {
    oc_device *device;
    char message[500];
    oc_config config = {.gpu = "no such gpu"};
    return oc_open(&config, &device, message, sizeof message) == OC_OK;
}
C
cc -Wall -Werror -I "$folder/include" "$folder/a.c" -L "$lib" -lonchip -Wl,-rpath,"$lib" -o "$folder/shared"
cc -Wall -Werror -I "$folder/include" "$folder/a.c" "$lib/libonchip.a" -pthread -lm -o "$folder/static"
"$folder/shared"
"$folder/static"
"$folder/bin/onchip" list gpus >/dev/null
