package bootstrap

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"plaza/adapters/jsonlines"
	"plaza/application/importing"
	"plaza/domain/fault"
	"plaza/domain/imported"
)

const standardInput = "-"

// open opens the files, all of them before a database is begun for any.
func (c importCommand) open() ([]importing.Source, error) {
	if len(c.Files) == 0 {
		return nil, fmt.Errorf("%w: name the files to import; - is the standard input", errUsage)
	}
	var sources []importing.Source
	for _, name := range c.Files {
		source, err := openSource(name)
		if _, is := fault.As(err); is {
			return sources, fmt.Errorf("%w: %w", errUsage, err)
		}
		if err != nil {
			return sources, err
		}
		sources = append(sources, source)
	}
	return sources, c.apart(sources)
}

func openSource(name string) (importing.Source, error) {
	source := importing.Source{Label: name, Rejects: func(length int64) (imported.Rejects, error) {
		return jsonlines.OpenRejects(rejectsOf(name), filepath.Base(name), length)
	}}
	if name == standardInput {
		source.Label, source.File = "standard input", jsonlines.Standard(stdin, ".")
		return source, nil
	}
	var err error
	source.File, err = jsonlines.Open(name)
	return source, err
}

// apart refuses files that would get in each other's way: one that is named twice, two
// whose rejects would be in the same file, and one in the place of another's rejects.
func (c importCommand) apart(sources []importing.Source) error {
	var taken []claim
	for n, source := range sources {
		name := c.Files[n]
		claims := []claim{{cmp.Or(source.Name(), standardInput), name, false}}
		if !c.DryRun {
			path, err := whole(rejectsOf(name))
			if err != nil {
				return err
			}
			claims = append(claims, claim{path, name, true})
		}
		for _, p := range claims {
			at := slices.IndexFunc(taken, func(t claim) bool { return t.path == p.path })
			switch {
			case at >= 0 && !p.isRejects && !taken[at].isRejects:
				return fmt.Errorf("%w: %s is named twice", errUsage, name)
			case at >= 0:
				return fmt.Errorf("%w: %s and %s can't be imported together: what is rejected goes to %s",
					errUsage, taken[at].of, name, filepath.Base(p.path))
			}
		}
		taken = append(taken, claims...)
	}
	return nil
}

// claim is a path that a file needs: its own, or that of its rejects.
type claim struct {
	path, of  string
	isRejects bool
}

// whole is the path from the root on, without links on the way.
func whole(path string) (string, error) {
	folder, err := filepath.Abs(filepath.Dir(path))
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	return filepath.Join(folder, filepath.Base(path)), err
}

func rejectsOf(name string) string {
	if name == standardInput {
		return "stdin.rejects.jsonl"
	}
	return jsonlines.RejectsPath(name)
}
