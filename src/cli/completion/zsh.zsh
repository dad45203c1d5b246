#compdef onchip
# Completion of onchip for zsh. It asks onchip itself what may stand at the cursor (onchip completion words).
_onchip() {
    local line files name
    local -a whole open
    for line in "${(@f)$("${words[1]}" completion words "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ $line == :files ]] && { files=1; continue }
        [[ -n $line ]] || continue
        name=${line%%$'\t'*}
        line=${name//:/\\:}:${line#*$'\t'}
        if [[ $name == *= ]]; then open+=("$line"); else whole+=("$line"); fi
    done
    (($#whole)) && _describe -t words onchip whole
    (($#open)) && _describe -t words onchip open -S ''
    if [[ -n $files ]]; then
        compset -P '*[=,]'
        _files
    fi
}
if [[ $funcstack[1] == _onchip ]]; then _onchip "$@"; else compdef _onchip onchip; fi
