package bootstrap_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// completions returns what the program offers in place of the last word of the line.
func completions(t *testing.T, line string) []string {
	t.Helper()
	out, errOut := told(t, done, append([]string{"__complete", "--"}, strings.Split(line, " ")...)...)
	assert.Empty(t, errOut, line)
	var names []string
	for described := range strings.Lines(out) {
		name, _, _ := strings.Cut(strings.TrimSuffix(described, "\n"), "\t")
		names = append(names, name)
	}
	return names
}

func TestCompletion_offers_what_fits(t *testing.T) {
	for line, want := range map[string][]string{
		"":                              {"serve", "config", "migrate", "demo", "user", "token", "order", "import", "check", "backup", "healthcheck", "wallet-sandbox", "openapi", "completion", "version", "help"},
		"co":                            {"config", "completion"},
		"user ":                         {"create", "list", "show", "disable", "enable", "passwd", "phone", "scopes", "staff", "export", "erase"},
		"user dis":                      {"disable"},
		"user list --limit ":            nil,
		"user list --limit = 5 --j":     {"--json"}, // as bash splits --limit=5
		"user disable --wal":            nil,        // as --help
		"user disable ":                 nil,
		"serve --wallet-k":              {"--wallet-key"},
		"serve --data-dir =":            {":files"},
		"order list --user 5 --state p": {"paid"},
		"import --schema ":              {"user", "category", "bundle", "publication", "node", "demand", "howto", "news"},
		"import --dry-run a.jsonl b":    {":files"},
		"backup ":                       {":files"},
		"backup a ":                     nil,
	} {
		assert.Equal(t, want, completions(t, line), "%q", line)
	}
	out, _ := told(t, done, "__complete", "--", "user", "dis")
	assert.Equal(t, "disable\tDisable an account; its content stays\n", out)
}

func TestCompletion_has_a_script_for_each_shell(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script, _ := told(t, done, "completion", shell)
		assert.Contains(t, script, "plaza completion "+shell, "how to install it")
		assert.Contains(t, script, "__complete -- ")
	}
	told(t, misused, "completion", "tcsh")
	told(t, misused, "completion")
}

// inBash are programs for bash that complete a line with the script of the program. plaza is a
// function that prints its words, to show which ones the script passes.
var inBash = map[string]string{
	`COMP_WORDS=(plaza user "a b" --l x) COMP_CWORD=3`: "reply: <__complete>\nreply: <-->\nreply: <user>\nreply: <a b>\nreply: <--l>\n",
	`COMP_WORDS=(plaza --data-dir "=") COMP_CWORD=2
	plaza() { printf ':files\n'; }
	touch "one file" other`: "reply: one file\nreply: other\n",
	`COMP_WORDS=(plaza us) COMP_CWORD=1
	plaza() { printf 'user\tManage accounts\n'; }`: "reply: user\n",
}

func TestCompletion_works_in_bash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	script, _ := told(t, done, "completion", "bash")
	for line, want := range inBash {
		run := exec.CommandContext(t.Context(), bash, "--norc", "-c", script+`
			plaza() { printf '<%s>\n' "$@"; }
			`+line+`
			_plaza plaza
			printf 'reply: %s\n' "${COMPREPLY[@]}"`)
		run.Dir = t.TempDir()
		out, err := run.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.ElementsMatch(t, strings.Split(want, "\n"), strings.Split(string(out), "\n"), line)
	}
}
