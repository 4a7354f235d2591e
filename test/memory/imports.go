package memory

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"plaza/domain/access"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
)

type ImportStore view

func (v ImportStore) Apply(ctx context.Context, b imported.Batch) ([]imported.Outcome, error) {
	return write(ctx, v.s, func() ([]imported.Outcome, error) {
		for _, record := range b.Records {
			if err := checkRecord(record); err != nil {
				return nil, err
			}
		}
		tree := map[feed.CategoryID]feed.CategoryID{}
		for _, c := range v.s.categories {
			tree[c.ID] = c.Parent
		}
		ready, outcomes := imported.Decide(b.Records, v.s.existingAccounts, v.s.known(imported.NeedsOf(b.Records)), tree)
		for _, i := range ready {
			outcomes[i].Status = v.s.storeRecord(b.Records[i])
		}
		v.s.imports.progress[b.Import] = bytes.Clone(b.Progress)
		return outcomes, nil
	})
}

// existingAccounts returns the user's account and the account that has the user's phone number.
func (s *Store) existingAccounts(p imported.UserRecord) (own, holder *imported.ExistingAccount) {
	of := func(id user.ID) *imported.ExistingAccount {
		return &imported.ExistingAccount{Source: s.imports.sources[id], Phone: s.accounts[id].Phone}
	}
	if id, is := s.imports.users[p.Source]; is {
		own = of(id)
	}
	if id, is := s.telephones[p.Phone.E164()]; is {
		holder = of(id)
	}
	return own, holder
}

func (v ImportStore) Progress(ctx context.Context, name string) ([]byte, error) {
	return read(ctx, v.s, func() ([]byte, error) { return bytes.Clone(v.s.imports.progress[name]), nil })
}

func (v ImportStore) Finish(ctx context.Context, name string) error {
	return exec(ctx, v.s, func() error {
		delete(v.s.imports.progress, name)
		return nil
	})
}

func (v ImportStore) Complete(ctx context.Context, c imported.Completion) error {
	return exec(ctx, v.s, func() error {
		if v.s.imports.completion.Ended.Before(c.Ended) {
			v.s.imports.completion = c
		}
		return nil
	})
}

func (v ImportStore) BeginRun(ctx context.Context, began time.Time, files []string) (imported.RunID, error) {
	return write(ctx, v.s, func() (imported.RunID, error) {
		r := imported.Run{
			ID: imported.RunID(len(v.s.imports.runs) + 1), State: imported.RunUnfinished, Began: began, RunCounts: imported.RunCounts{Files: files},
		}
		v.s.imports.runs, v.s.imports.rejects = append(v.s.imports.runs, copyOf(r)), append(v.s.imports.rejects, nil)
		return r.ID, nil
	})
}

func (v ImportStore) EndRun(ctx context.Context, r imported.Run, rejects []imported.RejectedLine) error {
	return exec(ctx, v.s, func() error {
		v.s.imports.runs[r.ID-1], v.s.imports.rejects[r.ID-1] = copyOf(r), cloneRejects(first(rejects, imported.MaxRejects))
		return nil
	})
}

func cloneRejects(all []imported.RejectedLine) []imported.RejectedLine {
	cloned := copyOf(all)
	for i := range cloned {
		cloned[i].Fields = maps.Clone(cloned[i].Fields)
	}
	return cloned
}

func (v ImportStore) Runs(ctx context.Context, f imported.RunFilter, p page.Request) (page.Page[imported.Run], error) {
	return read(ctx, v.s, func() (page.Page[imported.Run], error) {
		selected := filter(slices.Values(copyOf(v.s.imports.runs)), func(r imported.Run) bool {
			return (f.State == "" || r.State == f.State) && (!f.IsRejecting || len(v.s.imports.rejects[r.ID-1]) > 0) && f.Has(r.Began)
		})
		key := page.Keys(f.Span, func(r imported.Run) page.Cursor { return page.Cursor{ID: int64(r.ID)} })
		return page.Slice(p, sorted(selected, latest(key)), key)
	})
}

func (v ImportStore) RejectsOf(ctx context.Context, id imported.RunID) ([]imported.RejectedLine, error) {
	return read(ctx, v.s, func() ([]imported.RejectedLine, error) {
		if id < 1 || int(id) > len(v.s.imports.rejects) {
			return nil, imported.ErrNoRun
		}
		return cloneRejects(v.s.imports.rejects[id-1]), nil
	})
}

func (v ImportStore) Known(ctx context.Context, refs []imported.Ref) (map[imported.Ref]bool, error) {
	return read(ctx, v.s, func() (map[imported.Ref]bool, error) { return v.s.known(refs), nil })
}

func (v ImportStore) Cover(ctx context.Context, d imported.Digest) (p media.Picture, found bool, err error) {
	p, err = read(ctx, v.s, func() (media.Picture, error) {
		p, found = v.s.imports.covers[d]
		return copyOf(p), nil
	})
	return p, found, err
}

func (v ImportStore) RememberCover(ctx context.Context, d imported.Digest, p media.Picture) (media.Picture, error) {
	return write(ctx, v.s, func() (media.Picture, error) {
		if _, is := v.s.imports.covers[d]; !is {
			v.s.imports.covers[d] = copyOf(p)
		}
		return copyOf(v.s.imports.covers[d]), nil
	})
}

// checkRecord returns an error if the record can never be stored.
func checkRecord(r imported.Record) error {
	switch ref := r.Ref(); ref.Kind {
	case imported.User, imported.HowTo, imported.News:
		return nil
	default:
		if ref.Number() > 0 {
			return nil
		}
		return fmt.Errorf("invalid %s id %s", ref.Kind, ref.ID)
	}
}

// storeRecord stores the record and returns whether it was new, changed or the same.
func (s *Store) storeRecord(r imported.Record) imported.Status {
	s.version++
	switch r := r.(type) {
	case imported.UserRecord:
		return s.storeUser(r)
	case imported.CategoryRecord:
		return put(s.categories, r.ID, r.Category)
	case imported.BundleRecord:
		return s.storeBundle(r.Bundle)
	case imported.PublicationRecord:
		r.Author, r.Bundle = s.imports.users[r.By], s.bundle(r.Bundle.ID)
		r.Hidden = s.keepHiding(itemOf(feed.Publication, r.ID), r.Author)
		defer s.list(itemOf(feed.Publication, r.ID), r.Publication) // behind its text
		return s.putText(itemOf(feed.Publication, r.ID), r.HTML, put(s.publications, r.ID, copyOf(r.Publication)))
	case imported.NodeRecord:
		r.Author = s.imports.users[r.By]
		r.Hidden = s.keepHiding(itemOf(feed.Node, r.ID), r.Author)
		defer s.list(itemOf(feed.Node, r.ID), r.Node) // behind its text
		return s.putText(itemOf(feed.Node, r.ID), r.HTML, put(s.nodes, r.ID, copyOf(r.Node)))
	case imported.DemandRecord:
		r.Author, r.Tags, r.Images = s.imports.users[r.By], append([]string(nil), r.Tags...), append([]string(nil), r.Images...)
		r.Hidden = s.keepHiding(itemOf(feed.Demand, r.ID), r.Author)
		s.list(itemOf(feed.Demand, r.ID), r.Demand)
		return put(s.demands, r.ID, copyOf(r.Demand))
	case imported.HowToRecord:
		r.Robot, r.Bundles = s.imports.users[r.By], append([]publication.BundleID(nil), r.Bundles...)
		return put(s.howTos, howToKey{r.Category, r.Robot}, copyOf(r.HowTo))
	case imported.NewsRecord:
		return s.storeNews(r)
	}
	panic("memory: record was not checked")
}

// put stores the value under its key and returns the resulting status.
func put[K comparable, V any](stored map[K]V, key K, value V) imported.Status {
	old, is := stored[key]
	stored[key] = value
	switch {
	case !is:
		return imported.New
	case reflect.DeepEqual(old, value):
		return imported.Same
	}
	return imported.Changed
}

// putText stores the text of the record that was put with the status, and returns the status of both. An empty text
// removes the stored one.
func (s *Store) putText(of item, html markup.HTML, status imported.Status) imported.Status {
	if status == imported.Same && s.texts[of] != html {
		status = imported.Changed
	}
	if s.texts[of] = html; html == "" {
		delete(s.texts, of)
	}
	return status
}

// storeUser stores the user, and opens an account if the user has none.
func (s *Store) storeUser(p imported.UserRecord) imported.Status {
	c := &s.imports
	if id, is := c.users[p.Source]; is {
		if _, isHidden := s.hiddenProfiles[id]; isHidden {
			return imported.Same
		}
		return put(s.members, id, s.memberOf(id, p))
	}
	id, has := s.telephones[p.Phone.E164()]
	if !has {
		id = user.ID(s.numbers.account.next())
		s.putAccount(access.Account{User: id, Phone: p.Phone})
	}
	c.users[p.Source], c.sources[id], c.hadAccount[id] = id, p.Source, has
	s.members[id] = s.memberOf(id, p)
	return imported.New
}

// memberOf returns the member to store. A member who had an account before the import only gets new names.
func (s *Store) memberOf(id user.ID, p imported.UserRecord) user.Member {
	m := p.Member
	if s.imports.hadAccount[id] {
		m = s.members[id]
		if _, isHidden := s.hiddenProfiles[id]; !isHidden {
			m.Firstname, m.Lastname = p.Firstname, p.Lastname
		}
	}
	m.ID, m.Seen, m.Avatar = id, s.members[id].Seen, s.members[id].Avatar
	return m
}

func (s *Store) bundle(id publication.BundleID) publication.Bundle {
	b := s.imports.bundles[id]
	b.ID = id
	return b
}

func (s *Store) storeBundle(b publication.Bundle) imported.Status {
	for id, p := range s.publications {
		if p.Bundle.ID == b.ID {
			p.Bundle = b
			s.publications[id] = p
		}
	}
	return put(s.imports.bundles, b.ID, b)
}

func (s *Store) storeNews(r imported.NewsRecord) imported.Status {
	place, is := s.imports.news[r.Source]
	if !is {
		r.ID = s.numbers.news.next()
		s.imports.news[r.Source] = len(s.news)
		s.news = append(s.news, r.Item)
		return imported.New
	}
	r.ID = s.news[place].ID
	if s.news[place] == r.Item {
		return imported.Same
	}
	s.news[place] = r.Item
	return imported.Changed
}

// known returns the refs of users, categories and bundles that are stored.
func (s *Store) known(refs []imported.Ref) map[imported.Ref]bool {
	known := map[imported.Ref]bool{}
	for _, ref := range refs {
		var is bool
		switch ref.Kind {
		case imported.User:
			var id user.ID
			id, is = s.imports.users[ref.ID]
			is = is && !s.accounts[id].IsErased()
		case imported.Category:
			_, is = s.categories[feed.CategoryID(ref.Number())]
		case imported.Bundle:
			_, is = s.imports.bundles[publication.BundleID(ref.Number())]
		}
		if is {
			known[ref] = true
		}
	}
	return known
}
