package demo

import (
	"cmp"
	"time"

	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/publication"
)

// writing has the common fields of publications and nodes.
type writing struct {
	by       handle
	at       string // when it appeared, in the author's time zone
	updated  string // when it was last changed; empty: never
	language string
	category feed.CategoryID
	draft    bool
	title    string
	summary  string
}

// text is a publication. Its id is also the id of its bundle: every text is published once.
type text struct {
	bundle publication.BundleID
	first  publication.BundleID // first original of its translations; zero: itself
	from   publication.BundleID // source of the translation; zero: none
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

// aloneFrom is added to the bundle id to get the node id of a text without a node in parts.
const aloneFrom publication.NodeID = 1000

func (t text) bundleDraft() imported.Draft {
	return imported.BundleDraft{ID: t.bundle, FirstOriginal: t.first, Original: t.from}
}

func (p *plan) textDraft(t text) imported.Draft {
	created, updated := p.times(t.writing)
	return imported.PublicationDraft{
		ID: publication.ID(t.bundle), Bundle: t.bundle,
		Node: cmp.Or(t.node, aloneFrom+publication.NodeID(t.bundle)), Type: t.kind,
		ContentDraft: imported.ContentDraft{
			Title: t.title, Summary: t.summary, Author: imported.SourceID(t.by), Language: t.language, Category: t.category,
			Cover: cover(p, "text", t.bundle, textCovers), Published: !t.draft, Created: created, Updated: updated,
		},
	}
}

func (p *plan) partDraft(n part) imported.Draft {
	created, updated := p.times(n.writing)
	return imported.NodeDraft{
		ID: n.id, Bundle: n.bundle,
		ContentDraft: imported.ContentDraft{
			Title: n.title, Summary: n.summary, Author: imported.SourceID(n.by), Language: n.language, Category: n.category,
			Published: !n.draft, Created: created, Updated: updated,
		},
	}
}

// times returns when the writing appeared and when it was last changed (zero: never).
func (p *plan) times(w writing) (created, updated time.Time) {
	created = p.instant(w.by, w.at)
	p.happens(created, w.by, "writes "+w.title)
	if w.updated != "" {
		updated = p.instant(w.by, w.updated)
	}
	return created, updated
}

// howTo is the imported how-to of a category, one per category.
type howTo struct {
	category string
	at       string // UTC
	updated  string
	bundles  []publication.BundleID
}

// howTos are written by the robot. Their categories are the slugs of feed categories.
var howTos = []howTo{
	{"tea", "2026-11-06 02:00", "2026-11-13 02:00", []publication.BundleID{24, 25}},
	{"cycling", "2026-11-06 02:00", "2026-11-06 02:00", []publication.BundleID{26}},
	{"clay", "2026-11-09 02:00", "2026-11-16 02:00", []publication.BundleID{27}},
	{"breakfast", "2026-11-10 02:00", "2026-11-10 02:00", []publication.BundleID{28}},
	{"up-the-mountain", "2026-11-12 02:00", "2026-11-17 02:00", []publication.BundleID{29, 30}},
	{"neighbours", "2026-11-18 02:00", "2026-11-18 02:00", nil}, // an empty result
}

func (p *plan) howToDraft(h howTo) imported.Draft {
	created, updated := p.instant(robot, h.at), p.instant(robot, h.updated)
	p.happens(created, robot, "imports "+h.category)
	return imported.HowToDraft{
		Category: h.category, Robot: imported.SourceID(robot), Bundles: h.bundles, Created: created, Updated: updated,
	}
}
