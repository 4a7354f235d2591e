package ports

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// everyKind are all kinds that are counted.
func everyKind() []feed.Kind { return append(feed.ItemKinds(), feed.Event) }

// feedEverythingAtOnce lets many write at once, each their own things, all into
// the same few categories; each instant is later than the last, so the newest of
// a category is taken away again and again while others come in.
func feedEverythingAtOnce(w *fixtures) {
	const turns = 25
	w.category(1)
	w.category(2)
	author := w.newUser()
	for _, err := range atOnce(many, func(i int) error {
		p := publisher{random: random{rand.New(rand.NewPCG(uint64(i), 7))}, fixtures: w, author: author, number: i}
		for turn := range turns {
			if err := p.turn(noon.Add(time.Duration(turn) * time.Second)); err != nil {
				return fmt.Errorf("writer %d, turn %d: %w", i, turn, err)
			}
		}
		return nil
	}) {
		require.NoError(w, err)
	}
	w.assertCounted()
}

// assertCounted asserts that what is counted of each kind is what is listed.
func (w *fixtures) assertCounted() {
	w.Helper()
	listed := w.listed()
	for _, kind := range everyKind() {
		want := map[feed.CategoryID]feed.Meta{}
		for _, l := range listed {
			if l.Kind == kind {
				meta := want[l.Category]
				meta.Add(l)
				want[l.Category] = meta
			}
		}
		assert.Equal(w, want, w.metas(feed.Selection{Kinds: []feed.Kind{kind}}), kind)
	}
}

// publisher writes items of all kinds that no other publisher writes.
type publisher struct {
	random
	*fixtures
	author user.ID
	number int
	events []event.ID
}

// turn does something to one of the publisher's things.
func (p *publisher) turn(at time.Time) error {
	c := content(p.author)
	c.Category = feed.CategoryID(p.IntN(3))
	c.Created, c.Updated = at, at.Add(time.Minute)
	c.Published = p.IntN(4) > 0
	id := int64(1 + p.number + many*p.IntN(3))
	switch p.IntN(6) {
	case 0:
		return p.tryImport(publication.Publication{ID: publication.ID(id), Content: c})
	case 1:
		return p.tryImport(publication.Node{ID: publication.NodeID(id), Content: c})
	case 2:
		return p.tryImport(request(p.author, demand.ID(id), func(d *demand.Demand) {
			d.Category, d.Created, d.Updated, d.Published = c.Category, c.Created, c.Updated, c.Published
		}))
	}
	return p.diary(at)
}

// diary writes, changes or removes an event.
func (p *publisher) diary(at time.Time) error {
	if len(p.events) == 0 || p.IntN(3) == 0 {
		draft := change(append([]edit{titled("An event"), published(true)}, p.edits()...)...)
		e, err := event.New(p.author, draft, pi, at)
		if err != nil {
			return err
		}
		if e, err = p.Events.Add(p.Context(), e); err == nil {
			p.events = append(p.events, e.ID())
		}
		return err
	}
	last := len(p.events) - 1
	if p.IntN(2) == 0 {
		_, err := p.Events.Remove(p.Context(), p.events[last])
		p.events = p.events[:last]
		return err
	}
	_, err := p.Events.Change(p.Context(), p.events[p.IntN(len(p.events))], apply(at, p.edits()...))
	return err
}
