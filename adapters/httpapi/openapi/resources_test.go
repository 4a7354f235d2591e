package openapi_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

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
