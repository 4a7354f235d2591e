package contract

import (
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/require"

	"plaza/test/openapitest"
)

// document is the OpenAPI document with a router that finds its operations, and
// their schemas.
type document struct {
	*openapi3.T
	routers.Router
	*schemas
}

var theDocument = sync.OnceValues(func() (document, error) {
	closed, err := openapitest.Closed()
	if err != nil {
		return document{}, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(closed)
	if err != nil {
		return document{}, err
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return document{}, err
	}
	all, err := newSchemas(closed)
	return document{doc, router, all}, err
})

// matchDocument holds a response against the OpenAPI document. What the document
// does not name must be a redirect or an error in the envelope.
func matchDocument(t *testing.T, req *http.Request, res *http.Response, body []byte) {
	t.Helper()
	if req.Method == http.MethodHead {
		require.Empty(t, body, "HEAD has no body (GEN-09)")
		return
	}
	doc, err := theDocument()
	require.NoError(t, err)
	route, _, err := doc.FindRoute(req)
	if errors.Is(err, routers.ErrPathNotFound) || errors.Is(err, routers.ErrMethodNotAllowed) {
		requireRefused(t, doc, req, res, body)
		return
	}
	require.NoError(t, err)
	require.NoError(t, doc.checkHeaders(route, res), "%s %s: %d %s", req.Method, req.URL, res.StatusCode, body)
	if req.URL.Query().Has("fields") && res.StatusCode == http.StatusOK {
		return // it lacks fields that the schema requires (GEN-17)
	}
	require.NoError(t, doc.checkBody(route, res, body), "%s %s: %d %s", req.Method, req.URL, res.StatusCode, body)
}

func requireRefused(t *testing.T, doc document, req *http.Request, res *http.Response, body []byte) {
	t.Helper()
	if res.StatusCode < 400 {
		require.Contains(t, []int{301, 307, 308}, res.StatusCode, "%s %s is not in the document", req.Method, req.URL)
		return
	}
	require.NoError(t, doc.check(pointer("components", "schemas", "Failure"), body),
		"%s %s: %d %s", req.Method, req.URL, res.StatusCode, body)
}
