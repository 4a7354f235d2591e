package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/openapi"
)

// document is the OpenAPI document with a router that finds its operations.
type document struct {
	*openapi3.T
	routers.Router
}

var theDocument = sync.OnceValues(func() (document, error) {
	doc, err := openapi3.NewLoader().LoadFromData(openapi.JSON())
	if err != nil {
		return document{}, err
	}
	router, err := gorillamux.NewRouter(doc)
	return document{doc, router}, err
})

// absolute holds addresses to be absolute, which the validator does not do by
// itself.
var absolute = openapi3.WithStringFormatValidator("uri", openapi3.NewCallbackValidator(func(s string) error {
	if u, err := url.Parse(s); err != nil || !u.IsAbs() || u.Host == "" {
		return fmt.Errorf("%q is no absolute address", s)
	}
	return nil
}))

// anywhere are statuses that every operation may answer with (GEN-07) without
// naming them.
var anywhere = map[int]bool{
	http.StatusMethodNotAllowed: true, http.StatusRequestEntityTooLarge: true, http.StatusUnsupportedMediaType: true,
	http.StatusServiceUnavailable: true, http.StatusBadGateway: true, http.StatusGatewayTimeout: true,
}

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
	route, params, err := doc.FindRoute(req)
	if errors.Is(err, routers.ErrPathNotFound) || errors.Is(err, routers.ErrMethodNotAllowed) || anywhere[res.StatusCode] {
		requireRefused(t, doc, req, res, body)
		return
	}
	require.NoError(t, err)
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route},
		Status:                 res.StatusCode,
		Header:                 res.Header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true, MultiError: true,
			SchemaValidationOptions: []openapi3.SchemaValidationOption{absolute},
		},
	}
	require.NoError(t, openapi3filter.ValidateResponse(req.Context(), input),
		"%s %s: %d %s", req.Method, req.URL, res.StatusCode, body)
}

func requireRefused(t *testing.T, doc document, req *http.Request, res *http.Response, body []byte) {
	t.Helper()
	if res.StatusCode < 400 {
		require.Contains(t, []int{301, 307, 308}, res.StatusCode, "%s %s is not in the document", req.Method, req.URL)
		return
	}
	var value any
	require.NoError(t, json.Unmarshal(body, &value), "%s %s: %d %q", req.Method, req.URL, res.StatusCode, body)
	require.NoError(t, doc.Components.Schemas["Failure"].Value.VisitJSON(value, openapi3.EnableJSONSchema2020()),
		"%s %s: %d %s", req.Method, req.URL, res.StatusCode, body)
}
