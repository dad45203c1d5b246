# Completion of onchip for bash. It asks onchip itself what may stand at the cursor (onchip completion words).
# Bash cuts words at = and :, which are part of onchip's; this puts them together, and cuts off again what bash has.
_onchip() {
    local words=() line word='' cut k last=$COMP_CWORD
    for ((k = 1; k <= last; k++)); do
        word=${COMP_WORDS[k]}
        if ((${#words[@]})) && [[ $word == [=:]* || ${words[-1]} == *[=:] && ${COMP_WORDS[k - 1]} == [=:]* ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    word=${words[-1]-}
    cut=${word%"${word##*[=:]}"}
    [[ $COMP_WORDBREAKS == *=* ]] || cut=
    COMPREPLY=()
    compopt +o nospace 2>/dev/null
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            k=${word##*[=,]}
            while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$k")
            compopt -o filenames 2>/dev/null
        else
            line=${line%%$'\t'*}
            [[ $line == *= ]] && compopt -o nospace 2>/dev/null
            COMPREPLY+=("${line#"$cut"}")
        fi
    done < <("${COMP_WORDS[0]}" completion words "${words[@]}" 2>/dev/null)
}
complete -F _onchip onchip
