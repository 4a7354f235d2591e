package contract

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func compressed(t *testing.T, s *server) {
	ada := s.member(t)
	for range 4 {
		ada.keeps(t, strings.Repeat("a", 60), strings.Repeat("b", 60), strings.Repeat("c", 60))
	}
	ada.writes(t, object{"title": "x", "content": strings.Repeat("A walk by the lake. ", 100), "publish": true})
	for path, isTagged := range map[string]bool{imagesOf(ada): true, imagesOf(ada) + "&page=1": true, reference: true, events: false} {
		plain := ada.saying("Accept-Encoding", "identity").get(t, path).is(200)
		assert.Empty(t, plain.header.Get("Content-Encoding"), path)
		for accepted, coding := range map[string]string{"gzip": "gzip", "gzip, deflate, br, zstd": "zstd", "zstd;q=0.5, gzip": "gzip"} {
			asking := ada.saying("Accept-Encoding", accepted)
			a := asking.get(t, path).is(200)
			assert.Equal(t, coding, a.header.Get("Content-Encoding"), path)
			assert.Equal(t, string(plain.body), string(a.body), path)
			assert.Contains(t, strings.Join(a.header.Values("Vary"), ","), "Accept-Encoding", path)
			assert.Equal(t, plain.header.Values("Vary"), a.header.Values("Vary"), path)
			head := asking.send(t, http.MethodHead, path, nil).is(200)
			for _, name := range []string{"Content-Encoding", "Content-Length", "Content-Type", "ETag", "Vary", "Cache-Control"} {
				assert.Equal(t, a.header.Values(name), head.header.Values(name), "HEAD %s: %s", path, name)
			}
			tag := a.header.Get("ETag")
			assert.Equal(t, isTagged, tag != "", path)
			if !isTagged {
				continue
			}
			assert.NotEqual(t, plain.header.Get("ETag"), tag, path)
			for _, known := range []string{tag, plain.header.Get("ETag")} {
				unchanged := asking.saying("If-None-Match", known).get(t, path).is(304)
				assert.Equal(t, known, unchanged.header.Get("ETag"), "%s: what the client has", path)
				assert.Equal(t, a.header.Values("Vary"), unchanged.header.Values("Vary"), path)
				ada.saying("Accept-Encoding", "identity").saying("If-None-Match", known).get(t, path).is(304)
			}
		}
	}

	asking := s.anyone().saying("Accept-Encoding", "gzip, zstd")
	portrait := s.anyone().looksUp(t, ada.id).text("data.0.avatars.sizes.lg.path")
	image := asking.get(t, imagesOf(ada)).is(200).text("data.0.img")
	for name, a := range map[string]answer{
		"a key":               asking.post(t, login, object{"username": ada.phone, "password": password}).is(200),
		"no key":              asking.post(t, login, object{"username": ada.phone, "password": "x"}).is(400),
		"a drawn picture":     asking.get(t, strings.TrimPrefix(portrait, s.url)).is(200),
		"an uploaded picture": asking.get(t, strings.TrimPrefix(image, s.url)).is(200),
	} {
		assert.Empty(t, a.header.Get("Content-Encoding"), name)
		assert.NotContains(t, a.header.Get("Vary"), "Accept-Encoding", name)
		assert.NotEmpty(t, a.header.Get("Content-Length"), name)
	}
}
