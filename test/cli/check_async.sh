#!/bin/bash
# --check of asynchronous work: the files of async/, each a kernel that is right and its twin that is wrong in one
# place. A line that ends in "// right" is only in the one, in "// wrong" only in the other. At the top:
#   // run: OPTIONS    of onchip run
#   // finds: KIND …   the wrong one has findings of these kinds, or of one of KIND|KIND; others may follow from them
# What is right and wrong comes from the PTX ISA: its memory model (§8), cp.async (§9.7.9.25.3), copies in bulk
# (§9.7.9.25.4–6), mbarrier (§9.7.13.15), wgmma (§9.7.15) and membermasks (§9.7.9.6).
source "$ONCHIP_SOURCE/test/cli/expect.bash"
kernels=("$ONCHIP_SOURCE"/test/cli/async/*.ptx)
((${#kernels[@]} >= 30)) || complain "there are only ${#kernels[@]} kernels"
# Sums whose registers have high numbers: those of a kernel that uses ten thousand others before.
awk '/\.reg / { print "    .reg .b32 %u<10000>;" }
    { print }
    /bar\.sync 0/ { for (k = 0; k < 10000; k++) printf "    mov.u32 %%u%d, 0;\n", k }
' "$ONCHIP_SOURCE/test/cli/async/product_sums.ptx" >"$work/product_many.ptx"
kernels+=("$work/product_many.ptx")
for file in "${kernels[@]}"; do
    name=$(basename "$file" .ptx)
    eval "options=($(sed -n 's,^// run:,,p' "$file"))"
    read -ra finds < <(sed -n 's,^// finds: ,,p' "$file")
    grep -v '// wrong$' "$file" >"$work/$name.right.ptx"
    grep -v '// right$' "$file" >"$work/$name.wrong.ptx"
    for twin in right wrong; do
        for mode in "" --functional; do
            # shellcheck disable=SC2086
            "$ONCHIP" run "$work/$name.$twin.ptx" "${options[@]}" --check --json $mode >"$work/json" 2>"$work/err"
            got=$(jq -r '[.kernels[].findings[].kind] | unique | join(" ")' "$work/json")
            [[ $twin == wrong || ! $got ]] || complain "$name, right, '$mode': '$got' ($(head -c 300 "$work/err"))"
            for kind in "${finds[@]}"; do
                [[ $twin == right || " $got " =~ \ ($kind)\  ]] ||
                    complain "$name, wrong, '$mode': '$got', not '$kind' ($(head -c 300 "$work/err"))"
            done
        done
    done
done
exit $bad
