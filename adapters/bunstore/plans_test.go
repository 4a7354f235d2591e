package bunstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	sqlite3 "modernc.org/sqlite/lib"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/application/telemetry"
	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/geo"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/quota"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// hotRead is a read of the crowd: how many rows it finds, and how many rows of tables and entries of indexes it reads at most.
type hotRead struct {
	name, statement string
	args            []any
	finds, most     int
}

// hotReads are reads that members wait for, seen by those for whom they cost most.
func hotReads(t *testing.T, s *Store) []hotRead {
	t.Helper()
	of := func(constant string) string { return s.Pick(constants[constant]) }
	key := func(list any) any { return s.Dialect.Key(list) }
	day := func(day string) any { return key([]string{day}) }
	hash := [32]byte{31: 7}
	later, noID := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), int64(math.MaxInt64)
	hour := []any{noon.Add(-time.Hour), noon, 4}
	anyEvent, behindAll := []any{10_050, 20, 0, stranger, calendar.First, calendar.Last, 0, 100}, []any{later, -noID}
	words := func(and ...string) []any {
		by := s.Pick(engine.Text{Postgres: " & ", SQLite: " AND "})
		return []any{strings.Join(and, by), 21, shy, later, "", noID, []string{"xfile"}}
	}
	newest, newestOf := of("newestByWords"), func(among int, and ...string) []any { return append(words(and...), among) }
	if newest == "" { // SQLite's index of words is in the order of the list
		newest, newestOf = of("foundByWords"), func(_ int, and ...string) []any { return words(and...) }
	}
	reads := []hotRead{
		{"SRC-01 a word that every text has", newest, newestOf(1000, "a"), 21, 5100},
		{"SRC-01 one Chinese character", newest, newestOf(1000, "大"), 21, 5100},
		{"SRC-01 ten words", newest, newestOf(20_000, "a", "大", "b1", "c1", "d1", "e1", "a", "大", "b1", "c1"), 21, 12_000},
		{"SRC-01 a word that none has", of("foundByWords"), words("none"), 0, 10},
		{"SRC-01 a rare word beside a common one", of("foundByWords"), words("a", "rare"), 1, 5100},
		{"SRC-01 a word of old texts", of("foundByWords"), words("old"), 21, 5300},
		{"session", of("sessionOf"), []any{hash}, 1, 4},
		{"members", of("membersByID"), []any{idsFrom(1, 10)}, 10, 40},
		{"people and categories", of("peopleAndCategories"), []any{idsFrom(1, 10), idsFrom(1, 3)}, 13, 40},
		{"a page of events", of("eventsOfAuthor"), append(anyEvent, calendar.Last, later, -noID), 4, 40},
		{"a page of events in another order", of("eventsInOrder"), append(anyEvent, "create_time", "-event_time"), 4, 40},
		{"the events commented last", of("eventsCommentedLast"), []any{10_050, 10}, 10, 60},
		{"EVT-23 the timeline of one who follows many", of("timeline"), []any{eager, later, noID, 101}, 101, 10*follows + 10*101},
		{"EVT-23 the timeline of one who follows a huge diary", of("timeline"), []any{fan, later, noID, 101}, 101, 10 * 101},
		{"EVT-23 the timeline of one who follows no one", of("timeline"), []any{stranger, later, noID, 101}, 0, 10},
		{"EVT-14 the moment behind private events", of("moment"), []any{day(privateDay), stranger, 11}, 11, 100},
		{"EVT-14 the same, seen by one with contacts", of("moment"), []any{day(privateDay), eager, 11}, 11, 2*follows + 100},
		{"EVT-14 the moment behind events for others' contacts", of("moment"), []any{day(strangerDay), eager, 11}, 11, 2*follows + 100},
		{"EVT-14 the same, seen by a stranger", of("moment"), []any{day(strangerDay), stranger, 11}, 11, 100},
		{"EVT-14 the moment of a busy contact", of("moment"), []any{day(contactDay), eager, 11}, 11, 2*follows + crowdOfDay},
		{"EVT-14 the same, seen by a stranger", of("moment"), []any{day(contactDay), stranger, 11}, 11, 100},
		{"MOD-02 the moment of one who blocks many", of("moment"), []any{day(quarrelDay), shy, 11}, 11, 200},
		{"MOD-02 the moment of one whom many block", of("moment"), []any{day(quarrelDay), disliked, 11}, 11, 6 * quarrellers},
		{"MOD-02 comments, seen by one who blocks many", of("commentsPage"), []any{1, 20, 0, shy, later, noID}, 20, 4 * quarrellers},
		{"MOD-02 comments, seen by one whom many block", of("commentsPage"), []any{1, 20, 0, disliked, later, noID}, 0, 6 * quarrellers},
		{"MOD-02 comments, seen by one without blocks", of("commentsPage"), []any{1, 20, 0, stranger, later, noID}, 20, quarrellers + 60},
		{"the newest comments", of("newestComments"), []any{key(idsFrom(1, 1)), 10, stranger}, 10, 30},
		{"MOD-02 the newest comments, of which one blocks many", of("newestComments"), []any{key(idsFrom(1, 1)), 10, shy}, 10, 80},
		{"MOD-02 an event that many block", of("eventFor"), []any{2, disliked}, 1, 8},
		{"SUB-05 relations to many followers", of("tiesTo"), []any{idsFrom(10_001, 100), idol}, 100, 400},
		{"SUB-05 likes of many followers", of("likings"), []any{idsFrom(1, 100), idol}, 100, 500},
		{"NTF-01 notifications beside withdrawn ones", of("notices"), []any{noticed, noID, 21, 0}, 21, 5*21 + 10},
		{"images", of("imagesOf"), []any{7, []string{}, []string{}, 20, 0, later, noID}, 20, 100},
		{"news around", of("newsOfDays"), []any{day("2024-02-03"), key([]string{"杭州市"}), 10}, 10, 30},
		{"items of a kind", of("publicationsOfCategory"), append([]any{1, 20, 0}, behindAll...), 20, 80},
		{"items of a kind, page 250", of("nodesOfCategory"), append([]any{1, 20, 5000}, behindAll...), 20, 5080},
		{"demands", of("demandsOfCategory"), append([]any{1, 20, 0}, behindAll...), 20, 120},
		{"merged items", of("itemsOfCategory"), []any{1, 20, 0, later, -noID, "", "node", "publication", "demand", ""}, 20, 200},
		{"the latest", of("latestPublications"), append([]any{"publication", 20, 0}, behindAll...), 20, 60},
		{"the latest origins of a category", of("latestOfCategory"), []any{"origin", 20, 0, later, -noID, 2}, 20, 60},
		{"the version of the feed", of("feedVersion"), []any{"node", "publication", "demand", ""}, 1, 80},
		{"an opened demand", of("openedDemands"), []any{idsFrom(78, 1)}, 1, 4},
		{"an opened publication", of("openedPublications"), []any{idsFrom(78, 1), true}, 1, 3},
		{"translations of a node", of("translationsOfItem"), []any{78, "node", 200}, 2, 6},
		{"FED-05 the tree near", of("treeNear"), circleOf(5), 267, 4000},
		{"FED-05 demands near", of("demandsNear"), append(circleOf(5), 1, 20, 0, later, -noID), 20, 1000},
		{"FED-05 demands of a small category near", of("demandsNear"), append(circleOf(5), 3, 20, 0, later, -noID), 0, 10},
		{"AUT-15 tries of a number", of("useOfNumber"), append([]any{"tried", "8613800000001"}, hour...), 1, 5},
		{"AUT-15 tries of a prefix", of("useOfPrefix"), append([]any{"tried", "861380000"}, hour...), 1, 5},
		{"AUT-15 tries from a network", of("useOfSource"), append([]any{"tried", "2001:db8:1::/48"}, hour...), 1, 5},
		{"MOD-05 notes of a case with many reports", of("notesOfCase"), []any{1, moderation.MostNotes}, moderation.MostNotes, 25},
		{"MOD-05 what cases keep", of("versionsOfCases"), []any{idsFrom(20_001, 20), 4}, 20, 100},
		{"OFF-01 recent days", of("createdBetween"), []any{noon.AddDate(0, 0, -1), noon.AddDate(0, 0, 1)}, 1, 3 * (telemetry.MaxCount + 200)},
	}
	reads = append(reads, searchReads(of("foundByPrefix"))...)
	for i := range reads {
		reads[i].args = engine.Each(s.DB, func(*struct{}) error { return nil }, "", reads[i].args...).Args
	}
	return append(reads, builtReads(t, s)...)
}

// searchReads are searches. For each followed user one reads the subscription and the prefix; for each who is examined the prefix, the
// account and the block; for each who is found also the profile and its presence.
func searchReads(foundByPrefix string) (reads []hotRead) {
	const examined = 1000
	for _, r := range []struct {
		prefix                  string
		by, followed, others    int64 // behind which it continues
		limit, finds, mostReads int
	}{
		{"ma", eager, 0, 0, 21, 1, 3*follows + 4*examined},
		{"ma", eager, math.MaxInt64, 39_950, 21, 21, 5 * 21},
		{"ma", stranger, 0, 0, 21, 1, 4 * examined},
		{"maximili", stranger, 0, 38_500, examined, 1, 4 * examined},
		{"bo", eager, 0, 0, 21, 21, 3*follows + 5*21},
		{"borislav", stranger, 0, 0, examined, examined, 6 * examined},
		{"bo", shy, 0, 0, 21, 21, 8 * 21},
		{"bo", disliked, 0, 0, 21, 1, 6 * examined},
		{"none", eager, 0, 0, 21, 0, 3 * follows},
		{"none", stranger, 0, 0, 21, 0, 10},
	} {
		args := []any{r.prefix, r.by, r.followed, r.others, r.limit, false, []int64{3, 40_002}, examined}
		reads = append(reads, hotRead{fmt.Sprint("USR-08 a search for ", args[:5]), foundByPrefix, args, r.finds, r.mostReads})
	}
	return reads
}

// lastQuery is the last statement that bun has made.
type lastQuery string

func (*lastQuery) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }

func (q *lastQuery) AfterQuery(_ context.Context, e *bun.QueryEvent) { *q = lastQuery(e.Query) }

// builtReads are queries of bun.
func builtReads(t *testing.T, s *Store) (reads []hotRead) {
	t.Helper()
	var seen lastQuery
	db := *s.DB
	db.Reader = s.Reader.WithQueryHook(&seen)
	built, small := (&Store{DB: &db}).WithQuotas(quota.Limits{}), page.Behind(page.Cursor{}, 20)
	add := func(name string, finds, most int, err error) {
		require.NoError(t, err, name)
		reads = append(reads, hotRead{name, string(seen), nil, finds, most})
	}
	_, err := built.Subscriptions.List(t.Context(), subscription.Query{Followed: idol})
	add("SUB-05 a page of followers, which are counted in the index", page.DefaultSize, 50_000+2*page.DefaultSize, err)
	_, err = built.Subscriptions.List(t.Context(), subscription.Query{User: fan, Followed: idol})
	add("SUB-05 a follower", 1, 2, err)
	for _, q := range []struct {
		moderation.Query
		finds int
	}{
		{moderation.Query{}, 21}, {moderation.Query{IsDecided: true}, 21}, {moderation.Query{Kind: moderation.Image}, 20},
		{moderation.Query{Reason: moderation.Illegal}, 20}, {moderation.Query{Before: noon.AddDate(100, 0, 0)}, 21},
	} {
		q.CursorRequest, q.IsOldestFirst = small, !q.IsDecided
		_, err = built.Moderation.Cases(t.Context(), q.Query)
		add(fmt.Sprintf("MOD-05 cases of %v", q.Query), q.finds, 2*21, err)
	}
	behind := page.Behind(page.At(noon, subscription.ID(1)), 20).Paged()
	_, err = built.Subscriptions.List(t.Context(), subscription.Query{Followed: idol, Page: behind})
	add("GEN-18 followers behind a cursor", 21, 3*21, err)
	for _, f := range []access.AccountFilter{
		{}, {IsDisabled: true}, {IsStaff: true}, {Role: access.Cashier}, {IsDisabled: true, Span: page.Span{IsOldestFirst: true}},
	} {
		_, err = built.Accounts.Newest(t.Context(), f, small)
		add(fmt.Sprintf("OFF-05 accounts of %+v", f), 21, 5*21, err)
	}
	byAmount := page.Span{IsByAmount: true}
	for _, f := range []payment.OrderFilter{{Span: byAmount}, {State: payment.Paid, Span: byAmount}, {State: payment.Open, Span: byAmount}} {
		_, err = built.Ledger.Orders(t.Context(), f, small.Paged())
		add(fmt.Sprintf("OFF-05 orders by amount %q", f.State), 21, 3*21, err)
	}
	_, err = built.Ledger.Payments(t.Context(), payment.PaymentFilter{State: payment.Applied, Span: byAmount}, small.Paged())
	add("OFF-05 payments by amount", 21, 3*21, err)
	_, err = built.Ledger.Refunds(t.Context(), payment.RefundFilter{Span: byAmount}, small.Paged())
	add("OFF-05 refunds by amount", 21, 3*21, err)
	_, err = built.Moderation.Of(t.Context(), 7, page.Span{}, page.Request{})
	add("OFF-01 what is hidden of one", page.DefaultSize, 4*page.DefaultSize+40, err)
	_, err = built.Moderation.ReportsBy(t.Context(), 2, page.Span{}, page.Request{})
	add("MOD-07 reports of one", page.DefaultSize, 20_000+100, err)
	return reads
}

func idsFrom(first, n int64) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = first + int64(i)
	}
	return all
}

// circleOf returns the parameters $1 to $10 of treeNear for a circle around the lake.
func circleOf(within geo.Kilometres) []any {
	lake := geo.Point{Lat: 30.5, Lng: 120.5}
	box, sine := geo.Around(lake, within), math.Sin(float64(within/geo.Radius)/2)
	return []any{
		box.Lat.Min, box.Lat.Max, box.Lng[0].Min, box.Lng[0].Max, box.Lng[0].Min, box.Lng[0].Max,
		lake.Lat, math.Cos(lake.Lat * math.Pi / 180), lake.Lng, sine * sine,
	}
}

func TestHot_reads_on_Postgres(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	s, conn := crowdedPostgres(t)
	small := smallTables(t, conn)
	for _, r := range hotReads(t, s) {
		t.Run(r.name, func(t *testing.T) {
			plan, read := explain(t, conn, r), 0.0
			for _, scan := range plan.scans() {
				if !small[scan.Relation] {
					assert.NotEqual(t, "Seq Scan", scan.Node, scan.Relation)
					read += scan.read()
				}
			}
			assert.EqualValues(t, r.finds, plan.Rows, "rows found")
			assert.LessOrEqual(t, read, float64(r.most), "rows read")
		})
	}
	t.Run("statements run as they stand and read no table whole", func(t *testing.T) { testStatements(t, conn, small) })
	t.Run("USR-07 an export reads no table whole", func(t *testing.T) { testExports(t, conn, small) })
	t.Run("lists take one round trip", func(t *testing.T) { testLists(t, conn.Config().ConnString()) })
	t.Run("USR-08 a search goes on", func(t *testing.T) { testSearchGoesOn(t, s) })
}

func TestHot_reads_on_SQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	s, conn := crowdedSQLite(t)
	for _, r := range hotReads(t, s) {
		t.Run(r.name, func(t *testing.T) {
			found, steps := run(t, conn, r)
			assert.Equal(t, r.finds, found, "rows found")
			assert.LessOrEqual(t, steps, 1000+25*r.most, "steps of SQLite's virtual machine: ten to twenty for each row")
		})
	}
	t.Run("USR-08 a search goes on", func(t *testing.T) { testSearchGoesOn(t, s) })
}

// plan is a node of EXPLAIN's output.
type plan struct {
	Node     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Filtered float64 `json:"Rows Removed by Filter"`
	Rechecks float64 `json:"Rows Removed by Index Recheck"`
	Plans    []plan  `json:"Plans"`
}

// scans returns the nodes that read tables.
func (p plan) scans() (all []plan) {
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

// explain runs the statement with a generic plan, as on the store's connections, and returns the plan.
func explain(t *testing.T, conn *pgx.Conn, r hotRead) plan {
	t.Helper()
	prepare(t, conn, r.statement)
	literals := make([]string, len(r.args))
	for i, arg := range r.args {
		literals[i] = literal(arg)
	}
	execute := "EXECUTE hot"
	if len(literals) > 0 {
		execute += "(" + strings.Join(literals, ", ") + ")"
	}
	return planOf(t, conn, "EXPLAIN (ANALYZE, FORMAT JSON) "+execute)
}

// literal returns a bound parameter as EXECUTE takes it.
func literal(arg any) string {
	switch arg := arg.(type) {
	case string:
		return "'" + arg + "'"
	case []byte:
		return fmt.Sprintf(`'\x%x'`, arg)
	case time.Time:
		return arg.Format("'2006-01-02 15:04:05Z07:00'")
	case []int64, []string: // whose texts have no spaces
		return "'{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(arg), " ", ","), "[]") + "}'"
	}
	return fmt.Sprint(arg)
}

// prepare makes the statement the connection's only prepared one.
func prepare(t *testing.T, conn *pgx.Conn, statement string) {
	t.Helper()
	for _, command := range []string{"DEALLOCATE ALL", "SET plan_cache_mode = force_generic_plan", "SET jit = off",
		"SET random_page_cost = 1.1", "PREPARE hot AS " + statement} {
		_, err := conn.Exec(t.Context(), command)
		require.NoError(t, err)
	}
}

func planOf(t *testing.T, conn *pgx.Conn, explain string) plan {
	t.Helper()
	var text string
	require.NoError(t, conn.QueryRow(t.Context(), explain, pgx.QueryExecModeSimpleProtocol).Scan(&text))
	var explained []struct{ Plan plan }
	require.NoError(t, json.Unmarshal([]byte(text), &explained))
	return explained[0].Plan
}

// run runs the statement itself and returns the numbers of rows and of SQLite's virtual
// machine steps. The driver has the count, but does not expose its statements.
func run(t *testing.T, conn *sql.Conn, r hotRead) (found, steps int) {
	t.Helper()
	args := make([]driver.NamedValue, len(r.args))
	for i, arg := range r.args {
		value, err := driver.DefaultParameterConverter.ConvertValue(arg)
		require.NoError(t, err)
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: value}
	}
	require.NoError(t, conn.Raw(func(c any) error {
		prepared, err := c.(driver.ConnPrepareContext).PrepareContext(t.Context(), r.statement)
		if err != nil {
			return err
		}
		defer prepared.Close()
		rows, err := prepared.(driver.StmtQueryContext).QueryContext(t.Context(), args)
		if err != nil {
			return err
		}
		row := make([]driver.Value, len(rows.Columns()))
		for err = rows.Next(row); err == nil; err = rows.Next(row) {
			found++
		}
		if err := rows.Close(); err != nil {
			return err
		}
		thread, handle := reflect.ValueOf(c).Elem().FieldByName("tls"), reflect.ValueOf(prepared).Elem().FieldByName("pstmt")
		require.True(t, thread.IsValid() && handle.IsValid(), "the driver keeps them elsewhere now")
		steps = int(reflect.ValueOf(sqlite3.Xsqlite3_stmt_status).Call([]reflect.Value{
			reflect.NewAt(thread.Type(), thread.Addr().UnsafePointer()).Elem(), reflect.ValueOf(uintptr(handle.Uint())),
			reflect.ValueOf(int32(sqlite3.SQLITE_STMTSTATUS_VM_STEP)), reflect.ValueOf(int32(1)),
		})[0].Int())
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}))
	return found, steps
}

// testSearchGoesOn asserts that pages go on behind users whom the name does not find, and examine a thousand of them at most.
func testSearchGoesOn(t *testing.T, s *Store) {
	for name, want := range map[user.SearchName]int{"ma": 100, "maximilian": 100, "maximilianus": 0, "borislava": 20_000, "ma maximili": 100,
		"borislav bo": 20_000, "ma bo": 0} {
		found, pages, last := 0, 0, page.Cursor{}
		seen := map[user.ID]bool{}
		for more := true; more; pages++ {
			p, err := s.Directory.Search(t.Context(), user.Search{Name: name, By: eager, CursorRequest: page.Behind(last, 100)})
			require.NoError(t, err)
			for _, m := range p.Items {
				assert.False(t, seen[m.ID])
				seen[m.ID] = true
			}
			found += len(p.Items)
			if more = p.Next != (page.Cursor{}); more {
				require.Positive(t, p.Next.Compare(last))
				last = p.Next
			}
		}
		assert.Equal(t, want, found, name)
		if strings.HasPrefix(string(name), "ma") {
			assert.Greater(t, pages, 30, name)
		}
	}
}
