package httpapi

import (
	_ "embed"
	"net/http"
	"strings"
	"sync"

	"plaza/adapters/httpapi/openapi"
	"plaza/adapters/httpapi/reference"
	"plaza/adapters/httpapi/transport"
	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/text"
	"plaza/domain/userimage"
)

// pageTable holds the pages for people. They are no operations of the interface, so the
// OpenAPI document does not have them.
var pageTable = []route{
	row(http.MethodGet, "/", NoAuth, (*api).home),
	row(http.MethodGet, "/docs/", NoAuth, (*api).reference),
	row(http.MethodGet, "/docs/guide/", NoAuth, (*api).guidePage),
	row(http.MethodGet, "/docs/{name}", NoAuth, (*api).referenceAsset),
}

// pages renders the pages for people. Each is rendered once, when it is first asked for.
type pages struct {
	home, reference, guide func() ([]byte, error)
}

//go:embed README.md
var guide string

func newPages(c Config) pages {
	return pages{
		home:      sync.OnceValues(func() ([]byte, error) { return reference.Home(c.Version) }),
		reference: sync.OnceValues(func() ([]byte, error) { return reference.Page(openapi.JSON(), c.Reference) }),
		guide:     sync.OnceValues(func() ([]byte, error) { return reference.Guide(guide) }),
	}
}

// home answers a browser with the page that leads to the reference, and any other client as
// an unknown path.
func (a *api) home(c *transport.Call) (transport.Reply, error) {
	c.Gin.Header("Vary", "Accept")
	if !strings.Contains(strings.ToLower(c.Gin.GetHeader("Accept")), "text/html") {
		return transport.Reply{}, errNoPath
	}
	return htmlPage(c, a.pages.home)
}

func (a *api) reference(c *transport.Call) (transport.Reply, error) {
	return htmlPage(c, a.pages.reference)
}

func (a *api) guidePage(c *transport.Call) (transport.Reply, error) {
	return htmlPage(c, a.pages.guide)
}

// htmlPage returns the rendered page. Its policy also goes with 304, because a browser may take
// it over from there.
func htmlPage(c *transport.Call, render func() ([]byte, error)) (transport.Reply, error) {
	html, err := render()
	if err != nil {
		return transport.Reply{}, err
	}
	c.Gin.Header("Content-Security-Policy", reference.Policy)
	return transport.Bare(transport.File{MediaType: "text/html; charset=utf-8", Bytes: html, Caching: "no-cache"}), nil
}

// referenceAsset returns a file that the pages load. Browsers ask each time whether it has changed.
func (a *api) referenceAsset(c *transport.Call) (transport.Reply, error) {
	content, mediaType, found := reference.Asset(c.Name())
	if !found {
		return transport.Reply{}, transport.ErrNotFound
	}
	return transport.Bare(transport.File{MediaType: mediaType, Bytes: content, Caching: "no-cache"}), nil
}

func (a *api) document(*transport.Call) (transport.Reply, error) {
	return transport.Bare(transport.File{MediaType: "application/json", Bytes: openapi.JSON(), Caching: "no-cache"}), nil
}

// limits are what clients may send and ask for at most (GEN-19). Texts are measured in characters, unless a name says bytes.
var limits = map[string]any{
	"event": map[string]int{
		"title": event.TitleLimit.Chars, "content": event.ContentLimit.Chars, "html_bytes": event.HTMLLimit.Bytes, "plates": event.MaxPlates,
	},
	"comment":   event.CommentLimit.Chars,
	"tags":      map[string]int{"count": userimage.MaxTags, "length": userimage.TagLimit.Chars},
	"image":     map[string]any{"bytes": media.MaxBytes, "megapixels": media.MaxPixels / 1_000_000, "formats": media.Accepted},
	"page_size": page.MaxSize,
	"search":    text.SearchLimit.Chars,
}

func (a *api) readLimits(*transport.Call) (transport.Reply, error) {
	return transport.WithETag(transport.Data(limits)), nil
}
