package bunstore

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"plaza/domain/calendar"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/test/content"
)

// sqliteRead is a hot read with its expected plan on SQLite.
type sqliteRead struct {
	name      string
	statement string
	args      []any
	by        []string // required accesses
	also      []string // other permitted accesses and sorts, all of few rows
	steps     int      // limit of SQLite's virtual machine steps, about ten per row of each table
}

// sqliteReads returns all of them. Their cost is independent of the number of rows,
// unless the number of steps says otherwise.
func sqliteReads(t *testing.T, s *Store) []sqliteRead {
	t.Helper()
	return slices.Concat(peopleReads(s), pageReads(s), treeReads(s), eventReads(s), eventPageReads(t, s), imageReads(s))
}

// A user, and when the user was seen.
const (
	byUser     = "SEARCH u USING INTEGER PRIMARY KEY (rowid=?)"
	byPresence = "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)"
)

func peopleReads(s *Store) []sqliteRead {
	return []sqliteRead{
		{
			name: "session", statement: s.hot.session, args: []any{[]byte("00000000000000000000000000000007")},
			by: []string{
				"SEARCH t USING INDEX sqlite_autoindex_tokens_1 (hash=?)", "SEARCH w USING INTEGER PRIMARY KEY (rowid=?)",
				byUser, byPresence,
			},
			steps: 50,
		},
		{
			name: "members", statement: s.hot.members, args: []any{s.dialect.listOf([]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})},
			by:    []string{byUser, byPresence},
			steps: 300,
		},
		{
			name: "categories", statement: s.hot.categories, args: []any{s.dialect.listOf([]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})},
			by:    []string{"SEARCH categories USING INTEGER PRIMARY KEY (rowid=?)"},
			steps: 170,
		},
		{
			name: "translations", statement: s.hot.translations,
			args:  []any{s.dialect.listOf([][]byte{[]byte("00000000000000000000000000000007"), []byte("none")}), 0},
			by:    []string{"SEARCH t USING INDEX sqlite_autoindex_translations_1 (key=?)"},
			steps: 100,
		},
	}
}

// The counters of pages of the feed, one row per category and kind: there is one writer
// at a time, and so one shard.
const (
	countersOfKind = "SEARCH feed_counters USING INDEX sqlite_autoindex_feed_counters_1 (category_id=? AND kind=?)"
	countersHere   = "SEARCH l USING INDEX sqlite_autoindex_feed_counters_1 (category_id=? AND kind=?)"
)

// The total of the latest publications of all categories, in one row.
const totalOfKind = "SEARCH l USING INDEX sqlite_autoindex_feed_totals_1 (kind=?)"

// versions are the totals that a version sums.
const versions = "SEARCH feed_totals USING INDEX sqlite_autoindex_feed_totals_1 (kind=?)"

const (
	scanPage      = "SCAN page" // kept short by the limit
	byPublication = "SEARCH publication USING INTEGER PRIMARY KEY (rowid=?)"
	byNode        = "SEARCH node USING INTEGER PRIMARY KEY (rowid=?)"
	byDemand      = "SEARCH demand USING INTEGER PRIMARY KEY (rowid=?)"
)

func pageReads(s *Store) []sqliteRead {
	const (
		newestOf = "SEARCH l USING COVERING INDEX feed_listings_newest (category_id=? AND kind=?)"
		latest   = "SEARCH l USING COVERING INDEX feed_listings_latest (kind=?)"
		latestOf = "SEARCH l USING COVERING INDEX feed_listings_updated (category_id=? AND kind=?)"
	)
	area := feed.Area{Centre: geo.Point{Lat: 30.5, Lng: 120.5}, Within: 5}
	near := slices.Concat(circleParameters(area), boxParameters(area))
	here, anywhere := []any{20, 0, 1}, []any{20, 0}
	page := []string{scanPage}
	return []sqliteRead{
		{"publications", s.hot.pageOf[feed.Publication], here, []string{newestOf, byPublication, countersOfKind}, page, 800},
		{"nodes", s.hot.pageOf[feed.Node], here, []string{newestOf, byNode, countersOfKind}, page, 720},
		{"demands", s.hot.pageOf[feed.Demand], here, []string{newestOf, byDemand, byUser, byPresence, countersOfKind}, page, 1400},
		{
			"nodes, page 26: what is before it is stepped over", s.hot.pageOf[feed.Node], []any{20, 500, 1},
			[]string{newestOf, byNode, countersOfKind}, page, 2400,
		},
		{
			"merged", s.hot.pageMerged, append(here, s.dialect.listOf(kindNames(feed.ItemKinds()))),
			[]string{"SEARCH l USING COVERING INDEX feed_listings_merged (category_id=?)", byPublication, byNode, byDemand, byUser, byPresence, countersOfKind},
			page, 3000,
		},
		{
			"near: a whole band of latitudes in the category", s.hot.pageNear, append(here, near...),
			[]string{"SEARCH l USING COVERING INDEX feed_listings_near (category_id=? AND lat>? AND lat<?)", byDemand, byUser, byPresence},
			[]string{scanPage, "SCAN there", "USE TEMP B-TREE FOR ORDER BY"}, 1000 + many*45/100, // the rows within the area
		},
		{"latest", s.hot.latest, anywhere, []string{latest, byPublication, totalOfKind}, page, 800},
		{"latest of a category", s.hot.latestOf, here, []string{latestOf, byPublication, countersHere}, page, 800},
		{"latest origins", s.hot.latestOrigins, anywhere, []string{latest, byPublication, totalOfKind}, page, 800},
		{"latest origins of a category", s.hot.latestOriginsOf, here, []string{latestOf, byPublication, countersHere}, page, 800},
	}
}

// treeReads read all the categories, each of which they show.
func treeReads(s *Store) []sqliteRead {
	// counted has one row for each category.
	categories := []string{"SCAN c", "SCAN k", "SEARCH k USING AUTOMATIC COVERING INDEX (category_id=?)"}
	nearby := []string{
		"SEARCH l USING COVERING INDEX feed_listings_by_strip (kind=? AND <expr>=? AND lng>? AND lng<?)", "USE TEMP B-TREE FOR GROUP BY",
	}
	area := feed.Area{Centre: geo.Point{Lat: 30.5, Lng: 120.5}, Within: 5}
	return []sqliteRead{
		{
			name: "tree", statement: s.hot.tree, args: []any{s.dialect.listOf(kindNames(feed.ItemKinds()))},
			by:   []string{"SCAN feed_counters USING INDEX sqlite_autoindex_feed_counters_1"},
			also: categories, steps: 34_000,
		},
		{
			name: "feed version", statement: s.hot.feedVersion, args: []any{s.dialect.listOf(kindNames(feed.ItemKinds()))},
			by: []string{versions}, steps: 110,
		},
		{
			name: "tree near", statement: s.hot.treeNear,
			args: nearArgs(area),
			also: slices.Concat(categories, nearby, []string{ // the tiles; held, t and parts are made by the statement
				"SEARCH f USING PRIMARY KEY (tile_row=? AND tile_column>? AND tile_column<?)", "SCAN held", "SCAN t", "SCAN parts",
				"SEARCH feed_totals USING INDEX sqlite_autoindex_feed_totals_1 (kind=?)", "SCAN feed_tiles_state", // of one row
			}),
			steps: 6000 + 2*many,
		},
	}
}

// The counts and plates of an event; plates are at most event.MaxPlates.
const (
	eventItself = "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)"
	eventCounts = "SEARCH n USING INTEGER PRIMARY KEY (rowid=?)"
	eventPlates = "SEARCH p USING INDEX plates_of_event (event_id=?)"
	sortPlates  = "USE TEMP B-TREE FOR json_group_array(ORDER BY)"
	sortFound   = "USE TEMP B-TREE FOR ORDER BY" // the rows within the limits
	scanKey     = "SCAN w"                       // the only key
	scanTop     = "SCAN top"                     // kept short by the limit
)

func eventReads(s *Store) []sqliteRead {
	day := s.dialect.key([]calendar.Date{calendar.DateOf(time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC))})
	return []sqliteRead{
		{
			"liking", s.hot.liking, []any{77, 7},
			[]string{
				eventItself, eventCounts, "SEARCH l USING COVERING INDEX sqlite_autoindex_likes_1 (event_id=? AND user_id=?)",
				"SEARCH s USING COVERING INDEX sqlite_autoindex_subscriptions_1 (user_id=? AND followed_id=?)",
			},
			nil, 90,
		},
		{
			"event for a viewer", s.hot.eventFor, []any{77, 7},
			[]string{
				eventItself, eventCounts, eventPlates,
				"SEARCH s USING COVERING INDEX sqlite_autoindex_subscriptions_1 (user_id=? AND followed_id=?)",
			},
			[]string{sortPlates}, 95,
		},
		{"event", s.hot.event, []any{77}, []string{eventItself, eventCounts, eventPlates}, []string{sortPlates}, 75},
		{
			"on dates", s.hot.onDates, []any{day, 7, 10},
			[]string{
				"SEARCH e USING COVERING INDEX events_of_day_public (day=?)",
				"SEARCH e USING COVERING INDEX events_of_day_hidden (day=? AND permission=? AND author_id=?)", // the viewer's own
				"SEARCH e USING COVERING INDEX events_of_day_hidden (day=? AND permission=? AND author_id>?)", // the next author
				"SEARCH s USING COVERING INDEX sqlite_autoindex_subscriptions_1 (user_id=? AND followed_id>?)",
				"SEARCH s USING COVERING INDEX sqlite_autoindex_subscriptions_1 (user_id=? AND followed_id=?)",
				"SEARCH back USING COVERING INDEX sqlite_autoindex_subscriptions_1 (user_id=? AND followed_id=?)",
				"SEARCH e USING COVERING INDEX events_of_day_hidden (day=? AND permission=? AND author_id>? AND author_id<?)", // of a span of authors
				"SEARCH e USING COVERING INDEX events_of_day_hidden (day=? AND permission=? AND author_id=? AND created>?)",
				eventItself, eventPlates, byUser, byPresence,
				"SEARCH c USING INTEGER PRIMARY KEY (rowid=?)", // its category
			},
			[]string{
				scanKey, scanTop, sortPlates, sortFound, "SCAN seen", "SCAN part", "SEARCH part", "SEARCH next", // kept short by limits
				"SCAN b", "SCAN steps", "SCAN followed", // two rows per span, and the events of the followed
			}, 1750,
		},
		{
			"newest comments", s.hot.newest, []any{s.dialect.key([]int64{7}), 10},
			[]string{"SEARCH c USING COVERING INDEX comments_of_event (event_id=?)", "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)", byUser, byPresence},
			[]string{scanKey, scanTop, sortFound}, 105,
		},
		{
			"a page of comments", s.hot.comments, []any{77, 20, 0},
			[]string{
				"SEARCH c USING INDEX comments_of_event (event_id=?)", "SEARCH comments USING COVERING INDEX comments_of_event (event_id=?)",
				byUser, byPresence,
			},
			[]string{"SCAN c"}, 150, // c is the page
		},
		{
			"news around", s.hot.newsOfDays, []any{day, s.dialect.key([]string{"杭州市"}), 10},
			[]string{
				"SEARCH n USING COVERING INDEX news_of_day (released=? AND city=?)", "SEARCH n USING INDEX news_of_day_anywhere (released=?)",
				"SEARCH n USING INTEGER PRIMARY KEY (rowid=?)",
			},
			[]string{scanKey, scanTop, "SCAN part", sortFound}, 850, // part is limited, too
		},
		{
			"commented", s.hot.commented, []any{7, 10},
			[]string{"SEARCH n USING INDEX event_counts_commented (author_id=? AND commented>?)", eventItself, eventPlates},
			[]string{sortPlates}, 650,
		},
	}
}

// eventOrders are an order of a page of events of each kind: that of the author's index, one in
// which the author's events of a day are sorted, and one in which all the author's events are.
var eventOrders = []string{"-event_time,-create_time", "event_time,-create_time", "create_time"}

// eventPageReads are the pages in these orders. The author's index contains all columns that
// select a page. Only the events of the page are looked up, and sorted once more.
func eventPageReads(t *testing.T, s *Store) []sqliteRead {
	t.Helper()
	var reads []sqliteRead
	for i, order := range eventOrders {
		parsed := content.Ordering(order)
		read := sqliteRead{
			name: "events by " + order, statement: s.hot.eventPage[0] + ordering(parsed) + s.hot.eventPage[1] + ordering(parsed),
			args: []any{7, s.dialect.listOf([]int64{100_000, 100_100}), 20, 0},
			by:   []string{"SEARCH e USING COVERING INDEX events_of_author (author_id=?)", eventItself, eventCounts, eventPlates},
			also: []string{scanTop, sortFound, sortPlates}, // top is the page
		}
		read.steps = []int{4000, 4400, 5500}[i]
		if i == 1 {
			read.also = append(read.also, "USE TEMP B-TREE FOR LAST TERM OF ORDER BY", "USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY")
		}
		reads = append(reads, read)
	}
	return reads
}

// imageReads read all images of their owner, at most userimage.MaxImages.
func imageReads(s *Store) []sqliteRead {
	var reads []sqliteRead
	for asked, statement := range s.hot.images {
		args, subqueries := []any{7}, 2
		if asked.contains {
			subqueries += 2
			args = append(args, s.dialect.listOf([]string{"t1"}))
		}
		if asked.overlaps {
			subqueries += 2
			args = append(args, s.dialect.listOf([]string{"t2"}))
		}
		read := sqliteRead{
			name: fmt.Sprintf("images %+v", asked), statement: statement,
			by: []string{"SEARCH images USING INDEX images_of_owner (owner_id=?)"}, steps: 9000,
		}
		if asked.page {
			args = append(args, 20, 0)
			read.also, read.steps = []string{fmt.Sprintf("SCAN (subquery-%d)", subqueries), "USE TEMP B-TREE FOR ORDER BY"}, 10_500
		}
		read.args = args
		reads = append(reads, read)
	}
	return reads
}
