package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"plaza/domain/audit"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Moderation is the store as moderation.Store.
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

func (v Moderation) Hide(ctx context.Context, h moderation.Hiding, to media.Moves) (moderation.Hiding, error) {
	return write(ctx, v.s, func() (moderation.Hiding, error) {
		owner, err := v.s.hide(ctx, h.Thing, true, to)
		if err != nil {
			return moderation.Hiding{}, err
		}
		h.Owner = owner
		v.s.hidden[h.Thing] = h
		v.s.decide(h.Thing, moderation.DecisionBy(ctx, moderation.OutcomeHidden, h.At))
		v.s.notify(notification.OfHiding(h))
		return h, nil
	})
}

func (v Moderation) Restore(ctx context.Context, t moderation.Thing, to media.Moves) (moderation.Hiding, error) {
	return write(ctx, v.s, func() (moderation.Hiding, error) {
		if _, err := v.s.hide(ctx, t, false, to); err != nil {
			return moderation.Hiding{}, err
		}
		undone := v.s.hidden[t]
		delete(v.s.hidden, t)
		v.s.notify(notification.OfRestoring(undone, moderation.DecisionBy(ctx, "", time.Time{})))
		return undone, nil
	})
}

func (v Moderation) Of(ctx context.Context, owner user.ID, s page.Span, r page.Request) (page.Page[moderation.Hiding], error) {
	own := v.s.hidden.where(func(h moderation.Hiding) bool { return h.Owner == owner && s.Has(h.At) })
	return pageOf(ctx, v.s, r, own, page.Keys(s, moderation.Hiding.AtCursor))
}

func (s *Store) openCase(t moderation.Thing) (storedCase, bool) {
	return s.cases.find(func(c storedCase) bool { return c.Thing == t && !c.IsDecided() })
}

// reported returns the report with the decision of its case.
func (s *Store) reported(r moderation.Report) moderation.Report {
	c := s.cases[r.Case]
	r.Decided, r.Outcome = c.At, c.Outcome
	return r
}

func (v Moderation) Report(
	ctx context.Context, r moderation.Report, charges ...ratelimit.Charge,
) (_ moderation.Report, isNew bool, err error) {
	stored, err := charged(ctx, v.s, charges, func() (moderation.Report, error) {
		for _, who := range []user.ID{r.By, r.Owner} {
			if err := v.s.checkUser(who); err != nil {
				return moderation.Report{}, err
			}
		}
		first, exists := v.s.reports.find(func(other moderation.Report) bool { return other.By == r.By && other.Thing == r.Thing })
		if isNew = !exists; exists {
			v.s.forget(r.Copies, nil)
			return v.s.reported(first), nil
		}
		return v.s.addReport(r)
	})
	return stored, isNew && err == nil, err
}

func (s *Store) addReport(r moderation.Report) (moderation.Report, error) {
	c, isOpen := s.openCase(r.Thing)
	now := s.subject(r.Thing)
	needed := moderation.Copies{}
	if now != nil {
		for _, p := range now.Uncopied(c.copies) {
			key, is := r.Copies[p.Name]
			if !is {
				return moderation.Report{}, moderation.ErrUncopied
			}
			needed[p.Name] = key
		}
	}
	if !isOpen {
		c = storedCase{copies: moderation.Copies{}}
		c.Case = moderation.Case{ID: moderation.CaseID(s.numbers.reportCase.next()), Thing: r.Thing, Owner: r.Owner, First: r.Created,
			People: map[moderation.Reason]int{}}
		for _, reason := range moderation.Reasons() {
			c.People[reason] = 0
		}
	}
	c.Last = r.Created
	c.People[r.Reason]++
	if now != nil && !slices.ContainsFunc(c.Versions, func(v moderation.Version) bool { return v.Digest() == now.Digest() }) {
		c.Versions = append(slices.Clone(c.Versions), moderation.Version{Since: r.Created, Snapshot: now.Snapshot})
	}
	for name, key := range needed {
		if key != "" {
			c.copies[name] = key
		}
	}
	s.cases[c.ID] = c
	s.forget(r.Copies, needed)
	r.ID, r.Case, r.Copies = moderation.ReportID(s.numbers.report.next()), c.ID, nil
	s.reports[r.ID] = r
	return r, nil
}

// forget queues the copies that are not needed.
func (s *Store) forget(copies, needed moderation.Copies) {
	for name, key := range copies {
		if key != "" && needed[name] == "" {
			s.queueDeletion(key)
		}
	}
}

func (v Moderation) Copied(ctx context.Context, t moderation.Thing) (moderation.Copies, error) {
	return read(ctx, v.s, func() (moderation.Copies, error) {
		c, _ := v.s.openCase(t)
		return maps.Clone(c.copies), nil
	})
}

func (v Moderation) HasReported(ctx context.Context, by user.ID, t moderation.Thing) (bool, error) {
	return read(ctx, v.s, func() (bool, error) {
		_, has := v.s.reports.find(func(r moderation.Report) bool { return r.By == by && r.Thing == t })
		return has, nil
	})
}

func (v Moderation) ReportsBy(ctx context.Context, by user.ID, s page.Span, r page.Request) (page.Page[moderation.Report], error) {
	own := v.s.reports.where(func(r moderation.Report) bool { return r.By == by && s.Has(r.Created) })
	p, err := pageOf(ctx, v.s, r, own, page.Keys(s, moderation.Report.AtCursor))
	return page.Map(p, v.s.reported), err
}

func (v Moderation) Cases(ctx context.Context, q moderation.Query) (page.CursorPage[moderation.Case], error) {
	return read(ctx, v.s, func() (page.CursorPage[moderation.Case], error) {
		found := v.s.cases.where(func(c storedCase) bool {
			return c.IsDecided() == q.IsDecided && (q.Kind == "" || c.Kind == q.Kind) && (q.Reason == "" || c.People[q.Reason] > 0) &&
				(q.Before.IsZero() || c.First.Before(q.Before)) && (q.Owner == 0 || c.Owner == q.Owner) &&
				q.Has(cmp.Or(c.At, c.First))
		})
		cases := upTo(q.CursorRequest, found, page.Keys(q.Span, func(c storedCase) page.Cursor { return c.AtCursor() }))
		shown := page.CursorPage[moderation.Case]{Next: cases.Next}
		for _, c := range cases.Items {
			shown.Items = append(shown.Items, v.s.shownCase(c))
		}
		return shown, nil
	})
}

// shownCase returns the case with its notes, and with the copies in place of the pictures.
func (s *Store) shownCase(c storedCase) moderation.Case {
	shown := withoutKept(c)
	shown.Versions = copyOf(c.Versions)
	if more := len(shown.Versions) - moderation.MostVersions; more > 0 {
		shown.Versions = slices.Delete(shown.Versions, 1, 1+more)
	}
	for _, v := range shown.Versions {
		for i := range v.Pictures {
			v.Pictures[i].Key = c.copies[v.Pictures[i].Name]
		}
	}
	with := s.reports.where(func(r moderation.Report) bool { return r.Case == c.ID && r.Text != "" })
	for _, r := range first(sorted(with, latest(moderation.Report.AtCursor)), moderation.MostNotes) {
		shown.Notes = append(shown.Notes, s.reported(r))
	}
	return shown
}

// withoutKept returns a copy of the case without what it keeps.
func withoutKept(c storedCase) moderation.Case {
	c.Versions, c.People = nil, maps.Clone(c.People)
	return c.Case
}

func (v Moderation) Case(ctx context.Context, id moderation.CaseID) (moderation.Case, error) {
	return read(ctx, v.s, func() (moderation.Case, error) {
		c, err := v.s.cases.get(id, moderation.ErrNoReport)
		return withoutKept(c), err
	})
}

func (v Moderation) Decide(ctx context.Context, id moderation.CaseID, then time.Time) (moderation.Case, error) {
	return write(ctx, v.s, func() (moderation.Case, error) {
		c, err := v.s.cases.get(id, moderation.ErrNoReport)
		switch {
		case err != nil:
			return moderation.Case{}, err
		case c.IsDecided():
			return moderation.Case{}, moderation.ErrDecided
		}
		audit.Made(ctx, audit.Numbered(audit.Report, id), c.Owner)
		c.Decision = moderation.DecisionBy(ctx, moderation.OutcomeDismissed, then)
		v.s.decide(c.Thing, c.Decision)
		return withoutKept(c), nil
	})
}

// decide decides the open case of the thing, if there is one. Without a time it stays open.
func (s *Store) decide(t moderation.Thing, d moderation.Decision) {
	c, isOpen := s.openCase(t)
	if !isOpen || d.At.IsZero() {
		return
	}
	c.Decision = d
	s.cases[c.ID] = c
	reports := s.reports.where(func(r moderation.Report) bool { return r.Case == c.ID })
	for _, r := range sorted(reports, by(func(r moderation.Report) user.ID { return r.By })) {
		r.Decided, r.Outcome = d.At, d.Outcome
		s.notify(notification.OfDecision(r))
	}
	if a := s.accounts[c.Owner]; a.Erasing || a.IsErased() {
		s.removeCase(c)
	}
}

func (s *Store) removeCase(c storedCase) {
	delete(s.cases, c.ID)
	for r := range s.reports.where(func(r moderation.Report) bool { return r.Case == c.ID }) {
		delete(s.reports, r.ID)
	}
	s.forget(c.copies, nil)
}

func (v Moderation) Subjects(ctx context.Context, things []moderation.Thing) (map[moderation.Thing]moderation.Subject, error) {
	return read(ctx, v.s, func() (map[moderation.Thing]moderation.Subject, error) {
		found := map[moderation.Thing]moderation.Subject{}
		for _, t := range things {
			if s := v.s.subject(t); s != nil {
				found[t] = *s
			}
		}
		return found, nil
	})
}

// subject returns the thing as it is, or nil if it was deleted.
func (s *Store) subject(t moderation.Thing) *moderation.Subject {
	var about moderation.Subject
	var cover media.Picture
	exists := false
	switch t.Kind {
	case moderation.Event:
		var e event.State
		e, exists = s.events[event.ID(t.ID)]
		about.Title, about.Content, about.HTML, about.Owner = e.Title, e.Content, e.HTML, e.Author
		about.Day, about.Permission, about.IsDraft = e.Date, int(e.Permission), e.Status == event.Draft
		for _, p := range e.Plates {
			about.AddPicture(moderation.Thing{Kind: moderation.Plate, ID: int64(p.ID)}, p.Photo)
		}
	case moderation.Comment:
		var c event.Comment
		c, exists = s.comments[event.CommentID(t.ID)]
		about.Content, about.Owner, about.Event, about.EventTitle = c.Content, c.Author, int64(c.Event), s.events[c.Event].Title
		about.Edited, about.ReplyTo, about.Before = c.Edited, int64(c.ReplyTo.ID), s.remarksBefore(c)
	case moderation.Image:
		i := s.images[userimage.ID(t.ID)]
		exists, about.Owner, about.Tags = i.ID != 0 && i.Deleted.IsZero(), i.Owner, i.Tags.Names()
		about.AddPicture(t, i.Key)
	case moderation.Person, moderation.Profile:
		if m := s.member(user.ID(t.ID)); m != nil {
			own, isHidden := s.hiddenProfiles[m.ID]
			if !isHidden {
				own = user.Profile{Member: *m, Bio: s.bios[m.ID]}
			}
			exists, about.Owner, about.Content, cover = true, m.ID, own.Bio, own.Avatar
			about.Firstname, about.Lastname, about.Expertise, about.Location = own.Firstname, own.Lastname, own.Expertise, own.Location
		}
	case moderation.Plate:
		on, p := s.plate(event.PlateID(t.ID))
		exists, about.Owner, about.Event, about.EventTitle = p.ID != 0, s.events[on].Author, int64(on), s.events[on].Title
		about.AddPicture(t, p.Photo)
	case moderation.Publication:
		p, is := s.publications[publication.ID(t.ID)]
		exists, about.Owner, cover = is && !p.Deleted, p.Author, p.Cover
		about.Title, about.Content, about.HTML = p.Title, p.Summary, s.texts[itemOf(feed.Publication, p.ID)]
	case moderation.Node:
		n, is := s.nodes[publication.NodeID(t.ID)]
		exists, about.Owner, cover = is && !n.Deleted, n.Author, n.Cover
		about.Title, about.Content, about.HTML = n.Title, n.Summary, s.texts[itemOf(feed.Node, n.ID)]
	case moderation.Demand:
		d, is := s.demands[demand.ID(t.ID)]
		exists, about.Owner, cover = is && !d.Deleted, d.Author, d.Cover
		about.Title, about.Content, about.Tags = d.Title, d.Description, d.Tags
	}
	if !exists {
		return nil
	}
	about.AddCover(cover)
	_, about.IsHidden = s.hidden[t]
	return &about
}

// remarksBefore returns the comments before the comment on its event, the latest first.
func (s *Store) remarksBefore(c event.Comment) (before []moderation.Remark) {
	order := latest(event.Comment.AtCursor)
	earlier := s.comments.where(func(b event.Comment) bool { return b.Event == c.Event && order(c, b) < 0 })
	for _, b := range first(sorted(earlier, order), moderation.RemarksBefore) {
		before = append(before, moderation.Remark{By: b.Author, Content: b.Content, At: b.Created})
	}
	return before
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
