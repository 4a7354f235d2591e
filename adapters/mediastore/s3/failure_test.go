package s3_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/mediastore/s3"
	"plaza/domain/fault"
	"plaza/domain/media"
)

var there = media.KeyAt(media.Viewers, strings.Repeat("a", 26)+".png")

// calls are all calls of a store that send requests.
func calls(s *s3.Store) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Put":    func(ctx context.Context) error { _, err := photo.Put(ctx, s, media.Viewers); return err },
		"Remove": func(ctx context.Context) error { return s.Remove(ctx, there) },
		"Open": func(ctx context.Context) error {
			f, err := s.Open(ctx, there)
			if err != nil {
				return err
			}
			_, err = io.ReadAll(f)
			return errors.Join(err, f.Close())
		},
		"All": func(ctx context.Context) (last error) {
			for _, err := range s.All(ctx) {
				last = err
			}
			return last
		},
	}
}

// allCalls returns the result of every call, all run concurrently.
func allCalls(t *testing.T, s *s3.Store) map[string]error {
	t.Helper()
	var lock sync.Mutex
	var done sync.WaitGroup
	errs := map[string]error{}
	for call, do := range calls(s) {
		done.Go(func() {
			err := do(t.Context())
			lock.Lock()
			defer lock.Unlock()
			errs[call] = err
		})
	}
	done.Wait()
	return errs
}

// assertDiscreet asserts that the error contains neither a secret nor a signed text.
func assertDiscreet(t *testing.T, err error) {
	t.Helper()
	for _, shown := range []string{fmt.Sprintf("%v", err), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
		for _, secret := range []string{secretKey, "AWS4", "ignature", keyID, string(there), "echo"} {
			assert.NotContains(t, shown, secret)
		}
	}
}

// broken is a server that always answers like this.
func broken(t *testing.T, answer http.HandlerFunc) string {
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server.URL
}

// deadline is short, for calls that must time out.
const deadline = 500 * time.Millisecond

func hurried(c *s3.Config) { c.Deadline = deadline }

func TestWhat_servers_can_do_wrong(t *testing.T) {
	elsewhere := atomic.Int64{}
	other := broken(t, func(w http.ResponseWriter, _ *http.Request) { elsewhere.Add(1); _, _ = io.WriteString(w, "welcome") })
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		kind   fault.Kind
		reply  string
	}{
		"busy":      {refuse(503, "SlowDown", "echo").ServeHTTP, fault.Unavailable, "status 503"},
		"broken":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, fault.Unavailable, "status 500"},
		"forbidden": {refuse(403, "AccessDenied", "echo").ServeHTTP, fault.Gateway, "status 403, AccessDenied"},
		"told what was signed": {func(w http.ResponseWriter, r *http.Request) {
			refuse(403, "SignatureDoesNotMatch"+r.Header.Get("Authorization"), "AWS4 echo "+keyID).ServeHTTP(w, r)
		}, fault.Gateway, "status 403"},
		"without the bucket": {refuse(404, "NoSuchBucket", "echo").ServeHTTP, fault.Gateway, "status 404, NoSuchBucket"},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other+r.URL.RequestURI(), http.StatusTemporaryRedirect)
		}, fault.Gateway, "status 307"},
		"no store":         {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>echo") }, fault.Gateway, ""},
		"cutting the line": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, fault.Unavailable, "connection broken"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for call, err := range allCalls(t, open(t, broken(t, c.answer))) {
				require.Error(t, err, call)
				assert.Equal(t, c.kind.Code(), fault.KindOf(err).Code(), "%s: %v", call, err)
				assert.NotErrorIs(t, err, media.ErrNotFound)
				if call != "Open" { // whose HEAD is answered without words
					assert.ErrorContains(t, err, c.reply, call)
				}
				assertDiscreet(t, err)
			}
		})
	}
	t.Cleanup(func() { assert.Zero(t, elsewhere.Load(), "nobody goes where they are sent") })
}

func TestA_server_that_does_not_answer_is_not_waited_for(t *testing.T) {
	over := make(chan struct{})
	endpoint := broken(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-over:
		}
	})
	t.Cleanup(func() { close(over) })
	s := open(t, endpoint, hurried)
	for call, err := range allCalls(t, s) {
		require.ErrorIs(t, err, s3.ErrAway, call)
		assert.ErrorContains(t, err, "timed out", call)
	}
	for call, do := range calls(s) {
		hasty, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		err := do(hasty)
		assert.ErrorIs(t, err, context.DeadlineExceeded, call)
		assert.Equal(t, fault.Timeout.Code(), fault.KindOf(err).Code(), "it was the caller who had no time")
	}
}

// faulty changes the answers of a working store.
type faulty struct {
	next   http.RoundTripper
	change func(*http.Request, *http.Response) (*http.Response, error)
}

func (f faulty) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := f.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	return f.change(r, answer)
}

func changed(change func(*http.Request, *http.Response) (*http.Response, error)) func(*s3.Config) {
	return func(c *s3.Config) {
		c.Wrap = func(http.RoundTripper) http.RoundTripper {
			return faulty{http.DefaultTransport.(*http.Transport).Clone(), change}
		}
	}
}

var errCut = &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset by peer")}

func TestA_picture_whose_answer_was_lost_does_not_stay(t *testing.T) {
	onEveryServer(t, func(t *testing.T, endpoint string) {
		stored := 0
		s := open(t, endpoint, changed(func(r *http.Request, answer *http.Response) (*http.Response, error) {
			if r.Method == http.MethodPut {
				assert.Equal(t, http.StatusOK, answer.StatusCode)
				stored++
				return nil, errors.Join(errCut, answer.Body.Close())
			}
			return answer, nil
		}))
		key, err := photo.Put(t.Context(), s, media.Everyone)
		require.ErrorIs(t, err, s3.ErrAway)
		assert.Empty(t, key)
		assert.NotZero(t, stored)
		assert.Empty(t, keysOf(t, s))
	})
}

func TestA_picture_whose_uploader_went_away_meanwhile_does_not_stay(t *testing.T) {
	onEveryServer(t, func(t *testing.T, endpoint string) {
		leaving, cancel := context.WithCancel(t.Context())
		s := open(t, endpoint, changed(func(r *http.Request, answer *http.Response) (*http.Response, error) {
			if r.Method == http.MethodPut {
				cancel()
				return nil, errors.Join(context.Canceled, answer.Body.Close())
			}
			return answer, nil
		}))
		_, err := photo.Put(leaving, s, media.Everyone)
		require.ErrorIs(t, err, context.Canceled)
		assert.Empty(t, keysOf(t, s))
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (fn roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return fn(r) }

func TestA_busy_server_is_asked_again(t *testing.T) {
	onEveryServer(t, func(t *testing.T, endpoint string) {
		asked := map[string]int{}
		s := open(t, endpoint, func(c *s3.Config) {
			busyOnce := roundTrip(func(r *http.Request) (*http.Response, error) {
				if asked[r.Method]++; asked[r.Method] == 1 {
					w := httptest.NewRecorder()
					refuse(503, "SlowDown", "").ServeHTTP(w, r)
					return w.Result(), nil
				}
				return http.DefaultTransport.RoundTrip(r)
			})
			c.Wrap = func(http.RoundTripper) http.RoundTripper { return busyOnce }
		})
		key := put(t, s, media.Viewers)
		assert.Equal(t, []media.Key{key}, keysOf(t, s))
		f, err := s.Open(t.Context(), key)
		require.NoError(t, err)
		content, err := io.ReadAll(f)
		require.NoError(t, err)
		assert.Equal(t, photo.Bytes, content)
		require.NoError(t, f.Close())
		require.NoError(t, s.Remove(t.Context(), key))
		assert.Equal(t, 2, asked[http.MethodPut])
	})
}
