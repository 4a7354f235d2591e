// Package quota bounds how much one account may keep (GEN-14). A write that exceeds a quota is
// a conflict: it can succeed after the account has deleted something.
package quota

import (
	"context"
	"fmt"

	"plaza/domain/fault"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// Limits are the quotas of an account. Zero is no limit.
type Limits struct {
	Drafts   int   // events that are drafts
	Comments int   // comments on one event
	Follows  int   // people and categories that it follows, and as many people that it blocks
	Pictures int64 // bytes that its plates, its images and its avatar take, as they are stored
}

// ErrDrafts returns the fault of one draft too many.
func (l Limits) ErrDrafts() error {
	return fault.Newf(fault.Conflict, "You may have at most %d drafts. Publish or delete some.", l.Drafts).AtLimit("quota_drafts")
}

// ErrComments returns the fault of one comment too many on an event.
func (l Limits) ErrComments() error {
	return fault.Newf(fault.Conflict, "You may write at most %d comments on an event. Delete some.", l.Comments).AtLimit("quota_comments")
}

// ErrFollows returns the fault of one follow too many.
func (l Limits) ErrFollows() error {
	return fault.Newf(fault.Conflict, "You may follow at most %d people and categories. Unfollow some.", l.Follows).AtLimit("quota_follows")
}

// ErrBlocks returns the fault of one block too many.
func (l Limits) ErrBlocks() error {
	return fault.Newf(fault.Conflict, "You may block at most %d people. Unblock some.", l.Follows).AtLimit("quota_blocks")
}

// ErrPictures returns the fault of a picture for which no bytes are left.
func (l Limits) ErrPictures() error {
	return fault.Newf(fault.Conflict, "Your pictures may take at most %s. Delete some.", size(l.Pictures)).AtLimit("quota_pictures")
}

// CheckDrafts returns ErrDrafts if an author with so many drafts may not have another one.
func (l Limits) CheckDrafts(have int) error { return check(have, l.Drafts, l.ErrDrafts) }

// CheckComments returns ErrComments if an account with so many comments on an event may not
// write another one.
func (l Limits) CheckComments(have int) error { return check(have, l.Comments, l.ErrComments) }

// CheckFollows returns ErrFollows if an account with so many follows may not have another one.
func (l Limits) CheckFollows(have int) error { return check(have, l.Follows, l.ErrFollows) }

// CheckBlocks returns ErrBlocks if an account with so many blocks may not have another one.
func (l Limits) CheckBlocks(have int) error { return check(have, l.Follows, l.ErrBlocks) }

// check returns the fault of one more than the most, of which the account has so many.
func check(have, most int, tooMany func() error) error {
	if most > 0 && have >= most {
		return tooMany()
	}
	return nil
}

// CheckPictures returns ErrPictures if the pictures of an account may not take so many bytes.
func (l Limits) CheckPictures(bytes int64) error {
	if l.Pictures > 0 && bytes > l.Pictures {
		return l.ErrPictures()
	}
	return nil
}

// size returns the bytes in the largest unit of which they are a multiple.
func size(bytes int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	for len(units) > 1 && bytes > 0 && bytes%1024 == 0 {
		bytes, units = bytes/1024, units[1:]
	}
	return fmt.Sprint(bytes, " ", units[0])
}

// Room tells whether an account may store more. A store implements it with the Limits that its other ports keep.
type Room interface {
	// CheckPictures returns ErrPictures if the pictures of the owner leave no byte of their
	// quota, or the refusal of a charge that its limit does not admit by now, so that a picture
	// can be refused before it is decoded. It takes nothing: only storing the picture decides.
	CheckPictures(ctx context.Context, owner user.ID, charges ...ratelimit.Charge) error
}
