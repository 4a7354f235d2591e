package command

import (
	"context"
	"fmt"
	"io"

	"plaza/adapters/backoffice"
	"plaza/bootstrap"
	"plaza/bootstrap/settings"
)

type serveCommand struct {
	Demo         bool `help:"Load the demo data first. It refuses a database that has other accounts."`
	IntoExisting bool `name:"demo-into-existing" help:"With --demo: load it also into a database that has other accounts. Its people, one of them staff, have a public password."`
	settings.Config
}

// Run makes the program serve until the context ends.
func (c serveCommand) Run(ctx context.Context, stop context.CancelFunc, s streams, afterwards *longRun) error {
	if c.IntoExisting && !c.Demo {
		return misusef("--demo-into-existing needs --demo")
	}
	server := bootstrap.Server{Config: c.Config, Demo: c.Demo, IntoExisting: c.IntoExisting, Log: s.err}
	if greets(c.Config, s.out) {
		server.Greet = func(l *bootstrap.Listeners, config settings.Config) { greet(s.out, l, config, c.Demo) }
	}
	afterwards.run = func() error { return server.Run(ctx, stop) }
	return nil
}

// greets reports whether serve greets on the output: people read a terminal, and programs that
// read JSON read all that is printed.
func greets(c settings.Config, out any) bool { return isTerminal(out) && c.LogFormat != "json" }

// greet prints the URLs of the server and, with the demo data, a first request. Programs find
// the addresses in the log.
func greet(w io.Writer, l *bootstrap.Listeners, c settings.Config, withDemo bool) {
	fmt.Fprintf(w, `Plaza %s
  REST interface  %[2]s
  API reference   %[2]s/docs/
  API document    %[2]s/api/openapi.json
  Health          %[3]s/readyz
`, bootstrap.ThisBuild(), l.URL(), l.AdminURL())
	switch c.BackOffice {
	case settings.BackOfficeAdmin:
		fmt.Fprintf(w, "  Back office     %s%s\n", l.AdminURL(), backoffice.Root)
	case settings.BackOfficePublic:
		fmt.Fprintf(w, "  Back office     %s%s\n", l.URL(), backoffice.Root)
	}
	if c.UsesSandbox() {
		fmt.Fprintf(w, "  Wallet sandbox  %s/\n", c.WalletURL)
	}
	if c.KeepsMessages() {
		fmt.Fprintf(w, "  SMS sandbox     %s\n", c.SMSURL)
	}
	if withDemo {
		fmt.Fprintf(w, `
Demo accounts +86-13800000001, +86-13800000002, +34-600000003 and +1-2025550104 (back office),
all with the password plaza-demo. To try the interface, open %[1]s/docs/ in a browser. A first request:

  curl -s %[1]s/api/auth/login/ -H 'Content-Type: application/json' \
    -d '{"username": "+86-13800000001", "password": "plaza-demo"}'

`, l.URL())
	}
}

type sandboxCommand struct {
	Scale   int    `default:"1" help:"Speed of time: with 60, a minute takes a second." placeholder:"N"`
	Journal string `help:"File for the ledger (default: none; the ledger is lost at exit)." placeholder:"FILE"`
	Public  string `name:"public-url" help:"URL that payers see (default: the listening address)." placeholder:"URL"`
	settings.SandboxConfig
}

// Run serves the sandbox until the context ends.
func (c sandboxCommand) Run(ctx context.Context, s streams) error {
	serving := func(url string) {
		fmt.Fprintf(s.out, "Wallet sandbox, which moves no money: %[1]s/\n"+
			"To use it, start Plaza with PLAZA_WALLET=sandbox (or sandboxv3) PLAZA_WALLET_URL=%[1]s and the same PLAZA_DATA_DIR\n", url)
	}
	box := bootstrap.Sandbox{Config: c.SandboxConfig, Scale: c.Scale, Journal: c.Journal, PublicURL: c.Public, Log: s.err, Serving: serving}
	return box.Run(ctx)
}

// longRun is what a command leaves to be run when it has returned: the parser and its model of all commands, 5 MiB of small
// objects that each garbage collection would read, are not needed then.
type longRun struct{ run func() error }
