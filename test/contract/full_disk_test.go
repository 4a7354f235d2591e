//go:build unix

package contract

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
)

// child is set in the process that a test starts to be denied what others need.
const child = "PLAZA_TEST_CHILD"

// TestFullDisk runs in a process of its own, whose files may not grow.
func TestFullDisk(t *testing.T) {
	if os.Getenv(child) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1", "-test.v")
		cmd.Env = append(os.Environ(), child+"=yes", chosen+"=")
		said, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", said)
		require.Contains(t, string(said), "--- PASS: "+t.Name()+" ", "the child must have run it")
		return
	}
	at := slices.IndexFunc(stores, func(s store) bool { return s.name == "SQLite" })
	on := stores[at]
	on.fresh = on.open(t)
	s := on.start(t)
	ada := s.member(t)
	ada.get(t, profile).is(200)

	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	set := func(most uint64) {
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: before.Max}))
	}
	set(16)
	s.clock.advance(2 * access.SeenEvery)
	ada.get(t, profile).is(200)
	s.app.Signin.Settle() // presence is stored beside the answer
	assert.Contains(t, s.log.problems(), "presence cannot be written")
	for _, upload := range []answer{
		ada.post(t, images, object{"img": aPNG(t)}),
		ada.sends(t, images, form{field: "img", file: aPNG(t)}),
	} {
		upload.fails(503, "SERVICE_UNAVAILABLE")
		assert.Equal(t, "60", upload.header.Get("Retry-After"))
	}
	set(before.Cur)
	ada.post(t, images, object{"img": aPNG(t)}).is(201)
}
