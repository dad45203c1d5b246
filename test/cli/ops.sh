#!/bin/bash
# onchip list ops says of each instruction what it does, in a few words: the column `what` of src/ptx/ops.def.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
run list ops
# Rows, each on one line: name, section, and the text.
rows=$(awk '/§/ { if (row) print row; row = $0; next } /^ {40}/ { $1 = $1; row = row " " $0 } END { print row }' \
    <<<"$out")
all=$(sed -n 's/.* of \([0-9]*\) instructions of the PTX ISA.*/\1/p' <<<"$out")
(($(wc -l <<<"$rows") == all && all > 180)) || complain "$(wc -l <<<"$rows") rows, and it says $all"
bare=$(grep -vE ' §[0-9.]+ +[a-z0-9][^;]{2,80}; (implemented|refused|not for this machine)' <<<"$rows")
[[ -z $bare ]] || complain "these rows don't say what the instruction does: $bare"
# says NAME WORD …: as the PTX ISA defines it.
says() {
    local word row
    row=$(grep -E "^$1 " <<<"$rows")
    for word in "${@:2}"; do [[ $row == *"$word"* ]] || complain "$1 lacks '$word': $row"; done
}
says popc number bits
says fma product third 'rounded once'
says selp one predicate
says shfl 'another lane'
says mbarrier.init barrier arrivals
says exit 'ends the thread'
says st.bulk zeros refused
exit $bad
