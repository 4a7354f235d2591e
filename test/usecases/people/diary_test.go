package people_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/gazetteer"
	"plaza/adapters/imaging"
	"plaza/adapters/sanitiser"
	"plaza/application/diary"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/place"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/test/memory"
	"plaza/test/pictures"
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
		Events: w.store.Events, Reader: w.store.EventReader, Discussion: w.store.Discussion, Related: w.store.Related,
		Categories: w.store.Categories, Directory: w.store.Directory, Deletions: w.store.Deletions,
		Room: w.store.Room, Keys: w.store.Keys,
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
	_, _, err = w.store.Subscriptions.Follow(t.Context(), s)
	require.NoError(t, err)
}

// published writes a published event with the permission.
func (w *diaryFixture) published(t *testing.T, by access.Actor, title string, p event.Permission) event.ID {
	t.Helper()
	shown, err := w.Write(t.Context(), by, event.Change{Title: &title, Permission: &p, Publish: new(true)}, nil, nil)
	require.NoError(t, err)
	return shown.ID()
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

func TestEVT16_a_text_that_moves_while_it_is_analysed(t *testing.T) {
	m := &meddlingAnalyser{Analyser: gazetteer.New(), meddle: func() {}}
	w := newDiaryFixture(t, func(p *diary.Ports) { p.Places = m })
	shown, err := w.Write(t.Context(), w.ann, event.Change{Title: new("x")}, nil, nil)
	require.NoError(t, err)
	id := shown.ID()
	set := func(content string) {
		_, err := w.store.Events.Change(t.Context(), id, func(e *event.Event) error {
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

// mustReadEvent returns the event as Ann reads it.
func mustReadEvent(t *testing.T, w *diaryFixture, id event.ID) diary.View {
	t.Helper()
	shown, err := w.Read(t.Context(), w.ann, id, diary.AllParts)
	require.NoError(t, err)
	return shown
}

// filesOf is the number of files of a stored picture: its own, and one of each size.
const filesOf = 3

// filesIn returns how many files the store has.
func filesIn(t *testing.T, s media.Store) (n int) {
	t.Helper()
	for _, err := range s.All(t.Context()) {
		require.NoError(t, err)
		n++
	}
	return n
}

// countedProcessor knows how many pictures it has processed.
type countedProcessor struct {
	media.Processor
	n int
}

func (c *countedProcessor) Process(ctx context.Context, by string, raw media.Raw, sizes ...media.SizeSpec) (media.Processed, error) {
	c.n++
	return c.Processor.Process(ctx, by, raw, sizes...)
}

// meddlingAnalyser calls meddle after each text that it has analysed, so that a test can change the event in between.
type meddlingAnalyser struct {
	place.Analyser
	meddle func()
}

func (m *meddlingAnalyser) Analyse(ctx context.Context, title, content string) (place.Place, error) {
	p, err := m.Analyser.Analyse(ctx, title, content)
	m.meddle()
	return p, err
}

// idempotencyKey returns the key of a new call of that name.
func idempotencyKey(t *testing.T, actor access.Actor, name string) *idempotency.Key {
	t.Helper()
	k, err := idempotency.NewKey(actor.ID, name, idempotency.Request{Operation: name})
	require.NoError(t, err)
	return k
}

// failingDiscussion is a store that fails once, before or after it has stored the comment.
type failingDiscussion struct {
	event.Discussion
	stores bool
	err    error
}

func (f *failingDiscussion) AddComment(
	ctx context.Context, c event.Comment, charges ...ratelimit.Charge,
) (event.Comment, *user.Member, error) {
	err := f.err
	if f.err = nil; err != nil && !f.stores {
		return event.Comment{}, nil, err
	}
	stored, author, addErr := f.Discussion.AddComment(ctx, c, charges...)
	return stored, author, errors.Join(err, addErr)
}

// The answer of a store may be lost, whether or not it has stored the comment.
func TestGEN13_a_store_that_fails_leaves_one_comment_to_a_repeated_request(t *testing.T) {
	for _, stores := range []bool{false, true} {
		away := errors.New("away")
		broken := &failingDiscussion{stores: stores, err: away}
		w := newDiaryFixture(t, func(p *diary.Ports) { broken.Discussion, p.Discussion = p.Discussion, broken })
		id := w.published(t, w.ann, "a lake", event.Public)
		_, err := w.Comment(t.Context(), w.bob, id, "hello", 0, idempotencyKey(t, w.bob, "one"), nil)
		require.ErrorIs(t, err, away)
		said, err := w.Comment(t.Context(), w.bob, id, "hello", 0, idempotencyKey(t, w.bob, "one"), nil)
		require.NoError(t, err)
		all, _, err := w.Comments(t.Context(), w.bob, id, page.Request{})
		require.NoError(t, err)
		assert.Equal(t, []event.Comment{said.Comment}, all.Items, "stores: %v", stores)
	}
}

// slowProcessor calls meanwhile once, while it processes a picture.
type slowProcessor struct {
	media.Processor
	meanwhile func()
}

func (s *slowProcessor) Process(ctx context.Context, by string, raw media.Raw, sizes ...media.SizeSpec) (media.Processed, error) {
	if meanwhile := s.meanwhile; meanwhile != nil {
		s.meanwhile = nil
		meanwhile()
	}
	return s.Processor.Process(ctx, by, raw, sizes...)
}

func TestGEN13_a_request_that_outlives_its_reservation_stores_nothing(t *testing.T) {
	slow := &slowProcessor{Processor: imaging.NewProcessor(1)}
	stored := memory.NewMedia("https://plaza.example", []byte("key"))
	w := newDiaryFixture(t, func(p *diary.Ports) { p.Pictures, p.Processor = stored, slow })
	id := w.published(t, w.ann, "a lake", event.Public)
	attach := func() (event.Plate, error) {
		return w.Attach(t.Context(), w.ann, id, bytes.NewReader(pictures.Plain(t, 30, 20)), idempotencyKey(t, w.ann, "one"), nil)
	}
	var first event.Plate
	slow.meanwhile = func() {
		_, err := attach()
		require.ErrorIs(t, err, idempotency.ErrKeyInUse)
		w.now = w.now.Add(idempotency.Lease)
		first, err = attach()
		require.NoError(t, err)
	}
	_, err := attach()
	require.ErrorIs(t, err, idempotency.ErrKeyInUse)
	assert.Equal(t, []event.Plate{first}, mustReadEvent(t, w, id).State().Plates)
	assert.Equal(t, filesOf, filesIn(t, stored), "no file is left")
	again, err := attach()
	require.NoError(t, err)
	assert.Equal(t, first, again)
}
