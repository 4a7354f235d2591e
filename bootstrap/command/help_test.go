package command_test

import (
	"bytes"
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
		"user": "plaza: plaza user needs a command: create, list, show, disable, enable, passwd, phone, scopes, staff, export, erase\n" +
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
	for _, command := range [][]string{{}, {"user", "create"}} {
		want, _ := told(t, done, append(command[:len(command):len(command)], "--help")...)
		got, errOut := told(t, done, append([]string{"help"}, command...)...)
		assert.Equal(t, want, got, "%v", command)
		assert.Empty(t, errOut)
	}
	long, _ := told(t, done, "--version")
	short, _ := told(t, done, "-V")
	assert.Equal(t, long, short)
	assert.Contains(t, long, "plaza ")
}

func TestHelp_lists_the_settings_that_matter(t *testing.T) {
	out, _ := told(t, done, "user", "disable", "--help")
	assert.Contains(t, out, "--data-dir=DIR        Folder of the embedded database, of pictures, and of the")
	assert.NotContains(t, out, "--media-url")
	for _, c := range []struct{ command, also string }{
		{"check", "--media-url"}, {"import", "--media-secret"}, {"demo", "--media-key-id"}, {"token issue", "--token-ttl"},
	} {
		out, _ := told(t, done, append(strings.Fields(c.command), "--help")...)
		assert.Contains(t, out, c.also, c.command)
		assert.Contains(t, out, "--data-dir", c.command)
		assert.NotContains(t, out, "--wallet", c.command)
	}
	all, _ := told(t, done, "user", "disable", "--help-all")
	for _, variable := range command.Variables() {
		if !strings.HasSuffix(variable, "_FILE") {
			assert.Contains(t, strings.Join(strings.Fields(all), ""), "($"+variable+")")
		}
	}
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
