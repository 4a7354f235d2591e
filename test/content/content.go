// Package content stores content for tests the way it enters the program: through the import store.
package content

import (
	"context"
	"crypto/rand"
	"fmt"
	"reflect"
	"strings"

	"plaza/domain/access"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/markup"
	"plaza/domain/news"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// Stores are the ports that an import goes through.
type Stores struct {
	Accounts  access.Accounts
	Directory user.Directory
	Imports   imported.Store
}

// Import stores the things in one batch: categories, bundles, publications, nodes, demands, how-tos and news. Their
// authors have accounts, which keep their names. A publication brings its bundle; bundles that a thing only names are
// stored as originals unless they are stored already. It returns an error unless all of the things are stored.
func Import(ctx context.Context, s Stores, things ...any) error {
	b := batch{Stores: s, by: map[imported.Ref]imported.Record{}}
	for _, thing := range things {
		if err := b.addThing(ctx, thing); err != nil {
			return err
		}
	}
	if err := b.addNamed(ctx); err != nil {
		return err
	}
	return Apply(ctx, s.Imports, "content", b.records...)
}

// Apply stores the records as a batch of the import. It returns an error unless all of them are stored.
func Apply(ctx context.Context, imports imported.Store, name string, records ...imported.Record) error {
	outcomes, err := imports.Apply(ctx, imported.Batch{Import: name, Records: records})
	if err != nil {
		return err
	}
	for i, o := range outcomes {
		if !o.IsStored() {
			return fmt.Errorf("%v is not stored: %v", records[i].Ref(), o.Wrong)
		}
	}
	return nil
}

// batch are the records of the things, each once.
type batch struct {
	Stores
	records []imported.Record
	by      map[imported.Ref]imported.Record
	named   []publication.BundleID
}

func (b *batch) add(r imported.Record) error {
	if old, has := b.by[r.Ref()]; has {
		if !reflect.DeepEqual(old, r) {
			return fmt.Errorf("two different records of %v", r.Ref())
		}
		return nil
	}
	b.by[r.Ref()] = r
	b.records = append(b.records, r)
	return nil
}

func (b *batch) addThing(ctx context.Context, thing any) error {
	switch thing := thing.(type) {
	case feed.Category:
		return b.add(imported.CategoryRecord{Category: thing})
	case publication.Bundle:
		b.named = append(b.named, thing.FirstOriginal, thing.Original)
		return b.add(imported.BundleRecord{Bundle: thing})
	case publication.Publication:
		if thing.Bundle.ID != 0 {
			if err := b.addThing(ctx, thing.Bundle); err != nil {
				return err
			}
		}
		return b.written(ctx, thing.Author, func(source string) imported.Record {
			return imported.PublicationRecord{Publication: thing, By: source}
		})
	case publication.Node:
		b.named = append(b.named, thing.Bundle)
		return b.written(ctx, thing.Author, func(source string) imported.Record { return imported.NodeRecord{Node: thing, By: source} })
	case demand.Demand:
		return b.written(ctx, thing.Author, func(source string) imported.Record { return imported.DemandRecord{Demand: thing, By: source} })
	case publication.HowTo:
		b.named = append(b.named, thing.Bundles...)
		return b.written(ctx, thing.Robot, func(source string) imported.Record { return imported.HowToRecord{HowTo: thing, By: source} })
	case news.Item:
		return b.add(imported.NewsRecord{Source: rand.Text(), Item: thing})
	}
	return fmt.Errorf("%T is no content", thing)
}

// written adds the record of the author, and the record that is made with the author's id at the source.
func (b *batch) written(ctx context.Context, author user.ID, record func(source string) imported.Record) error {
	account, err := b.Accounts.ByID(ctx, author)
	if err != nil {
		return fmt.Errorf("the account of %d: %w", author, err)
	}
	members, err := b.Directory.Members(ctx, []user.ID{author})
	if err != nil {
		return err
	}
	person := imported.UserRecord{Source: fmt.Sprint("user ", author), Phone: account.Phone, Member: members[0]}
	if err := b.add(person); err != nil {
		return err
	}
	return b.add(record(person.Source))
}

// addNamed adds the bundles that the things name, unless they are stored or among the records.
func (b *batch) addNamed(ctx context.Context) error {
	var refs []imported.Ref
	for _, id := range b.named {
		refs = append(refs, imported.NumberRef(imported.Bundle, id))
	}
	known, err := b.Imports.Known(ctx, refs)
	if err != nil {
		return err
	}
	for i, id := range b.named {
		if ref := refs[i]; id != 0 && !known[ref] && b.by[ref] == nil {
			if err := b.add(imported.BundleRecord{Bundle: publication.Bundle{ID: id}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// AsSent is a markup.Sanitiser that changes nothing, for HTML of tests.
type AsSent struct{}

// Sanitise implements markup.Sanitiser.
func (AsSent) Sanitise(raw string) markup.HTML { return markup.HTML(raw) }

// Ordering returns the ordering by the comma-separated keys. A leading minus sign means descending. It panics on a key
// that does not exist.
func Ordering(keys string) event.Ordering {
	var terms []event.Term
	for key := range strings.SplitSeq(keys, ",") {
		if name, descending := strings.CutPrefix(key, "-"); name != "" {
			terms = append(terms, event.Term{Key: event.Key(name), Descending: descending})
		}
	}
	ordering, err := event.NewOrdering(terms...)
	if err != nil {
		panic(err)
	}
	return ordering
}
