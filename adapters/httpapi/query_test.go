package httpapi

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/subscription"
	"plaza/domain/text"
	"plaza/domain/userimage"
)

func queryOf(t *testing.T, raw string) *query {
	t.Helper()
	values, err := url.ParseQuery(raw)
	require.NoError(t, err)
	return &query{values: values}
}

func TestGEN_04_page_parameters(t *testing.T) {
	const positive = "A positive integer is required."
	for raw, c := range map[string]struct {
		number, size int
		wrong        fault.Fields
	}{
		"":                                   {1, 20, nil},
		"page=&page_size=%20":                {1, 20, nil},
		"page=3&page_size=7":                 {3, 7, nil},
		"page=3&page=4":                      {3, 20, nil},
		"page=%203%20":                       {3, 20, nil},
		"page=007":                           {7, 20, nil},
		"page_size=101":                      {1, 100, nil},
		"page_size=99999999999999999999":     {1, 100, nil},
		"page=0":                             {0, 0, fault.Fields{"page": {positive}}},
		"page=-1&page_size=x":                {0, 0, fault.Fields{"page": {positive}, "page_size": {positive}}},
		"page=1.0":                           {0, 0, fault.Fields{"page": {positive}}},
		"page=1e3":                           {0, 0, fault.Fields{"page": {positive}}},
		"page=%2B5":                          {0, 0, fault.Fields{"page": {positive}}},
		"page=%D9%A3":                        {0, 0, fault.Fields{"page": {positive}}},
		"page_size=-99999999999999999999":    {0, 0, fault.Fields{"page_size": {positive}}},
		"page=1&page_size=0&ordering=create": {0, 0, fault.Fields{"page_size": {positive}}},
	} {
		q := queryOf(t, raw)
		request := q.page()
		assert.Equal(t, c.wrong.Err(), q.err(), raw)
		if c.wrong == nil {
			assert.Equal(t, c.number, request.Number(), raw)
			assert.Equal(t, c.size, request.Size(), raw)
		}
	}
}

func TestGEN_04_an_absurd_page_is_past_the_last(t *testing.T) {
	q := queryOf(t, "page=99999999999999999999999&page_size=100")
	request := q.page()
	require.NoError(t, q.err())
	assert.Positive(t, request.Offset())
	_, err := page.Of(request, []int{}, 5)
	assert.True(t, fault.Is(err, fault.NotFound))
}

func TestAll_wrong_parameters_are_named_together(t *testing.T) {
	q := queryOf(t, "page=x&ordering=title&entity_type=5&subscription_type=FOLLOW_USER")
	q.page()
	q.ordering()
	assert.Zero(t, choose(q, "entity_type", subscription.User, subscription.Category))
	assert.Zero(t, choose(q, "subscription_type", subscription.FollowUser, subscription.FollowCategory))
	wrong, ok := fault.As(q.err())
	require.True(t, ok)
	assert.Len(t, wrong.Fields, 4)
	assert.Equal(t, []string{"“5” is not a valid choice."}, wrong.Fields["entity_type"])
}

func TestSUB_02_choices(t *testing.T) {
	q := queryOf(t, "entity_type=200&subscription_type=+follow_user+&blank=+")
	assert.Equal(t, subscription.Category, choose(q, "entity_type", subscription.User, subscription.Category))
	assert.Equal(t, subscription.FollowUser, choose(q, "subscription_type", subscription.FollowUser, subscription.FollowCategory))
	assert.Zero(t, choose(q, "blank", 1, 2))
	assert.Zero(t, choose(q, "absent", 1, 2))
	assert.NoError(t, q.err())
}

func TestGEN_09_numbers_in_paths(t *testing.T) {
	for s, want := range map[string]int64{
		"1": 1, "042": 42, "9223372036854775807": 1<<63 - 1, "9223372036854775808": 1<<63 - 1,
		"": 0, "0": 0, "-1": 0, "+1": 0, "1.0": 0, "x": 0, "1x": 0, " 1": 0, "0x1": 0, "１": 0,
	} {
		assert.Equal(t, want, positiveInt(s), "%q", s)
	}
}

func TestEVT_13_ordering_syntax(t *testing.T) {
	day, made := event.ByDate, event.ByCreated
	standard := []event.Term{{Key: day, Descending: true}, {Key: made, Descending: true}}
	for raw, want := range map[string][]event.Term{
		"":                           standard,
		" , ":                        standard,
		"event_time":                 {{Key: day}},
		"-create_time":               {{Key: made, Descending: true}},
		" create_time , -event_time": {{Key: made}, {Key: day, Descending: true}},
		"event_time,-event_time":     {{Key: day}},
		"event_time,":                {{Key: day}},
	} {
		q := &query{values: url.Values{"ordering": {raw}}}
		assert.Equal(t, want, q.ordering().Terms(), raw)
		assert.NoError(t, q.err(), raw)
	}
	for _, raw := range []string{"id", "--event_time", "-", "event_time desc", "Event_Time", "event_time;drop"} {
		q := &query{values: url.Values{"ordering": {raw}}}
		q.ordering()
		assert.Equal(t, fault.Fields{
			"ordering": {"Order by event_time or create_time, with a leading - for descending order."},
		}.Err(), q.err(), raw)
	}
}

func TestIMG_05_keywords(t *testing.T) {
	for raw, want := range map[string][]string{
		"": nil, " , ,": nil, "a": {"a"}, " a , b,a,,c d ": {"a", "b", "c d"}, "A,a": {"A", "a"},
	} {
		q := &query{values: url.Values{"tags__contains": {raw}}}
		assert.Equal(t, want, q.keywords("tags__contains"), "%q", raw)
		assert.NoError(t, q.err())
	}
	var most []string
	for n := range userimage.MaxTags {
		most = append(most, strconv.Itoa(n))
	}
	for words, want := range map[string]error{
		strings.Join(append(most, most...), ","): nil,
		strings.Join(append(most, "more"), ","):  fault.Field("tags__overlap", "Filter by at most 50 tags."),
	} {
		q := &query{values: url.Values{"tags__overlap": {words}}}
		q.keywords("tags__overlap")
		assert.Equal(t, want, q.err())
	}
}

func FuzzList(f *testing.F) {
	for _, s := range []string{" node,,demand, node", "", ",", "a,\u00a0a\u3000,a", "\x00,\xff", strings.Repeat("a,", 2000), "a;b", "A,a", "\u200b,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := &query{values: url.Values{"type": {s}}}
		parts := q.list("type")
		for i, part := range parts {
			if part == "" || part != text.Trim(part) || slices.Contains(parts[:i], part) {
				t.Errorf("%q has parts %q", s, parts)
			}
		}
	})
}
