package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/cleanup"
	"plaza/test/pictures"
)

// pictured returns a shell whose database has pictures, and the paths of their files, which are old enough to be orphans.
func pictured(t *testing.T) (sh *shell, files []string) {
	t.Helper()
	sh, folder := emptyShell(t), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "cover.png"), pictures.Plain(t, 60, 40), 0o600))
	covered := strings.Replace(aDemand, `"title"`, `"cover":{"file":"cover.png"},"title"`, 1)
	sh.imports(done, records(t, folder, "a.jsonl", rootCategory, childCategory, aPerson, covered))
	files = sh.pictureFiles()
	require.NotEmpty(t, files)
	for _, file := range files {
		ages(t, file)
	}
	return sh, files
}

// pictureFiles returns the paths of the files of pictures, without those in the trash.
func (sh *shell) pictureFiles() []string {
	sh.Helper()
	files, err := filepath.Glob(filepath.Join(sh.dataDir, "media", "p*", "*", "*"))
	require.NoError(sh, err)
	return files
}

// ages makes the file old enough to be an orphan.
func ages(t *testing.T, file string) {
	t.Helper()
	old := time.Now().Add(-2 * cleanup.OrphanGracePeriod)
	require.NoError(t, os.Chtimes(file, old, old))
}

// strays stores a file that no record uses, and returns its path.
func (sh *shell) strays(like string) string {
	sh.Helper()
	name := "aaa" + filepath.Base(like)[3:]
	file := filepath.Join(sh.dataDir, "media", "public", name[:2], name)
	require.NoError(sh, os.MkdirAll(filepath.Dir(file), 0o750))
	require.NoError(sh, os.WriteFile(file, []byte("x"), 0o600))
	ages(sh.T, file)
	return file
}

func TestPLA04_check_removes_pictures_when_it_is_told_how_many(t *testing.T) {
	sh, files := pictured(t)
	stray := sh.strays(files[0])
	for want, args := range map[string][]string{
		"--repair": {"check"}, "--yes": {"check", "--repair"}, "--remove-pictures 1": {"check", "--repair", "--yes"},
		"of 2": {"check", "--repair", "--remove-pictures", "0", "--yes"},
	} {
		o := sh.run(args...).ends(refused)
		assert.Contains(t, o.err, "No record uses 1 of 2 files in the folder "+filepath.Join(sh.dataDir, "media"), "%v", args)
		assert.Contains(t, o.err, want, "%v", args)
		assert.FileExists(t, stray, "%v", args)
	}
	o := sh.run("check", "--repair", "--remove-pictures", "1").ends(done)
	assert.Contains(t, o.out, "Repaired: no record uses the picture public/"+filepath.Base(stray))
	assert.NoFileExists(t, stray)
	assert.Equal(t, files, sh.pictureFiles())
	assert.FileExists(t, filepath.Join(sh.dataDir, "media", "trash", "public", "aa", filepath.Base(stray)), "for a week")
	assert.Contains(t, sh.run("check").ends(done).out, "found 0 wrong")
	help := strings.Join(strings.Fields(sh.run("check", "--help").ends(done).out), " ")
	for _, want := range []string{"trash", "a week", "--yes", "a tenth", "--remove-pictures"} {
		assert.Contains(t, help, want)
	}
}

func TestPLA04_media_adopt(t *testing.T) {
	sh, files := pictured(t)
	other := emptyShell(t)
	other.dataDir = sh.dataDir
	other.run("migrate", "up").ends(done)
	assert.Contains(t, other.run("media", "adopt").ends(done).out, other.path())
	assert.Equal(t, act{"maria", "pictures_adopted", "database", nil}, other.acts()[0])
	assert.Contains(t, other.run("check").ends(refused).out, "no record uses the picture public/"+filepath.Base(files[0]))
	sh.run("check").refuses(refused, "do not belong", "plaza media adopt", "PLAZA_DATA_DIR", "PLAZA_DATABASE_URL")
	copied := filepath.Join(t.TempDir(), "copy.db")
	o := sh.run("backup", copied).ends(refused)
	assert.Contains(t, o.err, "is written, but")
	assert.FileExists(t, copied)
	sh.run("media", "adopt").ends(done)
	sh.run("check").ends(done)
	sh.run("backup", copied+"2").ends(done)
}

func TestPLA04_check_refuses_what_a_server_refuses(t *testing.T) {
	sh, _ := newUser(t)
	sh.run("check").ends(done)
	require.NoError(t, os.WriteFile(sh.path()+".id", []byte("ANOTHER\n"), 0o600))
	for _, args := range [][]string{{"check"}, {"check", "--repair"}} {
		sh.run(args...).refuses(refused, "different database", "plaza.db.id")
	}
}

func TestPLA04_pictures_of_another_database_are_not_touched(t *testing.T) {
	sh, files := pictured(t)
	other := emptyShell(t)
	other.dataDir = sh.dataDir
	other.run("migrate", "up").ends(done)
	for _, args := range [][]string{{"check"}, {"check", "--repair"}, {"check", "--repair", "--yes", "--remove-pictures", "99"}, {"demo"},
		{"import", records(t, t.TempDir(), "a.jsonl", rootCategory)}, {"user", "export", "1"}, {"user", "erase", "1", "--yes"},
		{"moderation", "hide", "image", "1", "--reason", "Rude"}} {
		other.run(args...).refuses(refused, "do not belong", "plaza media adopt")
		assert.Equal(t, files, sh.pictureFiles(), "%v", args)
	}
}
