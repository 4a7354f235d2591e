package ports

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// random makes random content, the same every time.
type random struct{ *rand.Rand }

// eachSeed runs fn with a few fresh stores, with -short with one; the seed of a failure is the name of its subtest.
func (w *fixtures) eachSeed(fn func(*fixtures, random)) {
	for seed := range uint64(4) {
		w.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			if testing.Short() && seed > 0 {
				t.Skip("make test-all runs this")
			}
			fn(w.open.fixtures(t), random{rand.New(rand.NewPCG(seed, seed))})
		})
	}
}

func pick[T any](c random, of ...T) T { return of[c.IntN(len(of))] }

// days are the days of random events.
var days = []calendar.Date{calendar.DateOf(noon.AddDate(0, 0, -1)), pi, calendar.DateOf(noon.AddDate(0, 0, 1))}

// edits are what an author may want next: any field, each as likely as not.
func (c random) edits() []edit {
	some := []edit{titled(fmt.Sprint("Nº ", c.IntN(1000)))}
	for _, e := range []edit{
		published(c.IntN(4) > 0), permitted(pick(c, event.Permissions()...)),
		under(pick[feed.CategoryID](c, 0, 1, 2)), dated(pick(c, days...)),
	} {
		if c.IntN(2) == 0 {
			some = append(some, e)
		}
	}
	return some
}

// relate returns the relation of two users.
type relate func(viewer, author user.ID) subscription.Relation

// acquainted are people who follow and block each other at random.
func (w *fixtures) acquainted(c random) ([]user.ID, relate) {
	var people []user.ID
	for range 5 {
		people = append(people, w.newUser())
	}
	type pair struct{ who, followed user.ID }
	follows := map[pair]bool{}
	for _, a := range people {
		for _, b := range people {
			if a != b && c.IntN(2) == 0 {
				w.follow(a, b)
				follows[pair{a, b}] = true
			}
		}
	}
	blocks := map[pair]bool{}
	for range 2 {
		if a, b := pick(c, people...), pick(c, people...); a != b {
			w.block(a, b)
			blocks[pair{a, b}], blocks[pair{b, a}] = true, true
		}
	}
	return people, func(viewer, author user.ID) subscription.Relation {
		between := pair{viewer, author}
		return subscription.Relate(viewer, author, follows[between], follows[pair{author, viewer}], blocks[between])
	}
}

// randomEvents are events of all the people, some of them created at the same instant, and some drafts published later.
func (w *fixtures) randomEvents(c random, people []user.ID) []*event.Event {
	w.category(1)
	w.category(2)
	var events []*event.Event
	for range 60 {
		at := noon.Add(time.Duration(c.IntN(4)) * time.Microsecond)
		e := w.write(pick(c, people...), at, c.edits()...)
		if later := at.Add(time.Duration(c.IntN(4)) * time.Microsecond); c.IntN(3) == 0 {
			e = w.change(e.ID(), apply(later, published(c.IntN(4) > 0))).Event
		}
		events = append(events, e)
	}
	return events
}

// writesOf are a comment on the event, and a like of it, by the person, with a key or charges at random.
func (w *fixtures) writesOf(c random, on event.ID, who user.ID) []error {
	said, err := event.NewComment(on, who, "Oh", noon)
	require.NoError(w, err)
	if c.IntN(3) == 0 {
		k := keyNamed(who, fmt.Sprint(on))
		require.Nil(w, w.reserves(k, noon))
		said.Completes = &k
	}
	many := ratelimit.Limits{ratelimit.Like: {Count: 1e6, Period: time.Hour}}.Charge(int64(who), ratelimit.Like, noon)
	charges := pick(c, nil, []ratelimit.Charge{many}, []ratelimit.Charge{many, many})
	_, _, err = w.Discussion.AddComment(w.Context(), said, charges...)
	return []error{err, w.Discussion.Like(w.Context(), event.NewLike(on, who, true, noon), charges...)}
}

func discussRandom(w *fixtures) {
	w.eachSeed(func(w *fixtures, c random) {
		people, relation := w.acquainted(c)
		told := map[user.ID]int{}
		for _, author := range people {
			_, told[author] = w.notifications(author)
		}
		for _, e := range w.randomEvents(c, people)[:30] {
			readers := 0
			for _, who := range people {
				errs := w.writesOf(c, e.ID(), who)
				if !e.VisibleTo(relation(who, e.Author())) {
					for _, err := range append(errs, w.Discussion.Like(w.Context(), event.NewLike(e.ID(), who, false, noon))) {
						require.ErrorIs(w, err, event.ErrNotFound, "%d of %d by %d", e.ID(), e.Author(), who)
					}
					continue
				}
				require.Equal(w, make([]error, 2), errs, "%d of %d by %d", e.ID(), e.Author(), who)
				if readers++; who != e.Author() {
					told[e.Author()] += 2
				}
			}
			assert.Equal(w, event.Counts{Comments: readers, Likes: readers}, w.entry(e.ID()).Counts)
		}
		for author, want := range told {
			_, unread := w.notifications(author)
			assert.Equal(w, want, unread)
		}
		w.consistent()
	})
}

// visible are those of the events that the viewer may see and that are wanted.
func visible(events []*event.Event, viewer user.ID, relation relate, wanted func(event.State) bool) []*event.Event {
	found := []*event.Event{}
	for _, e := range events {
		if e.VisibleTo(relation(viewer, e.Author())) && wanted(e.State()) {
			found = append(found, e)
		}
	}
	return found
}
