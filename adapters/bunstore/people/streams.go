package people

import (
	"context"
	"fmt"
	"math"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/notification"
	"plaza/domain/user"
)

const (
	// insertStream takes a place for a stream of $1 until $2, if fewer than $3 are taken. It finds the newest notification of $1, and
	// the number of the last change.
	insertStream = `
		INSERT INTO streams (owner_id, until)
		SELECT u.id, $2 FROM users u WHERE u.id = $1 AND (SELECT COUNT(*) FROM streams WHERE owner_id = $1) < $3
		RETURNING id,
			COALESCE((SELECT MAX(n.id) FROM notifications n WHERE n.owner_id = $1 AND n.withdrawn = FALSE), 0),
			COALESCE((SELECT changes FROM notification_counts WHERE owner_id = $1), 0)`

	// changedOrders finds the orders of $1 that have changed behind the number $2, at most $3.
	changedOrders = `
		SELECT id, state, change FROM orders WHERE user_id = $1 AND change > $2
		ORDER BY change LIMIT CAST($3 AS bigint)`
)

var (
	// renewStreams extends the places $1 until $2.
	renewStreams = engine.Both(`UPDATE streams SET until = $2 WHERE id = ANY($1) RETURNING id`)

	// changesOf finds the numbers of the last changes of the people $1.
	changesOf = engine.Both(`SELECT owner_id, changes FROM notification_counts WHERE owner_id = ANY($1)`)
)

func (v Notifications) OpenStream(ctx context.Context, of user.ID, follows int64, now, until time.Time) (notification.Position, error) {
	var p notification.Position
	err := v.DB.Write(ctx, func(tx *engine.Tx) error {
		tx.Lock(fmt.Sprint("streams of ", of))
		tx.Queue("DELETE FROM streams WHERE owner_id = $1 AND (until <= $2 OR id = $3)", of, now, follows)
		tx.Queue(insertStream, of, until, notification.MaxStreams).Must(notification.ErrStreams).
			Into(&p.Place, (*int64)(&p.Notification), &p.Change)
		return nil
	})
	return p, err
}

func (v Notifications) RenewStreams(ctx context.Context, places []int64, until time.Time) (held []int64, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		held = nil
		engine.Found(tx, tx.Queue(v.DB.Pick(renewStreams), places, until), func(row *struct{ ID int64 }) error {
			held = append(held, row.ID)
			return nil
		})
		return nil
	})
	return held, err
}

func (v Notifications) CloseStream(ctx context.Context, place int64) error {
	return v.DB.Exec(ctx, "DELETE FROM streams WHERE id = $1", place)
}

func (v Notifications) Changes(ctx context.Context, of []user.ID) (map[user.ID]int64, error) {
	changes := map[user.ID]int64{}
	err := v.DB.ReadRows(ctx, func() { clear(changes) }, engine.Each(v.DB, func(r *struct{ OwnerID, Changes int64 }) error {
		changes[user.ID(r.OwnerID)] = r.Changes
		return nil
	}, v.DB.Pick(changesOf), of))
	return changes, err
}

// News reads all in one round trip where the database supports it.
func (v Notifications) News(ctx context.Context, since []notification.Since) ([]notification.News, error) {
	all := make([]notification.News, len(since))
	var reads []engine.Step
	for i, s := range since {
		reads = append(reads, v.readNotices(&all[i], s.Of, math.MaxInt64, s.At.Notification, notification.MaxNews),
			engine.Rows(v.DB, &all[i].Orders, changedOrders, s.Of, s.At.Change, notification.MaxNews+1))
	}
	err := v.DB.ReadRows(ctx, func() {
		for i := range all {
			all[i] = notification.News{Members: map[user.ID]*user.Member{}}
		}
	}, reads...)
	return all, err
}
