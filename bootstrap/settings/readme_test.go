package settings_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	return string(text)
}

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

func TestSettingsTable(t *testing.T) {
	documented := map[string]string{}
	for _, row := range settingRow.FindAllStringSubmatch(readme(t), -1) {
		assert.NotContains(t, documented, row[1], "a setting has one row")
		documented[row[1]] = row[2]
	}
	assert.Equal(t, defaults(reflect.TypeFor[settings.Config]()), documented)
}

func TestReadme_names_the_settings_that_files_may_hold(t *testing.T) {
	p, err := settings.NewParser(&struct{ settings.Config }{}, settings.Offered{})
	require.NoError(t, err)
	var ofFiles []string
	for _, variable := range settings.Variables(p.Model) {
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
