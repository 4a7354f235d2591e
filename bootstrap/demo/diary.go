package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/event"
)

// eventRow is a row of events.jsonl: an event of a diary.
type eventRow struct {
	ID             string   `json:"id"` // names the event in other tables
	By             handle   `json:"by"`
	At             string   `json:"at"`  // when it was written, in the author's time zone
	Day            string   `json:"day"` // date of the event; empty: the day of writing
	Permission     string   `json:"permission"`
	Draft          bool     `json:"draft"`
	PublishedAfter duration `json:"published_after"` // time from writing to publishing
	Category       string   `json:"category"`        // a slug
	Title          string   `json:"title"`
	Content        string   `json:"content"`
	HTML           string   `json:"html"`
}

var permissions = map[string]event.Permission{"": event.Public, "contact": event.Contact, "private": event.Private}

// changeOf returns the change with which the author creates the event.
func (p *plan) changeOf(e eventRow) (event.Change, error) {
	permission, unknownPermission := find(permissions, "permission", e.Permission)
	category, unknownCategory := find(p.categories, "category", e.Category)
	change := event.Change{
		Title: &e.Title, Content: &e.Content, HTML: &e.HTML,
		Permission: &permission, Category: &category, Publish: new(!e.Draft && e.PublishedAfter.Duration == 0),
	}
	wrong := errors.Join(unknownPermission, unknownCategory)
	if e.Day == "" {
		return change, wrong
	}
	day, err := calendar.ParseDate(e.Day)
	change.Date = &day
	return change, errors.Join(wrong, err)
}

// write plans that the author writes the event and publishes it immediately or later.
func (p *plan) write(e eventRow) error {
	change, err := p.changeOf(e)
	if err != nil {
		return err
	}
	at, err := p.instant(e.By, e.At)
	if err != nil {
		return err
	}
	var id event.ID
	err = p.add(at, e.By, func(ctx context.Context, s *replay, actor access.Actor) error {
		shown, err := s.diary.Write(ctx, actor, change, nil, nil)
		if err == nil {
			id = shown.ID()
			s.written[e.ID] = id
		}
		return err
	})
	if e.PublishedAfter.Duration > 0 {
		at = at.Add(e.PublishedAfter.Duration)
		err = errors.Join(err, p.add(at, e.By, func(ctx context.Context, s *replay, actor access.Actor) error {
			_, err := s.diary.Edit(ctx, actor, id, event.Change{Publish: new(true)}, nil)
			return err
		}))
	}
	if e.ID == "" {
		return err
	}
	if _, taken := p.published[e.ID]; taken {
		err = errors.Join(err, fmt.Errorf("another event has the id %q", e.ID))
	}
	p.published[e.ID] = at
	return err
}

// plateRow is a row of plates.jsonl: a picture that the author attaches to an event.
type plateRow struct {
	Event   string   `json:"event"`
	By      handle   `json:"by"`
	After   duration `json:"after"` // since the event was published
	Picture string   `json:"picture"`
}

func (p *plan) attach(a plateRow) error {
	raw, unknown := pictureIn(p.files, a.Picture)
	return errors.Join(unknown, p.addAfter(a.Event, a.After.Duration, a.By, func(ctx context.Context, s *replay, actor access.Actor) error {
		_, err := s.diary.Attach(ctx, actor, s.written[a.Event], bytes.NewReader(raw), nil, nil)
		return err
	}))
}

// commentRow is a row of comments.jsonl.
type commentRow struct {
	Event   string   `json:"event"`
	By      handle   `json:"by"`
	After   duration `json:"after"` // since the event was published
	Content string   `json:"content"`
}

func (p *plan) comment(c commentRow) error {
	return p.addAfter(c.Event, c.After.Duration, c.By, func(ctx context.Context, s *replay, actor access.Actor) error {
		made, err := s.diary.Comment(ctx, actor, s.written[c.Event], c.Content, 0, nil, nil)
		s.said[remark{c.By, c.Event}] = made.ID
		return err
	})
}

// likesRow is a row of likes.jsonl: who likes an event.
type likesRow struct {
	Event string   `json:"event"`
	By    []handle `json:"by"`
}

// likedAfter is the time from an event to its likes. All users who may see it have joined by
// then.
const likedAfter = 26 * time.Hour

func (p *plan) like(l likesRow) (err error) {
	for _, who := range l.By {
		err = errors.Join(err, p.addAfter(l.Event, likedAfter, who, func(ctx context.Context, s *replay, actor access.Actor) error {
			return s.diary.Like(ctx, actor, s.written[l.Event], true)
		}))
	}
	return err
}
