package bootstrap

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"plaza/adapters/bunstore"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/secret"
)

// stored is what every command has that works on stored data: the settings of
// serve, so that what one finds is what the other serves.
type stored struct {
	Settings `embed:"" group:"Settings, as of serve:"`
}

// fresh says what a command does about an embedded database that is not there.
type fresh int

const (
	mustExist fresh = iota // it refuses
	mayBegin               // it makes one
	asEmpty                // it goes on in memory
)

// config returns the settings to work with. In memory there is nothing to work on;
// and a file that isn't there is a wrong setting, unless the command needs none.
func (c stored) config(may fresh) (Config, error) {
	config, err := c.Check()
	if err != nil {
		return Config{}, fmt.Errorf("%w:\n%w", errUsage, err)
	}
	if config.DatabaseURL == inMemory {
		return Config{}, fmt.Errorf("%w: PLAZA_DATABASE_URL is %s, where there is nothing to work on: "+
			"what a server keeps there is out of reach, and gone when it ends", errUsage, inMemory)
	}
	if path, embedded := strings.CutPrefix(config.DatabaseURL, "sqlite:"); embedded && may != mayBegin {
		if err := bunstore.CheckFile(path); err != nil {
			return Config{}, err
		}
		_, err := os.Stat(path)
		switch missing := errors.Is(err, fs.ErrNotExist); {
		case missing && may == asEmpty:
			config.DatabaseURL = inMemory
		case missing:
			return Config{}, fmt.Errorf("%w: there is no database %s. See PLAZA_DATABASE_URL and PLAZA_DATA_DIR; "+
				"plaza migrate up makes one", errUsage, path)
		}
	}
	config.PublicURL = cmp.Or(config.PublicURL, "http://"+config.Addr)
	config.Translator.Kind, config.Wallet.Kind = noTranslator, noWallet // commands translate and pay nothing
	return config, nil
}

// withApp calls work with Plaza put together over the stored data.
func (c stored) withApp(ctx context.Context, s streams, may fresh, work func(*App) error) (err error) {
	defer func() { err = readable(err) }()
	config, err := c.config(may)
	if err != nil {
		return err
	}
	app, err := NewApp(ctx, config, newLogger(config, s.err), Parts{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, app.Close()) }()
	return work(app)
}

// withDatabase calls work with the database as it is: whatever its schema.
func (c stored) withDatabase(ctx context.Context, s streams, may fresh, work func(Config, *bunstore.Store) error) (err error) {
	defer func() { err = readable(err) }()
	config, err := c.config(may)
	if err != nil {
		return err
	}
	database, err := openDatabase(ctx, config, newLogger(config, s.err))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	return work(config, database)
}

// whereabouts names the database for people, without the password that its
// address may hold.
func whereabouts(c Config) string {
	if path, embedded := strings.CutPrefix(c.DatabaseURL, "sqlite:"); embedded {
		return path
	}
	u, err := url.Parse(c.DatabaseURL)
	if err != nil {
		return "the database"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// told is an error in the words of its faults, without their codes.
type told struct {
	text   string
	causes []error
}

func (t told) Error() string   { return t.text }
func (t told) Unwrap() []error { return t.causes }

// readable puts the error's fault into sentences. Values that no account, token
// or order can have are the caller's to mend, like wrong settings; that a phone is
// taken is not, since nothing is wrong with it.
func readable(err error) error {
	f, is := fault.As(err)
	if !is {
		return err
	}
	text := sentences(f)
	full := strings.ReplaceAll(err.Error(), f.Error()+": ", strings.TrimSuffix(text, ".")+": ") // its cause follows
	t := told{strings.ReplaceAll(full, f.Error(), text), []error{err}}
	if f.Kind == fault.Invalid && !errors.Is(err, access.ErrPhoneTaken) {
		t.causes = append(t.causes, errUsage)
	}
	return t
}

func sentences(f *fault.Error) string {
	if len(f.Fields) == 0 {
		return f.Text
	}
	lines := []string{cmp.Or(f.Text, "wrong values:")}
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		lines = append(lines, name+": "+strings.Join(f.Fields[name], " "))
	}
	return strings.Join(lines, "\n")
}

// splitNames reads a list of names with commas between them.
func splitNames(list string) []string {
	names := []string{}
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// stdin is where a password comes from that is not a flag; tests put another in its
// place.
var stdin io.Reader = os.Stdin

// maxLine is far more than a password may be long.
const maxLine = 4096

// passwordOr returns the password of the flag, or with none the first line of the
// standard input, just as it is. A terminal does not show what is typed.
func passwordOr(ctx context.Context, s streams, flag secret.String) (secret.String, error) {
	if !flag.IsZero() {
		return flag, nil
	}
	input := stdin
	read, restore := func() (string, error) { return firstLine(input) }, func() {}
	if file, is := input.(*os.File); is && term.IsTerminal(int(file.Fd())) {
		before, err := term.GetState(int(file.Fd()))
		if err != nil {
			return secret.String{}, fmt.Errorf("the terminal: %w", err)
		}
		read = func() (string, error) {
			typed, err := term.ReadPassword(int(file.Fd()))
			return string(typed), err
		}
		restore = func() { _ = term.Restore(int(file.Fd()), before) }
		fmt.Fprint(s.err, "Password: ")
		defer fmt.Fprintln(s.err)
	}
	type line struct {
		text string
		err  error
	}
	typed := make(chan line, 1)
	// Nothing ends the reading of a terminal, so an interrupt must not wait for it.
	go func() {
		text, err := read()
		typed <- line{text, err}
	}()
	select {
	case <-ctx.Done():
		restore()
		return secret.String{}, ctx.Err()
	case l := <-typed:
		switch {
		case l.err != nil:
			return secret.String{}, fmt.Errorf("reading the password: %w", l.err)
		case l.text == "":
			return secret.String{}, fault.Field("password", "There is none: give --password, or pipe one in.")
		}
		return secret.New(l.text), nil
	}
}

// firstLine reads the first line of the input.
func firstLine(input io.Reader) (string, error) {
	text, err := bufio.NewReader(io.LimitReader(input, maxLine)).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), err
}
