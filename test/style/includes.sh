#!/bin/bash
# Dependencies run one way (doc/extend/design.md). below[x] names the folders right below x; a folder may include its
# own headers and those of every folder reachable downward. Host code of workloads sees work.h and onchip.h alone.
set -euo pipefail
cd "$ONCHIP_SOURCE"

declare -A below=(
    [base]=""
    [names]="base"
    [ptx]="base"
    [link]="ptx"
    [mem]="base"
    [policy]="base"
    [exec]="ptx names"
    [sl1]="ptx"
    [sm]="exec mem policy"
    [energy]="sm"
    [gpu]="energy"
    [chip]="gpu"
    [driver]="names"
    [device]="chip driver"
    [say]="device"
    [probe]="device"
    [serve]="device"
    [cudart]="driver link"
    [libcuda]="cudart"
    [front]=""
    [nvvm]="base"
    [toolkit]="driver"
    [work]="probe sl1"
    [store]="work say"
    [sweep]="store serve compile"
    [advise]="sweep"
    [compare]="store say"
    [figure]="compare"
    [reproduce]="sweep figure"
    [compile]="work link"
    [cli]="reproduce advise compile say"
    [preload]="sl1 driver"
)

# Prints every folder that $1 may include, itself first.
closure() {
    local folder
    echo "$1"
    for folder in ${below[$1]}; do closure "$folder"; done
}

source test/test.bash

for folder in "${!below[@]}"; do
    [[ -d src/$folder ]] || complain "src/$folder is in this test's table and isn't there"
done
for path in src/*/; do
    folder=${path#src/} folder=${folder%/}
    if [[ -z ${below[$folder]+known} ]]; then
        complain "src/$folder isn't in the table of doc/extend/design.md (and of this test)"
        continue
    fi
    allowed=" $(closure "$folder" | sort -u | tr '\n' ' ')"
    while IFS=: read -r file line include; do
        target=${include#*\"} target=${target%%\"*}
        if [[ $target != */* ]]; then
            complain "$file:$line: \"$target\": write the folder too, as in \"$folder/$target\""
        elif [[ $allowed != *" ${target%%/*} "* ]]; then
            complain "$file:$line: $folder may not include \"$target\" (allowed:${allowed% })"
        fi
    done < <(grep -rnE --include='*.[chS]' --include='*.def' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$path" ||
        true)
done

# What a folder's files share among themselves alone.
for header in work/stream.h store/sql.h sweep/wire.h figure/page.h $(cd src && echo */unit.h); do
    [[ -e src/$header ]] || complain "src/$header: no such file; the list of private headers is stale"
    own=src/${header%/*}
    while IFS=: read -r file line include; do
        complain "$file:$line: $header is for the files of $own alone: $include"
    done < <(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*\"$header\"" src | grep -v "^$own/" || true)
done

# A new counter rebuilds those alone who count.
while IFS=: read -r file line include; do
    complain "$file:$line: what all include, or doesn't count, has no counters: $include"
done < <(grep -rnE 'include[[:space:]]*"base/counters\.(h|def)"' src/{base,driver,exec,policy,probe,ptx,sl1} |
    grep -v '^src/base/counters\.[ch]:' || true)

# Inference sees traces, not what answered: the description that is to be recovered is out of its reach.
inference=(curve footprint index infer l2 level policy presence replay sets shape spectrum stairs subject victims)
files=()
for name in "${inference[@]}"; do
    file=src/probe/$name.c
    if [[ -e $file ]]; then
        files+=("$file")
    else
        complain "$file: no such file; the list of inference files is stale"
    fi
done
while IFS=: read -r file line include; do
    complain "$file:$line: an inference file may include probe.h and infer.h of probe, and headers of base: $include"
done < <(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' /dev/null "${files[@]}" |
    grep -vE '"(base/|probe/(probe|infer)\.h)' || true)

# onchip.h comes with probe.h; but what a device can be asked, inference may not ask.
while IFS=: read -r file line text; do
    complain "$file:$line: an inference file may not use the interface to a device: $text"
done < <(grep -nE '\<oc_[a-z]+' /dev/null "${files[@]}" | grep -vE ':[0-9]+:[[:space:]]*//' || true)

# The public header stands alone.
if grep -nE '#[[:space:]]*include[[:space:]]*"' include/onchip.h; then
    complain "include/onchip.h includes our headers"
fi

while IFS=: read -r file line include; do
    complain "$file:$line: a workload may include \"work/work.h\" and headers of workloads/ only: $include"
done < <(grep -rnE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' workloads |
    grep -vE '"(work/work\.h|(\.\./)?[^/"]*\.h)"' || true)

exit $bad
