package command

import (
	"context"
	"log/slog"
	"os"
	"os/user"
	"strconv"
)

// audit logs an act of the command line that changed stored data, or copied it: the user of
// the operating system, the command, and what it was about. The attributes must not be
// secrets or phone numbers.
func audit(ctx context.Context, log *slog.Logger, act string, about ...any) {
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
