package arch

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi"
	"plaza/adapters/httpapi/openapi"
	"plaza/domain/access"
)

// described returns every operation of the OpenAPI document by its method and path.
func described(t *testing.T) map[string]*openapi3.Operation {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openapi.JSON())
	require.NoError(t, err)
	all := map[string]*openapi3.Operation{}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			all[place(method, path)] = operation
		}
	}
	require.NotEmpty(t, all)
	return all
}

var variable = regexp.MustCompile(`\{[^}]*\}|:[a-z_]+`)

// place is the method and the path, without the names of variables.
func place(method, path string) string { return method + " " + variable.ReplaceAllString(path, "{}") }

func TestThe_document_has_exactly_the_routes(t *testing.T) {
	var routed, documented []string
	for _, r := range httpapi.Routes() {
		routed = append(routed, place(r.Method, r.Path))
	}
	for at := range described(t) {
		documented = append(documented, at)
	}
	slices.Sort(routed)
	slices.Sort(documented)
	assert.Equal(t, documented, routed)
	assert.Equal(t, slices.Compact(slices.Clone(routed)), routed, "a route stands twice")
}

// security is what the document says of a route under each policy that names no scope: a key of the scheme Token, none, or either.
var security = map[string]string{"noAuth": "none", "optionalAuth": "none or Bearer or Token", "authenticated": "Bearer or Token",
	"unnarrowed": "Bearer or Token"}

func TestEvery_route_has_a_policy_and_the_document_tells_it(t *testing.T) {
	operations := described(t)
	for _, r := range httpapi.Routes() {
		at := place(r.Method, r.Path)
		operation, isDescribed := operations[at]
		require.True(t, isDescribed, at)
		want, isKnown := security[r.Policy.String()]
		scope, isScoped := strings.CutPrefix(r.Policy.String(), "scope ")
		if isScoped {
			want, isKnown = "Bearer or Token", scope != ""
		} else {
			scope = ""
		}
		var roles []any
		if area, isForStaff := strings.CutPrefix(r.Policy.String(), "office "); isForStaff {
			want, isKnown = "Bearer or Token", true
			for _, role := range access.Area(area).Roles() {
				roles = append(roles, string(role))
			}
			assert.NotNil(t, operation.Responses.Status(http.StatusForbidden), "%s: the answer 403", at)
		}
		said, _ := operation.Extensions["x-staff"].([]any)
		assert.Equal(t, roles, said, "%s: x-staff", at)
		if operation.Extensions["x-by-purpose"] == true { // its handler reads the token of some requests
			assert.Equal(t, httpapi.NoAuth, r.Policy, at)
			want = security["optionalAuth"]
		}
		assert.True(t, isKnown, "%s has the policy %q", at, r.Policy)
		assert.Equal(t, want, keysOf(operation), at)

		named, _ := operation.Extensions["x-scope"].(string)
		assert.Equal(t, scope, named, "%s: x-scope", at) // both empty where none is needed
		assert.Equal(t, want != "none", operation.Responses.Status(http.StatusUnauthorized) != nil, "%s: the answer 401", at)
		_, saysUnnarrowed := operation.Extensions["x-unnarrowed"]
		assert.Equal(t, r.Policy == httpapi.Unnarrowed, saysUnnarrowed, "%s: x-unnarrowed", at)
		if isScoped || r.Policy == httpapi.Unnarrowed {
			assert.NotNil(t, operation.Responses.Status(http.StatusForbidden), "%s: the answer 403", at)
		}
	}
}

// keysOf is what the operation takes for a key; without a word of its own, what the whole document says.
func keysOf(operation *openapi3.Operation) string {
	if operation.Security == nil {
		return "Bearer or Token"
	}
	var takes []string
	for _, requirement := range *operation.Security {
		if len(requirement) == 0 {
			takes = append(takes, "none")
		}
		for scheme := range requirement {
			takes = append(takes, scheme)
		}
	}
	if len(takes) == 0 {
		return "none"
	}
	return strings.Join(takes, " or ")
}
