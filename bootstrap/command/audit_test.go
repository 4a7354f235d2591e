package command_test

import (
	"bytes"
	"os"
	"os/user"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/command"
)

// audited are the commands that change or copy data, each with its audit line, and reading those that do not.
var (
	audited = []string{
		"backup", "check", "demo", "import", "migrate up", "order create", "order reconcile", "order refund", "sms test", "token issue", "token revoke",
		"user create", "user disable", "user enable", "user erase", "user export", "user passwd", "user phone", "user scopes", "user staff",
	}
	reading = []string{
		"completion", "config", "healthcheck", "help", "migrate status", "openapi", "order list", "order payments", "order refunds",
		"order show", "serve", "token list", "user list", "user show", "version", "wallet-sandbox",
	}
)

// A new command is of one of the two kinds.
func TestEvery_command_is_audited_or_reads(t *testing.T) {
	assert.ElementsMatch(t, slices.Concat(audited, reading), command.Commands())
}

// audits runs the command at the level of audit lines and returns those lines.
func (sh *shell) audits(input string, args ...string) (lines []string, out string) {
	sh.Helper()
	defer command.Stdin(strings.NewReader(input))()
	var said, log bytes.Buffer
	status := command.Run(append(args, "--database-url", sh.database, "--data-dir", sh.dataDir), &said, &log)
	require.Zero(sh, status, "%v\n%s", args, log.String())
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "msg=audit") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines, said.String()
}

func TestCommands_that_change_data_are_audited(t *testing.T) {
	t.Setenv("SUDO_USER", "maria")
	me, err := user.Current()
	require.NoError(t, err)
	sh := newShell(t)
	const phone = "+86-13900000009"
	found := records(t, t.TempDir(), "people.jsonl")
	var key string
	for _, c := range []struct {
		args  []string
		input string
		about string // the end of the line; empty: no line
	}{
		{[]string{"user", "create", "--username", phone, "--staff"}, goodPassword, `act="user create" user=1 staff=true`},
		{[]string{"user", "disable", "1"}, "", `act="user disable" user=1`},
		{[]string{"user", "enable", "1"}, "", `act="user enable" user=1`},
		{[]string{"user", "passwd", "1"}, goodPassword, `act="user passwd" user=1`},
		{[]string{"user", "phone", "1", "+86-13900000011"}, "", `act="user phone" user=1`},
		{[]string{"user", "scopes", "1", "xfile_event", "--no-staff"}, "", `act="user scopes" user=1 scopes=xfile_event staff=false`},
		{[]string{"token", "issue", "--user", "1"}, "", `act="token issue" user=1 token=1 scopes=xfile_event`},
		{[]string{"token", "revoke", "KEY"}, "", `act="token revoke" token=1`},
		{[]string{"order", "create", "--user", "1", "--amount", "990", "--subject", "Tea"}, "", `act="order create" order=1 payer=1 amount=990`},
		{[]string{"demo", "--remove"}, "", `act="demo --remove" accounts=0 events=0 images=0 subscriptions=0 complete=true`},
		{[]string{"import", found}, "", `act=import files=[` + found + `] new=0 changed=0 rejected=0 complete=true`},
		{[]string{"check", "--repair"}, "", `act="check --repair" repaired=0 complete=true`},
		{[]string{"backup", sh.dataDir + "/copy.db"}, "", `act=backup file=` + sh.dataDir + `/copy.db`},
		{[]string{"user", "staff", "1", "on"}, "", `act="user staff" user=1 staff=true`},
		{[]string{"user", "export", "1", "--to", sh.dataDir + "/1.zip"}, "", `act="user export" user=1 file=` + sh.dataDir + `/1.zip`},
		{[]string{"user", "create", "--username", "+86-13900000010"}, goodPassword, `act="user create" user=2 staff=false`},
		{[]string{"user", "erase", "2", "--yes"}, "", `act="user erase" user=2 complete=true`},
		{[]string{"sms", "test", telephone, "--sms", "sandbox"}, "", `act="sms test" sender=sandbox accepted=true`},
		{[]string{"check"}, "", ""},
		{[]string{"user", "list"}, "", ""},
		{[]string{"import", "--dry-run", found}, "", ""},
	} {
		t.Run(strings.Join(c.args[:min(2, len(c.args))], " "), func(t *testing.T) {
			if c.args[len(c.args)-1] == "KEY" {
				c.args[len(c.args)-1] = key
			}
			lines, out := sh.audits(c.input, c.args...)
			if c.about == "" {
				assert.Empty(t, lines)
				return
			}
			require.Len(t, lines, 1)
			assert.Regexp(t, `^time=\S+ level=INFO msg=audit by="command line" os_user=`+regexp.QuoteMeta(me.Username)+` sudo_user=maria `+regexp.QuoteMeta(c.about)+`$`, lines[0])
			if c.args[0] == "token" && c.args[1] == "issue" {
				key = strings.TrimSpace(out)
			}
			for _, hidden := range []string{goodPassword, phone, key} {
				assert.False(t, hidden != "" && strings.Contains(lines[0], hidden), "%s", hidden)
			}
		})
	}
	lines, _ := sh.audits("", "backup", sh.dataDir+"/copy2.db", "--operator", "Wang Li")
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], `operator="Wang Li"`)
	_, err = os.Stat(sh.dataDir + "/copy.db")
	assert.NoError(t, err)
}
