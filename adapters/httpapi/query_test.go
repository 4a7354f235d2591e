package httpapi

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/subscription"
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
