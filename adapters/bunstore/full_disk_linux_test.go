package bunstore_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/fault"
)

// child is set in the process that inChild starts.
const child = "PLAZA_TEST_CHILD"

// inChild runs the rest of the test in a separate process, with limits that must not
// affect other tests. It reports whether this is that process.
func inChild(t *testing.T) bool {
	t.Helper()
	if os.Getenv(child) != "" {
		return true
	}
	path := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+path, "-test.count=1", "-test.v")
	cmd.Env = append(os.Environ(), child+"=yes")
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Contains(t, string(said), "--- PASS: "+t.Name()+" ", "the child must have run it")
	return false
}

// limitFiles limits the size of the process's files, as a full disk does, until the returned function is called.
func limitFiles(t *testing.T, most uint64) (free func()) {
	t.Helper()
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: before.Max}))
	return func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before)) }
}

func TestA_full_disk(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	if !inChild(t) {
		return
	}
	free := limitFiles(t, 3<<20)
	s, dir := embedded(t)
	url := "sqlite:" + filepath.Join(dir, "plaza.db")
	w := newEventWriter(t, s)
	for _, err := range w.fill() {
		require.ErrorIs(t, err, engine.ErrFull)
		assert.True(t, fault.Is(err, fault.Unavailable))
	}
	w.assertKept(s)
	w.assertKept(open(t, url))

	free()
	require.NoError(t, w.write(0), "the same store, and no restart")
	for _, s := range []*bunstore.Store{s, open(t, url)} {
		w.assertKept(s)
		assertConsistent(t, s)
	}
	assert.Len(t, column[int](t, rawSQL(t, url), "SELECT id FROM events"), len(w.kept), "what was refused isn't there")
}

func TestA_full_disk_is_told_at_the_start(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	if !inChild(t) {
		return
	}
	url := "sqlite:" + filepath.Join(t.TempDir(), "plaza.db")
	require.NoError(t, bunstore.MigrateAt(t.Context(), url))
	defer limitFiles(t, 16)()
	_, err := bunstore.Open(t.Context(), bunstore.Options{URL: url})
	require.ErrorContains(t, err, "its disk is full")
}

// nobody is the uid of the unprivileged account of that name. The superuser ignores permissions.
const nobody = 65534

func becomeNobody(t *testing.T) {
	t.Helper()
	if os.Getuid() == 0 {
		require.NoError(t, errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)))
	}
}

// publicFolder returns a folder that every account may read.
func publicFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "plaza-plain-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

// unusable are paths, made in a folder, that can't hold a database, with the text that
// the error must contain.
var unusable = map[string]func(t *testing.T, dir string) (path, named string){
	"a_file_that_may_only_be_read": func(t *testing.T, dir string) (path, named string) {
		path = filepath.Join(dir, "plaza.db")
		require.NoError(t, bunstore.MigrateAt(t.Context(), "sqlite:"+path))
		require.NoError(t, os.Chmod(path, 0o444))
		return path, path
	},
	"a_folder_in_which_none_can_be_made": func(t *testing.T, dir string) (path, named string) {
		require.NoError(t, os.Chmod(dir, 0o555))
		return filepath.Join(dir, "var", "plaza.db"), filepath.Join(dir, "var")
	},
	"a_file_that_is_no_database": func(t *testing.T, dir string) (path, named string) {
		path = filepath.Join(dir, "plaza.db")
		require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("My diary. ", 1000)), 0o600))
		require.NoError(t, os.Chmod(path, 0o666))
		require.NoError(t, os.Chmod(dir, 0o777))
		return path, path
	},
}

func TestOpen_names_a_file_that_cannot_be_used(t *testing.T) {
	for name, prepare := range unusable {
		t.Run(name, func(t *testing.T) {
			if os.Getenv(child) == "" {
				dir := publicFolder(t)
				t.Setenv("PLAZA_TEST_DIR", dir)
				t.Cleanup(func() { require.NoError(t, errors.Join(os.Chmod(dir, 0o755), os.RemoveAll(dir))) })
			}
			if !inChild(t) {
				return
			}
			path, named := prepare(t, os.Getenv("PLAZA_TEST_DIR"))
			becomeNobody(t)
			book := &logBook{}
			s, err := bunstore.Open(t.Context(), bunstore.Options{URL: "sqlite:" + path, Patience: time.Hour, Log: book.logger()})
			if err == nil { // SQLite reads the file first here
				_, err = s.Migrate(t.Context())
			}
			require.ErrorContains(t, err, named)
			assert.Empty(t, book.String(), "no patience mends a file")
		})
	}
}
