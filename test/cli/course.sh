#!/bin/bash
# onchip course: it writes nine programs of under 40 lines, leaves a file that somebody has mended, and says why it
# can't write. That each one has its flaw, and that the cure helps, doc/use/course.md shows (style/docs_course).
set -uo pipefail
cd "$ONCHIP_SOURCE"
. test/test.bash
cd "$work"

"$ONCHIP" course lessons >said || complain "it fails"
[[ $(ls lessons) == "$(cd "$ONCHIP_SOURCE/course" && ls ./*.cu | cut -c 3-)" && $(ls lessons | wc -l) == 9 ]] ||
    complain "it writes $(ls lessons)"
for file in lessons/*.cu; do
    cmp -s "$file" "$ONCHIP_SOURCE/course/$(basename "$file")" || complain "$file is another"
    (($(wc -l <"$file") < 40)) || complain "$file has 40 lines or more"
    grep -q "^$file  *[a-z]" said || complain "it doesn't say what $file is about"
done
echo '// mended' >>lessons/2-bounds.cu
"$ONCHIP" course lessons >said || complain "it fails when the folder is there"
grep -q '^lessons/2-bounds.cu .*stays' said || complain "it doesn't say that a mended file stays"
grep -q mended lessons/2-bounds.cu || complain "it writes over a mended file"
"$ONCHIP" course one two 2>said && complain "it takes two folders"
grep -q "'two' is one too many" said || complain "two folders: $(cat said)"
"$ONCHIP" course lessons/1-threads.cu 2>said && complain "it takes a file for a folder"
grep -q 'lessons/1-threads.cu' said || complain "a file for a folder: $(cat said)"
exit $bad
