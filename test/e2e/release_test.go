//go:build soak

package e2e

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// in runs a program in the folder, and returns what it printed.
func in(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
	return string(said)
}

// unpacked writes the files of a compressed tar into a folder and returns it.
func unpacked(t *testing.T, archive string) string {
	t.Helper()
	folder := t.TempDir()
	plain, err := gzip.NewReader(strings.NewReader(readFile(t, archive)))
	require.NoError(t, err)
	for files := tar.NewReader(plain); ; {
		header, err := files.Next()
		if err == io.EOF {
			return folder
		}
		require.NoError(t, err)
		assert.Zero(t, header.Uid)
		if header.Typeflag == tar.TypeReg {
			text, err := io.ReadAll(files)
			require.NoError(t, err)
			file := filepath.Join(folder, header.Name)
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, text, header.FileInfo().Mode()))
		}
	}
}

func TestRelease_is_the_same_wherever_it_is_built(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	ours, windows := "plaza_v1.9876.0_"+runtime.GOOS+"_"+runtime.GOARCH, "plaza_v1.9876.0_windows_amd64"
	var dist [2]string
	for i := range dist {
		clone := filepath.Join(t.TempDir(), fmt.Sprint("clone", i))
		in(t, root, "git", "clone", "--quiet", "--shared", ".", clone)
		in(t, clone, "git", "tag", "v1.9876.0")
		t.Setenv("TZ", []string{"Asia/Tokyo", "America/Lima"}[i])
		in(t, clone, "bootstrap/release.sh", runtime.GOOS+"/"+runtime.GOARCH, "windows/amd64")
		dist[i] = filepath.Join(clone, "dist")
	}
	sums := readFile(t, filepath.Join(dist[0], "SHA256SUMS"))
	for _, archive := range []string{ours + ".tar.gz", windows + ".zip"} {
		content := readFile(t, filepath.Join(dist[0], archive))
		assert.True(t, content == readFile(t, filepath.Join(dist[1], archive)), archive)
		assert.Contains(t, sums, fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(content)), archive))
	}
	zipped, err := zip.OpenReader(filepath.Join(dist[0], windows+".zip"))
	require.NoError(t, err)
	defer zipped.Close()
	_, err = fs.Stat(zipped, windows+"/plaza.exe")
	require.NoError(t, err)

	folder := filepath.Join(unpacked(t, filepath.Join(dist[0], ours+".tar.gz")), ours)
	for _, file := range []string{"LICENSE", "CHANGELOG.md", "test/tour.sh", "adapters/sms/README.md", "bootstrap/settings.md",
		"bootstrap/deploy/nginx/plaza.conf"} {
		assert.NotEmpty(t, readFile(t, filepath.Join(folder, file)), file)
	}
	assert.NoDirExists(t, filepath.Join(folder, "bootstrap", "deploy", "docker"))
	assert.NotContains(t, strings.ToLower(readFile(t, filepath.Join(folder, "bootstrap", "deploy", "README.md"))), "docker compose")
	notices := readFile(t, filepath.Join(folder, "THIRD_PARTY_LICENSES"))
	for _, software := range []string{
		"\nGo " + runtime.Version() + ", LICENSE\n", "\ngithub.com/gin-gonic/gin v", "\nmodernc.org/sqlite v", "\nplaza, LICENSE.divisions\n",
		", zstd/internal/xxhash/LICENSE.txt\n",
	} {
		assert.Contains(t, notices, software)
	}
	assert.NotContains(t, notices, "testify", "only what is in the program")
	assert.NotContains(t, notices, "plaza, LICENSE\n")
	said := in(t, folder, filepath.Join(folder, "plaza"), "version")
	assert.Contains(t, said, "plaza v1.9876.0 (commit ")
	assert.True(t, strings.HasSuffix(said, ", "+runtime.GOOS+"/"+runtime.GOARCH+")\n"), "%s", said)
	followLinks(t, folder)
}

// followLinks follows the links of an archive's documents to files.
func followLinks(t *testing.T, folder string) {
	t.Helper()
	followed := 0
	require.NoError(t, filepath.WalkDir(folder, func(file string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".md" {
			return err
		}
		for _, found := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(readFile(t, file), -1) {
			to, _, _ := strings.Cut(found[1], "#")
			if to == "" || strings.Contains(to, "://") {
				continue
			}
			followed++
			_, err := os.Stat(filepath.Join(filepath.Dir(file), to))
			assert.NoError(t, err, "%s links to %s", file, to)
		}
		return nil
	}))
	assert.Greater(t, followed, 40)
}
