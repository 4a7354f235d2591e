package httpapi

import (
	"net/http"
	"strings"
	"sync"

	"plaza/adapters/httpapi/openapi"
	"plaza/adapters/httpapi/reference"
)

// pageTable holds the pages for people. They are no operations of the interface, so the
// OpenAPI document does not have them.
var pageTable = []route{
	row(http.MethodGet, "/", NoAuth, (*api).home),
	row(http.MethodGet, "/docs/", NoAuth, (*api).reference),
	row(http.MethodGet, "/docs/{name}", NoAuth, (*api).referenceAsset),
}

// pages renders the pages for people. Each is rendered once, when it is first asked for.
type pages struct {
	home, reference func() ([]byte, error)
}

func newPages(c Config) pages {
	return pages{
		home:      sync.OnceValues(func() ([]byte, error) { return reference.Home(c.Version) }),
		reference: sync.OnceValues(func() ([]byte, error) { return reference.Page(openapi.JSON(), c.DemoPeople, c.Sandbox) }),
	}
}

// home answers a browser with the page that leads to the reference, and any other client as
// an unknown path.
func (a *api) home(c *call) (reply, error) {
	c.gin.Header("Vary", "Accept")
	if !strings.Contains(strings.ToLower(c.gin.GetHeader("Accept")), "text/html") {
		return reply{}, errNoPath
	}
	return htmlPage(c, a.pages.home)
}

func (a *api) reference(c *call) (reply, error) { return htmlPage(c, a.pages.reference) }

// htmlPage returns the rendered page. Its policy also goes with 304, because a browser may take
// it over from there.
func htmlPage(c *call, render func() ([]byte, error)) (reply, error) {
	html, err := render()
	if err != nil {
		return reply{}, err
	}
	c.gin.Header("Content-Security-Policy", reference.Policy)
	return bare(file{"text/html; charset=utf-8", html, "no-cache"}), nil
}

// referenceAsset returns a file that the pages load. Their address of it changes with its
// content.
func (a *api) referenceAsset(c *call) (reply, error) {
	content, mediaType, found := reference.Asset(c.name())
	if !found {
		return reply{}, errNotFound
	}
	return bare(file{mediaType, content, "no-cache"}), nil
}
