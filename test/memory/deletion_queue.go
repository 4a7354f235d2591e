package memory

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"plaza/domain/media"
)

// DeletionQueue is the store as media.DeletionQueue.
type DeletionQueue view

// queueDeletion queues the keys for deletion, due immediately, and gives their bytes back.
func (s *Store) queueDeletion(keys ...media.Key) {
	for _, key := range keys {
		s.giveBack(key)
		if _, is := s.deletions[key]; !is {
			s.deletions[key] = time.Time{}
		}
	}
}

func (v DeletionQueue) Claim(ctx context.Context, now, next time.Time, limit int) ([]media.Key, error) {
	return write(ctx, v.s, func() ([]media.Key, error) { return claimDue(v.s.deletions, now, next, limit), nil })
}

func (v DeletionQueue) Done(ctx context.Context, keys []media.Key) error {
	return exec(ctx, v.s, func() error {
		for _, key := range keys {
			delete(v.s.deletions, key)
		}
		return nil
	})
}

func (v DeletionQueue) Reserve(ctx context.Context, r media.Reservation) error {
	return exec(ctx, v.s, func() error {
		_, isQueued := v.s.deletions[r.Key]
		if _, isKept := v.s.pictures[r.Key]; isQueued || isKept {
			return media.ErrMoving
		}
		v.s.deletions[r.Key] = r.Until
		return nil
	})
}

func (v DeletionQueue) References(ctx context.Context) iter.Seq2[media.Reference, error] {
	return snapshot(ctx, v.s, v.s.references)
}

func (s *Store) references() (all []media.Reference) {
	add := func(of string, id any, keys ...media.Key) {
		for _, key := range keys {
			all = append(all, media.Reference{Key: key, Of: fmt.Sprint(of, " ", id)})
		}
	}
	for _, e := range s.events {
		for _, p := range e.Plates {
			add("plate", p.ID, p.Photo)
		}
	}
	for id, i := range s.images {
		if i.Deleted.IsZero() {
			add("user image", id, i.Key)
		}
	}
	for id, m := range s.members {
		add("avatar of user", id, m.Avatar.Keys()...)
	}
	for id, p := range s.hiddenProfiles {
		add("hidden avatar of user", id, p.Avatar.Keys()...)
	}
	for _, r := range s.records() {
		add(string(r.at.kind), r.at.id, r.cover.Keys()...)
	}
	for id, c := range s.cases {
		add("copy for a report", id, slices.Collect(maps.Values(c.copies))...)
	}
	for digest, p := range s.imports.covers {
		add("import", fmt.Sprintf("%x", digest[:4]), p.Keys()...)
	}
	for key := range s.deletions {
		all = append(all, media.Reference{Key: key})
	}
	return all
}
