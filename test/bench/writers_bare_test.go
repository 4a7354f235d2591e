package bench

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"plaza/domain/event"
)

// barePool is the bare insert over Postgres: a pipeline that is a transaction and
// one round trip, of statements that every connection keeps.
type barePool struct{ *pgxpool.Pool }

func openBarePostgres(ctx context.Context, url string) (inserter, error) {
	db, err := openPostgres(ctx, url)
	if err != nil {
		return nil, err
	}
	return barePool{db}, nil
}

const (
	poolEvent = `INSERT INTO events (author_id, day, title, content, html, category_id, permission, status, province, city, district, created, modified, published_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING id`
	poolCounts  = `INSERT INTO event_counts (event_id, author_id) VALUES (lastval(), $1)`
	poolListing = `INSERT INTO feed_listings (kind, id, category_id, created, updated) VALUES ('xfile', lastval(), $1, $2, $3)`
)

func (p barePool) insert(ctx context.Context, e event.State) (id event.ID, err error) {
	batch := &pgx.Batch{}
	batch.Queue(poolEvent, int64(e.Author), e.Date.Time(), e.Title, e.Content, string(e.HTML), int64(e.Category), int64(e.Permission),
		int64(e.Status),
		e.Place.Province, e.Place.City, e.Place.District, e.Created, e.Modified,
		e.Published).QueryRow(func(row pgx.Row) error { return row.Scan(&id) })
	batch.Queue(poolCounts, int64(e.Author))
	batch.Queue(poolListing, int64(e.Category), e.Created, e.Modified)
	err = p.SendBatch(ctx, batch).Close()
	return id, err
}

func (p barePool) close() error {
	p.Close()
	return nil
}
