#!/bin/bash
# A program's memory has the name of the variable that gets its address, and of the line, where there is debug
# information (names.c says which); else that of the kernel's parameter.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] && command -v addr2line >/dev/null || exit 77
now=cc
source=$ONCHIP_SOURCE/test/cudart/names.c
expected=$(sed -n '/^int main/,$ s|^.*// \(.*\)$|\1|p' "$source" | tr -d ' ' | tr , '\n' | sort)

# structures FILE: the names in a report, but for that of constants.
structures() { jq -r '.kernels[].structures[].name | select(. != "other")' "$1" | sort; }
# build OPTION …
build() {
    now="cc $*"
    cc -std=gnu17 -w "$@" "$ONCHIP_SOURCE/test/cudart/names.c" -o names "$ONCHIP_BUILD/cuda/libcudart.so.13" || exit 1
}
# named: each name is there, with a line near which the source has it.
named() {
    local found name line
    found=$(structures err)
    [[ $(sed 's/ names\.c:[0-9]*$//' <<<"$found") == "$expected" ]] || complain "$found"
    while read -r name line; do
        [[ $(sed -n "$((line - 2)),$((line + 2))p" "$source") == *"$name"* ]] || complain "$name $line"
    done < <(sed 's/names.c://' <<<"$found")
}
for options in '-g -O0' '-g -O2' '-g -O1 -no-pie'; do
    # shellcheck disable=SC2086
    build $options
    run --json ./names
    named
done
build -O2
run --json ./names
[[ $(structures err | sort -u) == x ]] || complain "without -g: $(structures err)"

# The source is gone: the lines stay. addr2line is gone: the parameters.
mkdir -p test/cudart && cp "$ONCHIP_SOURCE"/test/cudart/{names.c,app.c,built.h} test/cudart && ONCHIP_SOURCE=.
build -g -O0
rm -r test
run --json ./names
[[ $(structures err | sort -u | grep -c '^names\.c:[0-9]*$') == 4 ]] || complain "$(structures err)"
mkdir empty
now='without addr2line'
PATH=empty "$onchip" run --json ./names 2>err
[[ $(structures err | sort -u) == x ]] || complain "$(structures err)"
exit $bad
