package bootstrap

import (
	"maps"
	"reflect"

	"github.com/alecthomas/kong"
)

// parser parses command lines. It does not fail at the first wrong setting: Check reports all of
// them.
type parser struct {
	*kong.Kong
	wrong wrongSettings
}

func newParser(command any, options ...kong.Option) (parser, error) {
	wrong := wrongSettings{}
	k, err := kong.New(command, append(options, kong.Bind(wrong))...)
	if err != nil {
		return parser{}, err
	}
	return parser{k, wrong}, kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, is := node.(*kong.Flag); is && len(flag.Envs) > 0 {
			flag.Mapper = settingMapper{flag.Mapper, wrong}
		}
		return next(nil)
	})
}

// Parse parses a command line.
func (p parser) Parse(args []string) (*kong.Context, error) {
	clear(p.wrong)
	return p.Kong.Parse(args)
}

// wrongSettings are the errors of parsed settings, nil for valid ones.
type wrongSettings map[*kong.Value]error

// settingMapper parses a setting. It notes an error instead of returning it.
type settingMapper struct {
	kong.Mapper
	wrong wrongSettings
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
	err := m.Mapper.Decode(ctx, target)
	if _, isFlag := m.wrong[ctx.Value]; !isFlag { // the parser decodes flags before variables
		m.wrong[ctx.Value] = err
	}
	return nil
}

var emptyValue = kong.Token{Type: kong.FlagValueToken, Value: ""}

// unparsed is embedded in configurations. It has the problems with settings of the command that
// could not be parsed.
type unparsed struct{ wrong problems }

// AfterApply takes the problems from the parser, which calls it.
func (u *unparsed) AfterApply(parsed *kong.Context, wrong wrongSettings) error {
	u.wrong = problems{}
	for _, flag := range parsed.Flags() {
		if len(flag.Envs) > 0 {
			u.wrong.note(flag.Envs[0], wrong[flag.Value])
		}
	}
	return nil
}

// problems returns the problems, to which the caller may add.
func (u unparsed) problems() problems {
	all := problems{}
	maps.Copy(all, u.wrong)
	return all
}
