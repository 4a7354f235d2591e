package audit_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/audit"
	"plaza/domain/page"
)

func TestPerson(t *testing.T) {
	got, err := audit.Person("  王丽 (Wang Li) ")
	require.NoError(t, err)
	assert.Equal(t, audit.Actor{Person: "王丽 (Wang Li)"}, got)
	for _, name := range []string{"staff", "user", "maria4", "4 account managers", "account", "Accounts 4 u", strings.Repeat("名", 100)} {
		_, err := audit.Person(name)
		assert.NoError(t, err, "%q", name)
	}
	for _, name := range []string{
		"", " ", "\u200b", "a\nb", "\xff", strings.Repeat("名", 101),
		"4", "#4", "(4)", "４", "account 4", "Account 4", "ACCOUNT4", "account #4", "staff 4", "4 staff", "uid: 4", "user_4", "account ４",
	} {
		_, err := audit.Person(name)
		assert.Error(t, err, "%q", name)
	}
}

// appended is a log that keeps what is appended.
type appended struct{ records []audit.Record }

func (l *appended) Append(_ context.Context, r audit.Record) (audit.Record, error) {
	r.ID = 7
	l.records = append(l.records, r)
	return r, nil
}

func (l *appended) List(context.Context, audit.Query) (page.CursorPage[audit.Record], error) {
	panic("unused")
}

func TestA_record_is_taken_by_one_transaction_until_that_fails(t *testing.T) {
	ctx := audit.With(t.Context(), audit.Record{Act: audit.OrderCreated, Object: audit.Object{Kind: audit.Order}})
	first := audit.Begin(ctx)
	require.NotNil(t, first)
	assert.Nil(t, audit.Begin(ctx), "taken")
	audit.Made(ctx, audit.Object{Kind: audit.Order, ID: "1"}, 5)
	audit.Made(ctx, audit.Object{Kind: audit.Account, ID: "9"}, 9)
	first.End(0)
	assert.Zero(t, audit.Carried(ctx).ID)

	second := audit.Begin(ctx)
	require.NotNil(t, second)
	audit.Made(ctx, audit.Object{Kind: audit.Order, ID: "2"}, 5)
	audit.Made(ctx, audit.Object{Kind: audit.Account, ID: "9"}, 9) // which the act is not about
	audit.Because(ctx, "Tea")
	r, err := second.Record()
	require.NoError(t, err)
	assert.Equal(t, audit.Record{Act: audit.OrderCreated, Object: audit.Object{Kind: audit.Order, ID: "2"}, About: 5, Reason: "Tea"}, r,
		"of the repetition")
	second.End(3)
	audit.Made(ctx, audit.Object{Kind: audit.Order, ID: "4"}, 6)
	r.ID = 3
	assert.Equal(t, r, audit.Carried(ctx))
	var log appended
	require.NoError(t, audit.Complete(ctx, &log))
	assert.Empty(t, log.records)
}

func TestComplete_appends_what_no_store_has_written(t *testing.T) {
	var log appended
	require.NoError(t, audit.Complete(t.Context(), &log))
	assert.Empty(t, log.records, "nothing is carried")
	ctx := audit.With(t.Context(), audit.OnAccount(audit.AccountExported, 5))
	for range 2 {
		require.NoError(t, audit.Complete(ctx, &log))
	}
	require.Len(t, log.records, 1)
	assert.Equal(t, log.records[0], audit.Carried(ctx))
}

func TestReading_refuses_changes_and_copies(t *testing.T) {
	ctx := audit.Reading(t.Context())
	for range 2 {
		_, err := audit.Begin(ctx).Record()
		require.ErrorIs(t, err, audit.ErrReading)
		audit.Begin(ctx).End(1)
	}
	require.ErrorIs(t, audit.CheckCopy(ctx), audit.ErrReading)
	assert.NoError(t, audit.CheckCopy(t.Context()))
	assert.NoError(t, audit.CheckCopy(audit.With(t.Context(), audit.Record{})))
	assert.Nil(t, audit.Begin(audit.Without(ctx)))
}
