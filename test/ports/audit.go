package ports

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// Audit is the suite of audit.Log, and of what the other ports do for it.
func Audit(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Append stores the record with the names of then, and returns it with its ID", auditAppended},
		{"the first change under a context writes the record that it carries, whichever port makes it, and no later change does", auditWritten},
		{"a change that fails, or is rolled back, writes none, and the next one does", auditFailed},
		{"of many changes at once one writes it", auditAtOnce},
		{"an object that the act makes is in the record, with the person whom it belongs to", auditMade},
		{"under a context of Reading each change is refused", auditReading},
	})
}

// audited returns all audit records, the newest first.
func (w *fixtures) audited() []audit.Record {
	list, err := w.Stores.Audit.List(w.Context(), audit.Query{CursorRequest: page.Behind(page.Cursor{}, page.MaxSize)})
	require.NoError(w, err)
	return list.Items
}

// acting returns a context that carries the record of a person at the command line.
func (w *fixtures) acting(r audit.Record) context.Context {
	r.At, r.By = noon, audit.Actor{Person: "maria"}
	return audit.With(w.Context(), r)
}

func auditAppended(w *fixtures) {
	staff, ada := w.newUser(), w.newUser()
	r := audit.OnAccount(audit.AccountExported, ada)
	r.At, r.By, r.Reason = noon, audit.Actor{Staff: staff}, "O'Brien 🀄"
	stored, err := w.Stores.Audit.Append(w.Context(), r)
	require.NoError(w, err)
	assert.NotZero(w, stored.ID)
	r.ID, r.ByName, r.AboutName = stored.ID, w.member(staff).FullName(), w.member(ada).FullName()
	assert.Equal(w, r, stored)
	assert.Equal(w, []audit.Record{r}, w.audited())
}

// auditedChanges are changes of a few ports under the context.
func (w *fixtures) auditedChanges(of user.ID) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Accounts": func(ctx context.Context) error {
			return w.Accounts.Change(ctx, of, func(a *access.Account) error { a.Disabled = true; return nil })
		},
		"Ledger": func(ctx context.Context) error {
			_, err := w.Ledger.AddOrder(ctx, order(of, noon), nil)
			return err
		},
		"Imports": func(ctx context.Context) error {
			root := imported.CategoryRecord{Category: feed.Category{ID: 1, Name: "Root", Slug: "root"}}
			_, err := w.Imports.Apply(ctx, imported.Batch{Import: "one", Records: []imported.Record{root}})
			return err
		},
		"Tokens": func(ctx context.Context) error {
			_, err := w.Tokens.Issue(ctx, token(of, 1))
			return err
		},
		"Notifications": func(ctx context.Context) error { return w.Notifications.MarkRead(ctx, of, 1) },
	}
}

func auditWritten(w *fixtures) {
	ada := w.newUser()
	for port, change := range w.auditedChanges(ada) {
		before := len(w.audited())
		r := audit.OnAccount(audit.Repaired, ada)
		r.Reason = port
		ctx := w.acting(r)
		assert.Zero(w, audit.Carried(ctx).ID, port)
		require.NoError(w, change(ctx), port)
		require.NoError(w, w.Accounts.Change(ctx, ada, func(a *access.Account) error { a.Disabled = false; return nil }), port)
		require.NoError(w, audit.Complete(ctx, w.Stores.Audit), port)
		all := w.audited()
		require.Len(w, all, before+1, port)
		assert.Equal(w, w.member(ada).FullName(), all[0].AboutName, port)
		all[0].AboutName = "" // which the caller does not need
		r.ID, r.At, r.By = all[0].ID, noon, audit.Actor{Person: "maria"}
		assert.Equal(w, r, all[0], port)
		assert.Equal(w, all[0], audit.Carried(ctx), port)
		aside := audit.Without(w.acting(r))
		require.NoError(w, w.Accounts.Change(aside, ada, func(a *access.Account) error { a.Disabled = false; return nil }), port)
		assert.Len(w, w.audited(), before+1, port)
	}
}

func auditFailed(w *fixtures) {
	ada := w.newUser()
	ctx := w.acting(audit.OnAccount(audit.AccountDisabled, ada))
	require.ErrorIs(w, w.Accounts.Change(ctx, ada, func(a *access.Account) error { a.Disabled = true; return errBoom }), errBoom)
	require.ErrorIs(w, w.Accounts.Change(ctx, ada+1, func(*access.Account) error { return nil }), access.ErrNoAccount)
	require.ErrorIs(w, w.Tokens.Revoke(ctx, 99), access.ErrNoSession)
	_, err := w.Ledger.AddOrder(ctx, order(ada+1, noon), nil)
	require.Error(w, err)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	require.Error(w, w.Accounts.Change(ended, ada, func(*access.Account) error { return nil }))
	assert.Empty(w, w.audited())
	assert.False(w, w.account(ada).Disabled)
	require.NoError(w, w.Accounts.Change(ctx, ada, func(a *access.Account) error { a.Disabled = true; return nil }))
	assert.Len(w, w.audited(), 1)
	assert.True(w, w.account(ada).Disabled)
}

func auditAtOnce(w *fixtures) {
	ada := w.newUser()
	ctx := w.acting(audit.OnAccount(audit.PasswordSet, ada))
	w.succeed(atOnce(many, func(i int) error {
		return w.Accounts.Change(ctx, ada, func(a *access.Account) error { a.Hash = fmt.Sprint("hash ", i); return nil })
	}))
	assert.Len(w, w.audited(), 1)
}

func auditMade(w *fixtures) {
	made := func(act audit.Act, k audit.Kind, fn func(ctx context.Context) (id int64)) {
		ctx := w.acting(audit.Record{Act: act, Object: audit.Object{Kind: k}})
		want := audit.Numbered(k, fn(ctx))
		assert.Equal(w, want, w.audited()[0].Object, k)
	}
	var ada user.ID
	made(audit.AccountCreated, audit.Account, func(ctx context.Context) int64 {
		id, err := w.Accounts.Open(ctx, access.Account{Phone: phone(77), Hash: "hash"}, user.Member{Timezone: "UTC", Joined: noon})
		require.NoError(w, err)
		ada = id
		return int64(id)
	})
	assert.Equal(w, ada, w.audited()[0].About)
	made(audit.TokenIssued, audit.Token, func(ctx context.Context) int64 {
		id, err := w.Tokens.Issue(ctx, token(ada, 1))
		require.NoError(w, err)
		return int64(id)
	})
	assert.Equal(w, ada, w.audited()[0].About)
	var o payment.Order
	made(audit.OrderCreated, audit.Order, func(ctx context.Context) (id int64) {
		var err error
		o, err = w.Ledger.AddOrder(ctx, order(ada, noon), nil)
		require.NoError(w, err)
		return int64(o.ID)
	})
	assert.Equal(w, ada, w.audited()[0].About)
	entries, err := w.Ledger.Journal(w.Context(), o.ID)
	require.NoError(w, err)
	assert.Len(w, entries, 1, "the change itself is whole")
	w.pays(o.ID, "paid", "transaction", noon)
	paid := w.traded(o.ID).Payments[0].ID
	made(audit.RefundOrdered, audit.Refund, func(ctx context.Context) int64 {
		account, err := w.Ledger.ChangeRefunds(ctx, paid, func(a *payment.RefundAccount) error {
			amount := int64(100)
			return a.Request(payment.RefundDraft{Payment: paid, Amount: &amount, Reason: "Cold", Origin: payment.RefundByCommand}, "refund", noon)
		})
		require.NoError(w, err)
		return int64(account.Refunds[0].ID)
	})
	assert.Equal(w, ada, w.audited()[0].About)
}

func auditReading(w *fixtures) {
	ada := w.newUser()
	before := w.account(ada)
	for port, change := range w.auditedChanges(ada) {
		require.ErrorIs(w, change(audit.Reading(w.Context())), audit.ErrReading, port)
	}
	assert.Equal(w, before, w.account(ada))
	orders, err := w.Ledger.Orders(w.Context(), payment.OrderFilter{User: ada}, page.Request{})
	require.NoError(w, err)
	assert.Empty(w, orders.Items)
	assert.Empty(w, w.audited())
	_, err = w.Accounts.ByID(audit.Reading(w.Context()), ada)
	require.NoError(w, err)
}
