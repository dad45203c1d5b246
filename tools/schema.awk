# schema.awk: the results store's schema as tables of doc/reference/store.md, from the comments of
# src/store/schema/*.sql. A table or column without its sentence is an error.
function sentence(what) {
    if (!match($0, / -- .+$/)) {
        printf "%s:%d: %s has no sentence behind it\n", FILENAME, FNR, what > "/dev/stderr"
        bad = 1
        return ""
    }
    return substr($0, RSTART + 4)
}
function row(name, type, text) {
    sub(/,$/, "", type)
    rows[table] = rows[table] "| `" name "` | " tolower(type) " | " text " |\n"
}
$1 == "CREATE" && $2 == "TABLE" {
    table = $3
    order[++tables] = table
    title[table] = sentence("table " table)
    next
}
$1 == "ALTER" && $4 == "ADD" {
    table = $3
    row($6, $7, sentence("column " table "." $6))
    table = ""
    next
}
/^\)/ { table = "" }
table != "" && $1 ~ /^[a-z][a-z0-9_]*$/ { row($1, $2, sentence("column " table "." $1)) }
END {
    for (k = 1; k <= tables; k++)
        printf "%s### `%s`: %s\n\n| column | type | |\n|---|---|---|\n%s", (k > 1 ? "\n" : ""), order[k],
            title[order[k]], rows[order[k]]
    exit bad
}
