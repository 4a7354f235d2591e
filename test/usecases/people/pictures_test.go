package people_test

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/adapters/memory"
	serving "plaza/application/pictures"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/quota"
	"plaza/domain/secret"
	"plaza/test/pictures"
	"plaza/test/usecases"
)

// countedSizes is a room that remembers what it counted.
type countedSizes struct {
	quota.Room
	lock sync.Mutex
	of   []media.Key
	sum  int64
}

func (c *countedSizes) CountSizes(_ context.Context, of media.Key, bytes int64) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.of, c.sum = append(c.of, of), c.sum+bytes
	return nil
}

// remoteMedia is a store of pictures with addresses of its own.
type remoteMedia struct {
	media.Store
	own media.Addresses
}

func (r remoteMedia) URL(key media.Key, a media.Audience, now time.Time) string {
	return r.own.URL(key, a, now)
}

type picturesFixture struct {
	*serving.Pictures
	*memory.Media
	room      *countedSizes
	processor *countedProcessor
}

func newPicturesFixture() *picturesFixture {
	w := &picturesFixture{
		Media: memory.NewMedia("https://plaza.example", []byte("key")), room: &countedSizes{},
		processor: &countedProcessor{Processor: imaging.NewProcessor(1)},
	}
	w.Pictures = w.over(w.Media)
	return w
}

func (w *picturesFixture) over(s media.Store) *serving.Pictures {
	return serving.New(s, w.Addresses, w.processor, w.room, nil, func() time.Time { return usecases.Noon })
}

// stores stores a picture without sizes, as servers did before, and returns its name.
func (w *picturesFixture) stores(t *testing.T, kind string, content []byte, a media.Audience) (media.Key, string) {
	t.Helper()
	key, err := media.Upload{Type: kind, Width: 1, Height: 1, Bytes: content}.Put(t.Context(), w, a)
	require.NoError(t, err)
	_, name, _ := strings.Cut(string(key), "/")
	return key, name
}

// heldProcessor processes a picture when the gate is open, and counts the calls.
type heldProcessor struct {
	media.Processor
	gate    chan struct{}
	refusal error
	calls   atomic.Int32
}

func (h *heldProcessor) Process(ctx context.Context, by string, raw media.Raw, sizes ...media.SizeSpec) (media.Processed, error) {
	h.calls.Add(1)
	select {
	case <-ctx.Done():
		return media.Processed{}, ctx.Err()
	case <-h.gate:
	}
	if h.refusal != nil {
		return media.Processed{}, h.refusal
	}
	return h.Processor.Process(ctx, by, raw, sizes...)
}

func TestIMG08_sizes_that_many_ask_for_at_once_are_made_once(t *testing.T) {
	for name, leaves := range map[string]bool{"all stay": false, "the first one leaves": true} {
		synctest.Test(t, func(t *testing.T) {
			w := newPicturesFixture()
			key, of := w.stores(t, "image/png", pictures.Plain(t, 400, 300), media.Everyone)
			held := &heldProcessor{Processor: w.processor, gate: make(chan struct{})}
			p := serving.New(w.Media, w.Addresses, held, w.room, nil, time.Now)
			first, leave := context.WithCancel(t.Context())
			defer leave()
			var viewers sync.WaitGroup
			view := func(ctx context.Context, wanted error) {
				viewers.Go(func() {
					served, err := p.Public(ctx, of, "sm")
					if assert.ErrorIs(t, err, wanted, name); err == nil {
						assert.NoError(t, served.Close())
					}
				})
			}
			if leaves {
				view(first, context.Canceled)
				synctest.Wait()
			}
			for range 30 {
				view(t.Context(), nil)
			}
			gone, cancel := context.WithCancel(t.Context())
			view(gone, context.Canceled)
			synctest.Wait()
			assert.EqualValues(t, 1, held.calls.Load(), name)
			cancel()
			leave()
			synctest.Wait()
			close(held.gate)
			viewers.Wait()
			assert.Equal(t, 1, w.processor.n, name)
			assert.Equal(t, []media.Key{key}, w.room.of, name)
		})
	}
}

// A fault is that of all who wait for it, and the next one tries again.
func TestIMG08_sizes_that_can_not_be_made_now_are_made_later(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newPicturesFixture()
		_, of := w.stores(t, "image/png", pictures.Plain(t, 400, 300), media.Everyone)
		busy := fault.New(fault.Unavailable, "busy")
		held := &heldProcessor{Processor: w.processor, gate: make(chan struct{}), refusal: busy}
		p := serving.New(w.Media, w.Addresses, held, w.room, nil, time.Now)
		var viewers sync.WaitGroup
		for range 30 {
			viewers.Go(func() {
				_, err := p.Public(t.Context(), of, "sm")
				assert.ErrorIs(t, err, busy)
			})
		}
		synctest.Wait()
		close(held.gate)
		viewers.Wait()
		assert.EqualValues(t, 1, held.calls.Load())
		held.refusal = nil
		served, err := p.Public(t.Context(), of, "sm")
		require.NoError(t, err)
		require.NoError(t, served.Close())
	})
}

func TestIMG08_a_picture_that_is_removed_meanwhile_leaves_no_size(t *testing.T) {
	w := newPicturesFixture()
	key, name := w.stores(t, "image/png", pictures.Plain(t, 400, 300), media.Everyone)
	removing := &meddlingRoom{countedSizes: w.room, meddle: func() { require.NoError(t, media.Remove(t.Context(), w.Media, key)) }}
	p := serving.New(w.Media, w.Addresses, w.processor, removing, nil, time.Now)
	_, err := p.Public(t.Context(), name, "sm")
	assert.ErrorIs(t, err, media.ErrNotFound)
	assert.Zero(t, filesIn(t, w.Media))
}

// meddlingRoom calls meddle before it counts, while the sizes are made and not stored.
type meddlingRoom struct {
	*countedSizes
	meddle func()
}

func (m *meddlingRoom) CountSizes(ctx context.Context, of media.Key, bytes int64) error {
	m.meddle()
	return m.countedSizes.CountSizes(ctx, of, bytes)
}

func TestIMG08_a_store_with_addresses_of_its_own_is_where_clients_fetch(t *testing.T) {
	w := newPicturesFixture()
	s := remoteMedia{w.Media, media.NewAddresses("https://store.example", secret.New("another"))}
	p := w.over(s)
	for _, a := range []media.Audience{media.Everyone, media.Viewers} {
		key, name := w.stores(t, "image/png", pictures.Plain(t, 400, 300), a)
		for _, size := range []string{"", "sm", "md"} {
			served, err := p.Public(t.Context(), name, size)
			issued := usecases.Noon.Add(-time.Hour)
			if a == media.Viewers {
				u, parseErr := url.Parse(w.URL(key, a, issued))
				require.NoError(t, parseErr)
				var left time.Duration
				served, left, err = p.Private(t.Context(), name, size, u.Query().Get("expires"), u.Query().Get("signature"))
				assert.Equal(t, time.Hour, left)
			}
			require.NoError(t, err)
			want := key
			if size == "sm" {
				want = served.Key
				assert.Contains(t, key.SizeKeys("sm"), want)
			}
			assert.Equal(t, s.URL(want, a, issued), served.Location, "it ends with the address")
			assert.Nil(t, served.ReadSeekCloser)
		}
	}
}
