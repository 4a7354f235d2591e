package command_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/bootstrap/command"
	"plaza/bootstrap/settings"
	"plaza/domain/audit"
	"plaza/domain/payment"
)

// withoutData are the commands that reach no stored data: all others are wired to a person and an act, or only read.
var withoutData = []string{"completion", "healthcheck", "help", "openapi", "serve", "version", "wallet-sandbox"}

// serve is a server: what it changes, its callers do.
func TestMOD04_every_command_acts_or_reads(t *testing.T) {
	for name, wired := range command.Commands() {
		assert.Equal(t, slices.Contains(withoutData, name), !wired.Acts && !wired.Reads, name)
	}
	opens := regexp.MustCompile(`bootstrap\.(NewApp|OpenDatabase)\(`)
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		if file != "data.go" && !strings.HasSuffix(file, "_test.go") {
			assert.False(t, opens.Match(source), "%s opens stored data past data.go", file)
		}
	}
}

func TestMOD04_a_command_that_reads_can_change_and_copy_nothing(t *testing.T) {
	sh, _ := newUser(t)
	err := command.Read(t.Context(), sh.dataDir, func(ctx context.Context, app *bootstrap.App) error {
		for name, act := range map[string]func() error{
			"change": func() error { return app.Signin.SetDisabled(ctx, 1, true) },
			"create": func() error {
				_, err := app.Paying.Create(ctx, payment.Draft{User: 1, Subject: "Tea", Amount: 990, Currency: payment.CNY, ExpiresIn: time.Hour}, nil,
					nil)
				return err
			},
			"export": func() error {
				_, err := app.Privacy.Export(ctx, 1, io.Discard)
				return err
			},
		} {
			assert.ErrorIs(t, act(), audit.ErrReading, name)
		}
		return nil
	})
	require.NoError(t, err)
	assert.NotContains(t, sh.run("user", "list").ends(done).out, "disabled")
	assert.Empty(t, sh.acts()[1:], "of the account that was created")
}

// act is an act as audit list prints it.
type act struct {
	By          any // a name, or the uid of staff
	Act, Object string
	ObjectID    *string `json:"object_id"`
}

// acts returns the audit records, the newest first.
func (sh *shell) acts() []act {
	sh.Helper()
	return printed[[]act](sh, "audit", "list", "--limit", "0")
}

func TestMOD04_the_person_who_acts_must_be_known(t *testing.T) {
	t.Setenv("SUDO_USER", "")
	sh := newShell(t)
	create := []string{"user", "create", "--username", telephone}
	sh.runWith(goodPassword, create...).refuses(misused, "--as NAME", "SUDO_USER")
	sh.runWith(goodPassword, append(create, "--as", " ")...).refuses(misused, "--as", "1 to 100 characters")
	sh.runWith(goodPassword, append(create, "--as", "account 1")...).refuses(misused, "--as", "not name an account")
	sh.run("user", "list").ends(done)
	sh.run("check").ends(done)
	sh.runWith(goodPassword, append(create, "--as", "Wang Li")...).ends(done)
	t.Setenv("SUDO_USER", "maria")
	sh.run("user", "disable", "1").ends(done)
	sh.run("user", "enable", "1", "--as", "Wang Li").ends(done)
	sh.run("user", "enable", "99").ends(refused)
	t.Setenv("PLAZA_AS", "nightly backup")
	sh.run("user", "disable", "1").ends(done)
	sh.run("user", "enable", "1", "--as", "Wang Li").ends(done)
	one := "1"
	assert.Equal(t, []act{{"Wang Li", "account_enabled", "account", &one}, {"nightly backup", "account_disabled", "account", &one}},
		sh.acts()[:2])
	assert.Equal(t, []act{
		{"Wang Li", "account_enabled", "account", &one}, {"maria", "account_disabled", "account", &one},
		{"Wang Li", "account_created", "account", &one},
	}, sh.acts()[2:5])
	assert.Len(t, strings.Split(strings.TrimSpace(sh.run("audit", "list", "--limit", "2").ends(done).out), "\n"), 3)
}

func TestMOD04_migrate_up_and_demo_of_an_empty_database(t *testing.T) {
	sh := emptyShell(t)
	for _, args := range [][]string{{"migrate", "up"}, {"migrate", "up"}, {"demo"}} {
		sh.run(args...).ends(done)
	}
	nora, rex := 4.0, "14"
	assert.Equal(t, []act{
		{"maria", "demo_loaded", "database", nil}, {"maria", "schema_migrated", "database", nil}, {nora, "account_disabled", "account", &rex},
	}, sh.acts())
}

// nameOf returns the name of the command that the arguments run.
func nameOf(args []string) (name string) {
	for known := range command.Commands() {
		if strings.HasPrefix(strings.Join(args, " ")+" ", known+" ") && len(known) > len(name) {
			name = known
		}
	}
	return name
}

// sandbox serves a wallet with the keys of the shell until the test ends, and returns its URL.
func (sh *shell) sandbox() string {
	ctx, end := context.WithCancel(context.Background())
	ended, serving := make(chan error, 1), make(chan string, 1)
	box := bootstrap.Sandbox{
		Config: settings.SandboxConfig{DataDir: sh.dataDir, MerchantConfig: settings.MerchantConfig{WalletSandboxAddr: "127.0.0.1:0"}},
		Scale:  1, Log: io.Discard, Serving: func(url string) { serving <- url },
	}
	go func() { ended <- box.Run(ctx) }()
	sh.Cleanup(func() {
		end()
		require.NoError(sh, <-ended)
	})
	select {
	case url := <-serving:
		return url
	case err := <-ended:
		ended <- nil
		require.NoError(sh, err)
		return ""
	}
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
	wallet := sh.sandbox()
	const phone = "+86-13900000009"
	var ran []string
	found := records(t, t.TempDir(), "people.jsonl")
	var key string
	for _, c := range []struct {
		args  []string
		input string
		about string // the end of the line; empty: neither a line nor a record
	}{
		{[]string{"user", "create", "--username", phone, "--staff"}, goodPassword, `act="user create" user=1 staff=true`},
		{[]string{"user", "disable", "1"}, "", `act="user disable" user=1`},
		{[]string{"user", "enable", "1"}, "", `act="user enable" user=1`},
		{[]string{"user", "passwd", "1"}, goodPassword, `act="user passwd" user=1`},
		{[]string{"user", "phone", "1", "+86-13900000011"}, "", `act="user phone" user=1`},
		{[]string{"user", "scopes", "1", "xfile_event", "--no-staff"}, "", `act="user scopes" user=1 scopes=xfile_event roles=-`},
		{[]string{"token", "issue", "--user", "1"}, "", `act="token issue" user=1 token=1 scopes=xfile_event`},
		{[]string{"token", "revoke", "KEY"}, "", `act="token revoke" token=1`},
		{[]string{"order", "create", "--user", "1", "--amount", "990", "--subject", "Tea"}, "", `act="order create" order=1 payer=1 amount=990`},
		{[]string{"order", "refund", "1", "--reason", "Cold", "--wallet", "sandbox", "--wallet-url", "http://127.0.0.1:1"}, "", `act="order refund" refund=1 payment=1 amount=990`},
		{[]string{"order", "reconcile", "--day", "2026-11-20", "--wallet", "sandbox", "--wallet-url", wallet}, "", `act="order reconcile" day=2026-11-20 payments=0 refunds=0 findings=0 repaired=0 unapplied=0`},
		{[]string{"demo", "--remove"}, "", `act="demo --remove" accounts=0 events=0 images=0 subscriptions=0 complete=true`},
		{[]string{"import", found}, "", `act=import files=[` + found + `] new=0 changed=0 rejected=0 complete=true`},
		{[]string{"check", "--repair"}, "", `act="check --repair" repaired=0 complete=true`},
		{[]string{"backup", sh.dataDir + "/copy.db"}, "", `act=backup file=` + sh.dataDir + `/copy.db`},
		{[]string{"user", "staff", "1", "on"}, "", `act="user staff" user=1 roles=admin`},
		{[]string{"user", "second-factor", "reset", "1"}, "", `act="user second-factor reset" user=1`},
		{[]string{"user", "export", "1", "--to", sh.dataDir + "/1.zip"}, "", `act="user export" user=1 file=` + sh.dataDir + `/1.zip`},
		{[]string{"moderation", "decide", "1", "--reason", "Not rude"}, "", `act="moderation decide" report=1 kind=event id=1`},
		{[]string{"moderation", "hide", "event", "1", "--reason", "Rude"}, "", `act="moderation hide" kind=event id=1`},
		{[]string{"moderation", "restore", "event", "1", "--reason", "A mistake"}, "", `act="moderation restore" kind=event id=1`},
		{[]string{"user", "create", "--username", "+86-13900000010"}, goodPassword, `act="user create" user=2 staff=false`},
		{[]string{"user", "erase", "2", "--yes"}, "", `act="user erase" user=2 complete=true`},
		{[]string{"media", "adopt"}, "", `act="media adopt" pictures="the folder ` + sh.dataDir + `/media (PLAZA_DATA_DIR)"`},
		{[]string{"sms", "test", telephone, "--sms", "sandbox"}, "", `act="sms test" sender=sandbox accepted=true`},
		{[]string{"check"}, "", ""},
		{[]string{"user", "list"}, "", ""},
		{[]string{"import", "--dry-run", found}, "", ""},
	} {
		t.Run(strings.Join(c.args[:min(2, len(c.args))], " "), func(t *testing.T) {
			if c.args[len(c.args)-1] == "KEY" {
				c.args[len(c.args)-1] = key
			}
			if slices.Contains(c.args, "refund") {
				sh.receives(1, "t1", time.Now().UTC().Truncate(time.Second))
			}
			if slices.Contains(c.args, "decide") {
				sh.reported()
			}
			before := sh.acts()
			lines, out := sh.audits(c.input, c.args...)
			after := sh.acts()
			if c.about == "" {
				assert.Empty(t, lines)
				assert.Equal(t, before, after)
				return
			}
			require.Len(t, lines, 1)
			name := nameOf(c.args)
			if !command.Commands()[name].Acts {
				assert.Equal(t, before, after, "it reaches no stored data")
				return
			}
			ran = append(ran, name)
			require.Equal(t, before, after[1:], "one record more")
			assert.Equal(t, "maria", after[0].By)
			assert.Regexp(t, `^time=\S+ level=INFO msg=audit person=maria by="command line" os_user=`+regexp.QuoteMeta(me.Username)+` sudo_user=maria `+regexp.QuoteMeta(c.about)+`$`, lines[0])
			if c.args[0] == "token" && c.args[1] == "issue" {
				key = strings.TrimSpace(out)
			}
			for _, hidden := range []string{goodPassword, phone, key} {
				assert.False(t, hidden != "" && strings.Contains(lines[0], hidden), "%s", hidden)
			}
		})
	}
	for name, wired := range command.Commands() {
		if wired.Acts && name != "migrate up" && name != "demo" { // of an empty database
			assert.Contains(t, ran, name, "run it above")
		}
	}
	_, err = os.Stat(sh.dataDir + "/copy.db")
	assert.NoError(t, err)
}
