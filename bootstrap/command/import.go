package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"plaza/adapters/jsonlines"
	"plaza/application/importing"
	"plaza/bootstrap"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/imported"
)

type importCommand struct {
	Files  []string       `arg:"" optional:"" name:"file" help:"Files of JSON Lines, gzipped or not; - is the standard input. Covers must be in the same folder."`
	DryRun bool           `help:"Check everything, store nothing, and write no rejects."`
	Schema *imported.Kind `placeholder:"KIND" enum:"${kinds}" help:"Only print the JSON Schema of a kind of record: ${enum}."`
	JSON   bool           `name:"json" help:"Print the summary as one JSON object. With --dry-run, valid records count as new."`
	actCommand
}

func (c importCommand) Run(ctx context.Context, s streams) (err error) {
	if c.Schema != nil {
		_, err := s.out.Write(jsonlines.Schema(*c.Schema))
		return err
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
	if c.DryRun {
		return c.withApp(ctx, s, asEmpty, func(ctx context.Context, app *bootstrap.App) error {
			watcher := newImportWatcher(s, sources)
			summary, err := app.Importer.DryRun(ctx, sources, watcher)
			watcher.end()
			return c.conclude(s, summary, err, watcher)
		})
	}
	r := audit.Record{Act: audit.Imported, Object: audit.Object{Kind: audit.File, ID: strings.Join(c.Files, " ")}}
	return c.actingOnPictures(ctx, s, mayCreate, r, func(ctx context.Context, app *bootstrap.App, log actLog) error {
		watcher := newImportWatcher(s, sources)
		summary, err := app.Importer.Import(ctx, sources, watcher)
		watcher.end()
		all := summary.All()
		noted := log.acted(context.WithoutCancel(ctx), "import",
			"files", c.Files, "new", all.New, "changed", all.Changed, "rejected", summary.Rejected, "complete", err == nil)
		return errors.Join(c.conclude(s, summary, err, watcher), noted)
	})
}

// open opens all files, before a database is created for them.
func (c importCommand) open() ([]importing.Source, error) {
	if len(c.Files) == 0 {
		return nil, misusef("name the files to import; - is the standard input")
	}
	var sources []importing.Source
	for _, name := range c.Files {
		source, err := openSource(name)
		if _, is := fault.As(err); is {
			return sources, misusef("%w", err)
		}
		if err != nil {
			return sources, whereToRun(err)
		}
		sources = append(sources, source)
	}
	return sources, c.apart(sources)
}

// apart rejects conflicting files: a file named twice, two files with the same file of
// rejects, and a file that is the file of rejects of another.
func (c importCommand) apart(sources []importing.Source) error {
	records, rejects := map[string]string{}, map[string]string{} // the names of the files, by the paths that are taken
	for n, source := range sources {
		name, path := c.Files[n], cmp.Or(source.Name(), standardInput)
		if records[path] != "" {
			return misusef("%s is named twice", name)
		}
		records[path] = name
	}
	if c.DryRun {
		return nil
	}
	for _, name := range c.Files {
		path, err := whole(rejectsOf(name))
		if err != nil {
			return err
		}
		if err := canWrite(path); err != nil {
			return fmt.Errorf("rejects of %s could not be kept: %w", name, whereToRun(err))
		}
		if other := cmp.Or(records[path], rejects[path]); other != "" {
			return misusef("%s and %s can't be imported together: rejects are written to %s", other, name, filepath.Base(path))
		}
		rejects[path] = name
	}
	return nil
}

// giveWay limits an import to one core, so that its garbage collection
// takes none from a server on the same machine. It also collects less often within a memory
// limit. GOMAXPROCS, GOGC and GOMEMLIMIT in the environment take precedence.
func giveWay() {
	const percent, limit = 200, 85 << 20 // bytes, for a batch and the lines after it, without the memory of the embedded database
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
	}
}

type importResult struct {
	OK      bool     `json:"ok"`
	DryRun  bool     `json:"dry_run"`
	Rejects []string `json:"rejects"` // files with rejects of this import
	Error   string   `json:"error,omitempty"`
	importing.Summary
}

func (c importCommand) conclude(s streams, summary importing.Summary, failure error, w *importWatcher) error {
	rejects := []string{}
	for _, name := range c.Files {
		if w.rejects[labelOf(name)] && !c.DryRun {
			rejects = append(rejects, rejectsOf(name))
		}
	}
	if c.JSON {
		result := importResult{OK: failure == nil && summary.Rejected == 0, DryRun: c.DryRun, Rejects: rejects, Summary: summary}
		if failure != nil {
			result.Error = readable(failure).Error()
		}
		if err := printJSON(s.out, result); err != nil {
			return errors.Join(failure, err)
		}
	} else if err := c.printSummary(s, summary); err != nil {
		return errors.Join(failure, err)
	}
	switch {
	case errors.Is(failure, importing.ErrInterrupted) && c.DryRun:
		return errors.New("interrupted")
	case errors.Is(failure, importing.ErrInterrupted):
		return errors.New("interrupted: all counted records are stored. " + c.goOn(failure))
	case failure != nil && summary.Records() > 0 && !c.DryRun:
		return fmt.Errorf("%w\nAll counted records are stored. %s", failure, c.goOn(failure))
	case failure != nil:
		return failure
	case summary.Rejected > 0 && c.DryRun:
		return fmt.Errorf("%s would be rejected", amount(summary.Rejected, "line"))
	case summary.Rejected > 0:
		return fmt.Errorf("%s rejected and written with reasons to %s: correct and import them",
			amount(summary.Rejected, "line"), strings.Join(rejects, ", "))
	}
	return nil
}

// goOn says how to resume. A damaged file changes when it is mended, and the standard input is never the same: both
// are read from the beginning.
func (c importCommand) goOn(failure error) string {
	if errors.Is(failure, imported.ErrDamaged) || slices.Contains(c.Files, standardInput) {
		return "Import it again: stored records stay unchanged."
	}
	return "Run the same command again to resume."
}

func (c importCommand) printSummary(s streams, summary importing.Summary) error {
	all := summary.All()
	if c.DryRun {
		return s.printf("Checked %s: %s valid, %s would be rejected.\n",
			amount(summary.Records(), "record"), humanize.Comma(all.New), humanize.Comma(summary.Rejected))
	}
	err := s.printf("Imported %s: %s new, %s changed, %s unchanged, %s rejected.\n", amount(summary.Records(), "record"),
		humanize.Comma(all.New), humanize.Comma(all.Changed), humanize.Comma(all.Same), humanize.Comma(summary.Rejected))
	if err != nil || len(summary.Kinds) == 0 {
		return err
	}
	if summary.Replaced > 0 {
		fmt.Fprintf(s.out, "Replaced by later lines before they could be stored: %s.\n", amount(summary.Replaced, "record"))
	}
	if summary.Waiting > 0 {
		fmt.Fprintf(s.out, "Waiting for records in the unread rest of the files: %s.\n", amount(summary.Waiting, "record"))
	}
	var kinds []imported.Kind
	for _, kind := range imported.Kinds() {
		if _, is := summary.Kinds[kind]; is {
			kinds = append(kinds, kind)
		}
	}
	return printTable(s.out, "KIND\tNEW\tCHANGED\tUNCHANGED", seqOf(kinds), func(k imported.Kind) string {
		n := summary.Kinds[k]
		return fmt.Sprintf("%s\t%s\t%s\t%s", k, humanize.Comma(n.New), humanize.Comma(n.Changed), humanize.Comma(n.Same))
	})
}

const standardInput = "-"

func openSource(name string) (importing.Source, error) {
	source := importing.Source{Label: labelOf(name), Rejects: func(length int64) (imported.Rejects, error) {
		return jsonlines.OpenRejects(rejectsOf(name), filepath.Base(name), length)
	}}
	if name == standardInput {
		source.File = jsonlines.Standard(stdin, ".")
		return source, nil
	}
	var err error
	source.File, err = jsonlines.Open(name)
	return source, err
}

// whereToRun adds to the refusal of a file where the command can be run.
func whereToRun(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: run the command in a folder that the user %s may write, with its files", err, osUser())
	}
	return err
}

// canWrite returns why the file can't be written or made. It leaves no file that was not there.
func canWrite(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if f, err = os.CreateTemp(filepath.Dir(path), ".plaza-"); err == nil {
			defer func() { _ = os.Remove(f.Name()) }()
		}
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// whole returns the absolute path with the symbolic links of its folder resolved.
func whole(path string) (string, error) {
	folder, err := filepath.Abs(filepath.Dir(path))
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	return filepath.Join(folder, filepath.Base(path)), err
}

func labelOf(name string) string {
	if name == standardInput {
		return "standard input"
	}
	return name
}

func rejectsOf(name string) string {
	if name == standardInput {
		return "stdin.rejects.jsonl"
	}
	return jsonlines.RejectsPath(name)
}
