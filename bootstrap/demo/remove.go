package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"plaza/application/diary"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/page"
	"plaza/domain/secret"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// ErrRemoved is the error of Load after Remove. Load does not restore the people, because their
// imported records are still stored.
var ErrRemoved = errors.New("the demo data was removed from this database; use an empty database, or continue without demo data")

// An account's Generation counts how often its keys were ended. Load ends them once, with the password. Older
// programs, which did not import the people, left it at zero.
const generationOfLoad = 1

// demoAccounts returns the accounts of the demo's people, in the order of their uids. It identifies them by the time of joining,
// which no registration repeats, and by the phone number, or their place beside another one with the number: an import gives uids
// that follow each other, and the number may have changed since.
func demoAccounts(ctx context.Context, accounts access.Accounts, directory user.Directory) ([]access.Account, error) {
	people, err := people(embedded)
	if err != nil {
		return nil, err
	}
	joined := map[user.ID][]time.Time{} // when the people joined who may have the uid
	for i, someone := range people {
		account, err := accounts.ByPhone(ctx, someone.Phone)
		if errors.Is(err, access.ErrNoAccount) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for n, other := range people {
			id := account.User + user.ID(n-i)
			joined[id] = append(joined[id], other.Joined)
		}
	}
	members, err := directory.Members(ctx, slices.Collect(maps.Keys(joined)))
	if err != nil {
		return nil, err
	}
	var ids []user.ID
	for _, m := range members {
		if slices.ContainsFunc(joined[m.ID], m.Joined.Equal) {
			ids = append(ids, m.ID)
		}
	}
	all, err := accounts.AccountsOf(ctx, ids)
	slices.SortFunc(all, func(a, b access.Account) int { return cmp.Compare(a.User, b.User) })
	return all, err
}

// WithPassword returns the uids of the demo's people whose password is still the one that the source shows. It hashes a password
// only if the keys of an account were ended, which another password does, but others do as well.
func WithPassword(ctx context.Context, accounts access.Accounts, directory user.Directory, hasher access.Hasher) ([]user.ID, error) {
	all, err := demoAccounts(ctx, accounts, directory)
	var open []user.ID
	for _, a := range all {
		if a.Hash == "" || a.Disabled {
			continue
		}
		isPublic := a.Generation <= generationOfLoad
		if !isPublic {
			if isPublic, _, err = hasher.Verify(ctx, a.Hash, secret.New(password)); err != nil {
				return open, err
			}
		}
		if isPublic {
			open = append(open, a.User)
		}
	}
	return open, err
}

// isRemoved reports whether Remove has taken the account's password away. An account that
// was imported, and not loaded, never had one.
func isRemoved(a access.Account) bool { return a.Hash == "" && a.Generation > 0 }

// ErrOthers is the error of a store that has accounts, none of which is the demo's. The demo's people
// have a public password, and one of them is staff.
var ErrOthers = errors.New("this database has accounts that are not the demo's; use an empty database, " +
	"or load the demo into it all the same with --demo-into-existing")

// CheckNoOthers returns ErrOthers if the store has accounts, and none of them is the demo's.
func CheckNoOthers(ctx context.Context, accounts access.Accounts, directory user.Directory) error {
	some, err := accounts.List(ctx, 0, 1)
	if err != nil || len(some) == 0 {
		return err
	}
	own, err := demoAccounts(ctx, accounts, directory)
	if err == nil && len(own) == 0 {
		err = ErrOthers
	}
	return err
}

// Removed counts what Remove has removed.
type Removed struct {
	Accounts, Events, Images, Subscriptions int
}

// Remove disables the accounts of the demo's people, even if their passwords have changed,
// removes their passwords, revokes their tokens, and deletes their events, images,
// subscriptions and blocks. Imported records, orders, reports, audit records, and comments on other
// users' events stay. Remove is
// idempotent and may be repeated after an interruption.
func Remove(ctx context.Context, p Ports, now time.Time) (Removed, error) {
	var done Removed
	all, err := demoAccounts(ctx, p.Accounts, p.Directory)
	if err != nil {
		return done, err
	}
	for _, a := range all {
		if isRemoved(a) && a.Disabled {
			continue
		}
		if err := p.Accounts.Change(ctx, a.User, shut); err != nil {
			return done, fmt.Errorf("disable account %d: %w", a.User, err)
		}
		done.Accounts++
	}
	s := newReplay(p)
	s.now = now
	for _, a := range all {
		if err := s.clear(ctx, access.Actor{ID: a.User, Scopes: access.DefaultScopes()}, &done); err != nil {
			return done, fmt.Errorf("delete data of account %d: %w", a.User, err)
		}
	}
	return done, nil
}

// shut disables the account and removes its password and its rights.
func shut(a *access.Account) error {
	a.SetPassword("")
	a.Disabled, a.Roles = true, nil
	return nil
}

// clear deletes the actor's items, always the first page until it is empty.
func (s *replay) clear(ctx context.Context, actor access.Actor, done *Removed) error {
	first, _ := page.New(1, page.MaxSize) // both are positive
	for {
		events, err := s.diary.Own(ctx, actor, event.Query{Page: first}, diary.Parts{})
		if err != nil {
			return err
		}
		for _, e := range events.Items {
			if err := s.diary.Delete(ctx, actor, e.ID()); err != nil {
				return err
			}
			done.Events++
		}
		images, err := s.images.List(ctx, userimage.Query{Owner: actor.ID}, first)
		if err != nil {
			return err
		}
		for _, i := range images.Items {
			if err := s.images.Delete(ctx, actor, i.ID); err != nil {
				return err
			}
			done.Images++
		}
		followed, err := s.following.List(ctx, actor, subscription.Query{Page: first})
		if err != nil {
			return err
		}
		for _, f := range followed.Items {
			if err := s.following.Unfollow(ctx, actor, f.ID); err != nil {
				return err
			}
			done.Subscriptions++
		}
		blocked, err := s.following.Blocks(ctx, actor, first)
		if err != nil {
			return err
		}
		for _, b := range blocked.Items {
			if err := s.following.Unblock(ctx, actor, b.Whom); err != nil {
				return err
			}
		}
		if len(events.Items)+len(images.Items)+len(followed.Items)+len(blocked.Items) == 0 {
			return nil
		}
	}
}
