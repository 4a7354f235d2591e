package memory

import (
	"fmt"
	"reflect"

	"plaza/domain/access"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/markup"
	"plaza/domain/publication"
	"plaza/domain/user"
)

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
