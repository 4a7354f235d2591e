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
		if err := fillSQLite(ctx, path, d); err != nil {
			return err
		}
		return within(ctx, url, fillSearch)
	}
	if err := fillPostgres(ctx, url, d); err != nil {
		return err
	}
	if err := within(ctx, url, fillSearch); err != nil {
		return err
	}
	return execute(ctx, url, "VACUUM ANALYZE") // index-only scans need the map of visible rows
}

// prepare makes the tables, and the key that addresses of plates are signed with.
func prepare(ctx context.Context, url string) error {
	return within(ctx, url, func(ctx context.Context, store *bunstore.Store) error {
		if _, err := store.Migrate(ctx); err != nil {
			return err
		}
		_, err := store.Secret(ctx, signingKey)
		return err
	})
}

// fillSearch makes the entries of the index of search.
func fillSearch(ctx context.Context, store *bunstore.Store) error { return store.Search.Fill(ctx) }

// within opens the store and closes it again.
func within(ctx context.Context, url string, do func(context.Context, *bunstore.Store) error) error {
	store, err := bunstore.Open(ctx, bunstore.Options{URL: url})
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, store), store.Close())
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
	for _, statement := range derived {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%w: %s", err, statement)
		}
	}
	return nil
}

// derived are the rows that follow from others, in the words of both databases: what is listed and counted, and notifications of all
// likes, comments and follows by others, which triggers count.
var derived = []string{
	`INSERT INTO token_uses (token_id, used) SELECT id, created FROM tokens`,
	`INSERT INTO journal (order_id, happened, noted, out_trade_no, detail) SELECT id, created, 'ordered', '', '' FROM orders`,
	`INSERT INTO event_counts (event_id, author_id, comments, likes, commented)
		SELECT e.id, e.author_id, (SELECT COUNT(*) FROM comments c WHERE c.event_id = e.id), (SELECT COUNT(*) FROM likes l WHERE l.event_id = e.id),
			(SELECT MAX(c.created) FROM comments c WHERE c.event_id = e.id) FROM events e`,
	`INSERT INTO image_counts (owner_id, kept) SELECT owner_id, COUNT(*) FROM images WHERE deleted IS NULL GROUP BY owner_id`,
	`INSERT INTO feed_listings (kind, id, category_id, created, updated, lat, lng)
		SELECT 'demand', id, COALESCE(category_id, 0), created, updated, lat, lng FROM demands WHERE published AND NOT deleted`,
	`INSERT INTO feed_listings (kind, id, category_id, created, updated)
		SELECT 'node', id, COALESCE(category_id, 0), created, updated FROM nodes WHERE published AND NOT deleted
		UNION ALL SELECT 'publication', id, COALESCE(category_id, 0), created, updated FROM publications WHERE published AND NOT deleted
		UNION ALL SELECT 'origin', id, COALESCE(category_id, 0), created, updated FROM publications p WHERE published AND NOT deleted
			AND NOT EXISTS (SELECT 1 FROM publications o WHERE o.bundle_id = p.original_id AND o.published AND NOT o.deleted)
		UNION ALL SELECT 'xfile', id, COALESCE(category_id, 0), created, modified FROM events WHERE status = 100 AND permission = 0`,
	`INSERT INTO feed_counters (category_id, kind, shard, count, created, updated)
		SELECT category_id, kind, id % 8, COUNT(*), MAX(created), MAX(updated) FROM feed_listings GROUP BY category_id, kind, id % 8`,
	`INSERT INTO feed_totals (kind, shard, count, version)
		SELECT kind, 0, COUNT(*), COUNT(*) FROM feed_listings WHERE kind <> 'xfile' GROUP BY kind`,
	`INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires)
		SELECT followed_id, 'follow', user_id, followed_id, created, 'infinity'::timestamptz FROM subscriptions WHERE followed_id IS NOT NULL
		UNION ALL SELECT e.author_id, 'like', l.user_id, e.id, e.modified, 'infinity' FROM likes l JOIN events e ON e.id = l.event_id
			WHERE e.author_id <> l.user_id
		UNION ALL SELECT e.author_id, 'comment', c.author_id, c.id, c.created, 'infinity' FROM comments c JOIN events e ON e.id = c.event_id
			WHERE e.author_id <> c.author_id`,
}

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
