package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"plaza/domain/notification"
	"plaza/domain/payment"
	"plaza/domain/user"
)

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
