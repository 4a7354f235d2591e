package bench

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"

	"plaza/domain/event"
)

// barePool is the bare insert over Postgres: a pipeline that is a transaction and
// one round trip, of statements that every connection keeps.
type barePool struct{ *pool }

func openBarePostgres(ctx context.Context, url string) (inserter, error) {
	db, err := openPostgres(ctx, url)
	if err != nil {
		return nil, err
	}
	return barePool{db.(*pool)}, nil
}

const (
	poolEvent = `INSERT INTO events (author_id, day, title, content, html, category_id, permission, status, province, city, district, created, modified)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id`
	poolCounts  = `INSERT INTO event_counts (event_id, author_id) VALUES (lastval(), $1)`
	poolListing = `INSERT INTO feed_listings (kind, id, category_id, created, updated) VALUES ('xfile', lastval(), $1, $2, $3)`
)

func (p barePool) insert(ctx context.Context, e event.State) (id event.ID, err error) {
	batch := &pgx.Batch{}
	batch.Queue(poolEvent, int64(e.Author), e.Date.Time(), e.Title, e.Content, string(e.HTML), int64(e.Category), int64(e.Permission), int64(e.Status),
		e.Place.Province, e.Place.City, e.Place.District, e.Created, e.Modified).QueryRow(func(row pgx.Row) error { return row.Scan(&id) })
	batch.Queue(poolCounts, int64(e.Author))
	batch.Queue(poolListing, int64(e.Category), e.Created, e.Modified)
	err = p.SendBatch(ctx, batch).Close()
	return id, err
}

func (p barePool) close() error {
	p.Close()
	return nil
}

// bareFile is the bare insert over SQLite: one transaction of prepared statements.
type bareFile struct {
	writer                 *sql.DB
	event, counts, listing *sql.Stmt
}

func openBareSQLite(ctx context.Context, path string) (inserter, error) {
	writer, err := openWriter(path)
	if err != nil {
		return nil, err
	}
	f := &bareFile{writer: writer}
	for text, into := range map[string]**sql.Stmt{
		`INSERT INTO events (author_id, day, title, content, html, category_id, permission, status, province, city, district, created, modified)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`: &f.event,
		`INSERT INTO event_counts (event_id, author_id) VALUES ($1, $2)`:                                       &f.counts,
		`INSERT INTO feed_listings (kind, id, category_id, created, updated) VALUES ('xfile', $1, $2, $3, $4)`: &f.listing,
	} {
		if *into, err = writer.PrepareContext(ctx, text); err != nil {
			return nil, errors.Join(err, f.close())
		}
	}
	return f, nil
}

func (f *bareFile) insert(ctx context.Context, e event.State) (event.ID, error) {
	tx, err := f.writer.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	created, modified := e.Created.UnixMicro(), e.Modified.UnixMicro()
	done, err := tx.StmtContext(ctx, f.event).ExecContext(ctx, int64(e.Author), e.Date.String(), e.Title, e.Content, string(e.HTML), int64(e.Category),
		int64(e.Permission), int64(e.Status), e.Place.Province, e.Place.City, e.Place.District, created, modified)
	if err != nil {
		return 0, err
	}
	id, err := done.LastInsertId()
	if err != nil {
		return 0, err
	}
	if _, err := tx.StmtContext(ctx, f.counts).ExecContext(ctx, id, int64(e.Author)); err != nil {
		return 0, err
	}
	if _, err := tx.StmtContext(ctx, f.listing).ExecContext(ctx, id, int64(e.Category), created, modified); err != nil {
		return 0, err
	}
	return event.ID(id), tx.Commit()
}

func (f *bareFile) close() error { return f.writer.Close() }
