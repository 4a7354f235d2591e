package imports

import (
	"github.com/uptrace/bun"

	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// importedUser is a user as imports see it.
type importedUser struct {
	people.AccountRow `bun:",extend"`
	Firstname         string
	Lastname          string
	Expertise         string
	Location          string
	Timezone          string
	Joined            engine.Time
	Source            string `bun:",nullzero"`
	Adopted           bool
	IsHidden          bool       `bun:",scanonly"` // staff have hidden the profile
	phone             user.Phone // of a stored one
}

func (u importedUser) member() user.Member {
	return user.Member{
		ID: u.ID, Firstname: u.Firstname, Lastname: u.Lastname, Expertise: u.Expertise, Location: u.Location, Timezone: u.Timezone,
		Joined: u.Joined.Time,
	}
}

func (u importedUser) account() *imported.ExistingAccount {
	return &imported.ExistingAccount{Source: u.Source, Phone: u.phone}
}

var (
	// usersOfSources finds the users with the ids $1 at the source, and those with the telephones $2.
	usersOfSources = engine.Both(`
		SELECT id, source, phone, adopted, firstname, lastname, expertise, location, timezone, joined,
			EXISTS (SELECT 1 FROM hidden_profiles h WHERE h.user_id = users.id) AS is_hidden
		FROM users
		WHERE source = ANY($1) OR replace(phone, '-', '') = ANY($2)`)

	// bundlesOf finds the bundles of $1.
	bundlesOf = engine.Both(`
		SELECT id, first_original_id, original_id FROM bundles WHERE id = ANY($1)`)
)

// importState is the stored state that decides which records can be stored.
type importState struct {
	users   map[string]importedUser // by their ids at the source
	holders map[string]importedUser // by their telephones
	bundles map[publication.BundleID]publication.Bundle
	parents map[feed.CategoryID]feed.CategoryID // of all categories
}

// reads returns the reads of the state that concerns the records and refs.
func (t *importState) reads(db *engine.DB, records []imported.Record, refs []imported.Ref) []engine.Step {
	*t = importState{
		users: map[string]importedUser{}, holders: map[string]importedUser{},
		bundles: map[publication.BundleID]publication.Bundle{}, parents: map[feed.CategoryID]feed.CategoryID{},
	}
	var sources, telephones []string
	var bundles []int64
	for _, r := range records {
		refs = append(refs, r.Ref())
		if u, is := r.(imported.UserRecord); is {
			telephones = append(telephones, u.Phone.E164())
		}
	}
	for _, ref := range refs {
		switch ref.Kind {
		case imported.User:
			sources = append(sources, ref.ID)
		case imported.Bundle:
			bundles = append(bundles, ref.Number())
		}
	}
	return []engine.Step{
		t.readUsers(db, sources, telephones),
		engine.Each(db, func(row *bundleRow) error {
			t.bundles[row.ID] = row.bundle()
			return nil
		}, db.Pick(bundlesOf), bundles),
		engine.Each(db, func(row *feedstore.CategoryRow) error {
			t.parents[row.ID] = row.ParentID
			return nil
		}, "SELECT id, parent_id FROM categories"),
	}
}

// readUsers returns the read of the users with the ids at the source, and of those with the telephones.
func (t *importState) readUsers(db *engine.DB, sources, telephones []string) engine.Step {
	return engine.Each(db, func(row *importedUser) error {
		var err error
		row.phone, err = people.PhoneOf(row.Phone)
		if t.holders[row.phone.E164()] = *row; row.Source != "" {
			t.users[row.Source] = *row
		}
		return err
	}, db.Pick(usersOfSources), sources, telephones)
}

// known returns those of the refs of users, categories and bundles that were read.
func (t *importState) known(refs []imported.Ref) map[imported.Ref]bool {
	known := map[imported.Ref]bool{}
	for _, ref := range refs {
		is := false
		switch ref.Kind {
		case imported.User:
			u, has := t.users[ref.ID]
			is = has && !u.phone.IsErased()
		case imported.Bundle:
			_, is = t.bundles[publication.BundleID(ref.Number())]
		case imported.Category:
			_, is = t.parents[feed.CategoryID(ref.Number())]
		}
		if is {
			known[ref] = true
		}
	}
	return known
}

// accountsOf returns the account of the user and the account that has the user's phone.
func (t *importState) accountsOf(p imported.UserRecord) (own, holder *imported.ExistingAccount) {
	if u, is := t.users[p.Source]; is {
		own = u.account()
	}
	if u, is := t.holders[p.Phone.E164()]; is {
		holder = u.account()
	}
	return own, holder
}

// bundle returns the stored bundle.
func (t *importState) bundle(id publication.BundleID) publication.Bundle {
	b := t.bundles[id]
	b.ID = id
	return b
}

type bundleRow struct {
	bun.BaseModel   `bun:"table:bundles,alias:b"`
	ID              publication.BundleID `bun:",pk"`
	FirstOriginalID publication.BundleID `bun:",nullzero"`
	OriginalID      publication.BundleID `bun:",nullzero"`
}

func (r bundleRow) bundle() publication.Bundle {
	return publication.Bundle{ID: r.ID, FirstOriginal: r.FirstOriginalID, Original: r.OriginalID}
}
