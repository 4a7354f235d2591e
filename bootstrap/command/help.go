package command

import (
	"errors"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"plaza/domain/fault"
)

// settingsGroup are the settings in the help of commands other than serve.
var settingsGroup = kong.Group{Key: "settings", Title: "Settings, as of serve (--help-all lists all):"}

// describe puts the examples of commands on lines of their own, and hides the settings that
// matter little to a command from its help.
func describe(model *kong.Application) error {
	return kong.Visit(model, func(visited kong.Visitable, next kong.Next) error {
		if node, is := visited.(*kong.Node); is {
			if example := node.Tag.Get("example"); example != "" {
				node.Detail = "Example:\n\n    " + example
			}
			matters := append(strings.Split(node.Tag.Get("settings"), ","), "database-url", "data-dir")
			for _, flag := range node.Flags {
				flag.Hidden = flag.Hidden || flag.Group != nil && flag.Group.Key == settingsGroup.Key && !beginsWithOne(flag.Name, matters)
			}
		}
		return next(nil)
	})
}

// beginsWithOne reports whether the name is one of the words, or begins with one and a hyphen.
func beginsWithOne(name string, words []string) bool {
	for _, word := range words {
		if word != "" && strings.HasPrefix(name+"-", word+"-") {
			return true
		}
	}
	return false
}

// withDefault returns the help of a flag with its default, unless its text tells it.
func withDefault(v *kong.Value) string {
	if v.Default != "" && !strings.Contains(v.Help, "(default: ") && !strings.Contains(v.Help, "("+v.Default+": ") {
		told := *v
		told.Help = strings.TrimSuffix(v.Help, ".") + " (default: " + v.Default + ")."
		v = &told
	}
	return kong.DefaultHelpValueFormatter(v)
}

// helpAllFlag prints the help of the command with all its settings.
type helpAllFlag bool

// BeforeReset prints the help and ends the program. The parser calls it if the flag is given.
func (helpAllFlag) BeforeReset(parsed *kong.Context) error {
	var shown []*kong.Flag
	for _, flag := range parsed.Flags() {
		if flag.Hidden {
			flag.Hidden = false
			shown = append(shown, flag)
		}
	}
	err := parsed.PrintUsage(false)
	for _, flag := range shown {
		flag.Hidden = true
	}
	if err == nil {
		parsed.Exit(ok)
	}
	return err
}

type helpCommand struct {
	Command []string `arg:"" optional:"" help:"Command, such as user create (default: all of them)."`
}

func (c helpCommand) Run(parsed *kong.Context) error {
	of, err := kong.Trace(parsed.Kong, c.Command)
	if err == nil {
		err = of.Error
	}
	if err != nil {
		problem, _ := problemAt(of, err)
		return misusef("%s", problem)
	}
	return of.PrintUsage(false)
}

// misunderstood returns the message for wrong arguments, and the command whose help explains them.
func misunderstood(err error) (problem, command string) {
	var wrong *kong.ParseError
	if !errors.As(err, &wrong) || wrong.Context == nil {
		return err.Error(), "plaza"
	}
	return problemAt(wrong.Context, err)
}

// problemAt returns the message for the error of the command line. It does not repeat an
// unexpected argument of a command, which may be a password.
func problemAt(parsed *kong.Context, err error) (problem, command string) {
	node := parsed.Selected()
	if node == nil {
		node = parsed.Model.Node
	}
	problem, command = err.Error(), node.FullPath()
	argument, unexpected := strings.CutPrefix(problem, "unexpected argument ")
	switch {
	case unexpected && len(node.Children) > 0:
		problem = "unknown command " + argument
	case unexpected:
		problem = "unexpected argument: " + command + " takes " + arguments(node)
	case len(node.Children) > 0 && strings.HasPrefix(problem, "expected one of "):
		problem = command + " needs a command: " + strings.Join(children(node), ", ")
	case strings.HasPrefix(problem, "unknown flag -") && !strings.HasPrefix(problem, "unknown flag --"):
		problem, _, _ = strings.Cut(problem, ", did you mean") // every short flag is similar to every other
	}
	return problem, command
}

// withFlags returns the error's text, in which the names of wrong fields are those of their flags.
func withFlags(err error, flags []*kong.Flag) string {
	text := err.Error()
	for field := range fault.FieldsOf(err) {
		name := strings.ReplaceAll(field, "_", "-")
		at := slices.IndexFunc(flags, func(f *kong.Flag) bool { return f.Name == name || f.Name == name+"s" }) // field scope, flag --scopes
		if at >= 0 {
			text = strings.Replace(text, "\n"+field+": ", "\n--"+flags[at].Name+": ", 1)
		}
	}
	return text
}

// arguments describes the arguments that the command takes, without its flags.
func arguments(node *kong.Node) string {
	var all []string
	for _, argument := range node.Positional {
		all = append(all, argument.Summary())
	}
	if len(all) == 0 {
		return "only flags"
	}
	return "only " + strings.Join(all, " ") + " and flags"
}

// children returns the names of the commands below the node.
func children(node *kong.Node) []string {
	var names []string
	for _, child := range node.Children {
		if !child.Hidden {
			names = append(names, child.Name)
		}
	}
	return names
}
