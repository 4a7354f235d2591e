// Package demo is the data that Plaza is shown with: a dozen people who do not
// exist and a robot; what they put into their diaries in the autumn of 2026, and
// what they said of it to each other; what they published, translated, drew,
// wanted and bought.
//
// It is told in tables. What a crawler could have brought of it is imported, from the
// files that it would have brought; the rest is replayed through the use cases in the
// order in which it happened, on a clock that stands at the instant of each deed. So
// it keeps every rule, nobody speaks of what they could not see, and the same data
// arises each time.
package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"plaza/application/diary"
	"plaza/application/following"
	"plaza/application/importing"
	"plaza/application/signin"
	"plaza/application/userimages"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/payment"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Ports are what the demo data is written through.
type Ports struct {
	Accounts      access.Accounts
	Tokens        access.Tokens
	Throttle      access.Throttle
	Hasher        access.Hasher
	Strength      access.Estimator
	Importer      *importing.Importer
	Categories    feed.Categories
	Subscriptions subscription.Repository
	Diary         diary.Ports
	Images        userimage.Repository
	Ledger        payment.Ledger
}

// Load writes the demo data, unless its first account has a password: then nothing
// changes. On an empty store the uids are the places in the table of people. What was
// imported of the files before stays as it is; but what an interrupted Load has
// written after that is not completed later.
func Load(ctx context.Context, p Ports) error {
	loaded, err := isLoaded(ctx, p.Accounts)
	if err != nil || loaded {
		return err
	}
	told, err := tables()
	if err != nil {
		return err
	}
	if err := bring(ctx, p.Importer, told.files, told.covers); err != nil {
		return err
	}
	s := newStage(p)
	for _, d := range told.deeds {
		s.now = d.at
		if err := d.do(ctx, s, s.cast[d.who]); err != nil {
			return fmt.Errorf("%s %s: %w", d.who, d.what, err)
		}
	}
	return nil
}

// isLoaded fails when somebody else has a phone of the demo data: they would find
// their password to be another. It is ErrRemoved after Remove.
func isLoaded(ctx context.Context, accounts access.Accounts) (bool, error) {
	for i, someone := range people {
		account, err := accountOf(ctx, accounts, someone)
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
		return false, fmt.Errorf("%s: %w", someone.handle, access.ErrPhoneTaken)
	}
	return false, nil
}

func accountOf(ctx context.Context, accounts access.Accounts, someone person) (access.Account, error) {
	phone, err := user.ParsePhone(someone.phone)
	if err != nil {
		return access.Account{}, err
	}
	return accounts.ByPhone(ctx, phone)
}

// stage is where the deeds happen: the use cases, and what came of earlier deeds.
type stage struct {
	now       time.Time
	ports     Ports
	signin    *signin.Signin
	following *following.Following
	diary     *diary.Diary
	images    *userimages.UserImages
	cast      map[handle]access.Actor
	written   map[string]event.ID
}

func newStage(p Ports) *stage {
	s := &stage{ports: p, cast: map[handle]access.Actor{}, written: map[string]event.ID{}}
	now := func() time.Time { return s.now }
	const noLogins = signin.TokenTTL(0)
	s.signin = signin.New(p.Accounts, p.Tokens, p.Throttle, p.Hasher, p.Strength, noLogins, now, slog.New(slog.DiscardHandler))
	s.following = following.New(p.Subscriptions, p.Categories, now)
	s.diary = diary.New(p.Diary, now)
	s.images = userimages.New(p.Images, p.Diary.Pictures, p.Diary.Deletions, p.Diary.Processor, now)
	return s
}
