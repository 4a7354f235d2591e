package demo

import (
	"context"
	"log/slog"
	"time"

	"plaza/application/backoffice"
	"plaza/application/diary"
	"plaza/application/following"
	"plaza/application/importing"
	"plaza/application/moderating"
	"plaza/application/notifications"
	"plaza/application/signin"
	"plaza/application/store"
	"plaza/application/userimages"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/secret"
	"plaza/domain/user"
)

// Ports are what Load uses: those of a store, which keeps no quotas, and of its diary.
type Ports struct {
	store.Ports
	Hasher   access.Hasher
	Strength access.Estimator
	Importer *importing.Importer
	Diary    diary.Ports
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
	written       map[string]event.ID // by their ids in the tables
	said          map[remark]event.CommentID
}

func newReplay(p Ports) *replay {
	s := &replay{ports: p, actors: map[handle]access.Actor{}, written: map[string]event.ID{}, said: map[remark]event.CommentID{}}
	now := func() time.Time { return s.now }
	const noLogins = signin.TokenTTL(0)
	s.signin = signin.New(p.Accounts, p.Tokens, p.Throttle, p.Hasher, p.Strength, noLogins, nil, signin.Joining{}, signin.SecondFactor{}, now,
		func(context.Context) *slog.Logger { return slog.New(slog.DiscardHandler) })
	s.following = following.New(p.Subscriptions, p.Blocks, p.Categories, p.Keys, nil, now)
	s.notifications = notifications.New(p.Notifications)
	s.diary = diary.New(p.Diary, nil, now)
	s.images = userimages.New(p.Images, p.Diary.Pictures, p.Diary.Addresses, p.Deletions, p.Diary.Processor,
		p.Room, p.Keys, nil, now)
	s.moderating = moderating.New(p.Moderation, p.EventReader, p.Discussion, p.Feed, p.Directory,
		p.Diary.Addresses, p.Diary.Pictures, p.Deletions, nil, now)
	s.office = backoffice.New(backoffice.Ports{
		Accounts: p.Accounts, Directory: p.Directory, Tokens: p.Tokens, Moderation: p.Moderation, Changes: s.signin, Now: now,
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

// remark identifies the comment of a person on an entry.
type remark struct {
	by handle
	on string
}

// admit sets the password of an imported person, whose account has none.
func (s *replay) admit(ctx context.Context, someone imported.UserRecord, zone *time.Location) error {
	account, err := s.ports.Accounts.ByPhone(ctx, someone.Phone)
	if err != nil {
		return err
	}
	who, id, scopes := handle(someone.Source), account.User, access.DefaultScopes()
	s.actors[who] = access.Actor{ID: id, Scopes: scopes, Zone: zone}
	var roles []access.Role
	if who == staff {
		roles = append(roles, access.Admin)
	}
	if err := s.signin.SetRights(ctx, id, scopes, roles); err != nil {
		return err
	}
	return s.signin.SetPassword(ctx, id, secret.New(password))
}
