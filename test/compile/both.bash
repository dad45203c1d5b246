# both.bash: the programs of test/programs, which nvcc has built (test/programs/programs.sh), built by onchip cc: what
# they print, and what onchip says of them, is the same. Part K of N takes every Nth.
source "$ONCHIP_SOURCE/test/compile/program.bash"
folder=$ONCHIP_SOURCE/test/programs
# host_memory waits for a kernel's loop, of which clang makes one eight times as short: it joins 8 rounds' products.
apart='host_memory'

# target TARGET COMPILER: in $arch what the compiler makes of nvcc's target: the older clang knows none over sm_86.
target() {
    arch=-arch=sm_$1
    [[ $2 != clang || $1 != 9* ]] || arch=-arch=sm_80
}

# part K N
part() {
    local row=0 name options run exits text packed target more compiler arch
    while IFS='|' read -r name options run exits text; do
        read -r name <<<"$name"
        [[ $name && $name != '#'* ]] || continue
        read -r packed target more <<<"$options"
        [[ -z $packed ]] || row=$((row + 1))
        ((row % $2 == $1)) && [[ " $apart " != *" $name "* ]] || continue
        if [[ $packed ]]; then
            compiler=clang
            case $name in  # bulk copies and wgmma, large parameters, and code for several targets
            bulk | clusters | parameters | targets | wgmma) compiler=clang-19 ;;
            esac
            command -v "$compiler" >/dev/null || continue
            target "$target" "$compiler"
            more=${more/-gencode arch=compute_100f,code=compute_100f/}
            # shellcheck disable=SC2086
            (cd "$folder" && "$ONCHIP" cc -O2 -std=c++17 -ccbin "$compiler" $arch $more "$name.cu" -o "$work/$name") \
                >"$work/log" 2>&1 || complain "$name: $(head -c 600 "$work/log")"
        fi
        [[ -e $work/$name && $run != *100f* ]] || continue
        # shellcheck disable=SC2086
        run run $run "$work/$name"
        same "$folder/$name.out"
        [[ $status == $((exits)) ]] || complain "$name$run: the exit status is $status, not $((exits)): ${err:0:300}"
        IFS=';' read -ra texts <<<"${text//param_1/in}"  # clang's parameters have names
        for text in "${texts[@]}"; do
            read -r text <<<"$text"
            [[ $(tr -s ' \n' ' ' <<<"$err") == *"$(tr -s ' ' <<<"$text")"* ]] ||
                complain "$name$run doesn't say '$text'"
        done
    done <"$folder/list"
}

same() {
    local want='0 wrong'
    [[ ! -e $1 ]] || want=$(<"$1")
    [[ $out == "$want" ]] || complain "$name$run prints ${out:0:300} ${err:0:300}"
}
