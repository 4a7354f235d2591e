package bootstrap

import (
	"io"
	"sync"

	"github.com/alecthomas/kong"

	"plaza/adapters/argon2id"
	"plaza/domain/quota"
)

// Hashing are the parameters outside of tests.
var Hashing = hashing

// HashCheaply makes the commands hash passwords with parameters that protect nothing.
func HashCheaply() { hashing = argon2id.Cheap }

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
	err := kong.Visit(p.Model, func(node kong.Visitable, next kong.Next) error {
		switch n := node.(type) { // as in a new program
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
	return p.run(args, out, errOut)
}

// DemoDir returns a data directory with the demo data.
var DemoDir = demoDir

// Offer is what readers are offered.
var Offer = offer

// Parse returns the settings of the flags and the environment, as commands parse them.
func Parse(flags ...string) (Config, error) {
	var command struct{ Config }
	parser, err := newParser(&command)
	if err == nil {
		_, err = parser.Parse(flags)
	}
	return command.Config, err
}

// Variables are those of all settings.
func Variables() []string { return variables(program().Model) }

// Translators are the names that may be chosen.
var Translators = translators

// Quotas returns the quotas of an account.
func (c Config) Quotas() quota.Limits { return c.quotas() }
