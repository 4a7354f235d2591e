package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
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

// git runs git in the folder.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
}

func TestRelease_is_the_same_wherever_it_is_built(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("a release is built in a clone of the repository")
	}
	platform := runtime.GOOS + "/" + runtime.GOARCH
	var archives, sums [2][]byte
	name := "plaza_v1.9876.0_" + runtime.GOOS + "_" + runtime.GOARCH
	for i := range archives {
		clone, out := filepath.Join(t.TempDir(), fmt.Sprint("clone", i)), t.TempDir()
		git(t, root, "clone", "--quiet", "--shared", ".", clone)
		git(t, clone, "tag", "v1.9876.0")
		r := release{dir: clone, out: out, platforms: []string{platform}, flags: []string{"-tags", "nomsgpack", "-trimpath", "-ldflags=-s -w"}}
		require.NoError(t, r.build(t.Context()))
		archives[i], err = os.ReadFile(filepath.Join(out, name+".tar.gz"))
		require.NoError(t, err)
		sums[i], err = os.ReadFile(filepath.Join(out, checksums))
		require.NoError(t, err)
	}
	assert.True(t, bytes.Equal(archives[0], archives[1]))
	assert.Equal(t, fmt.Sprintf("%x  %s.tar.gz\n", sha256.Sum256(archives[0]), name), string(sums[0]))

	files := untarred(t, archives[0])
	for _, document := range append(documents, "plaza", "THIRD_PARTY_LICENSES") {
		assert.NotEmpty(t, files[path.Join(name, document)].content, document)
	}
	notices := files[name+"/THIRD_PARTY_LICENSES"].content
	for _, software := range []string{
		"\nGo " + runtime.Version() + ", LICENSE\n", "\ngithub.com/gin-gonic/gin v", "\nmodernc.org/sqlite v", "\nplaza, LICENSE.divisions\n",
	} {
		assert.Contains(t, notices, software)
	}
	assert.NotContains(t, notices, "testify", "only what is in the program")

	program := filepath.Join(t.TempDir(), "plaza")
	require.NoError(t, os.WriteFile(program, []byte(files[name+"/plaza"].content), 0o700))
	said, err := exec.CommandContext(t.Context(), program, "version").Output()
	require.NoError(t, err)
	assert.Contains(t, string(said), "plaza v1.9876.0 (commit ")
	assert.True(t, strings.HasSuffix(string(said), ", "+platform+")\n"), "%s", said)
}
