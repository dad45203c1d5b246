#!/bin/bash
# What isn't a store, or can't be one, is refused with a reason, and stays as it was to the byte.
set -euo pipefail
source "$ONCHIP_SOURCE/test/test.bash"
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
sweep() { "$ONCHIP" sweep --program vectoradd --size small n=32 --db "$1"; }

sum() { { cat "$1" 2>/dev/null || true; } | sha256sum; }

# refused FILE TEXT: a sweep into it fails and says this.
refused() {
    local before after
    before=$(sum "$1")
    if sweep "$1" >out 2>&1; then complain "$1 was taken for a store"; fi
    grep -qF -- "$2" out || complain "$1: '$2' is expected, not: $(cat out)"
    after=$(sum "$1")
    [[ $before == "$after" ]] || complain "$1 was changed"
    rm -f out
}

echo "a file of notes, which is long enough that it might be a header: $(seq 1000)" >notes.txt
refused notes.txt "notes.txt: file is not a database"
mkdir -p folder
refused folder "can't open the store folder"
refused notes.txt/results.db "can't open the store notes.txt/results.db: Not a directory"
refused /proc/results.db "can't open the store /proc/results.db"

sweep made.db >/dev/null
: >empty.db
sweep empty.db >/dev/null || complain "an empty file can become a store"
sweep new/folders/results.db >/dev/null || complain "folders are made"

if command -v sqlite3 >/dev/null; then
    sqlite3 recipes.db "CREATE TABLE recipe (name TEXT); INSERT INTO recipe VALUES ('soup')"
    refused recipes.db "recipes.db is a database of something else"
    cp recipes.db mail.db
    sqlite3 mail.db "PRAGMA user_version = 1"  # other programs count versions too
    refused mail.db "mail.db is a database of something else"
    cp made.db later.db
    sqlite3 later.db "PRAGMA user_version = 999"
    refused later.db "later.db is a store of version 999; this onchip knows versions up to "
fi

# Where nothing can be written: as another user when the test is run by root, for whom everything can.
mkdir locked
cp made.db locked/results.db
chmod 444 locked/results.db
chmod 555 locked
chmod 755 "$work"
as=()
if ((EUID == 0)); then as=(setpriv --reuid=65534 --regid=65534 --clear-groups); fi
if "${as[@]}" test -x "$ONCHIP" 2>/dev/null; then
    if "${as[@]}" "$ONCHIP" sweep --program vectoradd --size small --db locked/other.db >out 2>&1; then
        complain "locked/other.db was made"
    fi
    grep -q "can't open the store locked/other.db: Permission denied" out || complain "locked/other.db: $(cat out)"
    if ! "${as[@]}" test -w /; then
        if "${as[@]}" "$ONCHIP" sweep --program vectoradd --size small --db /onchip-test.db >out 2>&1; then
            complain "/onchip-test.db was made"
        fi
        grep -q "can't open the store /onchip-test.db: Permission denied" out || complain "a store in /: $(cat out)"
    fi
    if "${as[@]}" "$ONCHIP" sweep --program vectoradd --size small --db locked/results.db >out 2>&1; then
        complain "locked/results.db was written"
    fi
    grep -q "locked/results.db: attempt to write a readonly database" out || complain "locked/results.db: $(cat out)"
fi
exit $bad
