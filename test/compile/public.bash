# public.bash: whole programs as courses, samples and benchmark suites have them, built by onchip cc and run. Each
# compares its results with the host's, and its last word is PASSED. Part K of N takes every Nth.
source "$ONCHIP_SOURCE/test/compile/program.bash"

# part K N
part() {
    local row=0 file name
    for file in "$ONCHIP_SOURCE"/test/compile/public/*.cu; do
        row=$((row + 1)) name=$(basename "$file" .cu)
        ((row % $2 == $1)) || continue
        if ! "$ONCHIP" cc -O2 -arch=sm_80 "$file" -o "$work/$name" >"$work/log" 2>&1; then
            complain "$name: $(head -c 600 "$work/log")"
            continue
        fi
        run run --functional --gpu a100 "$work/$name"
        ((status == 0)) && [[ ${out##*[[:space:]]} == PASSED ]] ||
            complain "$name: exit status $status, it prints ${out: -300} ${err:0:300}"
    done
}
