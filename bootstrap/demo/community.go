package demo

import (
	"bytes"
	"context"
	"errors"

	"plaza/application/backoffice"
	"plaza/application/following"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/moderation"
	"plaza/domain/page"
)

// join plans that the person joins, and reads all notifications later.
func (p *plan) join(someone imported.UserRecord) error {
	who := handle(someone.Source)
	return errors.Join(
		p.add(someone.Joined, who, func(ctx context.Context, s *replay, _ access.Actor) error {
			return s.admit(ctx, someone, p.zones[who])
		}),
		p.addLocal(lastLook, who, func(ctx context.Context, s *replay, actor access.Actor) error {
			newest, err := s.notifications.List(ctx, actor, page.CursorRequest{})
			if err != nil || len(newest.Items) == 0 {
				return err
			}
			return s.notifications.MarkRead(ctx, actor, newest.Items[0].ID, nil)
		}),
	)
}

// lastLook is when each person has looked at their notifications, in their time zone. Later ones are unread.
const lastLook = "2026-11-20 07:30"

// followRow is a row of follows.jsonl: subscriptions of a person.
type followRow struct {
	By         handle   `json:"by"`
	At         string   `json:"at"` // in the person's time zone
	People     []handle `json:"people"`
	Categories []string `json:"categories"` // slugs
}

func (p *plan) follow(f followRow) error {
	var wrong []error
	for _, whom := range f.People {
		_, err := find(p.zones, "person", whom)
		wrong = append(wrong, err)
	}
	var categories []feed.CategoryID
	for _, slug := range f.Categories {
		id, err := find(p.categories, "category", slug)
		categories, wrong = append(categories, id), append(wrong, err)
	}
	wrong = append(wrong, p.addLocal(f.At, f.By, func(ctx context.Context, s *replay, actor access.Actor) error {
		for _, whom := range f.People {
			if _, _, err := s.following.Follow(ctx, actor, following.Target{User: new(s.actors[whom].ID)}, nil, nil); err != nil {
				return err
			}
		}
		for _, c := range categories {
			if _, _, err := s.following.Follow(ctx, actor, following.Target{Category: &c}, nil, nil); err != nil {
				return err
			}
		}
		return nil
	}))
	return errors.Join(wrong...)
}

// blockRow is a row of blocks.jsonl. Neither of the two follows the other.
type blockRow struct {
	By     handle `json:"by"`
	At     string `json:"at"` // in the person's time zone
	Person handle `json:"person"`
}

func (p *plan) block(b blockRow) error {
	_, err := find(p.zones, "person", b.Person)
	return errors.Join(err, p.addLocal(b.At, b.By, func(ctx context.Context, s *replay, actor access.Actor) error {
		return s.following.Block(ctx, actor, s.actors[b.Person].ID)
	}))
}

// imageRow is a row of images.jsonl: an image that a person uploads.
type imageRow struct {
	By      handle   `json:"by"`
	At      string   `json:"at"` // in the person's time zone
	Picture string   `json:"picture"`
	Tags    []string `json:"tags"`
}

func (p *plan) upload(i imageRow) error {
	raw, unknown := pictureIn(p.files, i.Picture)
	return errors.Join(unknown, p.addLocal(i.At, i.By, func(ctx context.Context, s *replay, actor access.Actor) error {
		_, err := s.images.Upload(ctx, actor, bytes.NewReader(raw), i.Tags, nil, nil)
		return err
	}))
}

// reportRow is a row of reports.jsonl: a report of a comment that staff have not decided.
type reportRow struct {
	By        handle            `json:"by"`
	At        string            `json:"at"` // in the person's time zone
	Event     string            `json:"event"`
	CommentBy handle            `json:"comment_by"`
	Reason    moderation.Reason `json:"reason"`
	Text      string            `json:"text"`
}

func (p *plan) report(r reportRow) error {
	return p.addLocal(r.At, r.By, func(ctx context.Context, s *replay, actor access.Actor) error {
		reported := moderation.Thing{Kind: moderation.Comment, ID: int64(s.said[remark{r.CommentBy, r.Event}])}
		_, _, err := s.moderating.Report(ctx, actor, reported, r.Reason, r.Text, nil)
		return err
	})
}

// disabledRow is a row of disabled.jsonl: an account that staff disable.
type disabledRow struct {
	By     handle `json:"by"`
	At     string `json:"at"` // in the time zone of staff
	Person handle `json:"person"`
	Reason string `json:"reason"`
}

// disable plans that staff disable an account. The audit has a record of that, also when a person loads the demo
// data, which is an act of its own.
func (p *plan) disable(d disabledRow) error {
	_, err := find(p.zones, "person", d.Person)
	return errors.Join(err, p.addLocal(d.At, d.By, func(ctx context.Context, s *replay, actor access.Actor) error {
		r := audit.OnAccount(audit.AccountDisabled, s.actors[d.Person].ID)
		r.At, r.By.Staff = s.now, actor.ID
		_, err := s.office.Disable(audit.With(ctx, r), backoffice.Act{Actor: actor, User: r.About, Reason: d.Reason}, nil)
		return err
	}))
}
