// Package moderating holds the use cases of moderation: people report to staff, and staff hide and restore (MOD).
//
// A person reports only what they may see, or could see without a block. What is reported is kept as it was, with copies of its
// pictures. Each act of staff has a reason, and staff judge neither what is theirs nor what they have reported.
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
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Moderating implements the use cases.
type Moderating struct {
	store      moderation.Store
	events     event.Reader
	discussion event.Discussion
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
func New(store moderation.Store, events event.Reader, discussion event.Discussion, feed feed.Reader,
	directory user.Directory, addresses media.Addresses, pictures media.Store, deletions media.DeletionQueue,
	limits ratelimit.Limits, now func() time.Time) *Moderating {
	return &Moderating{store, events, discussion, feed, directory, addresses, pictures, deletions, limits, now}
}

// Report reports the thing to staff, and returns the report, and whether it is new: a person reports a thing once (MOD-01).
// A report costs as much as a comment. It keeps the thing as it is (MOD-05).
func (m *Moderating) Report(
	ctx context.Context, actor access.Actor, of moderation.Thing, why moderation.Reason, more string, readErr error,
) (moderation.Report, bool, error) {
	r, err := moderation.NewReport(actor.ID, of, why, more, m.now())
	if err = fault.Merge(readErr, err); of.Kind != "" {
		err = fault.Merge(err, m.checkSeen(ctx, actor, of))
	}
	if err != nil {
		return moderation.Report{}, false, err
	}
	for try := 1; ; try++ {
		stored, isNew, err := m.keep(ctx, r)
		if !errors.Is(err, moderation.ErrUncopied) || try == mostTries {
			return stored, isNew, err
		}
		if err := m.checkSeen(ctx, actor, of); err != nil { // it was deleted meanwhile
			return moderation.Report{}, false, err
		}
	}
}

// mostTries is how often a report, or an act of staff, is tried while its thing gets new pictures.
const mostTries = 3

// keep stores the report with copies of those pictures that no report of the case has kept.
func (m *Moderating) keep(ctx context.Context, r moderation.Report) (moderation.Report, bool, error) {
	subjects, err := m.store.Subjects(ctx, []moderation.Thing{r.Thing})
	if err != nil {
		return moderation.Report{}, false, err
	}
	now, exists := subjects[r.Thing]
	if !exists {
		return moderation.Report{}, false, moderation.ErrUncopied
	}
	charge := m.limits.Charge(int64(r.By), ratelimit.Comment, m.now())
	copied, err := m.store.Copied(ctx, r.Thing, charge)
	if err != nil {
		return moderation.Report{}, false, err
	}
	r.Owner = now.Owner
	r.Copies = moderation.Copies{}
	var keys []media.Key
	for _, p := range now.Uncopied(copied) {
		key, err := media.Copy(ctx, m.pictures, p.Key)
		if err != nil {
			return moderation.Report{}, false, media.Abandon(ctx, m.pictures, err, keys...)
		}
		if r.Copies[p.Name] = key; key != "" {
			keys = append(keys, key)
		}
	}
	stored, isNew, err := m.store.Report(ctx, r, charge)
	switch {
	case errors.Is(err, moderation.ErrUncopied): // the store is there, and has stored nothing
		return moderation.Report{}, false, errors.Join(err, media.RemoveFiles(context.WithoutCancel(ctx), m.pictures, m.deletions, keys))
	case err != nil:
		return moderation.Report{}, false, media.Abandon(ctx, m.pictures, err, keys...)
	}
	return stored, isNew, nil
}

// Reported returns a page of the actor's reports, the newest first (MOD-07).
func (m *Moderating) Reported(ctx context.Context, actor access.Actor, r page.Request) (page.Page[moderation.Report], error) {
	return m.store.ReportsBy(ctx, actor.ID, page.Span{}, r)
}

// checkSeen returns a fault on the field of its kind of a thing that does not exist, or that the actor may not see.
func (m *Moderating) checkSeen(ctx context.Context, actor access.Actor, of moderation.Thing) error {
	err := m.see(ctx, actor, of)
	if f, is := fault.As(err); is && f.Kind == fault.NotFound {
		err = fault.Field(string(of.Kind), f.Text)
	}
	return err
}

func (m *Moderating) see(ctx context.Context, actor access.Actor, of moderation.Thing) (err error) {
	switch of.Kind {
	case moderation.Event:
		_, err = event.See(ctx, m.discussion, event.ID(of.ID), actor.ID, event.ToReport)
	case moderation.Comment:
		_, _, err = event.SeeComment(ctx, m.discussion, event.CommentID(of.ID), actor.ID, event.ToReport)
	case moderation.Plate:
		on, err := m.events.OfPlate(ctx, event.PlateID(of.ID))
		if err != nil {
			return err
		}
		if _, err = event.See(ctx, m.discussion, on, actor.ID, event.ToReport); errors.Is(err, event.ErrNotFound) {
			err = event.ErrNoPlate
		}
		return cmp.Or(err, m.checkShown(ctx, of, event.ErrNoPlate))
	case moderation.Image:
		return m.checkShown(ctx, of, userimage.ErrNotFound)
	case moderation.Profile:
		return m.checkShown(ctx, of, user.ErrNotFound)
	case moderation.Publication, moderation.Node, moderation.Demand:
		_, err = m.feed.Card(ctx, feed.Kind(of.Kind), of.ID)
	default:
		found, err := m.directory.Members(ctx, []user.ID{user.ID(of.ID)})
		if err == nil && len(found) == 0 {
			err = user.ErrNotFound
		}
		return err
	}
	return err
}

// checkShown returns the fault of a thing that does not exist, or notFound if staff have hidden it.
func (m *Moderating) checkShown(ctx context.Context, t moderation.Thing, notFound error) error {
	_, isHidden, err := m.store.Pictures(ctx, t)
	if isHidden {
		return notFound
	}
	return err
}

// Hidden returns a page of the actor's things that staff have hidden, the newest first (MOD-03).
func (m *Moderating) Hidden(ctx context.Context, actor access.Actor, r page.Request) (page.Page[moderation.Hiding], error) {
	return m.store.Of(ctx, actor.ID, page.Span{}, r)
}

// Cases is a part of the cases, the things as they are, and the people that they name. Those who are being erased are missing, and
// what they own is not there any more.
type Cases struct {
	page.CursorPage[moderation.Case]
	Now     map[moderation.Thing]*moderation.Subject
	Members map[user.ID]*user.Member
}

// Cases returns the open or the decided cases (MOD-05, OFF-01): those that were first reported more than so many hours ago.
func (m *Moderating) Cases(ctx context.Context, q moderation.Query, hours int64) (Cases, error) {
	if hours > 0 {
		q.Before = m.now().Add(-time.Duration(min(hours, mostHours)) * time.Hour)
	}
	part, err := m.store.Cases(ctx, q)
	if err != nil {
		return Cases{}, err
	}
	var things []moderation.Thing
	for _, c := range part.Items {
		things = append(things, c.Thing)
	}
	subjects, err := m.store.Subjects(ctx, things)
	if err != nil {
		return Cases{}, err
	}
	all := Cases{part, map[moderation.Thing]*moderation.Subject{}, map[user.ID]*user.Member{}}
	var people []user.ID
	for _, c := range part.Items {
		people = append(people, c.Owner, c.By.Staff)
		for _, note := range c.Notes {
			people = append(people, note.By)
		}
		for _, remark := range subjects[c.Thing].Before {
			people = append(people, remark.By)
		}
	}
	members, err := m.directory.Members(ctx, people)
	for _, member := range members {
		all.Members[member.ID] = &member
	}
	for _, c := range part.Items {
		if now, is := subjects[c.Thing]; is && all.Members[c.Owner] != nil {
			m.addAddresses(now.Pictures, c.HasSizes())
			all.Now[c.Thing] = &now
		}
		for _, v := range c.Versions {
			m.addAddresses(v.Pictures, false) // copies are at most that large
		}
	}
	return all, err
}

// mostHours bounds the age of cases.
const mostHours = 100 * 365 * 24

// addAddresses adds the addresses of the pictures, in the size md if they have sizes.
func (m *Moderating) addAddresses(pictures []moderation.Picture, haveSizes bool) {
	for i, p := range pictures {
		if p.Key == "" {
			continue
		}
		if pictures[i].URL = m.addresses.Of(p.Key, m.now()); haveSizes {
			pictures[i].URL = media.SizeAt(pictures[i].URL, "md")
		}
	}
}

// mayJudge returns moderation.ErrOwn if the thing is the actor's, or the actor has reported it.
func (m *Moderating) mayJudge(ctx context.Context, by audit.Actor, t moderation.Thing, owner user.ID) error {
	if by.Staff == 0 {
		return nil
	}
	has, err := m.store.HasReported(ctx, by.Staff, t)
	return cmp.Or(err, moderation.CheckJudge(by, owner, has))
}

// At returns what has the picture at the address, or moderation.ErrNoPicture. Another text is a fault on address.
func (m *Moderating) At(ctx context.Context, address string) (moderation.Thing, error) {
	key, is := m.addresses.KeyAt(address)
	if !is {
		return moderation.Thing{}, fault.Field("address", "Enter the address of a picture of this server.")
	}
	return m.store.OfPicture(ctx, key)
}

// Turn hides the thing from all but its owner, and decides the reports of it, or undoes that (MOD-03). The files of its pictures move
// meanwhile: what can't be turned is not moved. By their own it returns moderation.ErrOwn (MOD-06).
func (m *Moderating) Turn(ctx context.Context, by audit.Actor, t moderation.Thing, isHidden bool, reason string, readErr error) error {
	if err := audit.CheckReason(ctx, &reason, readErr); err != nil {
		return err
	}
	subjects, err := m.store.Subjects(ctx, []moderation.Thing{t})
	if err == nil {
		err = m.mayJudge(ctx, by, t, subjects[t].Owner)
	}
	if err != nil {
		return err
	}
	aside := audit.Without(ctx) // only the last step changes what the audit record tells of
	for try := 1; ; try++ {
		pictures, wasHidden, err := m.store.Pictures(ctx, t)
		if err == nil {
			_, err = moderation.Turned(wasHidden, isHidden)
		}
		if err != nil {
			return err
		}
		err = media.Move(aside, m.pictures, m.deletions, pictures, t.Audience(isHidden), m.now(), func(to media.Moves) error {
			if isHidden {
				return m.store.Hide(ctx, moderation.Hiding{Thing: t, Reason: reason, At: instant.Normalise(m.now())}, to)
			}
			return m.store.Restore(ctx, t, to)
		})
		if !errors.Is(err, media.ErrMoving) || try == mostTries {
			return err
		}
	}
}

// Dismiss decides a case without hiding what it is about.
func (m *Moderating) Dismiss(
	ctx context.Context, by audit.Actor, id moderation.CaseID, reason string, readErr error,
) (moderation.Case, error) {
	if err := audit.CheckReason(ctx, &reason, readErr); err != nil {
		return moderation.Case{}, err
	}
	c, err := m.store.Case(ctx, id)
	if err == nil {
		err = m.mayJudge(ctx, by, c.Thing, c.Owner)
	}
	if err != nil {
		return moderation.Case{}, err
	}
	return m.store.Decide(ctx, id, m.now())
}
