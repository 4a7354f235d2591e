// Package bootstrap puts Plaza together: it reads the settings, wires the ports to
// their adapters, and starts and stops the program.
//
// It is the only package that imports all others. It only decides which adapter implements
// which port, and in which order components start. They stop in the reverse order.
package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"plaza/adapters/httpapi/openapi"
)

// Exit statuses of the program.
const (
	ok     = 0
	failed = 1
	usage  = 2
)

type commands struct {
	Serve   serveCommand    `cmd:"" help:"Serve the REST interface until interrupted. Example: plaza serve --demo"`
	Migrate migrateCommands `cmd:"" help:"Manage the schema of the database."`
	Demo    demoCommand     `cmd:"" help:"Load the demo data unless it is loaded, remove its people, or write its import files into a folder as examples. Example: plaza demo --write examples"`
	User    userCommands    `cmd:"" help:"Manage accounts."`
	Token   tokenCommands   `cmd:"" help:"Manage the tokens that let programs act for an account."`
	Order   orderCommands   `cmd:"" help:"Manage orders."`
	Import  importCommand   `cmd:"" help:"Import files of the crawler's records and print a summary. Servers may run meanwhile. A restarted import resumes where it stopped. Example: plaza import found.jsonl.gz"`
	Check   checkCommand    `cmd:"" help:"Check that derived data agrees with its sources. Servers may run meanwhile. Example: plaza check --repair"`
	Backup  backupCommand   `cmd:"" help:"Copy the embedded database. Servers may run meanwhile. Example: plaza backup plaza-2026-11-20.db"`
	Sandbox sandboxCommand  `cmd:"" name:"wallet-sandbox" help:"Serve a mobile wallet for tests, which moves no money. Example: plaza wallet-sandbox --scale 60"`
	Openapi openapiCommand  `cmd:"" help:"Print the OpenAPI document as JSON. Example: plaza openapi > plaza.json"`
	Version versionCommand  `cmd:"" help:"Print the version, the commit and its date. Example: plaza version --json"`

	PrintVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

// streams are the standard output and the standard error of a command.
type streams struct{ out, err io.Writer }

func (s streams) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(s.out, format, args...)
	return err
}

// Main runs the program with the arguments and returns its exit status: 0, 1 for a failure, 2
// for wrong arguments or settings.
func Main(args []string, out, errOut io.Writer) int { return newProgram().run(args, out, errOut) }

func newProgram() parser {
	program, err := newParser(&commands{},
		kong.Name("plaza"),
		kong.Description("The backend of a social content platform."),
		kong.Vars{"version": "plaza " + thisBuild().String()},
	)
	if err != nil {
		panic(err) // the command table itself is wrong
	}
	return program
}

// run parses and runs a command line.
func (p parser) run(args []string, out, errOut io.Writer) int {
	status, exited := ok, false
	p.Stdout, p.Stderr, p.Exit = out, errOut, func(code int) { exited, status = true, code }
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := p.Parse(args)
	switch {
	case exited:
		return status
	case err != nil:
		fmt.Fprintf(errOut, "plaza: %s\nTry: plaza --help\n", misunderstood(err))
		return usage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	parsed.BindTo(ctx, (*context.Context)(nil))
	parsed.Bind(stop, streams{out, errOut})
	if err := parsed.Run(); err != nil {
		fmt.Fprintf(errOut, "plaza: %v\n", err)
		return statusOf(err)
	}
	return ok
}

// misunderstood returns the message for wrong arguments. It does not repeat an unexpected
// argument, which may be a password.
func misunderstood(err error) string {
	const tooMany = "unexpected argument"
	if strings.HasPrefix(err.Error(), tooMany) {
		return tooMany
	}
	return err.Error()
}

// errUsage marks errors that the caller can correct.
var errUsage = errors.New("wrong settings")

func statusOf(err error) int {
	if errors.Is(err, errUsage) {
		return usage
	}
	return failed
}

type openapiCommand struct{}

func (openapiCommand) Run(s streams) error {
	return s.printf("%s\n", openapi.JSON())
}
