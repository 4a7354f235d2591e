package command

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"strconv"

	"plaza/adapters/httpapi/view"
	"plaza/bootstrap"
	"plaza/domain/audit"
	"plaza/domain/page"
)

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

type auditCommands struct {
	List auditList `cmd:"" help:"List the acts of staff, the newest first." example:"plaza audit list --limit 20 --json"`
}

type auditList struct {
	Limit int  `default:"50" help:"Maximum number of acts; 0 lists all." placeholder:"50"`
	JSON  bool `name:"json" help:"Print a JSON array."`
	dataCommand
}

func actRow(r audit.Record) string {
	by := r.By.Person + " (command line)"
	if r.By.Staff != 0 {
		by = fmt.Sprint("account ", r.By.Staff)
	}
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s\t%s", r.ID, clock(r.At), by, r.Act, r.Object.Kind, orDash(r.Object.ID), orDash(r.Reason))
}

func (c auditList) Run(ctx context.Context, s streams) error {
	if c.Limit < 0 {
		return misusef("--limit can't be negative")
	}
	return c.withApp(ctx, s, mustExist, func(ctx context.Context, app *bootstrap.App) error {
		acts := behind(c.Limit, func(r page.CursorRequest) (page.CursorPage[audit.Record], error) {
			return app.Stores.Audit.List(ctx, audit.Query{CursorRequest: r})
		})
		return printList(s, c.JSON, "ID\tAT\tBY\tACT\tOBJECT\tNUMBER\tREASON", acts, actRow, view.OfAct)
	})
}
