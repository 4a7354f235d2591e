package jsonlines_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/jsonlines"
	"plaza/domain/fault"
	"plaza/domain/imported"
)

// gallery makes a folder with records and covers, and a file outside it.
func gallery(t *testing.T) (folder string) {
	t.Helper()
	outside := t.TempDir()
	folder = filepath.Join(outside, "in")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "covers"), 0o700))
	for _, name := range []string{"secret", "in/a.jsonl", "in/one.jpg", "in/covers/two.jpg"} {
		require.NoError(t, os.WriteFile(filepath.Join(outside, name), []byte(filepath.Base(name)), 0o600))
	}
	for link, to := range map[string]string{
		"near.jpg": "covers/two.jpg", "out": "../secret", "far": filepath.Join(outside, "secret"), "up": "..", "loop": "loop", "gone.jpg": "none",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(folder, link)))
	}
	fifo(t, folder)
	return folder
}

func TestADM04_covers_are_in_the_folder_of_the_records(t *testing.T) {
	folder := gallery(t)
	link := filepath.Join(t.TempDir(), "elsewhere.jsonl")
	require.NoError(t, os.Symlink(filepath.Join(folder, "a.jsonl"), link))
	for name, f := range map[string]imported.File{
		"file": opened(t, filepath.Join(folder, "a.jsonl")), "link": opened(t, link),
		"standard": jsonlines.Standard(strings.NewReader(""), folder),
	} {
		for file, want := range map[string]string{"one.jpg": "one.jpg", "covers/two.jpg": "two.jpg", "near.jpg": "two.jpg"} {
			cover, err := f.OpenCover(file)
			require.NoError(t, err, "%s: %s", name, file)
			text, err := io.ReadAll(cover)
			require.NoError(t, err)
			assert.Equal(t, want, string(text))
			require.NoError(t, cover.Close())
		}
	}
}

func TestADM04_no_name_leads_out_of_the_folder(t *testing.T) {
	folder := gallery(t)
	f := opened(t, filepath.Join(folder, "a.jsonl"))
	for _, name := range []string{
		"", ".", "..", "../secret", "covers", "covers/../../secret", "/etc/hostname", filepath.Join(folder, "one.jpg"), "out", "far", "up/secret",
		"loop", "gone.jpg", "none.jpg", "none/none.jpg", "one.jpg/x", "pipe", "one.jpg\x00", strings.Repeat("x", 5000), "covers\\two.jpg",
	} {
		cover, err := f.OpenCover(name)
		if !assert.Error(t, err, "%q", name) {
			assert.NoError(t, cover.Close())
			continue
		}
		_, is := fault.As(err)
		assert.True(t, is, "%q: %v", name, err)
	}
}

func TestADM04_the_standard_input_may_have_no_covers(t *testing.T) {
	_, err := jsonlines.Standard(strings.NewReader(""), "").OpenCover("one.jpg")
	assert.Equal(t, fault.NotFound, fault.KindOf(err))
	gone := jsonlines.Standard(strings.NewReader(""), filepath.Join(t.TempDir(), "none"))
	_, err = gone.OpenCover("one.jpg")
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.NoError(t, gone.Close())
}
