package s3_test

import (
	"context"
	"encoding/xml"
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

// reads returns the result of reading a stored picture when GET is answered like this.
func reads(t *testing.T, seek int64, get http.HandlerFunc, change ...func(*s3.Config)) ([]byte, error) {
	t.Helper()
	server := newStandIn()
	endpoint := broken(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			get(w, r)
			return
		}
		server.ServeHTTP(w, r)
	})
	s := open(t, endpoint, change...)
	f, err := s.Open(t.Context(), put(t, s, media.Viewers))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	_, err = f.Seek(seek, io.SeekStart)
	require.NoError(t, err)
	return io.ReadAll(f)
}

func part(w http.ResponseWriter, length, content string) {
	w.Header().Set("Content-Length", length)
	w.Header().Set("Last-Modified", noon.Format(http.TimeFormat))
	_, _ = io.WriteString(w, content)
}

func TestHalf_a_picture_is_an_error_whoever_carries_it(t *testing.T) {
	s := open(t, serve(t, newStandIn()), changed(func(r *http.Request, answer *http.Response) (*http.Response, error) {
		if r.Method == http.MethodGet {
			answer.Body = struct {
				io.Reader
				io.Closer
			}{io.LimitReader(answer.Body, 5), answer.Body}
		}
		return answer, nil
	}))
	f, err := s.Open(t.Context(), put(t, s, media.Viewers))
	require.NoError(t, err)
	content, err := io.ReadAll(f)
	require.ErrorIs(t, err, s3.ErrAway)
	assert.Equal(t, "01234", string(content))
	require.NoError(t, f.Close())
}

func TestAnother_part_than_was_asked_for_is_an_error(t *testing.T) {
	for name, c := range map[string]struct {
		seek   int64
		length string
		answer string
	}{
		"shorter":        {0, "9", "012345678"},
		"longer":         {0, "11", "0123456789x"},
		"from elsewhere": {4, "10", "0123456789"},
	} {
		content, err := reads(t, c.seek, func(w http.ResponseWriter, _ *http.Request) { part(w, c.length, c.answer) })
		require.ErrorIs(t, err, s3.ErrFailing, name)
		assert.Empty(t, content)
		assertDiscreet(t, err)
	}
	_, err := reads(t, 0, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Last-Modified", "yesterday") })
	require.ErrorIs(t, err, s3.ErrFailing)
}

func TestA_picture_that_was_removed_meanwhile_is_an_error(t *testing.T) {
	_, err := reads(t, 0, refuse(404, "NoSuchKey", "").ServeHTTP)
	assert.ErrorIs(t, err, s3.ErrFailing)
}

func TestA_picture_that_stops_coming_is_not_waited_for(t *testing.T) {
	content, err := reads(t, 0, func(w http.ResponseWriter, r *http.Request) {
		part(w, "10", "01234")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, hurried)
	require.ErrorIs(t, err, s3.ErrAway)
	assert.ErrorContains(t, err, "timed out")
	assert.Equal(t, "01234", string(content))
}

// lists returns the result of All for such a list.
func lists(t *testing.T, change func(*s3.Config), answer http.HandlerFunc) (keys []media.Key, last error) {
	t.Helper()
	s := open(t, broken(t, answer), func(c *s3.Config) { c.Prefix = "" }, change)
	for picture, err := range s.All(t.Context()) {
		require.NoError(t, last, "an error is the last")
		if last = err; err == nil {
			keys = append(keys, picture.Key)
		}
	}
	return keys, last
}

func TestLists_that_are_none(t *testing.T) {
	object := func(name string) string {
		return "<Contents><Key>" + name + "</Key><LastModified>2026-03-14T12:00:00Z</LastModified></Contents>"
	}
	one := object("public/" + strings.Repeat("a", 26) + ".png")
	for name, c := range map[string]struct {
		list string
		kind fault.Kind
	}{
		"no XML":                    {"echo", fault.Gateway},
		"half a list":               {"<ListBucketResult>" + one, fault.Gateway},
		"nothing":                   {"", fault.Gateway},
		"more of it, but not where": {"<ListBucketResult><IsTruncated>true</IsTruncated>" + one + "</ListBucketResult>", fault.Gateway},
		"the same over and over, emptily": {"<ListBucketResult><IsTruncated>true</IsTruncated>" +
			"<NextContinuationToken>t</NextContinuationToken></ListBucketResult>", fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := lists(t, func(config *s3.Config) {
				if c.kind == fault.Unavailable { // only the deadline ends it
					hurried(config)
				}
			}, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, xml.Header+c.list) })
			require.Error(t, err)
			assert.Equal(t, c.kind.Code(), fault.KindOf(err).Code(), err.Error())
			assertDiscreet(t, err)
		})
	}
}

// Pictures that a broken list omits must not count as missing.
func TestA_list_that_breaks_off_does_not_look_whole(t *testing.T) {
	server := newStandIn()
	server.most = 3
	for range 5 {
		key, err := media.NewKey(media.Everyone, "image/png")
		require.NoError(t, err)
		server.objects[string(key)] = standInObject{modified: noon}
	}
	for name, fail := range map[string]http.HandlerFunc{
		"late":    func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"refused": refuse(403, "AccessDenied", "").ServeHTTP,
	} {
		asked := 0
		_, err := lists(t, hurried, func(w http.ResponseWriter, r *http.Request) {
			if asked++; asked > 1 {
				_, _ = io.Copy(io.Discard, r.Body)
				fail(w, r)
				return
			}
			server.ServeHTTP(w, r)
		})
		assert.Error(t, err, name)
	}
}
