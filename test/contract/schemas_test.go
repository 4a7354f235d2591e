package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas are those of the OpenAPI document, each compiled once: doing so for
// every response takes longer than all the rest of the tests.
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

// check holds the JSON against the schema at the place in the document.
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

// checkHeaders holds the headers of a response against those that the document
// describes.
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
	if content.Schema == nil {
		return nil // a picture
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
