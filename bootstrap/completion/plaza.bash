# Completion of plaza for bash. To use it in every shell, add this line to ~/.bashrc:
#   source <(plaza completion bash)
_plaza() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        if [ "$line" = ":files" ]; then
            compopt -o filenames 2>/dev/null
            local IFS=$'\n'
            COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]#=}"))
            return
        fi
        COMPREPLY+=("${line%%$'\t'*}")
    done < <("$1" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _plaza plaza
