package bootstrap

import (
	"io"
	"strings"
	"sync"

	"github.com/alecthomas/kong"

	"plaza/adapters/argon2id"
	"plaza/domain/localisation"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/quota"
	"plaza/domain/secret"
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
	unset(p)
	return p.run(args, out, errOut)
}

// unset makes the parser as new.
func unset(p parser) {
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

// DemoDir returns a data directory with the demo data.
var DemoDir = demoDir

// Offer is what readers are offered.
var Offer = offer

var settingsOnly struct{ Config }

var settingsParser = sync.OnceValues(func() (parser, error) { return newParser(&settingsOnly) })

// Parse returns the settings of the flags and the environment, as commands parse them.
func Parse(flags ...string) (Config, error) {
	p, err := settingsParser()
	if err == nil {
		settingsOnly.Config = Config{}
		unset(p)
		_, err = p.Parse(flags)
	}
	return settingsOnly.Config, err
}

// Variables are those of all settings.
func Variables() []string { return variables(program().Model) }

// What an App makes of its settings.
var (
	NewTranslator = func(c Config) (localisation.Translator, error) { return newTranslator(c, nil) }
	NewGateways   = func(c Config) (payment.Gateways, error) { return newGateways(c, nil) }
	OpenMedia     = func(c Config, signing secret.String) (media.Store, error) { return openMedia(c, nil, signing) }
)

// Translators are the names that may be chosen.
var Translators = translators

// Quotas returns the quotas of an account.
func (c Config) Quotas() quota.Limits { return c.quotas() }
