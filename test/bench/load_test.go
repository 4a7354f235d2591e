package bench

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite"

	"plaza/adapters/bunstore"
)

// fill makes the program's own schema in the empty database and loads the dataset.
func fill(ctx context.Context, url string, d *dataset) error {
	if err := prepare(ctx, url); err != nil {
		return err
	}
	if path, is := strings.CutPrefix(url, "sqlite:"); is {
		return fillSQLite(ctx, path, d)
	}
	return fillPostgres(ctx, url, d)
}

// prepare makes the tables, and the key that addresses of plates are signed with.
func prepare(ctx context.Context, url string) error {
	store, err := bunstore.Open(ctx, bunstore.Options{URL: url})
	if err != nil {
		return err
	}
	if _, err = store.Migrate(ctx); err == nil {
		_, err = store.Secret(ctx, signingKey)
	}
	return errors.Join(err, store.Close())
}

// signingKey is what the program calls that key.
const signingKey = "media addresses"

func fillPostgres(ctx context.Context, url string, d *dataset) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, t := range d.tables() {
		if err := copyRows(ctx, conn, t); err != nil {
			return fmt.Errorf("loading %s: %w", t.name, err)
		}
	}
	if _, err := conn.Exec(ctx, notifications); err != nil {
		return fmt.Errorf("loading notifications: %w", err)
	}
	// Index-only scans need the map of visible rows, which VACUUM makes.
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	return err
}

// notifications are of all likes, comments and follows by others. Triggers count them.
const notifications = `INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires)
	SELECT followed_id, 'follow', user_id, followed_id, created, 'infinity'::timestamptz FROM subscriptions WHERE followed_id IS NOT NULL
	UNION ALL SELECT e.author_id, 'like', l.user_id, e.id, e.modified, 'infinity' FROM likes l JOIN events e ON e.id = l.event_id
		WHERE e.author_id <> l.user_id
	UNION ALL SELECT e.author_id, 'comment', c.author_id, c.id, c.created, 'infinity' FROM comments c JOIN events e ON e.id = c.event_id
		WHERE e.author_id <> c.author_id`

func copyRows(ctx context.Context, conn *pgx.Conn, t table) error {
	next, stop := iter.Pull(t.rows)
	defer stop()
	_, err := conn.CopyFrom(ctx, pgx.Identifier{t.name}, strings.Split(t.columns, ", "), pgx.CopyFromFunc(func() ([]any, error) {
		row, ok := next()
		if !ok {
			return nil, nil
		}
		for i, value := range row {
			if d, is := value.(day); is {
				row[i] = d.Time
			}
		}
		return row, nil
	}))
	if err != nil || !t.numbers {
		return err
	}
	_, err = conn.Exec(ctx, fmt.Sprintf("SELECT setval(pg_get_serial_sequence('%[1]s', 'id'), COALESCE(MAX(id), 1)) FROM %[1]s", t.name))
	return err
}
