//go:build soak

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// git runs git in the folder.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
}

func TestRelease_is_the_same_wherever_it_is_built(t *testing.T) {
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
