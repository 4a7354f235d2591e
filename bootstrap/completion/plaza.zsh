#compdef plaza
# Completion of plaza for zsh. To use it in every shell, add these lines to ~/.zshrc:
#   autoload -Uz compinit && compinit
#   source <(plaza completion zsh)
_plaza() {
    local line name
    local -a candidates
    for line in "${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        if [[ "$line" == ":files" ]]; then
            _files
            return
        fi
        [[ -n "$line" ]] || continue
        name="${line%%$'\t'*}"
        if [[ "$line" == *$'\t'* ]]; then
            candidates+=("${name//:/\\:}:${line#*$'\t'}")
        else
            candidates+=("${name//:/\\:}")
        fi
    done
    _describe plaza candidates
}
compdef _plaza plaza
