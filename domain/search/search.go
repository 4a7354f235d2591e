// Package search finds events, and what the feed lists, by the words of their texts (SRC-01).
//
// A store keeps an Entry for each thing that is found, and changes it in the step that changes the thing. Words is the only
// function that cuts texts, so all stores find the same.
package search

import (
	"context"
	"slices"
	"time"

	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/markup"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/text"
	"plaza/domain/user"
)

// ErrNoWord is the fault of a search for marks alone.
var ErrNoWord = fault.New(fault.Invalid, "Enter at least one letter, digit or symbol.")

// Entry is what the index has of a thing.
type Entry struct {
	Kind      feed.Kind
	ID        int64
	Created   time.Time
	Author    user.ID // of an event; of others zero, because blocks do not hide them
	IsPrivate bool    // its author alone finds it
	Words     []string
}

// EntryOf returns the entry of the thing, or nil if no search finds it. Of a publication or node, the HTML is the text, and the entry
// lacks the titles of the translations.
func EntryOf(thing feed.Listable, html markup.HTML) *Entry {
	var e Entry
	var texts []string
	l, isListed := thing.Listing()
	e.Kind, e.ID, e.Created = l.Kind, l.ID, l.Created
	switch thing := thing.(type) {
	case *event.Event:
		s := thing.State()
		e = Entry{Kind: feed.Event, ID: int64(s.ID), Created: s.Created, Author: s.Author, IsPrivate: !isListed}
		isListed = IsShown(thing, subscription.Self)
		texts = []string{s.Title, s.Content, s.HTML.Prose()}
	case publication.Publication:
		texts = []string{thing.Title, thing.Summary, html.Prose()}
	case publication.Node:
		texts = []string{thing.Title, thing.Summary, html.Prose()}
	case demand.Demand:
		texts = []string{thing.Title, thing.Description}
	}
	if !isListed {
		return nil
	}
	e.Words = Words(texts...)
	return &e
}

// Named returns the entry with the titles of the translations; its own title may be among them.
func (e *Entry) Named(titles ...string) *Entry {
	if e == nil || len(titles) == 0 {
		return e
	}
	named := *e
	named.Words = limited(append(Words(titles...), e.Words...))
	return &named
}

// IsShown reports whether a search by a user with the relation to the author finds the event. Searches find public events, unless
// a block stands between both, and the author's own ones. No search finds an event that staff have hidden.
func IsShown(e *event.Event, r subscription.Relation) bool {
	return !e.IsHidden() && (r == subscription.Self || e.VisibleTo(r) && e.VisibleTo(subscription.Stranger))
}

// IsSame reports whether both are the same entry, or nil.
func IsSame(a, b *Entry) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && a.ID == b.ID && a.Created.Equal(b.Created) && a.Author == b.Author && a.IsPrivate == b.IsPrivate &&
		slices.Equal(a.Words, b.Words)
}

// Query selects entries.
type Query struct {
	Words []string
	Kinds []feed.Kind
	By    user.ID // who searches; zero finds no events
	page.CursorRequest
}

// Parse returns the words to search for: of neighbours in Chinese their pairs alone.
func Parse(q string) (words []string, err error) {
	if p := text.SearchLimit.RequiredProblem(q); p != "" {
		return nil, fault.New(fault.Invalid, p)
	}
	if cut(q, false, func(word string) { words = append(words, word) }); len(words) == 0 {
		return nil, ErrNoWord
	}
	return limited(words), nil
}

// Findable returns those of the kinds that the searcher may find; there may be none.
func (q Query) Findable() []feed.Kind {
	if q.By != 0 {
		return q.Kinds
	}
	return slices.DeleteFunc(slices.Clone(q.Kinds), func(k feed.Kind) bool { return k == feed.Event })
}

// Finds reports whether the query finds the entry of an author whom no block hides.
func (q Query) Finds(e Entry) bool {
	return slices.Contains(q.Findable(), e.Kind) && (!e.IsPrivate || e.Author == q.By) &&
		!slices.ContainsFunc(q.Words, func(word string) bool { return !slices.Contains(e.Words, word) })
}

// Found is a thing that was found: an event, or an item of the feed.
type Found struct {
	Event *event.Entry // nil: an item
	Item  feed.Item
}

// Index finds things. What is hidden, erased, not published any more or whose author is blocked is not found from the commit
// on that makes it so. Every implementation passes test/ports.Texts.
type Index interface {
	// Find returns the things that have all words of the query and are of one of its kinds, the newest creation first: events that
	// everybody sees, unless a block stands between their author and who searches, and the searcher's own events, but no hidden
	// ones; listed publications, nodes and demands, as feed.Reader returns them. A publication or node also has the words of the
	// titles of its translations, which its card shows. Things that were created at the same moment are in some order that stays. A
	// part may have fewer things than its size although the list continues. A query that has no Findable kind finds nothing.
	Find(ctx context.Context, q Query, charges ...ratelimit.Charge) (page.CursorPage[Found], error)
	// Fill makes the entries that are missing. What is stored while it runs has its entry already.
	Fill(ctx context.Context) error
}
