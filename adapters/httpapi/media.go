package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"plaza/domain/media"
)

// MediaSource returns the uploaded picture with the name. It returns media.ErrNotFound also
// for a picture of another audience, so the name in a private URL is useless without its
// signature.
type MediaSource func(ctx context.Context, name media.Key, a media.Audience) (media.File, error)

// AddressCheck returns how long the signed URL of a picture remains valid. It returns zero
// if the URL is forged or has expired.
type AddressCheck func(name media.Key, expires, signature string) time.Duration

// download is a stored picture to be sent, with its caching.
type download struct {
	media.File
	tag     string // the content of a name never changes
	caching string
}

func (a *api) publicPicture(c *call) (reply, error) {
	return a.download(c, media.Everyone, "public, max-age=31536000, immutable")
}

// privatePicture serves a picture while its signed URL is valid (PLA-04). Otherwise it
// answers 404.
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

// send writes the picture or the requested ranges of it, or 304 if the client already has
// it.
func (d download) send(w http.ResponseWriter, r *http.Request) {
	defer d.Close()
	h := w.Header()
	h.Set("Content-Type", d.Type)
	h.Set("ETag", d.tag)
	h.Set("Cache-Control", d.caching)
	http.ServeContent(w, r, "", d.Modified, d)
}
