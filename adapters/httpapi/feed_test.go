package httpapi

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/application/browsing"
	"plaza/domain/feed"
)

func TestGEN12_a_selection_without_a_version_is_rendered_each_time(t *testing.T) {
	a := &api{UseCases: UseCases{Browsing: browsing.New(nil, nil, nil, nil, time.Now)}, kept: transport.NewKeptReplies()}
	made := 0
	for _, s := range []feed.Selection{{Kinds: []feed.Kind{feed.Event}}, feed.Select([]feed.Kind{feed.Demand}, &feed.Area{})} {
		for range 2 {
			r, err := a.whileUnchanged(t.Context(), s, "a", func(context.Context, feed.Selection) (transport.Reply, bool, error) {
				made++
				return transport.Data("made"), true, nil
			})
			require.NoError(t, err)
			assert.True(t, r.Tagged)
		}
	}
	assert.Equal(t, 4, made)
}
