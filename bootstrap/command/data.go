package command

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/user"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"plaza/adapters/bunstore"
	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/secret"
)

// dataCommand is embedded in every command that reads stored data. It has the settings of serve, so that commands and
// servers use the same data.
type dataCommand struct {
	settings.Config `embed:"" group:"settings"`
}

// missingDatabase is how a command handles a missing embedded database.
type missingDatabase int

const (
	mustExist missingDatabase = iota // fail
	mayCreate                        // create it
	asEmpty                          // use one in a temporary folder
)

// config returns the checked settings. memory: is rejected, and so is a missing
// database file if the command needs one.
func (c dataCommand) config(ifMissing missingDatabase) (settings.Config, error) {
	config, err := bootstrap.Check(c.Config)
	if err != nil {
		return settings.Config{}, err
	}
	if config.DatabaseURL == settings.InMemory {
		return settings.Config{}, fmt.Errorf("%w: PLAZA_DATABASE_URL is %s, which has no stored data: "+
			"commands can't reach the memory of a server", settings.ErrInvalid, settings.InMemory)
	}
	if path, embedded := strings.CutPrefix(config.DatabaseURL, "sqlite:"); embedded && ifMissing != mayCreate {
		if err := bunstore.CheckFile(path); err != nil {
			return settings.Config{}, err
		}
		_, err := os.Stat(path)
		switch missing := errors.Is(err, fs.ErrNotExist); {
		case missing && ifMissing == asEmpty:
			config.DatabaseURL = settings.InMemory
		case missing:
			return settings.Config{}, fmt.Errorf("%w: database %s not found. See PLAZA_DATABASE_URL and PLAZA_DATA_DIR; "+
				"plaza migrate up creates one", settings.ErrInvalid, path)
		}
	}
	config.PublicURL = cmp.Or(config.PublicURL, "http://"+settings.FromHere(config.Addr))
	// Most commands need none of them.
	config.Translator, config.Wallet = settings.NoTranslator, settings.NoWallet
	return config, nil
}

// parts are those of the Apps of commands. Tests replace the parameters of hashes by cheap ones.
var parts bootstrap.Parts

// appWork is what a command does with an App.
type appWork = func(context.Context, *bootstrap.App) error

// withApp calls work with an App over the stored data, and a context under which the stores refuse changes.
func (c dataCommand) withApp(ctx context.Context, s streams, ifMissing missingDatabase, work appWork) error {
	config, err := c.config(ifMissing)
	if err != nil {
		return readable(err)
	}
	return openApp(ctx, config, bootstrap.NewLogger(config, s.err), func(app *bootstrap.App) error { return work(audit.Reading(ctx), app) })
}

// withDatabase calls work with the database, and a context under which it refuses changes. It does not check or change
// the schema.
func (c dataCommand) withDatabase(
	ctx context.Context, s streams, work func(context.Context, settings.Config, *bunstore.Store) error,
) error {
	config, err := c.config(mustExist)
	if err != nil {
		return readable(err)
	}
	return openDatabase(ctx, config, bootstrap.NewLogger(config, s.err), func(database *bunstore.Store) error {
		return work(audit.Reading(ctx), config, database)
	})
}

// actCommand is embedded, in place of dataCommand, in every command that changes stored data or copies it.
type actCommand struct {
	dataCommand
	As string `env:"PLAZA_AS" help:"Person who runs the command, for its audit record (default: SUDO_USER)." placeholder:"NAME"`
}

// actWork is what a command that changes or copies data does with an App.
type actWork = func(context.Context, *bootstrap.App, actLog) error

// actLog notes what a command has done.
type actLog struct {
	log     *slog.Logger
	records audit.Log
	streams
}

// acted logs the act, and appends the record that the context carries unless a store has written it with a change.
func (l actLog) acted(ctx context.Context, act string, about ...any) error {
	logAct(ctx, l.log, act, about...)
	return audit.Complete(ctx, l.records)
}

// concludes logs the act as acted does, and prints its result.
func (l actLog) concludes(ctx context.Context, result, act string, about ...any) error {
	if err := l.acted(ctx, act, about...); err != nil {
		return err
	}
	return l.printf("%s\n", result)
}

// logAct logs an act of the command line: the user of the operating system, the command, and what it was about. The
// attributes must not be secrets or phone numbers.
func logAct(ctx context.Context, log *slog.Logger, act string, about ...any) {
	line := []any{"by", "command line", "os_user", osUser()}
	if sudoer := os.Getenv("SUDO_USER"); sudoer != "" {
		line = append(line, "sudo_user", sudoer)
	}
	log.InfoContext(ctx, "audit", append(append(line, "act", act), about...)...)
}

// osUser returns the name of the user of the operating system, or the number of a user without
// one.
func osUser() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
}

// acting calls work with an App over the stored data, and a context that carries the record of what the command does.
// work calls log.acted when it has done it. The App has the settings as the changes leave them.
func (c actCommand) acting(
	ctx context.Context, s streams, ifMissing missingDatabase, r audit.Record, work actWork, changes ...func(*settings.Config) error,
) error {
	ctx, log, config, err := c.begin(ctx, s, ifMissing, r)
	for _, change := range changes {
		if err == nil {
			err = change(&config)
		}
	}
	if err != nil {
		return readable(err)
	}
	return openApp(audit.Without(ctx), config, log, func(app *bootstrap.App) error {
		return work(ctx, app, actLog{log, app.Stores.Audit, s})
	})
}

// actingWithWallet is acting with an App that has the wallet of the settings. A sandbox without PLAZA_WALLET_URL is that of
// a server on this machine.
func (c actCommand) actingWithWallet(ctx context.Context, s streams, r audit.Record, work actWork) error {
	return c.acting(ctx, s, mustExist, r, work, func(config *settings.Config) error {
		config.Wallet = c.Wallet
		config.Choose(false)
		return bootstrap.UseSandbox(config)
	})
}

// actingOnPictures is acting for what stores or removes files of pictures, which must be those of the database.
func (c actCommand) actingOnPictures(ctx context.Context, s streams, ifMissing missingDatabase, r audit.Record, work actWork) error {
	return c.acting(ctx, s, ifMissing, r, func(ctx context.Context, app *bootstrap.App, log actLog) error {
		if err := app.PairPictures(ctx); err != nil {
			return err
		}
		return work(ctx, app, log)
	})
}

// actingOnDatabase calls work with the database, and a context that carries the record. It does not check or change the
// schema.
func (c actCommand) actingOnDatabase(
	ctx context.Context, s streams, ifMissing missingDatabase, r audit.Record,
	work func(context.Context, settings.Config, *bunstore.Store, actLog) error,
) error {
	ctx, log, config, err := c.begin(ctx, s, ifMissing, r)
	if err != nil {
		return readable(err)
	}
	return openDatabase(audit.Without(ctx), config, log, func(database *bunstore.Store) error {
		return work(ctx, config, database, actLog{log, database.Audit, s})
	})
}

// begin returns the settings, the logger, and the context that carries the record, with the person who runs the command.
func (c actCommand) begin(
	ctx context.Context, s streams, ifMissing missingDatabase, r audit.Record,
) (context.Context, *slog.Logger, settings.Config, error) {
	config, err := c.config(ifMissing)
	if err == nil {
		r.By, err = c.person()
	}
	if err != nil {
		return nil, nil, settings.Config{}, err
	}
	r.At = time.Now()
	return audit.With(ctx, r), bootstrap.NewLogger(config, s.err).With("person", r.By.Person), config, nil
}

// person returns the person who runs the command.
func (c actCommand) person() (audit.Actor, error) {
	name := cmp.Or(c.As, os.Getenv("SUDO_USER"))
	if name == "" {
		return audit.Actor{}, misusef("the audit record of this command names the person who runs it: " +
			"give your name with --as NAME or PLAZA_AS, or use sudo, which sets SUDO_USER")
	}
	by, err := audit.Person(name)
	if err != nil {
		return audit.Actor{}, misusef("--as, PLAZA_AS or SUDO_USER: %w", err)
	}
	return by, nil
}

func openApp(ctx context.Context, config settings.Config, log *slog.Logger, work func(*bootstrap.App) error) error {
	return opened(config, log, func() (*bootstrap.App, error) { return bootstrap.NewApp(ctx, config, log, parts) }, work)
}

func openDatabase(ctx context.Context, config settings.Config, log *slog.Logger, work func(*bunstore.Store) error) error {
	return opened(config, log, func() (*bunstore.Store, error) { return bootstrap.OpenDatabase(ctx, config, log, nil) }, work)
}

func opened[T io.Closer](config settings.Config, log *slog.Logger, open func() (T, error), work func(T) error) error {
	config.WarnOfUnknown(log)
	data, err := open()
	if err == nil {
		err = errors.Join(work(data), data.Close())
	}
	return readable(err)
}

// stdin is the input for passwords without a flag. Tests replace it.
var stdin io.Reader = os.Stdin

// maxLine exceeds the maximum length of a password.
const maxLine = 4096

// passwordOr returns the password of the flag, or without one the first line of the standard
// input, untrimmed. It disables echo on a terminal.
func passwordOr(ctx context.Context, s streams, flag secret.String) (secret.String, error) {
	if !flag.IsZero() {
		return flag, nil
	}
	input := stdin
	read, restore := func() (string, error) { return firstLine(input) }, func() {}
	if file, is := input.(*os.File); is && term.IsTerminal(int(file.Fd())) {
		before, err := term.GetState(int(file.Fd()))
		if err != nil {
			return secret.String{}, fmt.Errorf("read terminal state: %w", err)
		}
		read = func() (string, error) {
			typed, err := term.ReadPassword(int(file.Fd()))
			return string(typed), err
		}
		restore = func() { _ = term.Restore(int(file.Fd()), before) }
		fmt.Fprint(s.err, "Password: ")
		defer fmt.Fprintln(s.err)
	}
	text, err := typed(ctx, read)
	switch {
	case ctx.Err() != nil:
		restore()
		return secret.String{}, ctx.Err()
	case err != nil:
		return secret.String{}, fmt.Errorf("read password: %w", err)
	case text == "":
		return secret.String{}, fault.Field("password", "Enter a password: use --password or the standard input.")
	}
	return secret.New(text), nil
}

// typed returns what read reads. Reading a terminal can't be cancelled, so an interrupt does not wait for it.
func typed(ctx context.Context, read func() (string, error)) (string, error) {
	type line struct {
		text string
		err  error
	}
	lines := make(chan line, 1)
	go func() {
		text, err := read()
		lines <- line{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case l := <-lines:
		return l.text, l.err
	}
}

func firstLine(input io.Reader) (string, error) {
	text, err := bufio.NewReader(io.LimitReader(input, maxLine)).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), err
}
