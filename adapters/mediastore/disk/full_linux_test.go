package disk_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/mediastore/disk"
	"plaza/domain/fault"
	"plaza/domain/media"
)

// child is set in the process that inChild starts.
const child = "PLAZA_TEST_CHILD"

// inChild runs the test again in a process of its own, whose limits do not affect the other
// tests. It reports true in that process.
func inChild(t *testing.T, attributes *syscall.SysProcAttr) bool {
	t.Helper()
	if os.Getenv(child) != "" {
		return true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1", "-test.v")
	cmd.Env = append(os.Environ(), child+"=yes")
	cmd.SysProcAttr = attributes
	reply, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", reply)
	require.Contains(t, string(reply), "--- PASS: "+t.Name()+" ", "the child must have run it")
	return false
}

// refuses asserts that the folder refuses a picture and keeps no part of it.
func refuses(t *testing.T, s *disk.Store, dir string, u media.Upload, want, cause error) {
	t.Helper()
	before := files(t, dir)
	_, err := u.Put(t.Context(), s, media.Viewers)
	require.ErrorIs(t, err, want)
	require.ErrorIs(t, err, cause)
	f, is := fault.As(err)
	require.True(t, is)
	assert.Equal(t, fault.Unavailable, f.Kind)
	assert.Equal(t, time.Minute, f.RetryAfter)
	assert.Equal(t, before, files(t, dir))
}

var large = media.Upload{Type: "image/png", Width: 1, Height: 1, Bytes: make([]byte, 1<<20)}

func TestPutOnAFullDisk(t *testing.T) {
	if !inChild(t, nil) {
		return
	}
	dir := t.TempDir()
	s := open(t, dir)
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	set := func(most uint64) {
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: before.Max}))
	}
	set(64 << 10)
	refuses(t, s, dir, large, disk.ErrFull, syscall.EFBIG)
	set(before.Cur)
	_, err := large.Put(t.Context(), s, media.Viewers)
	require.NoError(t, err, "the same store, and no restart")
}

// nobody is the number of the account nobody, which may not write into what root owns.
const nobody = 65534

func TestPutIntoAFolderOfAnotherUser(t *testing.T) {
	if !inChild(t, nil) {
		return
	}
	dir, err := os.MkdirTemp("/tmp", "plaza-test-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o555))
	if os.Geteuid() == 0 {
		require.NoError(t, errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)))
	}
	s := open(t, dir)
	require.ErrorIs(t, s.Check(), disk.ErrDenied)
	_, err = large.Put(t.Context(), s, media.Viewers)
	require.ErrorIs(t, err, disk.ErrDenied)
	assert.Equal(t, fault.Unavailable, fault.KindOf(err))
	_, err = s.Open(t.Context(), "public/aabbccddeeffgghh.png")
	assert.ErrorIs(t, err, media.ErrNotFound, "it is read all the same")
}

func TestWhatRootMakesBelongsToTheOwnerOfTheFolder(t *testing.T) {
	dir := t.TempDir()
	owner := os.Geteuid()
	if owner == 0 {
		owner = nobody
		require.NoError(t, os.Chown(dir, nobody, nobody))
	}
	s := open(t, dir)
	require.NoError(t, s.Check())
	_, err := large.Put(t.Context(), s, media.Everyone)
	require.NoError(t, err)
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		assert.EqualValues(t, owner, info.Sys().(*syscall.Stat_t).Uid, path)
		return nil
	}))
}
