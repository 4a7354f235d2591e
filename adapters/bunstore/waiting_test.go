package bunstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/event"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/personaldata"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// other is a transaction beside a call of the store, in a database of Postgres.
type other struct {
	*sql.Tx
	t  *testing.T
	db *sql.DB
}

// aside begins a transaction that runs the statements.
func aside(t *testing.T, db *sql.DB, statements ...string) other {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { tx.Rollback() })
	o := other{tx, t, db}
	o.run(statements...)
	return o
}

func (o other) run(statements ...string) {
	o.t.Helper()
	for _, statement := range statements {
		_, err := o.ExecContext(o.t.Context(), statement)
		require.NoError(o.t, err, statement)
	}
}

// delays returns when the call waits for a lock, as the last of so many, with what will become of it.
func (o other) delays(call func() error, waiting int) <-chan error {
	o.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- call() }()
	require.Eventually(o.t, func() bool { return column[int](o.t, o.db, bunstore.Waiting)[0] == waiting }, eventually, time.Millisecond)
	return ended
}

// onPostgres returns a store, and a connection to its database beside it.
func onPostgres(t *testing.T) (*bunstore.Store, *sql.DB) {
	t.Helper()
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	at := bunstore.MigratedPostgres(t)
	return open(t, at), rawSQL(t, at)
}

// twoPeople opens two accounts.
func twoPeople(t *testing.T, s *bunstore.Store) (one, two user.ID) {
	t.Helper()
	require.NoError(t, openAccount(t, s))
	require.NoError(t, openAccount(t, s))
	return 1, 2
}

func TestOne_of_two_that_wait_for_each_other_tries_again(t *testing.T) {
	s, db := onPostgres(t)
	written, err := s.Events.Add(t.Context(), listedEvent(t, member(t, s), "Before"))
	require.NoError(t, err)
	o := aside(t, db, "SET LOCAL deadlock_timeout = '1min'", // so that Postgres aborts the store's transaction
		"SELECT FROM feed_counters FOR UPDATE")
	changed := o.delays(func() error {
		_, err := s.Events.Change(t.Context(), written.ID(), func(e *event.Event) error {
			return e.Apply(event.Change{Title: new("After"), Publish: new(false)}, time.Now())
		})
		return err
	}, 1)
	lock := fmt.Sprintf("SELECT FROM events WHERE id = %d FOR UPDATE", written.ID())
	_, err = db.ExecContext(t.Context(), lock+" NOWAIT")
	require.Equal(t, "55P03", refusalOf(err), "the store must hold what the other is to wait for")
	o.run(lock)
	require.NoError(t, o.Commit())
	require.NoError(t, <-changed)
	found, err := s.Events.Get(t.Context(), written.ID())
	require.NoError(t, err)
	assert.Equal(t, "After", found.Text().Title)
	assertConsistent(t, s)
}

func TestA_lock_that_is_never_given_back_costs_no_more_than_the_limit(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	bunstore.OnEach(t, func(t *testing.T, at string) {
		holder := open(t, at)
		s := bunstore.Opened(t, bunstore.Options{URL: at, Limit: time.Second})
		written, err := s.Events.Add(t.Context(), listedEvent(t, member(t, holder), "Before"))
		require.NoError(t, err)
		rename := func() error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			_, err := s.Events.Change(ctx, written.ID(), func(e *event.Event) error {
				return e.Apply(event.Change{Title: new("After")}, time.Now())
			})
			return err
		}
		tx, err := holder.Writer.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		_, err = tx.ExecContext(t.Context(), "UPDATE events SET title = title")
		require.NoError(t, err)
		assert.ErrorIs(t, rename(), engine.ErrAway, "it ends by the store's limit, not by the caller's")
		_, err = s.Events.Get(t.Context(), written.ID())
		assert.NoError(t, err, "readers do not wait for locks")
		require.NoError(t, tx.Rollback())
		assert.NoError(t, rename())
	})
}

func TestNTF02_a_notification_that_is_committed_later_has_a_greater_number(t *testing.T) {
	s, db := onPostgres(t)
	author, reader := twoPeople(t, s)
	e, err := s.Events.Add(t.Context(), listedEvent(t, author, "An event"))
	require.NoError(t, err)
	const follow = "INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires) SELECT 1, 'follow', %d, 1, now(), now()"
	o := aside(t, db, fmt.Sprintf(follow, 101))
	commented := o.delays(func() error {
		_, _, err := s.Discussion.AddComment(t.Context(), event.Comment{Event: e.ID(), Author: reader, Content: "Oh", Created: noon})
		return err
	}, 1)
	o.run(fmt.Sprintf(follow, 102))
	require.NoError(t, o.Commit())
	require.NoError(t, <-commented)
	assert.Equal(t, []string{"follow", "follow", "comment"}, column[string](t, db, "SELECT kind FROM notifications ORDER BY id"))
}

func TestNTF01_erased_events_lock_all_their_counts_before_those_of_notifications(t *testing.T) {
	s, db := onPostgres(t)
	author, reader := twoPeople(t, s)
	for range 4 {
		_, err := s.Events.Add(t.Context(), listedEvent(t, author, "An event"))
		require.NoError(t, err)
	}
	_, _, err := s.Discussion.AddComment(t.Context(), event.Comment{Event: 1, Author: reader, Content: "Oh", Created: noon})
	require.NoError(t, err)
	o := aside(t, db, "SELECT FROM event_counts WHERE event_id = 4 FOR UPDATE")
	erased := o.delays(func() error {
		_, err := s.PersonalData.Erase(t.Context(), author, personaldata.Events, 10)
		return err
	}, 1)
	_, err = o.ExecContext(t.Context(), "SELECT FROM notification_counts FOR UPDATE NOWAIT")
	assert.NoError(t, err, "who comments on the last event needs them next")
	require.NoError(t, o.Rollback())
	require.NoError(t, <-erased)
	assertConsistent(t, s)
}

// Each of these has what the second transaction needs next, when the call waits for what that has: the call must not hold it.
func TestWriters_that_wait_hold_nothing_that_the_others_take_later(t *testing.T) {
	reported := moderation.Thing{Kind: moderation.Event, ID: 1}
	hideEvent := func(ctx context.Context, s *bunstore.Store) error {
		return s.Moderation.Hide(ctx, moderation.Hiding{Thing: reported, Reason: "Rude", At: noon}, media.Moves{})
	}
	for name, c := range map[string]struct {
		has, next string // of the other transaction
		call      func(ctx context.Context, s *bunstore.Store) error
	}{
		"MOD-05 the audit record of a decision refers to the account of the case": {
			"SELECT FROM report_cases FOR UPDATE", "SELECT FROM users WHERE id = 1 FOR KEY SHARE NOWAIT",
			func(ctx context.Context, s *bunstore.Store) error {
				return s.Accounts.Change(ctx, 1, func(a *access.Account) error {
					a.Disabled = true
					return nil
				})
			},
		},
		"MOD-03 a removal of an event locks the notifications of its author, and then the counts of the feed": {
			"SELECT FROM notification_counts WHERE owner_id = 1 FOR UPDATE", "SELECT FROM feed_counters FOR UPDATE NOWAIT", hideEvent,
		},
		"NTF-03 a reply locks the counts of the author, and then those of another user": {
			"SELECT FROM notification_counts WHERE owner_id = 1 FOR UPDATE",
			"SELECT FROM notification_counts WHERE owner_id = 2 FOR UPDATE NOWAIT", hideEvent,
		},
		"another server stores a use of the second token and that its user was seen": {
			"SELECT FROM token_uses WHERE token_id = 2 FOR UPDATE", "SELECT FROM presence FOR UPDATE NOWAIT",
			func(ctx context.Context, s *bunstore.Store) error {
				one := access.Sighting{At: noon.Add(time.Hour), Session: access.Session{Token: access.Token{ID: 1, User: 1}}}
				two := one
				two.ID = 2
				return s.Tokens.Touch(ctx, one, two)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, db := onPostgres(t)
			author, reader := twoPeople(t, s)
			e, err := s.Events.Add(t.Context(), listedEvent(t, author, "An event"))
			require.NoError(t, err)
			_, _, err = s.Discussion.AddComment(t.Context(), event.Comment{Event: e.ID(), Author: reader, Content: "Oh", Created: noon})
			require.NoError(t, err)
			for _, of := range []moderation.Thing{reported, {Kind: moderation.Person, ID: int64(author)}} {
				_, _, err := s.Moderation.Report(t.Context(), moderation.Report{
					By: reader, Thing: of, Owner: author, Reason: moderation.Spam, Created: noon})
				require.NoError(t, err)
			}
			execute(t, db, "INSERT INTO notification_counts (owner_id) VALUES (2)")
			for n := range byte(2) {
				_, err := s.Tokens.Issue(t.Context(), access.Token{User: author, Hash: access.KeyHash{n}, Created: noon, Used: noon})
				require.NoError(t, err)
			}
			execute(t, db, "INSERT INTO presence (user_id, seen) VALUES (1, '2026-01-01')")
			o := aside(t, db, c.has)
			act := audit.OnAccount(audit.AccountDisabled, author)
			act.At, act.By = noon, audit.Actor{Staff: reader}
			ctx := audit.With(t.Context(), act)
			called := o.delays(func() error { return c.call(ctx, s) }, 1)
			_, err = o.ExecContext(t.Context(), c.next)
			assert.NoError(t, err)
			require.NoError(t, o.Rollback())
			require.NoError(t, <-called)
			assertConsistent(t, s)
		})
	}
}

// An erasure finds a person's records before it locks out imports, which may give them to another author meanwhile.
func TestUSR07_records_that_have_another_author_by_now_stay(t *testing.T) {
	s, db := onPostgres(t)
	author, _ := twoPeople(t, s)
	execute(t, db, `INSERT INTO nodes (id, title, summary, author_id, language, published, deleted, created, updated)
		SELECT n, 'A title', '', 1, 'en', TRUE, FALSE, now(), now() FROM generate_series(7, 8) n`)
	o := aside(t, db, "SELECT pg_advisory_xact_lock(hashtextextended('imports', 0))", "UPDATE nodes SET author_id = 2 WHERE id = 8")
	erased := o.delays(func() error {
		_, err := s.PersonalData.Erase(t.Context(), author, personaldata.Nodes, 10)
		return err
	}, 1)
	require.NoError(t, o.Commit())
	require.NoError(t, <-erased)
	assert.Equal(t, []int{8}, column[int](t, db, "SELECT id FROM nodes"))
}

// An import finds accounts before it changes them.
func TestUSR07_an_import_gives_no_name_to_a_user_that_was_erased_meanwhile(t *testing.T) {
	for name, isImported := range map[string]bool{"imported": true, "adopted": false} {
		t.Run(name, func(t *testing.T) {
			s, db := onPostgres(t)
			id := member(t, s)
			accounts, err := s.Accounts.AccountsOf(t.Context(), []user.ID{id})
			require.NoError(t, err)
			store := func(name string) error {
				_, err := s.Imports.Apply(t.Context(), imported.Batch{Records: []imported.Record{imported.UserRecord{
					Source: "u1", Phone: accounts[0].Phone, Member: user.Member{Firstname: name, Timezone: "UTC", Joined: noon},
				}}})
				return err
			}
			if isImported {
				require.NoError(t, store("Before"))
			}
			o := aside(t, db, fmt.Sprintf("UPDATE users SET phone = '%s', firstname = ''", user.ErasedPhone(id)), "DELETE FROM name_prefixes")
			stored := o.delays(func() error { return store("After") }, 1)
			require.NoError(t, o.Commit())
			require.NoError(t, <-stored)
			assert.Equal(t, []string{""}, column[string](t, db, "SELECT firstname FROM users"))
			assert.Empty(t, column[string](t, db, "SELECT prefix FROM name_prefixes"))
		})
	}
}

func TestMOD03_a_key_is_not_reserved_while_another_caller_moves_a_picture_there(t *testing.T) {
	s, db := onPostgres(t)
	image, err := s.Images.Add(t.Context(), userimage.New(member(t, s), "private/a", 1, 1, 7, userimage.Tags{}, time.Now()))
	require.NoError(t, err)
	to := media.NewMoves([]media.Key{image.Key}, media.Everyone, time.Now())
	require.NoError(t, to.Reserve(t.Context(), s.Deletions))
	o := aside(t, db, fmt.Sprintf("SELECT FROM users WHERE id = %d FOR UPDATE", image.Owner))
	hidden := o.delays(func() error {
		return s.Moderation.Hide(t.Context(), moderation.Hiding{
			Thing: moderation.Thing{Kind: moderation.Image, ID: int64(image.ID)}, Reason: "Rude", At: time.Now(),
		}, to)
	}, 1)
	reserved := o.delays(func() error { return to.Reserve(t.Context(), s.Deletions) }, 2)
	require.NoError(t, o.Rollback())
	require.NoError(t, <-hidden)
	assert.ErrorIs(t, <-reserved, media.ErrMoving)
}

func TestKept_returns_what_another_server_stores_at_the_same_time(t *testing.T) {
	s, db := onPostgres(t)
	o, text := aside(t, db, "INSERT INTO secrets (name, content) VALUES ('x', 'a')"), ""
	kept := o.delays(func() (err error) {
		text, err = s.Kept(t.Context(), "x", "b")
		return err
	}, 1)
	require.NoError(t, o.Commit())
	require.NoError(t, <-kept)
	assert.Equal(t, "a", text)
}

// Another transaction takes away what the write needs, while the write waits for it.
func TestGEN14_what_a_charge_pays_for_stays_until_it_is_written(t *testing.T) {
	s, db := onPostgres(t)
	author, ctx := member(t, s), t.Context()
	charge := ratelimit.Limits{ratelimit.Comment: {Count: 10, Period: time.Hour}}.Charge(int64(author), ratelimit.Comment, noon)
	for name, c := range map[string]struct {
		taken string
		call  func(e event.Entry) error
		want  error
		paid  time.Duration
	}{
		"a comment": {"DELETE FROM event_counts", func(e event.Entry) error {
			_, _, err := s.Discussion.AddComment(ctx, event.Comment{Event: e.ID(), Author: author, Content: "One", Created: noon}, charge)
			return err
		}, event.ErrNotFound, 0},
		"a like": {"DELETE FROM event_counts", func(e event.Entry) error {
			return s.Discussion.Like(ctx, event.NewLike(e.ID(), author, true, noon), charge)
		}, event.ErrNotFound, 0},
		"an edit": {"UPDATE events SET revision = revision + 1", func(e event.Entry) error {
			_, err := s.Events.ChangeRead(ctx, e, func(e *event.Event) error { return e.Apply(event.Change{Title: new("After")}, noon) }, charge)
			return err
		}, nil, charge.Cost()},
	} {
		execute(t, db, "DELETE FROM rate_limits")
		added, err := s.Events.Add(ctx, listedEvent(t, author, "Before"))
		require.NoError(t, err)
		read, err := s.Events.Get(ctx, added.ID())
		require.NoError(t, err)
		o := aside(t, db, c.taken)
		written := o.delays(func() error { return c.call(read) }, 1)
		require.NoError(t, o.Commit())
		assert.ErrorIs(t, <-written, c.want, name)
		until := append(column[int64](t, db, "SELECT until FROM rate_limits"), noon.UnixMicro())[0]
		assert.Equal(t, noon.Add(c.paid), time.UnixMicro(until).UTC(), name)
	}
	assert.Equal(t, 1, strings.Count(strings.Join(column[string](t, db, "SELECT title FROM events"), " "), "After"))
}

func TestMOD05_a_report_that_opens_a_case_copies_what_another_case_kept(t *testing.T) {
	s, db := onPostgres(t)
	author, reader := twoPeople(t, s)
	image, err := s.Images.Add(t.Context(), userimage.New(author, "public/a", 1, 1, 7, userimage.Tags{}, noon))
	require.NoError(t, err)
	report := func(by user.ID, copies moderation.Copies) error {
		_, _, err := s.Moderation.Report(t.Context(), moderation.Report{By: by, Owner: author, Reason: moderation.Spam, Created: noon,
			Thing: moderation.Thing{Kind: moderation.Image, ID: int64(image.ID)}, Copies: copies})
		return err
	}
	require.NoError(t, report(reader, moderation.Copies{fmt.Sprint("image ", image.ID): "private/b"}))
	o := aside(t, db, "UPDATE report_cases SET decided = now(), outcome = 'dismissed'")
	reported := o.delays(func() error { return report(author, nil) }, 1)
	require.NoError(t, o.Commit())
	assert.ErrorIs(t, <-reported, moderation.ErrUncopied)
}
