package openapi_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
	"plaza/domain/userimage"
)

func TestResourcesHaveTheFieldsOfTheInterface(t *testing.T) {
	const person = "uid avatar expertise firstname lastname username timezone timezone_utc_offset location avatars "
	const moment = "id event_time title content html_content category category_name plates view_permission create_time " +
		"last_modified status user city district province comments "
	const category = "id parent_id kind slug level meta "
	const publication = "id bundle_id node_id title content pub_type cover_image cover_images author update_at bundle " +
		"language entity_type entity_id kind"
	schemas := load(t).Components.Schemas
	for name, fields := range map[string]string{
		"Event":            moment + "comment_count like_count the_moment place_around",
		"MomentEvent":      moment,
		"PlaceAround":      "site_name url title release_date html_content city category site_logo district province country",
		"Plate":            "id user user_name photo create_time",
		"Comment":          "id user content create_time",
		"SimpleUserInfo":   person + "is_online",
		"EventUser":        person + "online",
		"Profile":          person + "is_online phone scopes is_staff date_joined",
		"Subscription":     "id user followed_user followed_category subscription_type created_at updated_at entity_type",
		"SubscriptionByID": "id user followed_user followed_category subscription_type created_at updated_at entity_type",
		"FollowedCategory": "id name slug",
		"RootCategory":     category + "name children",
		"ChildCategory":    category + "name children parent",
		"ParentCategory":   category + "name",
		"Uncategory":       category + "children",
		"CategoryMeta":     "feed_created_at feed_updated_at feeds_count",
		"DemandFeedItem": "title description tags auto_cover auto_covers images author service_address closed_time start_time " +
			"end_time create_time update_at entity_type kind entity_id distance",
		"NodeFeedItem": "id bundle_id title content cover_image cover_images author language create_time update_at " +
			"entity_type entity_id kind",
		"PublicationFeedItem": publication,
		"Publication":         publication + " localized",
		"Localized":           "title content __translator __source_language language",
		"UserImage":           "id user img img_height img_width create_time delete_time tags",
		"Order":               "id subject amount currency state created_at expires_at paid_at transaction_id",
		"ReceivedPayment":     "id order transaction_id state amount currency received_at refunded",
		"Refund":              "id payment amount currency reason state wallet_refund_id created_at updated_at",
		"Finding":             "id day kind transaction_id order expected found resolved_at",
		"ImportedHowTo":       "category username user bundle_ids created_at updated_at",
		"Pagination":          "page_size total_count total_pages current_page next previous",
		"Key":                 "key",
	} {
		assert.ElementsMatch(t, strings.Fields(fields), slices.Collect(maps.Keys(schemas[name].Value.Properties)), name)
	}
}

func TestTheDocumentAgreesWithTheDomain(t *testing.T) {
	doc := load(t)
	schemas := doc.Components.Schemas
	enum := func(name string) []string { return texts(schemas[name].Value.Enum) }
	assert.Equal(t, texts(event.Permissions()), enum("ViewPermission"))
	assert.Equal(t, texts(event.Statuses()), enum("EventStatus"))
	assert.Equal(t, texts(access.AllScopes()), enum("Scope"))
	assert.Equal(t, texts(payment.States()), enum("OrderState"))
	assert.Equal(t, texts(payment.PaymentStates()), enum("PaymentState"))
	assert.Equal(t, texts(payment.RefundStates()), enum("RefundState"))
	assert.Equal(t, texts(payment.FindingKinds()), enum("FindingKind"))
	assert.Equal(t, texts(payment.FindingStates()), enum("FindingState"))
	assert.Equal(t, texts([]subscription.EntityType{subscription.User, subscription.Category}), enum("EntityType"))
	assert.Equal(t, texts([]subscription.Type{subscription.FollowUser, subscription.FollowCategory}), enum("SubscriptionType"))

	codes := []string{"METHOD_NOT_ALLOWED"} // the router's, not a fault
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
