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
