#!/bin/bash
# blocks.sh [--check] [--long] FILE.md …: runs the code blocks of documents, so that what they show works.
#
# The blocks of a document are taken in order, in a fresh folder where build/onchip and onchip are the program and ~ is
# the folder itself. Output that differs from what stands in the document replaces it; with --check the document stays,
# the difference is printed, and the exit status is 1.
#
#   console   lines "$ …" are run by a shell. What stands below each is its output; numbers of time (tools/times.sed)
#             may differ. Where nothing stands below any of them, each must succeed and its output isn't looked at.
#             For a new transcript write "…" below a command and run this.
#   c         is compiled          ptx    is parsed          json    is parsed
#   sql       is run on results.db, which blocks above it have made, and must find rows
#
# Comments right above a block, a line each, say more:
#
#   <!-- not run: WHY -->       it is left out, and counted
#   <!-- needs: COMMAND -->     it is left out, and counted, where this command fails
#   <!-- file: NAME -->         it becomes a file of the folder
#   <!-- run: COMMAND -->       this is run then, and must succeed
#   <!-- from: FILE -->         it is a passage of this source file
#   <!-- long -->               it is run with --long only
#
# A block of another language, or of none, has "run", "file" or "not run".
#
# A document that has the line <!-- blocks: a copy of the source --> is about changes of onchip itself. It is run with
# --long only, its folder is a copy of the source tree, and what its blocks need is built there. A block can be
#
#   <!-- in: FILE -->                appended to a source file,
#   <!-- in: FILE, after: TEXT -->   put behind the first line that has TEXT,
#   <!-- in: FILE, before: TEXT -->  put in front of that line,
#   <!-- in: FILE, for: TEXT -->     put in the place of that line, or
#   <!-- not in: FILE -->            removed from it.
set -uo pipefail
export LC_ALL=C.UTF-8
source=$(cd "$(dirname "$0")/.." && pwd)
build=${ONCHIP_BUILD:-$source/build}
onchip=${ONCHIP:-$build/onchip}
[[ -x $onchip ]] || { echo "blocks: no $onchip; run ./dev build" >&2; exit 1; }
check='' long=''
while [[ ${1:-} == --* ]]; do
    case $1 in
    --check) check=1 ;;
    --long) long=1 ;;
    *) echo "blocks: no option $1" >&2; exit 2 ;;
    esac
    shift
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0 ran=0 left=0 later=0

complain() {
    echo "$1" >&2
    bad=1
}

# Of the block $blocks/$n: the value of a comment above it, in $value; the status is 1 without.
comment() {
    local line
    value=
    while IFS= read -r line; do
        [[ $line == "<!-- $1: "*' -->' ]] || continue
        line=${line#"<!-- $1: "}
        value+=${value:+$'\n'}${line%' -->'}
    done <"$blocks/$n.comments"
    [[ $value ]]
}

# content FILE: all of it, in $text. (Starting a process for each of the small files takes longer than the blocks do.)
content() { IFS= read -rd '' text <"$1" || true; }

# inside COMMAND: by a shell in the document's folder, as a reader would.
inside() {
    (cd "$folder" && env -u ONCHIP -u ONCHIP_SOURCE -u ONCHIP_BUILD -u XDG_DATA_HOME HOME="$folder" \
        PATH="$scratch/bin:$PATH" bash -c "$1" </dev/null)
}

# must COMMAND: it succeeds, or the block has failed.
must() {
    inside "$1" >"$scratch/output" 2>&1 ||
        complain "$place: $language block: \`$1\` failed: $(tail -n 20 "$scratch/output")"
}

# Takes the commands of a console block apart into $commands, and what stands below each into N.below.
take_apart() {
    local line
    commands=() shown=''
    while IFS= read -r line; do
        if [[ $line == '$ '* ]]; then
            commands+=("${line#'$ '}")
            : >"$scratch/${#commands[@]}.below"
        elif ((${#commands[@]} == 0)); then
            complain "$place: the console block starts with output"
            return 1
        elif [[ ${commands[-1]} == *\\ && ! -s $scratch/${#commands[@]}.below ]]; then
            commands[-1]+=$'\n'$line
        else
            printf '%s\n' "$line" >>"$scratch/${#commands[@]}.below"
            shown=1
        fi
    done <"$blocks/$n"
}

console() {
    local i script='' text below
    take_apart || return
    [[ -z $tree ]] || must "cmake -G Ninja -S . -B build >log && ninja -C build onchip_cli >log || { cat log; exit 1; }"
    # One shell for the block: a variable that is set, or a folder that is gone to, stays.
    for ((i = 1; i <= ${#commands[@]}; i++)); do
        printf '%s' "${commands[i - 1]}" >"$scratch/$i.command"
        script+="eval \"\$(<'$scratch/$i.command')\" >'$scratch/$i.output' 2>&1; echo \$? >'$scratch/$i.status';"
    done
    rm -f "$scratch"/*.status
    inside "$script"
    : >"$blocks/$n.new"
    for ((i = 1; i <= ${#commands[@]}; i++)); do
        printf '$ %s\n' "${commands[i - 1]}" >>"$blocks/$n.new"
        if [[ -z $shown ]]; then
            [[ $(<"$scratch/$i.status") == 0 ]] ||
                complain "$place: \`${commands[i - 1]}\` failed: $(tail -n 20 "$scratch/$i.output")"
            continue
        fi
        content "$scratch/$i.below"
        below=$text
        content "$scratch/$i.output"
        if [[ $text != "$below" ]]; then
            sed -E -f "$source/tools/times.sed" "$scratch/$i.below" >"$scratch/want"
            sed -E -f "$source/tools/times.sed" "$scratch/$i.output" >"$scratch/got"
        fi
        if [[ $text == "$below" ]] || cmp -s "$scratch/want" "$scratch/got"; then
            printf '%s' "$below" >>"$blocks/$n.new"
        else
            cat "$scratch/$i.output" >>"$blocks/$n.new"
            changed=1
            [[ -z $check ]] || complain "$place: \`${commands[i - 1]}\` prints something else ($refresh):
$(diff -u --label "$document" --label now "$scratch/want" "$scratch/got")"
        fi
    done
}

# Puts a block into a source file of the copy: edit FILE [HOW TEXT].
edit() {
    local file=$folder/$1 how=${2:-} text=${3:-} line
    [[ -f $file ]] || { complain "$place: there is no $1"; return; }
    case $how in
    '') cat "$blocks/$n" >>"$file" ;;
    after | before | for)
        line=$(grep -nF -m 1 -e "$text" "$file" | cut -d : -f 1)
        [[ $line ]] || { complain "$place: $1 has no line with '$text'"; return; }
        {
            head -n $([[ $how == after ]] && echo "$line" || echo $((line - 1))) "$file"
            cat "$blocks/$n"
            tail -n +$([[ $how == before ]] && echo "$line" || echo $((line + 1))) "$file"
        } >"$scratch/edited"
        cat "$scratch/edited" >"$file"
        ;;
    without)
        while IFS= read -r text; do
            grep -qxF -e "$text" "$file" || complain "$place: $1 has no line '$text'"
        done <"$blocks/$n"
        grep -vxF -f "$blocks/$n" "$file" >"$scratch/edited"
        cat "$scratch/edited" >"$file"
        ;;
    esac
}

# Runs block $n, which starts in line $line and is in $language.
block() {
    local name='' value text file
    if comment 'not run'; then
        left=$((left + 1))
        echo "$place: not run: $value"
        return
    fi
    if comment needs && ! inside "$value" &>/dev/null; then
        left=$((left + 1))
        echo "$place: not run: \`$value\` fails here"
        return
    fi
    content "$blocks/$n.comments"
    if [[ -z $long && $'\n'$text == *$'\n<!-- long -->\n'* ]]; then
        later=$((later + 1))
        return
    fi
    ran=$((ran + 1))
    if comment in; then
        case $value in
        *', after: '*) edit "${value%%, after: *}" after "${value#*, after: }" ;;
        *', before: '*) edit "${value%%, before: *}" before "${value#*, before: }" ;;
        *', for: '*) edit "${value%%, for: *}" for "${value#*, for: }" ;;
        *) edit "$value" ;;
        esac
        return
    fi
    if comment 'not in'; then
        edit "$value" without
        return
    fi
    if comment from; then
        [[ -f $source/$value && $(<"$source/$value") == *"$(<"$blocks/$n")"* ]] ||
            complain "$place: this isn't in $value"
        return
    fi
    if comment file; then
        name=$value
        mkdir -p "$(dirname "$folder/$name")"
        cp "$blocks/$n" "$folder/$name"
    fi
    file=${name:-block.$language}
    [[ $name || $language == console ]] || cp "$blocks/$n" "$folder/$file"
    case $language in
    console) console ;;
    c) [[ $tree ]] || must "cc -std=c17 -Wall -Wextra -Werror -fsyntax-only -I '$source/include' '$file'" ;;
    ptx) must "onchip show ptx '$file'" ;;
    json) must "jq . '$file'" ;;
    sql) must "sqlite3 -bail -readonly results.db <'$file' | grep ." ;;
    *)
        [[ $name ]] || comment run ||
            complain "$place: nothing tells how to run this block: <!-- run: COMMAND -->, or
    <!-- file: NAME --> for the commands below it, or <!-- not run: WHY -->"
        ;;
    esac
    if comment run; then must "$value"; fi
}

# A reader's folder, and the commands in it. Nothing is installed: dpkg-query says that all is there.
prepare() {
    rm -rf "$scratch/bin" "$folder"
    mkdir -p "$scratch/bin" "$folder"
    if [[ $tree ]]; then
        (cd "$source" &&
            cp -r dev CMakeLists.txt cmake cuda doc examples gpus include reproduce src test tools workloads "$folder")
        printf '#!/bin/sh\nprintf installed\n' >"$scratch/bin/dpkg-query"
        chmod +x "$scratch/bin/dpkg-query"
    else
        ln -s "$build" "$folder/build"
        ln -s "$onchip" "$scratch/bin/onchip"
    fi
}

for document in "$@"; do
    blocks=$scratch/blocks folder=$scratch/folder tree='' changed=''
    refresh="refresh: bash tools/blocks.sh $document"
    if grep -qx '<!-- blocks: a copy of the source -->' "$document"; then
        tree=1
        if [[ -z $long ]]; then
            later=$((later + $(grep -c '^```.' "$document")))
            continue
        fi
    fi
    rm -rf "$blocks"
    mkdir "$blocks"
    awk -v to="$blocks/" '
        /^ +```/ { print FILENAME ":" FNR ": a block starts at the beginning of a line" >"/dev/stderr"; exit 1 }
        /^```/ && !on {
            on = 1; n++
            print n, FNR, substr($0, 4)
            printf "%s", comments >(to n ".comments")
            printf "" >(to n)
            next
        }
        /^```$/ { on = 0; comments = ""; close(to n); close(to n ".comments"); next }
        on { print >(to n); next }
        { comments = /^<!-- .* -->$/ ? comments $0 "\n" : "" }
    ' "$document" >"$scratch/list" || { bad=1; continue; }
    prepare
    while read -r n line language; do
        place=$document:$line
        block
    done <"$scratch/list"
    if [[ $changed && -z $check ]]; then
        awk -v from="$blocks/" '
            /^```/ && !on {
                on = 1; n++; file = from n ".new"; print; made = 0
                while ((getline text <file) > 0) { print text; made = 1 }
                next
            }
            /^```$/ { on = 0 }
            !on || !made
        ' "$document" >"$scratch/new" && cat "$scratch/new" >"$document"
        echo "$document: written anew"
    fi
done
echo "$ran blocks run, $left not run, $later with --long only"
exit $bad
