package bunstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
	"plaza/test/postgres"
)

// crowd are people who write about each other's events at once, on one or several servers, of whom limits refuse some.
type crowd struct {
	t       *testing.T
	servers []*bunstore.Store
	limits  ratelimit.Limits
	people  []user.ID
	events  []atomic.Pointer[event.Event]
	said    []atomic.Int64 // a comment on each event, or one that was deleted
	old     event.Entry    // an event as it was read in the beginning
	refused atomic.Int64
}

func newCrowd(t *testing.T, rounds int, servers ...*bunstore.Store) *crowd {
	t.Helper()
	const people, events = 12, 6
	some := ratelimit.Limit{Count: 1, Period: time.Hour} // which each sweep forgets
	c := &crowd{t: t, servers: servers, events: make([]atomic.Pointer[event.Event], events), said: make([]atomic.Int64, events),
		limits: ratelimit.Limits{ratelimit.Comment: some, ratelimit.Like: some, ratelimit.Upload: some, ratelimit.UploadBytes: some}}
	for n := range people {
		phone, err := user.ParsePhone(fmt.Sprintf("+86-138%08d", n))
		require.NoError(t, err)
		id, err := servers[0].Accounts.Open(t.Context(), access.Account{Phone: phone}, user.Member{Timezone: "UTC", Joined: noon})
		require.NoError(t, err)
		c.people = append(c.people, id)
		_, err = servers[0].Images.Add(t.Context(), userimage.New(id, media.Key(fmt.Sprint("public/", n)), 1, 1, 7, userimage.Tags{}, noon))
		require.NoError(t, err)
	}
	for i := range c.events {
		require.NoError(t, c.write(servers[0], i))
	}
	var err error
	c.old, err = servers[0].Events.Get(t.Context(), c.events[0].Load().ID())
	require.NoError(t, err)
	return c
}

// write writes the event of that number anew.
func (c *crowd) write(s *bunstore.Store, i int) error {
	e, err := s.Events.Add(c.t.Context(), listedEvent(c.t, c.people[i%3], "An event"))
	if err == nil {
		c.events[i].Store(e)
	}
	return err
}

// act does something at random as the person.
func (c *crowd) act(s *bunstore.Store, who user.ID, r *rand.Rand) error {
	i := r.IntN(len(c.events))
	e, ctx, now := c.events[i].Load(), c.t.Context(), time.Now()
	charge := func(a ratelimit.Action) ratelimit.Charge { return c.limits.Charge(int64(who), a, now) }
	switch n := r.IntN(48); {
	case n < 10:
		said := event.Comment{Event: e.ID(), Author: who, Content: "Oh", Created: now}
		if r.IntN(2) == 0 {
			said.ReplyTo.ID = event.CommentID(c.said[i].Load())
		}
		comment, _, err := s.Discussion.AddComment(ctx, said, charge(ratelimit.Comment))
		if err == nil {
			c.said[i].Store(int64(comment.ID))
			if r.IntN(2) == 0 {
				err = s.Discussion.RemoveComment(ctx, comment.ID)
			}
		}
		return err
	case n < 14:
		of := []moderation.Thing{{Kind: moderation.Event, ID: int64(e.ID())}, {Kind: moderation.Person, ID: int64(e.Author())}}[n%2]
		_, _, err := s.Moderation.Report(ctx, moderation.Report{By: who, Thing: of, Owner: e.Author(), Reason: moderation.Spam, Created: now})
		return err
	case n < 25:
		return s.Discussion.Like(ctx, event.NewLike(e.ID(), who, n%2 == 0, now), charge(ratelimit.Like))
	case n < 33:
		sub, err := subscription.ToUser(who, c.people[r.IntN(len(c.people))], now)
		if err != nil {
			return nil
		}
		sub, _, err = s.Subscriptions.Follow(ctx, sub)
		if err == nil && r.IntN(2) == 0 {
			err = s.Subscriptions.Remove(ctx, who, sub.ID)
		}
		return err
	case n < 37:
		list, err := s.Notifications.List(ctx, who, page.CursorRequest{})
		if err != nil || len(list.Items) == 0 {
			return err
		}
		return s.Notifications.MarkRead(ctx, who, list.Items[r.IntN(len(list.Items))].ID)
	case n < 38:
		_, err := s.Sweep(ctx, now.Add(24*time.Hour)) // of withdrawn ones
		return err
	case n < 40:
		if _, err := s.Events.Remove(ctx, e.ID()); err != nil {
			return err
		}
		return c.write(s, i)
	case n < 42:
		_, err := s.Images.Add(ctx, userimage.New(who, "public/a", 1, 1, 0, userimage.Tags{}, now), c.limits.Upload(int64(who), 1, now)...)
		return err
	case n < 43:
		return s.Directory.SetAvatar(ctx, who, media.Picture{Key: "public/b"}, 0, c.limits.Upload(int64(who), 1, now)...)
	case n < 45:
		_, err := s.Events.Change(ctx, e.ID(), func(e *event.Event) error {
			for _, p := range e.State().Plates {
				if _, err := e.RemovePlate(p.ID, now); err != nil {
					return err
				}
			}
			return e.AddPlate(event.Plate{Photo: "private/a"}, now)
		}, c.limits.Upload(int64(who), 1, now)...)
		return err
	default:
		read, err := s.Events.Get(ctx, e.ID())
		if n == 45 {
			read = c.old // was changed since then, so that Change follows
		}
		if err == nil {
			_, err = s.Events.ChangeRead(ctx, read, func(e *event.Event) error {
				return e.Apply(event.Change{Title: new(fmt.Sprint(r.Int())), Publish: new(n < 47)}, now)
			}, charge(ratelimit.Like))
		}
		return err
	}
}

// moderate hides or restores an event, a comment, an image, a plate or a profile at random, or disables or enables an account.
func (c *crowd) moderate(s *bunstore.Store, r *rand.Rand) error {
	i := r.IntN(len(c.events))
	if r.IntN(4) == 0 {
		return s.Accounts.Change(c.acting(), c.people[i%3], func(a *access.Account) error {
			a.Disabled = !a.Disabled
			return nil
		})
	}
	var plate int64
	if e, err := s.Events.Get(c.t.Context(), c.events[i].Load().ID()); err == nil && len(e.State().Plates) > 0 {
		plate = int64(e.State().Plates[0].ID)
	}
	of := []moderation.Thing{
		{Kind: moderation.Event, ID: int64(c.events[i].Load().ID())}, {Kind: moderation.Comment, ID: c.said[i].Load()},
		{Kind: moderation.Image, ID: int64(1 + r.IntN(2))}, {Kind: moderation.Plate, ID: plate},
		{Kind: moderation.Profile, ID: int64(c.people[r.IntN(len(c.people))])},
	}[r.IntN(5)]
	pictures, wasHidden, err := s.Moderation.Pictures(c.t.Context(), of)
	if err != nil {
		return err
	}
	return media.Move(c.t.Context(), noFiles{}, s.Deletions, pictures, of.Audience(!wasHidden), time.Now(),
		func(to media.Moves) error { return c.turn(s, of, to, !wasHidden) })
}

// acting is the context of an act of staff, which writes a record.
func (c *crowd) acting() context.Context {
	act := audit.OnAccount(audit.AccountDisabled, c.people[0])
	act.At, act.By = time.Now(), audit.Actor{Staff: c.people[11]}
	return audit.With(c.t.Context(), act)
}

func (c *crowd) turn(s *bunstore.Store, of moderation.Thing, to media.Moves, isHidden bool) error {
	if isHidden {
		return s.Moderation.Hide(c.acting(), moderation.Hiding{Thing: of, Reason: "Rude", At: time.Now()}, to)
	}
	return s.Moderation.Restore(c.t.Context(), of, to)
}

// noFiles is a store that has no picture.
type noFiles struct{ media.Store }

func (noFiles) Open(context.Context, media.Key) (media.File, error) {
	return media.File{}, media.ErrNotFound
}
func (noFiles) Remove(context.Context, media.Key) error { return nil }

// actAtOnce lets all people act so often, while staff hide and restore on each server, and checks what the store derives.
func (c *crowd) actAtOnce(rounds int) {
	c.t.Helper()
	var all sync.WaitGroup
	refusals := []error{user.ErrProfileHidden, event.ErrNoReplied, moderation.ErrUncopied}
	for i, who := range c.people {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 0))
			for range rounds {
				switch err := c.act(c.servers[i%len(c.servers)], who, r); {
				case fault.Is(err, fault.Throttled):
					c.refused.Add(1)
				case !fault.Is(err, fault.NotFound) && !slices.ContainsFunc(refusals, func(is error) bool { return errors.Is(err, is) }):
					assert.NoError(c.t, err)
				}
			}
		})
	}
	expected := []error{nil, moderation.ErrHidden, moderation.ErrNotHidden, media.ErrMoving}
	for i, s := range c.servers {
		all.Go(func() {
			r, turned := rand.New(rand.NewPCG(uint64(i), 1)), 0
			for range rounds {
				err := c.moderate(s, r)
				if err == nil {
					turned++
				}
				if !fault.Is(err, fault.NotFound) && !slices.ContainsFunc(expected, func(is error) bool { return errors.Is(err, is) }) {
					assert.NoError(c.t, err)
				}
			}
			assert.NotZero(c.t, turned)
		})
	}
	all.Wait()
	assert.Positive(c.t, c.refused.Load())
	assertConsistent(c.t, c.servers[0])
}

func TestGEN14_NTF01_writers_at_once_on_one_server_leave_nothing_wrong(t *testing.T) {
	t.Parallel()
	const rounds = 80
	newCrowd(t, rounds, open(t, bunstore.MigratedSQLite(t))).actAtOnce(rounds)
}

func TestGEN14_NTF01_writers_at_once_on_two_servers_leave_nothing_wrong(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	const rounds = 150
	server := postgres.Start(t, "log_min_messages=warning", "log_min_error_statement=error", "deadlock_timeout=100ms")
	newCrowd(t, rounds, open(t, server.URL("postgres")), open(t, server.URL("postgres"))).actAtOnce(rounds)
	assert.NotContains(t, server.Log(), "ERROR:")
}

func TestMOD06_a_hidden_profile_has_its_picture(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s := open(t, at)
		of := moderation.Thing{Kind: moderation.Profile, ID: int64(member(t, s))}
		require.NoError(t, s.Directory.SetAvatar(t.Context(), user.ID(of.ID), media.Picture{Key: "public/a"}, 7))
		err := media.Move(t.Context(), noFiles{}, s.Deletions, []media.Key{"public/a"}, media.Viewers, time.Now(), func(to media.Moves) error {
			require.NoError(t, s.Moderation.Hide(t.Context(), moderation.Hiding{Thing: of, Reason: "Rude", At: noon}, to))
			found, err := s.Moderation.OfPicture(t.Context(), to.To["public/a"])
			assert.Equal(t, of, found)
			return err
		})
		require.NoError(t, err)
	})
}
