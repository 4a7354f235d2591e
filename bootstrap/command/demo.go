package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plaza/bootstrap"
	"plaza/bootstrap/demo"
	"plaza/domain/audit"
)

type demoCommand struct {
	Write        *string `placeholder:"DIR" help:"Only write the import files of the demo data into the folder. Existing files are not overwritten, and no database is needed." xor:"what"`
	Remove       bool    `help:"Only disable the accounts of the demo's people, even if their passwords have changed, revoke their tokens, and delete their events, images and subscriptions. Imported demo records, orders, comments and likes stay." xor:"what"`
	IntoExisting bool    `name:"demo-into-existing" help:"Load the demo data also into a database that has other accounts. Its people, one of them staff, have a public password." xor:"what"`
	actCommand
}

func (c demoCommand) Run(ctx context.Context, s streams) error {
	switch {
	case c.Write != nil:
		return writeExamples(s, *c.Write)
	case c.Remove:
		return c.remove(ctx, s)
	}
	return c.acting(ctx, s, mayCreate, audit.Record{Act: audit.DemoLoaded, Object: audit.Object{Kind: audit.Database}},
		func(ctx context.Context, app *bootstrap.App, log actLog) error {
			if err := app.LoadDemo(ctx, c.IntoExisting); err != nil {
				return fmt.Errorf("load demo data: %w", err)
			}
			return log.concludes(ctx, "The demo data is in "+app.Config.DisplayDatabase()+".", "demo")
		})
}

// remove removes the demo's people and prints what was removed and what remains.
func (c demoCommand) remove(ctx context.Context, s streams) error {
	return c.actingOnPictures(ctx, s, mustExist, audit.Record{Act: audit.DemoRemoved, Object: audit.Object{Kind: audit.Database}},
		func(ctx context.Context, app *bootstrap.App, log actLog) error {
			done, err := app.RemoveDemo(ctx)
			err = errors.Join(err, log.acted(ctx, "demo --remove", "accounts", done.Accounts, "events", done.Events,
				"images", done.Images, "subscriptions", done.Subscriptions, "complete", err == nil))
			if err != nil {
				return fmt.Errorf("remove demo data: %w; run the command again to continue", err)
			}
			return s.printf("No account of the demo data in %s can log in any more. Disabled %s, deleted %s, %s and %s.\n"+
				"These remain: imported categories, publications, demands, how-tos and news; orders; comments and likes on events of others.\n",
				app.Config.DisplayDatabase(), amount(int64(done.Accounts), "account"), amount(int64(done.Events), "event"),
				amount(int64(done.Images), "image"), amount(int64(done.Subscriptions), "subscription"))
		})
}

// writeExamples writes all files into the folder, or none if one of them exists.
func writeExamples(s streams, folder string) error {
	if folder == "" {
		return misusef("name the folder to write to; . is the current one")
	}
	from, records, covers := demo.Files()
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return fmt.Errorf("create folder: %w", err)
	}
	var paths []string
	names := slices.Concat(records, covers)
	for _, name := range names {
		path := filepath.Join(folder, name)
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return cmp.Or(err, fmt.Errorf("%s exists and is not overwritten", path))
		}
		paths = append(paths, path)
	}
	for i, name := range names {
		content, err := fs.ReadFile(from, name)
		if err == nil {
			err = os.WriteFile(paths[i], content, 0o640)
		}
		if err != nil {
			return fmt.Errorf("write examples: %w", err)
		}
	}
	return s.printf("Wrote %s and %s into %s. To import them:\n  plaza import %s\n",
		amount(int64(len(records)), "file"), amount(int64(len(covers)), "cover"), folder, strings.Join(quoted(paths[:len(records)]), " "))
}

// quoted returns the words quoted for a shell.
func quoted(words []string) []string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-"
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = word
		if strings.Trim(word, plain) != "" {
			all[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return all
}
