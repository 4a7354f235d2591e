package command_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/command"
	"plaza/test/postgres"
	"plaza/test/sqlite"
)

func TestMain(m *testing.M) {
	command.HashCheaply()
	if err := os.Setenv("SUDO_USER", "maria"); err != nil { // who runs the commands
		panic(err)
	}
	os.Exit(postgres.Main(m))
}

// Exit statuses.
const (
	done    = 0
	refused = 1
	misused = 2
)

const goodPassword = "correct horse battery"

// shell runs the program on a database of its own.
type shell struct {
	*testing.T
	database string
	dataDir  string
}

// newShell has an empty database, as migrate up leaves it.
func newShell(t *testing.T) *shell {
	t.Helper()
	dir := t.TempDir()
	return &shell{T: t, database: migratedSQLite(t, dir), dataDir: dir}
}

var migratedSQLite = sqlite.Copies(migrate)

// migrate is migrate up on the database at the URL.
func migrate(_ context.Context, url string) error {
	return runs("migrate", "up", "--as", "maria", "--database-url", url)
}

// runs runs the program.
func runs(args ...string) error {
	var said bytes.Buffer
	if status := command.Run(args, io.Discard, &said); status != done {
		return errors.New(said.String())
	}
	return nil
}

// emptyShell has no database yet.
func emptyShell(t *testing.T) *shell {
	t.Helper()
	dir := t.TempDir()
	return &shell{T: t, database: "sqlite:" + filepath.Join(dir, "plaza.db"), dataDir: dir}
}

// outcome is the result of a run.
type outcome struct {
	*testing.T
	args     []string
	status   int
	out, err string
}

func (sh *shell) run(args ...string) outcome {
	sh.Helper()
	return sh.runWith("", args...)
}

// runWith runs with the input. Tests that use it can't run in parallel.
func (sh *shell) runWith(input string, args ...string) outcome {
	sh.Helper()
	defer command.Stdin(strings.NewReader(input))()
	var out, errOut bytes.Buffer
	status := command.Run(append(args, "--database-url", sh.database, "--data-dir", sh.dataDir,
		"--log-level", "warn"), &out, &errOut)
	o := outcome{sh.T, args, status, out.String(), errOut.String()}
	assert.NotContains(sh, o.out+o.err, goodPassword, "%v", args)
	for _, inside := range []string{"VALIDATION_EXCEPTION", "RESOURCE_NOT_FOUND", "CONFLICT", "map[", "&{", "0x"} {
		assert.NotContains(sh, o.err, inside, "%v", args)
	}
	return o
}

func (o outcome) ends(status int) outcome {
	o.Helper()
	require.Equal(o, status, o.status, "%v\n%s\n%s", o.args, o.out, o.err)
	return o
}

// refuses asserts the exit status and that the error has each of the sentences.
func (o outcome) refuses(status int, sentences ...string) {
	o.Helper()
	assert.Equal(o, status, o.status, "%v\n%s\n%s", o.args, o.out, o.err)
	assert.Empty(o, o.out, "%v", o.args)
	for _, s := range sentences {
		assert.Contains(o, o.err, s, "%v", o.args)
	}
}

// line returns the only printed line.
func (o outcome) line() string {
	o.Helper()
	o.ends(done)
	require.Equal(o, 1, strings.Count(o.out, "\n"), o.out)
	return strings.TrimSpace(o.out)
}

// reads parses the printed JSON.
func (o outcome) reads(into any) {
	o.Helper()
	require.NoError(o, json.Unmarshal([]byte(o.out), into), o.out)
}

// printed is what the command prints as JSON.
func printed[T any](sh *shell, args ...string) (printed T) {
	sh.Helper()
	sh.run(append(args, "--json")...).ends(done).reads(&printed)
	return printed
}

// somebody opens an account and returns its uid.
func (sh *shell) somebody(phone string) string {
	sh.Helper()
	return sh.runWith(goodPassword+"\n", "user", "create", "--username", phone,
		"--firstname", "丽", "--lastname", "王").line()
}

// newUser returns a shell over a database with one account, and the uid of that account.
func newUser(t *testing.T) (sh *shell, uid string) {
	t.Helper()
	dir := t.TempDir()
	return &shell{T: t, database: sqliteWithUser(t, dir), dataDir: dir}, "1"
}

var sqliteWithUser = sqlite.Copies(func(_ context.Context, url string) error {
	return runs("user", "create", "--username", "+86-13800000009", "--firstname", "丽", "--lastname", "王",
		"--password", goodPassword, "--as", "maria", "--database-url", url)
})

// works are the commands that need a database, with their arguments.
var works = [][]string{
	{"migrate", "up"},
	{"migrate", "status"},
	{"demo"},
	{"import", "-"},
	{"user", "create", "--username", "+86-13800000009", "--password", goodPassword},
	{"user", "list"},
	{"user", "disable", "1"},
	{"user", "enable", "1"},
	{"user", "passwd", "1", "--password", goodPassword},
	{"user", "scopes", "1", "xfile_event"},
	{"user", "show", "1"},
	{"user", "staff", "1", "on"},
	{"user", "second-factor", "reset", "1"},
	{"user", "export", "1"},
	{"user", "erase", "1"},
	{"token", "issue", "--user", "1"},
	{"token", "list", "--user", "1"},
	{"token", "revoke", "1"},
	{"order", "create", "--user", "1", "--amount", "990", "--subject", "Tea"},
	{"order", "list", "--user", "1"},
	{"order", "show", "1"},
	{"check"},
	{"backup", "nowhere.db"},
}

// begins reports whether the command may create the database.
func begins(args []string) bool {
	return args[0] == "demo" || args[0] == "import" || args[0] == "migrate" && args[1] == "up" || args[0] == "user" && args[1] == "create"
}

func TestMemory_is_nothing_to_work_on(t *testing.T) {
	sh := emptyShell(t)
	sh.database = "memory:"
	for _, args := range works {
		sh.run(args...).refuses(misused, "memory:", "has no stored data")
	}
}

func TestA_database_that_is_not_there_is_not_made_by_mistake(t *testing.T) {
	sh := emptyShell(t)
	for _, args := range works {
		if !begins(args) {
			sh.run(args...).refuses(misused, "not found", "plaza migrate up")
		}
	}
	left, err := filepath.Glob(filepath.Join(sh.dataDir, "*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}
