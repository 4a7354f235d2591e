package contract

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"plaza/test/openapitest"
)

// document is the OpenAPI document with a router that finds its operations, and their schemas.
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

// schemas are those of the OpenAPI document, each compiled once: doing so for every response takes longer than all the rest of the tests.
type schemas struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
}

const home = "https://plaza.example/openapi.json"

func newSchemas(document []byte) (*schemas, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.RegisterFormat(&jsonschema.Format{Name: "uri", Validate: checkAbsolute})
	return &schemas{compiler: compiler}, compiler.AddResource(home, doc)
}

// checkAbsolute holds addresses to be such that one can go there.
func checkAbsolute(v any) error {
	s, isText := v.(string)
	if u, err := url.Parse(s); isText && (err != nil || !u.IsAbs() || u.Host == "") {
		return fmt.Errorf("%q is no absolute address", s)
	}
	return nil
}

func (s *schemas) check(place string, body []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %q", err, body)
	}
	return s.checkValue(place, value)
}

func (s *schemas) checkValue(place string, value any) error {
	s.mu.Lock()
	schema, err := s.compiler.Compile(home + "#" + place)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// checkHeaders holds the headers of a response against those that the document describes.
func (s *schemas) checkHeaders(route *routers.Route, res *http.Response) error {
	described := route.Operation.Responses.Status(res.StatusCode)
	if described == nil {
		return fmt.Errorf("the status %d is not in the document", res.StatusCode)
	}
	for name, header := range described.Value.Headers {
		sent := res.Header.Values(name)
		if len(sent) == 0 {
			if header.Value.Required {
				return fmt.Errorf("the header %s is missing", name)
			}
			continue
		}
		place, isShared := strings.CutPrefix(header.Ref, "#")
		if !isShared {
			place = placeOf(route, described, res.StatusCode) + pointer("headers", name)
		}
		var value any = sent[0]
		if header.Value.Schema.Value.Type.Is(openapi3.TypeInteger) {
			value = json.Number(sent[0])
		}
		if err := s.checkValue(place+"/schema", value); err != nil {
			return fmt.Errorf("the header %s is %q: %w", name, sent[0], err)
		}
	}
	return nil
}

// checkBody holds the body of a response against what the document says of it.
func (s *schemas) checkBody(route *routers.Route, res *http.Response, body []byte) error {
	described := route.Operation.Responses.Status(res.StatusCode)
	if described == nil || len(described.Value.Content) == 0 {
		if len(body) > 0 {
			return fmt.Errorf("a body is not in the document: %q", body)
		}
		return nil
	}
	mediaType, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	content := described.Value.Content.Get(mediaType)
	if content == nil {
		return fmt.Errorf("the media type %s is not in the document", mediaType)
	}
	if content.Schema == nil || mediaType == "text/event-stream" {
		return nil // a picture, or a stream
	}
	if mediaType == "text/csv" {
		_, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
		return err
	}
	return s.check(placeOf(route, described, res.StatusCode)+pointer("content", mediaType, "schema"), body)
}

// placeOf is where the document describes a response.
func placeOf(route *routers.Route, described *openapi3.ResponseRef, status int) string {
	if shared, isShared := strings.CutPrefix(described.Ref, "#"); isShared {
		return shared
	}
	return pointer("paths", route.Path, strings.ToLower(route.Method), "responses", strconv.Itoa(status))
}

var inPointer = strings.NewReplacer("~", "~0", "/", "~1")

// pointer is a JSON pointer in the form that an address takes.
func pointer(steps ...string) string {
	var b strings.Builder
	for _, step := range steps {
		b.WriteString("/" + url.PathEscape(inPointer.Replace(step)))
	}
	return b.String()
}
