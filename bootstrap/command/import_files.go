package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"plaza/adapters/jsonlines"
	"plaza/application/importing"
	"plaza/domain/fault"
	"plaza/domain/imported"
)

const standardInput = "-"

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
