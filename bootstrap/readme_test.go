package bootstrap_test

import (
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
)

// settingRow matches a row of the table of settings: the variable and its default. A default without backquotes
// is described in words.
var settingRow = regexp.MustCompile("(?m)^\\| `(PLAZA_[A-Z0-9_]+)` \\| (?:`([^`|]*)`|[^|]+) \\| .+ \\|$")

// defaults returns the default of each setting by its variable, empty where the program finds one out.
func defaults(settings reflect.Type) map[string]string {
	all := map[string]string{}
	for field := range settings.Fields() {
		switch {
		case !field.IsExported():
		case field.Anonymous:
			for name, value := range defaults(field.Type) {
				all[name] = value
			}
		case field.Type.Kind() == reflect.Bool:
			all[field.Tag.Get("env")] = "false"
		default:
			all[field.Tag.Get("env")] = field.Tag.Get("default")
		}
	}
	return all
}

func readme(t *testing.T) string { return deployed(t, "../README.md") }

func TestSettingsTable(t *testing.T) {
	documented := map[string]string{}
	for _, row := range settingRow.FindAllStringSubmatch(readme(t), -1) {
		assert.NotContains(t, documented, row[1], "a setting has one row")
		documented[row[1]] = row[2]
	}
	assert.Equal(t, defaults(reflect.TypeFor[bootstrap.Config]()), documented)
}

// limitRow matches the row of the refusals by limits.
var limitRow = regexp.MustCompile("(?m)^\\| `plaza_limits_hit_total` .*$")

// limitName matches the name of a limit in the row, and in the code that refuses for the limit.
var limitName = regexp.MustCompile("`([a-z_]+)`|(?:AtLimit|limited)\\(\"([a-z_]+)\"\\)|Action = \"([a-z_]+)\"")

func limitNames(text string) (names []string) {
	for _, found := range limitName.FindAllStringSubmatch(text, -1) {
		names = append(names, found[1]+found[2]+found[3])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestReadme_names_the_limits_that_are_counted(t *testing.T) {
	_, row, _ := strings.Cut(limitRow.FindString(readme(t)), "refused requests.")
	var code strings.Builder
	for _, folder := range []string{"domain", "application", "adapters"} {
		files := os.DirFS("../" + folder)
		require.NoError(t, fs.WalkDir(files, ".", func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := fs.ReadFile(files, path)
			if strings.Contains(string(text), "AtLimit(") || strings.Contains(string(text), "limited(\"") {
				code.WriteString(strings.ReplaceAll(string(text), "`", ""))
			}
			return err
		}))
	}
	assert.Equal(t, limitNames(row), limitNames(code.String()))
}

func TestReadme_names_the_settings_that_files_may_hold(t *testing.T) {
	var ofFiles []string
	for _, variable := range bootstrap.Variables() {
		if strings.HasSuffix(variable, "_FILE") {
			ofFiles = append(ofFiles, variable)
		}
	}
	documented := regexp.MustCompile("`PLAZA_[A-Z0-9_]+_FILE`").FindAllString(readme(t), -1)
	for i, name := range documented {
		documented[i] = strings.Trim(name, "`")
	}
	slices.Sort(documented)
	assert.Equal(t, ofFiles, slices.Compact(documented))
}
