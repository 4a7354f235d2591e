package settings

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Parser parses command lines. It does not fail at the first wrong setting: Check reports all of
// them.
type Parser struct {
	*kong.Kong
	notes *settingNotes
}

// Offered is what the help of the settings says of the adapters that can be chosen: what replaces {name} in it, by the names. They
// are no variables of kong, which would expand each of them once more for each flag.
type Offered map[string]string

// NewParser returns a parser of the command, which may have settings.
func NewParser(command any, o Offered, options ...kong.Option) (Parser, error) {
	notes := &settingNotes{wrong: map[*kong.Value]error{}, files: map[*kong.Value]string{}, texts: map[*kong.Value]string{}}
	k, err := kong.New(command, append(options, kong.Bind(notes), kong.Resolvers(kong.ResolverFunc(notes.readSecret)))...)
	if err != nil {
		return Parser{}, err
	}
	var pairs []string
	for name, said := range o {
		pairs = append(pairs, "{"+name+"}", said)
	}
	filledIn := strings.NewReplacer(pairs...)
	return Parser{k, notes}, kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if value, is := node.(*kong.Value); is {
			value.Help = filledIn.Replace(value.Help)
			switch {
			case len(value.Tag.Envs) > 0:
				value.Mapper = settingMapper{value.Mapper, notes}
			case expectation(value.Target.Type()) != "" && !value.IsBool(): // a wrapped bool would need a value
				value.Mapper = argumentMapper{value.Mapper}
			}
		}
		return next(nil)
	})
}

// Parse parses a command line.
func (p Parser) Parse(args []string) (*kong.Context, error) {
	clear(p.notes.wrong)
	clear(p.notes.files)
	clear(p.notes.texts)
	return p.Kong.Parse(args)
}

// settingNotes are what the parser learns about the settings of a command line.
type settingNotes struct {
	wrong map[*kong.Value]error  // nil for valid settings
	files map[*kong.Value]string // the files that secrets are read from
	texts map[*kong.Value]string // what settings are parsed from whose types parse texts but do not write them
}

// settingMapper parses a setting. It notes an error instead of returning it.
type settingMapper struct {
	kong.Mapper
	notes *settingNotes
}

// Decode implements kong.Mapper. An empty value is a missing one, except for texts.
func (m settingMapper) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if ctx.Scan.Peek() == emptyValue && target.Kind() != reflect.String {
		ctx.Scan.Pop()
		target.SetZero()
		if !ctx.Value.HasDefault {
			return nil
		}
		ctx = ctx.WithScanner(kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: ctx.Value.Default}))
	}
	given := ctx.Scan.Peek()
	err := decode(m.Mapper, ctx, target)
	isVariable := target.Addr().Pointer() == ctx.Value.Target.Addr().Pointer() // flags are decoded before, into a copy
	if before, isFlag := m.notes.wrong[ctx.Value]; !isFlag || !isVariable {    // a flag may come several times
		m.notes.wrong[ctx.Value] = cmp.Or(before, err)
		if parsesOnly(target.Type()) {
			m.notes.texts[ctx.Value] = given.String()
		}
	}
	return nil
}

var emptyValue = kong.Token{Type: kong.FlagValueToken, Value: ""}

// argumentMapper parses an argument, or a flag that is not a setting. The error of a flag has its
// help text.
type argumentMapper struct{ kong.Mapper }

func (m argumentMapper) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if !ctx.Scan.Peek().IsValue() {
		return m.Mapper.Decode(ctx, target)
	}
	err := decode(m.Mapper, ctx, target)
	if err != nil && ctx.Value.Flag != nil {
		return fmt.Errorf("%w. %s", err, ctx.Value.Help)
	}
	return err
}

// decode decodes a value. Its errors say what is expected in words of users, not of Go.
func decode(m kong.Mapper, ctx *kong.DecodeContext, target reflect.Value) error {
	given := ctx.Scan.Peek()
	err := m.Decode(ctx, target)
	if expected := expectation(target.Type()); err != nil && expected != "" && given.IsValue() {
		return fmt.Errorf("%q is not %s", given.String(), expected)
	}
	return err
}

// expectation describes the values of the type, or is empty for types with errors of their own.
func expectation(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[time.Duration]():
		return "a duration like 30s or 2h"
	case reflect.TypeFor[slog.Level]():
		return "one of debug, info, warn, error"
	}
	if parses(t) {
		return ""
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	}
	return ""
}

// parses reports whether values of the type parse texts themselves.
func parses(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// parsesOnly reports whether values of the type parse texts but do not write them.
func parsesOnly(t reflect.Type) bool {
	return parses(t) && !t.Implements(reflect.TypeFor[fmt.Stringer]()) && !t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// origin says where the value of a setting comes from.
type origin struct {
	flag        string // with the dashes, if the command line has it
	file        string // the path, if a secret is read from a file
	environment bool   // whether the variable is set
	text        string // what the value is parsed from, if its type parsesOnly
}

// String returns the origin for people.
func (o origin) String() string {
	switch {
	case o.flag != "":
		return "flag " + o.flag
	case o.file != "":
		return "file " + o.file
	case o.environment:
		return "environment"
	}
	return "default"
}

// unparsed is embedded in configurations. It has what the parser learned about the settings of
// the command.
type unparsed struct {
	wrong   Problems
	origins map[string]origin // by variable
	unknown []string          // variables that look like settings, and are near none
}

// AfterApply takes what the parser learned from the parser, which calls it.
func (u *unparsed) AfterApply(parsed *kong.Context, notes *settingNotes) error {
	u.wrong, u.origins, u.unknown = Problems{}, map[string]origin{}, nil
	known := Variables(parsed.Model)
	for _, name := range unknownVariables(os.Environ(), known) {
		// Without the setting that the user meant, the program would work on something else.
		if similar := similarTo(name, known); similar != "" {
			u.wrong.Note(name, fmt.Errorf("is no setting: did you mean %s?", similar))
		} else {
			u.unknown = append(u.unknown, name)
		}
	}
	for _, flag := range parsed.Flags() {
		if len(flag.Envs) > 0 {
			u.wrong.Note(flag.Envs[0], notes.wrong[flag.Value])
			u.origins[flag.Envs[0]] = origin{
				file: notes.files[flag.Value], environment: os.Getenv(flag.Envs[0]) != "", text: notes.texts[flag.Value],
			}
		}
	}
	for _, path := range parsed.Path {
		if path.Flag != nil && !path.Resolved && len(path.Flag.Envs) > 0 {
			u.origins[path.Flag.Envs[0]] = origin{flag: "--" + path.Flag.Name, text: notes.texts[path.Flag.Value]}
		}
	}
	return nil
}

// problems returns what is wrong with the settings, to which the caller may add.
func (u unparsed) problems() Problems {
	all := Problems{}
	maps.Copy(all, u.wrong)
	return all
}

// err returns all problems in the order of the variables, as one ErrInvalid, or nil. Each begins with the names
// by which the user set the value.
func (u unparsed) err(p Problems) error {
	var all []error
	for _, variable := range p.Variables() {
		name := variable
		switch from := u.origins[variable]; {
		case from.flag != "":
			name = from.flag + ", " + variable
		case from.file != "":
			name = variable + fileSuffix
		}
		all = append(all, fmt.Errorf("%s: %w", name, p[variable]))
	}
	if len(all) == 0 {
		return nil
	}
	return fmt.Errorf("%w:\n%w", ErrInvalid, errors.Join(all...))
}

// WarnOfUnknown logs the variables that look like settings, and are near none.
func (u unparsed) WarnOfUnknown(log *slog.Logger) {
	for _, name := range u.unknown {
		log.Warn("unknown setting is ignored", "variable", name)
	}
}
