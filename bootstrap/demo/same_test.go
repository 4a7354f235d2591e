package demo_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/diary"
	"plaza/bootstrap/demo"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/publication"
	"plaza/domain/userimage"
)

// everything returns all of the demo data. Random values are replaced: hashes of passwords by a word, and keys of
// pictures by the digests of their files.
func (w fixture) everything() map[string]any {
	w.t.Helper()
	made := map[string]any{"how-tos": w.howTos()}
	for _, account := range w.accounts() {
		if account.Hash != "" {
			account.Hash = "hashed"
		}
		images := whole(w.t, func(p page.Request) (page.Page[userimage.Image], error) {
			return w.ports.Images.List(w.t.Context(), userimage.Query{Owner: account.User}, p)
		})
		for i := range images {
			images[i].Key = w.digest(images[i].Key)
		}
		orders := whole(w.t, func(p page.Request) (page.Page[payment.Order], error) {
			return w.ports.Ledger.Orders(w.t.Context(), account.User, "", p)
		})
		made[account.Phone.String()] = []any{account, w.members(account.User), w.subscriptions(account.User), images, orders}
	}
	for _, s := range w.events() {
		made[s.State().Title+s.State().Created.String()] = []any{w.digested(s), w.comments(s)}
	}
	for _, kind := range feed.ItemKinds() {
		items := w.items(kind)
		for _, listed := range items {
			for i := range listed {
				listed[i].Listable = w.digestedCover(listed[i].Listable)
			}
		}
		made[string(kind)] = items
	}
	return made
}

// digest returns the digest of the picture in the form of a key.
func (w fixture) digest(key media.Key) media.Key {
	w.t.Helper()
	if key == "" {
		return ""
	}
	return media.Key(fmt.Sprintf("%x", sha256.Sum256(w.picture(key))))
}

func (w fixture) digestedCover(thing feed.Listable) feed.Listable {
	digested := func(p media.Picture) media.Picture {
		p.Key, p.Sizes = w.digest(p.Key), slices.Clone(p.Sizes)
		for i := range p.Sizes {
			p.Sizes[i].Key = w.digest(p.Sizes[i].Key)
		}
		return p
	}
	switch t := thing.(type) {
	case publication.Publication:
		t.Cover = digested(t.Cover)
		return t
	case publication.Node:
		t.Cover = digested(t.Cover)
		return t
	case demand.Demand:
		t.Cover = digested(t.Cover)
		return t
	}
	return thing
}

// digested returns the event with digests of its plates, and of those of the events beside it.
func (w fixture) digested(s diary.View) diary.View {
	digested := func(e *event.Event) *event.Event {
		state := e.State()
		for i := range state.Plates {
			state.Plates[i].Photo = w.digest(state.Plates[i].Photo)
		}
		restored, err := event.Restore(state)
		require.NoError(w.t, err)
		return restored
	}
	s.Event = digested(s.Event)
	for i := range s.Moment {
		s.Moment[i].Event = digested(s.Moment[i].Event)
	}
	return s
}

func TestLoadTwiceChangesNothing(t *testing.T) {
	w := loadedAlone(t)
	before, listed := w.everything(), w.store.Listings()
	require.NoError(t, demo.Load(t.Context(), w.ports))
	assert.Equal(t, before, w.everything())
	assert.Equal(t, listed, w.store.Listings())
}

func TestLoadIsDeterministic(t *testing.T) {
	assert.Equal(t, loaded(t).everything(), loadedAlone(t).everything())
}

func TestADM04_the_demo_data_is_the_same_with_its_examples_there(t *testing.T) {
	w := emptyFixture()
	w.t = t
	records, covers, err := demo.Files()
	require.NoError(t, err)
	require.NoError(t, demo.Bring(t.Context(), w.ports.Importer, records, covers))
	require.NotEqual(t, loaded(t).everything(), w.everything())
	require.NoError(t, demo.Load(t.Context(), w.ports))
	assert.Equal(t, loaded(t).everything(), w.everything())

	listed := w.store.Listings()
	require.NoError(t, demo.Bring(t.Context(), w.ports.Importer, records, covers))
	assert.Equal(t, loaded(t).everything(), w.everything(), "a later import changes nothing")
	assert.Equal(t, listed, w.store.Listings())
}
