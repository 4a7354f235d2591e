package bootstrap_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
)

// settingsFile is the page of all settings. go generate writes it.
const settingsFile = "settings.md"

var write = flag.Bool("write", false, "write "+settingsFile+" anew")

// describedDefault matches a default in the help of a setting that has no fixed one.
var describedDefault = regexp.MustCompile(` \(default: ([^)]+)\)`)

// settingRow returns the row of a setting. Its default is in backquotes, or described in words.
func settingRow(setting *kong.Flag, isInFile bool) string {
	help, byDefault := setting.Help, ""
	switch described := describedDefault.FindStringSubmatch(help); {
	case described != nil:
		byDefault = described[1]
		help = strings.Replace(help, described[0], "", 1)
	case setting.IsBool():
		byDefault = "`false`"
	case setting.Default != "":
		byDefault = "`" + setting.Default + "`"
	}
	if isInFile {
		help += " `" + setting.Envs[0] + "_FILE` names a file with it."
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", setting.Envs[0], byDefault, help)
}

func TestSettingsPage_is_that_of_the_settings(t *testing.T) {
	p, err := settings.NewParser(&struct{ settings.Config }{}, bootstrap.Offered())
	require.NoError(t, err)
	page := "# Settings\n\n" +
		"Made of the descriptions in the program by `go generate ./bootstrap`; `plaza serve --help` prints the same.\n" +
		"[README.md](README.md#configure) says how they are given.\n\n" +
		"| Variable | Default | Meaning |\n|---|---|---|\n"
	variables := settings.Variables(p.Model)
	for _, setting := range p.Model.Flags {
		if len(setting.Envs) > 0 {
			assert.Equal(t, "PLAZA_"+strings.ToUpper(strings.ReplaceAll(setting.Name, "-", "_")), setting.Envs[0], "as README.md says")
			page += settingRow(setting, slices.Contains(variables, setting.Envs[0]+"_FILE"))
		}
	}
	if *write {
		require.NoError(t, os.WriteFile(settingsFile, []byte(page), 0o644))
	}
	stored, err := os.ReadFile(settingsFile)
	require.NoError(t, err)
	assert.Equal(t, page, string(stored), "run go generate ./bootstrap")
	assert.Greater(t, strings.Count(page, "_FILE`"), 5)
}
