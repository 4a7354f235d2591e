package command_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCompletion_has_a_script_for_each_shell(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script, _ := told(t, done, "completion", shell)
		assert.Contains(t, script, "plaza completion "+shell, "how to install it")
		assert.Contains(t, script, "serve config migrate demo user token order moderation audit sms import media check backup healthcheck "+
			"wallet-sandbox openapi completion version help")
	}
	told(t, misused, "completion", "tcsh")
	told(t, misused, "completion")
}

func TestCompletion_works_in_bash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	script, _ := told(t, done, "completion", "bash")
	for line, want := range map[string]string{
		`"co"`:                        "config completion",
		`user ""`:                     "create list show disable enable passwd phone scopes staff export erase",
		`user dis`:                    "disable",
		`user list --limit "5" "--j"`: "--json",
		`user disable --wal`:          "", // as --help
		`serve --wallet-k`:            "--wallet-key",
	} {
		out, err := exec.CommandContext(t.Context(), bash, "--norc", "-c", script+`
			COMP_WORDS=(plaza `+line+`)
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
			_plaza
			echo "${COMPREPLY[*]}"`).CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Equal(t, want, strings.TrimSpace(string(out)), line)
	}
}
