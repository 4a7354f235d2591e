package command_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/command"
)

// told returns what the program prints on its standard output and its standard error.
func told(t *testing.T, status int, args ...string) (out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	require.Equal(t, status, command.Run(args, &o, &e), "%v\n%s%s", args, &o, &e)
	return o.String(), e.String()
}

func TestMisspelt_commands_are_corrected(t *testing.T) {
	for line, want := range map[string]string{
		"serv":       "plaza: unknown command serv, did you mean one of \"serve\", \"user\"?\nTry: plaza --help\n",
		"nonsense":   "plaza: unknown command nonsense\nTry: plaza --help\n",
		"user creat": "plaza: unknown command creat, did you mean \"create\"?\nTry: plaza user --help\n",
		"user": "plaza: plaza user needs a command: create, list, show, disable, enable, passwd, phone, scopes, staff, second-factor, " +
			"export, erase\n" +
			"Try: plaza user --help\n",
		"user create --usrname x": "plaza: unknown flag --usrname, did you mean \"--username\"?\nTry: plaza user create --help\n",
		"user passwd 5 hunter22":  "plaza: unexpected argument: plaza user passwd takes only <uid> and flags\nTry: plaza user passwd --help\n",
		"user disable me":         "plaza: <uid>: \"me\" is not a whole number\nTry: plaza user disable --help\n",
		"order payments --state=": "plaza: --state must be one of \"applied\",\"refund_due\",\"disputed\" but got \"\"\nTry: plaza order " +
			"payments --help\n",
	} {
		out, errOut := told(t, misused, strings.Fields(line)...)
		assert.Equal(t, want, errOut, line)
		assert.Empty(t, out, line)
	}
}

func TestHelp_is_a_command_as_well(t *testing.T) {
	want, _ := told(t, done, "user", "create", "--help")
	got, errOut := told(t, done, "help", "user", "create")
	assert.Equal(t, want, got)
	assert.Empty(t, errOut)
	assert.Contains(t, got, "Example:")
}

func TestHelp_lists_the_settings_that_matter(t *testing.T) {
	out, _ := told(t, done, "user", "disable", "--help")
	assert.Contains(t, out, "--data-dir=DIR")
	assert.NotContains(t, out, "--media-url")
	check, _ := told(t, done, "check", "--help")
	assert.Contains(t, check, "--media-url")
	for command, setting := range map[string]string{
		"order refund": "--wallet-key", "order reconcile": "--wallet-key", "user phone": "--sms-key",
	} {
		out, _ := told(t, done, append(strings.Fields(command), "--help")...)
		assert.Contains(t, out, setting, command)
	}
	all, _ := told(t, done, "user", "disable", "--help-all")
	words := strings.Join(strings.Fields(all), " ")
	for _, told := range []string{
		"Address of the REST interface (default: 127.0.0.1:8080) ($PLAZA_ADDR).", "last use (default: 720h)",
		"(auto: pseudo with --demo, else none) ($PLAZA_TRANSLATOR)",
	} {
		assert.Contains(t, words, told)
	}
	again, _ := told(t, done, "user", "disable", "--help")
	assert.Equal(t, out, again, "--help-all has changed nothing")
}

func TestVersion(t *testing.T) {
	text, _ := told(t, done, "version")
	assert.Contains(t, text, "plaza ")
	assert.Contains(t, text, runtime.Version())
	flag, _ := told(t, done, "-V")
	assert.Equal(t, text, flag)
	var fields map[string]any
	out, _ := told(t, done, "version", "--json")
	require.NoError(t, json.Unmarshal([]byte(out), &fields))
	assert.Equal(t, runtime.GOOS+"/"+runtime.GOARCH, fields["platform"])
	for _, name := range []string{"version", "commit", "date", "modified", "go"} {
		assert.Contains(t, fields, name)
	}
}

func TestCompletion_works_in_bash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	script, _ := told(t, done, "completion", "bash")
	for line, want := range map[string]string{
		`"co"`:                        "config completion",
		`user ""`:                     "create list show disable enable passwd phone scopes staff second-factor export erase",
		`user list --limit "5" "--j"`: "--json",
		`user disable --wal`:          "", // as --help
	} {
		out, err := exec.CommandContext(t.Context(), bash, "--norc", "-c", script+`
			COMP_WORDS=(plaza `+line+`)
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
			_plaza
			echo "${COMPREPLY[*]}"`).CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Equal(t, want, strings.TrimSpace(string(out)), line)
	}
	told(t, misused, "completion", "tcsh")
}
