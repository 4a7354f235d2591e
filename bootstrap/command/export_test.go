package command

import (
	"io"
	"strings"
	"sync"

	"github.com/alecthomas/kong"

	"plaza/adapters/argon2id"
	"plaza/bootstrap/settings"
)

// HashCheaply makes the commands hash passwords with parameters that protect nothing.
func HashCheaply() { parts.Hashing = &argon2id.Cheap }

// Stdin makes the reader the standard input until restore is called.
func Stdin(r io.Reader) (restore func()) {
	before := stdin
	stdin = r
	return func() { stdin = before }
}

var program = sync.OnceValue(newProgram)

// Run is Main with a program that all calls share, because building one takes longer than most commands.
func Run(args []string, out, errOut io.Writer) int {
	p := program()
	unset(p)
	return run(p, args, out, errOut)
}

// unset makes the parser as new.
func unset(p settings.Parser) {
	err := kong.Visit(p.Model, func(node kong.Visitable, next kong.Next) error {
		switch n := node.(type) {
		case *kong.Node:
			n.Active = false
		case *kong.Value:
			n.Set, n.Active = false, false
		}
		return next(nil)
	})
	if err != nil {
		panic(err)
	}
}

// Commands returns the names of all commands.
func Commands() (names []string) {
	for _, leaf := range program().Model.Leaves(false) {
		names = append(names, strings.TrimPrefix(leaf.FullPath(), "plaza "))
	}
	return names
}

// Variables are those of all settings.
func Variables() []string { return settings.Variables(program().Model) }
