package bench

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"plaza/adapters/bunstore"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/user"
	"plaza/test/content"
)

// writers is how many add events at once.
const writers = 16

// The bare insert has a category of its own: what it adds is counted nowhere.
const bareCategory = pinned + 2

// benchWriters compares writers who add events to one category through the store with the bare insert.
func benchWriters(ctx context.Context, s benchedStore, d *dataset) (made row, err error) {
	bare, err := openPostgres(ctx, s.full)
	if err != nil {
		return made, err
	}
	defer bare.Close()
	store, err := bunstore.Open(ctx, bunstore.Options{URL: s.full})
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	r := asked()
	r.connections, r.tidy = writers, s.tidy
	return r.row(ctx, writing, "16 writers add events to one category, in the store", adding("store", d, largest,
		func(ctx context.Context, e *event.Event) error {
			_, err := store.Events().Add(ctx, e)
			return err
		}), opponent{adding("bare insert", d, bareCategory, func(ctx context.Context, e *event.Event) error {
		return insertBare(ctx, bare, e.State())
	}), writeGoal})
}

// adding is a contender that adds events to the category.
func adding(name string, d *dataset, in feed.CategoryID, add func(context.Context, *event.Event) error) contender {
	return contender{name, func(ctx context.Context, l load) (measurement, error) {
		return l.together(ctx, func(_ int, repeat func(func() error) error) error {
			return repeat(func() error {
				e, err := d.draft(in)
				if err != nil {
					return err
				}
				return add(ctx, e)
			})
		})
	}}
}

// draft is a new public, published event of a user.
func (d *dataset) draft(in feed.CategoryID) (*event.Event, error) {
	r, now := roll("drafts", int(serials.Add(1))), time.Now()
	title, text, html := r.text(40), r.text(200), "<p>"+pick(r, words[:20])+"</p>"
	draft := event.Change{
		Title: &title, Content: &text, HTML: &html, Category: &in, Permission: new(event.Public), Publish: new(true),
	}
	return event.New(user.ID(r.n(d.users)+1), draft.Sanitised(content.AsSent{}), calendar.DateOf(now), now)
}

// insertBare is the leanest transaction that stores the rows of an event, without any counter: one round trip, of
// statements that every connection keeps.
func insertBare(ctx context.Context, db *pgxpool.Pool, e event.State) error {
	batch := &pgx.Batch{}
	batch.Queue(`
		INSERT INTO events (author_id, day, title, content, html, category_id, permission, status, province, city, district, created, modified,
			published_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		int64(e.Author), e.Date.Time(), e.Title, e.Content, string(e.HTML), int64(e.Category), int64(e.Permission), int64(e.Status),
		e.Place.Province, e.Place.City, e.Place.District, e.Created, e.Modified, e.Published)
	batch.Queue(`
		INSERT INTO event_counts (event_id, author_id) VALUES (lastval(), $1)`, int64(e.Author))
	batch.Queue(`
		INSERT INTO feed_listings (kind, id, category_id, created, updated) VALUES ('xfile', lastval(), $1, $2, $3)`,
		int64(e.Category), e.Created, e.Modified)
	return db.SendBatch(ctx, batch).Close()
}
