package command

import (
	"context"
	"io"
	"iter"
	"reflect"
	"strings"
	"sync"

	"github.com/alecthomas/kong"

	"plaza/adapters/argon2id"
	"plaza/bootstrap"
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

// Wiring is how a command reaches stored data.
type Wiring struct{ Acts, Reads bool }

// Commands returns the names of all commands with their wiring.
func Commands() map[string]Wiring {
	all := map[string]Wiring{}
	for _, leaf := range program().Model.Leaves(false) {
		w := Wiring{Acts: embeds[actCommand](leaf.Target.Type())}
		w.Reads = !w.Acts && embeds[dataCommand](leaf.Target.Type())
		all[strings.TrimPrefix(leaf.FullPath(), "plaza ")] = w
	}
	return all
}

func embeds[T any](in reflect.Type) bool {
	if in == reflect.TypeFor[T]() {
		return true
	}
	for field := range fieldsOf(in) {
		if field.Anonymous && embeds[T](field.Type) {
			return true
		}
	}
	return false
}

func fieldsOf(in reflect.Type) iter.Seq[reflect.StructField] {
	if in.Kind() != reflect.Struct {
		return func(func(reflect.StructField) bool) {}
	}
	return in.Fields()
}

// Read calls work as user list, which only reads, does on the data in the folder.
func Read(ctx context.Context, dir string, work func(context.Context, *bootstrap.App) error) error {
	p := program()
	unset(p)
	parsed, err := p.Parse([]string{"user", "list", "--data-dir", dir})
	if err != nil {
		return err
	}
	c := parsed.Selected().Target.Addr().Interface().(*userList)
	return c.withApp(ctx, streams{io.Discard, io.Discard}, mustExist, work)
}

// Variables are those of all settings.
func Variables() []string { return settings.Variables(program().Model) }
