# Completion of onchip for fish. It asks onchip itself what may stand at the cursor (onchip completion words).
function __onchip_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for line in ($words[1] completion words $words[2..-1] "$word" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$word"
        else
            echo $line
        end
    end
end
complete -c onchip -f -a '(__onchip_complete)'
