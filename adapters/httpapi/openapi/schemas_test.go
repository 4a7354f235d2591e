package openapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/openapi"
	"plaza/application/people"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/geo"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/publication"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
	"plaza/domain/verification"
)

// node is an object of the published document, as JSON.
type node = map[string]any

// visit calls the check for every object of the published document, with its place.
func visit(t *testing.T, check func(at string, n node)) (doc node) {
	t.Helper()
	require.NoError(t, json.Unmarshal(openapi.JSON(), &doc))
	var walk func(at string, value any)
	walk = func(at string, value any) {
		switch v := value.(type) {
		case []any:
			for i, element := range v {
				walk(fmt.Sprintf("%s/%d", at, i), element)
			}
		case node:
			check(at, v)
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if key != "example" && key != "examples" {
					walk(at+"/"+key, v[key])
				}
			}
		}
	}
	walk("", doc)
	return doc
}

// Later versions may add fields. Enums of integers have names for generators; some of these take a bound that is left out as true or
// false only, choose between schemas by what each alone has, know one encoding of files, one type besides null, no null in an enum of
// integers, and no choice of choices. They ignore what stands beside a reference.
func TestPublishedSchemas(t *testing.T) {
	var doc node
	require.NoError(t, json.Unmarshal(openapi.JSON(), &doc))
	schemas := doc["components"].(node)["schemas"].(node)
	isDescribed := func(value any) bool {
		schema, _ := value.(node)
		ref, _ := schema["$ref"].(string)
		named, _ := schemas[strings.TrimPrefix(ref, "#/components/schemas/")].(node)
		return schema["description"] != nil || named["description"] != nil
	}
	for name, schema := range schemas {
		assert.True(t, isDescribed(schema), name)
	}
	visit(t, func(at string, n node) {
		assert.NotEqual(t, false, n["additionalProperties"], at)
		if values, _ := n["enum"].([]any); n["type"] == "integer" && values != nil {
			assert.Len(t, n["x-enum-varnames"], len(values), at)
			assert.Len(t, n["x-enum-descriptions"], len(values), at)
		}
		types, _ := n["type"].([]any)
		assert.LessOrEqual(t, len(types), 2, "%s: one of several, or null", at)
		assert.False(t, n["enum"] != nil && slices.Contains(types, any("integer")), "%s: an integer or null", at)
		for _, keyword := range []string{"exclusiveMinimum", "exclusiveMaximum", "encoding"} {
			assert.NotContains(t, n, keyword, at)
		}
		parts, _ := n["oneOf"].([]any)
		for _, part := range parts {
			ref, _ := part.(node)["$ref"].(string)
			named, _ := schemas[strings.TrimPrefix(ref, "#/components/schemas/")].(node)
			assert.Nil(t, named["oneOf"], "%s: a choice of choices", at)
		}
		assert.True(t, n["anyOf"] == nil || n["$ref"] != nil, "%s: anyOf", at)
		if n["$ref"] != nil || strings.Contains(at, "/anyOf/") {
			return // what stands beside a reference narrows its schema
		}
		properties, _ := n["properties"].(node)
		for name, property := range properties {
			assert.True(t, isDescribed(property), "%s/%s has no description", at, name)
		}
	})
}

// A generator makes a field with a default one that a client must send. So EVT-06 forbids
// defaults of a change, and no other request has them.
func TestEVT_06_RequestsHaveNoDefaults(t *testing.T) {
	forEach(t, func(t *testing.T, op operation) {
		if op.RequestBody == nil {
			return
		}
		for _, media := range op.RequestBody.Value.Content {
			visitSchemas("", media.Schema, map[*openapi3.Schema]bool{}, func(at string, s *openapi3.SchemaRef) {
				assert.Nil(t, s.Value.Default, at)
			})
		}
	})
	assert.Empty(t, load(t).Components.Schemas["EventChange"].Value.Required)
	assert.Empty(t, load(t).Components.Schemas["NewEvent"].Value.Required)
}

// visitSchemas calls the check for the schema and every schema in it, with its place.
func visitSchemas(at string, ref *openapi3.SchemaRef, seen map[*openapi3.Schema]bool, check func(at string, s *openapi3.SchemaRef)) {
	if ref == nil || seen[ref.Value] {
		return
	}
	s := ref.Value
	seen[s] = true
	check(at, ref)
	for name, property := range s.Properties {
		visitSchemas(at+"."+name, property, seen, check)
	}
	for _, part := range slices.Concat(s.OneOf, s.AnyOf) {
		visitSchemas(at, part, seen, check)
	}
	visitSchemas(at+"[]", s.Items, seen, check)
	visitSchemas(at+".*", s.AdditionalProperties.Schema, seen, check)
}

// optional are the only fields of responses that may be absent, besides pagination or cursor of a list that may have either (GEN-18).
var optional = map[string]string{
	"#/components/schemas/Publication":       "localized",
	"#/components/schemas/OpenedPublication": "localized", "#/components/schemas/OpenedNode": "localized",
	"#/components/schemas/Event": "is_hidden", "#/components/schemas/Comment": "is_hidden",
	"#/components/schemas/CoverSizes": "cover_sm", "#/components/schemas/DemandCoverSizes": "demand_cover_md",
}

func TestResponsesHaveAllTheirFields(t *testing.T) {
	forEach(t, func(t *testing.T, op operation) {
		for status, response := range op.Responses.Map() {
			for _, media := range response.Value.Content {
				if media.Schema != nil && media.Schema.Ref != "#/components/schemas/OpenAPI" {
					visitSchemas(status, media.Schema, map[*openapi3.Schema]bool{}, func(at string, s *openapi3.SchemaRef) { checkFields(t, at, s) })
				}
			}
		}
	})
}

// checkFields asserts that an object requires its named fields. An object without them is a mapping and defines its values.
func checkFields(t *testing.T, at string, ref *openapi3.SchemaRef) {
	s := ref.Value
	if len(s.Properties) > 0 {
		assert.True(t, s.Type.Is("object"), "%s is an object", at)
		hasEither := s.Properties["pagination"] != nil && s.Properties["cursor"] != nil
		fields := slices.DeleteFunc(slices.Collect(maps.Keys(s.Properties)), func(name string) bool {
			return name == optional[ref.Ref] || hasEither && name != "data"
		})
		assert.ElementsMatch(t, fields, s.Required, "%s: fields and required ones", at)
	} else if s.Type.Permits("object") {
		isChoice := len(s.OneOf)+len(s.AnyOf) > 0
		assert.True(t, isChoice || s.AdditionalProperties.Schema != nil, "%s may hold anything", at)
	}
}

// A list has ids alone or none, which its schema leaves open for generators.
func TestSUB_03_ListsOfSubscriptionsAreOfOneKind(t *testing.T) {
	media := load(t).Paths.Value("/api/subscription/user-subscription/").Get.Responses.Status(http.StatusOK).Value.Content["application/json"]
	mixed := maps.Clone(media.Examples["info"].Value.Value.(node))
	mixed["data"] = slices.Concat(mixed["data"].([]any), media.Examples["uids"].Value.Value.(node)["data"].([]any))
	assert.Error(t, media.Schema.Value.VisitJSON(mixed, openapi3.EnableJSONSchema2020()))
}

func TestFeedItemsAreToldApart(t *testing.T) {
	schemas := load(t).Components.Schemas
	item := schemas["FeedItem"].Value
	require.Len(t, item.Discriminator.Mapping, len(item.OneOf))
	for value, schema := range item.Discriminator.Mapping {
		name := strings.TrimPrefix(schema.Ref, "#/components/schemas/")
		assert.Equal(t, value, schemas[name].Value.Properties[item.Discriminator.PropertyName].Value.Const)
	}
}

// Generators make types of the components of every kind, and of the parameters of an operation, under one set of names.
func TestGeneratedTypesHaveDistinctNames(t *testing.T) {
	var doc struct{ Components map[string]map[string]any }
	require.NoError(t, json.Unmarshal(openapi.JSON(), &doc))
	kinds := map[string]string{}
	delete(doc.Components, "examples")
	for kind, components := range doc.Components {
		for name := range components {
			assert.Empty(t, kinds[name], "%s is one of #/components/%s too", name, kind)
			kinds[name] = kind
		}
	}
	forEach(t, func(t *testing.T, op operation) {
		name := strings.ToUpper(op.OperationID[:1]) + op.OperationID[1:]
		for _, suffix := range []string{"Params", "Response", "JSONBody", "JSONRequestBody"} {
			assert.NotContains(t, kinds, name+suffix)
		}
	})
}

func TestTheDocumentAgreesWithTheDomain(t *testing.T) {
	doc := load(t)
	schemas := doc.Components.Schemas
	enum := func(name string) []string { return texts(schemas[name].Value.Enum) }
	assert.Equal(t, texts(event.Permissions()), enum("ViewPermission"))
	assert.Equal(t, texts(event.Statuses()), enum("EventStatus"))
	assert.Equal(t, texts(access.AllScopes()), enum("Scope"))
	assert.Equal(t, texts(verification.Purposes()), enum("CodePurpose"))
	assert.Equal(t, texts(payment.States()), enum("OrderState"))
	assert.Equal(t, texts(payment.PaymentStates()), enum("PaymentState"))
	assert.Equal(t, texts(payment.RefundStates()), enum("RefundState"))
	assert.Equal(t, texts(payment.FindingKinds()), enum("FindingKind"))
	assert.Equal(t, texts(payment.FindingStates()), enum("FindingState"))
	assert.Equal(t, texts([]subscription.EntityType{subscription.User, subscription.Category}), enum("EntityType"))
	assert.Equal(t, texts([]subscription.Type{subscription.FollowUser, subscription.FollowCategory}), enum("SubscriptionType"))

	codes := []string{"METHOD_NOT_ALLOWED", "RANGE_NOT_SATISFIABLE"} // of HTTP, not faults
	for _, kind := range fault.Kinds() {
		if kind != fault.Invalid {
			codes = append(codes, kind.Code())
		}
	}
	assert.ElementsMatch(t, codes, texts(schemas["Failure"].Value.Properties["code"].Value.Enum))
	assert.Equal(t, fault.Invalid.Code(), schemas["ValidationFailure"].Value.Properties["code"].Value.Const)

	for _, name := range []string{"NewEvent", "EventChange"} {
		fields := schemas[name].Value.Properties
		assert.EqualValues(t, event.TitleLimit.Chars, *fields["title"].Value.MaxLength)
		assert.EqualValues(t, event.ContentLimit.Chars, *fields["content"].Value.MaxLength)
		assert.EqualValues(t, event.HTMLLimit.Bytes, *fields["html_content"].Value.MaxLength)
	}
	for _, name := range []string{"SignUp", "ProfileChange"} {
		fields := schemas[name].Value.Properties
		for _, field := range []string{"firstname", "lastname", "location", "expertise"} {
			if fields[field] != nil {
				assert.EqualValues(t, user.NameLimit.Chars, *fields[field].Value.MaxLength, field)
			}
		}
	}
	assert.EqualValues(t, user.BioLimit.Chars, *schemas["ProfileChange"].Value.Properties["bio"].Value.MaxLength)
	assert.EqualValues(t, event.CommentLimit.Chars, *schemas["NewComment"].Value.Properties["content"].Value.MaxLength)
	assert.EqualValues(t, event.MaxPlates, *schemas["Event"].Value.Properties["plates"].Value.MaxItems)
	assert.EqualValues(t, people.MaxLookup, *schemas["People"].Value.Properties["uid"].Value.MaxItems)
	assert.EqualValues(t, userimage.MaxTags, *schemas["Tags"].Value.MaxItems)
	assert.EqualValues(t, userimage.MaxTags, *schemas["ImageTags"].Value.Properties["tags"].Value.MaxItems)
	assert.EqualValues(t, userimage.TagLimit.Chars, *schemas["Tag"].Value.MaxLength)
	assert.EqualValues(t, userimage.MaxImages, *schemas["Images"].Value.Properties["data"].Value.MaxItems)
	assert.EqualValues(t, geo.DefaultDistance, doc.Components.Parameters["WithinDistance"].Value.Schema.Value.Default)
	assert.EqualValues(t, geo.MaxDistance, *doc.Components.Parameters["WithinDistance"].Value.Schema.Value.Max)
	assert.Equal(t, texts([]publication.Type{publication.SingleChapter, publication.MultiChapter}), enum("PublicationType"))
	assert.EqualValues(t, page.MaxSize, *schemas["Pagination"].Value.Properties["page_size"].Value.Max)
	assert.EqualValues(t, page.DefaultSize, doc.Components.Parameters["PageSize"].Value.Schema.Value.Default)
}

func texts[T any](values []T) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = fmt.Sprint(v)
	}
	return all
}
