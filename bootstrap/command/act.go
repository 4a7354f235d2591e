package command

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"os/user"
	"strconv"
	"time"

	"plaza/adapters/bunstore"
	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/audit"
)

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
// work calls log.acted when it has done it.
func (c actCommand) acting(ctx context.Context, s streams, ifMissing missingDatabase, r audit.Record, work actWork) error {
	return c.actingWith(ctx, s, ifMissing, r, func(*settings.Config) error { return nil }, work)
}

// actingWithWallet is acting with an App that has the wallet of the settings. A sandbox without PLAZA_WALLET_URL is that of
// a server on this machine.
func (c actCommand) actingWithWallet(ctx context.Context, s streams, r audit.Record, work actWork) error {
	return c.actingWith(ctx, s, mustExist, r, func(config *settings.Config) error {
		config.Wallet = c.Wallet
		config.Choose(false)
		return bootstrap.UseSandbox(config)
	}, work)
}

// actingWith is acting with an App of the settings as change leaves them.
func (c actCommand) actingWith(
	ctx context.Context, s streams, ifMissing missingDatabase, r audit.Record, change func(*settings.Config) error, work actWork,
) error {
	ctx, log, config, err := c.begin(ctx, s, ifMissing, r)
	if err == nil {
		err = change(&config)
	}
	if err != nil {
		return readable(err)
	}
	return openApp(audit.Without(ctx), config, log, func(app *bootstrap.App) error {
		return work(ctx, app, actLog{log, app.Stores.Audit, s})
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
		return work(ctx, config, database, actLog{log, database.Audit(), s})
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
