package bunstore

import (
	"slices"
	"time"

	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// listedKinds are the kinds of imported records that are listed.
var listedKinds = map[imported.Kind]feed.Kind{imported.Publication: feed.Publication, imported.Node: feed.Node, imported.Demand: feed.Demand}

var bundleTable = table[publication.Bundle]{"bundles", 1, columns[publication.Bundle]{
	plain("id", func(b *publication.Bundle) *int64 { return (*int64)(&b.ID) }),
	optional("first_original_id", func(b *publication.Bundle) *int64 { return (*int64)(&b.FirstOriginal) }),
	optional("original_id", func(b *publication.Bundle) *int64 { return (*int64)(&b.Original) }),
}}

// lineColumns are the columns of a new waiting line.
var lineColumns = []string{"file", "number", "kind", "source", "raw"}

// account is a stored account, or a new one.
type account struct {
	source  string // empty unless imported
	phone   string
	parsed  user.Phone // the phone, of a stored account
	adopted bool
	user.Member
}

// accountColumns are the columns that imports read and add. accountBlanks are those that
// they add without a value.
var (
	accountColumns = append(columns[account]{
		optional("source", func(a *account) *string { return &a.source }),
		plain("phone", func(a *account) *string { return &a.phone }),
		plain("adopted", func(a *account) *bool { return &a.adopted }),
	}, profileColumns(func(a *account) *user.Member { return &a.Member })...)
	accountBlanks = columns[account]{
		plain("password_hash", func(*account) *string { return new(string) }),
		list("scopes", func(*account) *[]string { return new([]string) }),
		plain("staff", func(*account) *bool { return new(bool) }),
		plain("disabled", func(*account) *bool { return new(bool) }),
		plain("generation", func(*account) *int64 { return new(int64) }),
	}
	newAccounts = table[account]{"users", 1, slices.Concat(accountColumns, accountBlanks)}
)

// profileColumns are the columns of users that members see and imports change.
func profileColumns[R any](of func(*R) *user.Member) columns[R] {
	return columns[R]{
		plain("firstname", func(r *R) *string { return &of(r).Firstname }),
		plain("lastname", func(r *R) *string { return &of(r).Lastname }),
		plain("expertise", func(r *R) *string { return &of(r).Expertise }),
		plain("location", func(r *R) *string { return &of(r).Location }),
		plain("timezone", func(r *R) *string { return &of(r).Timezone }),
		moment("joined", func(r *R) *time.Time { return &of(r).Joined }),
	}
}

// memberColumns are those of profileColumns for a member alone.
var memberColumns = profileColumns(func(m *user.Member) *user.Member { return m })

// tableChanges are rows that a batch adds to a table, and steps that change others.
type tableChanges struct {
	added   [][]any
	changed []step
}

// put adds the row with the values, or changes it by the statement if it exists.
func (c *tableChanges) put(values []any, exists bool, update string) {
	if exists {
		c.changed = append(c.changed, step{statement: update, args: values})
	} else {
		c.added = append(c.added, values)
	}
}
