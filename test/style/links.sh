#!/bin/bash
# Every link and every path of a document leads somewhere: relative links and their anchors in all documents; paths
# doc/… in all texts of the tree. doc/README.md has a line for each page.
set -euo pipefail
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
cd "$ONCHIP_SOURCE"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# anchors FILE: of its headings, as GitHub makes them.
anchors() {
    sed -nE '/^```/,/^```$/d; s/^#+ +//p' "$1" | tr '[:upper:]' '[:lower:]' |
        sed -E 's/\[([^]]*)\]\([^)]*\)/\1/g; s/[^[:alnum:] _-]//g; s/ /-/g'
}

# has FILE ANCHOR: one of its headings is that.
declare -A of=()
has() {
    [[ ${of[$1]+known} ]] || of[$1]=$'\n'$(anchors "$1")$'\n'
    [[ ${of[$1]} == *$'\n'"$2"$'\n'* ]]
}

# wrong_links FILE …: prints each link that leads nowhere.
wrong_links() {
    local file link path anchor
    for file in "$@"; do
        while IFS= read -r link; do
            path=${link%%#*} anchor=
            [[ $link != *'#'* ]] || anchor=${link#*#}
            [[ $path != *:* ]] || continue
            if [[ $path ]]; then path=${file%/*}/$path; else path=$file; fi
            if [[ ! -e $path ]]; then
                echo "$file: $link doesn't exist"
            elif [[ $anchor ]] && ! has "$path" "$anchor"; then
                echo "$file: $path has no heading '$anchor'"
            fi
        done < <(sed '/^```/,/^```$/d' "$file" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//')
    done
}

# wrong_paths: also checks paths that stand in texts, such as a comment's "doc/reference/gpu.md".
wrong_paths() {
    local path
    grep -rhoE '\bdoc/[a-z0-9/-]+(\.(md|svg|csv|json|png|1)\b)' README.md CONTRIBUTING.md CMakeLists.txt dev cmake doc \
        examples gpus include reproduce src test tools workloads | sort -u |
        while IFS= read -r path; do
            [[ -e $path ]] || echo "there is no $path: $(grep -rlF -e "$path" src test doc tools gpus reproduce ./*.md)"
        done
}

mapfile -t documents < <(find ./*.md doc -name '*.md' | sort)
wrong_links "${documents[@]}" >"$folder/wrong"
wrong_paths >>"$folder/wrong"
index=$(<doc/README.md)
for page in $(cd doc && find . -mindepth 2 -name '*.md'); do
    [[ $index == *"](${page#./})"* && ${index#*"](${page#./})"} != *"](${page#./})"* ]] ||
        echo "doc/README.md hasn't one line for $page" >>"$folder/wrong"
done
# The test itself finds a wrong file and a wrong heading, and no others.
printf '%s\n' '# A b' '[x](a.md#a-b) [x](#a-b) [x](https://a) [x](b.md)' '[x](#b)' >"$folder/a.md"
[[ $(wrong_links "$folder/a.md" | wc -l) == 2 ]] || echo "the test finds something else" >>"$folder/wrong"

cat "$folder/wrong" >&2
[[ ! -s $folder/wrong ]]
