package bootstrap

import (
	"context"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
	"plaza/domain/secret"
)

// bucket is an S3 store as far as a start goes. It checks no signatures.
type bucket struct {
	mu      sync.Mutex
	objects map[string]string
	refuses func(method string) (status int, code string) // zero: it does not
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	status, code := b.refuses(r.Method)
	content, exists := b.objects[r.URL.Path]
	switch {
	case status != 0:
	case r.URL.Query().Has("list-type"):
		_, _ = io.WriteString(w, "<ListBucketResult></ListBucketResult>")
		return
	case r.Method == http.MethodPut:
		text, _ := io.ReadAll(r.Body)
		b.objects[r.URL.Path] = string(text)
		w.Header().Set("ETag", `"1"`)
		return
	case r.Method == http.MethodDelete:
		delete(b.objects, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
		return
	case !exists:
		status, code = http.StatusNotFound, "NoSuchKey"
	default:
		w.Header().Set("Last-Modified", "Sat, 28 Nov 2026 08:00:00 GMT")
		_, _ = io.WriteString(w, content)
		return
	}
	w.WriteHeader(status)
	_ = xml.NewEncoder(w).Encode(struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
	}{Code: code})
}

// refuse sets what the bucket refuses from now on.
func (b *bucket) refuse(refuses func(string) (int, string)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuses = refuses
}

func nothing(string) (int, string) { return 0, "" }

// inBucket returns the settings of a server with its pictures in the bucket.
func inBucket(t *testing.T, b *bucket, dataDir string) settings.Config {
	t.Helper()
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	c := serveSettings(dataDir)
	c.MediaURL = settings.MediaURL{Endpoint: server.URL, Region: "eu-test-1", Bucket: "pictures"}
	c.MediaKeyID, c.MediaSecret = "KEY", secret.New("hidden-secret")
	return c
}

// starts returns why the server does not start; nil: it does, and is ended.
func starts(t *testing.T, c settings.Config) error {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	return Server{Config: c, Log: newOutput(), Greet: func(*Listeners, settings.Config) { end() }}.Run(ctx, func() {})
}

func TestPLA04_a_bucket_that_refuses_is_told_at_the_start(t *testing.T) {
	for code, status := range map[string]int{"SignatureDoesNotMatch": 403, "InvalidAccessKeyId": 403, "NoSuchBucket": 404} {
		b := &bucket{objects: map[string]string{}, refuses: func(string) (int, string) { return status, code }}
		err := starts(t, inBucket(t, b, t.TempDir()))
		for _, want := range []string{"PLAZA_MEDIA_URL", "PLAZA_MEDIA_KEY_ID", "PLAZA_MEDIA_SECRET", code} {
			require.ErrorContains(t, err, want)
		}
		assert.NotContains(t, err.Error(), "hidden-secret")
	}
}

func TestPLA04_a_server_starts_while_its_bucket_is_away_and_is_not_ready(t *testing.T) {
	dir, b := t.TempDir(), &bucket{objects: map[string]string{}, refuses: nothing}
	c := inBucket(t, b, dir)
	startServing(t, Server{Config: c}).stop()
	assert.Len(t, b.objects, 1, "the mark, and nothing that was tried")
	down := func(string) (int, string) { return 503, "SlowDown" }
	for name, refuses := range map[string]func(string) (int, string){"away": down, "read-only": func(method string) (int, string) {
		if method == http.MethodPut {
			return 403, "AccessDenied"
		}
		return 0, ""
	}} {
		t.Run(name, func(t *testing.T) {
			b.refuse(refuses)
			s := startServing(t, Server{Config: c})
			status, body := asked(t, s.admin+"/readyz")
			assert.Equal(t, http.StatusServiceUnavailable, status)
			assert.Contains(t, body, "pictures")
			assert.Contains(t, s.log.String(), "PLAZA_MEDIA_URL")
			s.stop()
			b.refuse(nothing)
			s = startServing(t, Server{Config: c})
			assert.Equal(t, "ok\n", s.get(s.admin+"/readyz"))
			b.refuse(refuses)
			assert.Equal(t, "ok\n", s.get(s.admin+"/readyz"), "what needs no pictures is served")
			s.stop()
		})
	}
	b.refuse(nothing)
	b.objects["/pictures/plaza-mark"] = "another"
	require.ErrorContains(t, starts(t, c), "plaza media adopt")
}

func TestPLA04_a_second_server_must_share_the_pictures(t *testing.T) {
	first := serveSettings(t.TempDir())
	startServing(t, Server{Config: first}).stop()
	second := serveSettings(t.TempDir())
	second.DatabaseURL = "sqlite:" + filepath.Join(first.DataDir, "plaza.db")
	err := starts(t, second)
	for _, want := range []string{"the pictures is missing", filepath.Join(second.DataDir, "media"), "PLAZA_DATA_DIR", "plaza.db",
		"PLAZA_DATABASE_URL", "plaza media adopt"} {
		require.ErrorContains(t, err, want)
	}
	second.MediaURL.Dir = filepath.Join(first.DataDir, "media")
	startServing(t, Server{Config: second}).stop()
}

func TestTMPDIR_is_tried(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", dir)
	c := serveSettings(t.TempDir())
	require.ErrorContains(t, starts(t, c), "TMPDIR")
	require.NoError(t, os.Mkdir(dir, 0o700))
	s := startServing(t, Server{Config: c})
	assert.Equal(t, "ok\n", s.get(s.admin+"/readyz"))
	require.NoError(t, os.Remove(dir))
	status, body := asked(t, s.admin+"/readyz")
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Contains(t, body, "TMPDIR")
	assert.Equal(t, 1, strings.Count(s.log.String(), "not ready: no temporary file"))
	require.NoError(t, os.Mkdir(dir, 0o700))
	assert.Equal(t, "ok\n", s.get(s.admin+"/readyz"))
	s.stop()
	assert.Contains(t, s.log.String(), "ready again")
}
