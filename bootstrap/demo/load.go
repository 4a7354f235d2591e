// Package demo is the data that Plaza is shown with: a dozen people who do not
// exist and a robot; what they put into their diaries in the autumn of 2026, and
// what they said of it to each other; what they published, translated, drew,
// wanted and bought.
//
// It is told in tables and replayed through the use cases in the order in which it
// happened, on a clock that stands at the instant of each deed. So it keeps every
// rule, nobody speaks of what they could not see, and the same data arises each
// time.
package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plaza/application/curating"
	"plaza/application/diary"
	"plaza/application/following"
	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/gallery"
	"plaza/domain/payment"
	"plaza/domain/publication"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// Ports are what the demo data is written through.
type Ports struct {
	Accounts      access.Accounts
	Tokens        access.Tokens
	Throttle      access.Throttle
	Hasher        access.Hasher
	Categories    feed.Categories
	Subscriptions subscription.Repository
	News          event.NewsArchive
	Diary         diary.Ports
	Publications  publication.Repository
	HowTos        publication.HowTos
	Demands       demand.Repository
	Images        gallery.Repository
	Ledger        payment.Ledger
}

// Load writes the demo data, unless its first account is there: then nothing
// changes. On an empty store the uids are the places in the table of people. What
// an interrupted Load has written stays, and is not completed later.
func Load(ctx context.Context, p Ports) error {
	loaded, err := isLoaded(ctx, p.Accounts)
	if err != nil || loaded {
		return err
	}
	deeds, err := timeline()
	if err != nil {
		return fmt.Errorf("the tables are wrong: %w", err)
	}
	if err := furnish(ctx, p); err != nil {
		return err
	}
	s := newStage(p)
	for _, d := range deeds {
		s.now = d.at
		if err := d.do(ctx, s, s.cast[d.who]); err != nil {
			return fmt.Errorf("%s %s: %w", d.who, d.what, err)
		}
	}
	return nil
}

func isLoaded(ctx context.Context, accounts access.Accounts) (bool, error) {
	first, err := user.ParsePhone(people[0].phone)
	if err != nil {
		return false, err
	}
	_, err = accounts.ByPhone(ctx, first)
	if errors.Is(err, access.ErrNoAccount) {
		return false, nil
	}
	return err == nil, err
}

// furnish writes what no member makes: the shelves and the news. Like any import
// it cleans the HTML.
func furnish(ctx context.Context, p Ports) error {
	for _, c := range categories {
		if err := p.Categories.Put(ctx, c); err != nil {
			return fmt.Errorf("category %s: %w", c.Slug, err)
		}
	}
	items, err := archive(p.Diary.Sanitiser)
	if err != nil {
		return err
	}
	return p.News.Add(ctx, items)
}

// stage is where the deeds happen: the use cases, and what came of earlier deeds.
type stage struct {
	now       time.Time
	ports     Ports
	signin    *signin.Signin
	following *following.Following
	diary     *diary.Diary
	curating  *curating.Curating
	cast      map[handle]access.Actor
	written   map[string]event.ID
}

func newStage(p Ports) *stage {
	s := &stage{ports: p, cast: map[handle]access.Actor{}, written: map[string]event.ID{}}
	now := func() time.Time { return s.now }
	const noLogins = signin.TokenTTL(0)
	s.signin = signin.New(p.Accounts, p.Tokens, p.Throttle, p.Hasher, noLogins, now)
	s.following = following.New(p.Subscriptions, p.Categories, now)
	s.diary = diary.New(p.Diary, now)
	s.curating = curating.New(p.Images, p.Diary.Pictures, p.Diary.Inspector, now)
	return s
}
