package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/browsing"
	"plaza/application/people"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/page"
	"plaza/domain/text"
)

func asked(query string) *query {
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequest("GET", "/?"+query, nil)
	return (&call{gin: c}).query()
}

func TestFED_05_a_circle_counts_for_demands_alone(t *testing.T) {
	const number, distance = "A valid number is required.", "Ensure this value is greater than 0 and at most 500."
	near := func(lat, lng float64, within geo.Kilometres) *feed.Area {
		return &feed.Area{Centre: geo.Point{Lat: lat, Lng: lng}, Within: within}
	}
	for query, c := range map[string]struct {
		near  *feed.Area
		wrong fault.Fields
	}{
		"type=demand":                                    {},
		"type=demand&lat=30.5&lng=-120":                  {near: near(30.5, -120, 5)},
		"type=demand,demand&lat=0&lng=0":                 {near: near(0, 0, 5)},
		"type=demand&lat=1e1&lng=.5&within_distance=500": {near: near(10, 0.5, 500)},
		"type=demand&lat=%20&lng=":                       {},
		"lat=x&lng=999&within_distance=-1":               {},
		"type=node&lat=5":                                {},
		"type=demand,node&within_distance=x":             {},
		"type=demand&lat=1":                              {wrong: fault.Fields{"lng": {text.Required}}},
		"type=demand&lng=1":                              {wrong: fault.Fields{"lat": {text.Required}}},
		"type=demand&lat=x&lng=NaN":                      {wrong: fault.Fields{"lat": {number}, "lng": {number}}},
		"type=demand&lat=0x10&lng=1e999":                 {wrong: fault.Fields{"lat": {number}, "lng": {number}}},
		"type=demand&within_distance=0":                  {wrong: fault.Fields{"within_distance": {distance}}},
		"type=demand&within_distance=500.1":              {wrong: fault.Fields{"within_distance": {distance}}},
		"type=demand&lat=91&lng=181&within_distance=x": {wrong: fault.Fields{
			"lat": {"Ensure this value is between -90 and 90."}, "lng": {"Ensure this value is between -180 and 180."},
			"within_distance": {number},
		}},
		"type=xfile&lat=x": {wrong: fault.Fields{"type": {"“xfile” is not a valid choice."}}},
	} {
		q := asked(query)
		selection := q.selection(feed.ItemKinds()...)
		if c.wrong != nil {
			assert.Equal(t, c.wrong.Err(), q.err(), query)
			continue
		}
		assert.NoError(t, q.err(), query)
		assert.Equal(t, c.near, selection.Near, query)
	}
}

func TestFED_04_types(t *testing.T) {
	all := []feed.Kind{feed.Node, feed.Publication, feed.Demand, feed.Xfile}
	for s, want := range map[string][]feed.Kind{
		"": feed.ItemKinds(), " , ,": feed.ItemKinds(), "node": {feed.Node}, " demand , xfile ": {feed.Demand, feed.Xfile},
		"demand,demand": {feed.Demand}, "xfile,demand,publication,node": {feed.Xfile, feed.Demand, feed.Publication, feed.Node},
	} {
		q := asked("type=" + url.QueryEscape(s))
		assert.Equal(t, want, q.selection(all...).Kinds, "%q", s)
		assert.NoError(t, q.err(), "%q", s)
	}
	for s, wrong := range map[string]string{
		"nodes": "nodes", "Node": "Node", "node demand": "node demand", "node,event,events": "event", "0": "0", "node;demand": "node;demand",
	} {
		q := asked("type=" + url.QueryEscape(s))
		q.selection(all...)
		assert.Equal(t, fault.Field("type", "“"+wrong+"” is not a valid choice."), q.err(), "%q", s)
	}
}

func TestFED_01_uncategorised_items_have_neither_name_nor_parent(t *testing.T) {
	tree := feed.Tree([]feed.Category{{ID: 30, Name: "", Slug: "a"}, {ID: 31, Parent: 30, Name: "B", Slug: "b"}},
		map[feed.CategoryID]feed.Meta{0: {Count: 1}})
	raw, err := encode(each(tree, renderCategory))
	require.NoError(t, err)
	const nothing = `{"feed_created_at":null,"feed_updated_at":null,"feeds_count":0}`
	const root = `"id":30,"name":"","parent_id":null,"kind":"category","slug":"a","level":0,"meta":` + nothing
	assert.JSONEq(t, `[{"id":"uncategory","parent_id":null,"kind":"category","slug":"uncategory","level":0,
		"meta":{"feed_created_at":null,"feed_updated_at":null,"feeds_count":1},"children":[]},
		{`+root+`,"children":[{"id":31,"name":"B","parent_id":30,"kind":"category","slug":"b","level":1,
		"meta":`+nothing+`,"parent":{`+root+`},"children":[]}]}]`, string(raw))
}

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
