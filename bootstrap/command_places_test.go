package bootstrap_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/place"
	"plaza/domain/user"
	"plaza/test/postgres"
)

// diarist has the shell's database open with an analyser that finds other places.
type diarist struct {
	*testing.T
	store *bunstore.Store
	who   user.ID
}

func (sh *shell) diarist() *diarist {
	sh.Helper()
	sh.somebody("+86-13800000009")
	store, err := bunstore.Open(sh.Context(), bunstore.Options{URL: sh.database})
	require.NoError(sh, err)
	sh.Cleanup(func() { require.NoError(sh, store.Close()) })
	return &diarist{sh.T, store, 1}
}

// writes stores a private draft with the place.
func (d *diarist) writes(title string, at place.Place) event.ID {
	d.Helper()
	then := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	e, err := event.New(d.who, event.Change{Title: &title, Permission: new(event.Private)}, calendar.DateOf(then), then)
	require.NoError(d, err)
	require.NoError(d, e.Locate(e.Text(), at))
	e, err = d.store.Events().Add(d.Context(), e)
	require.NoError(d, err)
	return e.ID()
}

func (d *diarist) entry(id event.ID) event.Entry {
	d.Helper()
	e, err := d.store.Events().Get(d.Context(), id)
	require.NoError(d, err)
	return e
}

func TestEVT16_check_finds_and_mends_the_places_of_events(t *testing.T) {
	for name, database := range map[string]func(*testing.T) string{
		"SQLite":   func(t *testing.T) string { return migratedSQLite(t, t.TempDir()) },
		"Postgres": func(t *testing.T) string { return postgres.Lend(t, migrate) },
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name == "Postgres" {
				t.Skip("make test-all runs this")
			}
			sh := &shell{T: t, database: database(t), dataDir: t.TempDir()}
			d := sh.diarist()
			peking, lake := place.Place{Province: "北京市", City: "北京市"}, place.Place{Province: "浙江省", City: "杭州市", District: "西湖区"}
			right := d.writes("北京的秘密", peking)
			assert.Contains(t, sh.run("check").ends(done).out, ", the places of events, ")
			late, moved, none := d.writes("浙江省杭州市西湖区的秘密", place.Place{}), d.writes("杭州市西湖区的秘密", peking), d.writes("A secret", lake)
			before := d.entry(right)

			told := []string{
				fmt.Sprintf("event %d has no place, but its text is about 浙江省 杭州市 西湖区", late),
				fmt.Sprintf("event %d has the place 北京市, but its text is about 浙江省 杭州市 西湖区", moved),
				fmt.Sprintf("event %d has the place 浙江省 杭州市 西湖区, but its text is about none", none),
			}
			for range 2 {
				o := sh.run("check").ends(refused)
				for _, what := range told {
					assert.Contains(t, o.out, "Wrong: "+what+"\n")
				}
				assert.Contains(t, o.out, "found 3 wrong, repaired 0.")
				assert.Contains(t, o.err, "--repair")
				assert.NotContains(t, o.out+o.err, "秘密", "private texts are not printed")
			}
			var r report
			sh.run("check", "--json").ends(refused).reads(&r)
			assert.False(t, r.OK)
			assert.Contains(t, r.LookedAt, "the places of events")
			require.Len(t, r.Findings, 3)
			for i, f := range r.Findings {
				assert.Equal(t, told[i], f.What)
				assert.False(t, f.Repaired)
			}

			o := sh.run("check", "--repair").ends(done)
			for _, what := range told {
				assert.Contains(t, o.out, "Repaired: "+what+"\n")
			}
			assert.Contains(t, o.out, "found 3 wrong, repaired 3.")
			for id, want := range map[event.ID]place.Place{right: peking, late: lake, moved: lake, none: {}} {
				assert.Equal(t, want, d.entry(id).State().Place)
				assert.Equal(t, before.State().Modified, d.entry(id).State().Modified)
			}
			assert.Equal(t, before, d.entry(right), "correct events are not written")
			assert.Contains(t, sh.run("check").ends(done).out, "found 0 wrong")
		})
	}
}
