package bunstore

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/audit"
	"plaza/domain/event"
	"plaza/domain/idempotency"
	"plaza/domain/localisation"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// swept removes the rows that have expired by now.
func swept(t *testing.T, s *Store, now time.Time) {
	t.Helper()
	more, err := s.Sweep(t.Context(), now)
	require.NoError(t, err)
	require.False(t, more)
}

func TestSweep_ends_each_batch_and_goes_on_behind_a_failure(t *testing.T) {
	s, _ := openWithUser(t, engine.Options{URL: MigratedSQLite(t)})
	_, err := s.Writer.ExecContext(t.Context(), "DROP TABLE login_failures")
	require.NoError(t, err)
	texts := map[localisation.Key]string{}
	for i := range sweepMost + 1 {
		texts[localisation.Key{byte(i), byte(i >> 8)}] = "text"
	}
	require.NoError(t, s.Translations.Put(t.Context(), texts, noon))
	more, err := s.Sweep(audit.Reading(t.Context()), noon)
	require.ErrorIs(t, err, audit.ErrReading)
	assert.False(t, more, "what is rolled back would be due for ever")
	for _, want := range []struct {
		more bool
		left int64
	}{{true, 1}, {false, 0}} {
		more, err := s.Sweep(t.Context(), noon)
		assert.Equal(t, want.more, more)
		assert.Equal(t, 2, strings.Count(err.Error(), "login_failures"), err)
		left, err := s.Reader.NewSelect().Table("translations").Count(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want.left, left)
	}
}

func TestSweep_removes_what_has_expired_and_nothing_else(t *testing.T) {
	OnEach(t, func(t *testing.T, url string) {
		s, author := openWithUser(t, engine.Options{URL: url})
		e, other := eventAndOther(t, s, author)
		ctx, hourly := t.Context(), ratelimit.Limits{ratelimit.Upload: {Count: 1, Period: time.Hour}}
		for table, c := range map[string]struct {
			life  time.Duration
			store func(n int, at time.Time) error // stores one of two rows
		}{
			"translations": {localisation.CacheFor, func(n int, at time.Time) error {
				return s.Translations.Put(ctx, map[localisation.Key]string{{byte(n)}: "a text"}, at.Add(localisation.CacheFor))
			}},
			"translation_claims": {0, func(n int, at time.Time) error {
				return errorOf(s.Translations.Claim(ctx, localisation.Claim{Keys: []localisation.Key{{byte(2 + n)}}, Now: noon, Until: at}))
			}},
			"idempotency_keys": {idempotency.KeyLife, func(n int, at time.Time) error {
				return errorOf(s.Ledger.Reserve(ctx, idempotency.Key{User: author, Name: fmt.Sprint(n)}, at, at.Add(time.Minute)))
			}},
			"rate_limits": {time.Hour, func(n int, at time.Time) error {
				return s.PersonalData.Charge(ctx, hourly.Charge(int64([]user.ID{author, other}[n]), ratelimit.Upload, at))
			}},
			"notifications": {notification.KeptFor, func(_ int, at time.Time) error {
				return errorOfTwo(s.Discussion.AddComment(ctx, event.Comment{Event: e.ID(), Author: other, Content: "Oh", Created: at}))
			}},
		} {
			require.NoError(t, c.store(0, noon), table)
			require.NoError(t, c.store(1, noon.Add(time.Microsecond)), table)
			stored := func() int64 {
				n, err := s.Reader.NewSelect().Table(table).Count(ctx)
				require.NoError(t, err, table)
				return n
			}
			swept(t, s, noon.Add(c.life-time.Microsecond))
			assert.EqualValues(t, 2, stored(), table)
			swept(t, s, noon.Add(c.life))
			assert.EqualValues(t, 1, stored(), table)
		}
		unread, err := s.Notifications.Unread(ctx, author)
		require.NoError(t, err)
		assert.LessOrEqual(t, unread, 1)
		require.NoError(t, s.Check(ctx, false, func(f Finding) { assert.Fail(t, f.What) }))
	})
}

func TestSweep_removes_what_a_decided_case_keeps(t *testing.T) {
	OnEach(t, func(t *testing.T, url string) {
		s, owner := openWithUser(t, engine.Options{URL: url})
		for n := range 2 {
			require.NoError(t, decideAt(t, s, n, owner, noon.Add(time.Duration(n)*time.Microsecond)))
		}
		for i, left := range []int64{2, 1} {
			swept(t, s, noon.Add(moderation.KeptFor+time.Duration(i-1)*time.Microsecond))
			for _, table := range []string{"kept_versions", "kept_pictures"} {
				n, err := s.Reader.NewSelect().Table(table).Count(t.Context())
				require.NoError(t, err)
				assert.EqualValues(t, left, n, table)
			}
		}
		due, err := s.Deletions.Claim(t.Context(), noon, noon.AddDate(2, 0, 0), 10)
		require.NoError(t, err)
		assert.Equal(t, []media.Key{"private/public/0"}, due)
	})
}

// decideAt stores an image of the user, and a report of it that is decided then.
func decideAt(t *testing.T, s *Store, n int, owner user.ID, at time.Time) error {
	t.Helper()
	key := media.Key(fmt.Sprint("public/", n))
	i, err := s.Images.Add(t.Context(), userimage.New(owner, key, 1, 1, 1, userimage.Tags{}, noon))
	require.NoError(t, err)
	of := moderation.Thing{Kind: moderation.Image, ID: int64(i.ID)}
	r, _, err := s.Moderation.Report(t.Context(), moderation.Report{
		By: owner, Thing: of, Owner: owner, Reason: moderation.Spam, Created: noon,
		Copies: moderation.Copies{fmt.Sprint("image ", i.ID): "private/" + key},
	})
	require.NoError(t, err)
	return errorOf(s.Moderation.Decide(t.Context(), r.Case, at))
}

func TestSweep_passes_over_locked_rows(t *testing.T) {
	t.Parallel()
	s, _ := openWithUser(t, engine.Options{URL: MigratedPostgres(t)})
	texts := map[localisation.Key]string{{'a'}: "held", {'b'}: "free"}
	require.NoError(t, s.Translations.Put(t.Context(), texts, noon))
	other, err := s.Writer.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = other.ExecContext(t.Context(), "SELECT FROM translations WHERE content = 'held' FOR UPDATE")
	require.NoError(t, err)
	swept(t, s, noon)
	found, err := s.Translations.Get(t.Context(), []localisation.Key{{'a'}, {'b'}}, noon.Add(-time.Second))
	require.NoError(t, err)
	assert.Equal(t, map[localisation.Key]string{{'a'}: "held"}, found)
	require.NoError(t, other.Rollback())
	swept(t, s, noon)
	left, err := s.Reader.NewSelect().Table("translations").Count(t.Context())
	require.NoError(t, err)
	assert.Zero(t, left)
}
