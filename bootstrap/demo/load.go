// Package demo has the demo data: a dozen fictional users and a robot, with their diaries of
// autumn 2026, comments, publications, translations, images, demands and orders. For the back office one of them advertises, and an
// order was paid twice.
//
// Users, publications and other importable records are embedded files in the format of an
// import. The rest is in tables and is replayed through the use cases in chronological order,
// with a clock set to the time of each action. So the data obeys all rules, users comment only
// on events that they may see, and the result is always the same.
package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"plaza/application/backoffice"
	"plaza/application/diary"
	"plaza/application/following"
	"plaza/application/importing"
	"plaza/application/moderating"
	"plaza/application/notifications"
	"plaza/application/signin"
	"plaza/application/userimages"
	"plaza/domain/access"
	"plaza/domain/block"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/payment"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Ports are the ports that Load uses.
type Ports struct {
	Accounts      access.Accounts
	Tokens        access.Tokens
	Throttle      access.Throttle
	Hasher        access.Hasher
	Strength      access.Estimator
	Importer      *importing.Importer
	Categories    feed.Categories
	Subscriptions subscription.Repository
	Blocks        block.Repository
	Notifications notification.Store
	Diary         diary.Ports
	Images        userimage.Repository
	Ledger        payment.Ledger
	Moderation    moderation.Store
}

// Load writes the demo data, unless its first account has a password: then it changes nothing.
// On an empty store the uids are the line numbers of people.jsonl. Records that were
// imported before stay unchanged. A Load that was interrupted after the import is not
// completed later.
func Load(ctx context.Context, p Ports) error {
	people, err := people()
	if err != nil {
		return err
	}
	loaded, err := isLoaded(ctx, p.Accounts, people)
	if err != nil || loaded {
		return err
	}
	steps, err := tables(people)
	if err != nil {
		return err
	}
	records, pictures, err := Files()
	if err != nil {
		return err
	}
	if err := importRecords(ctx, p.Importer, records, pictures); err != nil {
		return err
	}
	if err := importFaulty(ctx, p.Importer); err != nil {
		return err
	}
	s := newReplay(p)
	for _, d := range steps {
		s.now = d.at
		if err := d.do(ctx, s, s.actors[d.who]); err != nil {
			return fmt.Errorf("%s %s: %w", d.who, d.what, err)
		}
	}
	return nil
}

// isLoaded reports whether the demo data is loaded. It returns an error if an account of
// another user has a phone number of the demo data, because Load would change its password,
// and ErrRemoved after Remove.
func isLoaded(ctx context.Context, accounts access.Accounts, people []imported.UserRecord) (bool, error) {
	for i, someone := range people {
		account, err := accounts.ByPhone(ctx, someone.Phone)
		switch {
		case err == nil && isRemoved(account):
			return false, ErrRemoved
		case errors.Is(err, access.ErrNoAccount) || err == nil && account.Hash == "":
			continue
		case err != nil:
			return false, err
		case i == 0:
			return true, nil
		}
		return false, fmt.Errorf("%s: %w", someone.Source, access.ErrPhoneTaken)
	}
	return false, nil
}

// replay has the use cases for the steps, and the results of earlier steps.
type replay struct {
	now           time.Time
	ports         Ports
	signin        *signin.Signin
	following     *following.Following
	notifications *notifications.Notifications
	diary         *diary.Diary
	images        *userimages.UserImages
	moderating    *moderating.Moderating
	office        *backoffice.BackOffice
	actors        map[handle]access.Actor
	written       map[string]event.ID
	said          map[remark]event.CommentID
}

func newReplay(p Ports) *replay {
	s := &replay{ports: p, actors: map[handle]access.Actor{}, written: map[string]event.ID{}, said: map[remark]event.CommentID{}}
	now := func() time.Time { return s.now }
	const noLogins = signin.TokenTTL(0)
	s.signin = signin.New(p.Accounts, p.Tokens, p.Throttle, p.Hasher, p.Strength, noLogins, nil, signin.Joining{}, now, func(context.Context) *slog.Logger { return slog.New(slog.DiscardHandler) })
	s.following = following.New(p.Subscriptions, p.Blocks, p.Categories, p.Diary.Keys, nil, now)
	s.notifications = notifications.New(p.Notifications)
	s.diary = diary.New(p.Diary, nil, now)
	s.images = userimages.New(p.Images, p.Diary.Pictures, p.Diary.Addresses, p.Diary.Deletions, p.Diary.Processor, p.Diary.Room, p.Diary.Keys, nil, now)
	s.moderating = moderating.New(p.Moderation, p.Diary.Discussion, p.Images, p.Diary.Directory, p.Diary.Addresses, p.Diary.Pictures, p.Diary.Deletions, nil, now)
	s.office = backoffice.New(backoffice.Ports{
		Accounts: p.Accounts, Directory: p.Diary.Directory, Tokens: p.Tokens, Changes: s.signin, Now: now,
		Describe: func(members []*user.Member) []user.Info {
			all := make([]user.Info, len(members))
			for i, m := range members {
				all[i] = m.Describe(media.Picture{}, s.now)
			}
			return all
		},
	})
	return s
}
