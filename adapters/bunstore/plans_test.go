package bunstore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/geo"
	testserver "plaza/test/postgres"
)

// populousPostgres is large enough to make Postgres choose between plans: 40,000 records of
// each kind in 200 categories, a third of them in the first.
const populousPostgres = `
INSERT INTO users (phone, password_hash, scopes, staff, disabled, generation, firstname, lastname, expertise, location, timezone, joined)
	SELECT '+86-' || n, '', '{}', false, false, 0, '', '', '', '', 'UTC', now() FROM generate_series(1, 20000) n;
INSERT INTO presence (user_id, seen) SELECT id, now() FROM users;
INSERT INTO name_prefixes (prefix, user_id) SELECT 'an', id FROM users;
INSERT INTO tokens (hash, user_id, scopes, narrowed, generation, ttl, created)
	SELECT sha256(convert_to(n::text, 'UTF8')), 1 + n % 20000, '{}', false, 0, 1, now() FROM generate_series(1, 40000) n;
INSERT INTO token_uses SELECT id, now() FROM tokens;
INSERT INTO categories (id, name, slug) SELECT n, 'Nº ' || n, '' FROM generate_series(1, 200) n;
CREATE TEMPORARY TABLE things AS SELECT n AS id, CASE n % 3 WHEN 0 THEN 1 ELSE 1 + n * 31 / 8 % 200 END AS category_id,
	now() - n * interval '1 minute' AS created, now() - (n * 7919 % 100000) * interval '1 minute' AS updated,
	30 + n * 7907 % 9973 / 9973.0 AS lat, 120 + n * 6997 % 9967 / 9967.0 AS lng FROM generate_series(1, 40000) n;
INSERT INTO publications (id, bundle_id, first_original_id, type, title, summary, author_id, language, category_id, published, deleted, created, updated)
	SELECT id, id, CASE WHEN id % 2 = 0 THEN id - 1 END, 0, 'A title', repeat('A summary. ', 20), 1 + id % 20000, 'en', category_id, true, false, created, updated FROM things;
INSERT INTO bundles SELECT id, CASE WHEN id % 2 = 0 THEN id - 1 END FROM things;
INSERT INTO publication_texts SELECT id, repeat('A text. ', 20) FROM things;
INSERT INTO nodes (id, bundle_id, title, summary, author_id, language, category_id, published, deleted, created, updated)
	SELECT id, id, 'A title', repeat('A summary. ', 20), 1 + id % 20000, 'en', category_id, true, false, created, updated FROM things;
INSERT INTO node_texts SELECT id, repeat('A text. ', 20) FROM things;
INSERT INTO demands (id, title, description, tags, images, author_id, address, category_id, lat, lng, closed, starts, ends, published, deleted, created, updated)
	SELECT id, 'A title', 'A description', '{}', '{}', 1 + id % 20000, '', category_id, lat, lng, now(), now(), now(), true, false, created, updated FROM things;
INSERT INTO feed_listings (kind, id, category_id, created, updated)
	SELECT kind, id, category_id, created, updated FROM things, unnest('{publication,node,xfile}'::text[]) kind;
INSERT INTO feed_listings (kind, id, category_id, created, updated) SELECT 'origin', id, category_id, created, updated FROM things WHERE id % 2 = 1;
INSERT INTO feed_listings SELECT 'demand', id, category_id, created, updated, lat, lng FROM things;
INSERT INTO feed_counters SELECT category_id, kind, id % 16, count(*), max(created), max(updated) FROM feed_listings GROUP BY 1, 2, 3;
INSERT INTO feed_totals SELECT kind, id % 16, count(*), 1 FROM feed_listings WHERE kind <> 'xfile' GROUP BY 1, 2;
INSERT INTO feed_totals VALUES ('category', 0, 0, 200);
INSERT INTO events (author_id, day, title, content, html, permission, status, province, city, district, created, modified, published_at)
	SELECT 1 + n % 1000, '2026-01-01'::date + n % 3000, 'A title', '', '', (n % 3) * 100, CASE n % 5 WHEN 0 THEN 0 ELSE 100 END, '', '', '', now() - n * interval '1 minute', now(), now() - n * interval '1 minute'
	FROM generate_series(1, 40000) n;
INSERT INTO event_counts (event_id, author_id, comments, commented) SELECT id, author_id, 1, created FROM events;
INSERT INTO plates (event_id, photo, created) SELECT id, 'private/a', created FROM events;
INSERT INTO comments (event_id, author_id, content, created) SELECT id, 1, 'Well said', created FROM events;
INSERT INTO likes (event_id, user_id) SELECT id, 7 FROM events WHERE id <= 8000;
SET session_replication_role = DEFAULT; -- with the triggers that count
INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires)
	SELECT e.author_id, 'comment', c.author_id, c.id, c.created, 'infinity' FROM comments c JOIN events e ON e.id = c.event_id WHERE e.author_id > 1;
INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires) SELECT 7, 'like', n, 6, now(), 'infinity' FROM generate_series(1001, 1900) n;
SET session_replication_role = replica;
INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires, withdrawn)
	SELECT 7, 'like', n, 13, now(), 'infinity', true FROM generate_series(1001, 20000) n;
INSERT INTO translations SELECT sha256(convert_to(n::text, 'UTF8')), 'A text', 'infinity' FROM generate_series(1, 40000) n;
INSERT INTO news (site_name, site_logo, url, title, released, html, category, city, district, province, country)
	SELECT '', '', '', '', '2026-01-01'::date + n % 3000, '', '', CASE n % 10 WHEN 0 THEN '杭州市' ELSE '' END, '', '', '' FROM generate_series(1, 40000) n;
INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT n, 1 + n % 1000, now(), now() FROM generate_series(1001, 20000) n;
INSERT INTO blocks (user_id, other_id, is_by_user, created)
	SELECT n, n + 1 - n % 2 * 2, n % 2 = 0, now() FROM generate_series(10000, 19999) n;
INSERT INTO images (owner_id, key, width, height, tags, created)
	SELECT 1 + n % 500, 'public/a', 1, 1, ARRAY['t' || n % 7, 't' || n % 11], now() - n * interval '1 minute' FROM generate_series(1, 40000) n;`

// plan is a node of EXPLAIN's output.
type plan struct {
	Node     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Filtered float64 `json:"Rows Removed by Filter"`
	Rechecks float64 `json:"Rows Removed by Index Recheck"`
	Hit      float64 `json:"Shared Hit Blocks"`
	Missed   float64 `json:"Shared Read Blocks"`
	Plans    []plan  `json:"Plans"`
}

// scans returns the nodes that read tables.
func (p plan) scans() []plan {
	var all []plan
	if p.Relation != "" || p.Index != "" {
		all = append(all, p)
	}
	for _, under := range p.Plans {
		all = append(all, under.scans()...)
	}
	return all
}

// read returns how many rows a scan looked at.
func (p plan) read() float64 { return (p.Rows + p.Filtered + p.Rechecks) * max(p.Loops, 1) }

// explain runs the store's own statement with a generic plan, as on its connections,
// and returns the plan.
func explain(t *testing.T, conn *pgx.Conn, statement string, args ...string) plan {
	t.Helper()
	prepare(t, conn, statement)
	return explainPrepared(t, conn, args...)
}

// prepare makes the statement the connection's only prepared one. Its first run plans it.
func prepare(t *testing.T, conn *pgx.Conn, statement string) {
	t.Helper()
	for _, command := range []string{"DEALLOCATE ALL", "SET plan_cache_mode = force_generic_plan", "SET jit = off",
		"SET random_page_cost = 1.1", "PREPARE hot AS " + statement} {
		_, err := conn.Exec(t.Context(), command)
		require.NoError(t, err)
	}
}

// explainPrepared runs the prepared statement, by the plan of its run before unless Postgres
// has dropped that, and returns the plan.
func explainPrepared(t *testing.T, conn *pgx.Conn, args ...string) plan {
	t.Helper()
	execute := "EXECUTE hot"
	if len(args) > 0 {
		execute += "(" + strings.Join(args, ", ") + ")"
	}
	var text string
	require.NoError(t, conn.QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+execute,
		pgx.QueryExecModeSimpleProtocol).Scan(&text))
	var explained []struct{ Plan plan }
	require.NoError(t, json.Unmarshal([]byte(text), &explained))
	return explained[0].Plan
}

// makeContacts makes the contacts as the triggers would.
const makeContacts = `
	INSERT INTO contacts (user_id, contact_id)
	SELECT s.user_id, s.followed_id FROM subscriptions s
	JOIN subscriptions back ON back.user_id = s.followed_id AND back.followed_id = s.user_id
	WHERE NOT EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = s.user_id AND b.other_id = s.followed_id)`

// filledPostgres returns a store on a database of its own and a connection that has
// executed the statements there. Afterwards all tables are vacuumed, as autovacuum does later, and
// analysed from all their rows: a sample would be another one in each run.
func filledPostgres(t *testing.T, statements ...string) (*Store, *pgx.Conn) {
	t.Helper()
	url := testserver.New(t, MigrateAt) // what is deleted stays in a database that is lent
	s, err := Open(t.Context(), engine.Options{URL: url})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Migrate(t.Context())
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(t.Context()) })
	// VACUUM skips rows that are not yet durable.
	settings := []string{"SET synchronous_commit = on", "SET default_statistics_target = 2000", // of up to 600,000 rows
		"SET session_replication_role = replica"} // without triggers, which take half of the time
	for _, statement := range slices.Concat(settings, statements, []string{makeContacts, "VACUUM ANALYZE"}) {
		_, err := conn.Exec(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	return s, conn
}

func TestPlans_on_a_populous_Postgres(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	s, conn := filledPostgres(t, populousPostgres)
	small := smallTables(t, conn)
	t.Run("hot reads use their indexes", func(t *testing.T) { testHotReads(t, s, conn) })
	t.Run("statements run as they stand and read no table whole", func(t *testing.T) { testStatements(t, conn, small) })
	t.Run("USR-07 an export reads no table whole", func(t *testing.T) { testExports(t, conn, small) })
}

func testHotReads(t *testing.T, s *Store, conn *pgx.Conn) {
	for _, r := range postgresReads(t, s) {
		t.Run(r.name, func(t *testing.T) {
			var read float64
			var used []string
			for _, scan := range explain(t, conn, r.statement, r.args...).scans() {
				if slices.Contains(r.whole, scan.Relation) {
					continue
				}
				assert.NotEqual(t, "Seq Scan", scan.Node, scan.Relation)
				used = append(used, scan.Index)
				read += scan.read()
			}
			for _, index := range r.indexes {
				assert.True(t, slices.Contains(used, index), "%s is not used, but %v", index, used)
			}
			assert.LessOrEqual(t, read, r.read, "rows read of all tables")
		})
	}
	assertListsAreOneStatement(t, conn.Config().ConnString())
}

// postgresRead is a hot read with its expected plan on Postgres.
type postgresRead struct {
	name      string
	statement string
	args      []string
	indexes   []string // must all be used
	read      float64  // limit of the rows read, of all tables together
	whole     []string // tables that may be read whole: there are few categories and counters of them, and at most 80 totals
}

// postgresReads returns all of them.
func postgresReads(t *testing.T, s *Store) []postgresRead {
	t.Helper()
	area := feed.Area{Centre: geo.Point{Lat: 30.5, Lng: 120.5}, Within: 5}
	near := slices.Clip(parameters(circleOf(area.Centre, area.Within)))
	itemKinds := []string{"'node'", "'publication'", "'demand'", "''"}
	totals := []string{"feed_totals"}
	return append(append(eventPagePlans(), imagePlans(s)...), []postgresRead{
		{"session", constants["sessionOf"].Postgres, []string{"sha256('7')"},
			[]string{"tokens_hash_key", "users_pkey", "presence_pkey", "token_uses_pkey"}, 8, nil},
		{"members", s.Pick(constants["membersByID"]), []string{"'{1,2,3,4,5,6,7,8,9,10}'"}, []string{"users_pkey", "presence_pkey"}, 40, nil},
		{"search", s.Pick(constants["foundByPrefix"]), []string{"'an'", "1001", "0", "0", "21", "false", "'{}'", "1000"},
			[]string{"name_prefixes_pkey", "users_pkey", "presence_pkey", "subscriptions_user_id_followed_id_key"}, 5*21 + 5, nil},
		{"translations", s.Pick(constants["translationsOf"]), []string{`ARRAY[sha256('7'), sha256('8'), sha256('none')]`, "now()"}, []string{"translations_pkey"}, 6, nil},
		{"items of a kind", constants["publicationsOfCategory"].Postgres, []string{"1", "20", "0"},
			[]string{"feed_listings_newest", "publications_pkey", "feed_counters_pkey"}, 80 + 8, nil},
		{"items of a kind, page 500", constants["nodesOfCategory"].Postgres, []string{"1", "20", "10000"},
			[]string{"feed_listings_newest", "nodes_pkey"}, 10_020 + 80, nil},
		{"demands", constants["demandsOfCategory"].Postgres, []string{"1", "20", "0"},
			[]string{"feed_listings_newest", "demands_pkey", "users_pkey", "presence_pkey", "feed_counters_pkey"}, 80 + 40 + 8, nil},
		{"the tree", constants["tree"].Postgres, itemKinds, nil, 0, []string{"feed_counters", "categories"}},
		{"the version of the feed", constants["feedVersion"].Postgres, itemKinds, nil, 0, totals},
		{"categories", s.Pick(constants["categoriesOf"]), []string{"'{1,2,3,4,5,6,7,8,9,10}'"}, nil, 0, []string{"categories"}},
		// a whole band of latitudes
		{"the tree near", constants["treeNear"].Postgres, near, []string{"feed_listings_near"}, 4000, []string{"categories"}},
		{"merged items", constants["itemsOfCategory"].Postgres, append([]string{"1", "20", "0"}, itemKinds...),
			[]string{"feed_listings_merged", "publications_pkey", "nodes_pkey", "demands_pkey", "users_pkey", "presence_pkey"}, 200, nil},
		{"items near", constants["demandsNear"].Postgres, append(near, "1", "20", "0"),
			[]string{"feed_listings_near", "demands_pkey", "users_pkey", "presence_pkey"}, 4000 + 80, nil},
		{"the latest", constants["latestPublications"].Postgres, []string{"'publication'", "20", "0"},
			[]string{"feed_listings_latest", "publications_pkey"}, 2 * 20, totals},
		{"the latest of a category", constants["latestOfCategory"].Postgres, []string{"'publication'", "20", "0", "2"},
			[]string{"feed_listings_updated", "publications_pkey", "feed_counters_pkey"}, 80 + 8, nil},
		{"the latest origins", constants["latestPublications"].Postgres, []string{"'origin'", "20", "0"},
			[]string{"feed_listings_latest", "publications_pkey"}, 2 * 20, totals},
		{"the latest origins of a category", constants["latestOfCategory"].Postgres, []string{"'origin'", "20", "0", "2"},
			[]string{"feed_listings_updated", "publications_pkey"}, 80 + 8, nil},
		{"an opened publication", constants["openedPublication"].Postgres, []string{"78"},
			[]string{"feed_listings_pkey", "publications_pkey", "publication_texts_pkey"}, 3, nil},
		{"an opened node", constants["openedNode"].Postgres, []string{"78"}, []string{"feed_listings_pkey", "nodes_pkey", "node_texts_pkey"}, 3,
			nil},
		{"an opened demand", constants["openedDemand"].Postgres, []string{"78"},
			[]string{"feed_listings_pkey", "demands_pkey", "users_pkey", "presence_pkey"}, 4, nil},
		{"translations of a publication", constants["translationsOfItem"].Postgres, []string{"78", "'publication'", "200"},
			[]string{"publications_pkey", "publications_translations"}, 6, nil},
		{"translations of a node", constants["translationsOfItem"].Postgres, []string{"78", "'node'", "200"},
			[]string{"nodes_pkey", "bundles_pkey", "publications_translations"}, 6, nil},
		{"an event for a viewer", constants["eventFor"].Postgres, []string{"77", "7"},
			[]string{"events_pkey", "event_counts_pkey", "plates_of_event"}, 8, nil},
		{"the likes of events", s.Pick(constants["likings"]), []string{"'{77,78,79,80,81,82,83,84,85,86}'", "7"},
			[]string{"events_pkey", "event_counts_pkey", "likes_of_user"}, 10 * 5, nil},
		{"relations", s.Pick(constants["tiesTo"]), []string{"'{77,78,79,80,81,82,83,84,85,86}'", "7"},
			[]string{"users_pkey", "subscriptions_user_id_followed_id_key"}, 10 * 4, nil},
		{"the moment", s.Pick(constants["moment"]), []string{"'{2026-02-03,2026-02-04}'", "7", "10"},
			[]string{"events_of_day_public", "events_of_author", "categories_pkey", "users_pkey", "presence_pkey"}, 2 * (3*10 + 3*20),
			[]string{"contacts"}},
		{"people and categories", s.Pick(constants["peopleAndCategories"]), []string{"'{1,2,3,4,5,6,7,8,9,10}'", "'{1,2,3}'"},
			[]string{"users_pkey", "presence_pkey"}, 4 * 10, []string{"categories"}},
		{"a timeline", s.Pick(constants["timeline"]), []string{"1007", "'infinity'", "9223372036854775807", "21"},
			[]string{"subscriptions_user_id_followed_id_key", "events_published", "events_pkey", "event_counts_pkey", "plates_of_event"}, 8 * 21,
			[]string{"contacts"}},
		{"the newest comments", s.Pick(constants["newestComments"]), []string{"'{7,8,9}'", "10", "7"},
			[]string{"comments_of_event", "users_pkey", "presence_pkey"}, 12 + 6, nil},
		{"a page of comments", constants["commentsPage"].Postgres, []string{"77", "20", "0", "7"},
			[]string{"comments_of_event", "users_pkey", "presence_pkey"}, 3 * 20, nil},
		{"notifications", constants["notices"].Postgres, []string{"7", "4000000", "21"},
			[]string{"notifications_of_owner", "notification_counts_pkey", "events_pkey", "users_pkey", "presence_pkey"}, 1 + 4*21, nil},
		{"notifications of comments", constants["notices"].Postgres, []string{"8", "4000000", "21"},
			[]string{"notifications_of_owner", "comments_pkey", "events_pkey"}, 1 + 5*21, nil},
		{"news around", s.Pick(constants["newsOfDays"]), []string{"'{2026-02-03}'", "'{杭州市}'", "10"},
			[]string{"news_of_day", "news_of_day_anywhere"}, 3 * 10, nil},
		{"the events commented last", constants["eventsCommentedLast"].Postgres, []string{"7", "10"},
			[]string{"event_counts_commented", "events_pkey"}, 60, nil},
	}...)
}

// imagePlans are the lists with every combination of conditions: each reads only the
// owner's images.
func imagePlans(s *Store) []postgresRead {
	var reads []postgresRead
	for _, tags := range [][2]string{{"'{}'", "'{}'"}, {"'{t1}'", "'{}'"}, {"'{}'", "'{t2}'"}, {"'{t1}'", "'{t2}'"}} {
		reads = append(reads, postgresRead{
			fmt.Sprint("images with ", tags), s.Pick(constants["imagesOf"]), []string{"7", tags[0], tags[1], "20", "0"}, []string{"images_of_owner"},
			2 * 200, nil,
		})
	}
	return reads
}

// eventPagePlans are the pages in the order of the author's index, and in another. Each page is selected from the author's
// index, and only its events are looked up.
func eventPagePlans() []postgresRead {
	args := []string{"7", "20", "0", "8"}
	indexes := []string{"events_of_author", "events_pkey", "event_counts_pkey", "plates_of_event"}
	most := 100.0 + 3*20 // the author's events, and the page
	return []postgresRead{
		{"a page of events", constants["eventsOfAuthor"].Postgres, args, indexes, most, []string{"contacts"}},
		{"a page of events in another order", constants["eventsInOrder"].Postgres, append(args[:4:4], "'create_time'", "'-event_time'"), indexes,
			most, []string{"contacts"}},
	}
}

// parameters returns the values in the syntax of EXECUTE.
func parameters(args []any) []string {
	all := make([]string, len(args))
	for i, arg := range args {
		all[i] = fmt.Sprint(arg)
	}
	return all
}
