package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"plaza/adapters/jsonlines"
	"plaza/application/importing"
	"plaza/domain/imported"
)

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
