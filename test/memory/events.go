package memory

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/news"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

type Events view

func (v Events) Add(ctx context.Context, e *event.Event, charges ...ratelimit.Charge) (*event.Event, error) {
	return charged(ctx, v.s, charges, func() (*event.Event, error) {
		state := e.State()
		state.ID = 0
		return v.putEvent(nil, state)
	})
}

func (v Events) Get(ctx context.Context, id event.ID) (event.Entry, error) {
	return read(ctx, v.s, func() (event.Entry, error) { return v.s.entry(id) })
}

func (v Events) GetFor(ctx context.Context, id event.ID, viewer user.ID) (event.Entry, subscription.Relation, error) {
	var relation subscription.Relation
	found, err := read(ctx, v.s, func() (event.Entry, error) {
		entry, err := v.s.entry(id)
		if err == nil {
			relation = v.s.relation(viewer, entry.Author())
		}
		return entry, err
	})
	return found, relation, err
}

func (v Events) ChangeRead(
	ctx context.Context, read event.Entry, fn func(*event.Event) error, charges ...ratelimit.Charge,
) (event.Entry, error) {
	return v.Change(ctx, read.ID(), fn, charges...)
}

// Change stores nothing if fn fails, or if the context has ended meanwhile.
func (v Events) Change(ctx context.Context, id event.ID, fn func(*event.Event) error, charges ...ratelimit.Charge) (event.Entry, error) {
	return write(ctx, v.s, func() (event.Entry, error) {
		e, err := v.s.event(id)
		if err != nil {
			return event.Entry{}, err
		}
		replaced, before := *e, e.State()
		if err := cmp.Or(fn(e), ctx.Err()); err != nil {
			return event.Entry{}, err
		}
		if reflect.DeepEqual(before, e.State()) {
			return v.s.entry(id)
		}
		paid, err := v.s.pay(charges)
		if err != nil {
			return event.Entry{}, err
		}
		if _, err := v.putEvent(&replaced, e.State()); err != nil {
			return event.Entry{}, err
		}
		maps.Copy(v.s.spentUntil, paid)
		return v.s.entry(id)
	})
}

func (v Events) Remove(ctx context.Context, id event.ID) (*event.Event, error) {
	return write(ctx, v.s, func() (*event.Event, error) {
		e, err := v.s.event(id)
		if err != nil {
			return nil, err
		}
		v.s.removeEvent(e.State())
		return e, nil
	})
}

// removeEvent removes the event with its comments, likes, listing and plates.
func (s *Store) removeEvent(e event.State) {
	for c := range s.comments.where(func(c event.Comment) bool { return c.Event == e.ID }) {
		s.removeComment(c)
	}
	for who := range s.likes[e.ID] {
		s.removeLike(e.ID, who)
	}
	delete(s.likes, e.ID)
	delete(s.listings, itemOf(feed.Event, e.ID))
	delete(s.index, itemOf(feed.Event, e.ID))
	delete(s.events, e.ID)
	s.unhide(moderation.Event, int64(e.ID))
	s.queuePlateDeletions(e.Plates, nil)
}

// putEvent numbers a new event and new plates, stores the state with its listing in place of
// replaced, completes its key, and returns a copy of the event. If it fails, nothing is stored.
func (v Events) putEvent(replaced *event.Event, state event.State) (*event.Event, error) {
	s := v.s
	if err := s.checkUser(state.Author); err != nil {
		return nil, err
	}
	if err := s.checkCategory(state.Category); err != nil {
		return nil, err
	}
	k := state.Completes
	makes, err := state.Makes()
	if err == nil {
		err = s.requests.checkHeld(k)
	}
	if err != nil {
		return nil, err
	}
	if state.Completes = nil; state.ID == 0 {
		state.ID = event.ID(s.numbers.event.next())
	}
	made := int64(state.ID)
	bytes := map[media.Key]int64{}
	for i := range state.Plates {
		if p := &state.Plates[i]; p.ID == 0 {
			p.ID = event.PlateID(s.numbers.plate.next())
			if makes == idempotency.Plate {
				made = int64(p.ID) // in the end that of the newest
			}
			bytes[p.Photo], p.Bytes = p.Bytes, 0
		}
	}
	e, err := event.Restore(state)
	if err != nil {
		return nil, err
	}
	if err := s.checkDrafts(v.limits, replaced, e); err != nil {
		return nil, err
	}
	if err := s.countPictures(v.limits, state.Author, bytes); err != nil {
		return nil, err
	}
	s.queuePlateDeletions(s.events[state.ID].Plates, state.Plates)
	s.events[state.ID] = state
	s.list(itemOf(feed.Event, state.ID), e)
	s.requests.complete(k, makes, made)
	return e, nil
}

func (v Events) Timeline(ctx context.Context, viewer user.ID, r page.CursorRequest) (page.CursorPage[event.Entry], error) {
	return read(ctx, v.s, func() (page.CursorPage[event.Entry], error) {
		states := v.s.events.where(func(e event.State) bool {
			_, follows := v.s.follow(viewer, e.Author, 0)
			return follows && e.Exposure().VisibleTo(v.s.relation(viewer, e.Author))
		})
		p := upTo(r, states, event.State.AtCursor)
		return page.CursorPage[event.Entry]{Items: v.s.entries(p.Items), Next: p.Next}, nil
	})
}

// queuePlateDeletions queues the pictures of removed plates for deletion.
func (s *Store) queuePlateDeletions(before, after []event.Plate) {
	for _, p := range before {
		if !slices.ContainsFunc(after, func(kept event.Plate) bool { return kept.ID == p.ID }) {
			s.queueDeletion(p.Photo)
			s.unhide(moderation.Plate, int64(p.ID))
		}
	}
}

func (v Events) List(ctx context.Context, q event.Query) (page.Page[event.Entry], error) {
	return read(ctx, v.s, func() (page.Page[event.Entry], error) {
		within := v.s.events.where(func(e event.State) bool {
			return q.Admits(e) && e.Exposure().VisibleTo(v.s.relation(q.Viewer, q.Author))
		})
		p, err := page.Slice(q.Page, sorted(within, q.Order.Compare), event.State.AtDay)
		if err != nil {
			return page.Page[event.Entry]{}, err
		}
		return page.With(p, v.s.entries(p.Items)), nil
	})
}

func (Events) Written(ctx context.Context, _ user.ID, _ page.Span, _ page.Request) (page.Page[event.State], error) {
	return unasked[page.Page[event.State]](ctx)
}

func (v Events) Commented(ctx context.Context, author user.ID, limit int) ([]event.Entry, error) {
	return read(ctx, v.s, func() ([]event.Entry, error) {
		last := map[event.ID]time.Time{}
		for c := range v.s.comments.where(func(c event.Comment) bool { return !c.Hidden && c.Created.After(last[c.Event]) }) {
			last[c.Event] = c.Created
		}
		commented := v.s.events.where(func(e event.State) bool { return e.Author == author && !last[e.ID].IsZero() })
		latestFirst := latest(func(e event.State) page.Cursor { return page.At(last[e.ID], e.ID) })
		return v.s.entries(first(sorted(commented, latestFirst), limit)), nil
	})
}

func (v Events) OfPlate(ctx context.Context, id event.PlateID) (event.ID, error) {
	return read(ctx, v.s, func() (event.ID, error) {
		on, _ := v.s.plate(id)
		if on == 0 {
			return 0, event.ErrNoPlate
		}
		return on, nil
	})
}

func (v Events) Located(ctx context.Context, after event.ID, limit int) ([]event.Located, error) {
	return read(ctx, v.s, func() ([]event.Located, error) {
		later := v.s.events.where(func(e event.State) bool { return e.ID > after })
		var some []event.Located
		for _, e := range first(sorted(later, by(func(e event.State) event.ID { return e.ID })), limit) {
			some = append(some, event.Located{ID: e.ID, Text: event.Text{Title: e.Title, Content: e.Content}, Place: e.Place})
		}
		return some, nil
	})
}

func atCreation(e event.State) page.Cursor { return page.At(e.Created, e.ID) }

// entry returns a copy of the event with its counts.
func (s *Store) entry(id event.ID) (event.Entry, error) {
	state, err := s.events.get(id, event.ErrNotFound)
	if err != nil {
		return event.Entry{}, err
	}
	return s.entryOf(state), nil
}

func (s *Store) entryOf(state event.State) event.Entry {
	comments := s.comments.count(func(c event.Comment) bool { return c.Event == state.ID && !c.Hidden })
	return event.Entry{Event: restored(state), Counts: event.Counts{Comments: comments, Likes: len(s.likes[state.ID])}}
}

func (s *Store) entries(states []event.State) []event.Entry {
	entries := make([]event.Entry, len(states))
	for i, state := range states {
		entries[i] = s.entryOf(state)
	}
	return entries
}

// event returns a copy of the event.
func (s *Store) event(id event.ID) (*event.Event, error) {
	state, err := s.events.get(id, event.ErrNotFound)
	if err != nil {
		return nil, err
	}
	return restored(state), nil
}

// restored returns the event of a state that it had.
func restored(s event.State) *event.Event {
	e, err := event.Restore(s)
	if err != nil {
		panic(err)
	}
	return e
}

func (v Events) Load(ctx context.Context, q event.RelatedQuery) (event.Related, error) {
	return read(ctx, v.s, func() (event.Related, error) {
		related := event.Related{
			Events: map[calendar.Date][]*event.Event{}, News: map[event.DayInCity][]news.Item{},
			Comments: map[event.ID][]event.Comment{}, CategoryNames: map[feed.CategoryID]string{},
			Members: v.s.membersOf(q.People...),
		}
		wanted := slices.Clone(q.Categories)
		for _, date := range unique(q.Dates) {
			for _, state := range first(v.s.published(date, q.Viewer), q.Events) {
				related.Events[date], wanted = append(related.Events[date], restored(state)), append(wanted, state.Category)
				maps.Copy(related.Members, v.s.membersOf(state.Author))
			}
		}
		for _, c := range v.s.categories.among(wanted) {
			related.CategoryNames[c.ID] = c.Name
		}
		for _, day := range q.DaysInCities {
			ofDay := filter(slices.Values(v.s.news), func(item news.Item) bool { return item.Released == day.Date })
			if found := news.ForCity(slices.Collect(ofDay), day.City, q.News); len(found) > 0 {
				related.News[day] = found
			}
		}
		for _, id := range q.CommentsFor {
			if comments := first(v.s.commentsOn(id, q.Viewer), q.Comments); len(comments) > 0 {
				related.Comments[id] = comments
				maps.Copy(related.Members, v.s.membersOf(authorsOf(comments)...))
			}
		}
		return related, nil
	})
}

// published returns the events of the date that the viewer may see, the newest first.
func (s *Store) published(on calendar.Date, viewer user.ID) []event.State {
	states := s.events.where(func(e event.State) bool {
		return e.Date == on && e.Status == event.Normal && !e.IsHidden && e.Exposure().VisibleTo(s.relation(viewer, e.Author))
	})
	return sorted(states, latest(atCreation))
}

func (v Events) AddComment(
	ctx context.Context, c event.Comment, charges ...ratelimit.Charge,
) (_ event.Comment, author *user.Member, err error) {
	c, err = charged(ctx, v.s, charges, func() (event.Comment, error) {
		on, err := v.s.discussed(c.Event, c.Author)
		if err != nil {
			return event.Comment{}, err
		}
		replied := v.s.comments[c.ReplyTo.ID]
		if c.ReplyTo.ID != 0 && (replied.Event != c.Event || !replied.VisibleTo(c.Author, v.s.relation(c.Author, replied.Author))) {
			return event.Comment{}, event.ErrNoReplied
		}
		own := v.s.comments.count(func(other event.Comment) bool { return other.Event == c.Event && other.Author == c.Author })
		if err := v.limits.CheckComments(own); err != nil {
			return event.Comment{}, err
		}
		if err := v.s.requests.checkHeld(c.Completes); err != nil {
			return event.Comment{}, err
		}
		c.ID = event.CommentID(v.s.numbers.comment.next())
		v.s.requests.complete(c.Completes, idempotency.Comment, int64(c.ID))
		c.ReplyTo.By, c.Completes = replied.Author, nil
		v.s.notify(notification.OfComment(c).For(on.Author))
		v.s.notify(notification.OfReply(c, on.Author))
		v.s.comments[c.ID] = c
		author = v.s.member(c.Author)
		return c, nil
	})
	return c, author, err
}

// discussed returns the event that the user comments on or likes. It returns ErrNotFound if the user may not see it.
func (s *Store) discussed(id event.ID, by user.ID) (event.State, error) {
	e, exists := s.events[id]
	if !exists || !e.Exposure().VisibleTo(s.relation(by, e.Author)) {
		return event.State{}, event.ErrNotFound
	}
	return e, s.checkUser(by)
}

// commentsOn returns the comments on the event that the viewer sees, the newest first.
func (s *Store) commentsOn(id event.ID, viewer user.ID) []event.Comment {
	seen := sorted(s.comments.where(func(c event.Comment) bool {
		return c.Event == id && c.VisibleTo(viewer, s.relation(viewer, c.Author))
	}), latest(event.Comment.AtCursor))
	for i := range seen {
		seen[i] = s.replying(seen[i])
	}
	return seen
}

func (v Events) Comment(ctx context.Context, id event.CommentID) (event.Comment, error) {
	return read(ctx, v.s, func() (event.Comment, error) {
		c, err := v.s.comments.get(id, event.ErrNoComment)
		return v.s.replying(c), err
	})
}

// replying returns the comment with the author of the one that it replies to, if that is still there.
func (s *Store) replying(c event.Comment) event.Comment {
	c.ReplyTo.By = 0
	if replied := s.comments[c.ReplyTo.ID]; !replied.Hidden {
		c.ReplyTo.By = replied.Author
	}
	return c
}

func (v Events) EditComment(ctx context.Context, c event.Comment, charges ...ratelimit.Charge) error {
	return execCharged(ctx, v.s, charges, func() error {
		stored, err := v.s.comments.get(c.ID, event.ErrNoComment)
		if err == nil {
			stored.Content, stored.Edited = c.Content, c.Edited
			v.s.comments[c.ID] = stored
		}
		return err
	})
}

func (v Events) RemoveComment(ctx context.Context, id event.CommentID) error {
	return exec(ctx, v.s, func() error {
		c, err := v.s.comments.get(id, event.ErrNoComment)
		v.s.removeComment(c)
		return err
	})
}

func (s *Store) removeComment(c event.Comment) {
	delete(s.comments, c.ID)
	s.unhide(moderation.Comment, int64(c.ID))
	s.unnotify(notification.OfComment(c).Source)
	s.unnotify(notification.OfReply(c, 0).Source)
}

func (v Events) Comments(
	ctx context.Context, on event.ID, viewer user.ID, r page.Request,
) (p page.Page[event.Comment], members map[user.ID]*user.Member, err error) {
	p, err = read(ctx, v.s, func() (page.Page[event.Comment], error) {
		p, err := page.Slice(r, v.s.commentsOn(on, viewer), event.Comment.AtCursor)
		members = v.s.membersOf(authorsOf(p.Items)...)
		return p, err
	})
	return p, members, err
}

func (v Events) AllComments(ctx context.Context, q event.CommentQuery, r page.Request) (page.Page[event.Comment], error) {
	return pageOf(ctx, v.s, r, v.s.comments.where(func(c event.Comment) bool {
		return (q.On == 0 || c.Event == q.On) && (q.By == 0 || c.Author == q.By) && q.Has(c.Created)
	}), page.Keys(q.Span, event.Comment.AtCursor))
}

func authorsOf(comments []event.Comment) []user.ID {
	ids := make([]user.ID, len(comments))
	for i, c := range comments {
		ids[i] = c.Author
	}
	return ids
}

func (v Events) Like(ctx context.Context, l event.Like, charges ...ratelimit.Charge) error {
	return execCharged(ctx, v.s, charges, func() error {
		on, err := v.s.discussed(l.Event, l.By)
		if err != nil {
			return err
		}
		notice := notification.OfLike(l).For(on.Author)
		switch {
		case l.IsLiked == v.s.likes[l.Event][l.By]:
		case l.IsLiked:
			if v.s.likes[l.Event] == nil {
				v.s.likes[l.Event] = map[user.ID]bool{}
			}
			v.s.likes[l.Event][l.By] = true
			v.s.notify(notice)
		default:
			v.s.withdraw(notice)
			v.s.removeLike(l.Event, l.By)
		}
		return nil
	})
}

// removeLike removes the like with its notification, unless that is withdrawn.
func (s *Store) removeLike(on event.ID, by user.ID) {
	delete(s.likes[on], by)
	of := notification.OfLike(event.Like{Event: on, By: by}).Source
	if n, exists := s.notified(of); exists && !n.isWithdrawn {
		s.unnotify(of)
	}
}

func (v Events) Likings(ctx context.Context, on []event.ID, viewer user.ID) (map[event.ID]event.Liking, error) {
	return read(ctx, v.s, func() (map[event.ID]event.Liking, error) {
		likings := map[event.ID]event.Liking{}
		for _, id := range on {
			if state, exists := v.s.events[id]; exists {
				likings[id] = event.Liking{
					Event: id, Author: state.Author,
					Likes: len(v.s.likes[id]), IsLiked: v.s.likes[id][viewer],
					Exposure: state.Exposure(),
					Relation: v.s.relation(viewer, state.Author),
				}
			}
		}
		return likings, nil
	})
}
