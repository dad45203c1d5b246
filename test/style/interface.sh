#!/bin/bash
# What a program was compiled against is still there in a library of the same SONAME: test/style/interface lists the
# functions that it exports, the structures of onchip.h with each field's offset, and the values of its enumerations,
# as clang sees them. A structure may only grow, behind its old end (padding there has no value that could be relied
# on); functions and values may be added. Python's module declares the same structures, to the byte.
# ONCHIP_REFRESH=1 writes the list, if nothing of it was lost.
command -v clang >/dev/null || exit 77
source "$ONCHIP_SOURCE/test/test.bash"
cd "$ONCHIP_SOURCE" || exit 1
list=test/style/interface
{
    sed -nE 's/.*SOVERSION ([0-9]+)$/soname \1/p' CMakeLists.txt
    clang -fsyntax-only -Xclang -fdump-record-layouts-complete -x c include/onchip.h | awk '
        /\| struct oc_/ { name = $4; next }
        name && /sizeof=/ { match($0, /sizeof=[0-9]+/); print "size " name " " substr($0, RSTART + 7, RLENGTH - 7) }
        name && $2 == "|" && /^ +[0-9]+ \|   [^ ]/ { field = $NF; at = $1; $1 = $2 = $NF = ""; gsub(/^ +| +$/, "")
            print "field " name "." field " " at " " $0 }
        /^$/ { name = "" }'
    clang -fsyntax-only -fno-color-diagnostics -Xclang -ast-dump -x c include/onchip.h | awk '
        constant && /value: Int/ { value = $NF }
        constant && /Decl/ { print "value " constant, value++; constant = "" }
        /EnumDecl/ { value = 0 }
        /EnumConstantDecl/ { match($0, /OC_[A-Z0-9_]+/); constant = substr($0, RSTART, RLENGTH) }
        /FunctionDecl.* oc_[a-z_]+ .*\)'"'"'$/ { sub(/^[^'"'"']* oc_/, "oc_"); print "function " $0 }'
} >"$work/now"
(($(grep -c '^function' "$work/now") > 40 && $(grep -c '^field' "$work/now") > 100)) ||
    complain 'clang shows too little'

# lost WAS NOW: what NOW has no longer, or at another place; and what has grown into old padding.
lost() {
    awk '
        FNR == 1 { file++ }
        file == 1 { was[$0]; if ($1 == "size") size[$2] = $3; next }
        { now[$0] }
        $1 == "size" { bytes[$2] = $3 }
        $1 == "field" && !($0 in was) { split($2, part, "."); if (part[1] in size && $3 < size[part[1]])
            print $2 " is new, and lies before the old end of " part[1] }
        END {
            for (line in was) {
                split(line, word, " ")
                grown = word[1] == "size" && bytes[word[2]] > word[3] && word[2] !~ /^oc_(dim3|tex_level|place)$/
                if (!(line in now) && !grown) print "lost: " line
            }
        }' "$@"
}
if [[ $(head -n 1 $list) == "$(head -n 1 "$work/now")" ]]; then
    gone=$(lost $list "$work/now")
    [[ -z $gone ]] || complain "the interface has changed: raise SOVERSION in CMakeLists.txt"$'\n'"$gone"
fi
[[ -z ${ONCHIP_REFRESH:-} || $bad != 0 ]] || cp "$work/now" $list
diff $list "$work/now" >"$work/diff" ||
    complain "test/style/interface isn't up to date: ONCHIP_REFRESH=1 writes it"$'\n'"$(cat "$work/diff")"
# The check itself: it sees a field that has moved, one in old padding, and a function that is gone.
sed -e 's/^field oc_config.gpu 8/field oc_config.gpu 16/' -e '/^function oc_malloc /d' \
    -e '$a field oc_config.more 97 _Bool' "$work/now" >"$work/wrong"
(($(lost "$work/now" "$work/wrong" | wc -l) == 4)) || complain 'the check overlooks a change'

export PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1
python3 -S - "$work/now" <<'END' || complain 'python/onchip/_library.py is wrong'
import ctypes, sys
from onchip import _library as onchip
rows = [line.split() for line in open(sys.argv[1])]
lines, good = {(r[0], r[1]): int(r[2]) for r in rows if r[0] in ("field", "size")}, True
kinds = {k for k in vars(onchip).values() if isinstance(k, type) and issubclass(k, ctypes.Structure)}
for kind in kinds:
    name = {"_Dim3": "oc_dim3"}.get(kind.__name__) or "oc" + "".join(
        "_" + c.lower() if c.isupper() else c for c in kind.__name__.lstrip("_"))
    theirs = {f: at for (what, f), at in lines.items() if what == "field" and f.startswith(name + ".")}
    ours = {f"{name}.{f[0]}": getattr(kind, f[0]).offset for f in kind._fields_}
    if theirs != ours or lines.get(("size", name)) != ctypes.sizeof(kind):
        print(f"{name}: {sorted(set(ours.items()) ^ set(theirs.items()))}, {ctypes.sizeof(kind)} bytes",
              file=sys.stderr)
        good = False
exported = {r[1] for r in rows if r[0] == "function"}
unknown = set(onchip._FUNCTIONS) - exported
if unknown or len(kinds) < 8:
    print("not in onchip.h:", unknown, file=sys.stderr)
sys.exit(not good or bool(unknown) or len(kinds) < 8)
END
exit $bad
