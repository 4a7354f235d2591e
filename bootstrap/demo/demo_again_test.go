package demo_test

import (
	"context"
	"crypto/sha256"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/memory"
	"plaza/application/diary"
	"plaza/bootstrap/demo"
	"plaza/domain/access"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/gallery"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// everything is all that the demo data made, but for what chance makes: the salts
// of the hashes and the keys of the pictures.
func (f shelves) everything() map[string]any {
	f.t.Helper()
	w, made := f.w, map[string]any{}
	for id := user.ID(1); id <= everybody+1; id++ {
		account, err := w.ports.Accounts.ByID(f.t.Context(), id)
		if id > everybody {
			require.ErrorIs(f.t, err, access.ErrNoAccount)
			break
		}
		require.NoError(f.t, err)
		account.Hash = ""
		members, err := w.ports.Diary.Directory.Members(f.t.Context(), []user.ID{id})
		require.NoError(f.t, err)
		images := w.images(gallery.Query{Owner: id})
		for i := range images {
			images[i].Key = ""
		}
		listed := w.own(id)
		for i := range listed {
			listed[i] = f.keyless(listed[i])
		}
		made[account.Phone.String()] = []any{account, members, w.subscriptions(id), listed, images, f.orders(id)}
	}
	w.all(func(s diary.Shown) {
		made[s.State().Title+s.State().Created.String()] = []any{f.keyless(s), w.comments(s.ID(), s.Author())}
	})
	for _, kind := range feed.ItemKinds() {
		items := f.items(nil, kind)
		for _, shelf := range items {
			for i := range shelf {
				shelf[i].Thing = coverless(shelf[i].Thing)
			}
		}
		made[string(kind)] = items
	}
	made["how-tos"] = whole(f.t, func(p page.Request) (page.Page[publication.HowTo], error) {
		return f.s.HowTos().List(f.t.Context(), nil, p)
	})
	return made
}

func (f shelves) orders(id user.ID) []payment.Order {
	f.t.Helper()
	return whole(f.t, func(p page.Request) (page.Page[payment.Order], error) {
		return f.w.ports.Ledger.Orders(f.t.Context(), id, "", p)
	})
}

// coverless is the thing without the keys of its cover.
func coverless(thing feed.Thing) feed.Thing {
	without := func(p media.Picture) media.Picture {
		p.Key, p.Sizes = "", slices.Clone(p.Sizes)
		for i := range p.Sizes {
			p.Sizes[i].Key = ""
		}
		return p
	}
	switch t := thing.(type) {
	case publication.Publication:
		t.Cover = without(t.Cover)
		return t
	case publication.Node:
		t.Cover = without(t.Cover)
		return t
	case demand.Demand:
		t.Cover = without(t.Cover)
		return t
	}
	return thing
}

// keyless is what is shown without the keys of its plates.
func (f shelves) keyless(s diary.Shown) diary.Shown {
	without := func(e *event.Event) *event.Event {
		state := e.State()
		for i := range state.Plates {
			state.Plates[i].Photo = ""
		}
		restored, err := event.Restore(state)
		require.NoError(f.t, err)
		return restored
	}
	s.Event = without(s.Event)
	for i := range s.Moment {
		s.Moment[i].Event = without(s.Moment[i].Event)
	}
	return s
}

func TestLoadingTwiceChangesNothing(t *testing.T) {
	f := shelvesOf(t, stocked)
	before, listed := f.everything(), f.s.Listings()
	require.NoError(t, demo.Load(t.Context(), f.w.ports))
	assert.Equal(t, before, f.everything())
	assert.Equal(t, listed, f.s.Listings())
}

func TestTheSameDataArisesEachTime(t *testing.T) {
	assert.Equal(t, shelved(t).everything(), shelvesOf(t, stocked).everything())
}

// The pictures of the first start are those of every start.
func TestTheSamePicturesAreDrawnEachTime(t *testing.T) {
	drawn := func() (raw [][sha256.Size]byte) {
		p := portsOf(memory.New())
		p.Diary.Studio = watching{p.Diary.Studio, &raw}
		require.NoError(t, demo.Load(t.Context(), p))
		return raw
	}
	first := drawn()
	assert.Len(t, first, 25)
	assert.Equal(t, first, drawn())
	different := map[[sha256.Size]byte]bool{}
	for _, raw := range first {
		different[raw] = true
	}
	assert.Len(t, different, len(first))
}

// watching is a studio that remembers what it was shown.
type watching struct {
	media.Studio
	seen *[][sha256.Size]byte
}

func (w watching) Develop(ctx context.Context, field string, raw media.Raw, frames ...media.Frame) (media.Developed, error) {
	content, err := io.ReadAll(io.NewSectionReader(raw, 0, raw.Size()))
	if err != nil {
		return media.Developed{}, err
	}
	*w.seen = append(*w.seen, sha256.Sum256(content))
	return w.Studio.Develop(ctx, field, raw, frames...)
}
