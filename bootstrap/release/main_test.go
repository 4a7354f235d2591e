package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var date = time.Date(2026, 11, 20, 10, 0, 0, 0, time.FixedZone("", 3600))

var some = []file{{"plaza", []byte("\x7fELF"), 0o755}, {"bootstrap/README.md", []byte("# Operating\n"), 0o644}}

// entry is a file of an archive as it is read.
type entry struct {
	content  string
	mode     fs.FileMode
	modified time.Time
}

// untarred returns the files of the archive by their names.
func untarred(t *testing.T, content []byte) map[string]entry {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(content))
	require.NoError(t, err)
	files := map[string]entry{}
	for archive := tar.NewReader(plain); ; {
		header, err := archive.Next()
		if err == io.EOF {
			return files
		}
		require.NoError(t, err)
		assert.Zero(t, header.Uid)
		assert.Empty(t, header.Uname)
		text, err := io.ReadAll(archive)
		require.NoError(t, err)
		files[header.Name] = entry{string(text), header.FileInfo().Mode(), header.ModTime.UTC()}
	}
}

func TestTarred(t *testing.T) {
	content, err := tarred("plaza_v1", date, some)
	require.NoError(t, err)
	again, err := tarred("plaza_v1", date.In(time.Local), some)
	require.NoError(t, err)
	assert.Equal(t, content, again)
	assert.Equal(t, map[string]entry{
		"plaza_v1/plaza":               {"\x7fELF", 0o755, date.UTC()},
		"plaza_v1/bootstrap/README.md": {"# Operating\n", 0o644, date.UTC()},
	}, untarred(t, content))
}

func TestZipped(t *testing.T) {
	content, err := zipped("plaza_v1", date, some)
	require.NoError(t, err)
	again, err := zipped("plaza_v1", date.In(time.Local), some)
	require.NoError(t, err)
	assert.Equal(t, content, again)
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	require.Len(t, archive.File, 2)
	assert.Equal(t, "plaza_v1/plaza", archive.File[0].Name)
	assert.True(t, date.Equal(archive.File[0].Modified))
	assert.Equal(t, fs.FileMode(0o755), archive.File[0].Mode())
}

func TestNotices(t *testing.T) {
	module := t.TempDir()
	for name, text := range map[string]string{
		"LICENSE": "of all\n", "NOTICE.txt": "by us", "license.go": "package x", "a/b/b.go": "package b", "a/COPYING": "of a", "c/LICENCE-BSD": "of c",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(module, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(module, name), []byte(text), 0o644))
	}
	var n notices
	for range 2 {
		require.NoError(t, n.add("example.com/m v1.2.3", module, filepath.Join(module, "a", "b")))
	}
	assert.Equal(t, []notice{
		{"example.com/m v1.2.3", "a/COPYING", "of a"}, {"example.com/m v1.2.3", "LICENSE", "of all"}, {"example.com/m v1.2.3", "NOTICE.txt", "by us"},
	}, n.found, "not those of folders that are not linked")
	text, err := n.text()
	require.NoError(t, err)
	assert.Contains(t, string(text), "example.com/m v1.2.3, a/COPYING\n\nof a\n")

	require.NoError(t, n.add("example.com/none v1.0.0", t.TempDir(), t.TempDir()))
	_, err = n.text()
	assert.ErrorContains(t, err, "example.com/none v1.0.0 has no licence file")
}

func TestBuild_needs_an_empty_folder(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600))
	assert.ErrorContains(t, release{dir: ".", out: dir}.build(t.Context()), "is not empty")
	assert.FileExists(t, filepath.Join(dir, "mine"))
}

// TestDocuments_link_to_what_an_archive_has unpacks the documents of an archive and follows their links.
func TestDocuments_link_to_what_an_archive_has(t *testing.T) {
	documents, err := release{dir: "../.."}.documents()
	require.NoError(t, err)
	content, err := tarred("plaza_v1", date, documents)
	require.NoError(t, err)
	folder := t.TempDir()
	for name, f := range untarred(t, content) {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(f.content), 0o644))
	}
	followed := 0
	for _, d := range documents {
		for _, found := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllSubmatch(d.content, -1) {
			to, _, _ := strings.Cut(string(found[1]), "#")
			if filepath.Ext(d.name) != ".md" || to == "" || strings.Contains(to, "://") {
				continue
			}
			followed++
			_, err := os.Stat(filepath.Join(folder, "plaza_v1", filepath.Dir(d.name), to))
			assert.NoError(t, err, "%s links to %s", d.name, to)
		}
	}
	assert.Greater(t, followed, 40)
}
