package openapi_test

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/openapi"
	"plaza/test/openapitest"
)

// load returns the document with closed schemas, which no test changes.
func load(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := loadOnce()
	require.NoError(t, err)
	return doc
}

var loadOnce = sync.OnceValues(func() (*openapi3.T, error) {
	closed, err := openapitest.Closed()
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(closed)
})

// operation is an operation of the document with its place.
type operation struct {
	*openapi3.Operation
	method, path string
	doc          *openapi3.T
	item         *openapi3.PathItem
}

func operations(t *testing.T) []operation {
	t.Helper()
	doc := load(t)
	var all []operation
	for _, path := range doc.Paths.InMatchingOrder() {
		item := doc.Paths.Value(path)
		for method, op := range item.Operations() {
			all = append(all, operation{op, method, path, doc, item})
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.OperationID, b.OperationID) })
	require.NotEmpty(t, all)
	return all
}

// forEach runs the check as a subtest of every operation.
func forEach(t *testing.T, check func(*testing.T, operation)) {
	for _, op := range operations(t) {
		t.Run(op.method+" "+op.path, func(t *testing.T) { check(t, op) })
	}
}

// parameters returns the parameters of the operation and of its path.
func (op operation) parameters() []*openapi3.Parameter {
	var all []*openapi3.Parameter
	for _, ref := range slices.Concat(op.item.Parameters, op.Parameters) {
		all = append(all, ref.Value)
	}
	return all
}

func (op operation) has(in string) bool {
	return slices.ContainsFunc(op.parameters(), func(p *openapi3.Parameter) bool { return p.In == in })
}

func (op operation) isPaged() bool {
	return slices.ContainsFunc(op.parameters(), func(p *openapi3.Parameter) bool { return p.Name == "page" })
}

// token reports whether a token may be sent and whether it is required.
func (op operation) token() (taken, needed bool) {
	security := op.doc.Security
	if op.Security != nil {
		security = *op.Security
	}
	needed = len(security) > 0
	for _, r := range security {
		if len(r) == 0 {
			needed = false
		}
		_, token := r["Token"]
		_, bearer := r["Bearer"]
		taken = taken || token || bearer
	}
	return taken, needed
}

func (op operation) scope() string {
	scope, _ := op.Extensions["x-scope"].(string)
	return scope
}

// marked reports whether the operation has the extension with the value true.
func (op operation) marked(extension string) bool { return op.Extensions[extension] == true }

// absolute refuses relative URLs, because the format uri requires absolute ones.
var absolute = openapi3.WithStringFormatValidator("uri", openapi3.NewCallbackValidator(func(s string) error {
	if u, err := url.Parse(s); err != nil || !u.IsAbs() || u.Host == "" {
		return fmt.Errorf("%q is no absolute address", s)
	}
	return nil
}))

func TestTheDocumentIsValid(t *testing.T) {
	published, err := openapi3.NewLoader().LoadFromData(openapi.JSON())
	require.NoError(t, err)
	for _, doc := range []*openapi3.T{published, load(t)} {
		require.True(t, doc.IsOpenAPI31OrLater())
		if err := doc.Validate(t.Context(), openapi3.EnableMultiError()); err != nil {
			lines := strings.SplitN(err.Error(), "\n", 21) // each wrong example is followed by its schema
			t.Fatal(strings.Join(lines[:min(len(lines), 20)], "\n"))
		}
		assert.Equal(t, "1", doc.Info.Version)
		assert.Equal(t, "MIT", doc.Info.License.Name)
		require.Len(t, doc.Servers, 1)
		assert.Equal(t, "/", doc.Servers[0].URL, "the server is the one that answers")
		assert.Contains(t, doc.Components.SecuritySchemes["Token"].Value.Description, "Authorization: Token plz_")
	}
}

func TestOperationsAreDescribed(t *testing.T) {
	rows := regexp.MustCompile(`^\[[A-Z]{3}-\d\d( [A-Z]{3}-\d\d)*\]$`)
	extensions := regexp.MustCompile(`AUT-10|AUT-1[5678]|USR-0[67]|EVT-19|SUB-04|PLA-04|IMG-07|PAY-1[012]`)
	seen := map[string]bool{}
	forEach(t, func(t *testing.T, op operation) {
		assert.NotEmpty(t, op.OperationID)
		assert.False(t, seen[op.OperationID], "the operation's id is another's")
		seen[op.OperationID] = true
		assert.NotEmpty(t, op.Summary)
		assert.NotEmpty(t, op.Description)
		contract := fmt.Sprint(op.Extensions["x-contract"])
		assert.Regexp(t, rows, contract)
		require.Len(t, op.Tags, 1)
		assert.NotNil(t, op.doc.Tags.Get(op.Tags[0]), "the tag is not described")
		if scope := op.scope(); scope != "" {
			assert.Contains(t, op.Description, "Needs the scope `"+scope+"`.")
		}
		if extensions.MatchString(contract) {
			assert.Equal(t, true, op.Extensions["x-extension"])
		}
		for _, p := range op.parameters() {
			assert.NotEmpty(t, p.Description, p.Name)
			assert.NotNil(t, p.Example, p.Name)
		}
	})
}

func TestAnswersFollowFromWhatIsAsked(t *testing.T) {
	forEach(t, func(t *testing.T, op operation) {
		taken, needed := op.token()
		expect := func(status string, when bool, why string) {
			t.Helper()
			assert.Equal(t, when, op.Responses.Value(status) != nil, "%s: %s", status, why)
		}
		refers := func(status, response string) {
			t.Helper()
			if ref := op.Responses.Value(status); ref != nil {
				assert.Equal(t, "#/components/responses/"+response, ref.Ref)
			}
		}
		body := op.RequestBody != nil && !op.marked("x-outside-envelope")                     // there everything is answered alike
		isFile := strings.HasPrefix(op.path, "/media/")                                       // its address is right, or leads nowhere
		readsStatus := op.OperationID == "notifyOverV3" || op.OperationID == "notifyOfWallet" // the wallet
		expect("400", body || op.has("query") && !isFile || readsStatus || op.OperationID == "block",
			"a body or a query can be wrong, or name the caller")
		expect("401", taken, "a token can be wrong")
		isByPurpose := op.marked("x-by-purpose") // some of its requests need a token
		expect("403", op.scope() != "" || isByPurpose || op.Extensions["x-staff"] != nil || slices.ContainsFunc(
			[]string{"x-owner", "x-unnarrowed", "x-closable"}, op.marked), "a scope or another right can be missing")
		expect("404", op.has("path") || op.isPaged() || op.marked("x-names-in-body"), "what is named can be missing")
		expect("408", body, "a body can be too slow")
		expect("413", body, "a body can be too large")
		expect("415", body, "a body can be something else")
		expect("429", !isFile && !op.marked("x-outside-envelope"), "an address or an account is limited")
		refers("429", "Throttled")
		expect("500", true, "we make mistakes")
		isUpload := body && op.RequestBody.Value.Content["multipart/form-data"] != nil
		isStored := isFile && op.path != "/media/portrait/{name}"
		expect("502", isUpload || isStored || op.OperationID == "pay" || op.OperationID == "createRefund",
			"the picture storage or the wallet can fail")
		expect("503", true, "the server can be overloaded")
		expect("504", !isFile || isStored, "the server can be slow")
		if needed || isByPurpose {
			refers("401", "Unauthenticated")
		} else {
			refers("401", "BadToken")
			assert.Empty(t, op.scope(), "a scope needs a token")
		}
		refers("403", "Denied")
		refers("404", "NotFound")
		assert.True(t, slices.ContainsFunc(slices.Collect(maps.Keys(op.Responses.Map())), func(status string) bool {
			return status[0] == '2'
		}), "it never succeeds")
	})
}

func TestResponsesCarryTheirHeaders(t *testing.T) {
	always := map[string]string{"401": "WWW-Authenticate", "429": "Retry-After"}
	forEach(t, func(t *testing.T, op operation) {
		for status, ref := range op.Responses.Map() {
			for _, name := range []string{"X-Request-ID", always[status]} {
				if name == "" {
					continue
				}
				header := ref.Value.Headers[name]
				require.NotNil(t, header, "%s lacks %s", status, name)
				assert.True(t, header.Value.Required, "%s of %s", name, status)
			}
		}
	})
}

func TestEveryBodyHasExamplesThatFit(t *testing.T) {
	forEach(t, func(t *testing.T, op operation) {
		for where, content := range bodies(op) {
			for mediaType, media := range content {
				if mediaType != "application/json" {
					continue
				}
				examples := examplesOf(media)
				assert.NotEmpty(t, examples, where)
				for name, example := range examples {
					err := media.Schema.Value.VisitJSON(example, openapi3.EnableJSONSchema2020(), absolute)
					assert.NoError(t, err, "%s, example %s", where, name)
				}
				if where >= "401" && where < "600" {
					wrong := map[string]any{"error": true, "code": "METHOD_NOT_ALLOWED", "data": map[string]any{"detail": "No."}}
					assert.Error(t, media.Schema.Value.VisitJSON(wrong, openapi3.EnableJSONSchema2020()), "%s has the code of its status", where)
				}
			}
		}
	})
}

// bodies returns the contents of the operation's requests and responses, with their places.
func bodies(op operation) map[string]openapi3.Content {
	all := map[string]openapi3.Content{}
	if op.RequestBody != nil {
		all["the request"] = op.RequestBody.Value.Content
	}
	for status, response := range op.Responses.Map() {
		all[status] = response.Value.Content
	}
	return all
}

func examplesOf(m *openapi3.MediaType) map[string]any {
	all := map[string]any{}
	if m.Example != nil {
		all["example"] = m.Example
	}
	for name, ref := range m.Examples {
		all[name] = ref.Value.Value
	}
	return all
}
