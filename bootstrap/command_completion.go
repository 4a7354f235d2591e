package bootstrap

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completionScripts are scripts for shells, named by the shell. They call plaza __complete with the
// words of the command line.
//
//go:embed completion
var completionScripts embed.FS

// shells returns the names of the shells with a script.
func shells() []string {
	entries, err := fs.ReadDir(completionScripts, "completion")
	if err != nil {
		panic(err) // the folder is embedded
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimPrefix(path.Ext(entry.Name()), "."))
	}
	return names
}

type completionCommand struct {
	Shell string `arg:"" enum:"${shells}" help:"Shell: ${enum}. The script says in its first lines how to install it."`
}

// Run prints the script.
func (c completionCommand) Run(s streams) error {
	script, err := completionScripts.ReadFile("completion/plaza." + c.Shell)
	if err != nil {
		return err
	}
	return s.printf("%s", script)
}

type completeCommand struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints what may replace the last word, one per line, each with a tab and its description.
// completeFiles stands for names of files.
func (c completeCommand) Run(parsed *kong.Context, s streams) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	for _, candidate := range complete(parsed.Model.Node, words) {
		if err := s.printf("%s\n", candidate); err != nil {
			return err
		}
	}
	return nil
}

// completeFiles asks the shell to complete names of files and folders.
const completeFiles = ":files"

// complete returns what may replace the last of the words.
func complete(node *kong.Node, words []string) []string {
	last := ""
	if len(words) > 0 {
		last = strings.TrimPrefix(words[len(words)-1], "=") // bash splits --flag=value
		words = slices.DeleteFunc(slices.Clone(words[:len(words)-1]), func(word string) bool { return word == "=" })
	}
	argument := 0
	var pending *kong.Value // the flag whose value the next word is
	for _, word := range words {
		child := childOf(node, word)
		switch {
		case pending != nil:
			pending = nil
		case strings.HasPrefix(word, "-"):
			pending = valueFlag(node, word)
		case child != nil:
			node = child
		default:
			argument++
		}
	}
	var found []string
	switch {
	case pending != nil:
		found = valuesOf(pending)
	case strings.HasPrefix(last, "-"):
		found = flagsOf(node)
	case len(node.Children) > 0:
		for _, child := range node.Children {
			if !child.Hidden {
				found = append(found, described(child.Name, child.Help))
			}
		}
	case argument < len(node.Positional):
		found = valuesOf(node.Positional[argument])
	case len(node.Positional) > 0 && node.Positional[len(node.Positional)-1].IsSlice():
		found = valuesOf(node.Positional[len(node.Positional)-1])
	}
	return slices.DeleteFunc(found, func(candidate string) bool {
		return candidate != completeFiles && !strings.HasPrefix(candidate, last)
	})
}

func childOf(node *kong.Node, name string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == name {
			return child
		}
	}
	return nil
}

// valueFlag returns the flag of the word if the next word is its value, or nil.
func valueFlag(node *kong.Node, word string) *kong.Value {
	for _, flags := range node.AllFlags(false) {
		for _, flag := range flags {
			if "--"+flag.Name == word && !flag.IsBool() {
				return flag.Value
			}
		}
	}
	return nil
}

// flagsOf returns the flags in the help of the command.
func flagsOf(node *kong.Node) []string {
	var names []string
	for _, flags := range node.AllFlags(true) {
		for _, flag := range flags {
			names = append(names, described("--"+flag.Name, flag.Help))
		}
	}
	return names
}

// valuesOf returns the values that a flag or argument may have, as far as they are known.
func valuesOf(value *kong.Value) []string {
	switch {
	case value.Enum != "":
		return value.EnumSlice()
	case namesFile(value):
		return []string{completeFiles}
	}
	return nil
}

// namesFile reports whether the value is the name of a file or folder.
func namesFile(value *kong.Value) bool {
	if value.Flag != nil {
		return value.Flag.PlaceHolder == "DIR" || value.Flag.PlaceHolder == "FILE"
	}
	return value.Name == "file"
}

// described returns the name with the first sentence of its description.
func described(name, help string) string {
	sentence, _, _ := strings.Cut(help, ". ")
	return fmt.Sprintf("%s\t%s", name, strings.TrimSuffix(sentence, "."))
}
