package command

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// completionScript has the parts of a script for a shell. Below begin, each command that has commands is formatted by
// group and each other one by command: its path, and the words that may follow it.
type completionScript struct{ begin, group, command, end string }

// bashCompletion is also for zsh, which reads completions for bash.
var bashCompletion = completionScript{
	"_plaza() {\n    local words\n    case \"${COMP_WORDS[*]:1:COMP_CWORD-1} \" in\n",
	"    \"%s \") words=\"%s\" ;;\n",
	"    \"%s \"*) words=\"%s\" ;;\n",
	"    esac\n    COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -o default -F _plaza plaza\n",
}

var fishCompletion = completionScript{
	"",
	"complete -c plaza -f -n 'string match -rq \"^plaza %s *[^ ]*\\$\" -- (commandline -c)' -a '%s'\n",
	"complete -c plaza -n 'string match -q \"plaza %s *\" -- (commandline -c)' -a '%s'\n",
	"",
}

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: ${enum}. The script says in its first lines how to install it."`
}

func (c completionCommand) script() (script completionScript, install string) {
	switch c.Shell {
	case "fish":
		return fishCompletion, "#   plaza completion fish > ~/.config/fish/completions/plaza.fish\n"
	case "zsh":
		return bashCompletion, "#   autoload -Uz compinit bashcompinit && compinit && bashcompinit\n#   source <(plaza completion zsh)\n"
	}
	return bashCompletion, "#   source <(plaza completion bash)\n"
}

func (c completionCommand) Run(parsed *kong.Context, s streams) error {
	script, install := c.script()
	return s.printf("# Completion of plaza for %s. To use it in every shell, put into its configuration:\n%s%s%s%s",
		c.Shell, install, script.begin, script.of(parsed.Model.Node), script.end)
}

// of returns the part of the script for the command and those below it.
func (s completionScript) of(node *kong.Node) string {
	path := strings.TrimSpace(strings.TrimPrefix(node.FullPath(), "plaza"))
	names := children(node)
	if len(names) == 0 {
		for _, flag := range node.Flags {
			if !flag.Hidden {
				names = append(names, "--"+flag.Name)
			}
		}
		return fmt.Sprintf(s.command, path, strings.Join(names, " "))
	}
	text := fmt.Sprintf(s.group, path, strings.Join(names, " "))
	for _, child := range node.Children {
		text += s.of(child)
	}
	return text
}
