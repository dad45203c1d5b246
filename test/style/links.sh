#!/bin/bash
# Every link and every path of a document leads somewhere: relative links and their anchors in all documents; paths
# doc/… in all texts of the tree. doc/README.md has a line for each page. Files and functions that documents name in
# `code` are there.
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

# dead_names FILE …: prints what stands as `code` in a document, and isn't in the tree: a name of a file, unless a
# document makes it; NAME(); and, in a paragraph or an item of doc/extend that names files of src/, a word that isn't
# in one of these, or with _ in it nowhere in the sources. Comments of the sources don't count.
dead_names() {
    find src include cuda workloads tools test examples doc findings -type f >"$folder/files"
    ls >>"$folder/files"
    grep -rhoE '<!-- file: [^ ]+' README.md doc | cut -d ' ' -f 3 >>"$folder/files"
    find src include cuda workloads \( -name '*.[ch]' -o -name '*.def' \) -exec sed 's,//.*,,' {} + |
        grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u >"$folder/words"
    awk -v files="$folder/files" -v words="$folder/words" '
        function known(name,    pattern, n, k) {  # how many files have that name; they are found[1] and so on
            pattern = name
            gsub(/[.]/, "[.]", pattern)
            gsub(/[*]/, "[^/]*", pattern)
            n = 0
            for (k in file) if (k ~ "(^|/)" pattern "$") found[++n] = k
            return n
        }
        function has(path, word,    line, any) {
            if (!((path, "") in of)) {
                of[path, ""]
                while ((getline line < path) > 0) {
                    sub("//.*", "", line)
                    gsub(/[^A-Za-z0-9_]+/, " ", line)
                    n = split(line, w, " ")
                    for (k = 1; k <= n; k++) of[path, w[k]]
                }
                close(path)
            }
            return (path, word) in of
        }
        function item_ends(    k, j, good) {
            for (k = 1; k <= names && sources; k++) {
                good = name[k] ~ /_/ && name[k] in word
                for (j = 1; j <= sources && !good; j++) good = has(source[j], name[k])
                if (!good) print FILENAME ": `" name[k] "` isn'"'"'t in " source[1] (sources > 1 ? " and others" : "")
            }
            names = sources = 0
        }
        BEGIN {
            n = split("alloca measure ptxas", list, " ")  # no names of ours
            for (k = 1; k <= n; k++) other[list[k]]
            while ((getline line < files) > 0) file[line]
            while ((getline line < words) > 0) word[line]
        }
        FNR == 1 { item_ends(); code = 0 }
        /^ *```/ { code = !code; next }
        code { next }
        /^ *$|^ *([0-9]+[.]|[-*]) |^\|/ { item_ends() }
        {
            n = split($0, part, "`")
            for (k = 2; k <= n; k += 2) {
                one = part[k]
                if (one ~ /^[A-Za-z0-9_.\/*-]+[.](c|h|def|sh|md)$/) {
                    count = known(one)
                    if (!count) print FILENAME ": there is no `" one "`"
                    for (j = 1; j <= count; j++)
                        if (found[j] ~ /^(src|include)\//) source[++sources] = found[j]
                } else if (one ~ /^[a-z_][a-z0-9_]*\(\)$/) {
                    if (!(substr(one, 1, length(one) - 2) in word)) print FILENAME ": there is no `" one "`"
                } else if (FILENAME ~ /extend\// && !/^\|/ && !(one in other) && one ~ /^[a-z][a-z0-9_]+$/) {
                    name[++names] = one
                }
            }
        }
        END { item_ends() }' "$@"
}

mapfile -t documents < <(find ./*.md doc -name '*.md' | sort)
wrong_links "${documents[@]}" >"$folder/wrong"
wrong_paths >>"$folder/wrong"
dead_names $(find README.md CONTRIBUTING.md doc -name '*.md') >>"$folder/wrong"
index=$(<doc/README.md)
for page in $(cd doc && find . -mindepth 2 -name '*.md'); do
    [[ $index == *"](${page#./})"* && ${index#*"](${page#./})"} != *"](${page#./})"* ]] ||
        echo "doc/README.md hasn't one line for $page" >>"$folder/wrong"
done
# The test itself finds a wrong file and a wrong heading, and no others.
printf '%s\n' '# A b' '[x](a.md#a-b) [x](#a-b) [x](https://a) [x](b.md)' '[x](#b)' >"$folder/a.md"
[[ $(wrong_links "$folder/a.md" | wc -l) == 2 ]] || echo "the test finds something else" >>"$folder/wrong"

mkdir "$folder/extend"
printf '%s\n' \
    '1. `sm/issue.c`: `choose_warp` calls `exec_step`; `issue.h`, `none.md`, `no_such_call()`, `dram_put()`.' \
    '2. `mem/dram.c`: `dram_put`, `choose`.' >"$folder/extend/a.md"
[[ $(dead_names "$folder/extend/a.md" | wc -l) == 4 ]] || echo "the test finds other names" >>"$folder/wrong"

cat "$folder/wrong" >&2
[[ ! -s $folder/wrong ]]
