package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"plaza/bootstrap/demo"
)

type demoCommand struct {
	Write  *string `placeholder:"DIR" help:"Load nothing, but write the files that the demo data is imported from into the folder. Nothing is overwritten, and no database is needed." xor:"what"`
	Remove bool    `help:"Load nothing, but disable the accounts of the demo's people, whatever their passwords are by now, end their tokens, and delete their events, images and subscriptions. What is imported of the demo data stays, and so do orders, comments and likes." xor:"what"`
	stored
}

func (c demoCommand) Run(ctx context.Context, s streams) error {
	switch {
	case c.Write != nil:
		return writeExamples(s, *c.Write)
	case c.Remove:
		return c.remove(ctx, s)
	}
	return c.withApp(ctx, s, mayBegin, func(app *App) error {
		if err := app.LoadDemo(ctx); err != nil {
			return fmt.Errorf("loading the demo data: %w", err)
		}
		_, err := fmt.Fprintf(s.out, "The demo data is in %s.\n", whereabouts(app.Config))
		return err
	})
}

// remove removes the demo's people, and says what is done and what remains.
func (c demoCommand) remove(ctx context.Context, s streams) error {
	return c.withApp(ctx, s, mustExist, func(app *App) error {
		done, err := demo.Remove(ctx, app.demoPorts(), time.Now())
		if err != nil {
			return fmt.Errorf("removing the demo data: %w; the same command goes on", err)
		}
		_, err = fmt.Fprintf(s.out, "No account of the demo data in %s can log in any more. Disabled %s, deleted %s, %s and %s.\n"+
			"These remain: imported categories, publications, demands, how-tos and news; orders; comments and likes on events of others.\n",
			whereabouts(app.Config), amount(int64(done.Accounts), "account"), amount(int64(done.Events), "event"),
			amount(int64(done.Images), "image"), amount(int64(done.Subscriptions), "subscription"))
		return err
	})
}

// writeExamples writes all of the files into the folder, or none.
func writeExamples(s streams, folder string) error {
	if folder == "" {
		return fmt.Errorf("%w: name the folder to write to; . is this one", errUsage)
	}
	files, covers, err := demo.Files()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return fmt.Errorf("making the folder: %w", err)
	}
	paths := make([]string, len(files)+len(covers))
	for i, file := range append(files, covers...) {
		paths[i] = filepath.Join(folder, file.Name)
		if err := writeNew(paths[i], file.Content); err != nil {
			return errors.Join(err, removeAll(paths[:i]))
		}
	}
	_, err = fmt.Fprintf(s.out, "Wrote %s, and %s beside them, into %s. This imports them:\n  plaza import %s\n",
		amount(int64(len(files)), "file"), amount(int64(len(covers)), "cover"), folder, strings.Join(quoted(paths[:len(files)]), " "))
	return err
}

// writeNew makes the file, and leaves none that is not whole.
func writeNew(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, and is not overwritten", path)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(fmt.Errorf("writing the examples: %w", err), os.Remove(path))
	}
	return nil
}

func removeAll(paths []string) error {
	var all []error
	for _, path := range paths {
		all = append(all, os.Remove(path))
	}
	return errors.Join(all...)
}

// quoted are words for a shell, which may be pasted there.
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
