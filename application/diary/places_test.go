package diary_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/gazetteer"
	"plaza/application/diary"
	"plaza/domain/event"
	"plaza/domain/place"
)

var (
	nowhere  place.Place
	peking   = place.Place{Province: "北京市", City: "北京市"}
	hangzhou = place.Place{Province: "浙江省", City: "杭州市"}
	shanghai = place.Place{Province: "上海市", City: "上海市"}
)

// archive is a world with the use cases that check places, and their test doubles.
type archive struct {
	*world
	*testing.T
	analyser *meddler // meddle comes after a text was analysed
	events   *crossed
	read     *pages
}

// crossed is a repository that runs another change after an event was read. It counts its
// calls.
type crossed struct {
	event.Repository
	behind        func()
	gets, changes int
}

func (c *crossed) Get(ctx context.Context, id event.ID) (event.Entry, error) {
	c.gets++
	e, err := c.Repository.Get(ctx, id)
	c.behind()
	return e, err
}

func (c *crossed) ChangeRead(ctx context.Context, e event.Entry, fn func(*event.Event) error) (event.Entry, error) {
	c.changes++
	return c.Repository.ChangeRead(ctx, e, fn)
}

// pages counts how often events are read.
type pages struct {
	event.Reader
	n int
}

func (p *pages) Located(ctx context.Context, after event.ID, limit int) ([]event.Located, error) {
	p.n++
	return p.Reader.Located(ctx, after, limit)
}

func newArchive(t *testing.T) *archive {
	t.Helper()
	a := &archive{world: newWorld(t), T: t, analyser: &meddler{gazetteer.New(), func() {}}}
	a.events = &crossed{Repository: a.ports.Events, behind: func() {}}
	a.read = &pages{Reader: a.ports.Reader}
	return a
}

// before adds an event with the place that an older analyser has found.
func (a *archive) before(title string, then place.Place, edits ...func(*diary.Edit)) event.ID {
	a.Helper()
	edit := diary.Edit{Title: &title, Publish: ptr(true)}
	for _, e := range edits {
		e(&edit)
	}
	shown, err := a.Write(a.Context(), a.ann, edit)
	require.NoError(a, err)
	a.misplace(shown.ID(), then)
	return shown.ID()
}

func (a *archive) misplace(id event.ID, then place.Place) {
	a.Helper()
	_, err := a.store.Events().Change(a.Context(), id, func(e *event.Event) error { return e.Locate(e.Text(), then) })
	require.NoError(a, err)
}

func (a *archive) retitle(id event.ID, title string) {
	a.Helper()
	_, err := a.Edit(a.Context(), a.ann, id, diary.Edit{Title: &title})
	require.NoError(a, err)
}

func (a *archive) check(repair bool) []diary.Misplaced {
	a.Helper()
	var found []diary.Misplaced
	for m, err := range diary.NewPlaces(a.events, a.read, a.analyser).Check(a.Context(), repair) {
		require.NoError(a, err)
		found = append(found, m)
	}
	return found
}

func (a *archive) state(id event.ID) event.State {
	a.Helper()
	e, err := a.store.Events().Get(a.Context(), id)
	require.NoError(a, err)
	return e.State()
}

func draft(e *diary.Edit) { e.Publish = ptr(false) }

func about(content string) func(*diary.Edit) {
	return func(e *diary.Edit) { e.Content = &content }
}

func private(e *diary.Edit) { e.Permission = ptr(event.Private) }

func TestEVT16_events_of_before_are_found_and_mended(t *testing.T) {
	a := newArchive(t)
	late := a.before("杭州的秋天", nowhere)
	a.before("北京的秋天", peking)
	other := a.before("秋天", hangzhou, draft, about("上海的秋天"))
	none := a.before("Autumn", peking, private)
	a.before("Winter", nowhere)
	want := []diary.Misplaced{
		{Event: late, Stored: nowhere, Found: hangzhou}, {Event: other, Stored: hangzhou, Found: shanghai},
		{Event: none, Stored: peking, Found: nowhere},
	}
	assert.Equal(t, want, a.check(false))
	assert.Equal(t, want, a.check(false), "nothing is repaired without repair")
	assert.Zero(t, a.events.changes)

	for i := range want {
		want[i].Mended = true
	}
	assert.Equal(t, want, a.check(true))
	for _, m := range want {
		assert.Equal(t, m.Found, a.state(m.Event).Place)
	}
	assert.Empty(t, a.check(true))
	assert.Equal(t, 3, a.events.changes)
}

func TestEVT16_mending_a_place_is_no_modification(t *testing.T) {
	a := newArchive(t)
	id := a.before("杭州的秋天", peking)
	_, err := a.Comment(t.Context(), a.bob, id, "nice")
	require.NoError(t, err)
	before, comments := a.state(id), mustRead(t, a.world, id).Counts.Comments
	listings := a.store.Listings()
	a.now = noon.AddDate(0, 0, 1)
	require.Len(t, a.check(true), 1)
	before.Place = hangzhou
	assert.Equal(t, before, a.state(id))
	assert.Equal(t, listings, a.store.Listings())
	assert.Equal(t, comments, mustRead(t, a.world, id).Counts.Comments)
}

func TestEVT16_where_all_is_well_only_pages_are_read(t *testing.T) {
	a := newArchive(t)
	for i := range 250 {
		a.before(fmt.Sprint("杭州的秋天 ", i), hangzhou)
	}
	assert.Empty(t, a.check(true))
	assert.Equal(t, 3, a.read.n)
	assert.Zero(t, a.events.gets+a.events.changes)
}

func TestEVT16_every_event_is_looked_at_however_many_there_are(t *testing.T) {
	for _, many := range []int{0, 1, 99, 100, 101, 305} {
		a := newArchive(t)
		var want []diary.Misplaced
		for i := range many {
			if i%7 == 0 {
				require.NoError(t, a.Delete(t.Context(), a.ann, a.before("Not for long", peking)))
			}
			id := a.before(fmt.Sprint("杭州的秋天 ", i), nowhere)
			want = append(want, diary.Misplaced{Event: id, Found: hangzhou})
		}
		assert.Equal(t, want, a.check(false), "%d, each once", many)
		for i := range want {
			want[i].Mended = true
		}
		assert.Equal(t, want, a.check(true), "%d", many)
		assert.Empty(t, a.check(false), "%d", many)
	}
}

func TestEVT16_a_text_that_is_edited_while_places_are_mended_keeps_its_own(t *testing.T) {
	for name, meddle := range map[string]func(a *archive, do func()){
		"after its page was read": func(a *archive, do func()) { a.analyser.meddle = do },
		"after it was got":        func(a *archive, do func()) { a.events.behind = do },
	} {
		for _, repair := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, repair %t", name, repair), func(t *testing.T) {
				a := newArchive(t)
				id := a.before("杭州的秋天", nowhere)
				times := 0
				meddle(a, func() {
					if times++; times == 1 {
						a.retitle(id, "北京的秋天")
					}
				})
				found := a.check(repair)
				s := a.state(id)
				assert.Equal(t, "北京的秋天", s.Title, "no edit is lost")
				assert.Equal(t, peking, s.Place)
				if repair || name == "after its page was read" {
					assert.Empty(t, found, "it is right by now")
				}
			})
		}
	}
}

func TestEVT16_a_text_that_is_edited_where_places_are_not_known_is_mended_too(t *testing.T) {
	a := newArchive(t)
	id := a.before("杭州的秋天", nowhere)
	times := 0
	a.events.behind = func() {
		if times++; times == 1 {
			a.retitle(id, "北京的秋天")
			a.misplace(id, shanghai)
		}
	}
	assert.Equal(t, []diary.Misplaced{{Event: id, Stored: shanghai, Found: peking, Mended: true}}, a.check(true))
	assert.Equal(t, peking, a.state(id).Place)
}

func TestEVT16_an_event_that_never_rests_is_told_and_the_others_are_mended(t *testing.T) {
	a := newArchive(t)
	restless, other := a.before("杭州的秋天", nowhere), a.before("上海的秋天", nowhere)
	times := 0
	a.events.behind = func() {
		if times++; times <= 3 {
			a.retitle(restless, fmt.Sprint("北京的秋天 ", times))
			a.misplace(restless, hangzhou)
		}
	}
	found := a.check(true)
	require.Len(t, found, 2)
	assert.Equal(t, diary.Misplaced{Event: restless, Stored: hangzhou, Found: peking}, found[0])
	assert.Equal(t, diary.Misplaced{Event: other, Found: shanghai, Mended: true}, found[1])
	assert.Equal(t, "北京的秋天 3", a.state(restless).Title)
}

func TestEVT16_an_event_that_is_deleted_meanwhile_is_no_finding(t *testing.T) {
	for name, meddle := range map[string]func(a *archive, do func()){
		"after its page was read": func(a *archive, do func()) { a.analyser.meddle = do },
		"after it was got":        func(a *archive, do func()) { a.events.behind = do },
	} {
		t.Run(name, func(t *testing.T) {
			a := newArchive(t)
			gone, kept := a.before("杭州的秋天", nowhere), a.before("上海的秋天", nowhere)
			times := 0
			meddle(a, func() {
				if times++; times == 1 {
					require.NoError(t, a.Delete(t.Context(), a.ann, gone))
				}
			})
			assert.Equal(t, []diary.Misplaced{{Event: kept, Found: shanghai, Mended: true}}, a.check(true))
			_, err := a.store.Events().Get(t.Context(), gone)
			assert.ErrorIs(t, err, event.ErrNotFound)
		})
	}
}

// undecided is an analyser that always fails.
type undecided struct{}

var errAway = errors.New("away")

func (undecided) Analyse(context.Context, string, string) (place.Place, error) {
	return place.Place{}, errAway
}

func TestEVT16_a_check_of_places_ends_with_the_first_error_or_when_nobody_wants_more(t *testing.T) {
	a := newArchive(t)
	first, second := a.before("杭州的秋天", nowhere), a.before("上海的秋天", nowhere)
	for m, err := range diary.NewPlaces(a.events, a.read, a.analyser).Check(t.Context(), true) {
		require.NoError(t, err)
		assert.Equal(t, first, m.Event)
		break
	}
	assert.Equal(t, nowhere, a.state(second).Place)

	gone, leave := context.WithCancel(t.Context())
	leave()
	for want, places := range map[error]*diary.Places{
		context.Canceled: diary.NewPlaces(a.events, a.read, a.analyser),
		errAway:          diary.NewPlaces(a.events, a.read, undecided{}),
	} {
		ctx := map[bool]context.Context{true: gone, false: t.Context()}[want == context.Canceled]
		times := 0
		for m, err := range places.Check(ctx, true) {
			times++
			assert.ErrorIs(t, err, want)
			assert.Zero(t, m)
		}
		assert.Equal(t, 1, times)
	}
	assert.Equal(t, nowhere, a.state(second).Place, "no place is stored without an analysis")
}
