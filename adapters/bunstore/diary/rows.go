package diary

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/markup"
	"plaza/domain/place"
	"plaza/domain/user"
)

// EventRow is an event as read by one statement, so that it never mixes states before and after a change. The view
// event_entries adds its counts and its plates. An event that is being removed has no counts.
type EventRow struct {
	bun.BaseModel `bun:"table:events,alias:e"`
	ID            event.ID `bun:",pk,autoincrement"`
	AuthorID      user.ID
	Created       engine.Time
	Day           engine.Date
	CategoryID    feed.CategoryID `bun:",nullzero"`
	Permission    event.Permission
	Status        event.Status
	Hidden        bool
	PublishedAt   engine.Time
	Title         string
	Content       string
	HTML          markup.HTML `bun:"html"`
	Province      string
	City          string
	District      string
	Modified      engine.Time
	Revision      int64
	Comments      int64     `bun:",scanonly,nullzero"`
	Likes         int64     `bun:",scanonly,nullzero"`
	Plates        PlateList `bun:",scanonly"`
	IsLiked       bool      `bun:",scanonly"`
	people.TiesRow
	engine.PageRow
}

func (r EventRow) State() event.State {
	return event.State{
		ID: r.ID, Author: r.AuthorID, Date: r.Day.Date, Title: r.Title, Content: r.Content, HTML: r.HTML, Category: r.CategoryID,
		Permission: r.Permission, Status: r.Status, IsHidden: r.Hidden,
		Place:  place.Place{Province: r.Province, City: r.City, District: r.District},
		Plates: r.Plates, Created: r.Created.Time, Modified: r.Modified.Time, Published: r.PublishedAt.Time,
	}
}

func (r EventRow) Entry() (event.Entry, error) {
	restored, err := event.Restore(r.State())
	return event.Entry{Event: restored, Counts: event.Counts{Comments: int(r.Comments), Likes: int(r.Likes)}, Revision: r.Revision}, err
}

const (
	// insertEvent stores an event: $1 author, $2 day, $3 title, $4 content, $5 HTML, $6 category, $7 permission, $8 status, $9
	// whether it is hidden, $10 province, $11 city, $12 district, $13 created, $14 modified, $15 first published.
	insertEvent = `
		INSERT INTO events (author_id, day, title, content, html, category_id, permission, status, hidden,
			province, city, district, created, modified, published_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
		RETURNING id`

	// updateEventText changes the title $3, content $4, HTML $5, province $6, city $7, district $8 and time of the last change $9
	// of the event $1, if it has the revision $2. SQLite writes every index that contains an assigned column: these are in none.
	updateEventText = `
		UPDATE events SET title = $3, content = $4, html = $5, province = $6, city = $7, district = $8, modified = $9,
			revision = revision + 1
		WHERE id = $1 AND revision = $2
		RETURNING (SELECT n.comments FROM event_counts n WHERE n.event_id = $1), (SELECT n.likes FROM event_counts n WHERE n.event_id = $1)`

	// updateEvent is updateEventText with the day $10, category $11, permission $12, status $13, whether it is hidden $14, and when
	// it was first published $15.
	updateEvent = `
		UPDATE events SET title = $3, content = $4, html = $5, province = $6, city = $7, district = $8, modified = $9,
			day = $10, category_id = $11, permission = $12, status = $13, hidden = $14, published_at = $15, revision = revision + 1
		WHERE id = $1 AND revision = $2
		RETURNING (SELECT n.comments FROM event_counts n WHERE n.event_id = $1), (SELECT n.likes FROM event_counts n WHERE n.event_id = $1)`
)

// queueInsert queues the statement that stores the event and sets its number.
func queueInsert(tx *engine.Tx, s *event.State) {
	tx.Queue(insertEvent, s.Author, s.Date, s.Title, s.Content, s.HTML, engine.NullIfZero(s.Category), s.Permission, s.Status, s.IsHidden,
		s.Place.Province, s.Place.City, s.Place.District, s.Created, s.Modified, s.Published).Into((*int64)(&s.ID))
}

// queueUpdate queues the statement that stores the event if it has the revision: all of it, or without the columns that indexes have.
func queueUpdate(tx *engine.Tx, s event.State, revision int64, isWhole bool) *engine.Step {
	update, args := updateEventText, []any{
		s.ID, revision, s.Title, s.Content, s.HTML, s.Place.Province, s.Place.City, s.Place.District, s.Modified,
	}
	if isWhole {
		update = updateEvent
		args = append(args, s.Date, engine.NullIfZero(s.Category), s.Permission, s.Status, s.IsHidden, s.Published)
	}
	return tx.Queue(update, args...)
}

// isIndexedAlike reports whether the columns of both that indexes of events have are the same.
func isIndexedAlike(a, b event.State) bool {
	return a.Date == b.Date && a.Category == b.Category && a.Exposure() == b.Exposure() && a.Published.Equal(b.Published)
}

// isFoundAlike reports whether the same searches find both.
func isFoundAlike(a, b event.State) bool {
	return a.Title == b.Title && a.Content == b.Content && a.HTML == b.HTML && a.Exposure() == b.Exposure()
}

// PlateList scans the plates of the view event_entries.
type PlateList []event.Plate

func (l *PlateList) Scan(src any) error { return engine.ScanText(src, l.ScanBytes) }

// ScanBytes scans the text directly.
func (l *PlateList) ScanBytes(text []byte) error {
	*l = nil
	if len(text) <= len("[]") {
		return nil
	}
	var rows []plateJSON
	if err := json.Unmarshal(text, &rows); err != nil {
		return fmt.Errorf("decode plates: %w", err)
	}
	*l = engine.Mapped(rows, func(row plateJSON) event.Plate { return event.Plate(row) })
	return nil
}

type plateJSON event.Plate

func (p *plateJSON) UnmarshalJSON(text []byte) error {
	var created, hidden int64
	if err := json.Unmarshal(text, &[]any{&p.ID, &p.Photo, &created, &p.Width, &p.Height, &hidden}); err != nil {
		return err
	}
	p.Hidden = hidden != 0
	p.Created = time.UnixMicro(created).UTC()
	return nil
}
