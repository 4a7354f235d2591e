package command_test

import (
	"archive/zip"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/test/content"
)

// writesEvent stores a private event of user 1 with a plate and without the place that its title names.
func (sh *shell) writesEvent() (photo media.Key) {
	sh.Helper()
	sh.within(func(app *bootstrap.App) {
		err := app.PairPictures(sh.Context())
		require.NoError(sh, err)
		photo, err = media.Upload{Type: "image/jpeg", Width: 1, Height: 1, Bytes: []byte("a photo")}.Put(sh.Context(), app.Stores.Media,
			media.Viewers)
		require.NoError(sh, err)
		then := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		change := event.Change{Title: new("杭州市西湖区的秘密"), Permission: new(event.Private), Publish: new(true)}
		e, err := event.New(1, change.Sanitised(content.AsSent{}), calendar.DateOf(then), then)
		require.NoError(sh, err)
		require.NoError(sh, e.AddPlate(event.Plate{Photo: photo, Bytes: 7}, then))
		_, err = app.Stores.Events.Add(sh.Context(), e)
		require.NoError(sh, err)
	})
	return photo
}

func TestUser_export_and_erase(t *testing.T) {
	sh, uid := newUser(t)
	photo := sh.writesEvent()
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
	assert.Regexp(t, `events +1 +removed`, preview.out)
	assert.Contains(t, preview.err, "--yes")
	assert.False(t, sh.account(uid).Disabled)

	sh.run("user", "erase", "99999", "--yes").refuses(refused, "plaza: Account not found.")
	erased := sh.run("user", "erase", uid, "--yes").ends(done)
	withOwn := strings.Replace(preview.out, "staff_acts  2", "staff_acts  3", 1)
	assert.Equal(t, withOwn, erased.out, "the record of the erasure is blanked, too")
	sh.run("check").ends(done)
	assert.Contains(t, sh.run("user", "list").ends(done).out, "erased")
	for _, refusal := range [][]string{
		{"user", "enable", uid}, {"user", "staff", uid, "on"},
		{"user", "second-factor", "reset", uid}, {"user", "passwd", uid, "--password", goodPassword},
		{"user", "scopes", uid, "xfile_event"}, {"token", "issue", "--user", uid},
	} {
		sh.run(refusal...).refuses(refused, "The data of this account was erased.")
	}
	assert.NotEqual(t, uid, sh.somebody("+86-13800000009"), "the phone number is free")
	assert.Empty(t, filesIn(t, filepath.Join(sh.dataDir, "media", "private")), "the file of the plate is gone")
}

func TestUser_export_leaves_no_part_of_a_file(t *testing.T) {
	sh, uid := newUser(t)
	sh.breaks("UPDATE users SET avatar = 'nonsense'")
	file := filepath.Join(t.TempDir(), "person.zip")
	sh.run("user", "export", uid, "--to", file).refuses(refused, "export account of user 1: ", "decode cover")
	assert.NoFileExists(t, file)
}
