package memory

import (
	"cmp"
	"context"
	"time"

	"plaza/domain/audit"
	"plaza/domain/event"
	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Moderation is the store as moderation.Store.
type Moderation struct{ s *Store }

// Moderation returns the store's reports and hidden things.
func (s *Store) Moderation() Moderation { return Moderation{s} }

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
			return first, nil
		}
		r.ID = moderation.ReportID(v.s.numbers.report.next())
		v.s.reports[r.ID] = r
		return r, nil
	})
	return stored, isNew && err == nil, err
}

func (v Moderation) Reports(ctx context.Context, q moderation.Query) (page.CursorPage[moderation.Reported], error) {
	return read(ctx, v.s, func() (page.CursorPage[moderation.Reported], error) {
		found := v.s.reports.where(func(r moderation.Report) bool {
			return r.IsDecided() == q.IsDecided && (q.After.ID == 0 || int64(r.ID) < q.After.ID)
		})
		newest := sorted(found, func(a, b moderation.Report) int { return cmp.Compare(b.ID, a.ID) })
		part := page.UpTo(q.Size(), newest, moderation.Report.AtCursor)
		shown := page.CursorPage[moderation.Reported]{Next: part.Next}
		for _, r := range part.Items {
			shown.Items = append(shown.Items, moderation.Reported{Report: r, Subject: v.s.subject(r.Thing)})
		}
		return shown, nil
	})
}

// subject returns what a report of the thing is about, or nil if it was deleted.
func (s *Store) subject(t moderation.Thing) *moderation.Subject {
	var about moderation.Subject
	exists := true
	switch t.Kind {
	case moderation.Event:
		var e event.State
		e, exists = s.events[event.ID(t.ID)]
		about.Title, about.Content = e.Title, e.Content
	case moderation.Comment:
		var c event.Comment
		c, exists = s.comments[event.CommentID(t.ID)]
		about.Content, about.Event = c.Content, int64(c.Event)
	case moderation.Image:
		i := s.images[userimage.ID(t.ID)]
		exists, about.Image = i.ID != 0 && i.Deleted.IsZero(), i.Key
	}
	if !exists {
		return nil
	}
	_, about.IsHidden = s.hidden[t]
	return &about
}

func (v Moderation) Decide(ctx context.Context, id moderation.ReportID, then time.Time) (moderation.Report, error) {
	return write(ctx, v.s, func() (moderation.Report, error) {
		r, err := v.s.reports.get(id, moderation.ErrNoReport)
		switch {
		case err != nil:
			return moderation.Report{}, err
		case r.IsDecided():
			return moderation.Report{}, moderation.ErrDecided
		}
		audit.Made(ctx, audit.Numbered(audit.Report, id), r.Owner)
		r.Decided = instant.Normalise(then)
		v.s.reports[id] = r
		return r, nil
	})
}

// hide hides or restores the thing, and returns its owner.
func (s *Store) hide(ctx context.Context, t moderation.Thing, isHidden bool, to media.Reservation) (owner user.ID, err error) {
	switch t.Kind {
	case moderation.Event:
		owner, err = s.hideEvent(t, isHidden)
	case moderation.Comment:
		owner, err = s.hideComment(event.CommentID(t.ID), isHidden)
	case moderation.Image:
		owner, err = s.hideImage(userimage.ID(t.ID), isHidden, to)
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
	if n, exists := s.notified(notification.OfComment(c).Source); exists {
		n.isWithdrawn = isHidden
		s.notifications[n.id] = n
	}
	return c.Author, nil
}

// hideImage hides or restores the image, whose files are at the reservation's key.
func (s *Store) hideImage(id userimage.ID, isHidden bool, to media.Reservation) (user.ID, error) {
	i, err := s.images.get(id, userimage.ErrNotFound)
	if err == nil && !i.Deleted.IsZero() {
		err = userimage.ErrNotFound
	}
	if err == nil {
		i.Hidden, err = moderation.Turned(i.Hidden, isHidden)
	}
	if until, stands := s.deletions[to.Key]; err == nil && (!stands || !until.Equal(to.Until)) {
		err = media.ErrMoving
	}
	if err != nil {
		return 0, err
	}
	delete(s.deletions, to.Key)
	s.deletions[i.Key] = to.Until
	if counted, counts := s.pictures[i.Key]; counts {
		delete(s.pictures, i.Key)
		s.pictures[to.Key] = counted
	}
	i.Key = to.Key
	s.images[id] = i
	return i.Owner, nil
}

func (s *Store) hideEvent(t moderation.Thing, isHidden bool) (user.ID, error) {
	e, err := s.event(event.ID(t.ID))
	if err != nil {
		return 0, err
	}
	replaced, change := *e, e.Unhide
	if isHidden {
		change = e.Hide
	}
	if err := change(); err != nil {
		return 0, err
	}
	_, err = s.Events().putEvent(&replaced, e.State())
	return e.Author(), err
}

func (v Moderation) Hide(ctx context.Context, h moderation.Hiding, to media.Reservation) (moderation.Hiding, error) {
	return write(ctx, v.s, func() (moderation.Hiding, error) {
		owner, err := v.s.hide(ctx, h.Thing, true, to)
		if err != nil {
			return moderation.Hiding{}, err
		}
		h.Owner = owner
		v.s.hidden[h.Thing] = h
		for r := range v.s.reports.where(func(r moderation.Report) bool { return r.Thing == h.Thing && !r.IsDecided() }) {
			r.Decided = h.At
			v.s.reports[r.ID] = r
		}
		return h, nil
	})
}

func (v Moderation) Restore(ctx context.Context, t moderation.Thing, to media.Reservation) (moderation.Hiding, error) {
	return write(ctx, v.s, func() (moderation.Hiding, error) {
		if _, err := v.s.hide(ctx, t, false, to); err != nil {
			return moderation.Hiding{}, err
		}
		undone := v.s.hidden[t]
		delete(v.s.hidden, t)
		return undone, nil
	})
}

func (v Moderation) Of(ctx context.Context, owner user.ID, r page.Request) (page.Page[moderation.Hiding], error) {
	return read(ctx, v.s, func() (page.Page[moderation.Hiding], error) {
		own := v.s.hidden.where(func(h moderation.Hiding) bool { return h.Owner == owner })
		return page.Slice(r, sorted(own, latest(moderation.Hiding.AtCursor)), moderation.Hiding.AtCursor)
	})
}
