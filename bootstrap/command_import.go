package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"plaza/adapters/jsonlines"
	"plaza/application/importing"
	"plaza/domain/imported"
)

type importCommand struct {
	Files  []string `arg:"" optional:"" name:"file" help:"Files of JSON Lines, gzipped or not; - is the standard input. Covers are looked for beside them."`
	DryRun bool     `help:"Check everything, store nothing, and write no rejects."`
	Schema string   `placeholder:"KIND" help:"Print the JSON Schema of a kind of record, and do nothing else."`
	JSON   bool     `name:"json" help:"Print what became of the lines as one JSON object; with --dry-run, what is good is new."`
	stored
}

func (c importCommand) Run(ctx context.Context, s streams) (err error) {
	if c.Schema != "" {
		return printSchema(s, imported.Kind(c.Schema))
	}
	sources, err := c.open()
	defer func() {
		for _, source := range sources {
			err = errors.Join(err, source.Close())
		}
	}()
	if err != nil {
		return readable(err)
	}
	giveWay()
	may := mayBegin
	if c.DryRun {
		may = asEmpty
	}
	return c.withApp(ctx, s, may, func(app *App) error { return c.bring(ctx, s, app.Importer, sources) })
}

// giveWay keeps an import, which does one thing at a time, to one core, so that
// collecting its garbage takes no other from a server that runs beside it; and has that
// done less often, while there is room. The environment knows better.
func giveWay() {
	const percent, room = 200, 56 << 20 // bytes, what the embedded database takes not among them
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(room)
	}
}

func printSchema(s streams, kind imported.Kind) error {
	if !slices.Contains(imported.Kinds(), kind) {
		return fmt.Errorf("%w: there is no kind %q; the kinds are %s", errUsage, kind, listed(imported.Kinds()))
	}
	_, err := s.out.Write(jsonlines.Schema(kind))
	return err
}

// bring imports the sources, and says what became of them.
func (c importCommand) bring(ctx context.Context, s streams, importer *importing.Importer, sources []importing.Source) error {
	work := importer.Import
	if c.DryRun {
		work = importer.DryRun
	}
	watcher := newImportWatcher(s, sources)
	summary, err := work(ctx, sources, watcher)
	watcher.end()
	return c.conclude(s, summary, err, watcher)
}

// importResult is what became of an import, as JSON.
type importResult struct {
	OK      bool     `json:"ok"`
	DryRun  bool     `json:"dry_run"`
	Rejects []string `json:"rejects"` // the files in which there are some
	Error   string   `json:"error,omitempty"`
	importing.Summary
}

func (c importCommand) conclude(s streams, summary importing.Summary, failure error, w *importWatcher) error {
	rejects := w.rejectFiles(c)
	if c.JSON {
		told := importResult{OK: failure == nil && summary.Rejected == 0, DryRun: c.DryRun, Rejects: rejects, Summary: summary}
		if failure != nil {
			told.Error = readable(failure).Error()
		}
		if err := printJSON(s.out, told); err != nil {
			return errors.Join(failure, err)
		}
	} else if err := c.printSummary(s, summary); err != nil {
		return errors.Join(failure, err)
	}
	switch {
	case errors.Is(failure, importing.ErrInterrupted) && c.DryRun:
		return errors.New("interrupted")
	case errors.Is(failure, importing.ErrInterrupted):
		return errors.New("interrupted: what is counted is stored. " + goOn(c.Files))
	case failure != nil && summary.Lines > 0 && !c.DryRun:
		return fmt.Errorf("%w\nWhat is counted is stored. %s", failure, goOn(c.Files))
	case failure != nil:
		return failure
	case summary.Rejected > 0 && c.DryRun:
		return fmt.Errorf("%s would be rejected", amount(summary.Rejected, "line"))
	case summary.Rejected > 0:
		return fmt.Errorf("%s rejected, and kept with the reasons in %s: mend and import them",
			amount(summary.Rejected, "line"), strings.Join(rejects, ", "))
	}
	return nil
}

// goOn says how to go on; nobody knows where the standard input was.
func goOn(files []string) string {
	if slices.Contains(files, standardInput) {
		return "Begin again: what is stored already is left as it is."
	}
	return "The same command goes on from there."
}

func (c importCommand) printSummary(s streams, summary importing.Summary) error {
	all := summary.All()
	if c.DryRun {
		_, err := fmt.Fprintf(s.out, "Checked %s: %s good, %s would be rejected.\n",
			amount(summary.Records(), "record"), grouped(all.New), grouped(summary.Rejected))
		return err
	}
	_, err := fmt.Fprintf(s.out, "Imported %s: %s new, %s changed, %s as they were, %s rejected.\n", amount(summary.Records(), "record"),
		grouped(all.New), grouped(all.Changed), grouped(all.Same), grouped(summary.Rejected))
	if err != nil || len(summary.Kinds) == 0 {
		return err
	}
	if summary.Replaced > 0 {
		fmt.Fprintf(s.out, "Replaced by a later one while waiting: %s.\n", amount(summary.Replaced, "record"))
	}
	if summary.Waiting > 0 {
		fmt.Fprintf(s.out, "Waiting for what is still to be read: %s.\n", amount(summary.Waiting, "record"))
	}
	var kinds []imported.Kind
	for _, kind := range imported.Kinds() {
		if _, is := summary.Kinds[kind]; is {
			kinds = append(kinds, kind)
		}
	}
	return printTable(s.out, "KIND\tNEW\tCHANGED\tAS IT WAS", each(kinds), func(k imported.Kind) string {
		n := summary.Kinds[k]
		return fmt.Sprintf("%s\t%s\t%s\t%s", k, grouped(n.New), grouped(n.Changed), grouped(n.Same))
	})
}

// amount is a number of things, in words.
func amount(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return grouped(n) + " " + thing
}

// grouped is a number as people read it: 1,000,000.
func grouped(n int64) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
