package demo_test

import (
	"bytes"
	"context"
	"iter"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/jsonlines"
	"plaza/adapters/sanitiser"
	"plaza/application/signin"
	"plaza/bootstrap/demo"
	"plaza/domain/access"
	"plaza/domain/imported"
	"plaza/domain/secret"
	"plaza/domain/user"
)

func files(t *testing.T) []demo.File {
	t.Helper()
	all, _, err := demo.Files()
	require.NoError(t, err)
	return all
}

// records yields the records of the files with the names of their files.
func records(t *testing.T) iter.Seq2[string, imported.Record] {
	t.Helper()
	return func(yield func(string, imported.Record) bool) {
		for _, f := range files(t) {
			for line := range bytes.Lines(f.Content) {
				draft, err := jsonlines.Decoder{}.Decode(bytes.TrimSuffix(line, []byte("\n")))
				require.NoError(t, err, "%s: %s", f.Name, line)
				record, err := draft.Record(sanitiser.New())
				require.NoError(t, err, "%s: %s", f.Name, line)
				if !yield(f.Name, record) {
					return
				}
			}
		}
	}
}

func TestADM04_the_examples_show_every_kind_and_keep_every_rule(t *testing.T) {
	kinds := map[imported.Kind]string{}
	there := map[imported.Ref]bool{}
	for file, record := range records(t) {
		ref := record.Ref()
		assert.False(t, there[ref], "%v is there once", ref)
		for _, need := range record.Needs() {
			assert.True(t, there[need.Ref], "%v comes after %v", ref, need.Ref)
		}
		if in, is := kinds[ref.Kind]; is {
			assert.Equal(t, in, file, "%s records are together", ref.Kind)
		}
		there[ref], kinds[ref.Kind] = true, file
	}
	assert.Len(t, kinds, len(imported.Kinds()))
}

func TestADM04_the_examples_have_joined_authors(t *testing.T) {
	joined := map[string]time.Time{}
	authored := 0
	by := func(author string, created time.Time, title string) {
		authored++
		require.Contains(t, joined, author)
		assert.True(t, created.After(joined[author]), "%s writes %q before joining", author, title)
	}
	for _, record := range records(t) {
		switch r := record.(type) {
		case imported.UserRecord:
			joined[r.Source] = r.Joined
		case imported.PublicationRecord:
			by(r.By, r.Created, r.Title)
		case imported.NodeRecord:
			by(r.By, r.Created, r.Title)
		case imported.DemandRecord:
			by(r.By, r.Created, r.Title)
		case imported.HowToRecord:
			by(r.By, r.Created, r.Category)
		}
	}
	assert.Positive(t, authored)
}

func TestADM04_the_examples_are_the_same_each_time(t *testing.T) {
	assert.Equal(t, files(t), files(t))
	for _, f := range files(t) {
		assert.NotContains(t, string(f.Content), "plaza-demo", "passwords are not imported")
	}
}

// joined opens an account that is not of the demo data and has a phone number of it.
func joined(t *testing.T, p demo.Ports, phone string) user.ID {
	t.Helper()
	door := signin.New(p.Accounts, p.Tokens, p.Throttle, p.Hasher, p.Strength, 0, nil, today, func(context.Context) *slog.Logger { return slog.New(slog.DiscardHandler) })
	id, err := door.Register(t.Context(), signin.Registration{
		Username: phone, Password: secret.New("my own words"), Member: user.Member{Firstname: "Somebody"},
	})
	require.NoError(t, err)
	return id
}

func TestLoadRefusesTakenPhone(t *testing.T) {
	p := emptyFixture().ports
	id := joined(t, p, "+34-600000003")
	before, err := p.Accounts.ByID(t.Context(), id)
	require.NoError(t, err)
	require.ErrorIs(t, demo.Load(t.Context(), p), access.ErrPhoneTaken)
	after, err := p.Accounts.ByID(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	all, err := p.Accounts.List(t.Context(), 0, 10)
	require.NoError(t, err)
	assert.Len(t, all, 1, "nothing is written")
}
