package memory

import (
	"context"

	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/domain/quota"
	"plaza/domain/user"
)

// Room is the store as quota.Room.
type Room view

func (v Room) CheckPictures(ctx context.Context, owner user.ID) error {
	used, err := read(ctx, v.s, func() (int64, error) { return v.s.pictureBytes[owner], nil })
	if err != nil {
		return err
	}
	return v.limits.CheckPictures(used + 1)
}

// countPictures counts new pictures of the owner, or returns ErrPictures. The caller gives some bytes back in the same step.
func (s *Store) countPictures(l quota.Limits, owner user.ID, bytes map[media.Key]int64, givenBack ...int64) error {
	var all int64
	for _, n := range bytes {
		all += n
	}
	if all == 0 {
		return nil
	}
	after := s.pictureBytes[owner] + all
	for _, n := range givenBack {
		after -= n
	}
	if err := l.CheckPictures(after); err != nil {
		return err
	}
	for key, n := range bytes {
		s.pictures[key] = countedPicture{owner, n}
	}
	s.pictureBytes[owner] += all
	return nil
}

// giveBack gives the bytes of a picture that will be deleted back to its owner.
func (s *Store) giveBack(key media.Key) {
	was := s.pictures[key]
	s.pictureBytes[was.owner] -= was.bytes
	delete(s.pictures, key)
}

// checkDrafts returns ErrDrafts if storing next in place of replaced makes one draft too many.
func (s *Store) checkDrafts(l quota.Limits, replaced, next *event.Event) error {
	if l.Drafts == 0 || !event.AddsDraft(replaced, next) {
		return nil
	}
	return l.CheckDrafts(s.events.count(func(e event.State) bool { return e.Author == next.Author() && e.Status == event.Draft }))
}
