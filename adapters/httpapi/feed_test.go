package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/browsing"
	"plaza/application/people"
	"plaza/domain/access"
	"plaza/domain/feed"
	"plaza/domain/page"
)

// pageReads is a feed of empty pages. It notes whether reads were to show the caller's own writes.
type pageReads struct {
	feed.Reader
	own bool
}

func (r *pageReads) Version(context.Context, []feed.Kind) (feed.Version, error) { return 1, nil }

func (r *pageReads) Page(ctx context.Context, _ feed.CategoryID, _ feed.Selection, p page.Request) (page.Page[feed.Item], error) {
	r.own = access.OwnWritesOf(ctx) != nil
	return page.Of[feed.Item](p, nil, 0)
}

// Callers of the same version share a page. A replica that has the writes of one may lack the avatar of another.
func TestFED_07_a_page_that_callers_share_shows_no_people_from_a_replica(t *testing.T) {
	r := &pageReads{}
	app := &api{
		UseCases: UseCases{
			Browsing: browsing.New(r, nil, time.Now), People: people.New(nil, nil, nil, nil, nil, nil, nil, nil, time.Now),
		},
		kept: newKeptReplies(),
	}
	for query, own := range map[string]bool{"": false, "type=demand": false, "type=demand&lat=1&lng=1": true, "type=node,publication": true} {
		c, _ := gin.CreateTestContext(httptest.NewRecorder())
		c.Request = httptest.NewRequest(http.MethodGet, "/?"+query, nil)
		c.Request = c.Request.WithContext(access.WithOwnWrites(t.Context(), access.NewOwnWrites(access.Actor{ID: 1})))
		c.AddParam("id", uncategorised)
		_, err := app.listFeedItems(&call{gin: c})
		require.NoError(t, err)
		assert.Equal(t, own, r.own, query)
	}
}
