//go:build soak

package e2e

import (
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var peak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// TestPLA_03_forty_photos_at_once_stay_under_a_gigabyte measures the program as people run
// it: looking for races takes many times the memory.
func TestPLA_03_forty_photos_at_once_stay_under_a_gigabyte(t *testing.T) {
	r := serve(t, "--demo", "--wallet=none", "--sms=none", "--data-dir="+t.TempDir())
	u := uploader{r.url, login(t, r.url), time.Now()}
	photo := noisy(t, 4000, 3000)
	const uploads = 40
	ended := make(chan sent, uploads)
	for range uploads {
		go func() { ended <- u.sendJSON(t, http.MethodPost, "/api/user/user-image/", "img", photo) }()
	}
	var answers []sent
	for range uploads {
		answers = append(answers, <-ended)
	}
	report(t, answers, len(photo))
	most := inUse(t, r)
	t.Logf("at most %d MiB were in use", most)
	assert.Less(t, most, 1<<10)
}
