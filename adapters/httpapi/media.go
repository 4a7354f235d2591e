package httpapi

import (
	"fmt"
	"net/http"
	"path"
	"time"

	"plaza/adapters/httpapi/transport"
	"plaza/application/pictures"
	"plaza/domain/media"
)

// picturesForEver lets caches keep public pictures for ever. An address of the store may
// change, so that they keep a redirection to it for an hour.
const (
	picturesForEver = "public, max-age=31536000, immutable"
	redirectForHour = "public, max-age=3600"
)

// download is a stored picture to be sent, with its caching.
type download struct {
	pictures.Served
	caching string
}

func (a *api) publicPicture(c *transport.Call) (transport.Reply, error) {
	size, err := sizeOf(c)
	if err != nil {
		return transport.Reply{}, err
	}
	served, err := a.Pictures.Public(c.Context(), c.Name(), size)
	if served.Location != "" {
		return transport.Bare(download{served, redirectForHour}), err
	}
	return transport.Bare(download{served, picturesForEver}), err
}

// privatePicture serves a picture while its signed URL is valid (PLA-04). Otherwise it
// answers 404.
func (a *api) privatePicture(c *transport.Call) (transport.Reply, error) {
	size, err := sizeOf(c)
	if err != nil {
		return transport.Reply{}, err
	}
	query := c.Gin.Request.URL.Query()
	served, left, err := a.Pictures.Private(c.Context(), c.Name(), size, query.Get("expires"), query.Get("signature"))
	return transport.Bare(download{served, fmt.Sprintf("private, max-age=%d", left/time.Second)}), err
}

// sizeOf returns the size that the request asks for, or "" for the picture itself. A second size is
// media.ErrNotFound (IMG-08).
func sizeOf(c *transport.Call) (string, error) {
	q := c.Query()
	size := q.Text("size")
	if len(q.Wrong["size"]) > 0 {
		return "", media.ErrNotFound
	}
	return size, nil
}

// ServeHTTP writes the picture or the requested ranges of it, or 304 if the client already has
// it. A picture with an address of its own in the store is redirected to.
func (d download) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", d.caching)
	if d.Location != "" {
		h.Set("Location", d.Location)
		w.WriteHeader(http.StatusFound)
		return
	}
	defer d.Close()
	h.Set("Content-Type", d.Type)
	h.Set("ETag", `"`+path.Base(string(d.Key))+`"`)
	http.ServeContent(&rangeWriter{ResponseWriter: w, r: r}, r, "", d.Modified, d)
}

// rangeWriter answers with the envelope of errors (GEN-06) where net/http refuses ranges with a text.
type rangeWriter struct {
	http.ResponseWriter
	r         *http.Request
	isRefused bool
}

func (w *rangeWriter) WriteHeader(status int) {
	if w.isRefused = status == http.StatusRequestedRangeNotSatisfiable; w.isRefused {
		transport.NoSuchRange.Send(w.ResponseWriter, w.r)
	} else {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *rangeWriter) Write(b []byte) (int, error) {
	if w.isRefused {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// portrait returns the generated avatar of a user. It never changes, so any cache may store
// it (USR-04, PLA-04).
func (a *api) portrait(c *transport.Call) (transport.Reply, error) {
	png, known := a.Portraits(c.Name())
	if !known {
		return transport.Reply{}, transport.ErrNotFound
	}
	return transport.Bare(transport.File{MediaType: "image/png", Bytes: png, Caching: picturesForEver}), nil
}
