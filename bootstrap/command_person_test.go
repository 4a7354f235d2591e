package bootstrap_test

import (
	"archive/zip"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/test/content"
	"plaza/test/postgres"
)

func TestUser_show(t *testing.T) {
	sh := newShell(t)
	uid := sh.somebody("+86-13800000009")
	o := sh.run("user", "show", uid).ends(done)
	assert.Contains(t, o.out, "+86-13800000009")
	assert.Contains(t, o.out, "王丽")
	var shown account
	sh.run("user", "show", uid, "--json").ends(done).reads(&shown)
	assert.Equal(t, sh.account(uid), shown)
	sh.run("user", "show", "99").refuses(refused, "Account not found.")
}

func TestAUT14_user_staff(t *testing.T) {
	sh := newShell(t)
	uid := sh.somebody("+86-13800000009")
	sh.run("user", "staff", uid, "on").ends(done)
	assert.True(t, sh.account(uid).Staff)
	sh.run("user", "staff", uid, "off").ends(done)
	assert.False(t, sh.account(uid).Staff)
	sh.run("user", "staff", uid, "perhaps").refuses(misused, "on")
	sh.run("user", "staff", "99", "on").refuses(refused, "Account not found.")
}

// writes stores an event of the account with a plate, and a comment of its own.
func (sh *shell) writes(app *bootstrap.App, uid int64) (photo media.Key) {
	sh.Helper()
	photo, err := app.Stores.Media.Put(sh.Context(), media.Upload{Type: "image/jpeg", Width: 1, Height: 1, Bytes: []byte("a photo")}, media.Viewers)
	require.NoError(sh, err)
	account, err := app.Stores.Accounts.List(sh.Context(), 0, 1)
	require.NoError(sh, err)
	require.Equal(sh, uid, int64(account[0].User))
	then := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	e, err := event.New(account[0].User, event.Change{Title: new("西湖"), Publish: new(true)}.Sanitised(content.AsSent{}), calendar.DateOf(then), then)
	require.NoError(sh, err)
	require.NoError(sh, e.AddPlate(photo, 7, then))
	e, err = app.Stores.Events.Add(sh.Context(), e)
	require.NoError(sh, err)
	c, err := event.NewComment(e.ID(), account[0].User, "A comment", then)
	require.NoError(sh, err)
	_, err = app.Stores.Discussion.AddComment(sh.Context(), c)
	require.NoError(sh, err)
	return photo
}

func TestUser_export_and_erase(t *testing.T) {
	for name, sh := range map[string]*shell{
		"sqlite":   newShell(t),
		"postgres": {dataDir: t.TempDir()},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name == "postgres" {
				t.Skip("make test-all runs this")
			}
			sh.T = t
			if name == "postgres" {
				sh.database = postgres.Lend(t, migrate)
			}
			uid := sh.somebody("+86-13800000009")
			var photo media.Key
			sh.within(func(app *bootstrap.App) { photo = sh.writes(app, 1) })
			file := filepath.Join(t.TempDir(), "person.zip")
			assert.Contains(t, sh.run("user", "export", uid, "--to", file).line(), "3 records and 1 pictures")
			info, err := os.Stat(file)
			require.NoError(t, err)
			assert.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
			archive, err := zip.OpenReader(file)
			require.NoError(t, err)
			picture, err := fs.ReadFile(archive, "pictures/"+string(photo))
			require.NoError(t, err)
			assert.Equal(t, "a photo", string(picture))
			require.NoError(t, archive.Close())
			sh.run("user", "export", uid, "--to", file).refuses(refused, file+" exists")

			preview := sh.run("user", "erase", uid).ends(misused)
			assert.Regexp(t, `comments +1 +removed`, preview.out)
			assert.Contains(t, preview.err, "--yes")
			assert.False(t, sh.account(uid).Disabled)

			erased := sh.run("user", "erase", uid, "--yes").ends(done)
			assert.Equal(t, preview.out, erased.out)
			sh.run("check").ends(done)
			assert.Contains(t, sh.run("user", "list").ends(done).out, "erased")
			for _, refusal := range [][]string{
				{"enable", uid}, {"staff", uid, "on"}, {"passwd", uid, "--password", goodPassword}, {"scopes", uid, "xfile_event"},
			} {
				sh.run(append([]string{"user"}, refusal...)...).refuses(refused, "The data of this account was erased.")
			}
			sh.run("token", "issue", "--user", uid).refuses(refused, "The data of this account was erased.")
			assert.Regexp(t, "^WHAT", sh.run("user", "erase", uid, "--yes").ends(done).out, "a second time")
			assert.NotEqual(t, uid, sh.somebody("+86-13800000009"), "the phone number is free")
			assert.Empty(t, filesIn(t, filepath.Join(sh.dataDir, "media", "private")), "the file of the plate is gone")
		})
	}
}

func TestUser_export_leaves_no_part_of_a_file(t *testing.T) {
	sh := newShell(t)
	uid := sh.somebody("+86-13800000009")
	sh.breaks("UPDATE users SET avatar = 'nonsense'")
	file := filepath.Join(t.TempDir(), "person.zip")
	sh.run("user", "export", uid, "--to", file).refuses(refused, "export account of user 1: ", "decode cover")
	assert.NoFileExists(t, file)
}

func TestUser_erase_names_open_orders(t *testing.T) {
	sh := newShell(t)
	uid := sh.somebody("+86-13800000009")
	id := sh.run("order", "create", "--user", uid, "--amount", "990", "--subject", "茶").line()
	o := sh.run("user", "erase", uid, "--yes").ends(refused)
	assert.Contains(t, o.err, "the orders ["+id+"] of user "+uid+" are open")
	assert.Contains(t, sh.run("order", "show", id).ends(done).out, "茶")
}
