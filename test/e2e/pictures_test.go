package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
)

// noisy is a photo of so many pixels, whose every block is another.
func noisy(t *testing.T, width, height int) []byte {
	t.Helper()
	picture := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	noise := rand.NewChaCha8([32]byte{1})
	for _, plane := range [][]byte{picture.Y, picture.Cb, picture.Cr} {
		_, err := noise.Read(plane)
		require.NoError(t, err)
		for i := range plane { // as much as a camera's file has
			plane[i] = plane[i-i%8]/2 + 64
		}
	}
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, picture, &jpeg.Options{Quality: 80}))
	return b.Bytes()
}

// keeper uploads the photo again and again until no server answers, and sends and remembers the
// addresses of what was acknowledged.
func keeper(t *testing.T, url, key, body string, told chan<- struct{}) (addresses []string) {
	t.Helper()
	for {
		req, err := http.NewRequest("POST", url+"/api/user/user-image/", strings.NewReader(body))
		if !assert.NoError(t, err) {
			return addresses
		}
		req.Header.Set("Authorization", "Token "+key)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return addresses
		}
		var made struct{ Data struct{ Img string } }
		err = json.NewDecoder(res.Body).Decode(&made)
		_ = res.Body.Close()
		if err != nil || !assert.Equal(t, http.StatusCreated, res.StatusCode) {
			return addresses
		}
		addresses = append(addresses, made.Data.Img)
		select {
		case told <- struct{}{}:
		default: // no receiver waits any more
		}
	}
}

func TestPLA_03_no_half_picture_is_seen_when_the_server_is_killed(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	folder := t.TempDir()
	settings := []string{"--demo", "--wallet=none", "--sms=none", "--data-dir=" + folder, "--public-url=https://plaza.example"}
	photo := noisy(t, 400, 300)
	body := `{"img":"` + base64.StdEncoding.EncodeToString(photo) + `"}`
	var kept []string
	for n := range manyKills {
		r := serve(t, settings...)
		key := login(t, r.url)
		var uploads sync.WaitGroup
		var mu sync.Mutex
		told := make(chan struct{}, 16)
		for range 4 {
			uploads.Go(func() {
				addresses := keeper(t, r.url, key, body, told)
				mu.Lock()
				defer mu.Unlock()
				kept = append(kept, addresses...)
			})
		}
		for range 1 + rand.IntN(8) {
			select {
			case <-told:
			case <-time.After(patience):
				require.Fail(t, "nothing is kept", "%s", r.log)
			}
		}
		require.NoError(t, r.cmd.Process.Kill())
		r.ends(t)
		uploads.Wait()
		whole := assertWhole(t, filepath.Join(folder, "media"))
		t.Logf("kill %d: %d pictures were acknowledged so far, %d files are there", n+1, len(kept), whole)
	}
	assert.NotEmpty(t, kept)
	r := serve(t, settings...)
	for _, address := range kept {
		res, err := http.Get(strings.Replace(address, "https://plaza.example", r.url, 1))
		require.NoError(t, err)
		picture, err := jpeg.Decode(res.Body)
		require.NoError(t, res.Body.Close())
		require.NoError(t, err, address)
		assert.Equal(t, image.Pt(400, 300), picture.Bounds().Size())
	}
	out, errOut, status := run(t, nil, "check", "--data-dir="+folder)
	assert.Zero(t, status, "%s%s", out, errOut)
}

// assertWhole asserts that every file that could be served is a whole picture, and
// returns how many there are. An empty file of a size says that the picture itself fits.
func assertWhole(t *testing.T, folder string) (files int) {
	t.Helper()
	for _, audience := range []string{"public", "private"} {
		err := filepath.WalkDir(filepath.Join(folder, audience), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			files++
			key := media.Key(audience + "/" + entry.Name())
			if info, err := entry.Info(); err == nil && key.IsSize() && info.Size() == 0 {
				return nil
			}
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }() // it was only read
			if _, _, err := image.Decode(f); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			return nil
		})
		if !os.IsNotExist(err) {
			require.NoError(t, err)
		}
	}
	return files
}
