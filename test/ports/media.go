package ports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
)

// Media is the suite of media.Store. Open opens a store that is empty and shares nothing with others.
func Media(t *testing.T, open func(t *testing.T) media.Store) {
	for _, p := range []struct {
		sentence string
		kept     func(*testing.T, media.Store)
	}{
		{"an upload is stored under a new key, and Open returns a copy; what is no picture is an error", mediaPut},
		{"an opened picture can be read by many, in any order", mediaRead},
		{"Put stores a copy of the content under the key, in the place of a former one", mediaSize},
		{"Open of any key that Put was not given is ErrNotFound", mediaStrange},
		{"Remove deletes the picture, and one that is not there is no error", mediaRemove},
		{"Puts and Removes at once don't disturb each other", mediaAtOnce},
		{"a picture for Viewers is never where those for Everyone are", mediaApart},
		{"a cancelled call returns the error of its context and stores nothing", mediaCancelled},
		{"All goes through the pictures that are there", mediaAll},
		{"a picture in the trash is kept there, and All passes over it", mediaTrash},
		{"what Move moves is there with its sizes under the new keys alone", mediaMove},
		{"the mark is empty, then what was set last, and never another first one", mediaMark},
		{"of several first marks at once one is stored, which all return", mediaFirstMark},
	} {
		t.Run(p.sentence, func(t *testing.T) { p.kept(t, open(t)) })
	}
}

func upload(kind string, content ...byte) media.Upload {
	return media.Upload{Type: kind, Width: 1, Height: 1, Bytes: content}
}

func put(t *testing.T, s media.Store, u media.Upload, a media.Audience) media.Key {
	key, err := u.Put(t.Context(), s, a)
	require.NoError(t, err)
	require.NotEmpty(t, key)
	return key
}

// stored is the content and the type of the picture.
func stored(t *testing.T, s media.Store, key media.Key) ([]byte, string) {
	f, err := s.Open(t.Context(), key)
	require.NoError(t, err)
	content, err := io.ReadAll(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return content, f.Type
}

func absent(t *testing.T, s media.Store, key media.Key) {
	f, err := s.Open(t.Context(), key)
	if err == nil {
		_ = f.Close()
	}
	assert.ErrorIs(t, err, media.ErrNotFound, "%q", key)
}

func mediaPut(t *testing.T, s media.Store) {
	began := time.Now().Add(-time.Minute)
	for _, kind := range []string{"image/jpeg", "image/png"} {
		for _, a := range []media.Audience{media.Everyone, media.Viewers} {
			for _, content := range [][]byte{{}, {0}, bytes.Repeat([]byte("\x00\r\n\xff"), 300_000)} {
				given := bytes.Clone(content)
				key := put(t, s, upload(kind, given...), a)
				clear(given)
				got, gotKind := stored(t, s, key)
				assert.True(t, bytes.Equal(content, got))
				assert.Equal(t, kind, gotKind)
				f, err := s.Open(t.Context(), key)
				require.NoError(t, err)
				assert.WithinRange(t, f.Modified, began, time.Now().Add(time.Minute))
				assert.Equal(t, time.UTC, f.Modified.Location())
				require.NoError(t, f.Close())
			}
		}
	}
	for _, kind := range []string{"", "text/html", "image/svg+xml", "image/bmp", "IMAGE/PNG"} {
		_, err := upload(kind, 1).Put(t.Context(), s, media.Everyone)
		assert.Error(t, err, kind)
	}
}

func mediaSize(t *testing.T, s media.Store) {
	for _, a := range []media.Audience{media.Everyone, media.Viewers} {
		of := put(t, s, upload("image/png", 1), a)
		for _, kind := range []string{"image/png", "image/jpeg"} {
			size := of.Size("md", kind)
			absent(t, s, size)
			for _, content := range [][]byte{{2, 3}, {}, bytes.Repeat([]byte("\x00\xff"), 300_000)} {
				given := bytes.Clone(content)
				require.NoError(t, s.Put(t.Context(), size, given))
				clear(given)
				got, gotKind := stored(t, s, size)
				assert.True(t, bytes.Equal(content, got))
				assert.Equal(t, kind, gotKind)
			}
			assert.Contains(t, allStored(t, s), size)
			assert.NotEqual(t, s.URL(of, a, noon), s.URL(size, a, noon))
		}
		require.NoError(t, s.Remove(t.Context(), of.Size("md", "image/png")))
		absent(t, s, of.Size("md", "image/png"))
		stored(t, s, of.Size("md", "image/jpeg"))
		for _, key := range []media.Key{"", "../x", of + ".xl.png", of + ".md", media.Key("x/" + string(of.Size("md", "image/png")))} {
			assert.ErrorIs(t, s.Put(t.Context(), key, []byte{9}), media.ErrNoKey, "%q", key)
		}
		content, _ := stored(t, s, of)
		assert.Equal(t, []byte{1}, content, "the picture stays")
		require.NoError(t, s.Put(t.Context(), of.For(media.Viewers), []byte{7}))
		content, _ = stored(t, s, of.For(media.Viewers))
		assert.Equal(t, []byte{7}, content)
	}
	of := put(t, s, upload("image/png", 1), media.Everyone).Size("sm", "image/png")
	for _, err := range atOnce(many, func(i int) error {
		return s.Put(t.Context(), of, bytes.Repeat([]byte{byte(i)}, 50_000))
	}) {
		assert.NoError(t, err)
	}
	content, _ := stored(t, s, of)
	require.Len(t, content, 50_000)
	assert.Equal(t, bytes.Repeat(content[:1], 50_000), content, "whole")
}

func mediaRead(t *testing.T, s media.Store) {
	content := []byte("0123456789")
	key := put(t, s, upload("image/png", content...), media.Everyone)
	first, err := s.Open(t.Context(), key)
	require.NoError(t, err)
	second, err := s.Open(t.Context(), key)
	require.NoError(t, err)
	require.NoError(t, iotest.TestReader(first, content))
	whole, err := io.ReadAll(second)
	require.NoError(t, err)
	assert.Equal(t, content, whole)
	require.NoError(t, first.Close())
	require.NoError(t, second.Close())
}

func mediaStrange(t *testing.T, s media.Store) {
	key := string(put(t, s, upload("image/png", 1), media.Everyone))
	folder := key[:strings.LastIndex(key, "/")]
	for _, strange := range []string{
		"", ".", "..", "/", "public", "private", "public/", folder, folder + "/", folder + "/.", "/" + key, key + "/", "./" + key,
		"../" + key, "public/../" + key, folder + "/../" + key, "x/../" + key, "public//" + strings.TrimPrefix(key, "public/"),
		"../../../../etc/passwd", "public/../../../../etc/passwd", "/etc/passwd", "public/ab/../../../etc/passwd", `..\..\etc\passwd`,
		key + "\x00", key + "\x00.png", strings.ToUpper(key), key[:len(key)-1], key + "x", key + " ", " " + key, key + "\n", key + "?a=b",
		strings.ReplaceAll(key, "/", "%2f"), strings.Replace(key, "public", "private", 1), "incoming", "incoming/" + key, "CON", "\xff",
		strings.Repeat("a/", 2000), strings.Repeat("a", 100_000), "public/aa/" + strings.Repeat("a", 26) + ".png",
	} {
		absent(t, s, media.Key(strange))
		assert.NoError(t, s.Remove(t.Context(), media.Key(strange)), "%q", strange)
	}
	content, _ := stored(t, s, media.Key(key))
	assert.Equal(t, []byte{1}, content)
}

func mediaRemove(t *testing.T, s media.Store) {
	for _, a := range []media.Audience{media.Everyone, media.Viewers} {
		key, bystander := put(t, s, upload("image/png", 1), a), put(t, s, upload("image/png", 2), a)
		require.NoError(t, s.Remove(t.Context(), key))
		absent(t, s, key)
		require.NoError(t, s.Remove(t.Context(), key))
		content, _ := stored(t, s, bystander)
		assert.Equal(t, []byte{2}, content)
	}
}

func mediaAtOnce(t *testing.T, s media.Store) {
	for _, err := range atOnce(many, func(i int) error {
		content := bytes.Repeat([]byte{byte(i)}, 50_000)
		key, err := upload("image/jpeg", content...).Put(t.Context(), s, media.Audience(i%2))
		if err != nil {
			return err
		}
		f, err := s.Open(t.Context(), key)
		if err != nil {
			return err
		}
		got, err := io.ReadAll(f)
		if !bytes.Equal(content, got) {
			err = errors.Join(err, fmt.Errorf("picture %d is another", i))
		}
		return errors.Join(err, f.Close(), s.Remove(t.Context(), key), s.Remove(t.Context(), key))
	}) {
		assert.NoError(t, err)
	}
}

func mediaApart(t *testing.T, s media.Store) {
	private := put(t, s, upload("image/png", 1), media.Viewers)
	public := put(t, s, upload("image/png", 2), media.Everyone)
	assert.True(t, strings.HasPrefix(string(private), "private/"))
	assert.True(t, strings.HasPrefix(string(public), "public/"))
	absent(t, s, media.KeyAt(media.Everyone, strings.TrimPrefix(string(private), "private/")))
	absent(t, s, media.KeyAt(media.Everyone, string(private)))
	absent(t, s, media.KeyAt(media.Viewers, strings.TrimPrefix(string(public), "public/")))
	assert.NotContains(t, s.URL(private, media.Viewers, noon), "/media/public/")
	assert.NotContains(t, s.URL(public, media.Everyone, noon), "/media/private/")
}

func mediaCancelled(t *testing.T, s media.Store) {
	key := put(t, s, upload("image/png", 1), media.Everyone)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := upload("image/png", 1).Put(gone, s, media.Everyone)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = s.Open(gone, key)
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, s.Put(gone, key.Size("sm", "image/png"), []byte{1}), context.Canceled)
	absent(t, s, key.Size("sm", "image/png"))
	assert.ErrorIs(t, s.Remove(gone, key), context.Canceled)
	content, _ := stored(t, s, key)
	assert.Equal(t, []byte{1}, content)
}

// allStored is what All goes through: each picture once, and no error.
func allStored(t *testing.T, s media.Store) map[media.Key]time.Time {
	all := map[media.Key]time.Time{}
	for picture, err := range s.All(t.Context()) {
		require.NoError(t, err)
		require.NotContains(t, all, picture.Key, "each once")
		all[picture.Key] = picture.Since
	}
	return all
}

// storeSome puts pictures of both audiences and types into the store.
func storeSome(t *testing.T, s media.Store, n int) []media.Key {
	var keys []media.Key
	for i := range n {
		kind := []string{"image/jpeg", "image/png"}[i/2%2]
		keys = append(keys, put(t, s, upload(kind, byte(i)), media.Audience(i%2)))
	}
	return keys
}

func mediaAll(t *testing.T, s media.Store) {
	assert.Empty(t, allStored(t, s))
	began := time.Now().Add(-time.Minute)
	keys := storeSome(t, s, 24)
	all := allStored(t, s)
	require.Len(t, all, len(keys))
	for _, key := range keys {
		require.Contains(t, all, key)
		assert.WithinRange(t, all[key], began, time.Now().Add(time.Minute))
		assert.Equal(t, time.UTC, all[key].Location())
		f, err := s.Open(t.Context(), key)
		require.NoError(t, err)
		assert.WithinDuration(t, f.Modified, all[key], time.Second, "some stores keep whole seconds")
		require.NoError(t, f.Close())
	}

	require.NoError(t, s.Remove(t.Context(), keys[0]))
	all = allStored(t, s)
	assert.Len(t, all, len(keys)-1)
	assert.NotContains(t, all, keys[0])

	for range s.All(t.Context()) {
		break // the caller may stop
	}
	walk := s.All(t.Context())
	for range 2 {
		seen := 0
		for _, err := range walk {
			require.NoError(t, err)
			seen++
		}
		assert.Equal(t, len(keys)-1, seen, "and begin again")
	}
}

func mediaTrash(t *testing.T, s media.Store) {
	for _, a := range []media.Audience{media.Everyone, media.Viewers} {
		key := put(t, s, upload("image/png", 1), a)
		absent(t, s, key.Trash())
		require.NoError(t, s.Put(t.Context(), key.Trash(), []byte{2}))
		content, _ := stored(t, s, key.Trash())
		assert.Equal(t, []byte{2}, content)
		content, _ = stored(t, s, key)
		assert.Equal(t, []byte{1}, content)
		all := allStored(t, s)
		assert.Contains(t, all, key)
		assert.NotContains(t, all, key.Trash())
		require.NoError(t, s.Remove(t.Context(), key.Trash()))
		absent(t, s, key.Trash())
		stored(t, s, key)
	}
}

// markOf is the mark of the store, which first would give it.
func markOf(t *testing.T, s media.Store, first string) string {
	mark, err := s.Mark(t.Context(), first)
	require.NoError(t, err)
	return mark
}

func mediaMark(t *testing.T, s media.Store) {
	assert.Empty(t, markOf(t, s, ""))
	for _, mark := range []string{"first mark", "second"} {
		require.NoError(t, s.SetMark(t.Context(), mark))
		assert.Equal(t, mark, markOf(t, s, ""))
	}
	assert.Equal(t, "second", markOf(t, s, "third"))
	assert.Empty(t, allStored(t, s), "it is no picture")
	absent(t, s, media.MarkName)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Mark(gone, "")
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, s.SetMark(gone, "fourth"), context.Canceled)
	assert.Equal(t, "second", markOf(t, s, ""))
}

func mediaFirstMark(t *testing.T, s media.Store) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Mark(gone, "lost")
	require.ErrorIs(t, err, context.Canceled)
	marks := make([]string, many)
	for _, err := range atOnce(many, func(i int) (err error) {
		marks[i], err = s.Mark(t.Context(), strconv.Itoa(i))
		return err
	}) {
		require.NoError(t, err)
	}
	assert.Equal(t, slices.Repeat([]string{markOf(t, s, "")}, many), marks)
	assert.Regexp(t, `^\d+$`, marks[0])
}

// anyKeys is a queue that reserves every key.
type anyKeys struct{ media.DeletionQueue }

func (anyKeys) Reserve(context.Context, media.Reservation) error { return nil }
func (anyKeys) Done(context.Context, []media.Key) error          { return nil }

func mediaMove(t *testing.T, s media.Store) {
	public, private := put(t, s, upload("image/png", 1), media.Everyone), put(t, s, upload("image/jpeg", 2), media.Viewers)
	sizes := []media.Key{public.Size("sm", "image/jpeg"), private.Size("md", "image/jpeg")}
	for i, key := range sizes {
		require.NoError(t, s.Put(t.Context(), key, []byte{byte(10 + i)}))
	}
	var moved media.Moves
	err := media.Move(t.Context(), s, anyKeys{}, []media.Key{public, private}, media.Viewers, noon, func(m media.Moves) error {
		moved = m
		return nil
	})
	require.NoError(t, err)
	for _, former := range append(sizes, public, private) {
		absent(t, s, former)
	}
	assert.Equal(t, public.For(media.Viewers), moved.To[public])
	assert.NotEqual(t, private, moved.To[private])
	for key, want := range map[media.Key]byte{
		moved.To[public]: 1, moved.To[private]: 2,
		moved.To[public].Size("sm", "image/jpeg"): 10, moved.To[private].Size("md", "image/jpeg"): 11,
	} {
		content, _ := stored(t, s, key)
		assert.Equal(t, []byte{want}, content, key)
	}
}
