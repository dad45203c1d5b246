#!/bin/bash
# The documentation says what the program does. The generated pages are what tools/docs.sh makes now. Every code block
# of a document works, and prints what stands there but for numbers of time (tools/blocks.sh). style/docs_use has the
# pages of doc/use and doc/results, style/docs_extend those of doc/extend, and style/fields the fields of the JSON.
set -euo pipefail
[[ -z ${ONCHIP_SANITIZED:-} && -e $ONCHIP_BUILD/libonchip.a ]] || exit 77
cd "$ONCHIP_SOURCE"
source "$ONCHIP_SOURCE/test/test.bash"

mapfile -t documents < <(find doc/reference -name '*.md' | sort)
bash tools/docs.sh --check README.md CONTRIBUTING.md doc/reference/onchip.1 "${documents[@]}" || bad=1

# tools/blocks.sh finds what is wrong with a block, says where, and writes output anew.
cat >"$work/wrong.md" <<'END'
```console
$ echo right
wrong
$ echo 'simulated in 1.5 s'
simulated in 0.1 s
```
```console
$ false
```
<!-- file: a.c -->
```c
int main(void) { return missing; }
```
```json
{"a": }
```
<!-- not run: a reason -->
```console
$ false
```
```ini
[a]
```
END
cp "$work/wrong.md" "$work/refreshed.md"
if bash tools/blocks.sh --check "$work/wrong.md" >"$work/log" 2>&1; then
    complain "tools/blocks.sh finds nothing wrong"
fi
for text in ':1: `echo right` prints something else' '+right' ':7: `false` failed' ':11: c block' ':14: json block' \
    ':18: not run: a reason' ':21: nothing tells how' '5 blocks run, 1 not run'; do
    grep -qF -e "$text" "$work/log" || complain "tools/blocks.sh doesn't say '$text': $(<"$work/log")"
done
if grep -F 'simulated in' "$work/log" | grep '^[-+]'; then complain "tools/blocks.sh compares time"; fi
if bash tools/blocks.sh "$work/refreshed.md" &>/dev/null; then
    complain "tools/blocks.sh finds nothing wrong when it writes"
fi
sed '3s/wrong/right/' "$work/wrong.md" | diff - "$work/refreshed.md" >&2 ||
    complain "tools/blocks.sh doesn't write what is printed"

# tools/docs.sh writes what stands between markers, says what is stale, and refuses a marker without end.
printf '%s\n' '<!-- begin: echo right -->' wrong '<!-- end -->' >"$work/marked.md"
if bash tools/docs.sh --check "$work/marked.md" &>"$work/log"; then complain "tools/docs.sh takes a stale page"; fi
grep -qx -e '-wrong' "$work/log" || complain "tools/docs.sh --check: $(<"$work/log")"
bash tools/docs.sh "$work/marked.md" >/dev/null
[[ $(sed -n 3p "$work/marked.md") == right ]] || complain "tools/docs.sh writes $(<"$work/marked.md")"
for end in '<!-- begin: echo no end -->' '<!-- begin: false -->'; do
    printf '%s\n' "$end" >"$work/open.md"
    if bash tools/docs.sh "$work/open.md" &>"$work/log"; then complain "tools/docs.sh takes '$end'"; fi
    [[ $(<"$work/open.md") == "$end" ]] || complain "tools/docs.sh writes a page in spite of an error"
done

# The schema's tables fail where a column has no sentence.
sed 's/ -- the kernel$//' src/store/schema/1.sql >"$work/bare.sql"
if awk -f tools/schema.awk "$work/bare.sql" >/dev/null 2>"$work/log"; then
    complain "tools/schema.awk misses columns without sentence"
fi
grep -q "bare.sql:[0-9]*: column counter.kernel_id has no sentence" "$work/log" ||
    complain "tools/schema.awk: $(cat "$work/log")"

# The functions that work.h has for workloads are those of doc/extend/adding.md's table.
sed '/^\/\/ --- stream.c/q' src/work/work.h | grep -oE '\bwork_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$work/declared"
sed -n 's/^| `work_/work_/p' doc/extend/adding.md | cut -d'|' -f1 | grep -oE 'work_[a-z0-9_]+' | sort \
    >"$work/listed" || true
diff --label work.h --label doc/extend/adding.md "$work/declared" "$work/listed" >&2 ||
    complain "doc/extend/adding.md doesn't list work.h's functions once each"

exit $bad
