package command_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/postgres"
)

type step struct {
	Name    string
	Applied *time.Time
}

func TestMigrate(t *testing.T) {
	sh := emptyShell(t)
	audited, first := sh.audits("", "migrate", "up")
	require.Len(t, audited, 1)
	assert.Contains(t, audited[0], `act="migrate up" applied="[`)
	assert.Contains(t, first, "Applied 0001_people")
	audited, again := sh.audits("", "migrate", "up")
	assert.Empty(t, audited, "nothing was applied")
	assert.NotContains(t, again, "Applied")
	assert.Contains(t, again, "up to date")

	steps := printed[[]step](sh, "migrate", "status")
	require.NotEmpty(t, steps)
	assert.Equal(t, "0001_people", steps[0].Name)
	for _, s := range steps {
		assert.NotNil(t, s.Applied, s.Name)
	}
	assert.Regexp(t, "0001_people +20", sh.run("migrate", "status").ends(done).out)
}

func TestMigrate_status_beside_a_newer_program(t *testing.T) {
	sh := newShell(t)
	sh.run("migrate", "up").ends(done)
	sh.breaks("INSERT INTO schema_migrations (name, applied) VALUES ('9998_added', 1)")
	assert.Regexp(t, "9998_added +19.* +unknown to this program, which can work with it", sh.run("migrate", "status").ends(done).out)
	sh.run("check").ends(done)
	sh.breaks("INSERT INTO schema_migrations (name, applied, minimum) VALUES ('9999_dropped', 1, '9998')")
	said := sh.run("migrate", "status").ends(refused)
	assert.Regexp(t, "9999_dropped +19.* +unknown to this program\n", said.out)
	assert.Contains(t, said.err, "newer than this program")
	sh.run("migrate", "up").refuses(refused, "9999_dropped", "step 9998")
}

func TestMigrate_false_changes_nothing(t *testing.T) {
	sh := emptyShell(t)
	require.NoError(t, os.WriteFile(sh.path(), nil, 0o600))
	sh.run("user", "list", "--migrate=false").refuses(refused, "PLAZA_MIGRATE is false", "it lacks 0001_people, 0002", "plaza migrate up")
	steps := printed[[]step](sh, "migrate", "status")
	require.NotEmpty(t, steps)
	assert.Nil(t, steps[0].Applied)
	assert.Regexp(t, "0001_people +- +missing", sh.run("migrate", "status").ends(done).out)
	sh.run("check").refuses(refused, "plaza migrate up")
	sh.run("migrate", "up").ends(done)
	sh.run("user", "list", "--migrate=false").ends(done)
	sh.run("user", "list", "--migrate=perhaps").refuses(misused, "PLAZA_MIGRATE")
}

// path returns the path of the database file.
func (sh *shell) path() string { return strings.TrimPrefix(sh.database, "sqlite:") }

// breaks damages the database with the statement.
func (sh *shell) breaks(statement string) {
	sh.Helper()
	db, err := sql.Open("sqlite", sh.path())
	require.NoError(sh, err)
	defer db.Close()
	result, err := db.Exec(statement)
	require.NoError(sh, err)
	rows, err := result.RowsAffected()
	require.NoError(sh, err)
	require.Positive(sh, rows, "%s broke nothing", statement)
}

type report struct {
	OK       bool
	Database string
	LookedAt []string `json:"looked_at"`
	Findings []struct {
		What     string
		Repaired bool
	}
}

func TestCheck_finds_and_mends(t *testing.T) {
	sh := emptyShell(t)
	sh.imports(done, records(t, t.TempDir(), "a.jsonl", rootCategory, childCategory, aPerson, aDemand))
	sh.breaks("UPDATE feed_counters SET count = count + 1 WHERE count > 0")

	o := sh.run("check").ends(refused)
	assert.Contains(t, o.out, "Wrong: ")
	assert.Contains(t, o.out, "repaired 0.")
	assert.Contains(t, o.err, "--repair")
	var r report
	sh.run("check", "--json").ends(refused).reads(&r)
	assert.False(t, r.OK)
	require.NotEmpty(t, r.Findings)
	assert.NotEmpty(t, r.Findings[0].What)
	assert.False(t, r.Findings[0].Repaired)

	mended := sh.run("check", "--repair").ends(done).out
	assert.Contains(t, mended, "Repaired: ")
	assert.NotContains(t, mended, "Wrong: ")
	assert.Contains(t, sh.run("check").ends(done).out, "found 0 wrong")
}

func TestCheck_what_can_not_be_mended_stays_wrong(t *testing.T) {
	sh, uid := newUser(t)
	sh.run("order", "create", "--user", uid, "--amount", "990", "--subject", "Tea").ends(done)
	sh.breaks("UPDATE orders SET user_id = 99")
	o := sh.run("check", "--repair")
	require.Equal(t, refused, o.status, o.out+o.err)
	assert.Contains(t, o.out, "Wrong: orders 1 refers to a missing row of users")
	assert.Contains(t, o.err, "could not be repaired")
}

func TestBackup_is_a_database_of_its_own(t *testing.T) {
	sh, uid := newUser(t)
	copied := filepath.Join(t.TempDir(), "copy.db")
	assert.Contains(t, sh.run("backup", copied).ends(done).out, copied)
	sh.run("user", "disable", uid).ends(done)

	restored := shell{T: t, database: "sqlite:" + copied, dataDir: t.TempDir()}
	assert.False(t, restored.account(uid).Disabled, "as it was then")
	restored.run("check").ends(done)
	restored.somebody("+86-13800000010")

	before, err := os.ReadFile(copied)
	require.NoError(t, err)
	sh.run("backup", copied).refuses(refused, copied, "exists")
	after, err := os.ReadFile(copied)
	require.NoError(t, err)
	assert.Equal(t, before, after, "nothing is overwritten")
	sh.run("backup", filepath.Join(t.TempDir(), "nowhere", "copy.db")).refuses(refused, "back up")
}

func TestCommands_on_Postgres(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	sh := &shell{T: t, database: postgres.Empty(t), dataDir: t.TempDir()}
	assert.Contains(t, sh.run("migrate", "up").ends(done).out, "Applied 0001_people")
	_, files := sh.examples()
	sh.imports(done, files...)
	sh.run("demo").ends(done)
	assert.Contains(t, sh.run("demo", "--remove").ends(done).out, "Disabled 14 accounts, deleted")
	sh.run("user", "erase", "3", "--yes").ends(done)
	said := sh.run("check").ends(done).out
	assert.Contains(t, said, "found 0 wrong")
	assert.NotContains(t, said, "password")
	sh.run("backup", filepath.Join(t.TempDir(), "copy.db")).refuses(refused, "pg_dump")
}

func TestEVT16_check_finds_and_mends_the_places_of_events(t *testing.T) {
	sh, _ := newUser(t)
	sh.writesEvent()
	const finding = "event 1 has no place, but its text is about 浙江省 杭州市 西湖区\n"
	o := sh.run("check").ends(refused)
	assert.Contains(t, o.out, ", the places of events, ")
	assert.Contains(t, o.out, "Wrong: "+finding)
	assert.NotContains(t, o.out+o.err, "秘密", "private texts are not printed")
	assert.Contains(t, sh.run("check", "--repair").ends(done).out, "Repaired: "+finding)
	assert.Contains(t, sh.run("check").ends(done).out, "found 0 wrong")
}

func TestPLA04_check_looks_at_the_files_of_pictures(t *testing.T) {
	sh, files := pictured(t)
	assert.Contains(t, sh.run("check").ends(done).out, "the files of pictures in")
	require.NoError(t, os.Remove(files[0]))
	assert.Contains(t, sh.run("check", "--repair").ends(refused).out, "Wrong: no file for the picture public/"+filepath.Base(files[0]))
}
