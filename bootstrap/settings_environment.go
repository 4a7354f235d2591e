package bootstrap

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"plaza/domain/secret"
)

// Parts of the names of variables.
const (
	settingPrefix = "PLAZA_"
	testPrefix    = "PLAZA_TEST_" // variables of the tests
	fileSuffix    = "_FILE"       // with it, the variable of a secret names a file with the value
)

// maxSecretFile bounds how much of a file with a secret is read, in bytes.
const maxSecretFile = 64 << 10

// readSecret implements kong.ResolverFunc: it reads a secret from the file that its variable with
// the suffix _FILE names. It notes errors instead of returning them.
func (n *settingNotes) readSecret(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if !isSecret(flag.Value) {
		return nil, nil
	}
	variable := flag.Envs[0]
	path := os.Getenv(variable + fileSuffix)
	if path == "" {
		return nil, nil
	}
	n.files[flag.Value] = path
	text, err := secretOf(path)
	if os.Getenv(variable) != "" {
		err = fmt.Errorf("%s is set as well; set only one of them", variable)
	}
	if err != nil {
		n.wrong[flag.Value] = err
		return nil, nil
	}
	return text, nil
}

// secretOf returns the content of the file without the newline at its end.
func secretOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxSecretFile+1))
	text := strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r")
	switch {
	case err != nil:
		return "", err
	case len(content) > maxSecretFile:
		return "", fmt.Errorf("%s has more than %d bytes", path, maxSecretFile)
	case text == "":
		return "", errors.New(path + " is empty")
	}
	return text, nil
}

// isSecret reports whether the value is a setting that may be read from a file: it is a secret, or
// it is tagged as one because it may contain a password.
func isSecret(value *kong.Value) bool {
	return len(value.Tag.Envs) > 0 && (value.Tag.Has("secret") || value.Target.Type() == reflect.TypeFor[secret.String]())
}

// variables returns the variables of all settings of the program.
func variables(model *kong.Application) []string {
	var all []string
	_ = kong.Visit(model, func(node kong.Visitable, next kong.Next) error {
		if flag, is := node.(*kong.Flag); is && len(flag.Envs) > 0 {
			all = append(all, flag.Envs[0])
			if isSecret(flag.Value) {
				all = append(all, flag.Envs[0]+fileSuffix)
			}
		}
		return next(nil)
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// unknownVariable is a variable that looks like a setting. similar is the setting with the nearest
// name, or empty if no name is near.
type unknownVariable struct{ name, similar string }

// unknownVariables returns the variables of the environment with the prefix of settings that are
// not among the known ones, in their order.
func unknownVariables(environment, known []string) []unknownVariable {
	var unknown []unknownVariable
	for _, assignment := range environment {
		name, _, _ := strings.Cut(assignment, "=")
		if !strings.HasPrefix(name, settingPrefix) || strings.HasPrefix(name, testPrefix) || slices.Contains(known, name) {
			continue
		}
		similar := strings.TrimSuffix(name, fileSuffix) // a setting that is not a secret has no file
		if !slices.Contains(known, similar) {
			similar = nearest(name, known)
		}
		unknown = append(unknown, unknownVariable{name, similar})
	}
	slices.SortFunc(unknown, func(a, b unknownVariable) int { return strings.Compare(a.name, b.name) })
	return unknown
}

// nearest returns the first of the nearest names, or "". It is at most three edits away, fewer for
// a short name.
func nearest(name string, names []string) string {
	best, least := "", min(3, len(strings.TrimPrefix(name, settingPrefix))/2)+1
	for _, candidate := range names {
		if edits := distance(name, candidate); edits < least {
			best, least = candidate, edits
		}
	}
	return best
}

// distance returns the Levenshtein distance of the texts, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // the distances of a prefix of a to all prefixes of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
