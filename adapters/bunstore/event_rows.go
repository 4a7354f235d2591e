package bunstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/place"
	"plaza/domain/user"
)

type eventRow struct {
	bun.BaseModel `bun:"table:events,alias:e"`
	ID            event.ID `bun:",pk,autoincrement"`
	AuthorID      user.ID
	Day           dbDate
	Title         string
	Content       string
	HTML          markup.HTML
	CategoryID    feed.CategoryID `bun:",nullzero"`
	Permission    event.Permission
	Status        event.Status
	Province      string
	City          string
	District      string
	Created       dbTime
	Modified      dbTime
	Revision      int64
}

// eventSteps are the statements that write events. $1 to $11 are those of eventArgs.
type eventSteps struct {
	insertEvent  string // $12 author, $13 created
	rewriteEvent string // $12 id, $13 revision
	rewriteText  string // $1 to $9 those of textArgs
	insertCounts string // $1 id, $2 author
	insertPlate  string // $1 event, $2 photo, $3 created
	deletePlate  string // $1 id
}

func newEventSteps(d dialect) eventSteps {
	counted := func(what, id string) string {
		return "(SELECT n." + what + " FROM event_counts n WHERE n.event_id = " + id + ")"
	}
	return eventSteps{
		insertEvent: `INSERT INTO events (day, title, content, html, category_id, permission, status, province, city, district, modified,
				author_id, created)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id`,
		rewriteEvent: d.mustMatch(`UPDATE events SET day = $1, title = $2, content = $3, html = $4, category_id = $5, permission = $6, status = $7,
				province = $8, city = $9, district = $10, modified = $11, revision = revision + 1
			WHERE id = $12 AND revision = $13`, counted("comments", "$12"), counted("likes", "$12")),
		rewriteText: d.mustMatch(`UPDATE events SET title = $1, content = $2, html = $3, province = $4, city = $5, district = $6, modified = $7,
				revision = revision + 1
			WHERE id = $8 AND revision = $9`, counted("comments", "$8"), counted("likes", "$8")),
		insertCounts: "INSERT INTO event_counts (event_id, author_id) VALUES (" + d.number("$1") + ", $2)",
		insertPlate:  "INSERT INTO plates (event_id, photo, created) " + d.values(d.number("$1")+", $2, $3") + " RETURNING id",
		deletePlate:  "DELETE FROM plates WHERE id = $1" + d.unlessMissed(),
	}
}

type plateRow struct {
	bun.BaseModel `bun:"table:plates,alias:p"`
	ID            event.PlateID `bun:",pk,autoincrement"`
	EventID       event.ID
	Photo         media.Key
	Created       dbTime
}

type eventCountsRow struct {
	bun.BaseModel `bun:"table:event_counts,alias:n"`
	EventID       event.ID `bun:",pk"`
	AuthorID      user.ID
	Comments      int
	Likes         int
	Commented     dbTime
}

// storedEvent is an event as read by one statement, so that it never mixes states
// before and after a change.
type storedEvent struct {
	row    eventRow
	plates plateList
	counts event.Counts
}

// The counts for eventColumns: those of n, or zero.
const (
	withCounts    = "n.comments, n.likes"
	withoutCounts = "0, 0"
)

// eventColumns returns the columns of a storedEvent; e is the event.
func eventColumns(d dialect, counts string) string {
	return "e.id, e.author_id, e.day, e.title, e.content, e.html, e.category_id, e.permission, e.status," +
		" e.province, e.city, e.district, e.created, e.modified, e.revision, " + counts + ", " + d.platesOf("e.id")
}

// targets returns the scan targets in the order of eventColumns. An event that is being
// removed has no counts.
func (e *storedEvent) targets() []any {
	r := &e.row
	return []any{
		// Conversions to basic types save the driver a slow lookup.
		(*int64)(&r.ID), (*int64)(&r.AuthorID), &r.Day, &r.Title, &r.Content, (*string)(&r.HTML), orZeroNumber[feed.CategoryID]{&r.CategoryID},
		(*int)(&r.Permission), (*int)(&r.Status), &r.Province, &r.City, &r.District, &r.Created, &r.Modified, &r.Revision,
		orZeroNumber[int]{&e.counts.Comments}, orZeroNumber[int]{&e.counts.Likes}, &e.plates,
	}
}

// event returns the stored event. An invalid one is an internal error.
func (e *storedEvent) event() (*event.Event, error) {
	r := e.row
	restored, err := event.Restore(event.State{
		ID: r.ID, Author: r.AuthorID, Date: r.Day.Date, Title: r.Title, Content: r.Content, HTML: r.HTML,
		Category: r.CategoryID, Permission: r.Permission, Status: r.Status,
		Place:  place.Place{Province: r.Province, City: r.City, District: r.District},
		Plates: e.plates, Created: r.Created.Time, Modified: r.Modified.Time,
	})
	if err != nil {
		return nil, fmt.Errorf("read event: %v", err)
	}
	return restored, nil
}

func (e *storedEvent) entry() (event.Entry, error) {
	restored, err := e.event()
	return event.Entry{Event: restored, Counts: e.counts, Revision: e.row.Revision}, err
}

func entriesOf(stored []storedEvent) ([]event.Entry, error) {
	entries := make([]event.Entry, len(stored))
	for i := range stored {
		var err error
		if entries[i], err = stored[i].entry(); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// querier runs queries: a database or a transaction, of bun or of database/sql.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// hotEvents returns the events of a hot read of eventColumns; columns for the targets
// before may precede them.
func (s *Store) hotEvents(ctx context.Context, statement string, args []any, before ...any) ([]storedEvent, error) {
	var found []storedEvent
	err := s.each(ctx, statement, args, func(scan func(...any) error) error {
		var e storedEvent
		err := scan(slices.Concat(before, e.targets())...)
		found = append(found, e)
		return err
	})
	return found, err
}

// queryEvents returns the events of a query for eventColumns; columns for the targets
// before may precede them.
func queryEvents(ctx context.Context, db querier, query string, args []any, before ...any) ([]storedEvent, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []storedEvent
	for rows.Next() {
		var e storedEvent
		if err := rows.Scan(slices.Concat(before, e.targets())...); err != nil {
			return nil, err
		}
		found = append(found, e)
	}
	return found, rows.Err()
}

// plateList scans the list of lists of the dialects' platesOf: the ID of each plate,
// its photo and the microseconds of its instant.
type plateList []event.Plate

func (l *plateList) Scan(src any) error {
	switch src := src.(type) {
	case nil:
		return l.ScanBytes(nil)
	case []byte:
		return l.ScanBytes(src)
	case string:
		return l.ScanBytes([]byte(src))
	}
	return fmt.Errorf("cannot scan plates from %T", src)
}

// ScanBytes scans the text directly.
func (l *plateList) ScanBytes(text []byte) error {
	*l = nil
	if len(text) <= len("[]") {
		return nil
	}
	var rows []plateJSON
	if err := json.Unmarshal(text, &rows); err != nil {
		return fmt.Errorf("decode plates: %w", err)
	}
	for _, row := range rows {
		*l = append(*l, event.Plate(row))
	}
	return nil
}

type plateJSON event.Plate

func (p *plateJSON) UnmarshalJSON(text []byte) error {
	var created int64
	if err := json.Unmarshal(text, &[]any{&p.ID, &p.Photo, &created}); err != nil {
		return err
	}
	p.Created = time.UnixMicro(created).UTC()
	return nil
}
