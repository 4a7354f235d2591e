package demo

import (
	"cmp"
	"context"
	"time"

	"plaza/domain/access"
	"plaza/domain/feed"
	"plaza/domain/publication"
)

// writing is what publications and nodes have in common, as the tables tell it.
type writing struct {
	by       handle
	at       string // when it appeared, where the author is
	updated  string // when it was last changed; empty: never
	language string
	category feed.CategoryID
	draft    bool
	title    string
	summary  string
}

// text is a publication. Its number is that of its bundle: every text here was
// published once.
type text struct {
	bundle publication.BundleID
	first  publication.BundleID // the original of all its translations; zero: itself
	from   publication.BundleID // what it was translated from; zero: nothing
	node   publication.NodeID
	kind   publication.Type
	writing
}

// part is a node.
type part struct {
	id     publication.NodeID
	bundle publication.BundleID
	writing
}

// aloneFrom is where the numbers of the nodes begin of texts that have no part in
// the feed by itself.
const aloneFrom publication.NodeID = 1000

// publishes plans that the text appears.
func (p *plan) publishes(t text) {
	created, updated := p.times(t.writing)
	p.add(updated, t.by, "publishes "+t.title, func(ctx context.Context, s *stage, actor access.Actor) error {
		return s.ports.Publications.Put(ctx, publication.Publication{
			ID:     publication.ID(t.bundle),
			Bundle: publication.Bundle{ID: t.bundle, FirstOriginal: t.first, Original: t.from},
			Node:   cmp.Or(t.node, aloneFrom+publication.NodeID(t.bundle)),
			Type:   t.kind, Content: t.content(actor, created, updated),
		})
	})
}

// adds plans that the part of a text appears.
func (p *plan) adds(n part) {
	created, updated := p.times(n.writing)
	p.add(updated, n.by, "adds "+n.title, func(ctx context.Context, s *stage, actor access.Actor) error {
		return s.ports.Publications.PutNode(ctx, publication.Node{
			ID: n.id, Bundle: n.bundle, Content: n.content(actor, created, updated),
		})
	})
}

// times are when the writing appeared and when it was last changed. Only then is
// it stored: it would be stored again in place of itself.
func (p *plan) times(w writing) (created, updated time.Time) {
	created = p.instant(w.by, w.at)
	if w.updated == "" {
		return created, created
	}
	return created, p.instant(w.by, w.updated)
}

func (w writing) content(author access.Actor, created, updated time.Time) publication.Content {
	return publication.Content{
		Title: w.title, Summary: w.summary, Author: author.ID, Language: w.language,
		Category: w.category, Published: !w.draft, Created: created, Updated: updated,
	}
}

// howTo is what the robot imported for a category: there is one of each.
type howTo struct {
	category string
	at       string // UTC
	updated  string
	bundles  []publication.BundleID
}

// howTos are the robot's. Their categories are the slugs of the shelves.
var howTos = []howTo{
	{"tea", "2026-11-06 02:00", "2026-11-13 02:00", []publication.BundleID{24, 25}},
	{"cycling", "2026-11-06 02:00", "2026-11-06 02:00", []publication.BundleID{26}},
	{"clay", "2026-11-09 02:00", "2026-11-16 02:00", []publication.BundleID{27}},
	{"breakfast", "2026-11-10 02:00", "2026-11-10 02:00", []publication.BundleID{28}},
	{"up-the-mountain", "2026-11-12 02:00", "2026-11-17 02:00", []publication.BundleID{29, 30}},
	{"neighbours", "2026-11-18 02:00", "2026-11-18 02:00", nil}, // it looked, and found nothing
}

// imports plans that the robot brings the how-to.
func (p *plan) imports(h howTo) {
	created, updated := p.instant(robot, h.at), p.instant(robot, h.updated)
	p.add(updated, robot, "imports "+h.category, func(ctx context.Context, s *stage, actor access.Actor) error {
		return s.ports.HowTos.Put(ctx, publication.HowTo{
			Category: h.category, Robot: actor.ID, Bundles: h.bundles, Created: created, Updated: updated,
		})
	})
}
