package people_test

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	serving "plaza/application/pictures"
	"plaza/domain/media"
	"plaza/domain/secret"
	"plaza/test/memory"
	"plaza/test/pictures"
	"plaza/test/usecases"
)

// remoteMedia is a store of pictures with addresses of its own.
type remoteMedia struct {
	media.Store
	own media.Addresses
}

func (r remoteMedia) URL(key media.Key, a media.Audience, now time.Time) string {
	return r.own.URL(key, a, now)
}

func TestIMG08_a_store_with_addresses_of_its_own_is_where_clients_fetch(t *testing.T) {
	kept := memory.NewMedia("https://plaza.example", []byte("key"))
	s := remoteMedia{kept, media.NewAddresses("https://store.example", secret.New("another"))}
	p := serving.New(s, kept.Addresses, func() time.Time { return usecases.Noon })
	processed, err := imaging.NewProcessor(1).Process(t.Context(), "", bytes.NewReader(pictures.Plain(t, 400, 300)), media.PictureSizes...)
	require.NoError(t, err)
	for _, a := range []media.Audience{media.Everyone, media.Viewers} {
		key, err := processed.StoreDerived(t.Context(), kept, a)
		require.NoError(t, err)
		_, name, _ := strings.Cut(string(key), "/")
		for _, size := range []string{"", "sm", "md"} {
			served, err := p.Public(t.Context(), name, size)
			issued := usecases.Noon.Add(-time.Hour)
			if a == media.Viewers {
				u, parseErr := url.Parse(kept.URL(key, a, issued))
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
