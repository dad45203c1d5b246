#!/bin/bash
# No document, no public header and no help text has a phrase at which newcomers stumble. Each has a plainer one:
# instead of (in place of), on average (in the mean), in the same way (likewise), a sentence of its own (…, of which),
# the noun (of those that), issues or is released (is let go). Code blocks aren't looked at.
set -euo pipefail
[[ -e $ONCHIP ]] || exit 77
cd "$ONCHIP_SOURCE"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
phrases='\b(in place of|in the mean|likewise|of those that|(is|are) let go)\b|, of which\b'

# stumbles NAME <TEXT: prints each phrase of the text with what stands around it, even where a line ends within it.
stumbles() {
    sed '/^ *```/,/^ *```$/d; s,^ *//,,' | tr -s '[:space:]' ' ' | grep -oiE ".{0,40}($phrases).{0,30}" |
        sed "s|^|$1: … |" || true
}

{
    while IFS= read -r file; do
        stumbles "$file" <"$file"
    done < <(find ./*.md doc include \( -name '*.md' -o -name '*.1' -o -name '*.h' \) | sort)
    for verb in run sweep db report reproduce probe sl1 list show; do
        stumbles "onchip $verb --help" < <("$ONCHIP" "$verb" --help)
    done
    for list in workloads gpus schedulers policies; do
        stumbles "onchip list $list" < <("$ONCHIP" list $list)
    done
} >"$folder/found"

# The test itself finds a phrase across lines, and none in a code block.
own=$(printf '%s\n' 'one, in place' 'of two' '```' 'likewise' '```' | stumbles itself)
[[ $own == *"in place of"* && $own != *likewise* ]] || echo "the test finds something else: $own" >>"$folder/found"

cat "$folder/found" >&2
[[ ! -s $folder/found ]]
