// Package moderating holds the use cases of moderation: people report to staff, and staff hide and restore (MOD).
//
// A person reports only what they may see, or could see without a block. Each act of staff has a reason.
//
// Its tests are those of test/contract whose files begin with moderation.
package moderating

import (
	"cmp"
	"context"
	"errors"
	"time"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Moderating implements the use cases.
type Moderating struct {
	store      moderation.Store
	events     event.Reader
	discussion event.Discussion
	images     userimage.Repository
	feed       feed.Reader
	directory  user.Directory
	addresses  media.Addresses
	pictures   media.Store
	deletions  media.DeletionQueue
	limits     ratelimit.Limits
	now        func() time.Time
}

// New returns the use cases over the ports, with the addresses of the server's pictures and the limits on writes; now returns
// the time.
func New(store moderation.Store, events event.Reader, discussion event.Discussion, images userimage.Repository, feed feed.Reader,
	directory user.Directory, addresses media.Addresses, pictures media.Store, deletions media.DeletionQueue,
	limits ratelimit.Limits, now func() time.Time) *Moderating {
	return &Moderating{store, events, discussion, images, feed, directory, addresses, pictures, deletions, limits, now}
}

// Report reports the thing to staff, and returns the report, and whether it is new: a person reports a thing once (MOD-01).
// A report costs as much as a comment.
func (m *Moderating) Report(
	ctx context.Context, actor access.Actor, of moderation.Thing, why moderation.Reason, more string, readErr error,
) (moderation.Report, bool, error) {
	r, err := moderation.NewReport(actor.ID, of, why, more, m.now())
	if err = fault.Merge(readErr, err); of.Kind != "" {
		owner, ownerErr := m.owner(ctx, actor, of)
		err, r.Owner = fault.Merge(err, ownerErr), owner
	}
	if err != nil {
		return moderation.Report{}, false, err
	}
	return m.store.Report(ctx, r, m.limits.Charge(int64(actor.ID), ratelimit.Comment, m.now()))
}

// owner returns whose the thing is. One that does not exist and one that the actor may not see are the same fault on the field
// of its kind.
func (m *Moderating) owner(ctx context.Context, actor access.Actor, of moderation.Thing) (user.ID, error) {
	owner, err := m.ownerOf(ctx, actor, of)
	if f, is := fault.As(err); is && f.Kind == fault.NotFound {
		err = fault.Field(string(of.Kind), f.Text)
	}
	return owner, err
}

func (m *Moderating) ownerOf(ctx context.Context, actor access.Actor, of moderation.Thing) (user.ID, error) {
	switch of.Kind {
	case moderation.Event:
		e, err := event.See(ctx, m.discussion, event.ID(of.ID), actor.ID, event.ToReport)
		return e.Author, err
	case moderation.Comment:
		c, _, err := event.SeeComment(ctx, m.discussion, event.CommentID(of.ID), actor.ID, event.ToReport)
		return c.Author, err
	case moderation.Plate:
		on, err := m.events.OfPlate(ctx, event.PlateID(of.ID))
		if err != nil {
			return 0, err
		}
		e, err := event.See(ctx, m.discussion, on, actor.ID, event.ToReport)
		if errors.Is(err, event.ErrNotFound) {
			err = event.ErrNoPlate
		}
		return e.Author, cmp.Or(err, m.checkShown(ctx, of, event.ErrNoPlate))
	case moderation.Image:
		i, err := m.images.Get(ctx, userimage.ID(of.ID))
		return i.Owner, cmp.Or(err, m.checkShown(ctx, of, userimage.ErrNotFound))
	case moderation.Profile:
		return user.ID(of.ID), m.checkShown(ctx, of, user.ErrNotFound)
	case moderation.Publication, moderation.Node, moderation.Demand:
		card, err := m.feed.Card(ctx, feed.Kind(of.Kind), of.ID)
		return authorOf(card.Listable), err
	}
	found, err := m.directory.Members(ctx, []user.ID{user.ID(of.ID)})
	if err == nil && len(found) == 0 {
		err = user.ErrNotFound
	}
	return user.ID(of.ID), err
}

// checkShown returns the fault of a thing that does not exist, or notFound if staff have hidden it.
func (m *Moderating) checkShown(ctx context.Context, t moderation.Thing, notFound error) error {
	_, isHidden, err := m.store.Pictures(ctx, t)
	if isHidden {
		return notFound
	}
	return err
}

// authorOf returns whose the item of the feed is.
func authorOf(item feed.Listable) user.ID {
	switch item := item.(type) {
	case publication.Publication:
		return item.Author
	case publication.Node:
		return item.Author
	case demand.Demand:
		return item.Author
	}
	return 0
}

// Hidden returns a page of the actor's things that staff have hidden, the newest first (MOD-03).
func (m *Moderating) Hidden(ctx context.Context, actor access.Actor, r page.Request) (page.Page[moderation.Hiding], error) {
	return m.store.Of(ctx, actor.ID, r)
}

// Reports is a part of the reports, and the people that they name: who reports, and whose things they are about. Those who are
// being erased are missing, and what they own has no Subject.
type Reports struct {
	page.CursorPage[moderation.Reported]
	Members map[user.ID]*user.Member
}

// Reports returns the open or the decided reports, the newest first, with what they are about (OFF-01).
func (m *Moderating) Reports(ctx context.Context, q moderation.Query) (Reports, error) {
	part, err := m.store.Reports(ctx, q)
	if err != nil {
		return Reports{}, err
	}
	var people []user.ID
	for _, r := range part.Items {
		people = append(people, r.By, r.Owner)
	}
	members, err := m.directory.Members(ctx, people)
	reports := Reports{part, map[user.ID]*user.Member{}}
	for _, member := range members {
		reports.Members[member.ID] = &member
	}
	for i, r := range part.Items {
		switch {
		case reports.Members[r.Owner] == nil:
			part.Items[i].Subject = nil
		case r.Kind == moderation.Image && r.Subject != nil:
			r.Subject.URL = m.addresses.URL(r.Subject.Image, r.Audience(r.Subject.IsHidden), m.now())
		}
	}
	return reports, err
}

// Hide hides the thing from all but its owner, and decides the reports of it (MOD-03).
func (m *Moderating) Hide(ctx context.Context, t moderation.Thing, reason string, readErr error) (moderation.Hiding, error) {
	if err := because(ctx, &reason, readErr); err != nil {
		return moderation.Hiding{}, err
	}
	return m.moving(ctx, t, true, func(to media.Moves) (moderation.Hiding, error) {
		return m.store.Hide(ctx, moderation.Hiding{Thing: t, Reason: reason, At: instant.Normalise(m.now())}, to)
	})
}

// Restore undoes Hide.
func (m *Moderating) Restore(ctx context.Context, t moderation.Thing, reason string, readErr error) (moderation.Hiding, error) {
	if err := because(ctx, &reason, readErr); err != nil {
		return moderation.Hiding{}, err
	}
	return m.moving(ctx, t, false, func(to media.Moves) (moderation.Hiding, error) { return m.store.Restore(ctx, t, to) })
}

// moving calls turn, which hides or restores the thing, while it moves the files of its pictures. What can't be turned is not moved.
func (m *Moderating) moving(
	ctx context.Context, t moderation.Thing, isHidden bool, turn func(media.Moves) (moderation.Hiding, error),
) (done moderation.Hiding, err error) {
	pictures, wasHidden, err := m.store.Pictures(ctx, t)
	if err == nil {
		_, err = moderation.Turned(wasHidden, isHidden)
	}
	if err != nil {
		return moderation.Hiding{}, err
	}
	aside := audit.Without(ctx) // only turn changes what the audit record tells of
	err = media.Move(aside, m.pictures, m.deletions, pictures, t.Audience(isHidden), m.now(), func(to media.Moves) (err error) {
		done, err = turn(to)
		return err
	})
	return done, err
}

// Dismiss decides a report without hiding what it is about.
func (m *Moderating) Dismiss(ctx context.Context, id moderation.ReportID, reason string, readErr error) (moderation.Report, error) {
	if err := because(ctx, &reason, readErr); err != nil {
		return moderation.Report{}, err
	}
	return m.store.Decide(ctx, id, m.now())
}

// because puts the required reason of an act into its stored form, and gives it to the act's audit record.
func because(ctx context.Context, reason *string, readErr error) error {
	var wrong fault.Fields
	wrong.Add("reason", moderation.ReasonLimit.RequiredLine(reason))
	audit.Because(ctx, *reason)
	return fault.Merge(readErr, wrong.Err())
}
