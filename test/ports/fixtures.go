package ports

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/news"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/subscription"
	"plaza/domain/user"
	importing "plaza/test/content"
)

// fixtures is one subtest's stores, and the methods that fill them. A method that fails ends the subtest.
type fixtures struct {
	*testing.T
	Stores
	open   Open
	people int
}

// noon is when everything begins. It has microseconds, so that a store that drops them is found.
var noon = time.Date(2026, 3, 14, 12, 0, 0, 123456000, time.UTC)

// pi is the day of noon.
var pi = calendar.DateOf(noon)

// errBoom is what a function given to Change fails with.
var errBoom = errors.New("boom")

// mapped returns what fn makes of each value.
func mapped[T, R any](all []T, fn func(T) R) []R {
	made := make([]R, len(all))
	for i, v := range all {
		made[i] = fn(v)
	}
	return made
}

// many is how many do a thing at once in a race.
const many = 16

// atOnce calls fn many times at the same moment and returns what came of each.
func atOnce[T any](n int, fn func(i int) T) []T {
	var start, done sync.WaitGroup
	results := make([]T, n)
	start.Add(1)
	for i := range n {
		done.Go(func() {
			start.Wait()
			results[i] = fn(i)
		})
	}
	start.Done()
	done.Wait()
	return results
}

// assertOneWins asserts that of those who tried at once one succeeded, and the others failed with the error.
func assertOneWins(w *fixtures, errs []error, want error) {
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		assert.ErrorIs(w, err, want)
	}
	assert.Equal(w, 1, won, "winners")
}

// succeed asserts that none of the calls failed.
func (w *fixtures) succeed(errs []error) {
	for _, err := range errs {
		require.NoError(w, err)
	}
}

// promptly fails the test, rather than let it hang, when fn does not come back.
func (w *fixtures) promptly(fn func()) {
	w.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		w.Fatal("it does not come back")
	}
}

func phone(n int) user.Phone {
	p, err := user.ParsePhone(fmt.Sprintf("+86-138%08d", n))
	if err != nil {
		panic(err)
	}
	return p
}

// newUser opens an account and returns its uid.
func (w *fixtures) newUser(changes ...func(*user.Member)) user.ID {
	w.people++
	m := user.Member{Firstname: fmt.Sprintf("Nº %d", w.people), Timezone: "Asia/Shanghai", Joined: noon}
	for _, change := range changes {
		change(&m)
	}
	id, err := w.Accounts.Open(w.Context(), access.Account{Phone: phone(w.people), Hash: "hash", Scopes: access.DefaultScopes()}, m)
	require.NoError(w, err)
	return id
}

// users opens n accounts.
func (w *fixtures) users(n int) []user.ID {
	return mapped(make([]struct{}, n), func(struct{}) user.ID { return w.newUser() })
}

// account is a copy of the user's account, which not even a store that shares its data can reach.
func (w *fixtures) account(id user.ID) access.Account {
	a, err := w.Accounts.ByID(w.Context(), id)
	require.NoError(w, err)
	a.Scopes = slices.Clone(a.Scopes)
	return a
}

func (w *fixtures) changeAccount(id user.ID, fn func(*access.Account)) {
	require.NoError(w, w.Accounts.Change(w.Context(), id, func(a *access.Account) error { fn(a); return nil }))
}

// category stores a root of the tree.
func (w *fixtures) category(id feed.CategoryID) feed.CategoryID {
	w.imports(feed.Category{ID: id, Name: fmt.Sprint("Nº ", id), Slug: fmt.Sprint("n", id)})
	return id
}

// follow makes one person follow the other.
func (w *fixtures) follow(who, followed user.ID) {
	s, err := subscription.ToUser(who, followed, noon)
	require.NoError(w, err)
	_, _, err = w.Subscriptions.Follow(w.Context(), s)
	require.NoError(w, err)
}

// befriend makes two people contacts of each other.
func (w *fixtures) befriend(a, b user.ID) {
	w.follow(a, b)
	w.follow(b, a)
}

// edit is something that an author wants of an event.
type edit func(*event.Change)

func titled(title string) edit           { return func(c *event.Change) { c.Title = new(title) } }
func dated(d calendar.Date) edit         { return func(c *event.Change) { c.Date = new(d) } }
func under(id feed.CategoryID) edit      { return func(c *event.Change) { c.Category = new(id) } }
func published(yes bool) edit            { return func(c *event.Change) { c.Publish = new(yes) } }
func permitted(to event.Permission) edit { return func(c *event.Change) { c.Permission = new(to) } }

// withTexts sets each text that no edit before it has set, also of fields that are yet to come.
func withTexts(text string) edit {
	return func(c *event.Change) {
		fields := reflect.ValueOf(c).Elem()
		for field, value := range fields.Fields() {
			if field.IsExported() && value.Kind() == reflect.Pointer && value.Type().Elem().Kind() == reflect.String && value.IsNil() {
				value.Set(reflect.New(value.Type().Elem()))
				value.Elem().SetString(text)
			}
		}
	}
}

// shown makes an event stand so.
func shown(as event.Exposure) edit {
	return func(c *event.Change) {
		published(as.Status == event.Normal)(c)
		permitted(as.Permission)(c)
	}
}

// apply makes a function for Change.
func apply(at time.Time, edits ...edit) func(*event.Event) error {
	return func(e *event.Event) error { return e.Apply(change(edits...), at) }
}

func change(edits ...edit) event.Change {
	var c event.Change
	for _, e := range edits {
		e(&c)
	}
	return c.Sanitised(importing.AsSent{})
}

// written is an event that is not stored yet: of the day of noon, published and public unless the edits say otherwise.
func (w *fixtures) written(author user.ID, at time.Time, edits ...edit) *event.Event {
	c := change(append([]edit{titled("An event"), published(true)}, edits...)...)
	e, err := event.New(author, c, pi, at)
	require.NoError(w, err)
	return e
}

// stores stores the event.
func (w *fixtures) stores(e *event.Event) *event.Event {
	stored, err := w.Events.Add(w.Context(), e)
	require.NoError(w, err)
	return stored
}

// write stores an event.
func (w *fixtures) write(author user.ID, at time.Time, edits ...edit) *event.Event {
	return w.stores(w.written(author, at, edits...))
}

func (w *fixtures) remove(id event.ID) {
	_, err := w.Events.Remove(w.Context(), id)
	require.NoError(w, err)
}

// gone asserts that the store has no such event.
func (w *fixtures) gone(id event.ID) {
	_, err := w.Events.Get(w.Context(), id)
	assert.ErrorIs(w, err, event.ErrNotFound)
}

// withoutFirstPlate removes the first plate of the event.
func withoutFirstPlate(e *event.Event) error {
	_, err := e.RemovePlate(e.State().Plates[0].ID, noon)
	return err
}

// entry is a copy of the event with its counts.
func (w *fixtures) entry(id event.ID) event.Entry {
	e, err := w.Events.Get(w.Context(), id)
	require.NoError(w, err)
	return w.copy(e)
}

// copy is the entry anew, so that not even a store that shares its data can reach it.
func (w *fixtures) copy(e event.Entry) event.Entry {
	anew, err := event.Restore(stateOf(e.Event))
	require.NoError(w, err)
	return event.Entry{Event: anew, Counts: e.Counts}
}

func (w *fixtures) copies(entries []event.Entry) []event.Entry { return mapped(entries, w.copy) }

// say stores a comment.
func (w *fixtures) say(on event.ID, author user.ID, at time.Time, content string) event.Comment {
	c, err := event.NewComment(on, author, content, at)
	require.NoError(w, err)
	c, _, err = w.Discussion.AddComment(w.Context(), c)
	require.NoError(w, err)
	return c
}

// stateOf is the event's state in the form in which states are compared: no plates are no plates, whether the slice is nil or empty.
func stateOf(e *event.Event) event.State {
	s := e.State()
	if len(s.Plates) == 0 {
		s.Plates = nil
	}
	return s
}

func statesOf(events []*event.Event) []event.State { return mapped(events, stateOf) }

func eventsOf(entries []event.Entry) []*event.Event {
	return mapped(entries, func(e event.Entry) *event.Event { return e.Event })
}

// titlesOf returns the titles of the events.
func titlesOf(events []*event.Event) []string {
	return mapped(events, func(e *event.Event) string { return e.Text().Title })
}

// pageNo asks for a page of the size.
func pageNo(number, size int) page.Request {
	r, err := page.New(number, size)
	if err != nil {
		panic(err)
	}
	return r
}

// everyPage reads a list page by page, all of which must agree on the total.
func everyPage[T any](w *fixtures, size int, read func(page.Request) (page.Page[T], error)) []T {
	all := []T{}
	for n := 1; ; n++ {
		p, err := read(pageNo(n, size))
		require.NoError(w, err)
		all = append(all, p.Items...)
		if _, more := p.Request.Next(p.Total); !more {
			assert.Len(w, all, p.Total)
			return all
		}
		assert.Len(w, p.Items, size)
	}
}

// broad is a text of so many characters of four bytes each.
func broad(chars int) string { return strings.Repeat("🀄", chars) }

// imports stores the things through the import store. Their authors have accounts.
func (w *fixtures) imports(things ...any) {
	require.NoError(w, w.tryImport(things...))
}

func (w *fixtures) tryImport(things ...any) error {
	stores := importing.Stores{Accounts: w.Accounts, Directory: w.Directory, Imports: w.Imports}
	return importing.Import(w.Context(), stores, things...)
}

// importEach stores things of one type, one after the other.
func importEach[T any](w *fixtures, things ...T) {
	for _, thing := range things {
		w.imports(thing)
	}
}

// content is what is published by the author at noon.
func content(author user.ID) publication.Content {
	return publication.Content{Title: "A text", Author: author, Language: "en", Published: true, Created: noon, Updated: noon}
}

// article is a publication of the author, of a bundle of the same number, unless the edits say otherwise.
func article(author user.ID, id publication.ID, edits ...func(*publication.Publication)) publication.Publication {
	p := publication.Publication{ID: id, Bundle: publication.Bundle{ID: publication.BundleID(id)}, Content: content(author)}
	for _, edit := range edits {
		edit(&p)
	}
	return p
}

// translationOf makes it a translation of the bundle.
func translationOf(original publication.BundleID) func(*publication.Publication) {
	return func(p *publication.Publication) { p.Bundle.FirstOriginal, p.Bundle.Original = original, original }
}

// cover is a picture none of whose facts is zero.
func cover() media.Picture {
	return media.Picture{Path: "https://plaza.example/c.jpg?a=1&b='", Sizes: []media.Size{
		{Name: "cover_sm", Width: 320, Height: 200, Path: "https://plaza.example/sm.jpg"},
		{Name: "cover_md", Width: 640, Height: 400, Path: "https://plaza.example/md.jpg"},
	}}
}

// node is a node of the author's, which is not stored yet.
func node(like publication.Content, id publication.NodeID) publication.Node {
	return publication.Node{ID: id, Content: like}
}

// request is a demand of the author's, nowhere, unless the edits say otherwise.
func request(author user.ID, id demand.ID, edits ...func(*demand.Demand)) demand.Demand {
	d := demand.Demand{
		ID: id, Title: "A request", Author: author, Published: true, Created: noon, Updated: noon,
		Closed: noon.AddDate(0, 0, 3), Start: noon.AddDate(0, 0, 1), End: noon.AddDate(0, 0, 2),
	}
	for _, edit := range edits {
		edit(&d)
	}
	return d
}

// fullRequest is a demand none of whose facts is zero.
func fullRequest(author user.ID, id demand.ID, in feed.CategoryID) demand.Demand {
	return request(author, id, func(d *demand.Demand) {
		d.Title, d.Description, d.Address = broad(64), "O'Brien \\ \"%_\"\n\t ", "西湖区 1"
		d.Tags, d.Images = []string{"b", "a", "b,c"}, []string{"https://plaza.example/2.jpg", "https://plaza.example/1.jpg"}
		d.Cover = media.Picture{Path: "https://plaza.example/c.jpg", Sizes: []media.Size{
			{Name: "demand_cover_md", Width: 640, Height: 400, Path: "https://plaza.example/md.jpg"},
		}}
		d.Category, d.Place, d.Updated = in, &geo.Point{Lat: 30.25, Lng: 120.15}, noon.Add(time.Microsecond)
	})
}

func howTo(category string, robot user.ID, at time.Time, bundles ...publication.BundleID) publication.HowTo {
	return publication.HowTo{Category: category, Robot: robot, Bundles: bundles, Created: at, Updated: at.Add(time.Second)}
}

// newsItems are news of the day of noon, told apart by their title.
func newsItems(city string, titles ...string) []news.Item {
	var items []news.Item
	for _, title := range titles {
		items = append(items, news.Item{Title: title, City: city, Released: pi})
	}
	return items
}

// got is the event as Get hands it out, by which ChangeRead knows it again.
func (w *fixtures) got(id event.ID) event.Entry {
	e, err := w.Events.Get(w.Context(), id)
	require.NoError(w, err)
	return e
}

// changeRead stores a change that must succeed.
func (w *fixtures) changeRead(read event.Entry, fn func(*event.Event) error) event.Entry {
	e, err := w.Events.ChangeRead(w.Context(), read, fn)
	require.NoError(w, err)
	return e
}

// same leaves the event as it is.
func same(*event.Event) error { return nil }

// numberless is the state without the numbers of its plates.
func numberless(s event.State) event.State {
	s.Plates = slices.Clone(s.Plates)
	for i := range s.Plates {
		s.Plates[i].ID = 0
	}
	return s
}
