package bunstore

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/markup"
	"plaza/domain/place"
	"plaza/domain/user"
)

// The columns of events. A new one belongs in one of the groups that statements
// write.
var (
	eventKey = engine.Columns[event.State]{engine.Plain("id", func(e *event.State) *int64 { return (*int64)(&e.ID) })}
	// eventFixed never change.
	eventFixed = engine.Columns[event.State]{
		engine.Plain("author_id", func(e *event.State) *int64 { return (*int64)(&e.Author) }),
		engine.Instant("created", func(e *event.State) *time.Time { return &e.Created }),
	}
	// eventIndexed are parts of indexes.
	eventIndexed = engine.Columns[event.State]{
		engine.Day("day", func(e *event.State) *calendar.Date { return &e.Date }),
		engine.Optional("category_id", func(e *event.State) *int64 { return (*int64)(&e.Category) }),
		engine.Plain("permission", func(e *event.State) *int { return (*int)(&e.Permission) }),
		engine.Plain("status", func(e *event.State) *int64 { return (*int64)(&e.Status) }),
		engine.Plain("hidden", func(e *event.State) *bool { return &e.IsHidden }),
		engine.Instant("published_at", func(e *event.State) *time.Time { return &e.Published }),
	}
	// eventText are the text, the place found in it, and the time of the last change. None is
	// part of an index, so that they cost less to write alone.
	eventText = engine.Columns[event.State]{
		engine.Plain("title", func(e *event.State) *string { return &e.Title }),
		engine.Plain("content", func(e *event.State) *string { return &e.Content }),
		engine.Plain("html", func(e *event.State) *string { return (*string)(&e.HTML) }),
		engine.Plain("province", func(e *event.State) *string { return &e.Place.Province }),
		engine.Plain("city", func(e *event.State) *string { return &e.Place.City }),
		engine.Plain("district", func(e *event.State) *string { return &e.Place.District }),
		engine.Instant("modified", func(e *event.State) *time.Time { return &e.Modified }),
	}
	eventMutable = slices.Concat(eventIndexed, eventText)
	eventNew     = slices.Concat(eventFixed, eventMutable)
	eventAll     = slices.Concat(eventKey, eventNew)
)

// eventSteps are the statements that write events, and those that lock them.
type eventSteps struct {
	insertEvent  string // eventNew
	rewriteEvent string // $1 id, $2 revision, then eventMutable
	rewriteText  string // $1 id, $2 revision, then eventText
	located      string // $1 after, $2 limit
}

func newEventSteps(d engine.Dialect) eventSteps {
	rewrite := func(c engine.Columns[event.State]) string {
		count := func(of string) string { return "(SELECT n." + of + " FROM event_counts n WHERE n.event_id = $1)" }
		return "UPDATE events SET " + c.Set(3) + ", revision = revision + 1 WHERE id = $1 AND revision = $2 RETURNING " +
			count("comments") + ", " + count("likes")
	}
	return eventSteps{
		insertEvent:  "INSERT INTO events (" + eventNew.List() + ") " + "VALUES (" + eventNew.Parameters(1) + ") RETURNING id",
		rewriteEvent: rewrite(eventMutable),
		rewriteText:  rewrite(eventText),
		// The primary key makes it cost the same from any start.
		located: "SELECT id, title, content, province, city, district FROM events WHERE id > $1 ORDER BY id LIMIT CAST($2 AS bigint)",
	}
}

// eventRow is an event as read by one statement, so that it never mixes states before and after a change. Where the
// statement does not read the counts, they are zero, and so they are of an event that is being removed.
type eventRow struct {
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
	Comments      int       `bun:",scanonly,nullzero"`
	Likes         int       `bun:",scanonly,nullzero"`
	Plates        plateList `bun:",scanonly"`
}

// event returns the stored event. An invalid one is an internal error.
func (r *eventRow) event() (*event.Event, error) {
	restored, err := event.Restore(event.State{
		ID: r.ID, Author: r.AuthorID, Date: r.Day.Date, Title: r.Title, Content: r.Content, HTML: r.HTML, Category: r.CategoryID,
		Permission: r.Permission, Status: r.Status, IsHidden: r.Hidden,
		Place:  place.Place{Province: r.Province, City: r.City, District: r.District},
		Plates: r.Plates, Created: r.Created.Time, Modified: r.Modified.Time, Published: r.PublishedAt.Time,
	})
	if err != nil {
		return nil, fmt.Errorf("read event: %v", err)
	}
	return restored, nil
}

func (r *eventRow) entry() (event.Entry, error) {
	restored, err := r.event()
	return event.Entry{Event: restored, Counts: event.Counts{Comments: r.Comments, Likes: r.Likes}, Revision: r.Revision}, err
}

// entriesOf returns the entries of the rows, which were read with the error.
func entriesOf(rows []eventRow, err error) ([]event.Entry, error) {
	if err != nil {
		return nil, err
	}
	entries := make([]event.Entry, len(rows))
	for i := range rows {
		if entries[i], err = rows[i].entry(); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

type eventCountsRow struct {
	bun.BaseModel `bun:"table:event_counts,alias:n"`
	EventID       event.ID `bun:",pk"`
	AuthorID      user.ID
	Comments      int
	Likes         int
	Commented     engine.Time
}

// storedEvent is an event as read by one statement, so that it never mixes states
// before and after a change.
type storedEvent struct {
	event.State
	event.Counts
	revision int64
}

// The counts for storedColumns: those of n, or zero.
const (
	withCounts    = "n.comments, n.likes"
	withoutCounts = "0, 0"
)

// storedColumns returns the columns of a storedEvent, the event e.
func storedColumns(d engine.Dialect, e, counts string) string {
	return eventAll.Of(e) + ", " + e + ".revision, " + counts + ", " + d.PlatesOf(e+".id")
}

// targets returns the scan targets in the order of storedColumns, after others. An event that is being
// removed has no counts.
func (e *storedEvent) targets(d engine.Dialect, before ...any) []any {
	return append(eventAll.Targets(&e.State, d, before...),
		&e.revision, engine.OrZeroNumber[int]{Into: &e.Comments}, engine.OrZeroNumber[int]{Into: &e.Likes}, (*plateList)(&e.Plates))
}

// event returns the stored event. An invalid one is an internal error.
func (e *storedEvent) event() (*event.Event, error) {
	restored, err := event.Restore(e.State)
	if err != nil {
		return nil, fmt.Errorf("read event: %v", err)
	}
	return restored, nil
}

func (e *storedEvent) entry() (event.Entry, error) {
	restored, err := e.event()
	return event.Entry{Event: restored, Counts: e.Counts, Revision: e.revision}, err
}

// eventReader returns a function that scans an event of storedColumns; columns for the
// targets before may precede them.
func eventReader(d engine.Dialect, before ...any) func(engine.Scanner) (storedEvent, error) {
	return func(scan engine.Scanner) (e storedEvent, err error) {
		err = scan(e.targets(d, before...)...)
		return e, err
	}
}

// entryReader is eventReader for the entries of the events.
func entryReader(d engine.Dialect, before ...any) func(engine.Scanner) (event.Entry, error) {
	read := eventReader(d, before...)
	return func(scan engine.Scanner) (event.Entry, error) {
		stored, err := read(scan)
		if err != nil {
			return event.Entry{}, err
		}
		return stored.entry()
	}
}

// plateList scans the list of lists of the dialects' platesOf: the ID of each plate,
// its photo and the microseconds of its instant.
type plateList []event.Plate

func (l *plateList) Scan(src any) error { return engine.ScanText(src, l.ScanBytes) }

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
