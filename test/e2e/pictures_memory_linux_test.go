//go:build !race

package e2e

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var peak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// TestPLA_03_forty_photos_at_once_stay_under_a_gigabyte measures the program as people run
// it: looking for races takes many times the memory.
func TestPLA_03_forty_photos_at_once_stay_under_a_gigabyte(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	r := serve(t, "--demo", "--wallet=none", "--data-dir="+t.TempDir())
	key := login(t, r.url)
	photo := noisy(t, 4000, 3000)
	body := `{"img":"` + base64.StdEncoding.EncodeToString(photo) + `"}`
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			req, err := http.NewRequest("POST", r.url+"/api/user/user-image/", strings.NewReader(body))
			if !assert.NoError(t, err) {
				return
			}
			req.Header.Set("Authorization", "Token "+key)
			req.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultClient.Do(req)
			if !assert.NoError(t, err) {
				return
			}
			defer func() { _ = res.Body.Close() }()
			said, err := io.ReadAll(res.Body)
			assert.NoError(t, err)
			assert.Equal(t, http.StatusCreated, res.StatusCode, "%s", said)
		})
	}
	all.Wait()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.cmd.Process.Pid))
	require.NoError(t, err)
	kB, err := strconv.Atoi(string(peak.FindSubmatch(status)[1]))
	require.NoError(t, err)
	t.Logf("a photo has %d KiB; at most %d MiB were in use", len(photo)>>10, kB>>10)
	assert.Less(t, kB, 1<<20)
}
