package bench

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// pool is the floor over Postgres: pgx's own, with statements that every connection
// keeps, and plans that do not depend on parameters.
type pool struct {
	*pgxpool.Pool
	texts [statements]string
}

func openPostgres(ctx context.Context, url string) (*pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	config.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	config.ConnConfig.RuntimeParams["jit"] = "off"
	config.ConnConfig.RuntimeParams["random_page_cost"] = "1.1"
	config.MaxConns = 16
	connections, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	p := &pool{Pool: connections, texts: readTexts()}
	p.texts[likeStatement] = `WITH liked AS (INSERT INTO likes (event_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING event_id),
			told AS (` + notice + ` SELECT CAST($4 AS bigint), 'like', $2, event_id, CAST($3 AS timestamptz), CAST($5 AS timestamptz) FROM liked WHERE CAST($4 AS bigint) <> $2)
		UPDATE event_counts SET likes = likes + 1 WHERE event_id IN (SELECT event_id FROM liked)`
	// One statement, and so one round trip: the event, its listing and its counter.
	p.texts[changeStatement] = `WITH changed AS (
			UPDATE events SET title = $3, province = $4, city = $5, district = $6, modified = $7, revision = revision + 1
			WHERE id = $1 AND revision = $2 RETURNING id
		), listed AS (
			UPDATE feed_listings SET updated = $7 WHERE $8 AND kind = 'xfile' AND id = $1 AND EXISTS (SELECT 1 FROM changed)
		), counted AS (
			UPDATE feed_counters SET version = version + 1, updated = GREATEST(updated, $7)
			WHERE $8 AND category_id = $9 AND kind = 'xfile' AND shard = $10 AND EXISTS (SELECT 1 FROM changed)
		)
		SELECT COUNT(*) FROM changed`
	return p, nil
}

func (p *pool) query(ctx context.Context, s statement, args []any, row func(scanner) error) error {
	rows, err := p.Query(ctx, p.texts[s], args...)
	if err != nil {
		return err
	}
	return each(rows, row)
}

func each(rows pgx.Rows, row func(scanner) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// all is one round trip, and one transaction.
func (p *pool) all(ctx context.Context, steps []read) error {
	batch := &pgx.Batch{}
	for _, s := range steps {
		if p.texts[s.statement] == "" {
			continue // another one does its work
		}
		queued := batch.Queue(p.texts[s.statement], s.args...)
		if s.row != nil {
			queued.Query(func(rows pgx.Rows) error { return each(rows, s.row) })
		}
	}
	return p.SendBatch(ctx, batch).Close()
}

// edit is one round trip. The change comes last, so that its locks are held for as
// short as can be.
func (p *pool) edit(ctx context.Context, c change, reads []read) (changed bool, err error) {
	batch := &pgx.Batch{}
	if c.isStale {
		batch.Queue(p.texts[useStatement], c.token, c.now, c.due())
		batch.Queue(p.texts[seenStatement], c.user, c.now, c.due())
	}
	for _, r := range reads {
		batch.Queue(p.texts[r.statement], r.args...).Query(func(rows pgx.Rows) error { return each(rows, r.row) })
	}
	batch.Queue(p.texts[changeStatement], c.event, c.revision, c.title, c.province, c.city, c.district, c.modified,
		c.isListed, c.category, c.shard()).QueryRow(func(row pgx.Row) error {
		var rows int
		err := row.Scan(&rows)
		changed = rows > 0
		return err
	})
	return changed, p.SendBatch(ctx, batch).Close()
}

func (*pool) moment(into *time.Time) any { return (*instant)(into) }
func (*pool) day(into *string) any       { return (*date)(into) }
func (*pool) list(into *[]string) any    { return into }
func (*pool) at(t time.Time) any         { return t }
func (*pool) keys(values [][]byte) any   { return values }
func (*pool) names(values []string) any  { return values }
func (*pool) ids(values []int64) any     { return values }

// instant takes NULL for the zero time.
type instant time.Time

func (i *instant) ScanTimestamptz(v pgtype.Timestamptz) error {
	*i = instant(v.Time)
	return nil
}

type date string

func (d *date) ScanDate(v pgtype.Date) error {
	*d = date(v.Time.Format(time.DateOnly))
	return nil
}
