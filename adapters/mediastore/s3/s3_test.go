package s3_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/mediastore/s3"
	"plaza/domain/media"
	"plaza/domain/secret"
	"plaza/test/ports"
)

var (
	photo   = media.Upload{Type: "image/png", Width: 1, Height: 1, Bytes: []byte("0123456789")}
	noon    = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	signing = secret.New("a key for signing")
)

func config(endpoint string) s3.Config {
	return s3.Config{
		Endpoint: endpoint, Region: region, Bucket: bucket, KeyID: keyID, Secret: secret.New(secretKey),
		Addresses: media.NewAddresses("https://plaza.example/base/", signing),
	}
}

// open returns a store with a prefix of its own.
func open(t *testing.T, endpoint string, change ...func(*s3.Config)) *s3.Store {
	t.Helper()
	c := config(endpoint)
	c.Prefix = fmt.Sprintf("test-%d", prefixes.Add(1))
	for _, fn := range change {
		fn(&c)
	}
	s, err := s3.New(c)
	require.NoError(t, err)
	return s
}

var prefixes atomic.Int64

func put(t *testing.T, s *s3.Store, a media.Audience) media.Key {
	t.Helper()
	key, err := photo.Put(t.Context(), s, a)
	require.NoError(t, err)
	return key
}

func keysOf(t *testing.T, s *s3.Store) []media.Key {
	t.Helper()
	keys := []media.Key{}
	for picture, err := range s.All(t.Context()) {
		require.NoError(t, err)
		keys = append(keys, picture.Key)
	}
	return keys
}

func TestMedia(t *testing.T) {
	onEveryServer(t, func(t *testing.T, endpoint string) {
		ports.Media(t, func(t *testing.T) media.Store { return open(t, endpoint) })
	})
}

func TestServers_share_a_bucket_and_others_may_have_objects_in_it(t *testing.T) {
	onEveryServer(t, func(t *testing.T, endpoint string) {
		whole := open(t, endpoint, func(c *s3.Config) { c.Prefix = "" })
		within := open(t, endpoint, func(c *s3.Config) { c.Prefix = "plaza/one/" })
		first, second := put(t, whole, media.Everyone), put(t, within, media.Everyone)
		name := strings.Repeat("a", 26)
		for _, foreign := range []string{
			"notes.txt", "public/notes.txt", "public/" + name + ".svg", "others/" + name + ".png", "public/deeper/" + name + ".png",
			"plaza/one/public/x", "plaza/one/publicity/" + name + ".png", "plaza/one-more/public/" + name + ".png",
		} {
			putDirectly(t, endpoint, foreign)
		}
		assert.Equal(t, []media.Key{first}, keysOf(t, whole))
		assert.Equal(t, []media.Key{second}, keysOf(t, within))
		_, err := whole.Open(t.Context(), second)
		assert.ErrorIs(t, err, media.ErrNotFound)
		require.NoError(t, whole.Remove(t.Context(), second))
		assert.Equal(t, []media.Key{second}, keysOf(t, within))
	})
}

// requests records the requests to the store.
type requests struct {
	next http.RoundTripper
	lock sync.Mutex
	sent []*http.Request
}

func (r *requests) RoundTrip(request *http.Request) (*http.Response, error) {
	r.lock.Lock()
	r.sent = append(r.sent, request)
	r.lock.Unlock()
	return r.next.RoundTrip(request)
}

// taken returns the requests since the last call.
func (r *requests) taken() []*http.Request {
	r.lock.Lock()
	defer r.lock.Unlock()
	sent := r.sent
	r.sent = nil
	return sent
}

func watched(c *s3.Config) *requests {
	r := &requests{next: http.DefaultTransport.(*http.Transport).Clone()}
	c.Wrap = func(http.RoundTripper) http.RoundTripper { return r }
	return r
}

func TestPLA04_a_picture_is_stored_by_one_request(t *testing.T) {
	onEveryServer(t, func(t *testing.T, endpoint string) {
		var sent *requests
		s := open(t, endpoint, func(c *s3.Config) { sent = watched(c) })
		key := put(t, s, media.Everyone)
		all := sent.taken()
		require.Len(t, all, 1)
		put1 := all[0]
		assert.Equal(t, http.MethodPut, put1.Method)
		assert.True(t, strings.HasSuffix(put1.URL.Path, "/"+string(key)))
		assert.EqualValues(t, len(photo.Bytes), put1.ContentLength)
		assert.Equal(t, "image/png", put1.Header.Get("Content-Type"))
		assert.Equal(t, hash(photo.Bytes), put1.Header.Get("X-Amz-Content-Sha256"))
		assert.Equal(t, "public, max-age=31536000, immutable", put1.Header.Get("Cache-Control"), "for a CDN")
		put(t, s, media.Viewers)
		assert.Empty(t, sent.taken()[0].Header.Get("Cache-Control"))
	})
}

func TestAll_of_many_pages(t *testing.T) {
	for name, c := range map[string]struct{ objects, most, requests int }{
		"as large as they get":  {2_000, 1000, 4}, // the third finds that there is no more; the fourth asks for the other audience
		"cut short by a server": {30, 7, 6},       // four and a part, and the other audience
	} {
		t.Run(name, func(t *testing.T) {
			server := newStandIn()
			server.most = c.most
			for range c.objects {
				key, err := media.NewKey(media.Everyone, "image/png")
				require.NoError(t, err)
				server.objects["many/"+string(key)] = standInObject{modified: noon}
			}
			var sent *requests
			s := open(t, serve(t, server), func(c *s3.Config) { c.Prefix = "many"; sent = watched(c) })
			seen := map[media.Key]bool{}
			for picture, err := range s.All(t.Context()) {
				require.NoError(t, err)
				assert.Equal(t, noon, picture.Since)
				seen[picture.Key] = true
			}
			assert.Len(t, seen, c.objects)
			assert.Len(t, sent.taken(), c.requests)
		})
	}
}
