package memory

import (
	"maps"
	"slices"

	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/user"
)

// record has what staff change in an imported record, and put stores it and lists it accordingly.
type record struct {
	at      item
	author  user.ID
	cover   *media.Picture
	hidden  *bool
	isShown bool
	put     func()
}

// records returns all publications, nodes and demands.
func (s *Store) records() (all []record) {
	for id, p := range s.publications {
		all = append(all, record{itemOf(feed.Publication, id), p.Author, &p.Cover, &p.Hidden, p.IsVisible(), func() {
			s.publications[id] = p
			s.list(itemOf(feed.Publication, id), p)
		}})
	}
	for id, n := range s.nodes {
		all = append(all, record{itemOf(feed.Node, id), n.Author, &n.Cover, &n.Hidden, n.IsVisible(), func() {
			s.nodes[id] = n
			s.list(itemOf(feed.Node, id), n)
		}})
	}
	for id, d := range s.demands {
		_, isShown := d.Listing()
		all = append(all, record{itemOf(feed.Demand, id), d.Author, &d.Cover, &d.Hidden, isShown, func() {
			s.demands[id] = d
			s.list(itemOf(feed.Demand, id), d)
		}})
	}
	return all
}

// movingCover returns the cover that moves when the record is hidden or restored: to where none was given out unless another record
// shows it, and back.
func (s *Store) movingCover(of item) ([]media.Key, error) {
	all := s.records()
	i := slices.IndexFunc(all, func(r record) bool { return r.at == of })
	if i < 0 {
		return nil, feed.ErrNoItem
	}
	key := all[i].cover.Key
	isElsewhere := slices.ContainsFunc(all, func(r record) bool { return r.at != of && r.isShown && r.cover.Key == key })
	if key == "" || *all[i].hidden && !isPrivate(key) || !*all[i].hidden && isElsewhere {
		return nil, nil
	}
	return []media.Key{key}, nil
}

func isPrivate(key media.Key) bool { return key != "" && key.For(media.Viewers) == key }

// hideRecord hides or restores the record, and moves its cover for all records that have it.
func (s *Store) hideRecord(of item, isHidden bool, moves media.Moves) (author user.ID, err error) {
	keys, err := s.movingCover(of)
	if err != nil {
		return 0, err
	}
	var changed []record
	for _, r := range s.records() {
		if r.at == of {
			author = r.author
			*r.hidden, err = moderation.Turned(*r.hidden, isHidden)
		}
		isMoved := slices.Contains(keys, r.cover.Key)
		if isMoved {
			*r.cover, _ = moves.Picture(*r.cover)
		}
		if r.at == of || isMoved {
			changed = append(changed, r)
		}
	}
	if err == nil && len(moves.To) != len(keys) {
		err = media.ErrMoving
	}
	if err == nil {
		err = s.move(moves, keys...)
	}
	if err != nil {
		return 0, err
	}
	for _, r := range changed {
		r.put()
	}
	s.forgetCovers(keys...)
	s.version++
	return author, nil
}

// forgetCovers makes imports store the covers anew.
func (s *Store) forgetCovers(keys ...media.Key) {
	maps.DeleteFunc(s.imports.covers, func(_ imported.Digest, p media.Picture) bool { return slices.Contains(keys, p.Key) })
}

// discardCover queues the cover unless a record has it.
func (s *Store) discardCover(key media.Key) {
	if key != "" && !slices.ContainsFunc(s.records(), func(r record) bool { return r.cover.Key == key }) {
		s.forgetCovers(key)
		s.queueDeletion(key)
	}
}

// keepHiding reports whether the imported record is hidden, and makes its author the owner of the hiding.
func (s *Store) keepHiding(of item, author user.ID) bool {
	t := moderation.Thing{Kind: moderation.Kind(of.kind), ID: of.id}
	h, is := s.hidden[t]
	if h.Owner = author; is {
		s.hidden[t] = h
	}
	return is
}
