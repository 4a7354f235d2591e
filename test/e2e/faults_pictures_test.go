//go:build soak

package e2e

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/faultproxy"
	"plaza/test/versitygw"
)

// faultyPictures is a server whose pictures are in a store behind the line.
type faultyPictures struct {
	line *faultproxy.Proxy
	now  *running
	key  string
	list string            // the path of the list of pictures
	body map[string]string // of an upload

	first string            // address of a picture, before all faults
	sum   [sha256.Size]byte // of all pictures

	mu    sync.Mutex
	acked []string // addresses
}

func behindPictures(t *testing.T) behindLine {
	address := strings.TrimPrefix(versitygw.Start(t), "http://")
	line := faultproxy.Start(t, "tcp", address)
	settings := []string{"--data-dir=" + t.TempDir()}
	writer := people(t, 0, settings).writers[0]
	p := &faultyPictures{
		line: line,
		key:  writer.key, list: fmt.Sprintf("%s?uid=%d", imagesPath, writer.uid),
		body: map[string]string{"img": base64.StdEncoding.EncodeToString(noisy(t, 400, 300))},
	}
	p.now = serve(t, append(settings, unlimited,
		"--media-url=s3://"+line.Address()+"/"+versitygw.Bucket+"?tls=off&region="+versitygw.Region,
		"--media-key-id="+versitygw.KeyID, "--media-secret="+versitygw.Secret)...)
	require.True(t, p.upload(t))
	p.first = p.acked[0]
	first := p.fetch(p.first)
	require.Equal(t, http.StatusOK, first.status, first.body)
	p.sum = sha256.Sum256([]byte(first.body))
	return behindLine{line, p.now, p}
}

// upload uploads a picture, and reports whether that was acknowledged.
func (p *faultyPictures) upload(t *testing.T) bool {
	a := ask(p.now, p.key, http.MethodPost, imagesPath, nil, p.body)
	if !succeeds(t, "uploading", a, http.StatusCreated) {
		return false
	}
	var made struct{ Data imageShown }
	if !assert.NoError(t, json.Unmarshal([]byte(a.body), &made), a.body) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.acked = append(p.acked, made.Data.Img)
	return true
}

func (p *faultyPictures) fetch(address string) said {
	return ask(p.now, "", http.MethodGet, strings.TrimPrefix(address, p.now.url), nil, nil)
}

// isWhole reports whether the picture is there. It asserts that it is refused otherwise, or
// breaks off so that the client sees that.
func (p *faultyPictures) isWhole(t *testing.T, address string) bool {
	a := p.fetch(address)
	if a.status == 0 {
		assert.Contains(t, a.body, "EOF", "the picture breaks off")
		return false
	}
	return succeeds(t, "fetching", a, http.StatusOK) && assert.Equal(t, p.sum, sha256.Sum256([]byte(a.body)))
}

func (p *faultyPictures) breaks(_ *testing.T, f faultproxy.Fault) { p.line.Break(f) }

func (p *faultyPictures) suffer(t *testing.T, _ faultproxy.Fault) (succeeded int64) {
	t.Helper()
	var others sync.WaitGroup
	defer others.Wait()
	others.Go(func() {
		assert.Equal(t, http.StatusCreated, ask(p.now, p.key, http.MethodPost, eventsPath, nil, diaryEntry{Title: "An event"}).status)
		assert.Equal(t, http.StatusOK, ask(p.now, p.key, http.MethodGet, p.list, nil, nil).status)
	})
	return atOnce(6, func(n int) bool {
		if n < 3 {
			return p.upload(t)
		}
		return p.isWhole(t, p.first)
	})
}

func (p *faultyPictures) works(t *testing.T) bool { return p.upload(t) && p.isWhole(t, p.first) }

func (p *faultyPictures) verify(t *testing.T) {
	t.Helper()
	for _, address := range p.acked {
		assert.True(t, p.isWhole(t, address), address)
	}
	c := newCaller(p.now.url)
	defer c.client.CloseIdleConnections()
	var listed []string
	for _, i := range all[imageShown](t, c, p.key, p.list) {
		listed = append(listed, i.Img)
	}
	assert.ElementsMatch(t, p.acked, listed)
}

func (p *faultyPictures) sessions(*testing.T) int { return 0 } // the store does not tell

func (p *faultyPictures) finish(*testing.T) {}

func init() { faulty["pictures"] = behindPictures }
