package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"plaza/domain/event"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

type Notifications view

func (s *Store) notified(of notification.Source) (notified, bool) {
	return s.notifications.find(func(n notified) bool { return n.Source == of })
}

// shown returns the notifications of the person, the oldest first.
func (s *Store) shown(to user.ID) []notified {
	shown := s.notifications.where(func(n notified) bool { return n.To == to && !n.isWithdrawn })
	return sorted(shown, by(func(n notified) notification.ID { return n.id }))
}

// seen returns those of shown that are no reply on an event that the person may not see.
func (s *Store) seen(to user.ID) []notified {
	return slices.DeleteFunc(s.shown(to), func(n notified) bool {
		on := s.events[s.comments[event.CommentID(n.Object)].Event]
		return n.Kind == notification.Reply && !on.Exposure().VisibleTo(s.relation(to, on.Author))
	})
}

// notify stores a notification, or shows the one again that was withdrawn.
func (s *Store) notify(n notification.Notice) {
	if n.To == 0 {
		return
	}
	for expired := range s.notifications.where(func(other notified) bool { return !other.expires.After(n.Created) }) {
		delete(s.notifications, expired.id)
	}
	if stored, exists := s.notified(n.Source); exists && n.By != 0 {
		stored.isWithdrawn, stored.expires = false, stored.Notice.Expires()
		s.notifications[stored.id] = stored
	} else {
		id := notification.ID(s.numbers.notification.next())
		s.notifications[id] = notified{Notice: n, id: id, expires: n.Expires()}
	}
	if shown := s.shown(n.To); len(shown) > notification.MaxKept {
		for _, old := range first(shown, len(shown)-notification.MinKept) {
			delete(s.notifications, old.id)
		}
	}
}

func (s *Store) unnotify(of notification.Source) {
	if n, exists := s.notified(of); exists {
		delete(s.notifications, n.id)
	}
}

// withdraw hides the notification of a like, so that the next one makes no other as long as the rule says.
func (s *Store) withdraw(n notification.Notice) {
	stored, exists := s.notified(n.Source)
	if until := stored.Created.Add(notification.RepeatAfter); exists && until.After(n.Created) {
		stored.isWithdrawn, stored.expires = true, until
		s.notifications[stored.id] = stored
	}
}

func (s *Store) unread(of user.ID) int {
	return len(slices.DeleteFunc(s.seen(of), func(n notified) bool { return n.id <= s.readUpTo[of] }))
}

func (v Notifications) List(ctx context.Context, of user.ID, r page.CursorRequest) (notification.List, error) {
	return read(ctx, v.s, func() (notification.List, error) {
		items, by := v.s.described(slices.DeleteFunc(v.s.seen(of), func(n notified) bool { return r.After.ID != 0 && int64(n.id) >= r.After.ID }))
		list := notification.List{CursorPage: page.UpTo(r.Size(), items, notification.Notification.Cursor), Unread: v.s.unread(of)}
		list.Members = v.s.membersOf(first(by, len(list.Items))...)
		return list, nil
	})
}

// described returns the notifications with what they tell of, the newest first, and the people who did that.
func (s *Store) described(shown []notified) (items []notification.Notification, by []user.ID) {
	for _, n := range slices.Backward(shown) {
		items, by = append(items, s.notification(n)), append(by, n.By)
	}
	return items, by
}

// notification returns the notification with what it tells of.
func (s *Store) notification(n notified) notification.Notification {
	shown := notification.Notification{
		ID: n.id, Kind: n.Kind, By: n.By, Subject: n.Subject(), Note: n.Note, Created: n.Created, IsRead: n.id <= s.readUpTo[n.To],
	}
	on := event.ID(n.Object)
	switch {
	case n.By == 0 || n.Kind == notification.Follow:
		return shown
	case n.Kind == notification.Comment || n.Kind == notification.Reply:
		c := s.comments[event.CommentID(n.Object)]
		shown.Comment, on = notification.Content{ID: c.ID, Content: c.Content}, c.Event
	}
	shown.Event = notification.Event{ID: on, Title: s.events[on].Title}
	return shown
}

func (v Notifications) MarkRead(ctx context.Context, of user.ID, upTo notification.ID) error {
	return exec(ctx, v.s, func() error {
		for _, n := range v.s.shown(of) {
			if n.id <= upTo {
				v.s.readUpTo[of] = max(v.s.readUpTo[of], n.id)
			}
		}
		return nil
	})
}

func (v Notifications) Unread(ctx context.Context, of user.ID) (int, error) {
	return read(ctx, v.s, func() (int, error) { return v.s.unread(of), nil })
}

func (v Notifications) OpenStream(ctx context.Context, of user.ID, follows int64, now, until time.Time) (notification.Position, error) {
	return write(ctx, v.s, func() (p notification.Position, err error) {
		for place, s := range v.s.streams {
			if s.of == of && (place == follows || !s.until.After(now)) {
				delete(v.s.streams, place)
			}
		}
		if v.s.streams.count(func(s stream) bool { return s.of == of }) >= notification.MaxStreams {
			return p, notification.ErrStreams
		}
		for _, n := range v.s.shown(of) {
			p.Notification = n.id
		}
		p.Change, p.Place = v.s.writes, v.s.numbers.stream.next()
		v.s.streams[p.Place] = stream{of, until}
		return p, nil
	})
}

func (v Notifications) RenewStreams(ctx context.Context, places []int64, until time.Time) ([]int64, error) {
	return write(ctx, v.s, func() (held []int64, err error) {
		for _, place := range places {
			if s, isTaken := v.s.streams[place]; isTaken {
				v.s.streams[place], held = stream{s.of, until}, append(held, place)
			}
		}
		return held, nil
	})
}

func (v Notifications) CloseStream(ctx context.Context, place int64) error {
	return exec(ctx, v.s, func() error {
		delete(v.s.streams, place)
		return nil
	})
}

// Changes counts all changes of the store as changes for each person.
func (v Notifications) Changes(ctx context.Context, of []user.ID) (map[user.ID]int64, error) {
	return read(ctx, v.s, func() (map[user.ID]int64, error) {
		changes := map[user.ID]int64{}
		for _, id := range of {
			changes[id] = v.s.writes
		}
		return changes, nil
	})
}

func (v Notifications) News(ctx context.Context, since []notification.Since) ([]notification.News, error) {
	return read(ctx, v.s, func() (all []notification.News, err error) {
		for _, after := range since {
			items, by := v.s.described(slices.DeleteFunc(v.s.seen(after.Of), func(n notified) bool { return n.id <= after.At.Notification }))
			news := notification.News{Items: first(items, notification.MaxNews+1), Members: v.s.membersOf(by...), Unread: v.s.unread(after.Of)}
			for o := range v.s.ledger.ordersOf(payment.OrderFilter{User: after.Of}) {
				if change := v.s.ledger.changes[o.ID]; change > after.At.Change {
					news.Orders = append(news.Orders, notification.OrderChange{Change: change, ID: o.ID, State: o.State})
				}
			}
			slices.SortFunc(news.Orders, func(a, b notification.OrderChange) int { return cmp.Compare(a.Change, b.Change) })
			news.Orders = first(news.Orders, notification.MaxNews+1)
			all = append(all, news)
		}
		return all, nil
	})
}
