package settings

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

// Variables returns the variables of all settings of the program.
func Variables(model *kong.Application) []string {
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

// unknownVariables returns the variables of the environment with the prefix of settings that are
// not among the known ones, sorted.
func unknownVariables(environment, known []string) []string {
	var unknown []string
	for _, assignment := range environment {
		name, _, _ := strings.Cut(assignment, "=")
		if strings.HasPrefix(name, settingPrefix) && !strings.HasPrefix(name, testPrefix) && !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// similarTo returns a setting whose name is near, or empty. A setting that is not a secret has no file.
func similarTo(name string, known []string) string {
	for _, setting := range known {
		if name == setting+fileSuffix || isNear(name, setting) {
			return setting
		}
	}
	return ""
}

// isNear reports whether the names differ in one place only, by at most two letters.
func isNear(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 2 && len(b) <= 2
}
