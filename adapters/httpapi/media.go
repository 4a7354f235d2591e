package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"plaza/domain/media"
)

// MediaSource returns the uploaded picture with the name, or media.ErrNotFound: also
// when it was stored for the other audience, so that the name in a private address
// opens nothing without its signature.
type MediaSource func(ctx context.Context, name media.Key, a media.Audience) (media.File, error)

// AddressCheck says for how long the signed address of a picture is still good;
// not at all, when it is forged or has expired.
type AddressCheck func(name media.Key, expires, signature string) time.Duration

// download is a stored picture on its way out, and how long caches may keep it.
type download struct {
	media.File
	tag     string // a name has one picture for ever
	caching string
}

func (a *api) publicPicture(c *call) (reply, error) {
	return a.download(c, media.Everyone, "public, max-age=31536000, immutable")
}

// privatePicture serves a picture to those who have its address, while that is
// good (PLA-04). For others there is none.
func (a *api) privatePicture(c *call) (reply, error) {
	query := c.gin.Request.URL.Query()
	left := a.Addresses(media.Key(c.name()), query.Get("expires"), query.Get("signature"))
	if left <= 0 {
		return reply{}, media.ErrNotFound
	}
	return a.download(c, media.Viewers, fmt.Sprintf("private, max-age=%d", left/time.Second))
}

func (a *api) download(c *call, to media.Audience, caching string) (reply, error) {
	name := media.Key(c.name())
	f, err := a.Media(c.ctx(), name, to)
	if err != nil {
		return reply{}, err
	}
	return bare(download{f, `"` + string(name) + `"`, caching}), nil
}

// send writes the picture, or the ranges of it that are asked for, unless the
// client has it already.
func (d download) send(w http.ResponseWriter, r *http.Request) {
	defer d.Close()
	h := w.Header()
	h.Set("Content-Type", d.Type)
	h.Set("ETag", d.tag)
	h.Set("Cache-Control", d.caching)
	http.ServeContent(w, r, "", d.Modified, d)
}
