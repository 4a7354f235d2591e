package s3_test

import (
	"encoding/xml"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/mediastore/s3"
	"plaza/domain/fault"
	"plaza/domain/media"
)

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
