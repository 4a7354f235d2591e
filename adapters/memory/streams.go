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

// stream is the place of a stream.
type stream struct {
	of    user.ID
	until time.Time
}

func (v Notifications) OpenStream(ctx context.Context, of user.ID, now, until time.Time) (place int64, p notification.Position, err error) {
	err = exec(ctx, v.s, func() error {
		for ended := range v.s.streams {
			if !v.s.streams[ended].until.After(now) {
				delete(v.s.streams, ended)
			}
		}
		if v.s.streams.count(func(s stream) bool { return s.of == of }) >= notification.MaxStreams {
			return notification.ErrStreams
		}
		place = v.s.numbers.stream.next()
		v.s.streams[place] = stream{of, until}
		for _, n := range v.s.shown(of) {
			p.Notification = n.id
		}
		p.Change = v.s.writes
		return nil
	})
	return place, p, err
}

func (v Notifications) RenewStreams(ctx context.Context, places []int64, until time.Time) error {
	return exec(ctx, v.s, func() error {
		for _, place := range places {
			if s, isTaken := v.s.streams[place]; isTaken {
				v.s.streams[place] = stream{s.of, until}
			}
		}
		return nil
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
	return read(ctx, v.s, func() ([]notification.News, error) {
		all := make([]notification.News, len(since))
		for i, after := range since {
			news := &all[i]
			var by []user.ID
			for _, n := range slices.Backward(v.s.seen(after.Of)) {
				if n.id > after.At.Notification && len(news.Items) <= notification.MaxNews {
					news.Items, by = append(news.Items, v.s.notification(n)), append(by, n.By)
				}
			}
			news.Members, news.Unread = v.s.membersOf(by...), v.s.unread(after.Of)
			for _, o := range v.s.ledger.ordersOf(payment.OrderFilter{User: after.Of}) {
				if change := v.s.ledger.changes[o.ID]; change > after.At.Change {
					news.Orders = append(news.Orders, notification.OrderChange{Change: change, ID: o.ID, State: o.State})
				}
			}
			slices.SortFunc(news.Orders, func(a, b notification.OrderChange) int { return cmp.Compare(a.Change, b.Change) })
			news.Orders = first(news.Orders, notification.MaxNews+1)
		}
		return all, nil
	})
}
