package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"plaza/adapters/httpapi/transport"
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

func (a *api) publicPicture(c *transport.Call) (transport.Reply, error) {
	return a.download(c, media.Everyone, "public, max-age=31536000, immutable")
}

// privatePicture serves a picture while its signed URL is valid (PLA-04). Otherwise it
// answers 404.
func (a *api) privatePicture(c *transport.Call) (transport.Reply, error) {
	query := c.Gin.Request.URL.Query()
	left := a.Addresses(media.Key(c.Name()), query.Get("expires"), query.Get("signature"))
	if left <= 0 {
		return transport.Reply{}, media.ErrNotFound
	}
	return a.download(c, media.Viewers, fmt.Sprintf("private, max-age=%d", left/time.Second))
}

func (a *api) download(c *transport.Call, to media.Audience, caching string) (transport.Reply, error) {
	name := media.Key(c.Name())
	f, err := a.Media(c.Context(), name, to)
	return transport.Bare(download{f, `"` + string(name) + `"`, caching}), err
}

// ServeHTTP writes the picture or the requested ranges of it, or 304 if the client already has
// it.
func (d download) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer d.Close()
	h := w.Header()
	h.Set("Content-Type", d.Type)
	h.Set("ETag", d.tag)
	h.Set("Cache-Control", d.caching)
	http.ServeContent(w, r, "", d.Modified, d)
}

// portrait returns the generated avatar of a user. It never changes, so any cache may store
// it (USR-04, PLA-04).
func (a *api) portrait(c *transport.Call) (transport.Reply, error) {
	png, known := a.Portraits(c.Name())
	if !known {
		return transport.Reply{}, transport.ErrNotFound
	}
	return transport.Bare(transport.File{MediaType: "image/png", Bytes: png, Caching: "public, max-age=31536000, immutable"}), nil
}
