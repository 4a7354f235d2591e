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
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

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

func (v Moderation) Copied(ctx context.Context, t moderation.Thing, charges ...ratelimit.Charge) (moderation.Copies, error) {
	return read(ctx, v.s, func() (moderation.Copies, error) {
		c, _ := v.s.openCase(t)
		_, err := v.s.pay(charges)
		return maps.Clone(c.copies), err
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
