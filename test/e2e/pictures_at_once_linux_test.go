//go:build soak

package e2e

import (
	"fmt"
	"image"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
	"plaza/test/pictures"
)

// openUploads returns how many nameless files of uploads the server has.
func openUploads(t *testing.T, r *running) (count int) {
	t.Helper()
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", r.cmd.Process.Pid))
	require.NoError(t, err)
	require.NotEmpty(t, open)
	for _, link := range open {
		if name, err := os.Readlink(link); err == nil && strings.Contains(name, "/plaza-") {
			count++
		}
	}
	return count
}

// textured is a grey picture of so many pixels, which a file of a few megabytes holds.
func textured(width, height int) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		if m.Pix[i] = uint8(60 + (i%width/97+i/width/61)%100); random.IntN(400) == 0 {
			m.Pix[i] += uint8(random.IntN(60))
		}
	}
	return m
}

// TestPLA_03_twenty_of_the_largest_pictures_at_once has one account upload them. The memory is bounded, the excess is refused, and others
// set their avatars meanwhile. Times are printed, and not asserted: they are the machine's.
func TestPLA_03_twenty_of_the_largest_pictures_at_once(t *testing.T) {
	const uploads = 20
	for name, picture := range map[string][]byte{
		"PNG of 16 bits": pictures.Deep(t, 8000, 5000, false), "progressive JPEG": pictures.Progressive(8000, 5000),
		"AVIF": pictures.Made(t, "largest.avif"),
	} {
		t.Run(name, func(t *testing.T) {
			r := serve(t, "--demo", "--wallet=none", "--sms=none", "--data-dir="+t.TempDir())
			before := inUse(t, r)
			u := uploader{r.url, login(t, r.url), time.Now()}
			other := uploader{r.url, loginAs(t, r.url, "+86-13800000002"), u.began}
			ended := make(chan sent, uploads)
			for i := range uploads {
				go func() {
					send := u.sendForm
					if i%2 == 0 {
						send = u.sendJSON
					}
					ended <- send(t, http.MethodPost, "/api/user/user-image/", "img", picture)
				}()
			}
			answers := []sent{<-ended} // one is refused at once, so the queue is full
			var avatars sync.WaitGroup
			avatars.Go(func() {
				for what, avatar := range map[string][]byte{"a pixel": pictures.Plain(t, 1, 1), "a photo": noisy(t, 4000, 3000)} {
					began := time.Now()
					got := other.sendJSON(t, http.MethodPut, "/api/user/avatar/", "avatar", avatar)
					assert.Equal(t, http.StatusOK, got.status)
					t.Logf("the avatar of another account, %s: %v", what, time.Since(began).Round(time.Millisecond))
				}
			})
			for len(answers) < uploads {
				answers = append(answers, <-ended)
			}
			avatars.Wait()
			report(t, answers, len(picture))
			assert.Zero(t, openUploads(t, r), "files of uploads")
			added := inUse(t, r) - before
			t.Logf("%d MiB in use after the start, at most %d more", before, added)
			most := 700
			if name == "AVIF" { // one at once takes up to 1 GiB
				most = 1124
			}
			assert.LessOrEqual(t, added, most)
		})
	}
}

// TestPLA_03_a_dozen_large_pictures_at_once_are_all_stored has one account upload photos of 48 megapixels, as phones take them.
// The client waits as long as the server does.
func TestPLA_03_a_dozen_large_pictures_at_once_are_all_stored(t *testing.T) {
	photo := pictures.JPEG(t, textured(8064, 6048))
	require.Less(t, len(photo), media.MaxBytes)
	r := serve(t, "--demo", "--wallet=none", "--sms=none", "--data-dir="+t.TempDir())
	u := uploader{r.url, login(t, r.url), time.Now()}
	answers := make([]sent, 12)
	var uploads sync.WaitGroup
	for i := range answers {
		uploads.Go(func() { answers[i] = u.sendJSON(t, http.MethodPost, "/api/user/user-image/", "img", photo) })
	}
	uploads.Wait()
	report(t, answers, len(photo))
	for i, a := range answers {
		assert.Equal(t, http.StatusCreated, a.status, "%d", i)
	}
}

// report logs the responses. Some are of created images, and all others say when to try again.
func report(t *testing.T, answers []sent, size int) {
	t.Helper()
	var made, refused []time.Duration
	for _, a := range answers {
		if a.status == http.StatusCreated {
			made = append(made, a.after.Round(time.Millisecond))
			continue
		}
		refused = append(refused, a.after.Round(time.Millisecond))
		assert.NotEmpty(t, a.retryAfter)
	}
	assert.NotEmpty(t, made)
	slices.Sort(made)
	slices.Sort(refused)
	t.Logf("a picture has %d KiB; %d were made after %v, %d refused after %v", size>>10, len(made), made, len(refused), refused)
}
