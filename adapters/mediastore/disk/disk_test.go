package disk_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/mediastore/disk"
	"plaza/domain/media"
	"plaza/domain/secret"
	"plaza/test/ports"
)

var addresses = media.NewAddresses("https://plaza.example/base/", secret.New("0123456789abcdef"))

var photo = media.Upload{Type: "image/png", Width: 1, Height: 1, Bytes: []byte("a picture")}

func open(t *testing.T, dir string) *disk.Store {
	t.Helper()
	s, err := disk.New(dir, addresses)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func TestMedia(t *testing.T) {
	ports.Media(t, func(t *testing.T) media.Store { return open(t, t.TempDir()) })
}

// files returns the paths of all files below the folder.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, name)
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	}))
	return all
}

func TestPicturesAreStillThereAfterwards(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	k, err := photo.Put(t.Context(), open(t, dir), media.Viewers)
	require.NoError(t, err)
	f, err := open(t, dir).Open(t.Context(), k)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	assert.Equal(t, "image/png", f.Type)
	assert.Regexp(t, `^private/[a-z2-7]{26}\.png$`, string(k))
	name := strings.TrimPrefix(string(k), "private/")
	assert.Equal(t, []string{"private/" + name[:2] + "/" + name}, files(t, dir), "and nothing else is")
}

func TestThereIsNoWayOut(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.png")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	dir := t.TempDir()
	s := open(t, dir)
	name := func(letter string) string { return strings.Repeat(letter, 26) + ".png" }
	key := func(letter string) media.Key { return media.KeyAt(media.Everyone, name(letter)) }
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "public", "aa"), 0o750))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "public", "aa", name("a"))))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "public", "bb", name("b")), 0o750))
	require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(dir, "public", "cc")))
	beyond := filepath.Join(filepath.Dir(outside), name("c"))
	require.NoError(t, os.WriteFile(beyond, []byte("secret"), 0o600))

	_, err := s.Open(t.Context(), key("a"))
	require.ErrorIs(t, err, media.ErrNotFound, "a link")
	_, err = s.Open(t.Context(), key("b"))
	require.ErrorIs(t, err, media.ErrNotFound, "a folder")
	_, err = s.Open(t.Context(), key("c"))
	require.Error(t, err, "a folder that is a link")
	require.Error(t, s.Remove(t.Context(), key("c")))
	assert.FileExists(t, beyond)
}

// keysOf returns the keys that All lists.
func keysOf(t *testing.T, s *disk.Store) []media.Key {
	t.Helper()
	var keys []media.Key
	for picture, err := range s.All(t.Context()) {
		require.NoError(t, err)
		keys = append(keys, picture.Key)
	}
	return keys
}

func TestAllShowsNothingThatWasNotPutThere(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	s := open(t, dir)
	put := func(parts ...string) string {
		name := filepath.Join(parts...)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o750))
		require.NoError(t, os.WriteFile(name, []byte("x"), 0o600))
		return name
	}
	name := func(letter string) string { return strings.Repeat(letter, 26) + ".png" }
	target := put(outside, name("c"))
	put(dir, "public", "hh", name("h")) // as Put would, but never in one of the folders below
	put(dir, "incoming", name("b"))
	put(dir, "others", "bb", name("b"))
	put(dir, "public", name("b"))
	put(dir, "public", "aa", name("b"))
	put(dir, "public", "bb", "deeper", name("b"))
	put(dir, "public", "bbb", name("b"))
	put(dir, "public", "bb", "notes.txt")
	put(dir, "public", "xx")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "public", "dd", name("d")), 0o750))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "public", "ee"), 0o750))
	require.NoError(t, os.Symlink(target, filepath.Join(dir, "public", "ee", name("e"))))
	require.NoError(t, os.Symlink("../aa/"+name("b"), filepath.Join(dir, "public", "ee", name("f"))))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "public", "cc")))
	require.NoError(t, os.Symlink("bb", filepath.Join(dir, "public", "gg")))
	put(dir, "public", "bb", name("g"))
	require.NoError(t, os.Symlink("public", filepath.Join(dir, "private")))
	assert.Equal(t, []media.Key{media.Key("public/" + name("h"))}, keysOf(t, s))
}

func TestWhatAKilledServerLeftIsCleared(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	stale, fresh := filepath.Join(dir, "incoming", "stale"), filepath.Join(dir, "incoming", "fresh")
	for _, name := range []string{stale, fresh} {
		require.NoError(t, os.WriteFile(name, nil, 0o600))
	}
	before := time.Now().Add(-2 * time.Hour)
	require.NoError(t, os.Chtimes(stale, before, before))
	open(t, dir)
	assert.Equal(t, []string{"incoming/fresh"}, files(t, dir), "another server may be writing the other")
}

func TestWhatCanNotBeOpened(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := disk.New(file, addresses)
	require.Error(t, err)
}
