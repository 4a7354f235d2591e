// Package bootstrap puts Plaza together: it reads the settings, wires the ports to
// their adapters, and starts and stops the program.
//
// It is the only package that knows every other. Nothing is decided here but
// which adapter stands behind which port, and in which order things start; they
// stop in the opposite one.
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
	Migrate migrateCommands `cmd:"" help:"Keep the schema of the database."`
	Demo    demoCommand     `cmd:"" help:"Load the demo data, unless it is there; or remove its people; or write what of it is imported into a folder, as examples of such files. Example: plaza demo --write examples"`
	User    userCommands    `cmd:"" help:"Keep accounts."`
	Token   tokenCommands   `cmd:"" help:"Keep the tokens that let programs act for an account."`
	Order   orderCommands   `cmd:"" help:"Keep what accounts are to pay."`
	Import  importCommand   `cmd:"" help:"Bring in what the crawler has found, and say what became of it; beside a running server, too. Begun again, it goes on where it was. Example: plaza import found.jsonl.gz"`
	Check   checkCommand    `cmd:"" help:"Check that what is derived agrees with what it is derived from; beside a running server, too. Example: plaza check --repair"`
	Backup  backupCommand   `cmd:"" help:"Copy the embedded database, beside a running server, too. Example: plaza backup plaza-2026-11-20.db"`
	Sandbox sandboxCommand  `cmd:"" name:"wallet-sandbox" help:"Serve a mobile wallet to try things with, which moves no money. Example: plaza wallet-sandbox --scale 60"`
	Openapi openapiCommand  `cmd:"" help:"Print the OpenAPI document as JSON. Example: plaza openapi > plaza.json"`
	Version versionCommand  `cmd:"" help:"Print the version, the commit and its date. Example: plaza version --json"`

	PrintVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

// streams are where a command prints.
type streams struct{ out, err io.Writer }

// Main runs the program with the arguments and returns its exit status: 0, 1 when
// it failed, 2 when it was not understood.
func Main(args []string, out, errOut io.Writer) int {
	var cmd commands
	status := ok
	exited := false
	parser, err := kong.New(&cmd,
		kong.Name("plaza"),
		kong.Description("The backend of a social content platform."),
		kong.Writers(out, errOut),
		kong.Exit(func(code int) { exited, status = true, code }),
		kong.UsageOnError(),
		kong.Bind(streams{out, errOut}),
		kong.Vars{"version": "plaza " + thisBuild().String()},
	)
	if err != nil {
		panic(err) // the command table itself is wrong
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
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
	parsed.Bind(stop)
	if err := parsed.Run(); err != nil {
		fmt.Fprintf(errOut, "plaza: %v\n", err)
		return statusOf(err)
	}
	return ok
}

// misunderstood tells what is wrong with the arguments. One too many is not
// repeated: it may be a password in the wrong place.
func misunderstood(err error) string {
	const tooMany = "unexpected argument"
	if strings.HasPrefix(err.Error(), tooMany) {
		return tooMany
	}
	return err.Error()
}

// errUsage marks what the person who called can mend.
var errUsage = errors.New("wrong settings")

func statusOf(err error) int {
	if errors.Is(err, errUsage) {
		return usage
	}
	return failed
}

type openapiCommand struct{}

func (openapiCommand) Run(s streams) error {
	_, err := fmt.Fprintf(s.out, "%s\n", openapi.JSON())
	return err
}
