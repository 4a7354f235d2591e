package httpapi

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/subscription"
	"plaza/domain/text"
)

func queryOf(t *testing.T, raw string) *query {
	t.Helper()
	values, err := url.ParseQuery(raw)
	require.NoError(t, err)
	return &query{values: values}
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
