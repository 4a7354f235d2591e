package people_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/privacy"
	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/personaldata"
	"plaza/domain/user"
	"plaza/test/content"
	"plaza/test/memory"
	"plaza/test/usecases"
)

// failingErasure fails the calls of Erase after a number of them.
type failingErasure struct {
	personaldata.Store
	after int     // negative: never
	of    user.ID // whose calls always fail
}

func (f *failingErasure) Erase(ctx context.Context, id user.ID, k personaldata.Kind, limit int) (int, error) {
	if f.after == 0 || id == f.of {
		return 0, usecases.ErrInjected
	}
	f.after--
	return f.Store.Erase(ctx, id, k, limit)
}

type privacyFixture struct {
	*privacy.Privacy
	*testing.T
	store    *memory.Store
	data     *failingErasure
	pictures *memory.Media
	ann, bob user.ID
	event    event.ID // Ann's
	now      time.Time
}

func newPrivacyFixture(t *testing.T) *privacyFixture {
	t.Helper()
	store := memory.New()
	w := &privacyFixture{T: t, store: store, data: &failingErasure{store.PersonalData, -1, 0},
		pictures: memory.NewMedia("https://plaza.example", []byte("key")), now: usecases.Noon}
	w.Privacy = w.over(w.data)
	w.ann, w.bob = w.account("+86-13900000001", "Ann"), w.account("+86-13900000002", "Bob")
	w.event = w.write(w.ann, "A day at the sea", w.put("plate"), "private/aaaaaaaaaaaaaaaaaaaaaaaaaa.jpg")
	w.say(w.event, w.bob, "Nice")
	w.say(w.write(w.bob, "A day in the hills"), w.ann, "O'Brien <b>&\u2028\"雪")
	return w
}

// over returns the use cases over the data.
func (w *privacyFixture) over(data personaldata.Store) *privacy.Privacy {
	return privacy.New(w.store.Accounts, data, w.store.Ledger, w.pictures, w.store.Deletions, w.leaving,
		func() time.Time { return w.now })
}

// left is what an erasure still would treat.
func (w *privacyFixture) left(id user.ID) []privacy.Count {
	w.Helper()
	counts, err := w.Preview(w.Context(), id)
	require.NoError(w, err)
	return counts
}

func (w *privacyFixture) account(phone, name string) user.ID {
	w.Helper()
	parsed, err := user.ParsePhone(phone)
	require.NoError(w, err)
	id, err := w.store.Accounts.Open(w.Context(), access.Account{Phone: parsed, Hash: "secret-hash", Scopes: access.DefaultScopes(),
		Roles: []access.Role{access.Admin}},
		user.Member{Firstname: name, Timezone: "UTC", Joined: usecases.Noon})
	require.NoError(w, err)
	return id
}

func (w *privacyFixture) put(content string) media.Key {
	w.Helper()
	key, err := media.Upload{Type: "image/jpeg", Width: 1, Height: 1, Bytes: []byte(content)}.Put(w.Context(), w.pictures, media.Viewers)
	require.NoError(w, err)
	return key
}

func (w *privacyFixture) write(author user.ID, title string, plates ...media.Key) event.ID {
	w.Helper()
	change := event.Change{Title: &title, Publish: new(true)}
	e, err := event.New(author, change.Sanitised(content.AsSent{}), calendar.DateOf(usecases.Noon), usecases.Noon)
	require.NoError(w, err)
	for _, key := range plates {
		require.NoError(w, e.AddPlate(event.Plate{Photo: key, Bytes: 1}, usecases.Noon))
	}
	e, err = w.store.Events.Add(w.Context(), e)
	require.NoError(w, err)
	return e.ID()
}

func (w *privacyFixture) say(on event.ID, author user.ID, text string) {
	w.Helper()
	c, err := event.NewComment(on, author, text, usecases.Noon)
	require.NoError(w, err)
	_, _, err = w.store.Discussion.AddComment(w.Context(), c)
	require.NoError(w, err)
}

// export returns the files of an export.
func (w *privacyFixture) export(id user.ID) (privacy.Exported, map[string]string) {
	w.Helper()
	var out bytes.Buffer
	done, err := w.Export(w.Context(), id, &out)
	require.NoError(w, err)
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(w, err)
	files := map[string]string{}
	for _, f := range archive.File {
		require.NotContains(w, files, f.Name)
		r, err := f.Open()
		require.NoError(w, err)
		text, err := io.ReadAll(r)
		require.NoError(w, err)
		require.NoError(w, r.Close())
		files[f.Name] = string(text)
	}
	return done, files
}

func TestExport_has_a_file_for_each_kind_and_the_pictures(t *testing.T) {
	w := newPrivacyFixture(t)
	done, files := w.export(w.ann)
	var events []map[string]any
	require.NoError(t, json.Unmarshal([]byte(files["events.json"]), &events))
	require.Len(t, events, 1)
	plates := events[0]["plates"].([]any)
	assert.Equal(t, "plate", files[fmt.Sprint("pictures/", plates[0].(map[string]any)["picture"])])
	assert.Equal(t, []media.Key{"private/aaaaaaaaaaaaaaaaaaaaaaaaaa.jpg"}, done.Missing)
	assert.JSONEq(t, `["private/aaaaaaaaaaaaaaaaaaaaaaaaaa.jpg"]`, files["missing_pictures.json"])
	assert.Equal(t, 1, done.Pictures)
	assert.Equal(t, "[\n"+`{"id":2,"event":2,"content":"O'Brien <b>&\u2028\"雪","create_time":"2026-11-20T12:00:00.000000Z"}`+"\n]\n", files["comments.json"])
	assert.Equal(t, "[]\n", files["images.json"])
	for name, text := range files {
		assert.NotContains(t, text, "secret-hash", name)
		assert.NotContains(t, text, "Nice", "%s: what others have written is data of theirs", name)
	}
	_, again := w.export(w.ann)
	assert.Equal(t, files, again, "the order is stable")

	_, err := w.Export(t.Context(), 99, io.Discard)
	assert.ErrorIs(t, err, access.ErrNoAccount)
}

func TestExport_explains_every_field(t *testing.T) {
	w := newPrivacyFixture(t)
	_, files := w.export(w.ann)
	readme := files["README.txt"]
	for _, d := range personaldata.Kinds() {
		assert.Contains(t, readme, "\n"+string(d.Kind)+".json\n  "+d.About)
		for _, f := range privacy.RecordOf(d.Kind, nil) {
			assert.NotEmpty(t, f.About, "%s.%s", d.Kind, f.Name)
			assert.Contains(t, readme, "  - "+f.Name+": "+f.About, d.Kind)
		}
	}
	assert.Contains(t, readme, "user 1, as of 2026-11-20T12:00:00.000000Z")
	for _, f := range privacy.RecordOf(personaldata.Demands, demand.Demand{Place: &geo.Point{}}) {
		assert.False(t, (f.Name == "lat" || f.Name == "lng") && f.Value == nil, "a place on the equator has a latitude")
	}
}

// manyComments has n comments, and calls read before it yields the one in the middle.
type manyComments struct {
	personaldata.Store
	n    int
	read func()
}

func (s manyComments) Records(_ context.Context, _ user.ID, k personaldata.Kind) iter.Seq2[personaldata.Record, error] {
	return func(yield func(personaldata.Record, error) bool) {
		for i := 0; k == personaldata.Comments && i < s.n; i++ {
			if i == s.n/2 {
				s.read()
			}
			if !yield(event.Comment{ID: event.CommentID(i), Content: "a comment", Created: usecases.Noon}, nil) {
				return
			}
		}
	}
}

func TestExport_writes_while_it_reads(t *testing.T) {
	t.Parallel()
	w := newPrivacyFixture(t)
	var out bytes.Buffer
	middle := 0
	done, err := w.over(manyComments{w.data, 50_000, func() { middle = out.Len() }}).Export(t.Context(), w.ann, &out)
	require.NoError(t, err)
	assert.Equal(t, 50_000, done.Records)
	assert.Greater(t, middle, out.Len()/4, "half of the records are read when a quarter of the file is written")
}

func TestExport_fails_when_it_can_not_write_or_read(t *testing.T) {
	w := newPrivacyFixture(t)
	out, broken := io.Pipe()
	require.NoError(t, out.CloseWithError(usecases.ErrInjected))
	_, err := w.Export(t.Context(), w.ann, broken)
	assert.ErrorIs(t, err, usecases.ErrInjected)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = w.Export(ended, w.ann, io.Discard)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestPreview_counts_and_changes_nothing(t *testing.T) {
	w := newPrivacyFixture(t)
	_, before := w.export(w.ann)
	counts, err := w.Preview(t.Context(), w.ann)
	require.NoError(t, err)
	assert.Equal(t, []privacy.Count{
		{Kind: personaldata.Comments, Erasure: personaldata.Removed, Records: 1},
		{Kind: personaldata.Events, Erasure: personaldata.Removed, Records: 1},
		{Kind: personaldata.Notifications, Erasure: personaldata.Removed, Records: 2},
		{Kind: personaldata.Account, Erasure: personaldata.Blanked, Records: 1},
	}, counts)
	_, after := w.export(w.ann)
	assert.Equal(t, before, after)
	_, err = w.Preview(t.Context(), 99)
	assert.ErrorIs(t, err, access.ErrNoAccount)
}

func TestErase_does_what_Preview_has_counted(t *testing.T) {
	w := newPrivacyFixture(t)
	counted, err := w.Preview(t.Context(), w.ann)
	require.NoError(t, err)
	done, err := w.Erase(t.Context(), w.ann)
	require.NoError(t, err)
	counted = slices.DeleteFunc(counted, func(c privacy.Count) bool { return c.Kind == personaldata.Notifications })
	assert.Equal(t, counted, done.Counts, "notifications go with the comments and events that they tell of")
	again, err := w.Erase(t.Context(), w.ann)
	require.NoError(t, err)
	assert.Empty(t, again.Counts)
	_, err = w.Erase(t.Context(), 99)
	assert.ErrorIs(t, err, access.ErrNoAccount)
	bob, err := w.store.Accounts.ByID(t.Context(), w.bob)
	require.NoError(t, err)
	assert.False(t, bob.Disabled)
}

// An erasure that fails at any step leaves a closed account, and continues when it is run again.
func TestErase_continues_wherever_it_was_interrupted(t *testing.T) {
	t.Parallel()
	for steps := 0; ; steps++ {
		w := newPrivacyFixture(t)
		for i := range 45 { // more than two batches
			w.say(w.event, w.ann, fmt.Sprint(i))
			w.write(w.ann, fmt.Sprint(i))
		}
		w.data.after = steps
		_, err := w.Erase(t.Context(), w.ann)
		if err == nil {
			assert.Greater(t, steps, 2*len(personaldata.Kinds()), "each kind was interrupted")
			return
		}
		require.ErrorIs(t, err, usecases.ErrInjected)
		account, err := w.store.Accounts.ByID(t.Context(), w.ann)
		require.NoError(t, err)
		require.True(t, account.Disabled && account.Hash == "" && !account.IsStaff(), "after %d steps", steps)
		w.data.after = -1
		_, err = w.Erase(t.Context(), w.ann)
		require.NoError(t, err, "after %d steps", steps)
		require.Empty(t, w.left(w.ann), "after %d steps", steps)
	}
}

// lateComment stores a comment after the comments were erased, as a request does that was accepted before.
type lateComment struct {
	personaldata.Store
	once func()
}

func (s *lateComment) Erase(ctx context.Context, id user.ID, k personaldata.Kind, limit int) (int, error) {
	if k == personaldata.Account && s.once != nil {
		s.once()
		s.once = nil
	}
	return s.Store.Erase(ctx, id, k, limit)
}

func TestErase_finds_what_is_stored_meanwhile(t *testing.T) {
	w := newPrivacyFixture(t)
	other := w.write(w.bob, "Another day")
	data := &lateComment{w.data, func() { w.say(other, w.ann, "Late") }}
	done, err := w.over(data).Erase(t.Context(), w.ann)
	require.NoError(t, err)
	assert.Contains(t, done.Counts, privacy.Count{Kind: personaldata.Comments, Erasure: personaldata.Removed, Records: 2})
	assert.Empty(t, w.left(w.ann))
}

func TestUSR07_a_slow_upload_that_was_accepted_before_an_erasure_is_erased(t *testing.T) {
	w := newPrivacyFixture(t)
	require.NoError(t, w.EraseOwn(t.Context(), access.Actor{ID: w.ann}, access.Leaving{}, nil))
	for range 2 {
		w.now = w.now.Add(2 * time.Minute)
		w.write(w.ann, "Late", w.put("late"))
		require.NoError(t, w.ResumeErasures(t.Context()))
		assert.Empty(t, w.left(w.ann))
		assert.Zero(t, filesIn(t, w.pictures))
	}
	w.now = w.now.Add(time.Minute)
	require.NoError(t, w.ResumeErasures(t.Context()))
	erasing, err := w.store.Accounts.Erasing(t.Context(), 0, 10)
	require.NoError(t, err)
	assert.Empty(t, erasing)
}

// leaving closes the account, as a person's confirmation does.
func (w *privacyFixture) leaving(ctx context.Context, actor access.Actor, _ access.Leaving, readErr error) error {
	if readErr != nil {
		return readErr
	}
	return w.store.Accounts.Change(ctx, actor.ID, func(a *access.Account) error {
		a.Close()
		return nil
	})
}

func TestUSR07_an_erasure_that_was_interrupted_is_resumed(t *testing.T) {
	w := newPrivacyFixture(t)
	ann := access.Actor{ID: w.ann}
	require.Error(t, w.EraseOwn(t.Context(), ann, access.Leaving{}, errors.New("unreadable")))
	w.data.after = 3 // then the store fails, as if the server ended
	require.NoError(t, w.EraseOwn(t.Context(), ann, access.Leaving{}, nil), "the account is closed for good")
	require.NotEmpty(t, w.left(w.ann))
	require.Error(t, w.ResumeErasures(t.Context()))
	w.data.after = -1
	require.NoError(t, w.ResumeErasures(t.Context()))
	assert.Zero(t, filesIn(t, w.pictures))
	require.Empty(t, w.left(w.ann))
	bob, err := w.store.Accounts.ByID(t.Context(), w.bob)
	require.NoError(t, err)
	assert.False(t, bob.Disabled)
}

func TestUSR07_an_erasure_that_fails_does_not_stop_the_others(t *testing.T) {
	w := newPrivacyFixture(t)
	w.data.after = 0
	for _, id := range []user.ID{w.ann, w.bob} {
		_, err := w.Erase(t.Context(), id)
		require.ErrorIs(t, err, usecases.ErrInjected)
	}
	w.data.after, w.data.of = -1, w.ann
	for range 2 {
		require.ErrorIs(t, w.ResumeErasures(t.Context()), usecases.ErrInjected)
		w.now = w.now.Add(5 * time.Minute)
	}
	erasing, err := w.store.Accounts.Erasing(t.Context(), 0, 10)
	require.NoError(t, err)
	assert.Equal(t, []user.ID{w.ann}, erasing)
}

func TestUSR07_an_export_counts_while_it_runs_and_not_when_it_broke(t *testing.T) {
	w := newPrivacyFixture(t)
	ann := access.Actor{ID: w.ann}
	begin := func() func(context.Context, error) error {
		t.Helper()
		end, err := w.BeginExport(t.Context(), ann)
		require.NoError(t, err)
		return end
	}
	one, _ := begin(), begin()
	_, err := w.BeginExport(t.Context(), ann)
	require.True(t, fault.Is(err, fault.Throttled), "%v", err)
	hungUp, hangUp := context.WithCancel(t.Context())
	hangUp()
	require.ErrorIs(t, one(hungUp, usecases.ErrInjected), usecases.ErrInjected)
	begin()
}

func TestUSR07_open_orders_are_erased_when_they_are_closed(t *testing.T) {
	w := newPrivacyFixture(t)
	o, err := w.store.Ledger.AddOrder(t.Context(), payment.NewOrder(w.ann, "Tea", 990, time.Hour, usecases.Noon), nil)
	require.NoError(t, err)
	done, err := w.Erase(t.Context(), w.ann) // by an operator
	require.NoError(t, err)
	assert.Equal(t, []payment.OrderID{o.ID}, done.OpenOrders)
	require.NoError(t, w.store.Ledger.Change(t.Context(), o.ID, func(trade *payment.Trade) error {
		trade.Order.State = payment.Closed
		return nil
	}))
	require.NoError(t, w.ResumeErasures(t.Context()))
	assert.Empty(t, w.left(w.ann))
	stored, err := w.store.Ledger.Order(t.Context(), o.ID)
	require.NoError(t, err)
	assert.Empty(t, stored.Subject)
	assert.Equal(t, int64(990), stored.Amount)
}
