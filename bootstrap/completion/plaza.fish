# Completion of plaza for fish. To use it in every shell:
#   plaza completion fish > ~/.config/fish/completions/plaza.fish
function __plaza_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] __complete -- $words[2..-1] 2>/dev/null)
    if test "$found" = ":files"
        __fish_complete_path (commandline -ct)
    else
        printf '%s\n' $found
    end
end
complete -c plaza -f -a '(__plaza_complete)'
