package command_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/demo"
)

// examples writes the files of the demo data into a folder that is not there yet, and
// returns what it printed, and the files of records in the order of their names.
func (sh *shell) examples() (said string, files []string) {
	sh.Helper()
	folder := filepath.Join(sh.TempDir(), "it's new", "examples")
	said = sh.run("demo", "--write", folder).ends(done).out
	return said, slices.DeleteFunc(filesIn(sh.T, folder), func(path string) bool { return filepath.Ext(path) != ".jsonl" })
}

func TestDemo(t *testing.T) {
	sh := emptyShell(t)
	sh.run("demo").ends(done)
	assert.Contains(t, sh.run("demo").ends(done).out, "The demo data is in "+sh.path())
	said := sh.run("check", "--repair").ends(done).out
	assert.Equal(t, 1, strings.Count(said, "\n"), said)
	assert.Contains(t, said, "Checked the file, ")
	assert.Contains(t, said, "found 0 wrong, repaired 0")
	r := printed[report](sh, "check")
	assert.True(t, r.OK)
	assert.Empty(t, r.Findings)
	assert.NotEmpty(t, r.LookedAt)
	assert.Equal(t, sh.path(), r.Database)
}

func TestDemo_writes_its_files_and_says_what_imports_them(t *testing.T) {
	sh := emptyShell(t)
	sh.database = "memory:" // nothing to work on, and nothing is needed
	said, files := sh.examples()
	from, records, covers := demo.Files()
	assert.Len(t, files, len(records))
	for _, name := range slices.Concat(records, covers) {
		content, err := fs.ReadFile(from, name)
		require.NoError(t, err)
		written, err := os.ReadFile(filepath.Join(filepath.Dir(files[0]), name))
		require.NoError(t, err)
		assert.Equal(t, content, written, name)
	}
	for _, file := range files {
		assert.Contains(t, said, " '"+strings.ReplaceAll(file, "'", `'\''`)+"'", "as a shell reads it")
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(raw), `{"kind":"`) && strings.HasSuffix(string(raw), "}\n"), file)
	}
	t.Chdir(t.TempDir())
	assert.Contains(t, sh.run("demo", "--write", ".").ends(done).out, "plaza import people.jsonl categories.jsonl ")
}

func TestDemo_overwrites_no_files(t *testing.T) {
	sh := emptyShell(t)
	folder := t.TempDir()
	mine := records(t, folder, "howtos.jsonl", rootCategory)
	sh.run("demo", "--write", folder).refuses(refused, mine+" exists and is not overwritten")
	assert.Equal(t, []string{mine}, filesIn(t, folder), "all of them are written, or none")
	raw, err := os.ReadFile(mine)
	require.NoError(t, err)
	assert.Equal(t, rootCategory+"\n", string(raw))

	sh.run("demo", "--write", mine).refuses(refused, "create folder")
	sh.run("demo", "--write", "").refuses(misused, "name the folder")
	assert.NoFileExists(t, sh.path())
}

func TestDemo_refuses_a_database_with_other_accounts(t *testing.T) {
	sh := newShell(t)
	sh.somebody("+86-13800000001")
	assert.Contains(t, sh.run("demo").ends(refused).err, "has accounts that are not the demo's")
	sh.run("demo", "--demo-into-existing").refuses(refused, "An account with this phone number exists.")
	sh.run("user", "phone", "1", "+86-13912345678").ends(done)
	assert.Equal(t, 1, strings.Count(sh.run("user", "list").ends(done).out, "+86-"))
	sh.run("demo", "--demo-into-existing").ends(done)
	sh.run("demo").ends(done)
	sh.run("serve", "--demo-into-existing").refuses(misused, "--demo")
}

func TestDemo_remove_refuses(t *testing.T) {
	sh := emptyShell(t)
	sh.run("demo", "--remove", "--write", t.TempDir()).refuses(misused, "--write", "--remove")
	sh.run("demo", "--remove").refuses(misused, "not found")
	assert.NoFileExists(t, sh.path())
}
