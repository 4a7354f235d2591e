package people_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/gazetteer"
	"plaza/adapters/memory"
	"plaza/adapters/sanitiser"
	"plaza/application/diary"
	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/quota"
	"plaza/domain/subscription"
	"plaza/test/content"
	"plaza/test/usecases"
)

// diaryFixture is a diary over memory: ann and bob are contacts, zoe is a stranger.
type diaryFixture struct {
	*diary.Diary
	store         *memory.Store
	ports         diary.Ports
	ann, bob, zoe access.Actor
	now           time.Time
}

func newDiaryFixture(t *testing.T, change ...func(*diary.Ports)) *diaryFixture {
	t.Helper()
	w := &diaryFixture{store: memory.New(), now: usecases.Noon}
	w.ports = diary.Ports{
		Events: w.store.Events(), Reader: w.store.Events(), Discussion: w.store.Events(), Related: w.store.Events(),
		Categories: w.store.Categories(), Directory: w.store.Accounts(), Deletions: w.store.DeletionQueue(),
		Room: w.store.Room(quota.Limits{}), Keys: w.store.Keys(),
		Places: gazetteer.New(), Sanitiser: sanitiser.New(),
	}
	for _, c := range change {
		c(&w.ports)
	}
	w.Diary = diary.New(w.ports, nil, func() time.Time { return w.now })
	w.ann, w.bob, w.zoe = w.member(t, "+86-13900000001"), w.member(t, "+86-13900000002"), w.member(t, "+86-13900000003")
	w.follow(t, w.ann, w.bob)
	w.follow(t, w.bob, w.ann)
	return w
}

func (w *diaryFixture) member(t *testing.T, phone string) access.Actor {
	t.Helper()
	return access.Actor{ID: usecases.OpenAccount(t, w.store, phone), Scopes: access.DefaultScopes(), Zone: time.UTC}
}

func (w *diaryFixture) follow(t *testing.T, who, whom access.Actor) {
	t.Helper()
	s, err := subscription.ToUser(who.ID, whom.ID, usecases.Noon)
	require.NoError(t, err)
	_, _, err = w.store.Subscriptions().Follow(t.Context(), s)
	require.NoError(t, err)
}

// published writes a published event with the permission.
func (w *diaryFixture) published(t *testing.T, by access.Actor, title string, p event.Permission) event.ID {
	t.Helper()
	shown, err := w.Write(t.Context(), by, event.Change{Title: &title, Permission: &p, Publish: new(true)}, nil, nil)
	require.NoError(t, err)
	return shown.ID()
}

// firstPage returns a request for the first page of that size.
func firstPage(t *testing.T, size int) page.Request {
	t.Helper()
	r, err := page.New(1, size)
	require.NoError(t, err)
	return r
}

func TestEVT02_today_is_where_the_author_is(t *testing.T) {
	w := newDiaryFixture(t)
	for zone, day := range map[string]string{"Pacific/Kiritimati": "2026-11-21", "America/Los_Angeles": "2026-11-20"} {
		loc, err := time.LoadLocation(zone)
		require.NoError(t, err)
		w.ann.Zone = loc
		shown, err := w.Write(t.Context(), w.ann, event.Change{}, nil, nil)
		require.NoError(t, err)
		assert.Equal(t, day, shown.State().Date.String(), zone)
	}
}

func TestEVT07_who_may_not_see_it_learns_nothing(t *testing.T) {
	w := newDiaryFixture(t)
	id := w.published(t, w.ann, "for contacts", event.Contact)
	_, err := w.Read(t.Context(), w.bob, id, diary.AllParts)
	assert.NoError(t, err)
	_, err = w.Edit(t.Context(), w.bob, id, event.Change{Title: new("mine now")}, nil)
	assert.ErrorIs(t, err, event.ErrNotAuthor)
	assert.ErrorIs(t, w.Delete(t.Context(), w.bob, id), event.ErrNotAuthor)
	for _, stranger := range []access.Actor{w.zoe, {}} {
		_, err = w.Read(t.Context(), stranger, id, diary.AllParts)
		assert.ErrorIs(t, err, event.ErrNotFound)
		_, err = w.Edit(t.Context(), stranger, id, event.Change{}, nil)
		assert.ErrorIs(t, err, event.ErrNotFound)
		assert.ErrorIs(t, w.Delete(t.Context(), stranger, id), event.ErrNotFound)
		assert.ErrorIs(t, w.Like(t.Context(), stranger, id, true), event.ErrNotFound)
		_, err = w.Comment(t.Context(), stranger, id, "hello?", nil, nil)
		assert.Equal(t, "event", onlyField(t, err))
		_, _, err = w.Comments(t.Context(), stranger, id, page.Request{})
		assert.ErrorIs(t, err, event.ErrNotFound)
	}
	assert.NoError(t, w.Delete(t.Context(), w.ann, id))
	assert.ErrorIs(t, w.Delete(t.Context(), w.ann, id), event.ErrNotFound)
}

func TestGEN08_access_is_checked_first_then_all_wrong_fields_are_named(t *testing.T) {
	w := newDiaryFixture(t)
	id := w.published(t, w.ann, "for contacts", event.Contact)
	unread, noBody := fault.Field("title", "unreadable"), fault.New(fault.TooLarge, "unreadable")
	wrong := event.Change{Content: new("\x00"), Category: new(feed.CategoryID(404))}
	write := func(_ access.Actor, readErr error) error {
		_, err := w.Write(t.Context(), w.ann, wrong, nil, readErr)
		return err
	}
	edit := func(actor access.Actor, readErr error) error {
		_, err := w.Edit(t.Context(), actor, id, wrong, readErr)
		return err
	}
	for _, readErr := range []error{unread, noBody} {
		assert.ErrorIs(t, edit(w.zoe, readErr), event.ErrNotFound)
		assert.ErrorIs(t, edit(w.bob, readErr), event.ErrNotAuthor)
	}
	for _, do := range []func(access.Actor, error) error{write, edit} {
		assert.Equal(t, noBody, do(w.ann, noBody))
		assert.Equal(t, fault.Fields{
			"title": {"unreadable"}, "content": {"Null characters are not allowed."}, "category": {event.NoCategory},
		}, fault.FieldsOf(do(w.ann, unread)))
	}

	comment := func(actor access.Actor, on event.ID, readErr error) error {
		_, err := w.Comment(t.Context(), actor, on, " ", nil, readErr)
		return err
	}
	attach := func(actor access.Actor, on event.ID, readErr error) error {
		_, err := w.Attach(t.Context(), actor, on, nil, nil, readErr)
		return err
	}
	noEvent, blank := []string{"Event not found."}, []string{"This field may not be blank."}
	assert.Equal(t, fault.Fields{"title": {"unreadable"}, "event": noEvent, "content": blank}, fault.FieldsOf(comment(w.zoe, id, unread)))
	assert.Equal(t, fault.Fields{"title": {"unreadable"}, "content": blank}, fault.FieldsOf(comment(w.bob, id, unread)))
	assert.Equal(t, fault.Fields{"content": {"unreadable"}}, fault.FieldsOf(comment(w.bob, id, fault.Field("content", "unreadable"))))
	assert.Equal(t, fault.Fields{"title": {"unreadable"}, "event": noEvent}, fault.FieldsOf(attach(w.zoe, id, unread)))
	assert.ErrorIs(t, attach(w.bob, id, unread), event.ErrNotAuthor)
	assert.Equal(t, unread, attach(w.ann, id, unread))
	for _, do := range []func(access.Actor, event.ID, error) error{comment, attach} {
		assert.Equal(t, noBody, do(w.ann, 0, noBody), "without a body there is no event")
	}
}

// onlyField returns the only field that the error names.
func onlyField(t *testing.T, err error) string {
	t.Helper()
	f, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.Len(t, f.Fields, 1)
	for name := range f.Fields {
		return name
	}
	return ""
}

func TestEVT16_a_text_that_moves_while_it_is_analysed(t *testing.T) {
	m := &meddlingAnalyser{Analyser: gazetteer.New(), meddle: func() {}}
	w := newDiaryFixture(t, func(p *diary.Ports) { p.Places = m })
	shown, err := w.Write(t.Context(), w.ann, event.Change{Title: new("x")}, nil, nil)
	require.NoError(t, err)
	id := shown.ID()
	set := func(content string) {
		_, err := w.store.Events().Change(t.Context(), id, func(e *event.Event) error {
			return e.Apply(event.Change{Content: &content}, w.now)
		})
		require.NoError(t, err)
	}
	times := 0
	m.meddle = func() {
		if times++; times <= 2 {
			set(strings.Repeat("上海", times))
		}
	}
	shown, err = w.Edit(t.Context(), w.ann, id, event.Change{Title: new("标题")}, nil)
	require.NoError(t, err, "the third try holds")
	assert.Equal(t, "上海市", shown.State().Place.City)
	assert.Equal(t, "上海上海", shown.State().Content, "nobody's text is lost")

	m.meddle = func() { times++; set(strings.Repeat("北京", times)) }
	_, err = w.Edit(t.Context(), w.ann, id, event.Change{Title: new("other")}, nil)
	assert.True(t, fault.Is(err, fault.Conflict), "%v", err)
}

func TestEVT20_edits_at_once_lose_no_field(t *testing.T) {
	w := newDiaryFixture(t)
	shown, err := w.Write(t.Context(), w.ann, event.Change{}, nil, nil)
	require.NoError(t, err)
	id := shown.ID()
	edits := []event.Change{
		{HTML: new("<p>html</p>")}, {Permission: new(event.Contact)}, {Date: new(calendar.DateOf(usecases.Noon.AddDate(0, 0, -9)))},
		{Title: new("title")},
	}
	var wait sync.WaitGroup
	for _, e := range edits {
		wait.Go(func() {
			_, err := w.Edit(t.Context(), w.ann, id, e, nil)
			assert.NoError(t, err)
		})
	}
	wait.Wait()
	shown, err = w.Read(t.Context(), w.ann, id, diary.AllParts)
	require.NoError(t, err)
	s := shown.State()
	assert.Equal(t, "title", s.Title)
	assert.EqualValues(t, "<p>html</p>", s.HTML)
	assert.Equal(t, event.Contact, s.Permission)
	assert.Equal(t, "2026-11-11", s.Date.String())
}

// mustReadEvent returns the event as Ann reads it.
func mustReadEvent(t *testing.T, w *diaryFixture, id event.ID) diary.View {
	t.Helper()
	shown, err := w.Read(t.Context(), w.ann, id, diary.AllParts)
	require.NoError(t, err)
	return shown
}

func (w *diaryFixture) category(t *testing.T, c feed.Category) {
	t.Helper()
	require.NoError(t, content.Import(t.Context(), content.Stores{Imports: w.store.Imports()}, c))
}
