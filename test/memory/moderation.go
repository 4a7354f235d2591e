package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"plaza/domain/audit"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

type Moderation view

func (v Moderation) Pictures(ctx context.Context, t moderation.Thing) (keys []media.Key, isHidden bool, err error) {
	keys, err = read(ctx, v.s, func() ([]media.Key, error) {
		_, isHidden = v.s.hidden[t]
		return v.s.picturesOf(t)
	})
	return keys, isHidden, err
}

func (Moderation) OfPicture(ctx context.Context, _ media.Key) (moderation.Thing, error) {
	return unasked[moderation.Thing](ctx)
}

// missing are the errors of things that do not exist. That of others is event.ErrNotFound.
var missing = map[moderation.Kind]error{
	moderation.Comment: event.ErrNoComment, moderation.Image: userimage.ErrNotFound, moderation.Plate: event.ErrNoPlate,
}

// picturesOf returns the pictures that move with the thing.
func (s *Store) picturesOf(t moderation.Thing) (keys []media.Key, err error) {
	switch t.Kind {
	case moderation.Profile:
		m := s.member(user.ID(t.ID))
		if m == nil {
			return nil, user.ErrNotFound
		}
		return append(m.Avatar.Keys(), s.hiddenProfiles[m.ID].Avatar.Keys()...), nil
	case moderation.Publication, moderation.Node, moderation.Demand:
		return s.movingCover(item{feed.Kind(t.Kind), t.ID})
	}
	now := s.subject(t)
	if now == nil || t.Kind == moderation.Person {
		return nil, cmp.Or(missing[t.Kind], error(event.ErrNotFound))
	}
	for _, p := range now.Pictures {
		keys = append(keys, p.Key)
	}
	return keys, nil
}

// plate returns the plate and its event, or zero values.
func (s *Store) plate(id event.PlateID) (event.ID, event.Plate) {
	for _, e := range s.events {
		for _, p := range e.Plates {
			if p.ID == id {
				return e.ID, p
			}
		}
	}
	return 0, event.Plate{}
}

// unhide forgets that the thing is hidden, which is deleted.
func (s *Store) unhide(kind moderation.Kind, id int64) {
	delete(s.hidden, moderation.Thing{Kind: kind, ID: id})
}

// move moves the pictures if all reservations stand.
func (s *Store) move(moves media.Moves, pictures ...media.Key) error {
	for _, from := range pictures {
		if until, stands := s.deletions[moves.To[from]]; !stands || !until.Equal(moves.Until) {
			return media.ErrMoving
		}
	}
	for _, from := range pictures {
		to := moves.To[from]
		delete(s.deletions, to)
		s.deletions[from] = moves.Until
		if counted, counts := s.pictures[from]; counts {
			delete(s.pictures, from)
			s.pictures[to] = counted
		}
	}
	return nil
}

// hide hides or restores the thing, and returns its owner.
func (s *Store) hide(ctx context.Context, t moderation.Thing, isHidden bool, to media.Moves) (owner user.ID, err error) {
	switch t.Kind {
	case moderation.Event:
		owner, err = s.turnEvent(event.ID(t.ID), to, func(e *event.Event) error { return e.Turn(isHidden, to) })
	case moderation.Comment:
		owner, err = s.hideComment(event.CommentID(t.ID), isHidden)
	case moderation.Image:
		owner, err = s.hideImage(userimage.ID(t.ID), isHidden, to)
	case moderation.Plate:
		on, p := s.plate(event.PlateID(t.ID))
		if p.ID == 0 {
			return 0, event.ErrNoPlate
		}
		owner, err = s.turnEvent(on, to, func(e *event.Event) error { return e.TurnPlate(p.ID, isHidden, to) })
	case moderation.Profile:
		owner, err = s.hideProfile(user.ID(t.ID), isHidden, to)
	case moderation.Publication, moderation.Node, moderation.Demand:
		owner, err = s.hideRecord(item{feed.Kind(t.Kind), t.ID}, isHidden, to)
	default:
		err = event.ErrNotFound
	}
	if err == nil {
		audit.Made(ctx, audit.Numbered(audit.Kind(t.Kind), t.ID), owner)
	}
	return owner, err
}

// hideComment hides or restores the comment with its notification.
func (s *Store) hideComment(id event.CommentID, isHidden bool) (user.ID, error) {
	c, err := s.comments.get(id, event.ErrNoComment)
	if err == nil {
		c.Hidden, err = moderation.Turned(c.Hidden, isHidden)
	}
	if err != nil {
		return 0, err
	}
	s.comments[id] = c
	for _, notice := range []notification.Notice{notification.OfComment(c), notification.OfReply(c, 0)} {
		if n, exists := s.notified(notice.Source); exists {
			n.isWithdrawn = isHidden
			s.notifications[n.id] = n
		}
	}
	return c.Author, nil
}

// hideImage hides or restores the image, which moves.
func (s *Store) hideImage(id userimage.ID, isHidden bool, to media.Moves) (user.ID, error) {
	i, err := s.images.get(id, userimage.ErrNotFound)
	if err == nil && !i.Deleted.IsZero() {
		err = userimage.ErrNotFound
	}
	if err == nil {
		i.Hidden, err = moderation.Turned(i.Hidden, isHidden)
	}
	from := i.Key
	if err == nil {
		i.Key, err = to.Of(from)
	}
	if err == nil {
		err = s.move(to, from)
	}
	if err != nil {
		return 0, err
	}
	s.images[id] = i
	return i.Owner, nil
}

// turnEvent hides or restores the event, or a plate of it, with the plates that move.
func (s *Store) turnEvent(id event.ID, moves media.Moves, turn func(*event.Event) error) (user.ID, error) {
	e, err := s.event(id)
	if err != nil {
		return 0, err
	}
	replaced, before := *e, e.State().Plates
	if err := turn(e); err != nil {
		return 0, err
	}
	var moved []media.Key
	for i, p := range e.State().Plates {
		if p.Photo != before[i].Photo {
			moved = append(moved, before[i].Photo)
		}
	}
	if err := s.move(moves, moved...); err != nil {
		return 0, err
	}
	_, err = Events{s: s}.putEvent(&replaced, e.State())
	return e.Author(), err
}

// hideProfile hides or restores the profile, whose avatar moves.
func (s *Store) hideProfile(id user.ID, isHidden bool, moves media.Moves) (user.ID, error) {
	shown := s.member(id)
	if shown == nil {
		return 0, user.ErrNotFound
	}
	own, wasHidden := s.hiddenProfiles[id]
	if _, err := moderation.Turned(wasHidden, isHidden); err != nil {
		return 0, err
	}
	if isHidden {
		own = user.Profile{Member: *shown, Bio: s.bios[id]}
	}
	former := own.Avatar.Keys()
	var err error
	if own.Avatar, err = moves.Picture(own.Avatar); err == nil {
		err = s.move(moves, former...)
	}
	switch {
	case err != nil:
		return 0, err
	case isHidden:
		s.hiddenProfiles[id], s.members[id] = own, shown.Hidden()
		delete(s.bios, id)
	default:
		own.Timezone, own.Seen = shown.Timezone, shown.Seen
		s.members[id], s.bios[id] = own.Member, own.Bio
		delete(s.hiddenProfiles, id)
	}
	return id, nil
}

func (v Moderation) Hide(ctx context.Context, h moderation.Hiding, to media.Moves) error {
	return exec(ctx, v.s, func() (err error) {
		if h.Owner, err = v.s.hide(ctx, h.Thing, true, to); err != nil {
			return err
		}
		v.s.hidden[h.Thing] = h
		v.s.decide(h.Thing, moderation.DecisionBy(ctx, moderation.OutcomeHidden, h.At))
		v.s.notify(notification.OfHiding(h))
		return nil
	})
}

func (v Moderation) Restore(ctx context.Context, t moderation.Thing, to media.Moves) error {
	return exec(ctx, v.s, func() error {
		if _, err := v.s.hide(ctx, t, false, to); err != nil {
			return err
		}
		undone := v.s.hidden[t]
		delete(v.s.hidden, t)
		v.s.notify(notification.OfRestoring(undone, moderation.DecisionBy(ctx, "", time.Time{})))
		return nil
	})
}

func (v Moderation) Of(ctx context.Context, owner user.ID, s page.Span, r page.Request) (page.Page[moderation.Hiding], error) {
	own := v.s.hidden.where(func(h moderation.Hiding) bool { return h.Owner == owner && s.Has(h.At) })
	return pageOf(ctx, v.s, r, own, page.Keys(s, moderation.Hiding.AtCursor))
}

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
