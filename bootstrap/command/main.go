// Package command has the commands of the program: it parses a command line, runs what it names and prints the result.
//
// Commands call the wiring in bootstrap, which knows none of them.
package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"plaza/adapters/httpapi/openapi"
	"plaza/adapters/httpapi/view"
	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/imported"
	"plaza/domain/moderation"
	"plaza/domain/text"
)

// commands are the commands of the program. The tag settings names the settings, by their flags
// or by what those begin with, that --help lists besides the ones of every command.
type commands struct {
	Serve      serveCommand       `cmd:"" help:"Serve the REST interface until interrupted." example:"plaza serve --demo"`
	Config     configCommand      `cmd:"" help:"Print the settings in force and where each comes from. Secrets are masked." example:"plaza config --demo --json"`
	Migrate    migrateCommands    `cmd:"" help:"Manage the schema of the database."`
	Demo       demoCommand        `cmd:"" help:"Load the demo data unless it is loaded, remove its people, or write its import files into a folder as examples." example:"plaza demo --write examples" settings:"media"`
	User       userCommands       `cmd:"" help:"Manage accounts."`
	Token      tokenCommands      `cmd:"" help:"Manage the tokens that let programs act for an account."`
	Order      orderCommands      `cmd:"" help:"Manage orders."`
	Moderation moderationCommands `cmd:"" help:"Decide reports, hide and restore."`
	Audit      auditCommands      `cmd:"" help:"Show what staff have done."`
	SMS        smsCommands        `cmd:"" name:"sms" help:"Try the sender of codes."`
	Import     importCommand      `cmd:"" help:"Import files of the crawler's records and print a summary. Servers may run meanwhile. A restarted import resumes where it stopped." example:"plaza import found.jsonl.gz" settings:"media"`
	Media      mediaCommands      `cmd:"" help:"Manage where pictures are stored."`
	Check      checkCommand       `cmd:"" help:"Check that derived data agrees with its sources. Servers may run meanwhile." example:"plaza check --repair" settings:"media"`
	Backup     backupCommand      `cmd:"" help:"Copy the embedded database. Servers may run meanwhile." example:"plaza backup plaza-2026-11-20.db"`
	Health     healthCommand      `cmd:"" name:"healthcheck" help:"Ask a running server whether it is ready, and exit with 1 if it is not." example:"plaza healthcheck --wait 60s" settings:"admin-addr"`
	Sandbox    sandboxCommand     `cmd:"" name:"wallet-sandbox" help:"Serve a mobile wallet for tests, which moves no money." example:"plaza wallet-sandbox --scale 60"`
	Openapi    openapiCommand     `cmd:"" help:"Print the OpenAPI document as JSON." example:"plaza openapi > plaza.json"`
	Completion completionCommand  `cmd:"" help:"Print a script that completes commands and flags in a shell." example:"source <(plaza completion bash)"`
	Version    versionCommand     `cmd:"" help:"Print the version, the commit and its date." example:"plaza version --json"`
	Help       helpCommand        `cmd:"" help:"Show help for a command." example:"plaza help user create"`

	PrintVersion kong.VersionFlag `name:"version" short:"V" help:"Print the version."`
	HelpAll      helpAllFlag      `help:"Show help with all settings."`
}

// Main runs the program with the arguments and returns its exit status: 0, 1 for a failure, 2
// for wrong arguments or settings.
func Main(args []string, out, errOut io.Writer) int { return run(newProgram(), args, out, errOut) }

func newProgram() settings.Parser {
	parser, err := settings.NewParser(&commands{}, bootstrap.Offered(),
		kong.Name("plaza"),
		kong.Description("The backend of a social content platform."),
		kong.ExplicitGroups([]kong.Group{settingsGroup}),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.ValueFormatter(withDefault),
		kong.Vars{
			"version": "plaza " + bootstrap.ThisBuild().String(), "kinds": text.Joined(imported.Kinds(), ","),
			"hideable": text.Joined(moderation.Hideable(), ","),
		},
	)
	if err == nil {
		err = describe(parser.Model)
	}
	if err != nil {
		panic(err) // the command table itself is wrong
	}
	return parser
}

// run parses and runs a command line.
func run(p settings.Parser, args []string, out, errOut io.Writer) int {
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
		problem, command := misunderstood(err)
		fmt.Fprintf(errOut, "plaza: %s\nTry: %s --help\n", problem, command)
		return usage
	}
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup has it ignored
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	var afterwards longRun
	parsed.BindTo(ctx, (*context.Context)(nil))
	parsed.Bind(stop, streams{out, errOut}, &afterwards)
	if err := parsed.Run(); err != nil {
		return fail(errOut, err, withFlags(err, parsed.Flags()))
	}
	if afterwards.run != nil {
		if err := afterwards.run(); err != nil {
			return fail(errOut, err, readable(err).Error())
		}
	}
	return ok
}

type openapiCommand struct{}

func (openapiCommand) Run(s streams) error {
	return s.printf("%s\n", openapi.JSON())
}

type versionCommand struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run prints the build. In JSON, what is unknown is null.
func (c versionCommand) Run(s streams) error {
	b := bootstrap.ThisBuild()
	if c.JSON {
		return printJSON(s.out, map[string]any{
			"version": view.OrNull(b.Version), "commit": view.OrNull(b.Commit), "date": view.OrNull(b.Date), "modified": b.Modified,
			"go": b.Go, "platform": b.Platform,
		})
	}
	return s.printf("plaza %s\n", b)
}

type configCommand struct {
	Demo bool `help:"Print the settings of serve --demo."`
	JSON bool `name:"json" help:"Print a JSON array."`
	dataCommand
}

// Run prints the settings as serve would use them.
func (c configCommand) Run(_ context.Context, s streams) error {
	config, err := bootstrap.Check(c.Config)
	if err != nil {
		return err
	}
	config.WarnOfUnknown(bootstrap.NewLogger(config, s.err))
	config.Choose(c.Demo)
	config.PublicURL = cmp.Or(config.PublicURL, "http://"+settings.FromHere(config.Addr))
	if config.MediaURL.Endpoint == "" {
		config.MediaURL.Dir = config.MediaDir()
	}
	return printList(s, c.JSON, "SETTING\tVALUE\tSOURCE", seqOf(config.List()), func(of settings.Setting) string {
		return of.Variable + "\t" + orDash(orZero(of.Value)) + "\t" + of.Source
	}, itself)
}
